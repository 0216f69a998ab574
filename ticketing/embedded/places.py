"""Where a set keeps its data, and as whom its servers run."""

import hashlib
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from ticketing.embedded import EmbeddedError, runtime

# Between finding a free port and listening on it somebody else may take it.
PORTS_TO_TRY = 3


@dataclass(frozen=True, slots=True)
class Identity:
    uid: int
    gid: int

    def may_enter(self, path: Path) -> bool:
        """Whether this user can get through to `path`, and into it or run it."""
        test = subprocess.run(
            ["/bin/sh", "-c", 'test -x "$0"', str(path)],
            user=self.uid,
            group=self.gid,
            extra_groups=[],
            cwd="/",
            check=False,
        )
        return test.returncode == 0


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one set; everything the servers own is in it."""

    path: Path
    identity: Identity | None

    def folder(self, name: str) -> Path:
        """A folder of this name that the servers, and nobody else, may use."""
        path = self.path / name
        path.mkdir(mode=0o700, exist_ok=True)
        self.give(path)
        return path

    def give(self, path: Path) -> None:
        if self.identity:
            os.chown(path, self.identity.uid, self.identity.gid)

    def password(self) -> str:
        """The password of this set's servers, made up when it is first asked for."""
        path = self.path / "password"
        if not path.exists():
            draft = self.path / "password.new"
            draft.unlink(missing_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32))
            draft.replace(path)
        return path.read_text().strip()

    def program(self, package: str, path: str) -> Path:
        """An executable of an installed package, copied where the servers' user can reach it."""
        spec = util.find_spec(package)
        if spec is None or spec.origin is None:
            raise EmbeddedError(
                f"The package {package} is not installed, and no address of a server is set. "
                "Run `make demo`, which installs it, or set DATABASE_URL and VALKEY_URL."
            )
        site = Path(spec.origin).parents[1]
        found = next(iter(sorted(site.glob(f"{package}/{path}"))), None)
        if found is None:
            raise EmbeddedError(f"{package} has no program for this machine ({path} is missing)")
        if self.identity is None or self.identity.may_enter(found):
            return found
        copies = self.path / "programs" / f"{package}-{metadata.version(package)}"
        if not copies.exists():
            _copy(site, package, copies)
        return copies / found.relative_to(site)


def home(name: str) -> Home:
    """Find the place of set `name`, or make one."""
    near = runtime.VAR / name
    near.mkdir(parents=True, exist_ok=True)
    identity = _unprivileged() if os.geteuid() == 0 else None
    remembered = near / "elsewhere"
    if remembered.exists():
        path = Path(remembered.read_text().strip())
    elif identity is None or identity.may_enter(near):
        path = near
    else:
        path = _elsewhere(near, identity)
        remembered.write_text(f"{path}\n")
    # 0711: the servers' user passes through to its own folders and cannot list.
    path.mkdir(mode=0o711, parents=True, exist_ok=True)
    return Home(path, identity)


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _unprivileged() -> Identity:
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return Identity(user.pw_uid, user.pw_gid)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and there is neither a user `postgres` nor `nobody`. "
        "Run this as an ordinary user, or set DATABASE_URL and VALKEY_URL."
    )


def _elsewhere(near: Path, identity: Identity) -> Path:
    # The same checkout finds the same place again, another one does not get into it.
    name = "ticketing-" + hashlib.sha256(str(near.parent).encode()).hexdigest()[:12]
    for parent in (Path("/var/lib"), Path(tempfile.gettempdir())):
        if parent.is_dir() and os.access(parent, os.W_OK) and identity.may_enter(parent):
            top = parent / name
            top.mkdir(mode=0o711, exist_ok=True)
            if top.is_symlink() or top.stat().st_uid != 0:
                continue
            return top / near.name
    raise EmbeddedError(
        f"The user that PostgreSQL runs as cannot enter {near}, nor /var/lib. "
        "Run this as an ordinary user, set VAR_DIR to a folder that everybody may pass through, "
        "or set DATABASE_URL and VALKEY_URL."
    )


def _copy(site: Path, package: str, target: Path) -> None:
    draft = target.with_suffix(".new")
    shutil.rmtree(draft, ignore_errors=True)
    # Some wheels keep their shared libraries beside the package, in `<package>.libs`.
    for part in site.glob(f"{package}*"):
        if part.is_dir() and part.suffix in {"", ".libs"}:
            ignore = shutil.ignore_patterns("*.py", "__pycache__", "include", "*.a")
            shutil.copytree(part, draft / part.name, symlinks=True, ignore=ignore)
    for path in (draft.parent, draft, *draft.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    draft.replace(target)
