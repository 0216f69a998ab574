"""The programme for other programs: what is on, and what a place costs."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from events import selectors
from events.pricing import PriceList
from events.selectors import EventView
from events.status import Status
from ticketing.accounts.api import OpenView
from ticketing.kernel.problems import answers
from ticketing.kernel.shapes import MoneyShape, QueryInteger, QueryText

# Nobody needs to ask again sooner.
FRESH = {"Cache-Control": "public, max-age=5"}
MAX_PAGE = 100_000


class VenueTime(serializers.DateTimeField):
    """A moment with the venue's offset; `time_zone` names the zone."""

    def get_attribute(self, instance: EventView) -> datetime | None:
        moment: datetime | None = super().get_attribute(instance)
        return moment.astimezone(ZoneInfo(instance.time_zone)) if moment else None

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class VenueShape(serializers.Serializer[EventView]):
    name = serializers.CharField(source="venue")
    address = serializers.CharField()
    city = serializers.CharField()
    country = serializers.CharField()


class EventShape(serializers.Serializer[EventView]):
    slug = serializers.SlugField(help_text="Names the event in addresses")
    url = serializers.SerializerMethodField(help_text="Its page for people")
    title = serializers.CharField()
    series = serializers.CharField(help_text="Empty for none")
    organizer = serializers.CharField()
    venue = VenueShape(source="*")
    time_zone = serializers.CharField()
    starts_at = VenueTime()
    ends_at = VenueTime(allow_null=True)
    status = serializers.ChoiceField(choices=[str(status) for status in Status])
    sale_opens_at = VenueTime(allow_null=True, help_text="When the next sale opens, or a presale")
    sale_closes_at = VenueTime(allow_null=True, help_text="When the present public sale closes")
    places_per_customer = serializers.IntegerField(source="limit")
    currency = serializers.CharField(help_text="ISO 4217")
    from_price = MoneyShape(allow_null=True, help_text="The lowest price, its fees included")

    def get_url(self, event: EventView) -> str:
        return f"{settings.BASE_URL}{event.url}"


class EventPage(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    events = EventShape(many=True)


class FareShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    places = serializers.IntegerField(
        help_text="Places that one ticket takes; only pools sell fares of more than one"
    )


class PriceShape(serializers.Serializer[Any]):
    fare = serializers.IntegerField(source="fare_id")
    price = MoneyShape(allow_null=True, help_text="Fees included; null where it is not sold")


class ZoneShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    prices = PriceShape(many=True, source="cells")


class BookingFeeShape(serializers.Serializer[Any]):
    name = serializers.CharField()
    amount = MoneyShape()


class PricesShape(serializers.Serializer[PriceList]):
    """What a ticket costs follows from its zone and the fare; a booking fee is added once."""

    fares = FareShape(many=True, help_text="The first is what is held if none is named")
    zones = ZoneShape(many=True)
    booking_fees = BookingFeeShape(many=True)


class EventInFull(EventShape):
    description = serializers.CharField()
    prices = serializers.SerializerMethodField()

    @extend_schema_field(PricesShape)
    def get_prices(self, event: EventView) -> Any:
        return PricesShape(self.context["prices"]).data


class EventQuery(serializers.Serializer[Any]):
    page = QueryInteger(min_value=1, max_value=MAX_PAGE, default=1)
    q = QueryText(
        max_length=selectors.MAX_QUERY,
        default="",
        allow_blank=True,
        trim_whitespace=False,
        help_text="Words of its title, venue, city or series",
    )


@method_decorator([gzip_page, conditional_page], name="dispatch")
class EventList(OpenView):
    @extend_schema(
        operation_id="list_events", parameters=[EventQuery], responses=answers({200: EventPage})
    )
    def get(self, request: Request) -> Response:
        """What is on or announced and not over yet, soonest first, a page at a time."""
        query = EventQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        number = query.validated_data["page"]
        page = selectors.upcoming(at=timezone.now(), query=query.validated_data["q"], page=number)
        if number != page.number:
            raise Http404
        shown = {
            "count": page.paginator.count,
            "page": page.number,
            "pages": page.paginator.num_pages,
            "events": page.object_list,
        }
        return Response(EventPage(shown).data, headers=FRESH)


@method_decorator([gzip_page, conditional_page], name="dispatch")
class OneEvent(OpenView):
    @extend_schema(operation_id="read_event", responses=answers({200: EventInFull}))
    def get(self, request: Request, slug: str) -> Response:
        """One event with its prices."""
        event = selectors.event_by_slug(slug, at=timezone.now())
        if event is None:
            raise Http404
        prices = selectors.prices(event.id)
        shown = replace(event, from_price=prices.from_price)
        return Response(EventInFull(shown, context={"prices": prices}).data, headers=FRESH)
