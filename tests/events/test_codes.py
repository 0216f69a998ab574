import math

import pytest

from events import codes


def test_a_code_is_too_long_to_be_guessed_and_never_the_same():
    made = {codes.generate() for _ in range(100)}

    assert len(made) == 100
    assert all(len(codes.normalized(code)) * math.log2(len(codes.ALPHABET)) >= 50 for code in made)


def test_no_code_has_signs_that_look_like_others_or_make_words():
    assert not set(codes.ALPHABET) & set("01OILAEU")


@pytest.mark.parametrize(
    "typed",
    ["bk7m2qxd9rtv", " BK7M 2QXD 9RTV ", "BK7M\u20132QXD\u20139RTV", "\uff22\uff2b7m2qxd9rtv"],
    ids=["small", "spaces", "long dashes", "full width"],
)
def test_spaces_dashes_and_case_do_not_matter(typed):
    assert codes.digest(typed) == codes.digest("BK7M-2QXD-9RTV")


def test_another_code_has_another_hash():
    assert codes.digest("BK7M-2QXD-9RTV") != codes.digest("BK7M-2QXD-9RTW")


def test_a_hash_hangs_on_the_key_of_the_house(settings):
    before = codes.digest("BK7M-2QXD-9RTV")

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-" + "1" * 50

    assert codes.digest("BK7M-2QXD-9RTV") != before
    assert before in codes.digests("BK7M-2QXD-9RTV")
