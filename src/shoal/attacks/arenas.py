"""What a matching attack is tried on: the release, and three graphs that tell damage from anonymity.

From the original under new names to random edits, recall falls by the number of edits alone; from there to the
surviving links by which links went; only the last step, to the release, can be anonymity.
"""

from __future__ import annotations

import numpy as np

from shoal.anonymizers.perturbation_draws import missing, perturbed
from shoal.attacks.protocol import Arena, Generator
from shoal.attacks.twin_law import twin_classes
from shoal.data.counterparts import Pair
from shoal.data.drawn import DrawnRelease
from shoal.data.graph import Graph, Ints
from shoal.data.records import Records
from shoal.data.release import Release
from shoal.errors import BadParameter

RELEASE = "What was released, under names in a new random order."
RENAMED = (
    "The original itself, nothing changed but the names: what this attack reaches at all. From here down to the "
    "release is what was won by damage and by anonymity together."
)
EDITS = (
    "The original with as many links removed and as many added as in the release, at random: from 'only renamed' down "
    "to here is what so many edits do to the attack, and is damage, not anonymity."
)
SURVIVING = (
    "Only those links of the original that the release still has, nothing added: from 'random edits' down to here is "
    "damage by which links went. Only the step from here to the release can be anonymity."
)
DRAWN = (
    "All links of this release were drawn anew, so that no link was kept, removed or added: random edits and surviving "
    "edges, as many as those, would have no meaning."
)


def people_of(pair: Pair, who: str) -> Ints:
    """Return the original's vertices that were released; refuse a pair that cannot be attacked."""
    if pair.counterpart is None:
        raise BadParameter(
            f"{who}: it must be known who is who, to tell a right guess from a wrong one. Got no correspondence. "
            "Pass mapping= (--mapping), or same_names=True (--same-names) if names were not changed."
        )
    for graph in (pair.original, pair.released):
        if isinstance(graph, Records):
            raise BadParameter(f"{who}: 'data' must be networks, whose links are matched. Got a table: {graph!r}.")
    return np.flatnonzero(pair.counterpart >= 0)


def arenas(pair: Pair, release: Release | None) -> list[Arena]:
    """Return what is attacked, the release first. Nothing but the links is looked at, each once."""
    assert pair.counterpart is not None
    counterpart = pair.counterpart.astype(np.int64)
    original, codes = plain(pair.original), twin_classes(pair.released)
    same = np.where(counterpart >= 0, np.arange(original.n), -1)
    carried = None if codes is None else carried_back(codes, counterpart)
    released, kept = plain(pair.released), surviving(pair)

    def edited(rng: Generator) -> Graph:
        add = min(released.m - kept.m, missing(original))
        return perturbed(original, add, original.m - kept.m, rng)

    found = [
        Arena("release", RELEASE, lambda _: released, counterpart, codes),
        Arena("only renamed", RENAMED, lambda _: original, same, carried),
        Arena("random edits", EDITS, edited, same, carried),
        Arena("surviving edges", SURVIVING, lambda _: kept, same, carried),
    ]
    return found[:2] if isinstance(release, DrawnRelease) else found


def plain(graph: Graph) -> Graph:
    """Return the links alone, each once, under ids.

    >>> plain(Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], multigraph=True))
    Graph(3 vertices, 2 edges)
    """
    a, b, _ = graph.edges()
    return Graph.from_pairs(range(graph.n), a, b)


def surviving(pair: Pair) -> Graph:
    """Return the original with only those links that the release has too.

    >>> pair = Pair.of(Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cab", [0, 0], [1, 2]))
    >>> list(surviving(pair).each_edge())  # b and c
    [(1, 2)]
    """
    a, b, _ = pair.original.edges()
    return Graph.from_pairs(range(pair.original.n), a[pair.kept], b[pair.kept])


def carried_back(codes: Ints, counterpart: Ints) -> Ints:
    """Return the release's classes as classes of the original's vertices; who was not released is alone.

    >>> carried_back(np.array([0, 0, 1, 1]), np.array([3, -1, 0])).tolist()
    [1, 3, 0]
    """
    return np.where(counterpart >= 0, codes[counterpart], int(codes.max()) + 1 + np.arange(len(counterpart)))


def notes_on(pair: Pair, release: Release | None) -> tuple[str, ...]:
    """Say what is special about these graphs."""
    assert pair.counterpart is not None
    there = int((pair.counterpart >= 0).sum())
    told = {
        DRAWN: isinstance(release, DrawnRelease),
        "The release does not have all vertices of the original. Rates count those who are in both; the graphs that "
        "it is compared with have all.": there < pair.original.n,
        "The release has vertices that the original does not have. They can be taken for somebody.": there
        < pair.released.n,
        "A link counts once, however often it is there.": any(
            graph.multiplicity is not None for graph in (pair.original, pair.released)
        ),
    }
    return tuple(note for note, applies in told.items() if applies)
