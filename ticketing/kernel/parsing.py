"""How the API reads what it is sent."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions, parsers
from rest_framework.utils import json

from ticketing.kernel.problems import TOO_LARGE, Problem

# Several times the largest wish.
MOST_BYTES = 64 * 1024


class SmallJSONParser(parsers.JSONParser):
    """JSON in UTF-8, whatever the header says, and no more than a wish needs."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise Problem(TOO_LARGE)
        try:
            return json.loads(body.decode())  # type: ignore[no-any-return]
        except (ValueError, RecursionError) as error:
            raise exceptions.ParseError(_("This is no JSON.")) from error
