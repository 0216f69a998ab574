"""What people call a place: "Row C, seat 12", and "Table 4, seat 2" where rows have names. Pure."""

from django.utils.translation import gettext as _

# "C", "12" and "AA" need the word; "Table 4" and "Loge" are words themselves.
LONGEST_BARE_LABEL = 3


def row_name(label: str) -> str:
    """Row C, or Table 4."""
    if len(label) > LONGEST_BARE_LABEL:
        return label
    return _("Row %(row)s") % {"row": label}


def seat_name(row_label: str, number: str) -> str:
    """Row C, seat 12."""
    return _("%(row)s, seat %(seat)s") % {"row": row_name(row_label), "seat": number}


def place_name(section: str, row_label: str, number: str) -> str:
    """Stalls, Row C, seat 12; of a standing area, which has no rows, its name."""
    return f"{section}, {seat_name(row_label, number)}" if row_label else section
