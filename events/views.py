"""The programme page."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from events import selectors


@require_safe
def programme(request: HttpRequest) -> HttpResponse:
    """What is on, and the search in it."""
    query = " ".join(request.GET.get("q", "").split())[: selectors.MAX_QUERY]
    page = selectors.upcoming(
        at=timezone.now(), query=query, page=request.GET.get("page", "1")[:10]
    )
    return render(
        request,
        "events/programme.html",
        {
            "events": page.object_list,
            "page_obj": page,
            "q": query,
            "query": f"{urlencode({'q': query})}&" if query else "",
        },
    )
