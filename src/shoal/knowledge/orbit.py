"""Knowledge of the whole structure: automorphism orbits, k-symmetry (Wu et al. 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.orbits import find_orbits
from shoal.knowledge.base import MANY_LINKS, Adversary, StructuralKnowledge
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View

MOVED = "an automorphism that maps one vertex to the other preserves all that links show without names"


@dataclass(frozen=True)
class Orbit(StructuralKnowledge):
    """Knows the whole graph and the place of v in it, but no names: candidates are the images under automorphisms.

    Automorphisms preserve direction, kind and multiplicity of links. No other knowledge of links without names leaves
    fewer candidates. With `original`, u is a candidate of v if and
    only if an isomorphism from the original to the published graph maps v to u. If the graphs are not isomorphic, no
    vertex has a candidate.

    Examples
    --------
    >>> import networkx as nx, shoal
    >>> shoal.assess(shoal.as_graph(nx.path_graph(5)), Orbit()).sizes.tolist()
    [2, 2, 1, 2, 2]

    References
    ----------
    W. Wu, Y. Xiao, W. Wang, Z. He, Z. Wang: k-symmetry model for identity anonymization in social networks. EDBT 2010.
    """

    shell: ClassVar[str] = "orbit"
    form: ClassVar[str] = "orbit"
    description: ClassVar[str] = "The whole network without names, and the place of a vertex in it."
    notion: ClassVar[str] = "all structural knowledge: automorphism orbits"
    stays_true: ClassVar[bool] = True
    most_links: ClassVar[int | None] = MANY_LINKS

    @property
    def title(self) -> str:
        """The whole network."""
        return "whole network without names"

    @property
    def phrase(self) -> str:
        """The whole network."""
        return "the whole network without names"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return that the place is known."""
        return "has a known place in the whole network without names"

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: automorphisms preserve whatever links show without names."""
        return MOVED if other.is_structural else None

    def see(self, view: View) -> AlikeCandidates:
        """Return the orbits."""

        def tell(v: int) -> tuple[Fact, ...]:
            return (Fact("orbit", None),)

        answer = view.group_alike(find_orbits(view.together), tell)
        if view.original is not None and not _are_isomorphic(answer):
            return AlikeCandidates(
                np.full_like(answer.known, answer.known.max() + answer.published.max() + 1),
                answer.published,
                tell,
            )
        return answer


def _are_isomorphic(answer: AlikeCandidates) -> bool:
    """Return whether both graphs have the same components, each isomorphism class equally often."""
    span = int(max(answer.known.max(), answer.published.max())) + 1
    return np.array_equal(np.bincount(answer.known, minlength=span), np.bincount(answer.published, minlength=span))
