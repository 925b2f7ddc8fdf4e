"""Detection of the separator and the header of an edge list.

It is deterministic and conservative. If two readings are possible, the file is refused or a notice says which one is
used. The first line is a header only if nothing suggests that it is an edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from shoal.data.edge_columns import DIRECTED, EdgeColumns, choose_ends, choose_kind, split_words
from shoal.data.names import Names
from shoal.errors import BadFile, BadParameter, Place, notice
from shoal.io.delimited import COMMENTS, Delimited, TextRecord
from shoal.io.excel import read_sheet
from shoal.io.files import FileFormat, open_file, read_bytes, recode

SAMPLE = 200
"""The number of records that are checked."""

SPELLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", "blank": " "}

PAIRS = """source target|from to|src dst|src dest|source destination|origin destination|u v|i j|node1 node2
nodea nodeb|id1 id2|ida idb|vertex1 vertex2|vertexa vertexb|user1 user2|person1 person2|name1 name2
fromnodeid tonodeid|fromnode tonode|fromid toid|sourceid targetid|sourcenode targetnode|start end|head tail
sender receiver|sender recipient|ego alter|numid1 numid2|follower followee|end1 end2|nodeid1 nodeid2
fromuser touser|caller callee|payer payee|nominator nominee|citing cited|rater ratee|person contact|person friend
name contact|name friend|patient contact|member friend|author coauthor"""
PARTS = {"account", "code", "id", "key", "name", "no", "node", "number", "person", "user", "vertex"}
"""Words that may stand beside the name of an end, as in payer_account."""
WELL_KNOWN = [tuple(pair.split()) for pair in PAIRS.replace("\n", "|").split("|")]
"""Well-known names of the two columns of ends, in lower case and without punctuation."""


NO_VALUE = {"", "na", "n/a", "nan", "null", "none", "?", "-", "."}
"""Texts that mean a missing number, and so are not the name of a column."""

NO_HEADER = "edges, without a header"
"""A comment above the first line that declares that there is no header."""


@dataclass(frozen=True)
class TextOptions:
    """The caller's options for an edge list in text; None means auto-detect."""

    separator: str | None = None
    header: bool | None = None
    columns: Sequence[str | int] | None = None
    comments: str = COMMENTS
    loose: bool = True
    """Whether spaces are as likely as other separators, as in a .txt file."""
    encoding: str | None = None
    """The encoding of the file; None for UTF-8."""
    sheet: str | None = None
    """The sheet of a workbook; None for the first."""
    kind: str | int | None = None
    """The column that holds the kinds of links; None if they have none."""

    @contextmanager
    def open(self, path: Path, kind: FileFormat) -> Iterator[BinaryIO]:
        """Open a file as text in UTF-8: a workbook as the csv text of its sheet, other encodings converted."""
        if kind.format == "xlsx":
            yield BytesIO(read_sheet(path, kind.compression, self.sheet))
        elif self.encoding is not None:
            yield BytesIO(recode(read_bytes(path, kind.compression), path, self.encoding))
        else:
            with open_file(path, kind.compression) as stream:
                yield stream


@dataclass(frozen=True)
class Layout:
    """The detected layout of an edge list."""

    text: Delimited
    columns: EdgeColumns
    body: int
    """The number of the first line with an edge."""
    recognized: tuple[str, ...] = ()
    """The names of the two columns of ends, if the header was detected and not declared."""
    guessed: bool = False
    """Whether the header was detected only because numbers follow it."""
    kept: tuple[str, ...] = ()
    """The ends in the first line, if it was detected and not declared to be an edge."""

    def check_header(self, names: Names, alone: bool) -> None:
        """Issue a notice if the header holds names of vertices, or if both ends of the first edge occur only there."""
        if self.kept and alone:
            notice(
                f"{self.text.path}: the first line, {' '.join(self.kept)!r}, is read as an edge, but neither name "
                "occurs again. If it is a header, use header=True (--header); if not, header=False (--no-header).",
                "first line read as an edge (--header)",
            )
        doubtful = (self.guessed and names.numbers is None) or any(word in names for word in self.recognized)
        if doubtful:
            notice(
                f"{self.text.path}: the first line, {' '.join(self.recognized)!r}, is read as a header. "
                "If it is an edge, use header=False (--no-header); if not, header=True (--header).",
                "first line read as a header (--no-header)",
            )


def detect_layout(path: Path, lines: list[str], options: TextOptions, *, cut: bool = False) -> Layout:
    """Detect the layout of an edge list from its first lines; `cut` says that there are more lines."""
    text = Delimited(path, detect_separator(path, lines, options, cut=cut), options.comments)
    found = _read_sample(text, lines, cut)
    if not found:
        raise BadFile(f"{path}: must hold an edge list. Got only empty lines and comments.")
    first = found[0]
    if len(first.cells) < 2:
        raise BadFile.at(
            Place(str(path), first.line),
            f"an edge list must have two columns. Got one: "
            f"{first.cells[0]!r:.80}. Set the field delimiter, for example with separator=';' (--separator ';'). "
            'A vertex without edges has an empty second cell: `name,`, or `name ""` with spaces.',
        )
    declared = any(line.startswith("#") and line[1:].strip() == NO_HEADER for line in lines[: first.line - 1])
    _warn_of_comments(text, lines, len(first.cells))
    return _decide_header(text, first, found[1:], options, declared=declared)


