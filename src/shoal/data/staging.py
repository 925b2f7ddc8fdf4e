"""Staging: several files that are written together, all of them or none."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.data.files import check_free
from shoal.errors import BadFile, BadParameter, FileExists, ShoalError


@contextmanager
def all_or_none(places: Sequence[Path], *, force: bool) -> Iterator[list[Path]]:
    """Yield for each file another place to write it; at the end all are moved to theirs, after a failure none is."""
    for at, place in enumerate(places):
        check_free(place, force)
        if place.resolve() in [other.resolve() for other in places[:at]]:
            raise BadParameter(f"{place}: each file must have a name of its own. Got this one twice.")
    folders: dict[Path, Path] = {}
    try:
        for place in places:
            parent = place.resolve().parent
            if parent not in folders:
                folders[parent] = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=parent))
        staged = [folders[place.resolve().parent] / place.name for place in places]
        with _speaking_of(staged, places):
            yield staged
        for part, place in zip(staged, places, strict=True):
            part.replace(place.resolve())
    except OSError as error:
        if isinstance(error, FileExists):
            raise
        raise BadFile(f"{places[0]}: could not be written: {error}.") from error
    finally:
        for folder in folders.values():
            shutil.rmtree(folder, ignore_errors=True)


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
