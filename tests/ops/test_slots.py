"""Who gets a database slot, in which order, and in which state."""

import threading

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory

from ticketing.slots import Slots, SlotsMiddleware


class Line:
    """People who ask for a slot one after the other, each seen to wait before the next comes."""

    def __init__(self, slots):
        self._slots, self.got = slots, []
        self._threads = []

    def join(self, name, seconds=30):
        def ask():
            self.got.append((name, self._slots.take(waiters=10, seconds=seconds)))

        thread = threading.Thread(target=ask)
        thread.start()
        self._threads.append(thread)
        while thread.is_alive() and len(self._slots._queue) < len(self._threads) - len(self.got):
            pass

    def wait_for(self, number):
        while len(self.got) < number:
            pass

    def wait(self):
        for thread in self._threads:
            thread.join(timeout=30)
        return self.got


def test_who_waits_longest_is_the_next_and_nobody_overtakes():
    slots = Slots(["slot"])
    line = Line(slots)
    held = slots.take(waiters=10, seconds=30)
    line.join("first")
    line.join("second")

    slots.give_back(held)
    line.wait_for(1)
    assert slots.take(waiters=1, seconds=30) is None
    slots.give_back("slot")

    assert line.wait() == [("first", "slot"), ("second", "slot")]


def test_the_slot_that_came_back_last_is_taken_first():
    slots = Slots(["cold", "warm"])

    assert [slots.take(waiters=0, seconds=0) for _ in range(3)] == ["warm", "cold", None]


def test_who_waited_in_vain_leaves_the_line():
    slots: Slots[str] = Slots([])
    line = Line(slots)
    line.join("short of time", seconds=0.01)
    assert line.wait() == [("short of time", None)]

    slots.give_back("slot")

    assert slots.take(waiters=0, seconds=0) == "slot"


@pytest.mark.parametrize("people", [50])
def test_no_slot_is_lost_among_many_who_are_short_of_time(people):
    slots = Slots(["a", "b"])

    def come_and_go():
        for _ in range(100):
            if slot := slots.take(waiters=people, seconds=0.0001):
                slots.give_back(slot)

    threads = [threading.Thread(target=come_and_go) for _ in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(slots._free) == ["a", "b"]


def whose_connection(_request=None):
    """Which connection this is, and whether a transaction is open in it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return HttpResponse(f"{cursor.fetchone()[0]}, {connection.in_atomic_block}")


def leave_a_transaction_open(request):
    request.left = transaction.atomic()
    request.left.__enter__()
    return whose_connection()


def commit_by_hand(_request):
    transaction.set_autocommit(False)
    return whose_connection()


def lose_it(_request):
    answer = whose_connection()
    connection.connection.close()
    with pytest.raises(Exception, match="closed"):
        whose_connection()
    return answer


def fail_in_the_middle(_request):
    with transaction.atomic():
        raise ZeroDivisionError


def ask_one_after_the_other(settings, *views):
    """What these views answer, each in a thread of its own, with one slot for all of them."""
    settings.DATABASE_SLOTS = 1
    waiting, told = list(views), []

    def view(request):
        return waiting.pop(0)(request)

    door = SlotsMiddleware(view)

    def ask():
        try:
            told.append(door(RequestFactory().get("/")).content.decode())
        except ZeroDivisionError as error:
            told.append(error)

    for _ in views:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    door._slots.take(waiters=0, seconds=0).close()
    return told


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("view", [leave_a_transaction_open, commit_by_hand, lose_it])
def test_a_spoilt_connection_is_handed_to_nobody(settings, view):
    spoilt, first, second = ask_one_after_the_other(settings, view, *[whose_connection] * 2)

    assert first == second
    assert first.endswith("False")
    assert first.partition(",")[0] != spoilt.partition(",")[0]


@pytest.mark.django_db(transaction=True)
def test_a_good_connection_is_kept_also_after_an_error(settings):
    first, error, last = ask_one_after_the_other(
        settings, whose_connection, fail_in_the_middle, whose_connection
    )

    assert isinstance(error, ZeroDivisionError)
    assert first == last
