"""Why a measurement means nothing."""


class BenchError(Exception):
    """Something answered otherwise than it should have: no figure is better than a wrong one."""
