"""Stripe, through its own SDK: timeouts and keys are ours, its retries are off.

The payer pays on Stripe's page (Checkout, by redirect), which reserves the amount; we capture.
Sessions lead to the intent, and only the intent's own status is believed.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import stripe
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from payments.errors import Declined, OutcomeUnknown, ProviderRejected
from payments.gateway import DisputeOutcome, Entry, Fee, Outcome, RefundOutcome, Standing, Wish
from ticketing.kernel import transactions
from ticketing.kernel.money import CURRENCIES, Money, from_provider, to_provider

NAME = "stripe"
T = TypeVar("T")
CONNECT_SECONDS = 3
READ_SECONDS = 10
WEBHOOK_TOLERANCE_SECONDS = 300
# The session with the intent, the charge, its refunds and its fee in it: one question, not five.
CHARGE = "payment_intent.latest_charge"
WHOLE = [f"{CHARGE}.refunds", f"{CHARGE}.balance_transaction"]
PAGE = 100
# Never more than this many pages of a hundred are looked through for one session.
SEARCH_LIMIT = 2000
STANDINGS = {
    "requires_capture": Standing.AUTHORIZED,
    "succeeded": Standing.CAPTURED,
    "canceled": Standing.CANCELED,
}


class StripeGateway:
    name = NAME

    def open(self, wish: Wish, *, key: str) -> Outcome:
        marks = {"reference": wish.reference}
        price = {
            "currency": wish.amount.currency.lower(),
            "unit_amount": to_provider(wish.amount),
            "product_data": {"name": wish.description},
        }
        params: Any = {
            "mode": "payment",
            "client_reference_id": wish.reference,
            **({"customer_email": wish.email} if wish.email else {}),
            "success_url": wish.success_url,
            "cancel_url": wish.cancel_url,
            "expires_at": int(wish.expires_at.timestamp()),
            "line_items": [{"quantity": 1, "price_data": price}],
            "metadata": marks,
            "payment_intent_data": {"capture_method": "manual", "metadata": marks},
            "expand": WHOLE,
        }
        return _ask(lambda api: _outcome(api, api.checkout.sessions.create(params, _under(key))))

    def find(self, *, reference: str, since: datetime) -> Outcome | None:
        params: Any = {
            "created": {"gte": int(since.timestamp())},
            "limit": 100,
            "expand": [f"data.{each}" for each in WHOLE],
        }

        def search(api: Any) -> Outcome | None:
            sessions = api.checkout.sessions.list(params).auto_paging_iter()
            for seen, session in enumerate(sessions):
                if session.client_reference_id == reference:
                    return _outcome(api, session)
                if seen >= SEARCH_LIMIT:
                    raise OutcomeUnknown("too many sessions to look through")
            return None

        return _ask(search)

    def look(self, *, session: str) -> Outcome:
        params: Any = {"expand": WHOLE}
        return _ask(lambda api: _outcome(api, api.checkout.sessions.retrieve(session, params)))

    def expire(self, *, session: str, key: str) -> Outcome:
        _ask(lambda api: api.checkout.sessions.expire(session, {}, _under(key)))
        return self.look(session=session)

    def capture(self, *, session: str, intent: str, key: str) -> Outcome:
        _ask(lambda api: api.payment_intents.capture(intent, {}, _under(key)))
        return self.look(session=session)

    def void(self, *, session: str, intent: str, key: str) -> Outcome:
        params: Any = {"cancellation_reason": "abandoned"}
        _ask(lambda api: api.payment_intents.cancel(intent, params, _under(key)))
        return self.look(session=session)

    def refund(self, *, intent: str, amount: Money, reference: str, key: str) -> RefundOutcome:
        params: Any = {
            "payment_intent": intent,
            "amount": to_provider(amount),
            "metadata": {"reference": reference},
        }
        return _ask(lambda api: _refund(api.refunds.create(params, _under(key))))

    def find_refund(self, *, intent: str, reference: str) -> RefundOutcome | None:
        params: Any = {"payment_intent": intent, "limit": 100}
        refunds = _ask(lambda api: _refunds(api.refunds.list(params)))
        return next((refund for refund in refunds if refund.reference == reference), None)

    def statement(self, *, since: datetime) -> list[Entry]:
        params: Any = {
            "created": {"gte": int(since.timestamp())},
            "limit": PAGE,
            "expand": ["data.latest_charge"],
        }

        def read(api: Any) -> list[Entry]:
            intents = api.payment_intents.list(params).auto_paging_iter()
            return [_entry(intent) for intent in intents if _is_sold_in(intent.currency)]

        return _ask(read)


def verified(body: bytes, signature: str) -> dict[str, Any] | None:
    """The event that a webhook carries, or None unless one of our secrets signed it just now."""
    for secret in settings.STRIPE_WEBHOOK_SECRET:
        try:
            event = stripe.Webhook.construct_event(
                body, signature, secret, tolerance=WEBHOOK_TOLERANCE_SECONDS
            )
        except (stripe.SignatureVerificationError, ValueError):
            continue
        return dict(event.to_dict())
    return None


@cache
def _client(key: str, base: str) -> stripe.StripeClient:
    """One client a process: it keeps a session, and so its connections, for each thread."""
    if key.startswith(("sk_live_", "rk_live_")) and base:
        raise ImproperlyConfigured("STRIPE_API_BASE is set: a live key must not be sent there.")
    return stripe.StripeClient(
        key,
        base_addresses={"api": base} if base else None,
        max_network_retries=0,
        http_client=stripe.RequestsClient(timeout=(CONNECT_SECONDS, READ_SECONDS)),
    )


def _ask(question: Callable[[Any], T]) -> T:
    with transactions.outside(), _in_our_words():
        return question(_client(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE).v1)


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Turn the SDK's errors into ours: no answer, or an answer that is no."""
    try:
        yield
    except stripe.CardError as error:
        raise Declined(_words(error), code=error.code or "") from error
    except (stripe.APIConnectionError, stripe.RateLimitError) as error:
        raise OutcomeUnknown(_words(error)) from error
    except stripe.StripeError as error:
        status = error.http_status or 0
        if status == 409:  # noqa: PLR2004 - another request with this key is under way
            raise OutcomeUnknown(_words(error)) from error
        if status >= 500:  # noqa: PLR2004
            replayed = (error.headers or {}).get("idempotent-replayed") == "true"
            raise OutcomeUnknown(_words(error), key_is_spent=replayed) from error
        # Not "from error": the SDK's own text may quote the payer's address into a log.
        raise ProviderRejected(_words(error), code=error.code or "") from None


