"""Lists with cursors, and the search by metadata."""

import re
from dataclasses import replace
from typing import Any

from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Call, Json, ProviderError, mapping

OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
MOST = 100


def page(store: Store, kind: str, call: Call, *, by: tuple[str, ...] = ()) -> Json:
    """Answer a list request; `by` names the fields that it may filter by."""
    limit = _limit(call.params)
    found = store.newest(
        kind,
        where={name: call.params[name] for name in by if call.params.get(name)},
        created={
            OPERATORS[name]: int(value)
            for name, value in mapping(call.params, "created").items()
            if name in OPERATORS
        },
        after=call.params.get("starting_after"),
        before=call.params.get("ending_before"),
        limit=limit + 1,
    )
    return listing(found[:limit], call.path, has_more=len(found) > limit)


def listing(data: list[Json], url: str, *, has_more: bool) -> Json:
    return {"object": "list", "url": url, "has_more": has_more, "data": data}


def search(store: Store, kind: str, call: Call) -> Json:
    """Find by `metadata['name']:'value'` and `status:'value'`, joined by AND."""
    query = str(call.params.get("query", ""))
    where: dict[str, Any] = {
        f'metadata."{name}"': value
        for name, value in re.findall(r"metadata\[['\"]([\w-]+)['\"]\]:['\"]([^'\"]*)['\"]", query)
    }
    where |= dict(re.findall(r"\b(status|currency):['\"](\w+)['\"]", query))
    if not where:
        raise ProviderError(400, f"We could not understand the query: {query}", param="query")
    found = store.newest(kind, where=where, limit=_limit(call.params) + 1)
    limit = _limit(call.params)
    return {
        "object": "search_result",
        "url": call.path,
        "has_more": len(found) > limit,
        "next_page": None,
        "data": found[:limit],
    }


def expand(store: Store, thing: Any, path: list[str]) -> Any:
    """Put the object in the place of its id, along a path such as payment_intent.latest_charge."""
    if isinstance(thing, list):
        return [expand(store, item, path) for item in thing]
    if not path or not isinstance(thing, dict):
        return thing
    head, *rest = path
    if thing.get("object") == "charge" and head == "refunds":
        return {**thing, head: refunds_of(store, Call(f"/v1/charges/{thing['id']}/refunds", {}))}
    value = thing.get(head)
    if isinstance(value, str):
        value = store.find(value) or value
    return {**thing, head: expand(store, value, rest)}


def refunds_of(store: Store, call: Call) -> Json:
    """The refunds of the charge that the path names, newest first."""
    charge = call.path.split("/")[-2]
    return page(
        store, "refund", replace(call, params={**call.params, "charge": charge}), by=("charge",)
    )


def _limit(params: Json) -> int:
    limit = str(params.get("limit", 10))
    if not limit.isdigit() or not 1 <= int(limit) <= MOST:
        raise ProviderError(400, f"limit must be between 1 and {MOST}", param="limit")
    return int(limit)
