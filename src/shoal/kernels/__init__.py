"""Compiled loops of the local engine: flat arrays in, flat arrays out, no Python objects, no global interpreter lock.

Every hash in here only proposes that two things are equal; a second loop, or a canonical form, decides.

numba keeps compiled loops on disk and looks only at the file of the outermost one: a change in a loop that it calls
from another file would go unnoticed, and old code would count. So all are dropped as soon as one file differs.

Where neither the installation nor the home folder can be written, they are kept in a private folder until the end.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numba

from shoal.errors import MissingResource

HERE = Path(__file__).parent

_private: list[Path] = []


def drop_stale(folder: Path = HERE, cache: Path | None = None) -> bool:
    """Delete what was compiled from other sources than those in `folder`; tell whether that was so."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()
    stamp = (cache or folder / "__pycache__") / "sources.sha256"
    with suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest:
            return False
        for compiled in [*stamp.parent.glob("*.nbi"), *stamp.parent.glob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest)
    return True


def is_kept() -> bool:
    """Tell whether the next process finds what this one compiles."""
    return not _private


def find_cache() -> Path:
    """Return the folder where numba keeps compiled loops of this package; make a private one if it finds none."""
    if not _is_home_safe() or (found := _ask_numba()) is None:
        # by the environment, so that processes that are started from here share it
        os.environ["NUMBA_CACHE_DIR"] = str(_make_private())
        numba.config.reload_config()
        found = _ask_numba()
    return found or HERE / "__pycache__"


def _ask_numba() -> Path | None:
    """Return where numba would keep a loop from this file; it refuses to keep one that it has no folder for."""
    try:
        loop = numba.njit(cache=True)(_do_nothing)
    except RuntimeError:
        return None
    return HERE / "__pycache__" if loop is _do_nothing else Path(loop.stats.cache_path)  # not compiled on demand


def _do_nothing() -> None:
    """Stand in for a loop."""


def _is_home_safe() -> bool:
    """Tell whether numba may look for the home folder: one that is unknown would be a folder "~" wherever it runs."""
    return os.path.isabs(os.path.expanduser("~")) or bool(numba.config.CACHE_DIR) or _can_write(HERE / "__pycache__")


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _make_private() -> Path:
    """Return a new folder that only its owner can enter, and that goes with the process."""
    for place in (None, "/dev/shm"):  # a container without any file to write has the memory
        with suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="shoal-", dir=place))
            _private.append(folder)
            atexit.register(_remove, folder, os.getpid())
            return folder
    raise MissingResource(
        "Compiled loops must be kept in a folder that can be written. Got none: not the installation, not the home "
        "folder, not a temporary one. Name one with the environment variable NUMBA_CACHE_DIR or TMPDIR."
    )


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder, in the process that made it and not in a fork of it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


CACHE = find_cache()
"""Where numba keeps what it compiled."""
drop_stale(cache=CACHE)
