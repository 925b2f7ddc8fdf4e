"""The columns of an edge list: which hold the ends, which are not read, and what their names and values suggest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.table import find_position
from shoal.errors import BadParameter, list_names, notice

ONE_WAY = """from to|sender receiver|sender recipient|payer payee|payer recipient|giver receiver|donor recipient
buyer seller|lender borrower|creditor debtor|follower followee|follower followed|nominator nominee|voter candidate
rater ratee|caller callee|caller called|citing cited|ego alter|advisor advisee|origin destination|parent child
inviter invitee|truster trustee"""
DIRECTED = [tuple(pair.split()) for pair in ONE_WAY.replace("\n", "|").split("|")]
"""Names of the two ends of a link that has a direction; source and target are too common to suggest one."""

PERSONAL = {
    *("age", "sex", "gender", "zip", "zipcode", "postcode", "birth", "birthday", "birthdate", "birthyear", "dob"),
    *("income", "salary", "marital", "ethnicity"),
}
"""Words in the name of a column that describes a person, and so holds no end of a link."""

KEYS = {"id", "name", "node", "person", "user", "vertex", "respondent", "participant", "case", "record", "key"}
"""Words of a column that names people. Beside such a column, one without these words describes them."""
RELATIVES = {"parent", "mother", "father", "spouse", "partner", "friend", "neighbor", "manager", "boss", "supervisor"}
"""Words of a column that names another person."""

ROWS = 5
"""From so many rows, values can show that a file is a table."""
CATEGORIES, REPEATS = 100, 20
"""Two columns with at most so many values, and with so many rows per pair of values, look like categories."""


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of an edge list."""

    names: tuple[str, ...]
    ends: tuple[int, int]
    known: bool = False
    """Whether the caller named the ends, or their names are well known."""
    first: tuple[str, ...] = ()
    """The cells of the first line, where it is read as an edge; the names are then positions."""
    kind: int | None = None
    """The column that holds the kinds of the links; None if they have none."""

    @property
    def heads(self) -> tuple[str, str]:
        """The names of the two columns of ends."""
        return self.names[self.ends[0]], self.names[self.ends[1]]

    @property
    def unread(self) -> tuple[str, ...]:
        """The names of the columns that are not read."""
        return tuple(name for at, name in enumerate(self.names) if at not in self.ends and at != self.kind)

    @property
    def read(self) -> tuple[int, ...]:
        """The columns that are read: those of the ends, then that of the kinds."""
        return self.ends if self.kind is None else (*self.ends, self.kind)

    @property
    def kind_name(self) -> str:
        """The name of the column of kinds; empty if there is none."""
        return "" if self.kind is None else self.names[self.kind]

    @property
    def suggests_direction(self) -> bool:
        """Whether the names of the ends suggest that links have a direction.

        >>> EdgeColumns(("Payer account", "Payee account", "amount"), (0, 1)).suggests_direction
        True
        >>> EdgeColumns(("source", "target"), (0, 1)).suggests_direction
        False
        """
        a, b = map(split_words, self.heads)
        return any((x in a and y in b) or (y in a and x in b) for x, y in DIRECTED)

    def report_unread(self, who: str) -> None:
        """Issue a notice that names the columns that are not read."""
        if self.unread:
            ends, rest = " and ".join(map(repr, self.heads)), list_names(self.unread)
            notice(
                f"{who}: {ends} are read as the ends of the edges. Not used: {rest}.{self._hint_kind()}",
                f"columns not read: {rest}",
            )

    def _hint_kind(self) -> str:
        """Return how to name the column of kinds, if none is named."""
        return " To read one as the kind of each link, use kind= (--kind)." if self.kind is None else ""


