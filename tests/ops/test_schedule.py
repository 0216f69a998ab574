import pytest

from ticketing import schedule
from ticketing.celery import app


@pytest.fixture(scope="module")
def queues():
    """The queue that each of our tasks waits on, by the task's name."""
    app.loader.import_default_modules()
    names = [name for name in app.tasks if not name.startswith("celery.")]
    return {name: app.amqp.router.route({}, name)["queue"].name for name in names}


@pytest.mark.parametrize("entry", schedule.ENTRIES.values(), ids=schedule.ENTRIES)
def test_what_is_due_is_a_task_of_ours_and_waits_on_its_queue(entry, queues):
    assert queues[entry.task] == entry.queue


def test_no_task_waits_where_no_worker_looks(queues):
    assert set(queues.values()) <= {queue.name for queue in app.conf.task_queues}


def test_a_message_lies_on_one_queue_only():
    bindings = [(queue.exchange.name, queue.routing_key) for queue in app.conf.task_queues]

    assert len(set(bindings)) == len(bindings)


def test_a_handler_does_not_wait_behind_the_sweepers(queues):
    assert queues["kernel.run_handlers"] == schedule.DEFAULT_QUEUE


@pytest.mark.parametrize("entry", schedule.for_beat().values(), ids=schedule.for_beat())
def test_what_nobody_did_in_time_is_forgotten(entry):
    assert entry["options"]["expires"] == entry["schedule"].total_seconds()
