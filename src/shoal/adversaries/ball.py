"""What the adversaries of a ball have in common: a radius, and a shell name that may leave it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from shoal.adversaries.adversary import Adversary, at_most, number
from shoal.errors import whole


@dataclass(frozen=True)
class KnowsBall(Adversary):
    """Knows something about the ball: the subgraph induced by the vertices at distance <= radius."""

    radius: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", whole(self.radius, type(self).__name__, "radius", least=0))

    def words(self) -> Sequence[str]:
        """Return the radius."""
        return [str(self.radius)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the radius; 1 if there is none."""
        at_most(words, 1, cls.form)
        return cls(number(words[0], cls.form) if words else 1)
