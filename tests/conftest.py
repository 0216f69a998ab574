"""What every test may ask for; an app's own fixtures are in `tests/<app>/conftest.py`."""
