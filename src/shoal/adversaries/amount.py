"""What the adversaries of l neighbors or relations have in common: the letter l, and a shell name that ends in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from shoal.adversaries.adversary import Adversary, at_most, number
from shoal.errors import BadParameter, whole


@dataclass(frozen=True)
class KnowsAmount(Adversary):
    """Knows l of something."""

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, type(self).__name__, "l", least=1))

    def words(self) -> Sequence[str]:
        """Return l."""
        return [str(self.l)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l."""
        at_most(words, 1, cls.form)
        if not words:
            raise BadParameter(f"'{cls.shell}' must be spelled {cls.form}. Got no L.")
        return cls(number(words[0], cls.form))
