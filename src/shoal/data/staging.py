"""Staging: several files that are written together, all of them or none."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.data.files import check_free
from shoal.errors import BadFile, BadParameter, FileExists, ShoalError
from shoal.terminal import cut


@contextmanager
def all_or_none(places: Sequence[Path], *, force: bool) -> Iterator[list[Path]]:
    """Yield for each file another place to write it; at the end all are moved to theirs, after a failure none is."""
    finals = [Path(os.path.realpath(place)) for place in places]
    for at, place in enumerate(places):
        check_free(place, force)
        if finals[at] in finals[:at]:
            raise BadParameter(f"{place}: each file must have a name of its own. Got this one twice.")
    folders: list[Path] = []
    try:
        for final in finals:
            folders.append(Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent)))
        staged = [folder / place.name for folder, place in zip(folders, places, strict=True)]
        with _speaking_of(staged, places):
            yield staged
        for place in places:
            check_free(place, force)  # somebody else may have been faster
        _move(staged, finals, folders)
    except OSError as error:
        if isinstance(error, FileExists):
            raise
        names = ", ".join(map(str, places))
        raise BadFile(f"{names}: could not be written, and none of them was: {cut(error)}.") from error
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def _move(staged: Sequence[Path], finals: Sequence[Path], folders: Sequence[Path]) -> None:
    """Move the files into place, the last first; if one cannot be moved, or an interrupt comes, undo what was done."""
    done: list[tuple[Path, Path | None]] = []
    try:
        for part, final, folder in reversed(list(zip(staged, finals, folders, strict=True))):
            kept = folder / "was" if final.exists() else None
            if kept is not None:
                _keep_mode(part, final)
                _second(final, kept)
            done.append((final, kept))
            part.replace(final)
    except BaseException:
        for final, kept in done:
            if kept is None:
                final.unlink(missing_ok=True)
            else:
                kept.replace(final)
        raise


def _second(final: Path, kept: Path) -> None:
    """Keep what is about to be replaced under a second name; a kill at any moment finds the old file or the new."""
    try:
        os.link(final, kept)
    except OSError:  # a file system without links
        shutil.copy2(final, kept)


def _keep_mode(part: Path, final: Path) -> None:
    """Let a file be read by no more people than the one it replaces; what is private stays so."""
    part.chmod(part.stat().st_mode & final.stat().st_mode)


@contextmanager
def _speaking_of(staged: Sequence[Path], places: Sequence[Path]) -> Iterator[None]:
    """Let errors and notices name the files where they will be."""

    def said(text: object) -> str:
        told = str(text)
        for part, place in zip(staged, places, strict=True):
            told = told.replace(str(part), str(place))
        return told

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    except ShoalError as error:
        raise type(error)(said(error)) from error
    for warning in caught:
        warnings.warn(said(warning.message), warning.category, stacklevel=4)
