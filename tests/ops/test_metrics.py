import os
import subprocess
import sys

import pytest

from inventory import sweeping
from inventory.services import holds
from tests.inventory.asking import lapse, place
from ticketing.kernel import loadboard, metrics


def figure(client, line):
    """What a scrape says of one figure now."""
    for said in client.get("/metrics").content.decode().splitlines():
        if said.startswith(f"{line} "):
            return float(said.rpartition(" ")[2])
    return 0.0


def test_only_this_machine_itself_reads_the_figures_without_a_token(client):
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    for proxied in ({"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-Proto": "https"}):
        assert client.get("/metrics", headers=proxied).status_code == 403


def test_with_a_token_who_says_it_reads_the_figures(client, settings):
    settings.METRICS_TOKEN = "secret"

    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 403
    right = client.get(
        "/metrics", headers={"Authorization": "Bearer secret"}, REMOTE_ADDR="192.0.2.7"
    )
    assert right.status_code == 200


@pytest.mark.django_db
def test_a_hold_is_counted_as_asked_won_and_ended(client, sale, seats):
    names = ["asked_total", "won_total", 'ended_total{how="released"}']
    before = [figure(client, f"ticketing_holds_{name}") for name in names]
    placed = place(sale, seats[:2], owner="a")
    holds.release(reference=placed.reference, owner="a")

    after = [figure(client, f"ticketing_holds_{name}") for name in names]

    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1]


@pytest.mark.django_db
def test_a_request_is_counted_by_the_name_of_its_route(client):
    client.get("/events/no-such-event/")

    text = client.get("/metrics").content.decode()

    assert 'path="read",route="inventory:event",status="4xx"' in text
    assert "no-such-event" not in text


@pytest.mark.django_db
def test_the_sweep_is_late_once_two_of_its_periods_went_by(sale, seats):
    sweeping.note()
    assert not sweeping.is_late(period=60)

    loadboard.valkey().delete(f"load:{sweeping.SWEPT_AT}")

    assert sweeping.is_late(period=60)


@pytest.mark.django_db
def test_staff_is_told_on_the_first_page_that_the_sweep_is_late(admin_client):
    loadboard.valkey().delete(f"load:{sweeping.SWEPT_AT}")
    assert "not being swept" in admin_client.get("/admin/").content.decode()

    sweeping.note()

    assert "not being swept" not in admin_client.get("/admin/").content.decode()


@pytest.mark.django_db
def test_a_scrape_says_how_far_the_sweep_is_behind(client, sale, seats):
    placed = place(sale, seats[:1], owner="a")
    lapse(placed)

    sweeping.note()

    assert figure(client, "ticketing_expiry_lag_seconds") > 0
    assert figure(client, "ticketing_expiry_is_late") == 0


@pytest.mark.django_db
def test_a_process_that_was_killed_waits_no_more(tmp_path, settings):
    settings.METRICS_DIR = str(tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f"gauge_livesum_{gone.pid}.db"
    left.touch()
    mine = tmp_path / f"gauge_livesum_{os.getpid()}.db"
    mine.write_bytes(bytes(8))

    metrics.exposition()

    assert mine.exists()
    assert not left.exists()
