"""Work behind the pages: a worker does it, beat asks for what is due.

The settings are those that DJANGO_SETTINGS_MODULE names: this is imported wherever Django runs, so
it may not choose any.
"""

from celery import Celery
from django.conf import settings
from kombu import Exchange, Queue

from ticketing import schedule

app = Celery("ticketing")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(lambda: settings.INSTALLED_APPS)
app.conf.beat_schedule = schedule.for_beat()
app.conf.task_routes = schedule.routes()
# A worker without `-Q` serves all of them; a large installation gives each its own.
app.conf.task_queues = [Queue(name, Exchange(name), routing_key=name) for name in schedule.QUEUES]
app.conf.task_default_queue = schedule.DEFAULT_QUEUE
