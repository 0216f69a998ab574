import pytest
from django.utils import timezone

from events.errors import WrongState
from events.models import EventState
from events.services import programme
from tests.factories import draft_event, opened_event
from ticketing.kernel.models import OutboxMessage

pytestmark = pytest.mark.django_db


def state_of(event):
    event.refresh_from_db()
    return event.state


def told():
    return [topic.removeprefix("events.") for topic in topics()]


def topics():
    facts = OutboxMessage.objects.filter(topic__startswith="events.").order_by("pk")
    return facts.values_list("topic", flat=True)


def test_a_draft_can_be_announced_before_it_sells():
    event = draft_event()

    assert programme.announce(event_id=event.pk, at=timezone.now())

    assert state_of(event) == EventState.PUBLISHED
    assert event.opened_at is None
    assert programme.announce(event_id=event.pk, at=timezone.now()) is False
    assert told() == ["event_published"]


def test_an_event_is_postponed_and_comes_back_with_its_date():
    event = opened_event()

    assert programme.postpone(event_id=event.pk, at=timezone.now())
    assert state_of(event) == EventState.POSTPONED
    assert programme.reschedule(event_id=event.pk, at=timezone.now())

    assert state_of(event) == EventState.PUBLISHED
    assert told() == ["event_postponed", "event_published"]


def test_a_cancelled_event_stays_cancelled_and_is_told_once():
    event = opened_event()

    assert programme.cancel(event_id=event.pk, at=timezone.now())
    assert programme.cancel(event_id=event.pk, at=timezone.now()) is False

    for step in (programme.announce, programme.postpone, programme.reschedule):
        with pytest.raises(WrongState, match="cancelled"):
            step(event_id=event.pk, at=timezone.now())
    assert told() == ["event_cancelled"]


def test_a_draft_cannot_be_postponed_or_cancelled():
    event = draft_event()

    for step in (programme.postpone, programme.cancel):
        with pytest.raises(WrongState, match="draft"):
            step(event_id=event.pk, at=timezone.now())

    assert state_of(event) == EventState.DRAFT
    assert told() == []


def test_a_sale_is_paused_and_resumed_by_a_switch():
    event = opened_event()

    assert [programme.pause(event_id=event.pk) for _ in range(2)] == [True, False]
    assert [programme.resume(event_id=event.pk) for _ in range(2)] == [True, False]

    assert state_of(event) == EventState.PUBLISHED
