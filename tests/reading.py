"""A page as a person reads it."""

import re


def said(response):
    """What the page says: no tags, single spaces."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text)
