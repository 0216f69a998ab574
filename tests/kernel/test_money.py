import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.kernel.money import (
    CURRENCIES,
    Money,
    UnknownCurrency,
    UnpayableAmount,
    currency,
    from_provider,
    to_provider,
)


@pytest.mark.parametrize(
    ("money", "shown", "sent"),
    [
        (Money(500, "EUR"), "€5.00", 500),
        (Money(500, "JPY"), "¥500", 500),
        (Money(35_200, "BHD"), "BHD\xa035.200", 35_200),
        (Money(500, "ISK"), "ISK\xa0500", 50_000),
        (Money(12_000, "HUF"), "HUF\xa0120.00", 12_000),
        (Money(1_234_567, "EUR"), "€12,345.67", 1_234_567),
        (Money(0, "EUR"), "€0.00", 0),
    ],
)
def test_an_amount_is_shown_and_sent_as_the_table_says(money, shown, sent):
    assert money.display() == shown
    assert to_provider(money) == sent


@given(st.integers(0, 10**9), st.sampled_from(sorted(CURRENCIES)))
def test_the_provider_gives_back_what_it_was_sent(minor, code):
    step = CURRENCIES[code].step
    money = Money(minor * step, code)

    assert from_provider(to_provider(money), code.lower()) == money


def test_an_amount_that_cannot_be_charged_exactly_is_refused():
    with pytest.raises(UnpayableAmount):
        to_provider(Money(1_251, "KWD"))


def test_currencies_are_never_mixed():
    with pytest.raises(ValueError, match="cannot mix EUR and JPY"):
        Money(1, "EUR") + Money(1, "JPY")


def test_an_unknown_currency_says_where_to_add_it():
    with pytest.raises(UnknownCurrency, match=r"kernel/money\.py"):
        currency("XXX")
