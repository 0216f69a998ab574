import pytest

from tests.factories import opened_event

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.events.urls")]


def test_the_programme_shows_what_is_on_and_leads_to_it(client):
    event = opened_event(title="<Night> of & stars")

    page = client.get("/").content.decode()

    assert "&lt;Night&gt; of &amp; stars" in page
    assert f'href="/e/{event.slug}/"' in page
    assert "€25.00" in page
    assert "On sale" in page


def test_a_search_is_kept_in_the_field_and_in_the_links(client):
    opened_event(title="Jazz night")

    found = client.get("/", {"q": " jazz   night "})
    nothing = client.get("/", {"q": "polka", "page": "x" * 5000})

    assert found.context["q"] == "jazz night"
    assert found.context["query"] == "q=jazz+night&"
    assert "Nothing found for “polka”" in nothing.content.decode()


def test_nobody_posts_to_the_programme(client):
    assert client.post("/").status_code == 405
