"""The wire: form bodies in, JSON out, errors in the provider's shape."""

import re
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

API_VERSION = "2026-10-28.endive"
Json = dict[str, Any]


class ProviderError(Exception):
    """An answer that is not 200; what was changed before it stays changed, as with the real one."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        known = {name: value for name, value in details.items() if value is not None}
        self.body: Json = {"error": {"type": kind, "message": message, **known}}


@dataclass(frozen=True, slots=True)
class Call:
    """One API request, decoded."""

    path: str
    params: Json
    ids: tuple[str, ...] = field(default=())

    @property
    def id(self) -> str:
        return self.ids[0]


def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(12)


def now() -> int:
    return int(time.time())


def decode(raw: str) -> Json:
    """Turn `a[b][0]=x` into {"a": {"b": ["x"]}}."""
    tree: Json = {}
    for name, value in parse_qsl(raw, keep_blank_values=True):
        head, *rest = [name.split("[")[0], *re.findall(r"\[([^\]]*)\]", name)]
        node, key = tree, head
        for step in rest:
            child = node.setdefault(key, {})
            if not isinstance(child, dict):
                raise ProviderError(400, f"Invalid parameter: {name}", param=name)
            # `a[]=x&a[]=y` is a list without written indexes.
            node, key = child, step or str(len(child))
        node[key] = value
    return {key: _lists(value) for key, value in tree.items()}


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(key.isdigit() for key in node):
        return [_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _lists(value) for key, value in node.items()}


def public(value: Any) -> Any:
    """The object without what only this provider needs to know."""
    if isinstance(value, dict):
        return {k: public(v) for k, v in value.items() if not k.startswith("_")}
    if isinstance(value, list):
        return [public(v) for v in value]
    return value


def text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise ProviderError(
            400, f"Missing required param: {name}.", code="parameter_missing", param=name
        )
    return value


def integer(params: Json, name: str, *, least: int = 1) -> int:
    try:
        value = int(text(params, name))
    except ValueError:
        raise ProviderError(
            400, f"Invalid integer: {params[name]}", code="parameter_invalid_integer", param=name
        ) from None
    if value < least:
        raise ProviderError(
            400,
            f"This value must be greater than or equal to {least}.",
            code="parameter_invalid_integer",
            param=name,
        )
    return value


def flag(params: Json, name: str) -> bool:
    return str(params.get(name, "")).lower() == "true"


def mapping(params: Json, name: str) -> Json:
    value = params.get(name)
    return value if isinstance(value, dict) else {}
