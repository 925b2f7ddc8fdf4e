"""Private temporary folders: locked while a process uses them, and removed at a later start after a kill.

A folder has mode 700, and a running process holds a lock on it. An unlocked folder of the same user with such a name
is left over from a killed process.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has other locks
    fcntl = None  # type: ignore[assignment]

from shoal.progress import tell

DRAWN = "[a-z0-9_]{8}"
"""What the drawn part of a name looks like."""


def make_private_folder(home: Path, prefix: str, suffix: str = "") -> tuple[Path, int | None]:
    """Make and lock a folder; return it with the descriptor of its lock, or None where folders cannot be locked.

    The supervisor of the command line hears of it before it is there, so that it is removed however this process ends.
    """
    while True:
        folder = Path(os.path.abspath(home)) / f"{prefix}{secrets.token_hex(4)}{suffix}"
        if os.path.lexists(folder):
            continue
        tell("stage", str(folder))
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            tell("unstage", str(folder))
            if isinstance(error, FileExistsError):
                continue
            raise
        lock = lock_folder(folder, wait=True)
        if folder.exists():
            return folder, lock
        if lock is not None:  # until it was locked, another start took it for a leftover
            os.close(lock)
        tell("unstage", str(folder))


def lock_folder(folder: Path, *, wait: bool = False) -> int | None:
    """Lock a folder; return the descriptor to close at the end, or None if it is in use or cannot be locked."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        if fcntl is not None:
            fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        return None
    return number


def is_in_use(folder: str | Path) -> bool:
    """Return whether a running process uses a folder."""
    if not os.path.isdir(folder):
        return False
    number = lock_folder(Path(folder))
    if number is not None:
        os.close(number)
    return number is None


def sweep(
    home: Path, matches: Callable[[str], object], is_needed: Callable[[Path], bool] = lambda _: False
) -> list[Path]:
    """Remove what killed processes of this user left in a folder, and return it.

    Parameters
    ----------
    home
        The folder in which the temporary ones were made.
    matches
        Tells from a name whether it is that of such a folder.
    is_needed
        Tells which of them must stay.
    """
    try:
        with os.scandir(home) as entries:
            found = [Path(entry.path) for entry in entries if matches(entry.name) and _is_own(entry)]
    except OSError:
        return []  # making a folder there will say what is wrong
    gone = []
    for folder in sorted(found):
        lock = lock_folder(folder)
        if lock is None:
            continue
        if not is_needed(folder):
            shutil.rmtree(folder, ignore_errors=True)
            gone.append(folder)
        os.close(lock)
    return gone


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a private folder of this user, and not a link to one."""
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    own = not hasattr(os, "getuid") or about.st_uid == os.getuid()
    return stat.S_ISDIR(about.st_mode) and stat.S_IMODE(about.st_mode) == 0o700 and own
