"""GRAMPA: seedless matching of two networks by their spectra (Fan, Mao, Wu & Xu 2020).

a and b number the eigenvalues of the one and the other matrix, λ_a and μ_b, with eigenvectors u_a and v_b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.attacks.korula_lattanzi import reconcile_graphs
from shoal.attacks.matching import FALSE_LINKS, MatchingAttack, check_number, check_share
from shoal.attacks.protocol import Generator
from shoal.data.arrays import Floats, Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, whole
from shoal.knowledge.view import Pair
from shoal.parts import option
from shoal.progress import track
from shoal.shares import parse_share

Spectrum = tuple[Floats, Floats]

MOST = 10_000
"""The most vertices: the matrices are dense, and time grows with the cube of their size."""
DENSE = 1_000
"""The most vertices for which an audit tries it unasked."""
BEST = 0.05
"""The share of pairs, the most similar ones, that seeds the next attack."""
SYMMETRIC = "Eigenvectors are those of the symmetric matrix: directions and kinds of links are ignored there."
THEN_BY_RELATION = "The attack that the best pairs seed (korula-lattanzi) uses directions and kinds."
JITTER = 1e-9
"""Similarities closer than this share of the largest one are ties. Chance decides them, not rounding."""


@dataclass(frozen=True)
class Grampa(MatchingAttack):
    """Match two networks without seeds: vertices are similar if eigenvectors of close eigenvalues agree on them.

    The similarity of u and w is the sum over all pairs of eigenvalues of u_a(u) v_b(w) (u_a·1) (v_b·1) /
    ((λ_a - μ_b)² + η²). The matrices are the adjacency matrices, less the density off the diagonal, over the root of
    n p (1 - p), so that η means the same in every network. The assignment with the largest sum is taken, ties at
    random. Its most similar 5 % of pairs then seed Korula & Lattanzi's attack with two witnesses and three rounds,
    which is more precise and leaves some people out. With `then=None` the assignment itself is the guess.

    The adjacency matrices are symmetric: a pair is linked or not, whatever the directions and kinds of its links. Only
    Korula & Lattanzi's attack uses directions and kinds. The notes of an outcome say so.

    Parameters
    ----------
    auxiliary
        The share of the original's links that the attacker has, drawn at random.
    eta
        The distance at which eigenvalues still count as close.
    then
        The attack that its best pairs seed: "korula-lattanzi", or None.
    false_links
        The links that the attacker has and the original does not, drawn at random: a share of the original's links, as
        "5%" or 0.05.
    repeats
        The number of repeats, each with other links and other names; 10 or more give intervals.

    Examples
    --------
    >>> import shoal
    >>> from shoal.knowledge.view import Pair
    >>> novel = shoal.examples.les_miserables()
    >>> outcome = Grampa(auxiliary=1, then=None)(Pair.of(novel, novel), None, seed=0)
    >>> outcome.rate > 10 * outcome.baseline
    True

    References
    ----------
    Z. Fan, C. Mao, Y. Wu, J. Xu: Spectral graph matching and regularized quadratic relaxations. ICML 2020.
    """

    auxiliary: float = option(0.9, "Share of the original's links that the attacker has.", metavar="SHARE")
    eta: float = 0.2
    then: Literal["korula-lattanzi"] | None = "korula-lattanzi"
    false_links: float | str = option(0.0, FALSE_LINKS, metavar="SHARE")
    repeats: int = option(1, "Number of repeats; 10 or more give intervals.", metavar="N")

    shell: ClassVar[str] = "grampa"
    title: ClassVar[str] = "matching whole networks without known people (GRAMPA)"
    means: ClassVar[str] = (
        "Has part of the original's links and knows no person in the release. Matches vertices by eigenvectors, and "
        "extends the best pairs by shared matched neighbors."
    )
    source: ClassVar[str] = "Fan, Mao, Wu & Xu 2020"
    reads_ties: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "auxiliary", check_share(self.auxiliary, "Grampa", "auxiliary"))
        object.__setattr__(self, "false_links", float(parse_share(self.false_links, "Grampa", "false_links")))
        object.__setattr__(self, "eta", check_number(self.eta, "Grampa", "eta", zero=False))
        must(self.then in ("korula-lattanzi", None), "Grampa", "then", "'korula-lattanzi' or None", self.then)
        object.__setattr__(self, "repeats", whole(self.repeats, "Grampa", "repeats", least=1))

    @classmethod
    def explain_omission(cls, original: Dataset) -> str | None:
        """Return the number of vertices, where it is large."""
        told = f"It compares all pairs of {original.n:,} vertices; the default limit is {DENSE:,} vertices."
        return f"{told} Name it to try it." if original.n > DENSE else None

    def check(self, pair: Pair) -> None:
        """Refuse graphs that are too large for dense matrices."""
        n = max(pair.original.n, pair.released.n)
        if n > MOST:
            raise BadParameter(
                f"Grampa: the graphs must have at most {MOST:,} vertices, since its matrices are dense. Got {n:,}. "
                "Use KorulaLattanzi (korula-lattanzi) or NarayananShmatikov (narayanan-shmatikov), which need seeds."
            )

    def list_warnings(self, original: Graph) -> tuple[str, ...]:
        """Return a note about directions and kinds of links."""
        if original.ties is None:
            return ()
        return (SYMMETRIC, *([] if self.then is None else [THEN_BY_RELATION]))

    def study(self, auxiliary: Graph) -> tuple[Graph, Spectrum]:
        """Return the auxiliary graph with its spectrum."""
        return auxiliary, compute_spectrum(auxiliary)

    def match(self, auxiliary: Any, released: Graph, seeds: tuple[Ints, Ints], rng: Generator) -> Ints:
        """Return the match of each vertex of the auxiliary graph."""
        graph, known = auxiliary
        x = compare_spectra(known, compute_spectrum(released), self.eta)
        u, w = assign_vertices(x, rng)
        if self.then is None:
            guess = np.full(graph.n, -1, dtype=np.int64)
            guess[u] = w
            return guess
        best = np.argsort(-x[u, w], kind="stable")[: max(1, round(BEST * len(u)))]
        return reconcile_graphs(graph, released, (u[best], w[best]), 2, 3, rng)


def standardize_adjacency(graph: Graph) -> Floats:
    """Return the symmetric adjacency matrix less the density, scaled; all 0 if all pairs are linked, or none."""
    graph = graph.to_undirected().without_kinds()
    n = graph.n
    density = 2 * graph.m / (n * (n - 1)) if n > 1 else 0.0
    if not 0 < density < 1:
        return np.zeros((n, n))
    matrix: Floats = graph.to_scipy().toarray().astype(np.float64)
    matrix -= density
    np.fill_diagonal(matrix, 0)
    matrix /= np.sqrt(n * density * (1 - density))
    return matrix


def compute_spectrum(graph: Graph) -> Spectrum:
    """Return the eigenvalues, and the eigenvectors as columns."""
    track("finding eigenvectors", 0, 0)
    values, vectors = np.linalg.eigh(standardize_adjacency(graph))
    return values, vectors


def compare_spectra(one: Spectrum, other: Spectrum, eta: float) -> Floats:
    """Return the similarity of each vertex of one graph to each vertex of the other."""
    track("comparing eigenvectors", 0, 0)
    (values, vectors), (others, other_vectors) = one, other
    weights: Floats = (values[:, None] - others) ** 2
    weights += eta**2
    np.divide(np.outer(vectors.sum(axis=0), other_vectors.sum(axis=0)), weights, out=weights)
    found: Floats = vectors @ weights @ other_vectors.T
    return found


def assign_vertices(x: Floats, rng: Generator) -> tuple[Ints, Ints]:
    """Return the rows and columns of the assignment with the largest sum, ties broken at random."""
    from scipy.optimize import linear_sum_assignment

    track("assigning vertices", 0, 0)
    x += rng.random(x.shape) * (JITTER * float(np.abs(x).max() or 1))
    rows, columns = linear_sum_assignment(x, maximize=True)
    return rows, columns
