"""Names of vertices or records, in the order of their ids, kept as written."""

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
"""An integer of more bits has more than DIGITS digits."""
COMPARED = 4_000
"""Longer names are not normalized, since that can take quadratic time."""
NUMBERS_AND_TEXTS = (int, float, np.number, str, bytes, NoneType)
"""Types of names for which == agrees with the exact comparison of a column, if there is no bool."""


def check_one_value_each(names: Sequence[Hashable]) -> None:
    """Raise BadGraph if two names are equal in Python but different values in a column, such as True and 1.

    1 and 1.0 are the same number in a column too.
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
                f"Vertices must have different names. Got {other!r} and {name!r}, which are equal in Python. "
                "Convert them to text."
            )


def check_spelling(values: Iterable[object], who: str, what: str) -> None:
    """Raise BadParameter for values that no file can hold: a lone surrogate in a text, or a very long integer.

    >>> check_spelling(["Zoë", 7], "as_graph", "a name")
    """
    for value in values:
        if isinstance(value, str):
            if not value.isascii() and SURROGATE.search(value):
                raise BadParameter(
                    f"{who}: a text must be valid Unicode. Got {value!r:.60} in {what}, with a lone surrogate."
                )
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise BadParameter(f"{who}: a number must have at most {DIGITS:,} digits. Got a longer one in {what}.")


class Names(Sequence[Hashable]):
    """An immutable sequence of distinct names, with a fast lookup of the id of a name.

    Names read from a file are text. If all of them are plain decimal numbers, they are stored as integers and
    converted to text on access, which saves memory in large graphs.

    Parameters
    ----------
    values
        The names; or a one-dimensional array of signed integers that stand for their texts.
    fresh
        Whether the names are new, assigned when a release was saved. Such a name does not refer to a vertex of the
        original, even if the original has the same name.
    positions
        Whether the names are only the positions of the rows of a table without names.

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
        """Return the default names of n rows: their positions from 0."""
        return cls(range(n), positions=True)

    def given_anew(self) -> Names:
        """Return the same names, marked as newly assigned to a saved release."""
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
        """The names as integers if they are stored as integers, else None."""
        return self._values if isinstance(self._values, np.ndarray) else None

    def id(self, name: object) -> int:
        """Return the id of a name, or raise UnknownVertex with similar names."""
        found = self._find(name)
        if found is None:
            hint = did_you_mean(name, self)
            raise UnknownVertex(f"There is no vertex {show_value(name)} among the {len(self):,} vertices.{hint}")
        return found

    def spelled(self, text: Hashable) -> Hashable:
        """Return the name that a text from a file or a command line refers to, which may be an integer.

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
        """Return the id of each name; -1 if no vertex has it."""
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
        except TypeError:  # not hashable
            return None

    def _lookup(self) -> dict[Hashable, int]:
        if self._ids is None:
            self._ids = {name: i for i, name in enumerate(self)}
            if len(self._ids) != len(self):
                raise BadGraph(f"Names must be distinct. Got {len(self):,} names, {len(self._ids):,} distinct.")
        return self._ids


def warn_of_lookalikes(names: Collection[Hashable], who: str) -> None:
    """Issue a notice if different names are equal after Unicode normalization, such as two encodings of é.

    Names in ASCII are skipped, so that millions of names cost little time.
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
            f"{who}: {len(alike):,} different names are equal after Unicode normalization (NFKC), such as "
            f"{a!a:.60} and {b!a:.60}. They are kept apart. If they mean the same, write them the same way.",
            f"names equal after normalization: {len(alike):,}",
        )
