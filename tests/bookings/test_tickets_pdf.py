import threading
from dataclasses import replace

import pypdfium2
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st

from bookings.tickets import credentials, fonts, pdf
from bookings.tickets.model import TicketFace

FACE = TicketFace(
    event="Philharmonic Nights",
    subtitle="Spring season",
    starts="Fri 12 Feb 2027, 20:00 CET (Europe/Berlin)",
    doors="Doors open at 19:00",
    venue="Great Hall",
    address="Park Street 7, Berlin",
    section="Stalls left",
    row="12",
    seat="104",
    zone="Category A",
    fare="Adult",
    price="€48.50",
    holder="Maria Schmidt",
    reference="7Q2M4X",
    number="1 of 2",
    organizer="Park Street Concerts",
    code="0123456789ABCDEFGHJKMNPQRSTV",
)
EVERY_SCRIPT = ["王小明", "محمد علي", "שרה כהן", "Nguyễn Thị Ánh", "Ōe", "สมชาย ใจดี", "김민준"]


def text_of(data: bytes, page: int = 0) -> str:
    return " ".join(pypdfium2.PdfDocument(data)[page].get_textpage().get_text_bounded().split())


def picture_of(data: bytes, page: int = 0):
    """The page as a scanner or a phone's screen shows it, at 150 dots an inch."""
    return pypdfium2.PdfDocument(data)[page].render(scale=150 / 72).to_pil()


def codes_on(data: bytes, page: int = 0) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(picture_of(data, page))]


def has_every_glyph(data: bytes) -> bool:
    """Typst puts the mark of accessible documents on those only that lack no glyph."""
    return b"pdfuaid" in data


def test_the_code_read_from_the_printed_page_is_the_credential():
    face = replace(FACE, code=credentials.new_code())

    assert codes_on(pdf.render(face)) == [face.code]


def test_three_tickets_are_three_pages_each_with_only_its_own_code():
    faces = [replace(FACE, code=credentials.new_code()) for _ in range(3)]

    data = pdf.render_all(faces)

    assert len(pypdfium2.PdfDocument(data)) == 3
    assert [codes_on(data, page) for page in range(3)] == [[face.code] for face in faces]


def test_everything_on_the_face_is_on_the_page():
    text = text_of(pdf.render(FACE))

    expected = {"event", "subtitle", "starts", "doors", "venue", "address", "section", "row"}
    expected |= {"seat", "zone", "fare", "price", "holder", "reference", "number", "organizer"}
    for name in expected:
        assert getattr(FACE, name) in text, name
    assert credentials.grouped(FACE.code) in text


def test_general_admission_has_an_area_and_no_seat():
    text = text_of(pdf.render(replace(FACE, section="Arena floor", row="", seat="")))

    assert "Area Arena floor No numbered seat" in text
    assert "Seat " not in text
    assert "Row" not in text


def test_what_is_empty_is_left_out_with_its_label():
    bare = replace(FACE, subtitle="", doors="", address="", holder="", zone="", fare="", price="")

    text = text_of(pdf.render(bare))

    for label in ["Ticket holder", "Price", "Fare"]:
        assert label not in text


@pytest.mark.parametrize("name", EVERY_SCRIPT)
def test_a_name_in_any_script_is_printed(name):
    data = pdf.render(replace(FACE, holder=name, event=name, seat=name[0]))

    text = text_of(data)
    # Shaped Arabic comes back from the page in pieces, all else as it went in.
    shaped = any("\u0600" <= character <= "\u06ff" for character in name)
    assert shaped or name in text
    assert set(name) <= set(text)
    assert has_every_glyph(data)


def test_a_missing_glyph_would_have_been_noticed(monkeypatch):
    monkeypatch.setattr(pdf, "printable", str)

    assert not has_every_glyph(pdf.render(replace(FACE, holder="𓀀")))


def test_a_salad_of_scripts_costs_a_glyph_but_never_the_ticket():
    salad = "蚘県\ua832慻과圕홎道暶⽔䬒윎智\u0ce2\u08b4˯\U00025bc6懟\ufbe8뛚栱襟穠晩簽\u1ce5"

    data = pdf.render(replace(FACE, event=salad))

    assert not has_every_glyph(data)
    assert codes_on(data) == [FACE.code]


def test_what_no_font_can_draw_is_replaced_and_the_rest_of_the_line_stays():
    text = text_of(pdf.render(replace(FACE, event="VIP 🎉 Lounge 𓀀 East")))

    assert "VIP 🎉 Lounge \N{REPLACEMENT CHARACTER} East" in text


def test_a_name_in_hebrew_is_read_from_the_right_and_its_number_stands_on_the_left():
    data = pdf.render(replace(FACE, holder="שרה 12"))

    page = pypdfium2.PdfDocument(data)[0].get_textpage()
    at = page.search("שרה").get_next()
    number = page.search("12", index=at[0]).get_next()
    assert at is not None
    assert number is not None
    assert page.get_charbox(number[0])[0] < page.get_charbox(at[0])[0]


def test_a_name_cannot_speak_to_the_typesetter():
    name = '#panic("x") *b* $x$ \\'

    assert name in text_of(pdf.render(replace(FACE, holder=name)))


def test_a_name_cannot_turn_the_rest_of_the_ticket_around():
    assert fonts.printable("Ann\u202e12\u2066\x00 \n Lee") == "Ann12 Lee"


@pytest.mark.parametrize("word", ["Unabridged ", "Donaudampfschiff", "王", "محمد "])
def test_words_too_long_for_the_ticket_stay_on_their_page_and_off_the_code(word):
    long = (word * 200)[:200]
    texts = {
        name: long
        for name in FACE.__dataclass_fields__
        if name not in ("code", "accent", "starts", "number")
    }

    data = pdf.render(replace(FACE, **texts))

    document = pypdfium2.PdfDocument(data)
    page = document[0].get_textpage()
    boxes = [page.get_charbox(index) for index in range(page.count_chars())]
    width, height = document[0].get_size()
    assert len(document) == 1
    assert min(left for left, *_ in boxes) >= 0
    assert max(right for *_, right, _ in boxes) <= width
    assert min(bottom for _, bottom, *_ in boxes) >= 0
    assert max(top for *_, top in boxes) <= height
    assert codes_on(data) == [FACE.code]
    assert FACE.starts in text_of(data)


def test_a_title_of_200_letters_is_printed_whole():
    title = ("An Evening of Readings, Songs and Other Diversions " * 4)[:200].strip()

    assert title in text_of(pdf.render(replace(FACE, event=title)))


def test_the_same_face_gives_the_same_bytes():
    first = pdf.render(FACE)
    pdf.render(replace(FACE, holder="Somebody else"))

    assert pdf.render(FACE) == first


def test_threads_draw_tickets_side_by_side():
    faces = [replace(FACE, holder=f"Fan {number}") for number in range(4)]
    expected = [pdf.render(face) for face in faces]
    drawn: dict[int, bytes] = {}
    together = threading.Barrier(len(faces))

    def draw(number: int) -> None:
        together.wait()
        drawn[number] = pdf.render(faces[number])

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(len(faces))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [drawn[number] for number in range(len(faces))] == expected


def test_the_document_has_a_title_a_language_and_a_described_code():
    document = pypdfium2.PdfDocument(pdf.render(FACE))

    assert document.get_metadata_value("Title") == f"Ticket: {FACE.event}"
    assert document.is_tagged()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_no_text_at_all_keeps_a_fan_from_getting_the_ticket(text):
    assert pdf.render(replace(FACE, event=text, holder=text, row=text)).startswith(b"%PDF")
