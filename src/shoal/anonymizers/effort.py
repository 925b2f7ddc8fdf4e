"""Effort: how long a method may search, in sweeps or in seconds."""

from __future__ import annotations

import math
from typing import Any

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
