"""What a partner's program sends, and how it reads a refusal."""


def problem(response):
    """The name of the kind of problem, once the answer is seen to be one."""
    assert response["Content-Type"] == "application/problem+json"
    said = response.json()
    assert said["status"] == response.status_code
    assert said["title"]
    return said["type"].removeprefix("/problems/")


def ask(client, event, seats=(), *, key="key", **more):
    """Ask to hold these seats, each a number or all that is said of it."""
    return client.post(
        f"/api/v1/events/{event.slug}/holds/",
        _body(seats) | more,
        content_type="application/json",
        headers={"idempotency-key": key},
    )


def change(client, address, seats=(), **more):
    """Let the hold have exactly these seats."""
    return client.put(address, _body(seats) | more, content_type="application/json")


def seats_of(response):
    """The seats of the hold in this answer."""
    return {line["seat"] for line in response.json()["lines"]}


def _body(seats):
    said = [{"id": seat} if isinstance(seat, int) else seat for seat in seats]
    return {"seats": said} if said else {}
