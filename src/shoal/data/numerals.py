"""Numerals: numbers from a text file with a spelling that differs from Python's.

Examples are "50.600", "1e3", " 5", and "2" in a column of decimals. Two numerals are the same value only if their
spellings are equal, and each is published as it was written. Methods that compare or average numbers use the number.
"""

from __future__ import annotations

from typing import Any


class Numeral:
    """A number with its spelling: == compares numbers, :func:`~shoal.data.column.exact` compares spellings."""

    __slots__ = ()
    text: str

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return type(self), (self.text,)

    @property
    def number(self) -> int | float:
        """The number without its spelling."""
        raise NotImplementedError


class WholeNumeral(Numeral, int):
    """A whole number with spaces around it.

    >>> five = WholeNumeral(" 5")
    >>> five == 5, five.number, str(five)
    (True, 5, ' 5')
    """

    def __new__(cls, text: str) -> WholeNumeral:
        """Parse a spelling."""
        found = super().__new__(cls, text)
        found.text = text
        return found

    @property
    def number(self) -> int:
        """The number without its spelling."""
        return int(self)


class RealNumeral(Numeral, float):
    """A number that Python spells differently.

    >>> RealNumeral("50.600"), RealNumeral("50.600") == 50.6, RealNumeral("-0").number
    (50.600, True, 0.0)
    """

    __slots__ = ("text",)

    def __new__(cls, text: str) -> RealNumeral:
        """Parse a spelling."""
        found = super().__new__(cls, text)
        found.text = text
        return found

    @property
    def number(self) -> float:
        """The number without its spelling; zero has no sign."""
        return float(self) + 0.0


def strip_numeral(value: Any) -> Any:
    """Return the number of a numeral; return anything else unchanged.

    >>> strip_numeral(RealNumeral("1e3")), strip_numeral("1e3")
    (1000.0, '1e3')
    """
    return value.number if isinstance(value, Numeral) else value
