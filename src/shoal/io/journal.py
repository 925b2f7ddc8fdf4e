"""Journals: recovery after a run was killed while it moved several files into place.

Files that belong together are renamed one by one. A kill or a power failure in between leaves some files new and some
old. So a journal `.NAME.shoal-journal` is written before the first rename and removed after the last, where NAME is
the file that is moved last. It holds only names and digests, and only its owner can read it. :func:`recover` finishes
the moves or undoes them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from shoal.errors import BadFile, BadParameter, cut, notice
from shoal.io.digest import digest_file
from shoal.io.files import BESIDE, list_journals, locate_journal
from shoal.io.folders import DRAWN, is_in_use, sweep
from shoal.progress import holding

SCHEMA = 1
POINTER = ".pointer"
"""The suffix of a file in a temporary folder that holds the path of its journal."""
State = Literal["new", "old", "missing", "changed"]
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class CannotUndo(BadFile):
    """Some files were moved, others could not be, and undoing the moves failed."""


@dataclass(frozen=True)
class Move:
    """The move of a file into place; in a journal, paths are relative to its folder."""

    final: str
    part: str
    """The temporary path of the new file."""
    was: str
    """The path where the old file is kept until all files are moved."""
    new: str
    """The SHA-256 of the new file."""
    old: str | None
    """The SHA-256 of the replaced file; None if there is none."""

    @classmethod
    def of(cls, final: Path, part: Path, was: Path) -> Move:
        """Return the move of `part` to `final`; `was` holds the replaced file, if there is one."""
        return cls(str(final), str(part), str(was), digest_file(part), digest_file(was) if was.exists() else None)

    @property
    def state(self) -> State:
        """Which file is in place now."""
        if not os.path.lexists(self.final):
            return "missing"
        found = digest_file(Path(self.final))
        return "new" if found == self.new else "old" if found == self.old else "changed"

    @property
    def can_finish(self) -> bool:
        """Whether the new file exists, in place or at its temporary path."""
        return self.state == "new" or (self.state != "changed" and _holds(self.part, self.new))

    @property
    def can_undo(self) -> bool:
        """Whether the old state can be restored."""
        if self.state == "changed":
            return False
        return self.old is None or self.state == "old" or _holds(self.was, self.old)

    def finish(self) -> None:
        """Move the new file into place, unless it is there already."""
        if self.state != "new":
            os.replace(self.part, self.final)

    def undo(self) -> None:
        """Restore the old file, or remove the new one if there was none."""
        if self.old is None:
            Path(self.final).unlink(missing_ok=True)
        elif self.state != "old":
            os.replace(self.was, self.final)


@dataclass(frozen=True)
class Journal:
    """The moves of one run, the last one first."""

    path: Path
    moves: tuple[Move, ...]

    @property
    def in_progress(self) -> bool:
        """Whether the run is still active, so that no recovery is needed."""
        return any(is_in_use(os.path.dirname(move.part)) for move in self.moves)

    def describe(self) -> str:
        """Return which files are new, old, missing or changed since."""
        found = [(Path(move.final).name, move.state) for move in self.moves]
        kinds = {"new": "new", "old": "still old", "missing": "missing", "changed": "changed since"}
        rows = (([name for name, state in found if state == kind], words) for kind, words in kinds.items())
        return "; ".join(f"{words}: {', '.join(names)}" for names, words in rows if names)

    def remove(self) -> None:
        """Remove the journal and the temporary folders that it names."""
        self.path.unlink(missing_ok=True)
        flush_to_disk(self.path.parent)
        for move in self.moves:
            shutil.rmtree(Path(move.part).parent, ignore_errors=True)


def flush_to_disk(path: Path) -> None:
    """Flush a file or a folder to disk; some systems cannot do this for folders."""
    try:
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError:
        if not path.is_dir():
            raise


@contextmanager
def open_journal(moves: Sequence[Move]) -> Iterator[None]:
    """Write a journal for the moves in the block; remove it when they are done or undone."""
    path = locate_journal(moves[0].final)
    near = [asdict(move) | {key: os.path.relpath(getattr(move, key), path.parent) for key in _PLACES} for move in moves]
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            json.dump({"schema": SCHEMA, "moves": near}, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        flush_to_disk(path.parent)
        for move in moves:
            Path(move.part + POINTER).write_bytes(os.fsencode(path))
        yield
    except CannotUndo:
        raise  # recovery needs the journal
    except BaseException:
        _unlink(path)
        raise
    _unlink(path)


def _unlink(path: Path) -> None:
    path.unlink(missing_ok=True)
    flush_to_disk(path.parent)


_PLACES = ("final", "part", "was")


def read_journal(place: str | os.PathLike[str]) -> Journal | None:
    """Return the journal of a file, or of the data file whose manifest this is; None if there is none.

    Only a regular file of the same user is trusted, since it says which files to rename.
    """
    for path in list_journals(place):
        if os.path.lexists(path):
            return Journal(path, tuple(_read_moves(path)))
    return None


def find_journal(place: str | os.PathLike[str]) -> Journal | None:
    """Return the journal of a file, also of a file in another folder, such as a mapping."""
    found = read_journal(place)
    for folder in () if found is not None else _find_holders(Path(os.path.realpath(place))):
        path = _find_needing(folder)
        if path is not None and os.path.lexists(path):
            journal = Journal(path, tuple(_read_moves(path)))
            if str(folder) in {os.path.dirname(move.part) for move in journal.moves}:
                return journal
    return found


def _spell_holders(final: Path) -> re.Pattern[str]:
    return re.compile(re.escape(f".{final.name}.") + DRAWN + r"\.part")


def _find_holders(final: Path) -> list[Path]:
    """Return the temporary folders of a file."""
    name = _spell_holders(final)
    try:
        with os.scandir(final.parent) as entries:
            found = [
                entry.name for entry in entries if name.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [final.parent / one for one in sorted(found)]


def _find_needing(folder: Path) -> Path | None:
    """Return the path of the journal of a temporary folder; None if there is none."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(POINTER)]
        return Path(os.fsdecode((folder / max(names, key=len, default=POINTER)).read_bytes()))
    except OSError:
        return None


