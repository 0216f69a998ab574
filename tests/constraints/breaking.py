"""Break a rule and hear its name from the database."""

import pytest
from django.db import IntegrityError, connection, transaction

from ticketing.kernel import constraints


def broken_by(sql, *values):
    """The name of the constraint that this statement breaks."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, values)
    except IntegrityError as error:
        return constraints.violated_by(error)
    pytest.fail("the database took it")


def copy(table, **changes):
    """A statement that inserts a copy of the table's last row, with these SQL values changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s"
            " AND column_name <> 'id'",
            [table],
        )
        columns = [name for (name,) in cursor.fetchall()]
    chosen = ", ".join(changes.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({names}) SELECT {chosen} FROM {table} ORDER BY id DESC LIMIT 1"
