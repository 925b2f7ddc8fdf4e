"""Random perturbation of links, a baseline without a guarantee (Hay et al. 2007; Ying & Wu 2008).

Hay et al. (2007) measured how many vertices are still re-identified. Ying & Wu (2008) studied the spectrum, and
switches that keep all degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.core.incidence import join_incidences
from shoal.data.arrays import Bools
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, must, notice, whole
from shoal.knowledge import Adversary, Degree, Neighbors
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn
from shoal.methods.links.random_edits import count_missing, perturb_links, switch_links
from shoal.optimize.annealing import make_generator
from shoal.parts import option
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.risk.assess import assess
from shoal.seeds import GUESSED, Seed, draw_seed
from shoal.settings import run_in_pieces, size_heavy_pieces

NOTHING = (
    "NOTHING IS GUARANTEED: links were changed at random, and no vertices were made similar. Most published links may "
    "be true. An attacker who knows the links of a person from another source, and allows for some errors, may find "
    "that person."
)
DEGREES_STAY = (
    "Switches keep every degree: an attacker who knows the number of links of a person finds the same candidates as "
    "before."
)
AS_THEY_WERE = "The links are published unchanged: no switch was found that keeps the graph simple."
GUESSABLE = (
    "An attacker who guesses the seed may undo the edits, and a small seed can be guessed. "
    "Leave out the seed to draw one that cannot be guessed."
)
SHARES = (0.05, 0.1, 0.2, 0.5)
"""Shares of the links that a frontier adds and deletes."""


@dataclass(frozen=True)
class Perturb(Method):
    """Change links at random: a baseline that guarantees nothing.

    `release.measured` has measures of the risk; keep them private. They are the share of released links that are true,
    the share of missing links that are true, and the numbers of identified vertices. A vertex counts as identified if
    an attacker finds it by its original degree, by one of its original neighbors, or by all of its original links with
    errors allowed.

    Parameters
    ----------
    add
        The number of links to add, drawn uniformly among missing ones: a whole number, or a share of the links such as
        0.1, rounded up.
    delete
        The number of links to delete, drawn uniformly: a whole number or a share. With the same number to add it is
        "random add/delete".
    switch
        How many times two links (a, b), (c, d) become (a, d), (c, b), which keeps every degree: a whole number or a
        share of the links. Cannot be combined with `add` or `delete`.

        Where links have directions or kinds, links to delete are drawn among all links. The links to add are shared out
        to the kinds and directions in proportion to their links, and drawn among the missing ones of each. Two links
        that are switched have the same kind, and arcs keep their direction: a -> d and c -> b. So every vertex keeps
        its number of links of each kind and direction.
    seed
        Random seed. Keep it private; random by default. An attacker who knows it may undo the edits.

    Examples
    --------
    >>> import shoal
    >>> release = Perturb(add=0.1, delete=0.1, seed=1)(shoal.examples.karate())
    >>> len(release.edits.added), len(release.edits.removed), release.promises
    (8, 8, ())

    Switches keep degrees, so a unique degree still identifies its vertex:

    >>> release = Perturb(switch=20, seed=1)(shoal.examples.karate())
    >>> release.measured["identified by degree"]
    {'before': 6, 'after': 6, 'identified wrongly': 0}

    References
    ----------
    M. Hay, G. Miklau, D. Jensen, P. Weis, S. Srivastava: Anonymizing social networks. Technical report 2007.
    X. Ying, X. Wu: Randomizing social networks: a spectrum preserving approach. SDM 2008.
    """

    add: int | float = option(0, "Links to add at random, as 100 or 0.1.")
    delete: int | float = option(0, "Links to delete at random, as 100 or 0.1.")
    switch: int | float = option(0, "Pairs of links that exchange ends, as 100 or 0.1.")
    seed: Seed[None] = Seed(None, secret=True)

    shell: ClassVar[str] = "perturb"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: adds, removes or switches some at random"
    protects: ClassVar[str] = "no attacker for certain: a baseline"
    promises: ClassVar[str] = "nothing"
    source: ClassVar[str] = "Hay et al. 2007; Ying & Wu 2008"
    alone: ClassVar[tuple[str, ...]] = (NOTHING,)

    def __post_init__(self) -> None:
        for what in ("add", "delete", "switch"):
            object.__setattr__(self, what, _parse_amount(getattr(self, what), what))
        if self.switch and (self.add or self.delete):
            raise BadParameter(
                f"Perturb: 'switch' must be used without 'add' and 'delete'. Got add={self.add!r}, "
                f"delete={self.delete!r}, switch={self.switch!r}. Run one after the other."
            )
        if not (self.switch or self.add or self.delete):
            raise BadParameter("Perturb: one of 'add', 'delete' and 'switch' must be more than 0. Got 0 for all.")

    def declare_policy(self) -> dict[str, Any]:
        """Return the kinds of edits. Their numbers would reveal the size of the original."""
        return {"edits": [what for what in ("add", "delete", "switch") if getattr(self, what)]}

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return several shares of the links to add and to delete."""
        return [{"add": share, "delete": share} for share in SHARES]

    def __call__(self, data: Any) -> Release:
        """Return the graph with random edits, and measures of its risk."""
        original = as_graph(data)
        must(not original.is_multigraph, "Perturb", "data", "a simple graph (leave out multigraph)", original)
        seed = draw_seed(self.seed, "Perturb")
        add, delete, switch = (_count_links(share, original) for share in (self.add, self.delete, self.switch))
        must(delete <= original.m, "Perturb", "delete", f"at most the number of links, {original.m:,}", delete)
        absent = count_missing(original)
        must(add <= absent, "Perturb", "add", f"at most the number of missing links, {absent:,}", add)
        if self.switch:
            graph, made = switch_links(original, switch, make_generator(seed))
            _warn_of_few(made, switch)
        else:
            graph, made = perturb_links(original, add, delete, make_generator(seed)), 0
        measured = {**({"switches made": made} if self.switch else {}), **measure_risk(original, graph)}
        told = {
            NOTHING: True,
            DEGREES_STAY: self.switch,
            GUESSABLE: seed < GUESSED,
            AS_THEY_WERE: graph is original,
            ATTRIBUTES_STAY: len(original.attributes),
        }
        notes = tuple(note for note, applies in told.items() if applies)
        return verify_release(Release(original, graph, (), self, seed=seed, measured=measured, notes=notes))


