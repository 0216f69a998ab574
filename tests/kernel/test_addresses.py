import pytest
from django.test import RequestFactory

from ticketing.kernel import addresses


def network(forwarded="", remote="192.0.2.1"):
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return addresses.network(RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote))


def test_without_a_proxy_nobody_is_believed_about_his_address(settings):
    settings.PROXY_COUNT = 0

    assert network("198.51.100.7") == "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "said"),
    [
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7, 10.0.0.1", "198.51.100.7"),
        (2, "198.51.100.7", "192.0.2.1"),
        (1, "nonsense", "unknown"),
    ],
)
def test_what_our_own_proxies_wrote_is_believed_and_nothing_before(
    settings, proxies, forwarded, said
):
    settings.PROXY_COUNT = proxies

    assert network(forwarded) == said


def test_the_many_addresses_of_one_house_are_one_network():
    assert network(remote="2001:db8:1:2::3") == network(remote="2001:db8:1:2:ffff::9")
    assert network(remote="2001:db8:1:2::3") != network(remote="2001:db8:1:3::3")
