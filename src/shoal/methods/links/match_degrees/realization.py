"""Graphs with the target degrees: the rounds of Liu & Terzi, with a fallback that leaves no unit over.

A round sets targets and serves them. What is left over has no partner whose class could spare it: it is served anyhow
(their "probing"), and the next round groups the degrees as they are then. With additions only every such round adds an
edge, and the complete graph, in which all degrees are the same, ends it at the latest.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.graph import Graph
from shoal.methods.base import add_names
from shoal.methods.links.match_degrees.edits import DegreeEdits
from shoal.methods.links.match_degrees.groups import (
    Targets,
    find_even_groups,
    find_least_deficient_groups,
    find_optimal_groups,
    list_candidates,
    sort_degrees,
)
from shoal.optimize.annealing import make_generator
from shoal.progress import track

DELETING = 4
"""Rounds in which links may go; after that links are only added, so that it ends."""
SMALL, DRAWS = 60, 4
"""Up to how many vertices many targets are realized, and how often each."""


def serve_units(edits: DegreeEdits, *, delete: bool) -> bool:
    """Serve all units, as cheaply as it goes; tell whether none is left over."""
    signs = (1, -1) if delete else (1,)
    for sign in signs:
        edits.pair(sign)
    if delete:
        edits.switch()
    for sign in signs:
        edits.partner(sign)
    while edits.left and edits.lift():
        edits.pair(1)
        edits.partner(1)
    return edits.left == 0


def serve_all_units(edits: DegreeEdits, *, delete: bool) -> DegreeEdits:
    """Go round after round until every unit is served."""
    rounds = 0
    while not serve_units(edits, delete=delete):
        edits.force()
        rounds += 1
        track("matching degrees, round", rounds, 0)
        delete = delete and rounds < DELETING
        edits.aim_in_order(choose_targets(sort_degrees(edits.degree), edits.k, delete=delete).moved)
    return edits


def choose_targets(d: Ints, k: int, *, delete: bool) -> Targets:
    """Return the targets of the least cost; of the least even cost where that is no dearer or nobody can be spared."""
    found = find_optimal_groups(d, k, down=delete)
    if found.cost % 2 == 0:
        return found
    other = find_even_groups(d, k, down=delete)
    return other if other and (other.cost <= found.cost + 1 or not can_spare(found.moved, k)) else found


def can_spare(moved: Ints, k: int) -> bool:
    """Tell whether somebody can be spared by a class for the next one."""
    population = np.bincount(moved)
    return bool(((population[:-1] > k) & (population[1:] >= k)).any())


def estimate_edits(graph: Graph, k: int, targets: Targets, seed: int) -> int:
    """Return twice about how many edits some targets take: whatever does not meet costs one each."""
    edits = DegreeEdits(graph, k, make_generator(seed), near=False)
    edits.aim_in_order(targets.moved)
    return targets.cost + edits.pair_once()


def find_fewest_edits(graph: Graph, k: int, *, delete: bool, seed: int) -> DegreeEdits:
    """Return the fewest edits found: a few targets are realized that promise few, many in small graphs."""
    d = sort_degrees(graph.degree)
    small = graph.n <= SMALL
    found = [
        choose_targets(d, k, delete=delete),
        find_optimal_groups(d, k, down=delete),
        *([find_even_groups(d, k, down=delete)] if small else []),
    ]
    if delete:
        found += list_candidates(d, k)
    tried = {targets.moved.tobytes(): targets for targets in found if targets}
    about = sorted(tried.values(), key=lambda targets: estimate_edits(graph, k, targets, seed))
    ways = [(t, delete) for t in about[: 12 if small else 3]]
    if small and delete:
        ways += [(t, False) for t in (choose_targets(d, k, delete=False), find_even_groups(d, k, down=False)) if t]
    draws = range(DRAWS if small else 1)
    made = [realize_degrees(graph, k, t, None, delete=down, seed=seed, draw=draw) for t, down in ways for draw in draws]
    return min(made, key=lambda edits: len(edits.list_toggled()[0]))


def realize_degrees(
    graph: Graph, k: int, targets: Targets, realize: str | None, *, delete: bool, seed: int, draw: int = 0
) -> DegreeEdits:
    """Return edits of a graph that make it k-degree anonymous, starting with some targets.

    "umga" takes partners with little neighborhood centrality before two units are paired, "simultaneous-swap" switches
    before; both take more edits.
    """
    rng = make_generator(seed) if draw == 0 else make_generator(seed).spawn(draw)[-1]
    edits = DegreeEdits(graph, k, rng, near=realize in (None, "umga"))
    edits.aim_in_order(targets.moved)
    if delete and realize in ("umga", "simultaneous-swap"):
        edits.switch()
    if realize == "umga":
        for sign in (1, -1) if delete else (1,):
            edits.partner(sign)
    return serve_all_units(edits, delete=delete)


# Graphs built from the target degrees alone, and brought near the original afterwards (Liu & Terzi 2008).
#
# ConstructGraph joins whoever lacks most links to the others who lack most (Havel and Hakimi). Priority takes over the
# original's links first. Greedy-Swap begins with a graph that ignores them, and swaps the ends of two links wherever
# that brings back one of the original's, or two.

SAMPLE, PASSES = 16, 12
"""Neighbors looked at for a swap, and how often all of the original's links are gone through."""


