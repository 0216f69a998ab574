"""From the database's refusal to the name of the rule that was broken."""

from django.db import IntegrityError


def violated_by(error: IntegrityError) -> str | None:
    """Return the name of the constraint that the database says was broken."""
    diag = getattr(error.__cause__, "diag", None)
    return diag.constraint_name if diag else None
