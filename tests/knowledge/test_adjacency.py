"""Equal rows where links have directions and kinds: candidates and facts."""

import shoal
from shoal.knowledge import describe_facts

CALLS = shoal.Graph.from_pairs(
    ["Ann", "Bob", "Cleo", "Dan"],
    [0, 1, 0, 3],
    [2, 2, 3, 1],
    directed=[True, True, False, False],
    kinds=["call", "call", "kin", "kin"],
)
"""Ann and Bob call Cleo and are kin of Dan."""


def test_rows_are_equal_if_all_entries_are():
    assert shoal.assess(CALLS, "adjacency").candidates("Ann") == ("Ann", "Bob")
    other = shoal.Graph.from_pairs(CALLS.names, [0, 2], [2, 1], directed=True)
    assert shoal.assess(other, "adjacency").sizes.tolist() == [1, 1, 1, 1]
    assert shoal.assess(other.to_undirected(), "adjacency").sizes.tolist() == [2, 2, 1, 1]


def test_multiplicities_of_arcs_count():
    twice = shoal.Graph.from_pairs("abc", [0, 0, 1], [2, 2, 2], directed=True, multigraph=True)
    assert shoal.assess(twice, "adjacency").k == 1


def test_the_fact_names_every_entry():
    (fact,) = shoal.assess(CALLS, "adjacency").witness("Ann").knows
    call, kin = {"kind": "call", "direction": "out"}, {"kind": "kin", "direction": "both"}
    assert [tuple(entry) for entry in fact.value["neighbors"]] == [("Cleo", 1, call), ("Dan", 1, kin)]
    told = describe_facts([fact])
    assert told == "has the call link to Cleo and the kin link with Dan and has no other links"


def test_an_isolated_vertex_has_no_links():
    alone = shoal.Graph.from_pairs("abc", [0], [1], directed=True)
    assert describe_facts(shoal.assess(alone, "adjacency").witness("c").knows) == "has no links"