def _words(error: stripe.StripeError) -> str:
    return re.sub(r"\S+@\S+", "(address)", str(error.user_message or error))[:300]


def _under(key: str) -> Any:
    return {"idempotency_key": key}


def _outcome(api: Any, session: Any) -> Outcome:
    intent = session.payment_intent
    standing = STANDINGS.get(intent.status, Standing.NOTHING) if intent else Standing.NOTHING
    if session.status == "expired" and standing == Standing.NOTHING:
        standing = Standing.CANCELED
    taken = standing == Standing.CAPTURED
    charge = intent.latest_charge if taken else None
    problem = intent.last_payment_error if intent else None
    disputes = _disputes(api, intent.id) if charge and charge.disputed else []
    return Outcome(
        session=session.id,
        standing=standing,
        is_open=session.status == "open",
        checkout_url=session.url or "",
        intent=intent.id if intent else "",
        captured_minor=_minor(intent.amount_received, session) if taken else 0,
        refunds=_refunds(charge.refunds) if charge and charge.refunds else (),
        fees=_fees([charge.balance_transaction] if charge else [], disputes),
        disputes=tuple(_dispute(dispute) for dispute in disputes),
        problem=(problem.message or problem.code or "") if problem else "",
    )


def _is_sold_in(code: str) -> bool:
    # The account may be used for other things as well.
    return code.upper() in CURRENCIES


def _entry(intent: Any) -> Entry:
    standing = STANDINGS.get(intent.status, Standing.NOTHING)
    charge = intent.latest_charge if standing == Standing.CAPTURED else None
    marks = intent.metadata.to_dict() if intent.metadata else {}
    return Entry(
        intent=intent.id,
        reference=marks.get("reference", ""),
        standing=standing,
        amount=from_provider(intent.amount, intent.currency),
        captured=from_provider(intent.amount_received if charge else 0, intent.currency),
        refunded=from_provider(charge.amount_refunded if charge else 0, intent.currency),
    )


def _minor(amount: int, thing: Any) -> int:
    return from_provider(amount, thing.currency).minor


def _refunds(listed: Any) -> tuple[RefundOutcome, ...]:
    """All of a list, which may ask for further pages."""
    return tuple(_refund(refund) for refund in listed.auto_paging_iter())


def _disputes(api: Any, intent: str) -> list[Any]:
    params: Any = {"payment_intent": intent, "limit": PAGE}
    return list(api.disputes.list(params).auto_paging_iter())


def _fees(booked: list[Any], disputes: list[Any]) -> tuple[Fee, ...]:
    for dispute in disputes:
        booked += dispute.balance_transactions
    # Nothing is known before the provider has booked it.
    return tuple(Fee(each.id, from_provider(each.fee, each.currency)) for each in booked if each)


def _dispute(dispute: Any) -> DisputeOutcome:
    return DisputeOutcome(
        dispute.id,
        amount_minor=_minor(dispute.amount, dispute),
        reason=dispute.reason,
        is_open=dispute.status not in {"won", "lost", "warning_closed", "prevented"},
        is_won=dispute.status != "lost",
        taken=tuple(each.id for each in dispute.balance_transactions if each.amount < 0),
        returned=tuple(each.id for each in dispute.balance_transactions if each.amount > 0),
    )


def _refund(refund: Any) -> RefundOutcome:
    said = refund.to_dict()
    return RefundOutcome(
        refund.id,
        is_done=refund.status == "succeeded",
        is_final=refund.status in {"succeeded", "failed", "canceled"},
        amount_minor=_minor(refund.amount, refund),
        reference=(said.get("metadata") or {}).get("reference", ""),
        problem=said.get("failure_reason") or said.get("pending_reason") or "",
    )