def split_words(name: str) -> set[str]:
    """Return the words of a column name, in lower case.

    >>> sorted(split_words("FromNodeId")), sorted(split_words("payer_account"))
    (['from', 'id', 'node'], ['account', 'payer'])
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+", name)}


def choose_ends(known: Sequence[str], wanted: Sequence[str | int] | None, who: str) -> tuple[int, int]:
    """Return the positions of the two columns that hold the ends of the links.

    >>> choose_ends(["from", "to", "weight"], ("from", 2), "friends.csv")
    (0, 2)
    """
    if wanted is None:
        wanted = (0, 1)
    if isinstance(wanted, str) or len(wanted) != 2:
        raise BadParameter(f"{who}: 'columns' must be two columns, by name or by position from 0. Got {wanted!r}.")
    first, second = (find_position(known, column, who) for column in wanted)
    if first == second:
        raise BadParameter(f"{who}: 'columns' must be two different columns. Got {wanted!r}.")
    return first, second


def choose_kind(known: Sequence[str], wanted: str | int | None, ends: tuple[int, int], who: str) -> int | None:
    """Return the position of the column of kinds, or None if none is named.

    >>> choose_kind(["from", "to", "type"], "type", (0, 1), "calls.csv")
    2
    """
    if wanted is None:
        return None
    at = find_position(known, wanted, who)
    if at in ends:
        raise BadParameter(f"{who}: 'kind' (--kind) must be another column than the two ends. Got {known[at]!r}.")
    return at


def find_table_reason(columns: EdgeColumns, sources: Ints | None = None, targets: Ints | None = None) -> str:
    """Return why an edge list looks like a table with one row per person; empty if it does not.

    Without all sources and targets, only the names of the columns are judged.
    """
    if columns.known:
        return ""
    word = _find_word(columns)
    return word if word or sources is None or targets is None else _find_pattern(columns, sources, targets)


def warn_of_table(columns: EdgeColumns, sources: Ints, targets: Ints, who: str) -> None:
    """Issue a notice if an edge list looks like a table with one row per person."""
    reason = find_table_reason(columns, sources, targets)
    if not reason:
        return
    ends = ",".join(map(str, columns.ends) if columns.first else columns.heads)
    named = ",".join((columns.first or columns.names)[:3])
    notice(
        f"{who}: this looks like a table with one row per person, not like a list of links: {reason}. "
        f"To read it as a table, use --table or --columns {named} (in Python: shoal.read_table). "
        f"If it lists links, name their ends with --ends {ends} (columns=)."
    )


def _find_word(columns: EdgeColumns) -> str:
    """Return that an end has the name of a personal attribute, or an empty text."""
    heads = [columns.first[at] for at in columns.ends] if columns.first else columns.heads
    odd = next((head for head in heads if split_words(head) & PERSONAL), None)
    return "" if odd is None else f"the column {odd!r} would hold ends of links"


def _find_pattern(columns: EdgeColumns, sources: Ints, targets: Ints) -> str:
    """Return how the values of the two columns differ from ends of links, or an empty text."""
    linked = targets >= 0
    a, b = (sources, targets) if linked.all() else (sources[linked], targets[linked])
    if len(a) < ROWS:
        return ""
    n = 1 + int(max(a.max(), b.max()))
    seen = np.zeros((2, n), dtype=bool)
    seen[0][a] = seen[1][b] = True
    first, second = map(repr, columns.heads)
    is_key, apart = np.count_nonzero(seen[0]) == len(a), not (seen[0] & seen[1]).any()
    if is_key and _describes(*map(split_words, columns.heads)):
        return f"no value of {first} repeats, and {second} does not name another person"
    if len(columns.names) < 3:
        return ""
    if is_key and apart:
        return f"no value of {first} repeats, and none occurs in {second}"
    if apart and n <= CATEGORIES and len(a) >= REPEATS * len(np.unique(a.astype(np.int64) * n + b)):
        return f"{first} and {second} have few values, and no value in common"
    loops = int(np.count_nonzero(a == b))
    return f"{loops:,} of {len(a):,} rows have equal values in {first} and {second}" if 10 * loops >= len(a) else ""


def _describes(first: set[str], second: set[str]) -> bool:
    """Return whether the first column names people and the second does not, by the words of their names.

    >>> _describes({"id"}, {"department"}), _describes({"id"}, {"manager", "id"}), _describes({"id"}, {"parent"})
    (True, False, False)
    """
    return bool(first) and first <= KEYS and not second & (KEYS | RELATIVES)