def _read_sample(text: Delimited, lines: list[str], cut: bool) -> list[TextRecord]:
    """Return the first records; an incomplete last record is dropped if there are more lines."""
    found: list[TextRecord] = []
    try:
        for record in islice(text.records(lines), SAMPLE):
            found.append(record)
    except BadFile:
        if not (cut and found):
            raise
    return found


def detect_separator(path: Path, lines: list[str], options: TextOptions, *, cut: bool = False) -> str | None:
    """Return the separator that splits every line into the same number of cells; None means spaces and tabs.

    A tab has priority, since names rarely hold one. If several other separators fit, raise BadFile.

    >>> detect_separator(Path("x.txt"), ["a;b", "c;d"], TextOptions())
    ';'
    """
    if options.separator is not None:
        return _parse_separator(options.separator)
    fits = {
        mark: _measure_width(Delimited(path, mark, options.comments), lines, cut)
        for mark in ("\t", ",", ";", "|", None)
    }
    if fits["\t"]:
        return "\t"
    marks = [mark for mark in (",", ";", "|") if fits[mark]]
    blanks = options.loose and bool(marks) and fits[marks[0]] != 2 and fits[None] == 2
    if len(marks) > 1 or blanks:
        several = " or by ".join(repr(mark or "spaces") for mark in [*marks, *([None] if len(marks) == 1 else [])])
        raise BadFile(
            f"{path}: the field delimiter must be clear. This file can be split by {several}. "
            "Choose one, for example with separator=',' (--separator ',')."
        )
    if marks or fits[None]:
        return marks[0] if marks else None
    return _guess_separator(path, lines, options.comments)


def _parse_separator(separator: str) -> str | None:
    mark = SPELLED.get(separator, separator)
    if len(mark) != 1 or mark in '"\r\n':
        raise BadParameter(
            "read_graph: 'separator' must be one character, or one of "
            f"{', '.join(name for name in SPELLED if name.isalpha())}. Got {separator!r}."
        )
    return None if mark == " " else mark


def name_separator(mark: str | None) -> str:
    r"""Return the word for a separator, or the separator if it has none; the readers accept both.

    >>> name_separator("\t"), name_separator(None), name_separator(":")
    ('tab', 'space', ':')
    """
    words = {meant: word for word, meant in reversed(SPELLED.items()) if word.isalpha()}
    return words.get(mark or " ", mark or "")


def _measure_width(text: Delimited, lines: list[str], cut: bool) -> int:
    """Return the number of cells of every line; 0 if it differs between lines or is 1."""
    try:
        found = _read_sample(text, lines, cut)
    except BadFile:
        return 0
    if any('"' in cell and i not in record.quoted for record in found for i, cell in enumerate(record.cells)):
        return 0  # it splits a quoted cell
    widths = {len(record.cells) for record in found}
    return widths.pop() if len(widths) == 1 and max(widths) > 1 else 0


