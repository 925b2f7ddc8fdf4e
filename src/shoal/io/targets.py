"""Targets: the files that will be written, checked before any work begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.errors import BadFile, BadParameter, FileExists, show_value
from shoal.io.files import MANIFEST, find_held_files, is_file, is_plain_name, refuse_loop
from shoal.progress import find_input


def check_targets(places: Iterable[Path], force: bool) -> None:
    """Raise an error if an output cannot be written, is also an input, or is named twice."""
    finals: set[str] = set()
    find_final = _check_on_disk if find_held_files() is None else _check_in_memory
    for place in places:
        final = find_final(place, force)
        if final in finals:
            raise BadParameter(f"{place}: output files must have different paths. Got this one twice.")
        finals.add(final)


def _check_on_disk(path: Path, force: bool) -> str:
    """Return the path with symbolic links resolved, or raise an error if no file can be written there."""
    _refuse_input(path)
    refuse_loop(path)
    _refuse_planted(path)
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise FileExists(f"{path}: must be a file. Got a folder. Name a file inside it.")
    if place.exists() and not place.is_file():
        raise FileExists(f"{path}: must be a regular file. Got something else, which is not replaced.")
    if not place.parent.is_dir():
        raise BadParameter(f"{path}: must be in a folder that exists. There is no folder {path.parent}.")
    from shoal.io.journal import refuse_unfinished

    refuse_unfinished(place)
    _refuse_existing(path, force)
    return str(place)


def _check_in_memory(path: Path, force: bool) -> str:
    """Return the name, or raise an error if no file of this name can be held."""
    if not is_plain_name(str(path)):
        raise BadParameter(
            f"{show_value(str(path))}: must be a name without folders, since files are held in memory. Rename it."
        )
    _refuse_existing(path, force)
    return str(path)


def _refuse_existing(path: Path, force: bool) -> None:
    if is_file(path) and not force:
        raise FileExists(f"{path}: exists and is not overwritten. Use force=True (--force) to replace it.")


def _refuse_input(path: Path) -> None:
    """Raise BadParameter if an output is also an input, under any name."""
    read = find_input(path)
    if read is not None:
        raise BadParameter(f"{path}: is also an input ({read}) and is not overwritten. Name another file.")


def _refuse_planted(path: Path) -> None:
    """Raise BadFile for a symbolic link that another user may have planted."""
    if not path.is_symlink():
        return
    foreign = hasattr(os, "getuid") and path.lstat().st_uid != os.getuid()
    if foreign or path.name.endswith(MANIFEST):
        came = "a link of another user" if foreign else "a link in place of the manifest"
        raise BadFile(f"{path}: must not be a symbolic link. Got {came}. Remove it, or name another file.")


def check_file_names(public: Sequence[Path]) -> None:
    """Raise BadParameter if two files of a release have the same name, since the manifest lists names only."""
    names = [path.name for path in public]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadParameter(
            f"save: the files of a release must have different names. Got {twice[0]!r} twice. Rename one."
        )
