"""The fonts tickets are set in, and what to do with characters that none of them can draw.

The fonts come from wheels and never from the system: a ticket looks the same on every machine.
"""

import struct
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

PACKAGES = ("manimgx_fonts", "manimgx_fonts_cjk")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# They draw nothing, but tell neighbours how to join: Persian, Indic scripts and emoji need them.
_JOINERS = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}")
_BY_RANGES, _BY_GROUPS = 4, 12


@cache
def folders() -> tuple[Path, ...]:
    """Where the fonts are."""
    specs = [find_spec(package) for package in PACKAGES]
    return tuple(Path(spec.origin).parent for spec in specs if spec and spec.origin)


def printable(text: str) -> str:
    """One line that our fonts can draw: what they cannot becomes a replacement character.

    Controls vanish, those that reorder text among them: a name must not rearrange a ticket.
    """
    line = " ".join(unicodedata.normalize("NFC", text).split())
    return "".join(
        character if character in _JOINERS or ord(character) in drawable() else REPLACEMENT
        for character in line
        if character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf")
    )


@cache
def drawable() -> frozenset[int]:
    """Every code point that at least one of the fonts has a glyph for."""
    points: set[int] = set()
    for folder in folders():
        for path in sorted([*folder.glob("*.ttf"), *folder.glob("*.ttc")]):
            with path.open("rb") as font:
                points |= _code_points(font)
    return frozenset(points)


def _code_points(font: BinaryIO) -> set[int]:
    """What the font's `cmap` table maps; the first font of a collection speaks for all."""
    start = _read(font, 12, ">I")[0] if _read(font, 0, ">4s")[0] == b"ttcf" else 0
    (tables,) = _read(font, start + 4, ">H")
    records = (_read(font, start + 12 + 16 * index, ">4sIII") for index in range(tables))
    cmap = next(offset for tag, _, offset, _ in records if tag == b"cmap")
    (encodings,) = _read(font, cmap + 2, ">H")
    points: set[int] = set()
    for index in range(encodings):
        at = cmap + _read(font, cmap + 4 + 8 * index, ">HHI")[2]
        (form,) = _read(font, at, ">H")
        if form == _BY_GROUPS:
            (groups,) = _read(font, at + 12, ">I")
            bounds = _read(font, at + 16, f">{3 * groups}I")
            ranges = zip(bounds[::3], bounds[1::3], strict=True)
        elif form == _BY_RANGES:
            count = _read(font, at + 6, ">H")[0] // 2
            last = _read(font, at + 14, f">{count}H")
            ranges = zip(_read(font, at + 16 + 2 * count, f">{count}H"), last, strict=True)
        else:
            continue
        for first, final in ranges:
            points.update(range(first, final + 1))
    # Format 4 ends with a range that stands for "no character".
    return points - {0xFFFF}


def _read(font: BinaryIO, offset: int, form: str) -> tuple[Any, ...]:
    font.seek(offset)
    return struct.unpack(form, font.read(struct.calcsize(form)))