def _read_moves(path: Path) -> Iterator[Move]:
    try:
        number = os.open(path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))  # a pipe would block
        with os.fdopen(number, encoding="utf-8") as stream:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
                raise ValueError("it is not a regular file of yours")
            data = json.loads(stream.read(1 << 24))
        if not data["moves"]:
            raise ValueError("it names no file")
        for told in data["moves"]:
            yield _check_move(path.parent, told)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        came = cut(error)
        raise BadFile(
            f"{path}: must be a journal written by shoal. It cannot be used: {came}. Move it away."
        ) from error


def _check_move(folder: Path, told: Any) -> Move:
    """Return a move from a journal, if its temporary files are where shoal puts them."""
    if set(told) != set(Move.__dataclass_fields__) or not all(isinstance(told[key], str) for key in (*_PLACES, "new")):
        raise ValueError("a move has other fields")
    places = {key: os.path.normpath(folder / told[key]) for key in _PLACES}
    final, holder = Path(places["final"]), Path(places["part"]).parent
    beside = holder.parent == final.parent and holder == Path(places["was"]).parent
    if not beside or not (holder.name.startswith(f".{final.name}.") and holder.name.endswith(".part")):
        raise ValueError("a move names other folders")
    found = holder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (
        hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077)
    ):
        raise ValueError("a temporary folder is not one that shoal made")
    return Move(**{**told, **places})


def refuse_unfinished(place: str | os.PathLike[str]) -> None:
    """Raise BadFile if an earlier run was killed between two renames and not recovered yet."""
    found = find_journal(place)
    if found is not None and found.in_progress:
        raise BadFile(f"{place}: another run is writing this file. Wait for it to end, or name another file.")
    if found is not None:
        raise BadFile(_describe_unfinished(place, found))


def warn_of_unfinished(place: str | os.PathLike[str]) -> None:
    """Issue a notice if an earlier run was killed between two renames."""
    try:
        found = read_journal(place)
    except BadFile as error:
        notice(str(error))
        return
    if found is not None and not found.in_progress:
        notice(_describe_unfinished(place, found))


def _describe_unfinished(place: str | os.PathLike[str], found: Journal) -> str:
    final, folder = Path(found.moves[0].final), Path(os.fspath(place)).parent
    near = folder / final.name
    run = f"shoal recover {quote(str(near if os.path.realpath(near) == str(final) else final))}"
    return f"{place}: an earlier run was killed while it moved its files ({found.describe()}). To recover, run: {run}"


def recover(place: str | os.PathLike[str], *, back: bool = False) -> tuple[str, list[str]]:
    """Finish or undo the moves of a killed run; return what was done, and the files concerned.

    Parameters
    ----------
    place
        The output file of the run.
    back
        Undo the moves, even if they could be finished.

    Returns
    -------
    "finished" with the new files, "rolled back" with the restored files, "cleaned" with the removed temporary folders,
    or "nothing" if there is nothing to do.
    """
    found = find_journal(place)
    if found is not None and found.in_progress:
        raise BadFile(f"{place}: another run is writing this file. Wait for it to end.")
    if found is None:
        final = Path(os.path.realpath(place))
        beside = [final, *(final.with_name(f"{final.name}{ending}") for ending in BESIDE)]
        left = [folder for one in beside for folder in sweep_leftovers(one)]
        return ("cleaned" if left else "nothing"), [str(folder) for folder in left]
    finish = not back and all(move.can_finish for move in found.moves)
    if not finish and not all(move.can_undo for move in found.moves):
        raise BadParameter(
            f"{place}: the moves can neither be finished nor be undone ({found.describe()}). "
            f"Keep what you need, and remove {found.path}."
        )
    with holding():
        for move in reversed(found.moves):
            move.finish() if finish else move.undo()
        for folder in {Path(move.final).parent for move in found.moves}:
            flush_to_disk(folder)
        found.remove()
    there = [move.final for move in found.moves if os.path.lexists(move.final)]
    return ("finished" if finish else "rolled back"), there


def sweep_leftovers(final: Path) -> list[Path]:
    """Remove the temporary folders of a file that killed runs left and no journal needs, and return them."""
    return sweep(final.parent, _spell_holders(final).fullmatch, _is_needed)


def _is_needed(folder: Path) -> bool:
    path = _find_needing(folder)
    return path is not None and os.path.lexists(path)


def _holds(path: str, digest: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path) and digest_file(path) == digest
