"""The doors to holds: create, read, change, extend, release."""

import re
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings import customers
from bookings.api import refusals
from bookings.api.shapes import HoldShape, HoldWishShape, WishShape, shown
from bookings.services import paying
from events import selectors as events
from events import terms
from events.errors import CodeRefused
from events.terms import Terms
from inventory import selectors as inventory
from inventory.errors import AlreadyHolding, PlacesTaken, SaleClosed
from inventory.selectors import HoldView
from inventory.services import access, changing, holds, placing
from ticketing.accounts.callers import caller_of
from ticketing.accounts.models import Scope
from ticketing.kernel.idempotency import MAX_KEY
from ticketing.kernel.problems import Problem, answers

# Visible ASCII, so that every proxy on the way leaves it as it is.
KEY = rf"[!-~]{{1,{MAX_KEY}}}"
KEY_HEADER = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    required=True,
    pattern=f"^{KEY}$",
    description="A new one for each wish. The same key and wish are answered with the same hold.",
)
LOCATION = OpenApiParameter(
    "Location",
    str,
    OpenApiParameter.HEADER,
    response=[201],
    description="The address of the hold",
)


@method_decorator(never_cache, name="dispatch")
class HoldsOfEvent(APIView):
    scopes = {"POST": Scope.HOLDS_WRITE}

    @extend_schema(
        operation_id="create_hold",
        parameters=[KEY_HEADER, LOCATION],
        request=HoldWishShape,
        responses=answers({201: HoldShape}, refusals.OF_WISH),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Hold every place of a wish, or none."""
        key = _key(request)
        asked = HoldWishShape(data=request.data)
        asked.is_valid(raise_exception=True)
        owner = customers.owner(caller_of(request), asked.validated_data.get("customer"))
        code = asked.validated_data.get("access_code")
        with refusals.told():
            sale = _terms(slug, request, owner=owner, key=key, code=code)
            try:
                placed = placing.place(terms=sale, owner=owner, key=key, wish=asked.wish)
            except SaleClosed as closed:
                # Of a draft nobody is told even that it does not sell.
                if events.event_by_slug(slug, at=timezone.now()) is None:
                    raise Http404 from closed
                raise
            except PlacesTaken as refusal:
                # To the gate a customer's other wish is a stranger's: they may be his own.
                own = inventory.live_hold(event_id=sale.event_id, names=[owner])
                if own:
                    raise AlreadyHolding(own.reference) from refusal
                raise
        address = reverse("api:hold", args=[placed.reference])
        return Response(_body(placed.hold_id, slug), 201, headers={"Location": address})


@method_decorator(never_cache, name="dispatch")
class OneHold(APIView):
    scopes = {
        "GET": Scope.HOLDS_READ,
        "PUT": Scope.HOLDS_WRITE,
        "DELETE": Scope.HOLDS_WRITE,
    }

    @extend_schema(operation_id="read_hold", responses=answers({200: HoldShape}))
    def get(self, request: Request, reference: UUID) -> Response:
        """A hold, in whatever state it is."""
        return Response(_body(_own(request, reference).id))

    @extend_schema(
        operation_id="change_hold",
        request=WishShape,
        responses=answers({200: HoldShape}, refusals.OF_WISH),
    )
    def put(self, request: Request, reference: UUID) -> Response:
        """Let the hold have exactly these places: all of them, or it stays as it was.

        What it keeps keeps its price, and the hold its end.
        """
        asked = WishShape(data=request.data)
        asked.is_valid(raise_exception=True)
        found = _own(request, reference)
        sale = terms.of(found.event_id, access=found.access_code_id)
        with refusals.told():
            changing.change(reference=reference, owner=found.owner, terms=sale, wish=asked.wish)
        return Response(_body(found.id))

    @extend_schema(
        operation_id="release_hold", request=None, responses=answers({204: None}, refusals.OF_HOLD)
    )
    def delete(self, request: Request, reference: UUID) -> Response:
        """Let the places go; of a hold that is over already, nothing more is to be done."""
        found = _own(request, reference)
        if not paying.let_go(hold=found):
            left = inventory.hold_by_id(found.id)
            if left and left.is_booked:
                raise Problem(refusals.HOLD_BOOKED)
        return Response(status=204)


@method_decorator(never_cache, name="dispatch")
class Extension(APIView):
    scopes = {"POST": Scope.HOLDS_WRITE}

    @extend_schema(
        operation_id="extend_hold",
        request=None,
        responses=answers({200: HoldShape}, refusals.OF_HOLD),
    )
    def post(self, request: Request, reference: UUID) -> Response:
        """Give the hold its full time again, within what `extendable_until` allows."""
        found = _own(request, reference)
        with refusals.told():
            holds.extend(reference=reference, owner=found.owner, terms=terms.of(found.event_id))
        return Response(_body(found.id))


def _key(request: Request) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if not re.fullmatch(KEY, key):
        raise Problem(
            refusals.KEY_NEEDED,
            _("Send the header Idempotency-Key, 1 to 200 visible ASCII signs."),
        )
    return key


def _own(request: Request, reference: UUID) -> HoldView:
    """The partner's own hold, or 404: whether it is somebody else's is nobody's business."""
    found = inventory.hold_by_reference(reference)
    if found is None or not customers.is_of(caller_of(request), found.owner):
        raise Http404
    return found


def _terms(slug: str, request: Request, *, owner: str, key: str, code: str | None) -> Terms:
    """The terms of the sale, by the presale code if one is shown. Raises what `redeem` raises."""
    try:
        if code is None:
            return terms.recent(slug)
        event_id = terms.recent(slug).event_id
    except terms.NoSuchEvent:
        raise Http404 from None
    known = inventory.hold_by_key(owner=owner, key=key)
    if known is None:
        try:
            redeemed = access.redeem(
                event_id=event_id,
                code=code,
                browser=owner,
                # All that a partner's customers guess comes from the partner.
                network=caller_of(request).owner,
                at=timezone.now(),
            )
            return terms.of(event_id, access=redeemed.code_id)
        except CodeRefused:
            # Used up by this very wish, sent twice at once?
            known = inventory.hold_by_key(owner=owner, key=key)
            if known is None:
                raise
    return terms.of(event_id, access=known.access_code_id)


def _body(hold_id: int, slug: str = "") -> object:
    hold = inventory.hold_by_id(hold_id)
    if hold is None:
        raise LookupError(hold_id)
    slug = slug or events.slug_of(hold.event_id)
    return shown(hold, inventory.lines(hold_id), slug=slug)
