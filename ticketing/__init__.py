"""The wiring, the floor that all apps stand on, and what runs it all on one machine."""

# Whoever loads Django can send a task: Celery looks for the app here.
from ticketing.celery import app as celery_app

__all__ = ["celery_app"]
