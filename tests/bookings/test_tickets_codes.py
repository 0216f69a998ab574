import math
import re

import segno

from bookings.tickets import credentials, qr


def test_a_code_carries_at_least_128_bits():
    assert credentials.LENGTH * math.log2(len(credentials.ALPHABET)) >= 128
    assert len(credentials.new_code()) == credentials.LENGTH


def test_no_two_codes_are_alike_and_every_sign_is_used():
    codes = [credentials.new_code() for _ in range(1000)]

    assert len(set(codes)) == 1000
    # Each position draws from the whole alphabet: nothing counts up, nothing is fixed.
    for position in range(credentials.LENGTH):
        assert {code[position] for code in codes} == set(credentials.ALPHABET)


def test_a_code_is_read_out_in_groups_and_loses_nothing():
    code = credentials.new_code()

    assert re.fullmatch(r"(\w{4} ){6}\w{4}", credentials.grouped(code))
    assert credentials.grouped(code).replace(" ", "") == code


def test_the_picture_stays_coarse_because_the_code_fits_the_alphanumeric_mode():
    picture = segno.make_qr(credentials.new_code(), error="q")

    assert picture.mode == "alphanumeric"
    assert picture.version == 2


def test_the_picture_is_dark_on_light_with_four_modules_around():
    picture = qr.svg(credentials.new_code())

    assert 'viewBox="0 0 33 33"' in picture
    assert 'fill="#fff" d="M0 0h33v33h-33z"' in picture
    assert 'stroke="#000"' in picture
    # The first dark row starts inside the margin of four.
    assert 'd="M4 4.5h7' in picture
    assert "style=" not in picture
