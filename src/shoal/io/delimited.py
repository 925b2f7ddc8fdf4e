"""Delimited text, cell by cell: the exact and patient reader of edge lists and attribute files.

A record is a line, unless a quoted cell holds line breaks. Quoted text is kept as it is; blanks between a quote and
the separator are no part of the cell. A cell without quotes loses the blanks around it in an edge list, where cells
are names, and keeps them in a table. A line that begins with a comment sign, where a record could begin, is skipped.
Every line is read once, however many lines a quoted cell takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from shoal.errors import BadFile, notice

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

    opening: re.Pattern[str]
    inside: re.Pattern[str]
    blanks: re.Pattern[str]
    plain: re.Pattern[str]
    gap: re.Pattern[str]


@lru_cache
def _patterns(separator: str | None) -> Patterns:
    blanks = "" if separator is None else "[ ]*" if separator == "\t" else "[ \t]*"
    inside = r'(?:[^"]++|"")*+'
    plain = "[^ \t]*" if separator is None else f"[^{re.escape(separator)}]*"
    gap = "[ \t]+" if separator is None else re.escape(separator)
    return Patterns(*map(re.compile, (f'{blanks}"', inside, blanks, plain, gap)))


class Delimited(NamedTuple):
    """How a text is divided: a separator (None for runs of blanks and tabs) and the signs of comments."""

    path: Path
    separator: str | None
    comments: str = COMMENTS
    trims: bool = True
    """Whether a cell without quotes loses the blanks around it."""

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
        short = [self._cell(cell) for cell in cells]
        return Record(line, short, (), _differ(cells, short))

    def _cell(self, text: str) -> str:
        return text.strip(BLANKS) if self.trims else text

    def _quoted(self, text: str, line: int, following: Iterator[tuple[int, str]]) -> Record:
        """Read a record in which quotes occur, taking further lines while a quoted cell is open."""
        cells: list[str] = []
        quoted: list[int] = []
        lost: list[int] = []
        text = text.lstrip(BLANKS) if self.separator is None else text
        at, stop = 0, self._stop(text)
        while True:
            if found := self._pattern.opening.match(text, at):
                cell, last, end = self._in_quotes(text, found.end(), line, following)
                text, stop = last, stop if last is text else self._stop(last)
                at = self._pattern.blanks.match(text, end + 1, stop).end()  # type: ignore[union-attr]
                quoted.append(len(cells))
                lost += [len(cells)] * (len(found[0]) > 1 or at > end + 1)
                cells.append(cell.replace('""', '"'))
            elif found := self._pattern.plain.match(text, at, stop):
                cells.append(self._cell(self._one_line(found[0], line)))
                lost += [len(cells) - 1] * (cells[-1] != found[0])
                at = found.end()
            if at == stop:
                return Record(line, cells, tuple(quoted), tuple(lost))
            at = self._next(text, at, line)

    def _stop(self, text: str) -> int:
        """Return where the last cell of a line ends."""
        text = text.removesuffix("\r")
        return len(text.rstrip(BLANKS) if self.separator is None else text)

    def _in_quotes(self, text: str, at: int, line: int, following: Iterator[tuple[int, str]]) -> tuple[str, str, int]:
        """Return what stands in quotes from a place on, the line in which they close, and where in it they do."""
        parts: list[str] = []
        size = 0
        while (end := self._pattern.inside.match(text, at).end()) == len(text):  # type: ignore[union-attr]
            parts.append(text[at:])
            size += len(text) - at
            _, more = next(following, (0, None))
            if more is None or size > LONGEST:
                raise BadFile(f"{self.path}, line {line:,}: a quote must be closed. Got one that is not.")
            text, at = more, 0
        return "\n".join([*parts, text[at:end]]), text, end

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


def tell_trimmed(path: Path, what: str, trimmed: int, hint: str = " Quotes keep blanks.") -> None:
    """Say how many names or cells lost the blanks around them."""
    if trimmed:
        notice(f"{path}: {what} that lost the blanks around them: {trimmed:,}.{hint}")
