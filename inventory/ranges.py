"""Seats chosen in words, and named in words: "Parkett; 3; 5-12, 14". Pure.

A line is a section, or a section and rows, or a section, a row and seats, apart by semicolons; or
one seat, as a fan reads it ("Parkett, Row 3, seat 5") or by its id ("#1234").
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from venues import naming

DASH = re.compile(r"\s*[-\u2010-\u2015]\s*")
# As many parts as a list of seats names before it only counts the rest.
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Seat:
    id: int
    number: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of an event's seats, from left to right."""

    label: str
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    slug: str
    rows: tuple[Row, ...]

    @property
    def ids(self) -> list[int]:
        return [seat.id for row in self.rows for seat in row.seats]


@dataclass(frozen=True)
class Hall:
    """The seats of one event, in the order of the hall."""

    sections: tuple[Section, ...]

    @cached_property
    def places(self) -> dict[int, tuple[Section, Row, Seat]]:
        """Where each seat is, by its id."""
        return {
            seat.id: (section, row, seat)
            for section in self.sections
            for row in section.rows
            for seat in row.seats
        }

    @cached_property
    def names(self) -> dict[str, int]:
        """The id of each seat, by what a fan reads, and by #id."""
        names = {
            _folded(naming.place_name(section.name, row.label, seat.number)): seat.id
            for section, row, seat in self.places.values()
        }
        return names | {f"#{seat_id}": seat_id for seat_id in self.places}


class Unclear(Exception):
    """Some lines name no seats of this hall; each problem says which line, and what would do."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read(text: str, hall: Hall) -> list[int]:
    """The seats that these lines name, once each, in the order of the hall. Raises Unclear."""
    found: set[int] = set()
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.update(_line(line.strip(), hall))
        except Unclear as unclear:
            problems += [
                _("Line %(number)d, “%(line)s”: %(problem)s")
                % {"number": number, "line": line.strip(), "problem": problem}
                for problem in unclear.problems
            ]
    if problems:
        raise Unclear(problems)
    return [seat_id for seat_id in hall.places if seat_id in found]


def read_one(text: str, hall: Hall) -> int:
    """The one seat that is named; its id may stand alone. Raises Unclear."""
    text = text.strip()
    found = read(f"#{text}" if text.isdecimal() else text, hall)
    if len(found) != 1:
        raise Unclear(
            [
                _("“%(text)s” names %(n)d seats: name one, such as “%(example)s”.")
                % {"text": text, "n": len(found), "example": example(hall)}
            ]
        )
    return found[0]


def spell(seat_ids: Collection[int], hall: Hall, *, most: int = MOST_NAMED) -> str:
    """These seats as a fan names them, neighbours in one word, and only so many parts of them."""
    wanted = set(seat_ids)
    parts = [part for section in hall.sections for part in _spell_section(section, wanted)]
    if len(parts) > most:
        more = len(parts) - most
        parts = [
            *parts[:most],
            ngettext("and seats of %(n)d more row", "and seats of %(n)d more rows", more)
            % {"n": more},
        ]
    return "; ".join(parts)


def example(hall: Hall) -> str:
    """A line that names a seat of this hall."""
    for section in hall.sections:
        for row in section.rows:
            return f"{section.name}; {row.label}; {row.seats[0].number}"
    return "Stalls; 3; 5"


def _line(line: str, hall: Hall) -> list[int]:
    match [part.strip() for part in line.rstrip("; ").split(";")]:
        case [name] if _folded(name) in hall.names:
            return [hall.names[_folded(name)]]
        case [name] if name.startswith("#"):
            raise _unclear(_("no seat of this event has that id."))
        case [name]:
            return _section(name, hall).ids
        case [name, rows]:
            return [seat.id for row in _rows(rows, _section(name, hall)) for seat in row.seats]
        case [name, row, seats]:
            section = _section(name, hall)
            return [seat.id for seat in _seats(seats, _row(row, section), section)]
    raise _unclear(_("expected a section, a row and seats, such as “%s”.") % example(hall))


def _section(name: str, hall: Hall) -> Section:
    wanted = _folded(name)
    found = [each for each in hall.sections if wanted in {_folded(each.name), each.slug}]
    if len(found) > 1:
        # Two may share a name; what stands in addresses they never share.
        found = [each for each in found if each.slug == wanted]
    if len(found) == 1:
        return found[0]
    names = [each.name for each in hall.sections]
    alike = [each.slug for each in hall.sections if _folded(each.name) == wanted]
    if alike:
        raise _unclear(_("several sections are called so: say %s.") % _listed(alike, _("or")))
    raise _unclear(
        _("there is no section “%(name)s” with seats: sections are %(names)s.")
        % {"name": name, "names": _listed(names)}
    )


def _rows(text: str, section: Section) -> list[Row]:
    """Rows by name, or from one to another in the order of the hall."""
    labels = [row.label for row in section.rows]
    found: list[Row] = []
    for part in _parts(text, {_folded(label) for label in labels}):
        if len(part) == 1:
            found.append(_row(part[0], section))
            continue
        first, last = (section.rows.index(_row(name, section)) for name in part)
        if first > last:
            raise _backwards(part)
        found += section.rows[first : last + 1]
    return found


def _row(name: str, section: Section) -> Row:
    wanted = _folded(name)
    for row in section.rows:
        if wanted in {_folded(row.label), _folded(naming.row_name(row.label))}:
            return row
    labels = [row.label for row in section.rows]
    raise _unclear(
        _("%(row)s does not exist in %(section)s: rows are %(labels)s.")
        % {
            "row": naming.row_name(name),
            "section": section.name,
            "labels": _ranged(labels),
        }
    )


def _seats(text: str, row: Row, section: Section) -> list[Seat]:
    by_number = {_folded(seat.number): seat for seat in row.seats}
    found: list[Seat] = []
    for part in _parts(text, by_number.keys()):
        ends = [by_number.get(_folded(name)) for name in part]
        for name, seat in zip(part, ends, strict=True):
            if seat is None:
                raise _no_seat(name, row, section)
        known = [seat for seat in ends if seat]
        found += known if len(known) == 1 else _between(known[0], known[1], row)
    return found


def _between(first: Seat, last: Seat, row: Row) -> list[Seat]:
    """From a number to a higher one, whatever the order along the row; other names by place."""
    if first.number.isdecimal() and last.number.isdecimal():
        low, high = int(first.number), int(last.number)
        if low > high:
            raise _backwards([first.number, last.number])
        return [s for s in row.seats if s.number.isdecimal() and low <= int(s.number) <= high]
    one, other = sorted((row.seats.index(first), row.seats.index(last)))
    return list(row.seats[one : other + 1])


def _parts(text: str, known: Collection[str]) -> Iterator[list[str]]:
    """What stands between commas: a name, or the two ends of a range."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        match [part] if _folded(part) in known else DASH.split(part):
            case [one]:
                yield [one]
            case [first, last] if first and last:
                yield [first, last]
            case _:
                raise _unclear(_("“%s” is no range: write 5-12.") % part)


