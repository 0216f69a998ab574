"""What a partner's program sends, and how it reads a refusal."""


def problem(response):
    """The name of the kind of problem, once the answer is seen to be one."""
    assert response["Content-Type"] == "application/problem+json"
    said = response.json()
    assert said["status"] == response.status_code
    assert said["title"]
    return said["type"].removeprefix("/problems/")
