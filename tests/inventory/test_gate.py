"""The gate before a hold, against the real store: a shortcut, never the truth."""

import dataclasses
import socket

import pytest

from inventory import gate, tasks
from inventory.errors import LimitReached, PlacesTaken
from inventory.models import EventSeat
from inventory.services import changing, holds
from inventory.wishes import SeatWish, Wish
from tests.conftest import forget_the_store
from tests.inventory.asking import confirm, lapse, place
from tests.races.rivals import race
from ticketing.kernel import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("gate_on")]


def fields(sale):
    """What the gate says of each seat: who has it, and for how many ms, -1 for ever."""
    store, key = gate._store(), gate._key(sale.event_id)
    names = {int(f): name.decode() for f, name in store.hgetall(key).items() if f.isdigit()}
    return {seat: (name, store.hpttl(key, seat)[0]) for seat, name in names.items()}


def write(sale, seats, name="somebody", ms=60_000):
    store = gate._store()
    store.hsetex(gate._key(sale.event_id), mapping=dict.fromkeys(seats, name), px=ms)


def test_who_comes_second_is_refused_without_a_question_to_the_database(
    sale, seats, django_assert_num_queries
):
    place(sale, seats[:2])

    gate._sampled[sale.event_id] = float("inf")

    with django_assert_num_queries(0), pytest.raises(PlacesTaken) as refusal:
        place(sale, seats[1:3])

    assert refusal.value.seat_ids == {seats[1]}
    assert set(fields(sale)) == set(seats[:2])


def test_a_claim_is_short_until_the_hold_is_committed(sale, seats):
    with gate.claimed(event_id=sale.event_id, seat_ids=seats[:1], owner="a", key="k"):
        [(_, claimed)] = fields(sale).values()
    placed = place(sale, seats[:1], owner="a", key="k")
    [(_, kept)] = fields(sale).values()

    assert 0 < claimed <= gate.CLAIM_MS
    assert gate.CLAIM_MS < kept <= sale.lease.total_seconds() * 1000
    assert placed


def test_a_claim_takes_all_seats_or_none(sale, seats):
    place(sale, seats[:1])

    with pytest.raises(PlacesTaken):
        place(sale, seats[:3])

    assert set(fields(sale)) == {seats[0]}


def test_a_fans_own_retry_passes_his_own_claim(sale, seats):
    first = place(sale, seats[:2], owner="a", key="k")

    assert place(sale, seats[:2], owner="a", key="k") == first


def test_one_key_in_parallel_is_one_hold_behind_the_gate(sale, seats):
    outcomes = race([lambda: place(sale, seats[:2], owner="a", key="k")] * 10)

    assert len({outcome.value for outcome in outcomes}) == 1


def test_a_refusal_by_the_database_leaves_no_claim_behind(sale, seats):
    confirm(place(sale, seats[: sale.limit_per_fan], owner="a"))
    before = fields(sale)

    with pytest.raises(LimitReached):
        place(sale, seats[sale.limit_per_fan :][:1], owner="a")

    assert fields(sale) == {seat: before[seat] for seat in before}


def test_a_sold_seat_keeps_its_claim_for_ever(sale, seats):
    confirm(place(sale, seats[:1]))

    assert [ms for _, ms in fields(sale).values()] == [-1]


@pytest.mark.parametrize("ending", ["release", "expire"])
def test_a_hold_that_ends_clears_its_claims(sale, seats, ending):
    placed = place(sale, seats[:2], owner="a")
    if ending == "release":
        holds.release(reference=placed.reference, owner="a")
    else:
        holds.expire_batch(limit=10, at=placed.expires_at)

    assert fields(sale) == {}


@pytest.mark.parametrize("ending", ["release", "expire"])
def test_a_hold_that_ends_late_clears_nobody_elses_claim(sale, seats, ending):
    old = place(sale, seats[:2], owner="a")
    gate._clear(sale.event_id, [(seat, name) for seat, (name, _) in fields(sale).items()])
    write(sale, seats[:1], name="another")
    if ending == "release":
        holds.release(reference=old.reference, owner="a")
    else:
        holds.expire_batch(limit=10, at=old.expires_at)

    assert {seat: name for seat, (name, _) in fields(sale).items()} == {seats[0]: "another"}


