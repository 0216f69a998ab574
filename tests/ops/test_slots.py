"""Who gets a database slot, and in which order."""

import threading

import pytest

from ticketing.slots import Slots


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
