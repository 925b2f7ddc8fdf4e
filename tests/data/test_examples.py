import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.data.examples import (
    davis,
    feder_counterexample,
    florentine,
    friends,
    karate,
    les_miserables,
    office,
    village,
)
from shoal.errors import BadParameter


@pytest.mark.parametrize(
    ("example", "n", "m", "columns"),
    [
        (karate, 34, 78, ["club"]),
        (florentine, 15, 20, []),
        (les_miserables, 77, 254, []),
        (davis, 32, 89, ["side"]),
        (friends, 9, 12, ["age"]),
    ],
)
def test_sizes(example, n, m, columns):
    g = example()
    assert (g.n, g.m, list(g.attributes)) == (n, m, columns)
    assert g.multiplicity is None


@pytest.mark.parametrize(
    ("example", "graph"),
    [
        (karate, nx.karate_club_graph),
        (florentine, nx.florentine_families_graph),
        (les_miserables, nx.les_miserables_graph),
        (davis, nx.davis_southern_women_graph),
    ],
)
def test_well_known_networks_are_those_of_networkx(example, graph):
    found = graph()
    for *_, weights in found.edges(data=True):
        weights.clear()
    theirs = shoal.as_graph(found)
    if example is davis:
        sides = ["event" if side else "woman" for side in theirs.attributes["bipartite"]]
        theirs = theirs.with_attributes(shoal.Table.of({"side": sides}))
    assert example() == theirs


def test_the_sides_of_davis():
    sides = list(davis().attributes["side"])
    assert (sides.count("woman"), sides.count("event")) == (18, 14)


@pytest.mark.parametrize(("k", "l", "m"), [(1, 1, 5), (2, 1, 5), (2, 2, 6), (8, 3, 12), (3, 2, 7)])
def test_feder_is_anonymous_by_shared_neighbors_and_not_by_two_neighbors(k, l, m):
    g = feder_counterexample(k, l, m)
    clique = max(k + l, 3 * l)
    assert g.n == clique + m
    assert g.m == clique * (clique - 1) // 2 + m + m * l
    around = {v: set(g.neighbors(v).tolist()) for v in range(g.n)}
    for v in range(g.n):
        assert sum(len(around[v] & around[u]) >= l for u in range(g.n) if u != v) >= k
    for i in range(m):
        left, right = (g.names.id(f"ring {(i + step) % m}") for step in (-1, 1))
        assert around[left] & around[right] == {g.names.id(f"ring {i}")}


@pytest.mark.parametrize(("wrong", "name"), [((0, 1, 5), "k"), ((1, 0, 5), "l"), ((1, 1, 4), "m"), ((True, 1, 5), "k")])
def test_feder_parameters(wrong, name):
    with pytest.raises(BadParameter, match=f"'{name}'"):
        feder_counterexample(*wrong)


def test_the_village_is_the_same_for_a_seed():
    assert village() == village(300, seed=7)
    assert village(seed=8) != village()


@pytest.mark.parametrize(("people", "seed"), [(10, 0), (50, 1), (300, 7), (1000, 2)])
def test_the_village_is_plausible(people, seed):
    g = village(people, seed)
    assert g.n == people == len(set(g.names))
    assert all(isinstance(name, str) for name in g.names)
    ages, incomes = list(g.attributes["age"]), list(g.attributes["income"])
    assert all(0 <= age <= 110 for age in ages)
    assert all(income is None or (5_000 < income < 300_000 and income % 100 == 0) for income in incomes)
    assert all(income is None for age, income in zip(ages, incomes, strict=True) if age < 19)
    assert set(g.attributes["sex"]) == {"f", "m"}
    assert None in incomes
    assert (g.degree == 0).any()


def test_the_village_has_a_tail_of_degrees_and_pendant_people():
    degree = village().degree
    assert 3 < degree.mean() < 9
    assert degree.max() > 4 * np.median(degree)
    assert (degree == 1).sum() >= 10


def test_households_share_a_family_name():
    g = village()
    families = {}
    for name, home in zip(g.names, g.attributes["household"], strict=True):
        families.setdefault(home, set()).add(name.split()[-1])
    assert all(len(names) == 1 for names in families.values())


def test_friends_are_similar():
    g = village()
    ages = np.array(list(g.attributes["age"]))
    a, b, _ = g.edges()
    draw = np.random.default_rng(0)
    strangers = np.abs(ages[draw.permutation(a)] - ages[draw.permutation(b)]).mean()
    assert np.abs(ages[a] - ages[b]).mean() < strangers / 2
    assert nx.number_connected_components(g.to_networkx()) > 5


@pytest.mark.parametrize("people", [9, 5001, 2.5])
def test_village_parameters(people):
    with pytest.raises(BadParameter, match=r"village: 'people' must be"):
        village(people)


def test_the_office_is_the_same_for_a_seed():
    assert office() == office(200, seed=11)
    assert office(seed=12) != office()


@pytest.mark.parametrize(("people", "seed"), [(20, 0), (200, 11), (600, 3)])
def test_the_office_is_plausible(people, seed):
    g = office(people, seed)
    assert g.n == people == len(set(g.names))
    assert g.directed
    assert set(g.kinds) <= {"notice", "private", "work"}
    assert set(g.attributes["site"]) <= {"north", "south", "remote"}
    roles = list(g.attributes["role"])
    for department in set(g.attributes["department"]):
        members = [v for v in range(people) if g.attributes["department"][v] == department]
        assert [roles[v] for v in members].count("head") == 1


def test_the_office_has_hubs_departments_and_answers():
    g = office()
    arcs = nx.DiGraph((a, b) for a, b, _ in g.each_link())
    assert 0.55 < nx.overall_reciprocity(arcs) < 0.65
    assert max(d for _, d in arcs.out_degree()) > 8 * np.median([d for _, d in arcs.out_degree()])
    inside = [g.attributes["department"][a] == g.attributes["department"][b] for a, b in arcs.edges]
    assert np.mean(inside) > 0.5
    assert (g.degree == 0).any()
    notices = [(a, b) for a, b, relation in g.each_link() if relation.kind == "notice"]
    assert {g.attributes["role"][a] for a, _ in notices} <= {"head", "lead"}


@pytest.mark.parametrize("people", [19, 2_001, 20.5])
def test_office_parameters(people):
    with pytest.raises(BadParameter, match="'people'"):
        office(people)
