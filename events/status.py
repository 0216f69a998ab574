"""What an event is to a fan right now: on sale, soon, over, and the words for it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from events.availability import Level
from events.models import EventState, OnSaleKind
from ticketing.kernel import times


class Status(StrEnum):
    ON_SALE = "on_sale"
    FEW = "few"
    # Only those who carry a code may buy.
    PRESALE = "presale"
    SOLD_OUT = "sold_out"
    SOON = "soon"
    PAUSED = "paused"
    POSTPONED = "postponed"
    CANCELLED = "cancelled"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Window:
    kind: OnSaleKind
    opens_at: datetime
    closes_at: datetime

    def is_open(self, at: datetime) -> bool:
        return self.opens_at <= at < self.closes_at


@dataclass(frozen=True, slots=True)
class Sale:
    """What the status follows from."""

    state: EventState
    is_paused: bool
    is_opened: bool
    is_over: bool
    windows: Sequence[Window]
    level: Level = Level.MANY

    def next_window(
        self, at: datetime, *, of: Collection[OnSaleKind] = OnSaleKind
    ) -> Window | None:
        """The first that is still to come, of these kinds."""
        coming = [window for window in self.windows if window.opens_at > at and window.kind in of]
        return min(coming, key=lambda window: window.opens_at, default=None)

    def closes_at(self, at: datetime, kind: OnSaleKind) -> datetime | None:
        """When the last of the windows of this kind that are open now closes."""
        times = [w.closes_at for w in self.windows if w.is_open(at) and w.kind == kind]
        return max(times, default=None)

    def status(self, at: datetime) -> Status:
        if self.state == EventState.CANCELLED:
            return Status.CANCELLED
        if self.is_over:
            return Status.ENDED
        if self.state == EventState.POSTPONED:
            return Status.POSTPONED
        open_kinds = {window.kind for window in self.windows if window.is_open(at)}
        if self.is_opened and open_kinds:
            if self.is_paused:
                return Status.PAUSED
            is_presale = OnSaleKind.PUBLIC not in open_kinds and self.level != Level.NONE
            return Status.PRESALE if is_presale else _by_level(self.level)
        return Status.SOON if self.next_window(at) or not self.is_opened else Status.ENDED

    def text(self, at: datetime, time_zone: str) -> str:
        """The status in a few words."""
        status = self.status(at)
        window = self.next_window(at)
        if status == Status.SOON and window:
            when = times.spoken_briefly(window.opens_at, time_zone)
            if window.kind == OnSaleKind.PRESALE:
                return _("Presale from %(when)s") % {"when": when}
            return _("On sale from %(when)s") % {"when": when}
        return {
            Status.ON_SALE: _("On sale"),
            Status.FEW: _("Few left"),
            Status.PRESALE: _("Presale"),
            Status.SOLD_OUT: _("Sold out"),
            Status.SOON: _("On sale soon"),
            Status.PAUSED: _("Sale paused"),
            Status.POSTPONED: _("Postponed"),
            Status.CANCELLED: _("Cancelled"),
            Status.ENDED: _("Over") if self.is_over else _("Sale ended"),
        }[status]


def _by_level(level: Level) -> Status:
    return {
        Level.MANY: Status.ON_SALE,
        Level.FEW: Status.FEW,
        Level.NONE: Status.SOLD_OUT,
    }[level]
