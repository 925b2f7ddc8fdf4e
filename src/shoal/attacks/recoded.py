"""Recoded columns: known columns that the release writes differently, so that equal values are not enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.errors import list_names
from shoal.knowledge import Adversary
from shoal.knowledge.view import Pair


def list_recoded(pair: Pair, adversary: Adversary) -> tuple[str, ...]:
    """Return the known columns whose values in the release differ from those of the released people in the original.

    Facts are compared value by value, and "41" is not "40-49". Values that only the release has count too: if one 41
    became "*", another 41 still fits.
    """
    assert pair.counterpart is not None
    there, found = pair.counterpart >= 0, []
    for name in adversary.columns(pair.original.attributes):
        if name in pair.released.attributes:
            codes = pair.original.attributes[name].followed_by(pair.released.attributes[name])
            known, published = codes[: pair.original.n][there], codes[pair.original.n :]
            if len(np.setxor1d(known, published)):
                found.append(name)
    return tuple(found)


def describe_recoded(columns: Sequence[str]) -> str:
    """Return a note that values are compared as they are, so that a rate is a lower bound."""
    return (
        f"The release has other values of {list_names(columns, spell=str)} than the original. Values are compared as "
        "they are. An attacker who understands the recoding (a range, a mean, *) may find more: the rate is a lower "
        "bound."
    )