def _spell_section(section: Section, wanted: set[int]) -> Iterator[str]:
    ids = section.ids
    count = sum(seat_id in wanted for seat_id in ids)
    if count == len(ids) > 1 and len(section.rows) > 1:
        yield _("%(section)s, all %(n)d seats") % {"section": section.name, "n": count}
        return
    for row in section.rows if count else ():
        runs = _runs(row, wanted)
        if len(runs) == 1 and len(runs[0]) == 1:
            yield naming.place_name(section.name, row.label, runs[0][0])
        elif runs:
            yield _("%(section)s, %(row)s, seats %(seats)s") % {
                "section": section.name,
                "row": naming.row_name(row.label),
                "seats": ", ".join(_run(run) for run in runs),
            }


def _runs(row: Row, wanted: set[int]) -> list[list[str]]:
    """What `_between` takes together: numbers that count up, or other names side by side."""
    chosen = [seat.number for seat in row.seats if seat.id in wanted]
    if all(number.isdecimal() for number in chosen):
        return _counting_up(sorted(chosen, key=int))
    return [
        [seat.number for seat in group]
        for is_wanted, group in groupby(row.seats, key=lambda seat: seat.id in wanted)
        if is_wanted
    ]


def _run(numbers: Sequence[str]) -> str:
    return numbers[0] if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"  # noqa: RUF001


def _no_seat(name: str, row: Row, section: Section) -> Unclear:
    return _unclear(
        _("seat %(seat)s does not exist in %(section)s, %(row)s: seats are %(numbers)s.")
        % {
            "seat": name,
            "section": section.name,
            "row": naming.row_name(row.label),
            "numbers": _ranged([seat.number for seat in row.seats]),
        }
    )


def _backwards(ends: Sequence[str]) -> Unclear:
    return _unclear(_("“%(from)s-%(to)s” runs backwards.") % {"from": ends[0], "to": ends[1]})


def _unclear(problem: str) -> Unclear:
    return Unclear([problem])


def _ranged(names: Sequence[str]) -> str:
    """The names, those that count up by one together: 1 to 30."""
    runs = _counting_up(names)
    to = _("%(first)s to %(last)s")
    return _listed(
        [run[0] if len(run) == 1 else to % {"first": run[0], "last": run[-1]} for run in runs]
    )


def _counting_up(names: Iterable[str]) -> list[list[str]]:
    runs: list[list[str]] = []
    for name in names:
        if runs and _are_next(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return runs


def _are_next(one: str, other: str) -> bool:
    return one.isdecimal() and other.isdecimal() and abs(int(one) - int(other)) == 1


def _listed(names: Iterable[str], word: str = "") -> str:
    """At most so many names that they can be read."""
    named = list(names)
    if len(named) > MOST_NAMED:
        named = [*named[: MOST_NAMED - 1], "…", named[-1]]
    word = word or _("and")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} {word} {named[-1]}"


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
