"""Effort: how long a method may search, in sweeps or in seconds."""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np

from shoal.errors import must, whole

STOPPED = "The search was stopped by hand, so that the same seed alone does not make the same release again."


def amount(effort: Any, who: str) -> int | float:
    """Return the sweeps as an int or the seconds as a float; None is 0, for the method to choose.

    >>> amount(300, "EqualizeRows"), amount("60s", "EqualizeRows")
    (300, 60.0)
    """
    if effort is None:
        return 0
    if isinstance(effort, float | str):
        try:
            seconds = float(effort.removesuffix("s")) if isinstance(effort, str) else effort
        except ValueError:
            seconds = -1.0
        written = not isinstance(effort, str) or effort.endswith("s")
        rule = 'sweeps as a whole number, or seconds as 60.0 or "60s"'
        must(written and seconds > 0 and math.isfinite(seconds), who, "effort", rule, effort)
        return seconds
    return whole(effort, who, "effort", least=0)


METHOD = 2
"""Follows the seed; the order of published files is drawn with 1, and 0 would be no addition at all."""


def drawn(seed: int | None, who: str) -> int:
    """Return the seed, or where none was given a secret one that nobody can guess.

    >>> drawn(7, "SwapWithin")
    7
    """
    return secrets.randbits(128) if seed is None else whole(seed, who, "seed", least=0, most=None)


def generator(seed: int) -> np.random.Generator:
    """Return the generator of a method's seed; what somebody else draws from the same seed is independent of it."""
    return np.random.default_rng([seed, METHOD])
