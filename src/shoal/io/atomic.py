"""Atomic writing: one file, or several that belong together, are written completely or not at all.

On disk, each file is written with mode 600 to a private temporary folder (mode 700) next to its destination, flushed
to disk (fsync) and renamed. Folders that killed runs left are removed at the next run with the same destination.
Several files are renamed in reverse order. A journal (:mod:`shoal.io.journal`) makes it possible to recover if the
machine stops in between. A failure or an interrupt before the first rename leaves no file. After it, signals wait until
all files are renamed.

In memory (:func:`shoal.io.files.hold_files`), files are written beside copies of the held ones. The held ones change at
the end.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import BinaryIO, NamedTuple, cast

from shoal.errors import BadFile, BadParameter, FileExists, cut, naming_places
from shoal.io.files import create_file, find_held_files, hold_files
from shoal.io.folders import make_private_folder
from shoal.io.journal import CannotUndo, Move, flush_to_disk, open_journal, sweep_leftovers
from shoal.io.targets import check_targets
from shoal.progress import check, holding, tell

PRIVATE = 0o600
_folders: dict[Path, int | None] = {}
"""Temporary folders in use, with their locks."""
_usual_umask: int | None = None
"""The umask of the user, if that of the process is another (:func:`keep_files_private`)."""


class Staged(NamedTuple):
    """A file that is written but not yet in place."""

    place: Path
    """The path given by the caller."""
    final: Path
    """The final path, with symbolic links resolved."""
    part: Path
    """The temporary path."""
    private: bool

    @property
    def was(self) -> Path:
        """Where the replaced file is kept until all files are in place."""
        return self.part.with_name(f"{self.part.name}.was")


@contextmanager
def write_together(places: Sequence[Path], *, force: bool, private: Collection[Path] = ()) -> Iterator[list[Path]]:
    """Yield a path to write for each file; at the end, move all files into place, or none after a failure.

    Parameters
    ----------
    places
        The final paths. The first file is moved last: if it exists, the others do too.
    force
        Replace existing files. The permissions of a new file are at most those of the file that it replaces.
    private
        Files that only the owner may read (mode 600). The others get the mode of the umask.
    """
    check_targets(places, force)
    held = find_held_files()
    with _write_to_disk(places, force, private) if held is None else _write_to_memory(places, force, held) as parts:
        yield parts


@contextmanager
def _write_to_memory(places: Sequence[Path], force: bool, held: dict[str, bytes]) -> Iterator[list[Path]]:
    """Yield the same paths, which are written among copies of the held files."""
    names = [str(place) for place in places]
    with hold_files({name: data for name, data in held.items() if name not in names}) as copies:
        yield list(places)
    check_targets(places, force)
    check()
    if not copies.keys() >= set(names):
        raise _explain_failure(FileNotFoundError(errno.ENOENT, ""), places)
    held.update(copies)


@contextmanager
def _write_to_disk(places: Sequence[Path], force: bool, private: Collection[Path]) -> Iterator[list[Path]]:
    """Yield a temporary path for each file."""
    staged: list[Staged] = []
    with ExitStack() as until_clean:
        try:
            for place in places:
                staged.append(_stage(place, place in private))
            with naming_places({str(one.part): str(one.place) for one in staged}):
                yield [one.part for one in staged]
            check_targets(places, force)  # another program may have written them meanwhile
            check()
            until_clean.enter_context(holding())
            _move_all(staged, force)
        except CannotUndo:
            for one in staged:
                _let_go(one.part.parent)  # recovery needs it
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
    """Yield a stream for the contents of a file, which is compressed and moved into place at the end."""
    try:
        with (
            write_together([path], force=force, private=[path] if private else []) as (part,),
            _open_packed(part, compression) as stream,
        ):
            yield stream
    except UnicodeEncodeError as error:
        came = f"{error.object[error.start]!r}"
        raise BadParameter(f"{path}: text must be valid Unicode. Got {came}.") from error


def write_text(path: Path, text: str, *, force: bool, private: bool = False) -> None:
    """Write a text atomically in UTF-8, with its line ends unchanged."""
    with replace_file(path, force=force, private=private) as stream:
        stream.write(text.encode(errors="backslashreplace"))  # a lone surrogate becomes its escape, as in JSON


def _stage(place: Path, private: bool) -> Staged:
    """Make a private temporary folder next to the destination; remove those that killed runs left there."""
    final = Path(os.path.realpath(place))
    if final.parent not in _folders:
        sweep_leftovers(final)
    folder, lock = make_private_folder(final.parent, f".{final.name}.", ".part")
    _folders[folder] = lock
    return Staged(place, final, folder / place.name, private)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _let_go(folder)


def _let_go(folder: Path) -> None:
    lock = _folders.pop(folder)
    if lock is not None:
        os.close(lock)
    tell("unstage", str(folder))


def _move_all(staged: Sequence[Staged], force: bool) -> None:
    """Flush the files to disk and move them into place, the first one last."""
    for one in staged:
        _set_mode(one)
    if all(one.final.parent in _folders for one in staged):  # inside another temporary folder, which is flushed later
        _rename_all(staged, force)
        return
    for one in staged:
        flush_to_disk(one.part)
        flush_to_disk(one.part.parent)
    moves = [Move.of(one.final, one.part, one.was) for one in staged]
    with open_journal(moves) if len(moves) > 1 else nullcontext():
        _rename_all(staged, force)
    for one in staged:
        tell("written", str(one.place))


def _rename_all(staged: Sequence[Staged], force: bool) -> None:
    """Rename the files, the first one last; if a rename fails, undo the others."""
    done: list[Staged] = []
    try:
        for one in reversed(staged):
            _move(one, force)
            done.append(one)
            flush_to_disk(one.final.parent)
    except OSError as error:
        if stuck := [one for one in done if not _take_back(one)]:
            names = ", ".join(str(one.place) for one in stuck)
            run = f"shoal recover {quote(str(staged[0].place))}"
            raise CannotUndo(
                f"{names}: replaced, but the other files could not be written ({cut(error)}), and undoing it failed. "
                f"Repair the disk, then run: {run}"
            ) from error
        raise


def _move(one: Staged, force: bool) -> None:
    """Move a file into place; without `force`, not over a file that another program has written since the last look."""
    if not force and one.final.parent not in _folders:
        try:
            os.link(one.part, one.final)
            return
        except FileExistsError:
            raise
        except OSError:
            pass  # a file system without links
    one.part.replace(one.final)


def _take_back(one: Staged) -> bool:
    """Restore the replaced file, or remove the new one; return whether that succeeded."""
    try:
        if one.was.exists():
            one.was.replace(one.final)
        else:
            one.final.unlink()
    except OSError:
        return False
    return True


def _set_mode(one: Staged) -> None:
    """Set the mode of a file and keep a copy of the file it replaces; permissions never grow.

    Inside another temporary folder, a file stays private: it gets its mode when it is moved on.
    """
    inside = one.final.parent in _folders
    mode = PRIVATE if one.private or inside else _find_usual_mode(one.part.parent)
    if one.final.exists():
        mode &= one.final.stat().st_mode
        _keep(one.final, one.was)
    one.part.chmod(mode)


def _find_usual_mode(folder: Path) -> int:
    """Return the mode that a new file gets: that of the umask, or of the rules of the folder."""
    trial = folder / "mode"
    private = None if _usual_umask is None else os.umask(_usual_umask)
    try:
        number = os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    finally:
        if private is not None:
            os.umask(private)
    try:
        return os.fstat(number).st_mode & 0o666
    finally:
        os.close(number)
        trial.unlink()


def keep_files_private() -> None:
    """From now on, let every file of this process have mode 600, until it is moved into place.

    Also what libraries write by themselves, such as an engine that moves data to the disk, is private then.
    """
    global _usual_umask  # noqa: PLW0603 - the umask belongs to the process
    if _usual_umask is None:
        _usual_umask = os.umask(0o077)


def _keep(final: Path, was: Path) -> None:
    """Keep the old file under a second name, so that a kill at any moment leaves the old or the new file."""
    try:
        os.link(final, was)
    except OSError:  # a file system without links
        shutil.copy2(final, was)


@contextmanager
def _open_packed(part: Path, compression: str) -> Iterator[BinaryIO]:
    with create_file(part) as raw:
        if compression == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:  # the same graph gives the same bytes
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
    """Return an error for a failed write that names the requested files, not the temporary ones."""
    why = os.strerror(error.errno) if error.errno else cut(error)
    all_of_them = "" if len(places) == 1 else " None of the files was written."
    return BadFile(f"{', '.join(map(str, places))}: could not be written: {why}.{all_of_them}")
