"""Knowledge of the whole structure: automorphism orbits, k-symmetry (Wu et al. 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.orbits import find_orbits
from shoal.knowledge.base import Adversary
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View


@dataclass(frozen=True)
class Orbit(Adversary):
    """Knows the whole graph and where v is in it, but no names: candidates are the images of v under automorphisms.

    No knowledge of the unnamed structure leaves fewer candidates. With `original`, u is a candidate of v if and only if
    an isomorphism from the original to the published graph maps v to u: if the graphs differ, nobody has a candidate.

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
    notion: ClassVar[str] = "all structural knowledge: automorphism orbits"

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
    """Tell whether both graphs have the same components: each kind as often in the one as in the other."""
    span = int(max(answer.known.max(), answer.published.max())) + 1
    return np.array_equal(np.bincount(answer.known, minlength=span), np.bincount(answer.published, minlength=span))
