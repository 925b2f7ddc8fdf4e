"""Every kind of knowledge with the oracle's word for it; a law that runs over MEMBERS runs over all."""

from functools import partial

import oracle
from shoal.knowledge import (
    Adjacency,
    Both,
    Columns,
    Counts,
    Degree,
    Degrees,
    Hubs,
    Neighborhood,
    Neighbors,
    Orbit,
    Refinement,
    Relations,
    SharedNeighbors,
    SomeColumns,
    Subgraph,
)

SINGLES = [
    (Degree(), oracle.degree),
    *((Refinement(i), partial(oracle.refinement, rounds=i)) for i in (0, 1, 2, 3, None)),
    (Hubs(1), partial(oracle.hubs, hubs=1)),
    (Hubs(1, reach=1), partial(oracle.hubs, hubs=1, reach=1)),
    (Hubs(1, world="open"), partial(oracle.hubs, hubs=1, world="open")),
    (Hubs(1, reach=2, world="open"), partial(oracle.hubs, hubs=1, reach=2, world="open")),
    *((Subgraph(b), partial(oracle.subgraph, edges=b)) for b in (1, 2, 3, 4)),
    *((Subgraph(b, exact_degrees=False), partial(oracle.subgraph, edges=b, exact_degrees=False)) for b in (2, 4)),
    *((Neighborhood(r), partial(oracle.neighborhood, radius=r)) for r in (0, 1, 2)),
    *((Counts(r), partial(oracle.counts, radius=r)) for r in (1, 2)),
    *((Degrees(r), partial(oracle.degrees, radius=r)) for r in (1, 2)),
    *((SharedNeighbors(l), partial(oracle.shared_neighbors, l=l)) for l in (1, 2, 3)),
    *((Neighbors(l), partial(oracle.neighbors, l=l)) for l in (1, 2, 3)),
    *((Relations(l), partial(oracle.relations, l=l)) for l in (1, 2)),
    *((Relations(l, located=True), partial(oracle.located_relations, l=l)) for l in (1, 2)),
    (Adjacency(), oracle.adjacency),
    (Orbit(), oracle.orbit),
]

LABELED = [
    (Columns("a"), partial(oracle.columns, names=("a",))),
    (Columns("a", "b"), partial(oracle.columns, names=("a", "b"))),
    *((SomeColumns(l, "a", "b"), partial(oracle.some_columns, l=l)) for l in (1, 2, 3)),
    (Neighborhood(1, labels=("a",)), partial(oracle.neighborhood, radius=1, labels=("a",))),
    (Neighborhood(2, labels=("b", "a")), partial(oracle.neighborhood, radius=2, labels=("b", "a"))),
]


def together(*members):
    """Join members with &, and their oracles with the oracle's both."""
    adversaries, judges = zip(*members, strict=True)

    def judge(*args):
        answer = judges[0](*args)
        for other in judges[1:]:
            answer = oracle.both(answer, other(*args))
        return answer

    return Both.of(*adversaries), judge


_named = {adversary: (adversary, judge) for adversary, judge in SINGLES + LABELED}
_degree, _open = _named[Degree()], _named[Hubs(1, reach=2, world="open")]
_shared, _some = _named[SharedNeighbors(2)], _named[Subgraph(2)]

_near, _relation = _named[Neighbors(1)], _named[Relations(1)]

JOINED = [
    together(_degree, _named[Adjacency()]),
    together(_degree, _open),
    together(_shared, _named[Refinement(2)]),
    together(_shared, _open),
    together(_some, _degree),
    together(_shared, _some),
    together(_some, _named[Subgraph(2, exact_degrees=False)]),
    together(_degree, _shared, _some),
    together(_degree, _named[Neighbors(2)]),
    together(_named[Relations(2, located=True)], _named[Refinement(2)]),
    together(_shared, _near),
    together(_near, _relation),
]

MEMBERS = SINGLES + JOINED
"""For graphs without attributes."""

ATTRIBUTED = [
    *LABELED,
    together(_named[Columns("a")], _degree),
    together(_named[Columns("a")], _shared),
    together(_named[Columns("a")], _named[Neighbors(2)]),
    together(_named[SomeColumns(1, "a", "b")], _degree),
    together(_named[SomeColumns(1, "a", "b")], _named[SomeColumns(1, "a", "b")]),
    together(_named[SomeColumns(1, "a", "b")], _near),
    together(_relation, _named[SomeColumns(2, "a", "b")]),
    together(_named[SomeColumns(1, "a", "b")], _open),
]
"""For graphs with the columns "a" and "b"."""


def by_spec(member):
    return member[0].spec
