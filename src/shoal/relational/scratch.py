"""A private folder for the temporary data of one run: removed at the end, or at the next start after a kill.

The folder has mode 700, and a running process holds a lock on it. At each start, unlocked folders of the same user in
the same place are left over from killed processes, and are removed.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from shoal.errors import MissingResource, cut
from shoal.io.journal import lock_folder
from shoal.progress import tell

PREFIX = "shoal-relational-"


class Scratch:
    """A locked private folder.

    Parameters
    ----------
    place
        The folder in which it is made. None: the temporary folder of the system.

    Examples
    --------
    >>> scratch = Scratch()
    >>> oct(scratch.folder.stat().st_mode)[-3:]
    '700'
    >>> scratch.remove()
    >>> scratch.folder.exists()
    False
    """

    def __init__(self, place: str | Path | None = None) -> None:
        self.home = Path(tempfile.gettempdir() if place is None else place)
        sweep(self.home)
        try:
            self.folder, self._lock = _make_locked(self.home)
        except OSError as error:
            raise MissingResource(
                f"relational: temporary data must have a folder that can be written. Got {self.home} ({cut(error)}). "
                "Name another one with temp= (--temp)."
            ) from error

    @property
    def locks(self) -> tuple[int, ...]:
        """The file descriptor of the lock, for a child process that writes into the folder: it then holds the lock."""
        return () if self._lock is None else (self._lock,)

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            tell("unstage", str(self.folder))


def _make_locked(home: Path) -> tuple[Path, int | None]:
    """Make a folder and lock it. Until it is locked, another start may take it for a leftover: then make another."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        tell("stage", str(folder))
        lock = lock_folder(folder)
        if lock is None and os.name == "nt":
            return folder, None  # no locks there, and nothing is swept
        if lock is not None and folder.exists():
            return folder, lock
        if lock is not None:
            os.close(lock)
        tell("unstage", str(folder))


def sweep(home: Path) -> None:
    """Remove what killed processes of this user left in a folder."""
    try:
        found = [Path(entry.path) for entry in os.scandir(home) if entry.name.startswith(PREFIX) and _is_own(entry)]
    except OSError:
        return  # making the folder will say what is wrong
    for folder in found:
        lock = lock_folder(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a private folder of this user, and not a link to one."""
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    own = not hasattr(os, "getuid") or about.st_uid == os.getuid()
    return stat.S_ISDIR(about.st_mode) and stat.S_IMODE(about.st_mode) == 0o700 and own
