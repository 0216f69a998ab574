from django.db import models
from django.db.models import F, Q
from django.utils import timezone


class OutboxMessage(models.Model):
    """A fact that became true in the transaction that wrote this row."""

    topic = models.CharField(max_length=80)
    # Names what the fact is about; the same topic and key are one fact, however often published.
    key = models.CharField(max_length=80)
    payload = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)
    # Nobody may claim the row before this: a claim is a lease, and so is a pause after an error.
    available_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    dead_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "key"], name="kernel_fact_is_told_once"),
            models.CheckConstraint(
                name="kernel_fact_is_not_both_done_and_dead",
                condition=Q(done_at=None) | Q(dead_at=None),
            ),
        ]
        indexes = [
            models.Index(
                F("available_at"),
                condition=Q(done_at=None, dead_at=None),
                name="kernel_outbox_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.key}"


class Delivery(models.Model):
    """One handler is done with one fact; written in the handler's own transaction."""

    message = models.ForeignKey(OutboxMessage, models.CASCADE, related_name="deliveries")
    handler = models.CharField(max_length=120)
    done_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["message", "handler"], name="kernel_handler_is_done_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.handler}: {self.message_id}"
