"""Graphs with the target degrees: the rounds of Liu & Terzi, with a fallback that leaves no unit over.

A round sets targets and serves them. What is left over has no partner whose class could spare it: it is served anyhow
(their "probing"), and the next round groups the degrees as they are then. With additions only every such round adds an
edge, and the complete graph, in which all degrees are the same, ends it at the latest.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.degree_edits import Edits
from shoal.anonymizers.degree_groups import Targets, candidates, descending, even, optimal
from shoal.anonymizers.method import generator
from shoal.data.graph import Graph, Ints
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
    edits = Edits(graph, k, generator(seed), near=False)
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
    rng = generator(seed) if draw == 0 else generator(seed).spawn(draw)[-1]
    edits = Edits(graph, k, rng, near=realize in (None, "umga"))
    edits.aim_in_order(targets.moved)
    if delete and realize in ("umga", "simultaneous-swap"):
        edits.switch()
    if realize == "umga":
        for sign in (1, -1) if delete else (1,):
            edits.partner(sign)
    return finished(edits, delete=delete)
