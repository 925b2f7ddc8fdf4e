"""Atomic writing: a file, or several that belong together, appear whole or not at all.

Each file is written into a private folder (mode 700) beside its place, brought to the disk (fsync), and renamed.
Several files are renamed one after the other, the first named last; a journal (:mod:`shoal.io.journal`) tells what
is what if the machine stops in between. A failure or an interrupt before the first rename leaves nothing; from then on
signals wait until all files are there.
"""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import BinaryIO, NamedTuple, cast

from shoal.errors import BadFile, BadParameter, FileExists, cut, naming_places
from shoal.io.files import check_targets
from shoal.io.journal import CannotUndo, Move, flush_to_disk, lock_folder, open_journal
from shoal.progress import check, holding, tell

PRIVATE = 0o600
_folders: dict[Path, int | None] = {}
"""Temporary folders that are in use, with their locks: a file inside one is not yet where it will be."""


class Staged(NamedTuple):
    """A file on its way."""

    place: Path
    """How the caller names it."""
    final: Path
    """Where it will be, links resolved."""
    part: Path
    """Where it is written."""
    private: bool

    @property
    def was(self) -> Path:
        """Where the file that it replaces is kept until all are there."""
        return self.part.with_name(f"{self.part.name}.was")


@contextmanager
def write_together(places: Sequence[Path], *, force: bool, private: Collection[Path] = ()) -> Iterator[list[Path]]:
    """Yield for each file another place to write it; at the end all are moved to theirs, after a failure none is.

    Parameters
    ----------
    places
        Where the files go. The first is moved last: where it is, the others are too.
    force
        Replace files that exist. A file that replaces another is readable by no more people than that one was.
    private
        Files that only their owner may read (mode 600); the others get the mode that the umask gives.
    """
    check_targets(places, force)
    staged: list[Staged] = []
    with ExitStack() as until_clean:
        try:
            for place in places:
                staged.append(_stage(place, place in private))
            with naming_places({str(one.part): str(one.place) for one in staged}):
                yield [one.part for one in staged]
            check_targets(places, force)  # another program may have been faster
            check()
            until_clean.enter_context(holding())
            _move_all(staged)
        except CannotUndo:
            for one in staged:
                _let_go(one.part.parent)  # it is needed to recover
            staged = []
            raise
        except OSError as error:
            if isinstance(error, FileExists):
                raise
            raise _explain_failure(error, places) from error
        finally:
            until_clean.enter_context(holding())
            for one in staged:
                _remove(one.part.parent)


@contextmanager
def replace_file(path: Path, *, force: bool, compression: str = "", private: bool = False) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes, packed, become the file at the end; a failure leaves nothing."""
    try:
        with (
            write_together([path], force=force, private=[path] if private else []) as (part,),
            _open_packed(part, compression) as stream,
        ):
            yield stream
    except UnicodeEncodeError as error:
        came = f"{error.object[error.start]!r}"
        raise BadParameter(f"{path}: what is written must be Unicode text. Got {came}.") from error


def write_text(path: Path, text: str, *, force: bool, private: bool = False) -> None:
    """Write a text as a whole, in UTF-8 and with the ends of lines that it has."""
    with replace_file(path, force=force, private=private) as stream:
        stream.write(text.encode(errors="backslashreplace"))  # half a character becomes its escape, as in JSON


def _stage(place: Path, private: bool) -> Staged:
    """Make a folder that only its owner can enter, beside the place."""
    final = Path(os.path.realpath(place))
    folder = Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent))
    tell("stage", str(folder))
    _folders[folder] = lock_folder(folder)
    return Staged(place, final, folder / place.name, private)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _let_go(folder)


def _let_go(folder: Path) -> None:
    lock = _folders.pop(folder)
    if lock is not None:
        os.close(lock)
    tell("unstage", str(folder))


def _move_all(staged: Sequence[Staged]) -> None:
    """Bring the files to the disk and move them into place, the first named last."""
    for one in staged:
        _set_mode(one)
    if all(one.final.parent in _folders for one in staged):  # part of another whole, which will bring it to the disk
        _rename_all(staged)
        return
    for one in staged:
        flush_to_disk(one.part)
        flush_to_disk(one.part.parent)
    moves = [Move.of(one.final, one.part, one.was) for one in staged]
    with open_journal(moves) if len(moves) > 1 else nullcontext():
        _rename_all(staged)
    for one in staged:
        tell("written", str(one.place))


def _rename_all(staged: Sequence[Staged]) -> None:
    """Rename the files, the first named last; if one cannot be renamed, undo what was done."""
    done: list[Staged] = []
    try:
        for one in reversed(staged):
            one.part.replace(one.final)
            done.append(one)
            flush_to_disk(one.final.parent)
    except OSError as error:
        if stuck := [one for one in done if not _take_back(one)]:
            names = ", ".join(str(one.place) for one in stuck)
            run = f"shoal recover {quote(str(staged[0].place))}"
            raise CannotUndo(
                f"{names}: was replaced, the other files could not be ({cut(error)}), and it could not be taken back. "
                f"Mend the disk, then run: {run}"
            ) from error
        raise


def _take_back(one: Staged) -> bool:
    """Put back what a file replaced, or remove it; tell whether that went well."""
    try:
        if one.was.exists():
            one.was.replace(one.final)
        else:
            one.final.unlink()
    except OSError:
        return False
    return True


def _set_mode(one: Staged) -> None:
    """Give a file its mode, and keep the one that it replaces; nobody can read more than before."""
    mode = one.part.stat().st_mode
    if one.private:
        mode &= PRIVATE
    if one.final.exists():
        mode &= one.final.stat().st_mode
        _keep(one.final, one.was)
    one.part.chmod(mode)


def _keep(final: Path, was: Path) -> None:
    """Keep what is about to be replaced under a second name: a kill at any moment finds the old file or the new."""
    try:
        os.link(final, was)
    except OSError:  # a file system without links
        shutil.copy2(final, was)


@contextmanager
def _open_packed(part: Path, compression: str) -> Iterator[BinaryIO]:
    with part.open("xb") as raw:
        if compression == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:  # the same graph, the same bytes
                yield cast(BinaryIO, stream)
        elif compression == ".bz2":
            with bz2.open(raw, "wb") as stream:
                yield cast(BinaryIO, stream)
        elif compression == ".zst":
            import pyarrow as pa

            with pa.CompressedOutputStream(pa.PythonFile(raw, mode="w"), "zstd") as stream:
                yield cast(BinaryIO, stream)
        else:
            yield raw


def _explain_failure(error: OSError, places: Sequence[Path]) -> BadFile:
    """Return what to say of a full or read-only disk: the file that was asked for, not the temporary one."""
    why = os.strerror(error.errno) if error.errno else cut(error)
    all_of_them = "" if len(places) == 1 else " None of the files was written."
    return BadFile(f"{', '.join(map(str, places))}: could not be written: {why}.{all_of_them}")
