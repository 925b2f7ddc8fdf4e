"""How a kind of knowledge is counted in an engine: as classes of vertices, or as one size per vertex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.relational.network import Network


@dataclass(frozen=True)
class Counter:
    """How an engine counts one kind of knowledge; exactly one of `group` and `count` is given.

    Every refusal comes before any work.
    """

    form: str
    """What is counted, as knowledge is spelled."""
    refuse: Callable[[Any], bool] = lambda _: False
    """Whether the options of a kind are not counted."""
    group: Callable[[Network, Any], str] | None = None
    """Return a table (v, code): u is a candidate of v iff their codes are equal."""
    count: Callable[[Network, Any], str] | None = None
    """Return a table (v, candidates, exact)."""
