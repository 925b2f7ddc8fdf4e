"""Graphs with the target degrees: the rounds of Liu & Terzi, with a fallback that leaves no unit over.

A round sets targets and serves them. What is left over has no partner whose class could spare it: it is served anyhow
(their "probing"), and the next round groups the degrees as they are then. With additions only every such round adds an
edge, and the complete graph, in which all degrees are the same, ends it at the latest.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from shoal.core.threads import announce_compilation
from shoal.data.graph import Graph, Ints
from shoal.data.names import Names
from shoal.methods.links.match_degrees.edits import Edits
from shoal.methods.links.match_degrees.groups import Targets, candidates, descending, even, least_deficient, optimal
from shoal.optimize.annealing import make_generator
from shoal.progress import track

DELETING = 4
"""Rounds in which links may go; after that links are only added, so that it ends."""
SMALL, DRAWS = 60, 4
"""Up to how many vertices many targets are realized, and how often each."""


def settled(edits: Edits, *, delete: bool) -> bool:
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


def finished(edits: Edits, *, delete: bool) -> Edits:
    """Go round after round until every unit is served."""
    rounds = 0
    while not settled(edits, delete=delete):
        edits.force()
        rounds += 1
        track("matching degrees, round", rounds, 0)
        delete = delete and rounds < DELETING
        edits.aim_in_order(grouped(descending(edits.degree), edits.k, delete=delete).moved)
    return edits


def grouped(d: Ints, k: int, *, delete: bool) -> Targets:
    """Return the targets of the least cost; of the least even cost where that is no dearer or nobody can be spared."""
    found = optimal(d, k, down=delete)
    if found.cost % 2 == 0:
        return found
    other = even(d, k, down=delete)
    return other if other and (other.cost <= found.cost + 1 or not spare(found.moved, k)) else found


def spare(moved: Ints, k: int) -> bool:
    """Tell whether somebody can be spared by a class for the next one."""
    population = np.bincount(moved)
    return bool(((population[:-1] > k) & (population[1:] >= k)).any())


def edits_about(graph: Graph, k: int, targets: Targets, seed: int) -> int:
    """Return twice about how many edits some targets take: whatever does not meet costs one each."""
    edits = Edits(graph, k, make_generator(seed), near=False)
    edits.aim_in_order(targets.moved)
    return targets.cost + edits.pairs_only()


def fewest(graph: Graph, k: int, *, delete: bool, seed: int) -> Edits:
    """Return the fewest edits found: a few targets are realized that promise few, many in small graphs."""
    d = descending(graph.degree)
    small = graph.n <= SMALL
    found = [grouped(d, k, delete=delete), optimal(d, k, down=delete), *([even(d, k, down=delete)] if small else [])]
    if delete:
        found += candidates(d, k)
    tried = {targets.moved.tobytes(): targets for targets in found if targets}
    about = sorted(tried.values(), key=lambda targets: edits_about(graph, k, targets, seed))
    ways = [(t, delete) for t in about[: 12 if small else 3]]
    if small and delete:
        ways += [(t, False) for t in (grouped(d, k, delete=False), even(d, k, down=False)) if t]
    draws = range(DRAWS if small else 1)
    made = [realized(graph, k, t, None, delete=down, seed=seed, draw=draw) for t, down in ways for draw in draws]
    return min(made, key=lambda edits: len(edits.toggled()[0]))


def realized(
    graph: Graph, k: int, targets: Targets, realize: str | None, *, delete: bool, seed: int, draw: int = 0
) -> Edits:
    """Return edits of a graph that make it k-degree anonymous, starting with some targets.

    "umga" takes partners with little neighborhood centrality before two units are paired, "simultaneous-swap" switches
    before; both take more edits.
    """
    rng = make_generator(seed) if draw == 0 else make_generator(seed).spawn(draw)[-1]
    edits = Edits(graph, k, rng, near=realize in (None, "umga"))
    edits.aim_in_order(targets.moved)
    if delete and realize in ("umga", "simultaneous-swap"):
        edits.switch()
    if realize == "umga":
        for sign in (1, -1) if delete else (1,):
            edits.partner(sign)
    return finished(edits, delete=delete)


# Graphs built from the target degrees alone, and brought near the original afterwards (Liu & Terzi 2008).
#
# ConstructGraph joins whoever lacks most links to the others who lack most (Havel and Hakimi). Priority takes over the
# original's links first. Greedy-Swap begins with a graph that ignores them, and swaps the ends of two links wherever
# that brings back one of the original's, or two.

SAMPLE, PASSES = 16, 12
"""Neighbors looked at for a swap, and how often all of the original's links are gone through."""


