"""Delimited text, cell by cell: the exact and patient reader of edge lists and attribute files.

A record is a line, unless a quoted cell holds line breaks. Quoted text is kept as it is; a cell without
quotes loses the blanks around it. A line that begins with a comment sign, where a record could begin, is
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from shoal.errors import BadFile

BLANKS = " \t"
COMMENTS = "#%"
LONGEST = 1 << 20
"""A quoted cell that goes on for more characters than this was never closed."""


class Record(NamedTuple):
    """The cells of one record."""

    line: int
    cells: list[str]
    quoted: tuple[int, ...]
    """Which cells were in quotes."""
    trimmed: tuple[int, ...]
    """Which cells lost blanks around them."""


class Patterns(NamedTuple):
    """What a cell can look like, and what stands between two cells."""

    quoted: re.Pattern[str]
    opening: re.Pattern[str]
    plain: re.Pattern[str]
    gap: re.Pattern[str]


@lru_cache
def _patterns(separator: str | None) -> Patterns:
    blanks = "" if separator is None else "[ ]*" if separator == "\t" else "[ \t]*"
    quoted = rf'{blanks}"((?:[^"]++|"")*+)"{blanks}'
    plain = "[^ \t]*" if separator is None else f"[^{re.escape(separator)}]*"
    gap = "[ \t]+" if separator is None else re.escape(separator)
    return Patterns(*map(re.compile, (quoted, f'{blanks}"', plain, gap)))


class Delimited(NamedTuple):
    """How a text is divided: a separator (None for runs of blanks and tabs) and the signs of comments."""

    path: Path
    separator: str | None
    comments: str = COMMENTS

    def records(self, lines: Iterable[str], first: int = 1) -> Iterator[Record]:
        """Yield the records of lines that have no LF at their end; `first` is the number of the first line.

        >>> for record in Delimited(Path("x.csv"), ",").records(["a, b", "# no", '"x, y","7"']):
        ...     print(record.line, record.cells, record.quoted, record.trimmed)
        1 ['a', 'b'] () (1,)
        3 ['x, y', '7'] (0, 1) ()
        """
        numbered = enumerate(lines, first)
        for line, text in numbered:
            if text.startswith(tuple(self.comments)) or not text.strip(" \t\r"):
                continue
            yield self._quoted(text, line, numbered) if '"' in text else self._plain(text, line)

    def _plain(self, text: str, line: int) -> Record:
        text = self._one_line(text.removesuffix("\r"), line)
        if self.separator is None:
            return Record(line, re.split("[ \t]+", text.strip(BLANKS)), (), ())
        cells = text.split(self.separator)
        short = [cell.strip(BLANKS) for cell in cells]
        return Record(line, short, (), _differ(cells, short))

    def _quoted(self, text: str, line: int, following: Iterator[tuple[int, str]]) -> Record:
        """Read a record in which quotes occur, taking further lines while a quoted cell is open."""
        while (record := self._cells(text.removesuffix("\r"), line)) is None:
            parts, size = [text], len(text)
            while len(parts) == 1 or '"' not in parts[-1]:
                _, more = next(following, (0, None))
                if more is None or size > LONGEST:
                    raise BadFile(f"{self.path}, line {line:,}: a quote must be closed. Got one that is not.")
                parts.append(more)
                size += len(more)
            text = "\n".join(parts)
        return record

    def _cells(self, text: str, line: int) -> Record | None:
        """Cut a record into cells; None where its last quoted cell is still open."""
        text = text.strip(BLANKS) if self.separator is None else text
        cells: list[str] = []
        quoted: list[int] = []
        lost: list[int] = []
        at = 0
        while True:
            if found := self._pattern.quoted.match(text, at):
                quoted.append(len(cells))
                cells.append(found[1].replace('""', '"'))
            elif self._pattern.opening.match(text, at):
                return None
            elif found := self._pattern.plain.match(text, at):
                cells.append(self._one_line(found[0], line).strip(BLANKS))
                lost += [len(cells) - 1] * (cells[-1] != found[0])
            at = found.end() if found else at
            if at == len(text):
                return Record(line, cells, tuple(quoted), tuple(lost))
            at = self._next(text, at, line)

    def _next(self, text: str, at: int, line: int) -> int:
        found = self._pattern.gap.match(text, at)
        if not found:
            raise BadFile(
                f"{self.path}, line {line:,}: a closing quote must end its cell. Got {text[at : at + 20]!r} "
                'after it. A quote inside quotes is written twice: "".'
            )
        return found.end()

    @property
    def _pattern(self) -> Patterns:
        return _patterns(self.separator)

    def _one_line(self, text: str, line: int) -> str:
        if "\r" in text:
            raise BadFile(
                f"{self.path}, line {line:,}: lines must end in LF or CRLF. Got a lone CR inside a line. "
                "Save the file with the line ends of Unix or Windows."
            )
        return text


def _differ(cells: list[str], short: list[str]) -> tuple[int, ...]:
    return () if cells == short else tuple(i for i, cell in enumerate(cells) if cell != short[i])