def _parse_amount(value: Any, what: str) -> int | float:
    """Return a number of links, or a share between 0 and 1."""
    if isinstance(value, float):
        rule = "a share between 0 and 1 (such as 0.1), or a whole number of 0 or more"
        must(0 <= value < 1, "Perturb", what, rule, value)
        return float(value)
    return whole(value, "Perturb", what, least=0)


def _count_links(amount: int | float, graph: Graph) -> int:
    """Return an amount as a number of links. A share is read as an exact decimal, and the result is rounded up.

    >>> _count_links(0.07, Graph.from_pairs(range(101), range(100), range(1, 101)))
    7
    """
    return ceil(Fraction(repr(amount)) * graph.m) if isinstance(amount, float) else amount


def _warn_of_few(made: int, wanted: int) -> None:
    if made < wanted:
        notice(
            f"Perturb: {made:,} of {wanted:,} switches were made. No more were found that keep the graph simple. "
            "If a few vertices are linked to all others, few switches exist. Use add and delete instead."
        )


# The risk that is left: which links are true, and which vertices facts from the original still identify.

TRUE, HIDDEN = "share of released links that are true", "share of missing links that are true"
BY_DEGREE, BY_NEIGHBOR = "identified by degree", "identified by one neighbor"
BY_LINKS = "identified by all links, errors allowed"