def _guess_separator(path: Path, lines: list[str], comments: str) -> str | None:
    """Return the separator that occurs in most lines; the error for a malformed line comes later."""
    data = [line for line in lines[:SAMPLE] if line.strip() and not line.startswith(tuple(comments))]
    counts = {mark: sum(mark in line.strip() for line in data) for mark in ("\t", ",", ";", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] * 2 > len(data) else None


def _decide_header(
    text: Delimited, first: TextRecord, rest: list[TextRecord], options: TextOptions, *, declared: bool
) -> Layout:
    named = any(isinstance(column, str) for column in (*(options.columns or ()), options.kind))
    if named and options.header is False:
        raise BadParameter("read_graph: 'columns' and 'kind' must be positions from 0 if header=False. Got names.")
    pair = find_well_known(first.cells)
    plain = [f"column {i}" for i in range(len(first.cells))]
    told = options.header is not None or named or declared
    guess = "" if told else _guess_header(text, first, rest, pair)
    if options.header or named or guess in ("words", "numbers"):
        ends = choose_ends(first.cells, options.columns or pair, str(text.path))
        words = (first.cells[ends[0]], first.cells[ends[1]]) if guess else ()
        body = rest[0].line if rest else first.line + 1
        kind = choose_kind(first.cells, options.kind, ends, str(text.path))
        columns = EdgeColumns(tuple(first.cells), ends, known=bool(options.columns or pair), kind=kind)
        return Layout(text, columns, body, words, guess == "numbers")
    ends = choose_ends(plain, options.columns, str(text.path))
    kept = (first.cells[ends[0]], first.cells[ends[1]])
    plainly = told or len(rest) < 2 or any(map(_is_number, kept))
    kind = choose_kind(plain, options.kind, ends, str(text.path))
    columns = EdgeColumns(tuple(plain), ends, bool(options.columns), tuple(first.cells), kind)
    return Layout(text, columns, first.line, kept=() if plainly else kept)


def find_well_known(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of a well-known pair of column names, or None."""
    words = [re.sub(r"[\W_]", "", cell.lower()) for cell in cells]
    found = [pair for pair in WELL_KNOWN if words.count(pair[0]) == words.count(pair[1]) == 1]
    if found:
        return words.index(found[0][0]), words.index(found[0][1])
    return _find_directed(cells)


def _find_directed(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of two names such as payer_account and payee_account, or None.

    >>> _find_directed(["day", "Payer ID", "Payee ID"]), _find_directed(["letter from Ann", "letter to Bo"])
    ((1, 2), None)
    """
    words = [split_words(cell) for cell in cells]
    for pair in DIRECTED:
        places = [[at for at, found in enumerate(words) if word in found] for word in pair]
        if [len(found) for found in places] == [1, 1] and places[0] != places[1]:
            (a,), (b,) = places
            rest = words[a] - {pair[0]}
            if rest and rest == words[b] - {pair[1]} and rest <= PARTS:
                return a, b
    return None


def _guess_header(text: Delimited, first: TextRecord, rest: list[TextRecord], pair: tuple[int, int] | None) -> str:
    """Return why the first line is a header: its "words", the "numbers" below it; or "" if it is an edge."""
    a, b = pair or (0, 1)
    below = {record.cells[i] for record in rest for i in (a, b) if i < len(record.cells)} - {""}
    above = {first.cells[a], first.cells[b]}
    alike = set(map(_reduce_name, above)) & set(map(_reduce_name, below))
    if pair and not alike and (below or max(map(len, above)) > 1):
        return "words"
    if not pair and _heads_numbers(first, rest, (a, b)):
        return "numbers"
    if not pair and below and all(map(_is_whole, below)) and not any(map(_is_number, above)):
        if len(rest) < 2:
            _warn_of_guess(text, first, "a header")
        return "numbers"
    known = {word for words in WELL_KNOWN for word in words if len(word) > 1}
    if pair or any(cell.lower() in known for cell in above):
        _warn_of_guess(text, first, "an edge")
    return ""


def _heads_numbers(first: TextRecord, rest: list[TextRecord], ends: tuple[int, int]) -> bool:
    """Return whether a column other than the ends has a word in the first line and numbers in all others."""
    others = [i for i in range(len(first.cells)) if i not in ends]
    words = [i for i in others if first.cells[i].lower() not in NO_VALUE and not _is_number(first.cells[i])]
    columns = ([record.cells[i] if i < len(record.cells) else "x" for record in rest] for i in words)
    return len(rest) >= 2 and any(all(map(_is_number, cells)) for cells in columns)


def can_head(words: tuple[str, str], names: Sequence[str]) -> bool:
    """Return whether a header with these words would not be read as an edge between these names."""
    return not set(map(_reduce_name, words)) & set(map(_reduce_name, names))


def _warn_of_comments(text: Delimited, lines: list[str], width: int) -> None:
    """Issue a notice if a comment line looks like an edge, such as #one,#two."""
    if not text.comments:
        return
    unread = Delimited(text.path, text.separator, "")
    for line, said in enumerate(lines, 1):
        if said.startswith(tuple(text.comments)) and said[1:2].strip() and '"' not in said:
            [record] = unread.records([said])
            if len(record.cells) == width and not find_well_known(record.cells):
                notice(
                    f"{text.path}, line {line:,}: {said!r:.60} is read as a comment. If such lines are edges, use "
                    "comments='' (--comments '').",
                    f"line {line:,} read as a comment (--comments '')",
                )
                return


def _reduce_name(name: str) -> str:
    """Return a key that is equal for names of the same pattern: node1 and node27, or any two letters.

    >>> [_reduce_name(name) for name in ("Node1", "node27", "u", "w", "from", "Ann")]
    ['node0', 'node0', 'letter', 'letter', 'from', 'ann']
    """
    return "letter" if len(name) == 1 and name.isalpha() else re.sub(r"\d+", "0", name.lower())


def _is_whole(cell: str) -> bool:
    return re.fullmatch(r"-?\d+", cell) is not None


def _is_number(cell: str) -> bool:
    try:
        float(cell or "0")
    except ValueError:
        return False
    return True


def _warn_of_guess(text: Delimited, first: TextRecord, taken: str) -> None:
    notice(
        f"{text.path}, line {first.line:,}: {' '.join(first.cells)!r} is read as {taken}. "
        "To be sure, use header=True (--header) or header=False (--no-header).",
        f"first line read as {taken} (--header, --no-header)",
    )
