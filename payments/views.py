"""The one address of payments: where the provider tells us that something happened."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from payments import stripe
from payments.services import events

# Several times the largest event of a payment.
LARGEST_BODY = 256 * 1024


@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Store what is signed with one of our secrets and answer at once; work goes on behind."""
    if int(request.headers.get("Content-Length") or 0) > LARGEST_BODY:
        return HttpResponse("too large", status=413, content_type="text/plain")
    event = stripe.verified(request.body, request.headers.get("Stripe-Signature", ""))
    if event is None:
        return HttpResponse("not signed by the provider", status=400, content_type="text/plain")
    events.receive(provider=stripe.NAME, event=event)
    return HttpResponse("stored", content_type="text/plain")
