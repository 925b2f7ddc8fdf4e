"""Every kind of knowledge with the oracle's word for it; a law that runs over MEMBERS runs over all."""

import oracle
from shoal.knowledge import Both, parse_knowledge

SINGLES = [(parse_knowledge(spec), judge) for spec, judge in oracle.ORACLES.items()]

LABELED = [(parse_knowledge(spec), judge) for spec, judge in oracle.LABELED.items()]

EXAMPLES = {adversary.shell: adversary.spec for adversary, _ in LABELED + SINGLES}
"""One shell name of each kind."""


def together(*members):
    """Join members with &, and their oracles with the oracle's both."""
    adversaries, judges = zip(*members, strict=True)

    def judge(*args):
        answer = judges[0](*args)
        for other in judges[1:]:
            answer = oracle.both(answer, other(*args))
        return answer

    return Both.of(*adversaries), judge


_named = {adversary.spec: (adversary, judge) for adversary, judge in SINGLES + LABELED}


def join(*specs):
    return together(*(_named[spec] for spec in specs))


JOINED = [
    join("degree", "adjacency"),
    join("degree", "hubs:1:2:open"),
    join("shared-neighbors:2", "refinement:2"),
    join("shared-neighbors:2", "hubs:1:2:open"),
    join("subgraph:2", "degree"),
    join("shared-neighbors:2", "subgraph:2"),
    join("subgraph:2", "subgraph:2:atleast"),
    join("degree", "shared-neighbors:2", "subgraph:2"),
    join("degree", "neighbors:2"),
    join("located-relations:2", "refinement:2"),
    join("shared-neighbors:2", "neighbors:1"),
    join("neighbors:1", "relations:1"),
    join("degree~50%", "adjacency"),
    join("degree~50%", "refinement:2", "counts:1~25%"),
    join("degrees:1~50%", "degree~25%"),
    join("degrees:1~50%", "refinement:2"),
    join("counts:1~50%", "hubs:1:2:open"),
    join("neighbors:3~1", "degree"),
    join("neighbors:2", "degree~50%"),
    join("neighbors:2~1", "relations:1"),
    join("subgraph:2", "neighbors:2~1", "degree~25%"),
]

MEMBERS = SINGLES + JOINED
"""For graphs without attributes."""

ATTRIBUTED = [
    *LABELED,
    join("columns:a", "degree"),
    join("columns:a", "shared-neighbors:2"),
    join("columns:a", "neighbors:2"),
    join("columns:a", "degree~50%"),
    join("counts:1~50%", "columns:a", "columns:a,b"),
    join("degrees:1~50%", "columns:a"),
    join("columns:a", "neighbors:3~1"),
    join("some-columns:1:a,b", "degree"),
    join("some-columns:1:a,b", "some-columns:1:a,b"),
    join("some-columns:1:a,b", "neighbors:1"),
    join("relations:1", "some-columns:2:a,b"),
    join("some-columns:1:a,b", "hubs:1:2:open"),
]
"""For graphs with the columns "a" and "b"."""


def by_spec(member):
    return member[0].spec
