"""Money is an integer of minor units and a currency; this table is the only place with exponents.

`exponent` is how many decimals people write (Unicode CLDR's figure for cash amounts is not always
the one that shops use: ISK and HUF are priced in whole units). `provider_exponent` is how many the
payment provider counts in, and `step` what it wants amounts to be a multiple of, in its own units.
Source: Stripe, "Supported currencies", sections on zero-decimal, three-decimal and special cases.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from babel import Locale
from babel.numbers import format_currency, get_currency_symbol


@dataclass(frozen=True, slots=True)
class Currency:
    exponent: int
    provider_exponent: int
    step: int = 1


_two = """
    AED ARS AUD BGN BRL CAD CHF CNY COP CZK DKK EUR GBP HKD ILS INR KES MAD MXN MYR NGN NOK NZD PEN
    PHP PLN QAR RON SAR SEK SGD THB TRY UAH USD ZAR
"""
_zero = "CLP JPY KRW PYG VND XAF XOF"
_three = "BHD JOD KWD OMR TND"
CURRENCIES: dict[str, Currency] = {
    **dict.fromkeys(_two.split(), Currency(2, 2)),
    **dict.fromkeys(_zero.split(), Currency(0, 0)),
    **dict.fromkeys(_three.split(), Currency(3, 3, step=10)),
    # Written without decimals, charged in hundredths.
    "ISK": Currency(0, 2, step=100),
    "UGX": Currency(0, 2, step=100),
    # Payable only in whole units, though written and counted with decimals.
    "HUF": Currency(2, 2, step=100),
    "TWD": Currency(2, 2, step=100),
}


class UnknownCurrency(ValueError):
    def __init__(self, code: str) -> None:
        super().__init__(f"{code!r} is not a currency we can sell in: add it to kernel/money.py")


class UnpayableAmount(ValueError):
    """The provider cannot charge this amount exactly, so it may not become a price."""


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount in minor units: 12.50 EUR is Money(1250, "EUR")."""

    minor: int
    currency: str

    def __add__(self, other: "Money") -> "Money":
        return Money(self.minor + other.minor, self._same(other))

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.minor - other.minor, self._same(other))

    def __mul__(self, times: int) -> "Money":
        return Money(self.minor * times, self.currency)

    def _same(self, other: "Money") -> str:
        if self.currency != other.currency:
            raise ValueError(f"cannot mix {self.currency} and {other.currency}")
        return self.currency

    @property
    def decimal(self) -> Decimal:
        return Decimal(self.minor).scaleb(-currency(self.currency).exponent)

    def display(self, locale: str = "en") -> str:
        """As a person reads it, always with its currency: €12.50, ¥500, KWD 1.250."""
        places = currency(self.currency).exponent
        fraction = "." + "0" * places if places else ""
        pattern = re.sub(
            r"\.0+", fraction, Locale.parse(locale).currency_formats["standard"].pattern
        )
        # A code such as KWD does not cling to the figure as a sign does.
        if get_currency_symbol(self.currency, locale).isalpha():
            pattern = pattern.replace("¤#", "¤\xa0#")
        return format_currency(
            self.decimal, self.currency, pattern, locale=locale, currency_digits=False
        )

    def __str__(self) -> str:
        return self.display()


def from_decimal(amount: Decimal, code: str) -> Money:
    """What a person wrote, in minor units, or UnpayableAmount if it has too many decimals."""
    minor = amount.scaleb(currency(code).exponent)
    if minor != int(minor):
        raise UnpayableAmount(f"{amount} has more decimals than {code}")
    return Money(int(minor), code)


def currency(code: str) -> Currency:
    """The table's row for an ISO 4217 code, or UnknownCurrency."""
    try:
        return CURRENCIES[code]
    except KeyError as error:
        raise UnknownCurrency(code) from error


def to_provider(money: Money) -> int:
    """The integer that the payment provider is sent, or UnpayableAmount."""
    row = currency(money.currency)
    amount: int = money.minor * 10 ** (row.provider_exponent - row.exponent)
    if amount % row.step:
        raise UnpayableAmount(f"{money} is not a multiple of what can be charged")
    return amount


def from_provider(amount: int, code: str) -> Money:
    """The amount that the provider's integer means; inverse of `to_provider`."""
    row = currency(code.upper())
    return Money(amount // 10 ** (row.provider_exponent - row.exponent), code.upper())
