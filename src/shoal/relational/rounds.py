"""The rounds of a suppression: how many people each left out, and what was left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import format_count
from shoal.show import as_text


@dataclass(frozen=True)
class Round:
    """One round."""

    below: int
    """The people with fewer than k candidates, or possibly fewer: they were left out."""
    people: int
    """The people that were left."""
    links: int
    """The links that were left."""


@dataclass(frozen=True, repr=False)
class Rounds:
    """All rounds of a suppression. They are private: they count people who are not released."""

    people: int
    """The people of the original."""
    links: int
    """The links of the original."""
    rounds: Sequence[Round]
    below: int
    """The people that are left with fewer than k candidates, or possibly fewer."""
    refused: str | None = None
    """Why there is no release; None if there is one."""

    def __repr__(self) -> str:
        return as_text(self)

    def describe(self) -> str:
        """Return the rounds in words."""
        told = [
            f"round {at}: {one.below:,} left out, {format_count(one.people, 'person', 'people')} and "
            f"{format_count(one.links, 'link')} left"
            for at, one in enumerate(self.rounds, 1)
        ]
        return "; ".join([f"{format_count(self.people, 'person', 'people')}, {self.links:,} links before", *told])