def construct_graph(original: Graph, k: int, targets: Targets, *, priority: bool, seed: int) -> DegreeEdits:
    """Return edits of a graph without links: a graph with the target degrees, or near them, k-degree anonymous."""
    from shoal.methods.links._kernels import degree_edits as loops

    none = np.empty(0, dtype=np.int64)
    edits = DegreeEdits(Graph.from_pairs(original.names, none, none), k, make_generator(seed), near=False)
    edits.aim_at(_order_targets(original, targets, seed))
    if priority:
        loops.link_known(edits.list_needy(1), original.indptr, original.indices, edits.need, edits.make_state())
    serve_all_units(edits, delete=False)
    _swap_links(original, edits)
    return edits


def _order_targets(original: Graph, targets: Targets, seed: int) -> Ints:
    """Return the targets by vertex."""
    order = DegreeEdits(original, 1, make_generator(seed), near=False).order_by_degree()
    aim = np.empty(original.n, dtype=np.int64)
    aim[order] = targets.moved
    return aim


def _swap_links(original: Graph, edits: DegreeEdits) -> None:
    """Bring in links of the original until a pass finds none, or after some passes."""
    from shoal.methods.links._kernels import degree_edits as loops

    a, b, _ = original.edges()
    known = (original.indptr, original.indices)
    for done in range(PASSES):
        track("swapping towards the original", done, PASSES)
        order = edits.rng.permutation(len(a))
        if not loops.greedy_swaps(a[order], b[order], known, edits.make_state(), SAMPLE):
            break


# k-degree anonymity by adding vertices: links between original vertices stay as they are (Chester et al. 2011).
#
# Groups are chosen so that the largest raise in them is the least there can be. As many new vertices as that, or a few
# more, take the links that are lacking in turns, so that their degrees differ by one at most; links among them bring
# all to the same degree, one that original vertices have.


def add_vertices(original: Graph, k: int, seed: int) -> tuple[Graph, Targets]:
    """Return the graph with new vertices after its own, and the targets of its own."""
    targets = find_least_deficient_groups(sort_degrees(original.degree), k)
    if not targets.cost:
        return original, targets
    rng = make_generator(seed)
    drawn = rng.permutation(original.n)
    order = drawn[np.argsort(-original.degree[drawn].astype(np.int64), kind="stable")]
    lack = targets.moved - targets.degrees
    many, degree = count_new_vertices(lack, targets.moved)
    shuffled = rng.permutation(original.n)
    takers = np.repeat(order[shuffled], lack[shuffled])
    fresh = original.n + np.arange(len(takers)) % many
    inner = np.bincount(fresh - original.n, minlength=many)
    c, d = link_near_regular(degree - inner)
    a, b, _ = original.edges()
    sources = np.concatenate([a, takers, c + original.n])
    ends = np.concatenate([b, fresh, d + original.n])
    rows = np.concatenate([np.arange(original.n), rng.integers(original.n, size=many)])
    table = original.attributes.take(rows)
    names = add_names(original.names, (f"new vertex {number}" for number in range(1, many + 1)))
    return Graph.from_pairs(names, sources, ends, attributes=table), targets


def count_new_vertices(lack: Ints, moved: Ints) -> tuple[int, int]:
    """Return the fewest new vertices that can do it, and the degree that each of them gets.

    It is a degree that k original vertices have, so that the new ones are not a class of their own. That can always be:
    the sum of all degrees must be even, and where no degree is odd, neither is what is lacking.
    """
    total, classes = int(lack.sum()), np.unique(moved)
    many = int(lack.max())
    while True:
        least, most = -(-total // many), total // many + many - 1
        known = classes[(classes >= least) & (classes <= most) & ((many * classes - total) % 2 == 0)]
        if len(known):
            return many, int(known[0])
        many += 1


def link_near_regular(degrees: Ints) -> tuple[Ints, Ints]:
    """Return links that give everybody the degree asked for; degrees differ by one at most, and their sum is even."""
    left = degrees.copy()
    a, b = [], []
    while left.any():
        order = np.argsort(-left, kind="stable")
        first, others = order[0], order[1 : 1 + left[order[0]]]
        left[first] = 0
        left[others] -= 1
        a.append(np.full(len(others), first))
        b.append(others)
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *a]), np.concatenate([none, *b])
