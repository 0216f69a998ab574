import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils.functional import SimpleLazyObject

from bookings import visitors
from bookings.visitors import COOKIE, VisitorMiddleware
from inventory.models import Hold
from inventory.services import joining
from tests.bookings.asking import ask
from tests.factories import UserFactory
from tests.inventory.asking import confirm, place
from tests.reading import said


def visit(view, cookie=None):
    request = RequestFactory().get("/")
    if cookie:
        request.COOKIES[COOKIE] = cookie
    return VisitorMiddleware(view)(request)


def hold(request):
    """What a door does when it has given somebody a hold."""
    fan = visitors.of(request)
    owner = fan.owner
    fan.keep()
    return HttpResponse(owner)


def test_a_page_that_needs_no_name_gives_no_cookie():
    response = visit(lambda request: HttpResponse(str(visitors.of(request).owner_if_known)))

    assert response.content == b"None"
    assert COOKIE not in response.cookies


def test_a_fan_who_got_nothing_gets_no_cookie():
    response = visit(lambda request: HttpResponse(visitors.of(request).owner))

    assert response.content.startswith(b"visitor:")
    assert COOKIE not in response.cookies


def test_a_fan_keeps_his_name():
    first = visit(hold)

    again = visit(hold, first.cookies[COOKIE].value)

    assert again.content == first.content
    assert COOKIE not in again.cookies


@pytest.mark.parametrize("cookie", ["nonsense", "6a1f:x:y", ""])
def test_a_name_that_we_did_not_sign_is_no_name(cookie):
    assert COOKIE in visit(hold, cookie).cookies


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites():
    cookie = visit(hold).cookies[COOKIE]

    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


PASSWORD = "a very long password"


@pytest.fixture
def user(db):
    user = UserFactory.create(is_staff=True)
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def held(client, event, seats):
    """The address of "your seats" of a browser that is logged in nowhere."""
    return ask(client, event, seats[:2])["Location"]


def log_in(client, user):
    response = client.post("/admin/login/", {"username": user.email, "password": PASSWORD})
    assert response.status_code == 302


def account(user):
    return f"account:{user.pk}"


def test_who_is_logged_in_holds_as_his_account_and_needs_no_cookie(client, event, seats, user):
    client.force_login(user)

    response = ask(client, event, seats[:2])

    assert Hold.objects.get().owner == account(user)
    assert COOKIE not in response.cookies
    assert client.get(response["Location"]).status_code == 200


def test_a_login_takes_the_seats_along(client, user, held):
    visitor = Hold.objects.get().owner

    log_in(client, user)

    hold = Hold.objects.get()
    assert (hold.owner, hold.creator) == (account(user), visitor)
    assert "Row A, seat 1" in said(client.get(held))


def test_the_form_that_was_sent_before_the_login_leads_to_the_same_seats(
    client, event, seats, user, held
):
    log_in(client, user)

    assert ask(client, event, seats[:2])["Location"] == held
    assert Hold.objects.count() == 1


def test_seats_that_no_login_took_along_are_still_the_fans(client, event, seats, user, held):
    client.force_login(user)

    assert Hold.objects.get().owner.startswith("visitor:")
    assert client.get(held).status_code == 200
    assert "You hold 2 places until" in said(client.get(f"/events/{event.slug}/"))
    assert ask(client, event, seats[:2])["Location"] == held
    assert ask(client, event, seats[4:5])["Location"] == held
    assert client.post(f"{held}release/").status_code == 302


def test_after_a_logout_the_browser_knows_nothing_of_the_account(client, event, seats, user, held):
    log_in(client, user)

    client.post("/admin/logout/")

    assert client.get(held).status_code == 404
    assert "You hold" not in said(client.get(f"/events/{event.slug}/"))
    assert ask(client, event, seats[4:5]).status_code == 302
    assert Hold.objects.latest("pk").owner == Hold.objects.earliest("pk").creator


def test_the_same_account_finds_its_seats_in_another_browser(client, user, held):
    log_in(client, user)
    phone = Client()
    phone.force_login(user)

    assert phone.get(held).status_code == 200


def test_a_login_never_fails_because_of_seats(client, user, held, monkeypatch):
    def fail(**_names):
        raise DatabaseError

    monkeypatch.setattr(joining, "join", fail)

    log_in(client, user)

    assert client.get(held).status_code == 200


def test_a_browser_without_a_session_is_looked_up_nowhere():
    request = RequestFactory().get("/")
    vars(request)["user"] = SimpleLazyObject(lambda: pytest.fail("asked who this is"))

    VisitorMiddleware(hold)(request)

    assert visitors.of(request).names == [visitors.of(request).owner]


def test_who_has_a_session_but_no_account_is_a_visitor(settings):
    request = RequestFactory().get("/")
    request.COOKIES[settings.SESSION_COOKIE_NAME] = "something"
    request.user = AnonymousUser()

    VisitorMiddleware(hold)(request)

    assert visitors.of(request).owner.startswith("visitor:")


def test_a_hold_under_an_older_name_counts_with_what_the_account_has(
    client, seats, sale, user, held
):
    confirm(place(sale, seats[3:10], owner=account(user)))
    client.force_login(user)

    answer = client.post(f"{held}change/", {"seats": seats[:3], "section": "stalls"})

    assert answer.status_code == 409
    assert "You chose 3; choose 1 or fewer" in said(answer)
