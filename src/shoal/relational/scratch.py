"""A private folder for the temporary data of one run: removed at the end, or at the next start after a kill.

At each start, unlocked folders of the same user in the same place are left over from killed processes, and are removed
(:mod:`shoal.io.folders`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from shoal.errors import MissingResource, cut
from shoal.io.folders import make_private_folder, sweep
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
        sweep(self.home, lambda name: name.startswith(PREFIX))
        try:
            self.folder, self._lock = make_private_folder(self.home, PREFIX)
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