def constructed(original: Graph, k: int, targets: Targets, *, priority: bool, seed: int) -> Edits:
    """Return edits of a graph without links: a graph with the target degrees, or near them, k-degree anonymous."""
    announce_compilation()
    from shoal.kernels import degree_edits as loops

    none = np.empty(0, dtype=np.int64)
    edits = Edits(Graph.from_pairs(original.names, none, none), k, make_generator(seed), near=False)
    edits.aim_at(_in_order(original, targets, seed))
    if priority:
        loops.link_known(edits.needy(1), original.indptr, original.indices, edits.need, edits.state())
    finished(edits, delete=False)
    _swap(original, edits)
    return edits


def _in_order(original: Graph, targets: Targets, seed: int) -> Ints:
    """Return the targets by vertex."""
    order = Edits(original, 1, make_generator(seed), near=False).by_degree()
    aim = np.empty(original.n, dtype=np.int64)
    aim[order] = targets.moved
    return aim


def _swap(original: Graph, edits: Edits) -> None:
    """Bring in links of the original until a pass finds none, or after some passes."""
    from shoal.kernels import degree_edits as loops

    a, b, _ = original.edges()
    known = edits.of(original)
    for done in range(PASSES):
        track("swapping towards the original", done, PASSES)
        order = edits.rng.permutation(len(a))
        if not loops.greedy_swaps(a[order], b[order], known, edits.state(), SAMPLE):
            break


# k-degree anonymity by adding vertices: links between original vertices stay as they are (Chester et al. 2011).
#
# Groups are chosen so that the largest raise in them is the least there can be. As many new vertices as that, or a few
# more, take the links that are lacking in turns, so that their degrees differ by one at most; links among them bring
# all to the same degree, one that original vertices have.


def with_vertices(original: Graph, k: int, seed: int) -> tuple[Graph, Targets]:
    """Return the graph with new vertices after its own, and the targets of its own."""
    targets = least_deficient(descending(original.degree), k)
    if not targets.cost:
        return original, targets
    rng = make_generator(seed)
    drawn = rng.permutation(original.n)
    order = drawn[np.argsort(-original.degree[drawn].astype(np.int64), kind="stable")]
    lack = targets.moved - targets.degrees
    many, degree = how_many(lack, targets.moved)
    shuffled = rng.permutation(original.n)
    takers = np.repeat(order[shuffled], lack[shuffled])
    fresh = original.n + np.arange(len(takers)) % many
    inner = np.bincount(fresh - original.n, minlength=many)
    c, d = near_regular(degree - inner)
    a, b, _ = original.edges()
    sources = np.concatenate([a, takers, c + original.n])
    ends = np.concatenate([b, fresh, d + original.n])
    rows = np.concatenate([np.arange(original.n), rng.integers(original.n, size=many)])
    table = original.attributes.take(rows)
    return Graph.from_pairs(_called(original.names, many), sources, ends, attributes=table), targets


def how_many(lack: Ints, moved: Ints) -> tuple[int, int]:
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


def near_regular(degrees: Ints) -> tuple[Ints, Ints]:
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


def _called(names: Names, many: int) -> Names:
    taken: dict[Hashable, None] = dict.fromkeys(names)
    for number in range(1, many + 1):
        name = f"new vertex {number}"
        while name in taken:
            name += "'"
        taken[name] = None
    return Names(taken)
