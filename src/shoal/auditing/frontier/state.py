"""Storage of frontier points: each is written as soon as it is made, so that an interrupted run can be resumed.

The file holds a line a point and no names. It is about one input and one version: for others it begins anew. It tells
exact numbers about the original, and only its maker can read it.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.auditing.frontier.plans import Plan
from shoal.auditing.frontier.points import Point, refuse_misfit
from shoal.auditing.frontier.trial import Question
from shoal.errors import BadFile, BadParameter, cut, notice
from shoal.io.atomic import write_text
from shoal.io.digest import digest_layout, digest_text
from shoal.io.strict_json import find_misfit, is_a, parse_json

SCHEMA = 3
FILE = "points.jsonl"
MAKERS = ("shoal", "numpy", "scipy", "numba", "igraph")
"""Whose versions may change what is made from a seed."""


class PointStore:
    """The points that are there already, in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, question: Question) -> None:
        self.path = None if folder is None else folder / FILE
        self.head = {"schema": SCHEMA, "input": digest_layout(question.data), "versions": list_versions()}
        self.ks = set(question.ks)
        self.points: dict[str, Point] = {}
        if self.path is not None:
            self._open(self.path)

    def find(self, key: str, limit: float | None) -> Point | None:
        """Return a point if it need not be made again: more time, or another try, may help."""
        found = self.points.get(key)
        if found is None or not all(
            risk is None or set(risk.below) == self.ks for risk in (found.risk, found.attacked)
        ):
            return None
        if not found.again:
            return found
        too_slow = found.limit is not None and limit is not None and limit <= found.limit
        return found if too_slow else None

    def add(self, key: str, point: Point) -> None:
        """Write a point down at once."""
        if self.path is None:
            return
        self.points[key] = point
        number = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(number, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(_format_line({"key": key, "point": point.data()}))
            stream.flush()
            os.fsync(stream.fileno())

    def _open(self, path: Path) -> None:
        """Read what is there, and write it again without a line that was cut off."""
        try:
            _make_private_folder(path.parent)
            lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
            head, *rest = [_parse_line(line) for line in lines] or [None]
            if head == self.head:
                self.points = dict(self._parse_point(told) for told in rest if told is not None)
            elif lines:
                notice(f"{path} is about other data or made by another version: it begins anew")
            self._write(path)
        except (OSError, ValueError) as error:
            raise BadFile(
                f"{path}: must hold the points of a frontier, to go on with. {cut(error)}. Remove it."
            ) from error

    @staticmethod
    def _parse_point(told: Any) -> tuple[str, Point]:
        """Return a point and what it is kept under, or raise ValueError."""
        refuse_misfit(find_misfit(told, {"key": is_a(str), "point": is_a(dict)}, "a line"))
        return told["key"], Point.from_data(told["point"])

    def _write(self, path: Path) -> None:
        told = ({"key": key, "point": point.data()} for key, point in self.points.items())
        if path.is_symlink():
            raise BadFile(f"{path}: must be a file that shoal wrote. Got a symbolic link. Remove it.")
        write_text(path, "".join(map(_format_line, (self.head, *told))), force=True, private=True)


def _make_private_folder(folder: Path) -> None:
    """Make the folder, or take one that is there, if only its owner, who must be the user, can change what is in it."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not stat.S_ISDIR(found.st_mode) or not mine:
        came = "a symbolic link" if folder.is_symlink() else "one of another user"
        raise BadFile(f"{folder}: must be a folder of your own. Got {came}. Remove it, or name another output.")
    if found.st_mode & 0o022:  # others could put links into it
        folder.chmod(0o700)


def _format_line(told: Any) -> str:
    return json.dumps(told, ensure_ascii=False) + "\n"


def _parse_line(line: str) -> Any:
    """Return what a line tells; None for one that was cut off by a kill."""
    try:
        return parse_json(line, FILE, nan=True)
    except BadFile:
        return None


def compute_key(plan: Plan, question: Question) -> str:
    """Return what a point is kept under: it changes with the method, its options, the attacker and the k asked for."""
    told = [repr(plan.method), plan.end, question.adversary.spec, list(question.ks)]
    return digest_text(json.dumps(told))


def list_versions() -> dict[str, str]:
    """Return the versions of whatever a release depends on."""
    found = {}
    for name in MAKERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def check_folder(folder: Any) -> Path | None:
    """Return the folder as a path; its parent must be there."""
    if folder is None:
        return None
    path = Path(folder)
    if not path.parent.is_dir() or (path.exists() and not path.is_dir()):
        raise BadParameter(f"frontier: 'folder' must be a folder, or a new one in a folder that exists. Got {path}.")
    return path
