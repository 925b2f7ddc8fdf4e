"""Shares as exact fractions: how they are read, spelled and said."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from shoal.errors import BadParameter, must

HUGE = re.compile(r"e[+-]?\d{3}", re.IGNORECASE)
"""An exponent that would take forever as an exact fraction."""


def parse_share(value: Any, who: str, what: str) -> Fraction:
    """Return a share as an exact fraction, from a number, a Fraction or a text such as "2%", "0.02" or "1/50".

    A float means the decimal number that Python prints for it.

    >>> parse_share("2%", "check", "allow"), parse_share(0.02, "check", "allow")
    (Fraction(1, 50), Fraction(1, 50))
    """
    rule = "a share from 0 to below 1, such as 2% or 0.02"
    text = str(value).strip()
    must(not isinstance(value, bool) and len(text) <= 40 and not HUGE.search(text), who, what, rule, value)
    try:
        share = Fraction(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise BadParameter(f"{who}: '{what}' must be {rule}. Got {value!r:.60}.") from None
    must(0 <= share < 1, who, what, rule, value)
    return share


def spell_share(share: Fraction) -> str:
    """Return a share as exact text: in percent where that has at most four decimals, else as a fraction.

    >>> spell_share(Fraction(1, 50)), spell_share(Fraction(1, 3)), spell_share(Fraction(0))
    ('2%', '1/3', '0%')
    """
    percent = share * 100
    if (percent * 10_000).denominator == 1:
        whole_part, rest = divmod(int(percent * 10_000), 10_000)
        return f"{whole_part}{f'.{rest:04d}'.rstrip('0') if rest else ''}%"
    return str(share)


def describe_share(share: Fraction) -> str:
    """Return a share for a sentence.

    >>> describe_share(Fraction(1, 50)), describe_share(Fraction(1, 3))
    ('2 %', '1/3')
    """
    return spell_share(share).replace("%", " %")
