"""Tables for spreadsheets, as CSV: what is text stays text, whatever it begins with."""

import csv
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TextIO

# Told at the start of the file, else some programs take UTF-8 for something older.
ENCODING = "utf-8-sig"
# A cell that begins with one of these would be read as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")

Cell = str | int | Decimal


def write(file: TextIO, rows: Iterable[Sequence[Cell]]) -> None:
    """Write these rows; open the file with `newline=""`, so that line breaks stay what they are."""
    writer = csv.writer(file)
    for row in rows:
        writer.writerow([_safe(cell) for cell in row])


def _safe(cell: Cell) -> Cell:
    # The apostrophe is how a spreadsheet itself marks a cell as text; figures may be negative.
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
