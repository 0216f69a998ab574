"""The code as a picture, the same one on the page and on paper."""

import segno

QUIET_ZONE = 4


def svg(code: str) -> str:
    """An SVG element without a size of its own. Dark on light in every theme, margin included."""
    # Level Q survives a quarter of the picture being creased, wet or under a thumb.
    picture = segno.make_qr(code, error="q")
    return picture.svg_inline(
        border=QUIET_ZONE, dark="#000", light="#fff", omitsize=True, svgclass="qr", lineclass=None
    )
