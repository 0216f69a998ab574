import pytest

from bookings import people


@pytest.mark.parametrize(
    "email", ["ada@example.org", " Ada@Example.ORG ", "ADA+tickets@example.org", "ada+@example.org"]
)
def test_one_person_has_many_spellings(email):
    assert people.key_of(email) == "ada@example.org"


@pytest.mark.parametrize(
    "email", ["bob@example.org", "ada@example.com", "a.da@example.org", "+ada@example.org"]
)
def test_another_person_is_another_one(email):
    assert people.key_of(email) != "ada@example.org"


def test_tags_are_people_of_their_own_where_the_operator_says_so(settings):
    settings.LIMIT_IGNORES_PLUS_TAGS = False

    assert people.key_of("Ada+Two@example.org") == "ada+two@example.org"
