"""Names: what the vertices are called, in the order of their ids, kept as they were written."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from types import NoneType
from typing import Any, overload
from unicodedata import normalize

import numpy as np

from shoal.data.column import exact
from shoal.errors import DIGITS, BadGraph, BadParameter, UnknownVertex, did_you_mean, notice, parse_whole, show_value

WHOLE = re.compile("0|[1-9][0-9]*")
SURROGATE = re.compile("[\ud800-\udfff]")
BITS = (10**DIGITS).bit_length()
"""A whole number of more bits has too many digits to be written."""
COMPARED = 4_000
"""Longer names are not normalized, which can take the square of their length."""
NUMBERS_AND_TEXTS = (int, float, np.number, str, bytes, NoneType)
"""Kinds of names among which Python's == tells the same apart as a column does, where no truth value is among them."""


def check_one_value_each(names: Sequence[Hashable]) -> None:
    """Refuse names that Python takes for one key of a dict and that are two values in a column, as True and 1.

    1 and 1.0 are one number, in a column too.
    """
    kinds = set(map(type, names))
    plain = all(issubclass(kind, NUMBERS_AND_TEXTS) and not issubclass(kind, bool) for kind in kinds)
    if plain or kinds <= {str, bool, NoneType}:
        return
    first: dict[Hashable, Hashable] = {}
    for name in names:
        other = first.setdefault(name, name)
        if other is not name and exact(other) != exact(name):
            raise BadGraph(
                f"Vertices must have different names. Got {other!r} and {name!r}, which are two values and one key of "
                "a dict. Spell them as texts."
            )


def check_spelling(values: Iterable[object], who: str, what: str) -> None:
    """Refuse what no file can hold: a text with one half of a surrogate pair, and a number of very many digits.

    >>> check_spelling(["Zoë", 7], "as_graph", "a name")
    """
    for value in values:
        if isinstance(value, str):
            if not value.isascii() and SURROGATE.search(value):
                raise BadParameter(
                    f"{who}: a text must be Unicode. Got {value!r:.60} in {what}, with one half of a surrogate pair."
                )
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise BadParameter(f"{who}: a number must have at most {DIGITS:,} digits. Got a longer one in {what}.")


class Names(Sequence[Hashable]):
    """An immutable sequence of distinct names with a fast way back from a name to its id.

    Names read from a file are text. Where every one of them is a plain decimal number they are stored as
    integers and spelled out on demand, which a graph of millions of vertices notices.

    Parameters
    ----------
    values
        The names; or a 1-dimensional array of (signed) whole numbers that are to be read as text.
    fresh
        Whether they were given anew when a release was saved: then they are nobody's in the original, even if some
        are spelled like names there.
    positions
        Whether they only number the rows of a table, since nobody named them.

    Examples
    --------
    >>> names = Names(["Medici", "Ridolfi"])
    >>> names[1], names.id("Ridolfi"), len(names)
    ('Ridolfi', 1, 2)
    >>> list(Names(np.array([7, 12])))
    ['7', '12']
    """

    __slots__ = ("_ids", "_values", "fresh", "positions")

    def __init__(
        self, values: Iterable[Hashable] | np.ndarray[Any, Any], *, fresh: bool = False, positions: bool = False
    ):
        if isinstance(values, np.ndarray) and not np.issubdtype(values.dtype, np.signedinteger):
            values = values.tolist()
        self._values: Any = values if isinstance(values, np.ndarray | range) else tuple(values)
        if isinstance(self._values, tuple):
            check_one_value_each(self._values)
        self._ids: dict[Hashable, int] | None = None
        self.fresh = fresh
        self.positions = positions

    @classmethod
    def number(cls, n: int) -> Names:
        """Return the names of n rows that nobody named: their positions from 0."""
        return cls(range(n), positions=True)

    def given_anew(self) -> Names:
        """Return the same names, as those of a release that was saved."""
        return Names(self._values, fresh=True)

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> Hashable: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, index: int | slice) -> Hashable | tuple[Hashable, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        value: Hashable = self._values[index]
        return str(value) if isinstance(self._values, np.ndarray) else value

    def __iter__(self) -> Iterator[Hashable]:
        if isinstance(self._values, np.ndarray):
            return map(str, self._values.tolist())
        return iter(self._values)

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Names | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self[:6])
        return f"Names({shown}{', …' if len(self) > 6 else ''}; {len(self)} in all)"

    @property
    def numbers(self) -> np.ndarray[Any, np.dtype[np.int64]] | None:
        """The names as whole numbers where they are stored as such, else None."""
        return self._values if isinstance(self._values, np.ndarray) else None

    def id(self, name: object) -> int:
        """Return the id of the vertex called `name`, or say who might have been meant."""
        found = self._find(name)
        if found is None:
            hint = did_you_mean(name, self)
            raise UnknownVertex(f"There is no vertex {show_value(name)} among the {len(self):,} vertices.{hint}")
        return found

    def spelled(self, text: Hashable) -> Hashable:
        """Return the name that a file or a command line spells as `text`: a number there is text, and here a number.

        >>> Names(range(3)).spelled("2"), Names(["2"]).spelled("2"), Names(range(3)).spelled("02")
        (2, '2', '02')
        >>> Names([7, 5]).spelled("5"), Names([7, "5"]).spelled("5")
        (5, '5')
        """
        if not isinstance(text, str) or not WHOLE.fullmatch(text):
            return text
        number = parse_whole(text)
        if number is None:
            return text
        return number if isinstance(self._values, range) or (text not in self and number in self) else text

    def find(self, names: Iterable[Hashable]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the id of each of `names`, -1 for those that no vertex bears."""
        if isinstance(self._values, range):
            if isinstance(names, Names) and isinstance(names._values, range) and names._values == self._values:
                return np.arange(len(self))
            return np.fromiter((-1 if (at := self._find(name)) is None else at for name in names), dtype=np.int64)
        lookup = self._lookup()
        return np.fromiter((lookup.get(name, -1) for name in names), dtype=np.int64)

    def _find(self, name: Any) -> int | None:
        if isinstance(self._values, range):
            return self._values.index(name) if isinstance(name, int) and name in self._values else None
        try:
            return self._lookup().get(name)
        except TypeError:  # a list, say, can be no name
            return None

    def _lookup(self) -> dict[Hashable, int]:
        if self._ids is None:
            self._ids = {name: i for i, name in enumerate(self)}
            if len(self._ids) != len(self):
                raise BadGraph(f"Names must be distinct. Got {len(self):,} names, {len(self._ids):,} distinct.")
        return self._ids


def warn_of_lookalikes(names: Collection[Hashable], who: str) -> None:
    """Say so if names stay apart that are the same text in Unicode: an e with an accent in one character or in two.

    Names in ASCII are only looked through, so that millions of them cost next to nothing.
    """
    if isinstance(names, Names) and not isinstance(names._values, tuple):
        return  # whole numbers
    odd = [name for name in names if isinstance(name, str) and not name.isascii() and len(name) <= COMPARED]
    keys = [normalize("NFKC", name) for name in odd]
    first = {key: key for key in {key for key in keys if key.isascii()}.intersection(names)}
    alike: dict[str, None] = {}
    for name, key in zip(odd, keys, strict=True):
        other = first.setdefault(key, name)
        if other != name:
            alike |= {other: None, name: None}
    if alike:
        a, b = list(alike)[:2]
        notice(
            f"{who}: names that are the same text after Unicode normalization (NFKC), and stay apart: {len(alike):,}, "
            f"such as {a!a:.60} and {b!a:.60}. If they mean the same, spell them alike."
        )
