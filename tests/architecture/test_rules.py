"""Rules of the house that no linter knows."""

import ast
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import get_commands
from django.db import models

ROOT = Path(__file__).parents[2]
OURS = ["kernel", "accounts", "venues", "events", "inventory", "payments", "bookings"]
SOURCES = sorted(
    path
    for pattern in ("*/services/*.py", "*/services.py", "ticketing/kernel/*.py")
    for path in ROOT.glob(pattern)
    if "tests" not in path.parts
)
MODELS = [model for label in OURS for model in apps.get_app_config(label).get_models()]
STATEFUL = [model for model in MODELS if hasattr(model, "MOVES")]


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_every_transaction_says_that_it_is_the_outermost(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    atomics = [call for call in calls if ast.unparse(call.func).endswith("atomic")]

    unclear = [
        call.lineno for call in atomics if not any(word.arg == "durable" for word in call.keywords)
    ]

    assert unclear == []


@pytest.mark.parametrize("model", STATEFUL, ids=lambda model: model.__name__)
def test_a_table_of_moves_names_every_state_and_no_other(model):
    states = set(model._meta.get_field("state").choices)
    values = {value for value, _ in states}

    assert set(model.MOVES) == values
    assert set().union(*model.MOVES.values()) <= values


@pytest.mark.parametrize("model", STATEFUL, ids=lambda model: model.__name__)
def test_a_state_is_known_to_the_database(model):
    field = model._meta.get_field("state")
    said = [
        constraint
        for constraint in model._meta.constraints
        if isinstance(constraint, models.CheckConstraint) and "state" in str(constraint.condition)
    ]

    assert said, f"no CHECK of {model.__name__} speaks of its state"
    assert field.default == field.choices[0][0]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_has_words_for_itself(model):
    assert "__str__" in vars(model)


CONSTRAINTS = sorted(constraint.name for model in MODELS for constraint in model._meta.constraints)
SAID_IN_TESTS = "\n".join(
    path.read_text() for path in sorted((ROOT / "tests" / "constraints").glob("test_*.py"))
)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_constraint_is_broken_in_a_test(name):
    assert re.search(rf"\b{name}\b", SAID_IN_TESTS), "break it in tests/constraints/"


def test_every_variable_of_the_settings_is_in_the_operators_handbook():
    handbook = (ROOT / "docs" / "operations.md").read_text()
    settings = "".join(path.read_text() for path in (ROOT / "ticketing/settings").glob("*.py"))
    variables = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", settings))

    assert variables
    assert sorted(name for name in variables if f"`{name}`" not in handbook) == []


COMMANDS = sorted(
    name for name, app in get_commands().items() if (ROOT / app.replace(".", "/")).is_dir()
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_in_the_operators_handbook(command):
    assert f"`{command}" in (ROOT / "docs" / "operations.md").read_text()


PATHS = re.compile(
    r"`((?:bookings|docs|events|inventory|payments|static|templates|ticketing|venues)/[\w/.-]*)`"
)
LINKS = re.compile(r"\]\((?!https?:)([^)#]+)\)")


@pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))], ids=named
)
def test_a_page_names_only_files_that_exist(page):
    text = page.read_text()
    named_here = [ROOT / path for path in PATHS.findall(text)]
    named_here += [page.parent / path for path in LINKS.findall(text)]

    assert [str(path) for path in named_here if not path.exists()] == []
