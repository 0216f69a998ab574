import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from bookings import visitors
from bookings.visitors import COOKIE, VisitorMiddleware


def visit(view, cookie=None):
    request = RequestFactory().get("/")
    if cookie:
        request.COOKIES[COOKIE] = cookie
    return VisitorMiddleware(view)(request)


def name(request):
    return HttpResponse(visitors.of(request).owner)


def test_a_page_that_needs_no_name_gives_no_cookie():
    response = visit(lambda request: HttpResponse(str(visitors.of(request).owner_if_known)))

    assert response.content == b"None"
    assert COOKIE not in response.cookies


def test_a_fan_keeps_his_name():
    first = visit(name)

    again = visit(name, first.cookies[COOKIE].value)

    assert again.content == first.content
    assert COOKIE not in again.cookies


@pytest.mark.parametrize("cookie", ["nonsense", "6a1f:x:y", ""])
def test_a_name_that_we_did_not_sign_is_no_name(cookie):
    assert COOKIE in visit(name, cookie).cookies


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites():
    cookie = visit(name).cookies[COOKIE]

    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
