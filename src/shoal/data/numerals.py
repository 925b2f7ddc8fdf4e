"""Numerals: numbers from a text file that are spelled in another way than shoal would spell them.

"50.600", "1e3" and " 5" are numbers, and so is "2" among decimals. Two of them are the same cell only if they are
spelled alike, and each is published as it was written. A method that compares or averages numbers takes the number.
"""

from __future__ import annotations

from typing import Any


class Numeral:
    """A number with its spelling. Python's == compares the numbers; :func:`~shoal.data.column.exact` the spellings."""

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
    """A whole number with blanks around it.

    >>> five = WholeNumeral(" 5")
    >>> five == 5, five.number, str(five)
    (True, 5, ' 5')
    """

    def __new__(cls, text: str) -> WholeNumeral:
        """Read a spelling."""
        found = super().__new__(cls, text)
        found.text = text
        return found

    @property
    def number(self) -> int:
        """The number without its spelling."""
        return int(self)


class RealNumeral(Numeral, float):
    """A number that Python would spell in another way.

    >>> RealNumeral("50.600"), RealNumeral("50.600") == 50.6, RealNumeral("-0").number
    (50.600, True, 0.0)
    """

    __slots__ = ("text",)

    def __new__(cls, text: str) -> RealNumeral:
        """Read a spelling."""
        found = super().__new__(cls, text)
        found.text = text
        return found

    @property
    def number(self) -> float:
        """The number without its spelling; zero has no sign."""
        return float(self) + 0.0


def strip_numeral(value: Any) -> Any:
    """Return the number of a numeral, everything else as it is.

    >>> strip_numeral(RealNumeral("1e3")), strip_numeral("1e3")
    (1000.0, '1e3')
    """
    return value.number if isinstance(value, Numeral) else value
