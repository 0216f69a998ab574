"""Log lines that tell no stranger who somebody is, or how to get at their tickets."""

import logging
import re

# Whose texts we do not write, such as a mail server's refusal or Django's "Not Found", may hold an
# address of a person, the link behind which the tickets are, or a partner's token.
_ADDRESS = re.compile(r"[^\s<>()\[\]{}'\",;:=]+@[\w.-]+\.\w+")
_SECRET = re.compile(r"(?<=/bookings/)[\w%-]+|\btkt_[\w-]+")


class DiscreetFormatter(logging.Formatter):
    """Formats a record, its traceback included, and blots out what is nobody's business."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return _SECRET.sub("(secret)", _ADDRESS.sub("(address)", line))
