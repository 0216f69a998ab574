"""The doors that people and tests use: the pages and the control handles."""

import json

from ticketing.embedded.provider import (
    configuration,
    control,
    exchange,
    intents,
    pages,
    sessions,
)
from ticketing.embedded.provider.store import Store
from ticketing.embedded.provider.wire import Json, ProviderError


def answer(store: Store, request: exchange.Request) -> exchange.Response:
    _, area, identity, *_ = [*request.path.split("/"), "", ""]
    try:
        if area == "_control":
            return _control(store, request, identity)
        if area == "_checkout":
            return _checkout(store, request, sessions.current(store, identity))
        if area == "_3ds":
            return _authenticate(store, request, store.get("payment_intent", identity))
    except ProviderError as error:
        if area == "_control":
            return exchange.error_response(error)
    if not area:
        text = "The shop sends you here when it is time to pay."
        return exchange.html(200, pages.notice("A payment provider for tests", text))
    return exchange.html(404, pages.notice("Nothing here", "Go back to the shop and try again."))


def _checkout(store: Store, request: exchange.Request, session: Json) -> exchange.Response:
    if session["status"] == "complete" and request.method == "POST":
        # A second click joins the first.
        return exchange.redirect(sessions.success_address(session))
    if session["status"] != "open":
        return exchange.html(200, pages.ended(session))
    if request.method != "POST":
        return exchange.html(200, pages.checkout(session, problem=_last_problem(store, session)))
    form = request.form
    try:
        intent = sessions.pay(store, session, form.get("number") or form.get("card", ""))
    except ProviderError as error:
        return exchange.html(402, pages.checkout(session, problem=str(error)))
    action = intent["next_action"]
    return exchange.redirect(
        action["redirect_to_url"]["url"] if action else sessions.success_address(session)
    )


def _authenticate(store: Store, request: exchange.Request, intent: Json) -> exchange.Response:
    session = sessions.current(store, intent["_session"]) if intent["_session"] else None
    # The session may have ended just now, and the intent with it.
    intent = store.get("payment_intent", intent["id"])
    if intent["status"] == "requires_action" and request.method != "POST":
        return exchange.html(200, pages.authenticate(session, intent))
    try:
        proved = request.form.get("outcome") == "complete"
        sessions.authenticate(store, intent, proved=proved)
    except ProviderError:
        # The page it leads back to says why.
        pass
    if session is None:
        return exchange.redirect(intent["_return_url"] or "/")
    session = sessions.current(store, session["id"])
    if session["status"] == "complete":
        return exchange.redirect(sessions.success_address(session))
    return exchange.redirect(f"{configuration.read().base_url}/_checkout/{session['id']}")


def _control(store: Store, request: exchange.Request, name: str) -> exchange.Response:
    handle = control.HANDLES.get(name)
    # No web page that a developer happens to visit can send this without asking first.
    is_json = request.headers.get("content-type", "").startswith("application/json")
    if handle is None or request.method != "POST" or not is_json:
        return exchange.text(404, f"POST JSON to one of {sorted(control.HANDLES)}.")
    return exchange.json_response(200, handle(store, json.loads(request.body or b"{}")))


def _last_problem(store: Store, session: Json) -> str:
    if not session["payment_intent"]:
        return ""
    error = intents.last_error(store, session["payment_intent"])
    return str(error["message"]) if error else ""