def measure_risk(original: Graph, graph: Graph) -> dict[str, Any]:
    """Return how much of the release is true, and how many vertices facts from the original identify."""
    common, absent = find_edge_difference(original, graph), count_missing(graph)
    kept = common.both
    return {
        "edits": common.edits,
        **({TRUE: kept / graph.m} if graph.m else {}),
        **({HIDDEN: (original.m - kept) / absent} if absent else {}),
        BY_DEGREE: count_singled_out(original, graph, Degree(), find_by_degree(original, graph)),
        BY_NEIGHBOR: count_singled_out(original, graph, Neighbors(1), find_by_neighbor(original, graph)),
        BY_LINKS: {
            "before": int(find_by_links(original, original).sum()),
            "after": int(find_by_links(original, graph).sum()),
        },
    }


def count_singled_out(original: Graph, graph: Graph, knows: Adversary, rightly: Bools) -> dict[str, int]:
    """Count the vertices with one candidate: in the original, and in the release by facts from the original."""
    alone = assess(graph, knows, original=original).sizes == 1
    before = int((assess(original, knows).sizes == 1).sum())
    return {
        "before": before,
        "after": int(rightly.sum()),
        "identified wrongly": int((alone & ~rightly).sum()),
    }


def find_by_degree(original: Graph, graph: Graph) -> Bools:
    """Return which vertices have their original degree in the release, and no other vertex has it."""
    if graph.ties is not None:
        alone: Bools = assess(graph, Degree(), original=original).sizes == 1
        return alone & ~find_changed_degrees(original, graph)
    most = int(max(original.degree.max(), graph.degree.max())) + 1
    alone = np.bincount(graph.degree, minlength=most)[original.degree] == 1
    found: Bools = alone & (graph.degree == original.degree)
    return found


def find_changed_degrees(original: Graph, graph: Graph) -> Bools:
    """Return which vertices have another number of links of some kind and direction."""
    from scipy.sparse import csr_array

    both = original.beside(graph)
    indptr, relation, counts = both.degree_vectors
    assert both.ties is not None
    vectors = csr_array((counts, relation, indptr), shape=(both.n, len(both.ties.relations)))
    change = (vectors[: original.n] - vectors[original.n :]).tocsr()
    changed: Bools = np.asarray(np.abs(change).sum(axis=1)).reshape(-1) > 0
    return changed


def find_by_neighbor(original: Graph, graph: Graph) -> Bools:
    """Return which vertices are the only ones, in the release, that are linked in a way to one of their neighbors.

    Only original links count that are still there. They count with their direction and kind.
    """
    entries, (indptr, items, _) = join_incidences(graph, original, np.arange(graph.n), "neighbors")
    row, counts = np.repeat(np.arange(graph.n), np.diff(indptr)), np.diff(entries.indptr)
    only = counts[items] == 1
    holder = entries.indices[entries.indptr[items[only]]]
    found = np.full(graph.n, graph.n == 1)  # a single vertex is identified without any knowledge
    found[row[only][holder == row[only]]] = True
    return found


def find_by_links(original: Graph, graph: Graph) -> Bools:
    """Return which vertices are closer to their own original links than every other released vertex is.

    This models an attacker who knows all original links of a person and the positions of the other vertices in the
    release, and who allows for wrong links.
    """
    from shoal.methods.links._kernels.edits import found_again

    found, lowest = np.zeros(graph.n, dtype=np.bool_), np.argsort(graph.degree, kind="stable")
    entries, (indptr, items, _) = join_incidences(graph, original, np.arange(graph.n), "neighbors")
    rows = indptr, items.astype(np.int32, copy=False), entries.indptr, entries.indices
    room = len(entries.indptr) - 1

    def piece(first: int, last: int) -> None:
        found_again(first, last, np.zeros(room, dtype=np.int64), *rows, lowest, found)

    run_in_pieces(piece, graph.n, "comparing links", size_heavy_pieces(graph.n))
    return found
