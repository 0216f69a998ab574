"""The one address of payments: where the provider tells us that something happened."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from payments import stripe
from payments.services import events


@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Store what is signed with one of our secrets and answer at once; work goes on behind."""
    # Django refuses a body above DATA_UPLOAD_MAX_MEMORY_SIZE before anything reads it.
    event = stripe.verified(request.body, request.headers.get("Stripe-Signature", ""))
    if event is None:
        return HttpResponse("not signed by the provider", status=400, content_type="text/plain")
    events.receive(provider=stripe.NAME, event=event)
    return HttpResponse("stored", content_type="text/plain")
