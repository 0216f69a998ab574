"""What a place costs, fees included: the first price a fan sees is the price he pays. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ticketing.kernel.money import Money

# Distinct colours of zones that the style sheets know.
COLORS = 8


def letter(rank: int) -> str:
    """What a zone is called on the map: A for rank 0."""
    return chr(ord("A") + rank)


@dataclass(frozen=True, slots=True)
class FareName:
    id: int
    name: str
    # That one ticket takes.
    places: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """The price of a zone at one fare; `price` is None where that fare is not sold."""

    fare_id: int
    price: Money | None

    @property
    def amount(self) -> int:
        return self.price.minor if self.price else 0


@dataclass(frozen=True, slots=True)
class ZonePrices:
    id: int
    name: str
    rank: int
    categories: tuple[str, ...]
    # One for each fare, in the order of fares.
    cells: tuple[Cell, ...]

    @property
    def letter(self) -> str:
        return letter(self.rank)

    @property
    def color_index(self) -> int:
        return self.rank % COLORS

    @property
    def from_price(self) -> Money | None:
        return lowest(cell.price for cell in self.cells)


@dataclass(frozen=True, slots=True)
class BookingFee:
    """Added once to a booking, whatever is in it."""

    name: str
    amount: Money


@dataclass(frozen=True, slots=True)
class PriceList:
    fares: tuple[FareName, ...]
    zones: tuple[ZonePrices, ...]
    booking_fees: tuple[BookingFee, ...]

    @property
    def from_price(self) -> Money | None:
        return lowest(zone.from_price for zone in self.zones)

    def of_one_place(self) -> "PriceList":
        """Without the fares that take several places: what a seat can cost."""
        fares = tuple(fare for fare in self.fares if fare.places == 1)
        ids = {fare.id for fare in fares}
        zones = (
            replace(zone, cells=tuple(cell for cell in zone.cells if cell.fare_id in ids))
            for zone in self.zones
        )
        return replace(self, fares=fares, zones=tuple(zones))

    def zone(self, zone_id: int) -> ZonePrices:
        """The zone of this id, or LookupError."""
        for zone in self.zones:
            if zone.id == zone_id:
                return zone
        raise LookupError(zone_id)


@dataclass(frozen=True, slots=True)
class Zone:
    id: int
    name: str
    rank: int
    categories: Sequence[str]


def price_list(
    *,
    currency: str,
    zones: Iterable[Zone],
    fares: Sequence[FareName],
    prices: dict[tuple[int, int], int],
    ticket_fees: int,
    booking_fees: Iterable[tuple[str, int]] = (),
) -> PriceList:
    """Every price with its ticket fees; `prices` are bare minor units, by zone and fare."""

    def cell(zone: Zone, fare: FareName) -> Cell:
        bare = prices.get((zone.id, fare.id))
        return Cell(fare.id, None if bare is None else Money(bare + ticket_fees, currency))

    return PriceList(
        fares=tuple(fares),
        zones=tuple(
            ZonePrices(
                id=zone.id,
                name=zone.name,
                rank=zone.rank,
                categories=tuple(zone.categories),
                cells=tuple(cell(zone, fare) for fare in fares),
            )
            for zone in zones
        ),
        booking_fees=tuple(BookingFee(name, Money(fee, currency)) for name, fee in booking_fees),
    )


def lowest(prices: Iterable[Money | None]) -> Money | None:
    return min((price for price in prices if price is not None), default=None)
