"""What every page promises: it passes the content security policy, and its colours can be read."""

import re

import pytest
from django.conf import settings

TEMPLATES = sorted(
    path for path in (settings.ROOT / "templates").rglob("*.*") if "emails" not in path.parts
)
STYLES = sorted((settings.ROOT / "static" / "css").glob("*.css"))
TOKENS = (settings.ROOT / "static" / "css" / "tokens.css").read_text()

# The policy refuses these, so a browser would silently leave them out.
INLINE = re.compile(
    r"<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:|<script(?![^>]*\ssrc=)", re.IGNORECASE
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_carries_a_style_or_a_script_of_its_own(path):
    assert INLINE.findall(path.read_text()) == []


def test_only_the_tokens_name_colours():
    colour = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\(", re.IGNORECASE)
    named = {path.name for path in STYLES if colour.search(path.read_text())}
    assert named == {"tokens.css"}


def colours(scheme: str) -> dict[str, str]:
    light, dark = TOKENS.split("@media", 2)[:2]
    pattern = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
    return dict(pattern.findall(light)) | (dict(pattern.findall(dark)) if scheme == "dark" else {})


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


TEXT = [
    *(("ink", ground) for ground in ("paper", "surface", "sunken")),
    *(("ink", ground) for ground in ("level-many", "level-few", "level-none")),
    *(("ink-soft", ground) for ground in ("paper", "surface", "sunken", "level-none")),
    *(("link", ground) for ground in ("paper", "surface", "warn-ground", "bad-ground")),
    *((tone, f"{tone}-ground") for tone in ("good", "warn", "bad", "calm")),
    ("action-ink", "action"),
    ("action-ink", "action-hover"),
    ("marquee-ink", "marquee"),
    ("marquee", "stage"),
    ("stage-soft", "stage"),
    ("bad", "surface"),
    ("ticket-soft", "ticket"),
    ("ticket-link", "ticket"),
]
SHAPES = [
    *(("edge", ground) for ground in ("paper", "surface", "level-many", "level-few", "level-none")),
    *((f"zone-{letter}", "surface") for letter in "abcd"),
    ("seat-gone", "surface"),
    ("focus", "paper"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (SHAPES, 3)], ids=["text", "shapes"])
def test_colours_stand_out_from_their_ground(scheme, pairs, least):
    of = colours(scheme)
    faint = [(a, b) for a, b in pairs if contrast(of[a], of[b]) < least]
    assert faint == []
