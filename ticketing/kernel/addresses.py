"""Where a request comes from, as far as that can be known."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


def network(request: HttpRequest) -> str:
    """The network that a request comes from: one IPv4 address, or the /64 of an IPv6 one.

    What stands before our own proxies' entries in X-Forwarded-For, anybody can have written.
    """
    said = request.META.get("REMOTE_ADDR", "")
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    if 0 < settings.PROXY_COUNT <= len(hops):
        said = hops[-settings.PROXY_COUNT].strip()
    try:
        address = ip_address(said)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)