def test_a_longer_lease_lengthens_the_claim(sale, seats):
    placed = place(sale, seats[:1], owner="a")
    [(_, before)] = fields(sale).values()
    longer = dataclasses.replace(sale, lease=sale.max_lease)

    holds.extend(reference=placed.reference, owner="a", terms=longer)

    [(_, after)] = fields(sale).values()
    assert after > before


def test_a_change_claims_what_is_added_and_clears_what_is_given_up(sale, seats):
    placed = place(sale, seats[:2], owner="a")
    wish = Wish(seats=tuple(SeatWish(seat) for seat in seats[1:3]))

    changing.change(reference=placed.reference, owner="a", terms=sale, wish=wish)

    assert set(fields(sale)) == set(seats[1:3])
    assert len({name for name, _ in fields(sale).values()}) == 1


def test_a_lying_gate_is_found_out_switched_off_and_rebuilt(sale, seats):
    taken = place(sale, seats[:1])
    write(sale, seats[1:4])

    got = place(sale, seats[1:3])

    assert got.hold_id > taken.hold_id
    assert gate.needs_rebuild(sale.event_id)
    # Off, everybody asks the database.
    place(sale, seats[3:4])
    assert gate.rebuild(sale.event_id) == 0
    assert not gate.needs_rebuild(sale.event_id)
    gate._sampled[sale.event_id] = float("inf")
    with pytest.raises(PlacesTaken):
        place(sale, seats[2:3])


def test_a_lie_of_one_seat_is_mended_by_the_next_rebuild(sale, seats):
    place(sale, seats[:1])
    write(sale, seats[5:6])

    assert gate.rebuild(sale.event_id) == 1
    assert set(fields(sale)) == {seats[0]}


def test_a_claim_on_its_way_is_no_lie(sale, seats):
    write(sale, seats[:1], ms=gate.CLAIM_MS)

    with pytest.raises(PlacesTaken):
        place(sale, seats[:1])

    assert gate._store().hget(gate._key(sale.event_id), "off") is None


def test_a_flushed_gate_costs_only_the_shortcut_and_is_filled_again(sale, seats):
    sold = place(sale, seats[:1])
    confirm(sold)
    held = place(sale, seats[1:3])
    before = fields(sale)
    gate._store().delete(gate._key(sale.event_id))

    with pytest.raises(PlacesTaken):
        place(sale, seats[:2])
    assert gate.needs_rebuild(sale.event_id)
    gate.rebuild(sale.event_id)

    assert held
    assert {seat: name for seat, (name, _) in fields(sale).items()} == {
        seat: name for seat, (name, _) in before.items()
    }
    assert fields(sale)[seats[0]][1] == -1


def test_a_lapsed_lease_is_no_reason_to_refuse(sale, seats):
    old = place(sale, seats[:1])
    lapse(old)
    gate.rebuild(sale.event_id)

    assert place(sale, seats[:1]).fencing_token > old.fencing_token


@pytest.mark.parametrize("fault", ["stopped", "silent"])
def test_without_a_store_holds_are_still_right(sale, seats, fault, settings):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if fault == "silent":
            # Takes connections into its queue and never answers.
            server.listen()
        settings.VALKEY_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        forget_the_store()
        outcomes = race([lambda: place(sale, seats[:1])] * 5)

    assert sorted(type(o.refusal).__name__ for o in outcomes) == ["NoneType"] + ["PlacesTaken"] * 4
    assert EventSeat.objects.get(pk=seats[0]).state == "held"
    assert list(audit.run()) == []


def test_the_claims_of_a_dead_process_end_by_themselves(sale, seats):
    """Whoever dies between claim and commit leaves claims that last five seconds at most."""
    gate._claim(sale.event_id, seats[:2], gate.name_of("dead", "k"))

    assert all(0 < ms <= 5000 for _, ms in fields(sale).values())


def test_the_sweep_of_gates_rebuilds_those_that_were_lost_or_switched_off(sale, seats):
    place(sale, seats[:1])
    gate._store().hset(gate._key(sale.event_id), "off", 1)

    tasks.rebuild_gates()

    assert not gate.needs_rebuild(sale.event_id)
    assert set(fields(sale)) == {seats[0]}
