"""What a fan's browser sends."""

BUYER = {"email": "ada@example.org", "name": "Ada", "accept_terms": "on"}


def ask(client, event, seats=(), **more):
    """Send the form of a section's page with these seats ticked."""
    form = {"seats": list(seats), "section": "stalls", "idempotency_key": "form"} | more
    return client.post(f"/events/{event.slug}/hold/", form)
