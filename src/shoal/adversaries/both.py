"""Knows several things at once: candidate sets intersect. `KnowsDegree() & KnowsColumns("age")`, degree+columns:age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Self

from shoal.adversaries.adversary import Adversary
from shoal.adversaries.scene import Scene
from shoal.candidates import Candidates, meet
from shoal.engines import Engine
from shoal.errors import BadParameter


@dataclass(frozen=True, repr=False)
class KnowsBoth(Adversary):
    """Knows all of `parts`. Written with `&`; the order in which three are joined makes no difference.

    Examples
    --------
    >>> from shoal import KnowsColumns, KnowsDegree
    >>> KnowsDegree() & KnowsColumns("age")
    KnowsDegree() & KnowsColumns('age')
    """

    parts: tuple[Adversary, ...]

    shell: ClassVar[str] = "+"
    form: ClassVar[str] = "NAME+NAME"
    notion: ClassVar[str] = "several kinds of knowledge at once"

    @classmethod
    def of(cls, *adversaries: Adversary) -> KnowsBoth:
        """Join, without nesting."""
        return cls(tuple(part for a in adversaries for part in (a.parts if isinstance(a, KnowsBoth) else (a,))))

    @property
    def assumes(self) -> str:
        """What any part takes for granted."""
        return " ".join(dict.fromkeys(part.assumes for part in self.parts if part.assumes))

    @property
    def reads_links(self) -> bool:  # type: ignore[override]
        """Whether any part knows about links."""
        return any(part.reads_links for part in self.parts)

    def see(self, scene: Scene, engine: Engine) -> Candidates:
        """Intersect what the parts see."""
        n = scene.published.n
        return reduce(lambda a, b: meet(a, b, n, engine), (part.see(scene, engine) for part in self.parts))

    @property
    def spec(self) -> str:
        """The shell names of the parts, joined by a plus."""
        return "+".join(part.spec for part in self.parts)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.parts))

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Refuse: the registry splits at the plus before it looks for names."""
        raise BadParameter(f"Knowledge is joined as NAME+NAME. Got {':'.join(words)!r}.")
