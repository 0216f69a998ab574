import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from ticketing.embedded import forget, runtime, services


@pytest.fixture
def own_var(monkeypatch):
    """A `var/` of the test's own that everybody may pass through, and no service given."""
    # Not in `tmp_path`: pytest keeps that from other users, and root's servers run as one.
    path = Path(tempfile.mkdtemp(prefix="tickets-"))
    path.chmod(0o711)
    monkeypatch.setenv("VAR_DIR", str(path))
    monkeypatch.setattr(runtime, "VAR", path)
    monkeypatch.setattr(forget, "VAR", path)
    for name in (*services.GIVEN, "STRIPE_SECRET_KEY", "STRIPE_API_BASE", "BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield path
    forget.main()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def manage(own_var):
    """The start of a command line of `manage.py`, and the environment of a plain terminal."""
    environment = dict(os.environ)
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return [sys.executable, str(runtime.ROOT / "manage.py")], environment
