import csv
import io
from decimal import Decimal

import pytest

from ticketing.kernel import spreadsheets


def written(*rows):
    file = io.StringIO(newline="")
    spreadsheets.write(file, rows)
    return list(csv.reader(io.StringIO(file.getvalue(), newline="")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_text_that_looks_like_a_formula_is_text(start):
    [[cell]] = written([f'{start}cmd|" /C calc"!A0'])

    assert cell == f'\'{start}cmd|" /C calc"!A0'


def test_a_figure_may_be_negative():
    assert written([Decimal("-12.50"), -3]) == [["-12.50", "-3"]]


@pytest.mark.parametrize("text", ['the "Halle"', "two\nlines", "two\r\nlines", "a, b; c", "王小明"])
def test_quotes_commas_and_line_breaks_come_back_as_they_went(text):
    assert written([text, "next"], ["another row"]) == [[text, "next"], ["another row"]]
