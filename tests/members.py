"""Every kind of knowledge with the oracle's word for it; a law that runs over MEMBERS runs over all."""

from functools import partial

import oracle
from shoal import (
    KnowsAdjacency,
    KnowsColumns,
    KnowsCounts,
    KnowsDegree,
    KnowsDegrees,
    KnowsHubs,
    KnowsNeighborhood,
    KnowsOrbit,
    KnowsRefinement,
    KnowsSharedNeighbors,
    KnowsSomeColumns,
    KnowsSomeNeighbors,
    KnowsSomeRelations,
    KnowsSubgraph,
)
from shoal.knowledge import KnowsBoth

SINGLES = [
    (KnowsDegree(), oracle.degree),
    *((KnowsRefinement(i), partial(oracle.refinement, rounds=i)) for i in (0, 1, 2, 3, None)),
    (KnowsHubs(1), partial(oracle.hubs, hubs=1)),
    (KnowsHubs(1, reach=1), partial(oracle.hubs, hubs=1, reach=1)),
    (KnowsHubs(1, world="open"), partial(oracle.hubs, hubs=1, world="open")),
    (KnowsHubs(1, reach=2, world="open"), partial(oracle.hubs, hubs=1, reach=2, world="open")),
    *((KnowsSubgraph(b), partial(oracle.subgraph, edges=b)) for b in (1, 2, 3, 4)),
    *((KnowsSubgraph(b, exact_degrees=False), partial(oracle.subgraph, edges=b, exact_degrees=False)) for b in (2, 4)),
    *((KnowsNeighborhood(r), partial(oracle.neighborhood, radius=r)) for r in (0, 1, 2)),
    *((KnowsCounts(r), partial(oracle.counts, radius=r)) for r in (1, 2)),
    *((KnowsDegrees(r), partial(oracle.degrees, radius=r)) for r in (1, 2)),
    *((KnowsSharedNeighbors(l), partial(oracle.shared_neighbors, l=l)) for l in (1, 2, 3)),
    *((KnowsSomeNeighbors(l), partial(oracle.neighbors, l=l)) for l in (1, 2, 3)),
    *((KnowsSomeRelations(l), partial(oracle.relations, l=l)) for l in (1, 2)),
    *((KnowsSomeRelations(l, located=True), partial(oracle.located_relations, l=l)) for l in (1, 2)),
    (KnowsAdjacency(), oracle.adjacency),
    (KnowsOrbit(), oracle.orbit),
]

LABELED = [
    (KnowsColumns("a"), partial(oracle.columns, names=("a",))),
    (KnowsColumns("a", "b"), partial(oracle.columns, names=("a", "b"))),
    *((KnowsSomeColumns(l, "a", "b"), partial(oracle.some_columns, l=l)) for l in (1, 2, 3)),
    (KnowsNeighborhood(1, labels=("a",)), partial(oracle.neighborhood, radius=1, labels=("a",))),
    (KnowsNeighborhood(2, labels=("b", "a")), partial(oracle.neighborhood, radius=2, labels=("b", "a"))),
]


def together(*members):
    """Join members with &, and their oracles with the oracle's both."""
    adversaries, judges = zip(*members, strict=True)

    def judge(*args):
        answer = judges[0](*args)
        for other in judges[1:]:
            answer = oracle.both(answer, other(*args))
        return answer

    return KnowsBoth.of(*adversaries), judge


_named = {adversary: (adversary, judge) for adversary, judge in SINGLES + LABELED}
_degree, _open = _named[KnowsDegree()], _named[KnowsHubs(1, reach=2, world="open")]
_shared, _some = _named[KnowsSharedNeighbors(2)], _named[KnowsSubgraph(2)]

_near, _relation = _named[KnowsSomeNeighbors(1)], _named[KnowsSomeRelations(1)]

JOINED = [
    together(_degree, _named[KnowsAdjacency()]),
    together(_degree, _open),
    together(_shared, _named[KnowsRefinement(2)]),
    together(_shared, _open),
    together(_some, _degree),
    together(_shared, _some),
    together(_some, _named[KnowsSubgraph(2, exact_degrees=False)]),
    together(_degree, _shared, _some),
    together(_degree, _named[KnowsSomeNeighbors(2)]),
    together(_named[KnowsSomeRelations(2, located=True)], _named[KnowsRefinement(2)]),
    together(_shared, _near),
    together(_near, _relation),
]

MEMBERS = SINGLES + JOINED
"""For graphs without attributes."""

ATTRIBUTED = [
    *LABELED,
    together(_named[KnowsColumns("a")], _degree),
    together(_named[KnowsColumns("a")], _shared),
    together(_named[KnowsColumns("a")], _named[KnowsSomeNeighbors(2)]),
    together(_named[KnowsSomeColumns(1, "a", "b")], _degree),
    together(_named[KnowsSomeColumns(1, "a", "b")], _named[KnowsSomeColumns(1, "a", "b")]),
    together(_named[KnowsSomeColumns(1, "a", "b")], _near),
    together(_relation, _named[KnowsSomeColumns(2, "a", "b")]),
    together(_named[KnowsSomeColumns(1, "a", "b")], _open),
]
"""For graphs with the columns "a" and "b"."""


def by_spec(member):
    return member[0].spec
