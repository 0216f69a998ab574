"""The provider's own pages: pay, authenticate, and kind words when there is nothing left to pay.

They are forms and links only, so they work without JavaScript; all they need is in the page.
"""

from html import escape

from ticketing.embedded.provider import cards, sessions
from ticketing.embedded.provider.wire import Json
from ticketing.kernel import money

CHOICES = (
    (cards.GOOD, "Pays at once", "Like a good Visa card"),
    (cards.SECURE, "Needs 3-D Secure", "The bank asks who you are first"),
    (cards.DECLINED, "Is declined", "The bank says no"),
    (cards.NO_FUNDS, "Has insufficient funds", "The bank says there is not enough money"),
)
STYLE = """
:root { color-scheme: light dark; --ink: #1a1f36; --soft: #545b75; --line: #d5d9e5;
  --paper: #fff; --ground: #f3f4f8; --act: #3b3fd1; --on-act: #fff; --bad: #b3261e;
  --note: #fff4d6; --note-ink: #574100; }
@media (prefers-color-scheme: dark) { :root { --ink: #eef0fa; --soft: #b3b9d1; --line: #3d435c;
  --paper: #1d2133; --ground: #121522; --act: #9aa0ff; --on-act: #12152f; --bad: #ffb4ab;
  --note: #453a17; --note-ink: #ffe9b0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.banner { background: var(--note); color: var(--note-ink); padding: .75rem 1rem;
  text-align: center; font-weight: 600; }
main { max-width: 28rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 14px;
  padding: 1.25rem; }
h1 { font-size: 1rem; font-weight: 500; color: var(--soft); margin: 0; }
.amount { font-size: 2.25rem; font-weight: 700; line-height: 1.2; margin: .1rem 0 .5rem;
  font-variant-numeric: tabular-nums; }
.for { margin: 0 0 1.25rem; padding: 0; list-style: none; color: var(--soft);
  overflow-wrap: anywhere; }
fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
legend { font-weight: 600; padding: 0; margin-bottom: .5rem; }
.choice { display: flex; gap: .75rem; align-items: flex-start; padding: .7rem .8rem;
  min-height: 3rem; border: 1px solid var(--line); border-radius: 10px; margin-bottom: .5rem;
  cursor: pointer; }
.choice:has(:checked) { border-color: var(--act); box-shadow: inset 0 0 0 1px var(--act); }
.choice input { width: 1.2rem; height: 1.2rem; margin: .15rem 0 0; accent-color: var(--act);
  flex: none; }
.choice b { display: block; font-weight: 600; }
.choice span span { color: var(--soft); font-size: .9rem; }
code { font: .9rem ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
.number { display: block; margin-bottom: 1rem; font-size: .95rem; }
.number input { display: block; width: 100%; margin-top: .25rem; padding: .7rem .8rem;
  font: 1rem ui-monospace, Menlo, Consolas, monospace; color: inherit; background: var(--ground);
  border: 1px solid var(--line); border-radius: 10px; }
button, .button { display: block; width: 100%; min-height: 3rem; padding: .75rem 1rem; border: 0;
  border-radius: 10px; background: var(--act); color: var(--on-act); text-align: center;
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; margin-top: .5rem; }
.quiet { background: none; color: var(--ink); border: 1px solid var(--line); }
a { color: var(--act); }
.back { display: block; text-align: center; margin-top: 1rem; padding: .6rem; }
.error { border-left: 4px solid var(--bad); color: var(--bad); padding: .4rem .8rem;
  margin: 0 0 1rem; font-weight: 600; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
"""


def checkout(session: Json, *, problem: str = "") -> str:
    """Pay for an open session, with the reason why the last card was not taken."""
    amount = _amount(session)
    choices = "".join(
        f'<label class="choice"><input type="radio" name="card" value="{card.number}"'
        f"{' checked' if card is cards.GOOD else ''}>"
        f"<span><b>{title}</b><span><code>{_spaced(card.number)}</code><br>{why}</span></span>"
        "</label>"
        for card, title, why in CHOICES
    )
    error = f'<p class="error" role="alert">{escape(problem)}</p>' if problem else ""
    back = session["cancel_url"]
    leave = f'<a class="back" href="{escape(back)}">Cancel and go back</a>' if back else ""
    return _page(
        f"Pay {amount}",
        f"""
<h1>You pay</h1><p class="amount">{amount}</p>{_names(session)}{error}
<form method="post">
<fieldset><legend>Choose a test card</legend>{choices}</fieldset>
<label class="number">Or type the number of another test card
<input name="number" inputmode="numeric" autocomplete="off" maxlength="23"></label>
<button>Pay {amount}</button>
</form>{leave}""",
    )


def authenticate(session: Json | None, intent: Json) -> str:
    """Stand in for the bank's page of 3-D Secure."""
    amount = _amount({"amount_total": intent["amount"], "currency": intent["currency"]})
    return _page(
        "Confirm it is you",
        f"""
<h1>Your test bank asks: is it you?</h1><p class="amount">{amount}</p>
{_names(session) if session else ""}
<form method="post">
<button name="outcome" value="complete">Complete authentication</button>
<button name="outcome" value="fail" class="quiet">Fail authentication</button>
</form>""",
    )


def ended(session: Json) -> str:
    """There is nothing to pay any more, and where to go instead."""
    if session["status"] == "complete":
        return notice(
            "This is paid already",
            "You have nothing more to do here.",
            link=(sessions.success_address(session), "Go back to your tickets"),
        )
    return notice(
        "The time to pay is over",
        "No money was taken. If you still want to come, start again with your seats.",
        link=(session["cancel_url"], "Go back") if session["cancel_url"] else None,
    )


def notice(title: str, text: str, *, link: tuple[str, str] | None = None) -> str:
    action = f'<a class="button" href="{escape(link[0])}">{link[1]}</a>' if link else ""
    return _page(
        title, f'<p class="amount" style="font-size:1.5rem">{title}</p><p>{text}</p>{action}'
    )


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} – test payment</title><style>{STYLE}</style></head><body>"  # noqa: RUF001
        '<p class="banner" style="margin:0">Local test payment – no money moves</p>'  # noqa: RUF001
        f'<main><div class="card">{body}</div></main></body></html>'
    )


def _amount(session: Json) -> str:
    return escape(str(money.from_provider(session["amount_total"], session["currency"])))


def _names(session: Json) -> str:
    lines = "".join(f"<li>{escape(name)}</li>" for name in session["_names"])
    return f'<ul class="for">{lines}</ul>'


def _spaced(number: str) -> str:
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4))
