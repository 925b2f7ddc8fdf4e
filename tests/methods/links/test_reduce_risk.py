"""ReduceRisk: the budget is kept, the partial guarantee is what `assess` counts, and bad input is refused."""

import json
import re
import warnings

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.data.graph import Graph
from shoal.errors import BadParameter, BrokenPromise, Notice, UnknownColumn
from shoal.methods import ReduceRisk
from shoal.methods.links.reduce_risk import search
from shoal.progress import watching
from shoal.release import PartialPromise, Release
from shoal.release.verify import find_at_risk, find_at_risk_by_original, verify_release

pytestmark = pytest.mark.usefixtures("brief_searches")

COSTLY = ["neighborhood:1", "neighbors:2", "hubs:3"]
KINDS = ["degree", "counts:1", "degrees:1", "refinement:2", "neighbors:1", *COSTLY]
EDITS = ["delete", "add", "add-delete", "swap"]


def club():
    g = nx.Graph(nx.karate_club_graph().edges)
    nx.set_node_attributes(g, {v: {"age": 20 + v % 3} for v in g})
    return shoal.as_graph(g)


def made(graph, *knows, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return ReduceRisk(knows, **{"k": 2, "effort": 100} | how)(graph)


def count_risky(data, knows, k, **facts):
    below = np.zeros(0, dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        for spec in knows:
            sizes = shoal.assess(data, spec, **facts).sizes
            below = (sizes > 0) & (sizes < k) | (below if len(below) else False)
    return below


@pytest.mark.slow
@pytest.mark.parametrize("edits", EDITS)
@pytest.mark.parametrize(
    "knows",
    [
        *([one] for one in KINDS),
        ["counts:1", "neighbors:1+columns:age"],
        ["neighborhood:1+columns:age", "hubs:2:2"],
        ["neighbors:2+columns:age", "degree"],
    ],
    ids=",".join,
)
def test_the_guarantee_is_what_assess_counts_and_the_budget_is_kept(knows, edits):
    graph = club()
    if edits == "swap" and knows == ["degree"]:
        return
    for k, budget in ((2, 0.1), (3, 9)):
        release = made(graph, *knows, k=k, budget=budget, edits=edits, effort=20)
        risky = count_risky(release.data, knows, k)
        (promise,) = release.promises
        assert (promise.protected, promise.of) == (34 - risky.sum(), 34)
        assert risky.sum() <= count_risky(graph, knows, k).sum() == release.measured["people at risk before"]
        assert len(release.edits) == release.measured["edits"] <= (7 if budget == 0.1 else 9)
        assert "add" in edits or edits == "swap" or not release.edits.added
        assert "delete" in edits or edits == "swap" or not release.edits.removed


def test_fewer_people_are_at_risk_than_after_random_deletion():
    graph = shoal.examples.village().without_attributes()
    release = made(graph, "counts:1", budget=0.05)
    drawn = shoal.methods.Perturb(delete=len(release.edits), seed=1)(graph)
    assert shoal.assess(release, "counts:1").rate(2) < 0.25 * shoal.assess(drawn, "counts:1").rate(2)


def test_additions_are_never_worse_than_deletions_alone():
    for seed in range(3):
        few, fewer = (made(club(), "counts:1", edits=edits, seed=seed) for edits in ("delete", "add-delete"))
        at_risk = [release.promises[0].of - release.promises[0].protected for release in (few, fewer)]
        assert at_risk[1] <= at_risk[0]


def test_swaps_keep_every_degree_and_count_as_four_edits():
    graph = club()
    release = made(graph, "counts:1", budget=0.3, edits="swap")
    assert release.data.degree.tolist() == graph.degree.tolist()
    assert len(release.edits) % 4 == 0 < len(release.edits)
    with pytest.raises(BadParameter, match="degree"):
        ReduceRisk("degree", 2, edits="swap")


def test_links_of_people_left_out_are_edits():
    graph = club()
    release = made(graph, "counts:1", budget=0.3, suppress="6%")
    left = [name for name in graph.names if name not in set(release.data.names)]
    assert 1 <= len(left) <= 2
    assert release.promises[0].of == release.data.n == 34 - len(left)
    lost = {frozenset(pair) for pair in release.edits.removed}
    assert all(frozenset((v, w)) in lost for v in left for w in nx.karate_club_graph()[v])
    assert release.data.attributes["age"][0] == graph.attributes["age"][graph.names.id(release.data.names[0])]


def test_facts_of_the_original_can_count_too():
    graph = club()
    both = made(graph, "counts:1", budget=0.2, facts="both", effort=400)
    risky = count_risky(both.data, ["counts:1"], 2) | count_risky(both.data, ["counts:1"], 2, original=graph)
    one = made(graph, "counts:1", budget=0.2, effort=400)
    other = count_risky(one.data, ["counts:1"], 2) | count_risky(one.data, ["counts:1"], 2, original=graph)
    assert risky.sum() <= other.sum()


@pytest.mark.parametrize("knows", COSTLY)
def test_facts_of_the_original_count_for_costly_knowledge(knows):
    graph = club()
    release = made(graph, knows, budget=0.2, facts="both")
    by_original = count_risky(release.data, [knows], 2, original=graph)
    assert release.measured["people at risk by facts of the original"] == by_original.sum()
    judged = count_risky(release.data, [knows], 2) | by_original
    assert judged.sum() < count_risky(graph, [knows], 2).sum()


@pytest.mark.parametrize("knows", COSTLY)
def test_people_who_are_left_out_are_no_candidates(knows):
    graph = club()
    release = made(graph, knows, budget=0.3, suppress=2, facts="both")
    assert release.promises[0].protected == release.data.n - count_risky(release.data, [knows], 2).sum()
    assert count_risky(release.data, [knows], 2).sum() < count_risky(graph, [knows], 2).sum()


def test_hubs_are_those_of_the_release():
    wheel = nx.wheel_graph(9)
    nx.add_path(wheel, [20, 21, 22])
    release = made(wheel, "hubs:1", budget=0.5)
    assert release.promises[0].protected == release.data.n - count_risky(release.data, ["hubs:1"], 2).sum()
    assert release.promises[0].protected < release.data.n  # a hub is the only vertex at distance 0 from itself


def test_a_search_never_ends_with_more_hubs_than_it_follows(monkeypatch):
    monkeypatch.setattr(search, "MOST_HUBS", 4)
    for edits in EDITS:
        data = made(club(), "hubs:2", budget=0.5, edits=edits).data
        assert np.count_nonzero(data.degree >= np.sort(data.degree)[-2]) <= 4


def test_networks_that_cost_too_much_are_refused():
    with pytest.raises(BadParameter, match="300 with hubs:1"):
        ReduceRisk("hubs:1", 2)(nx.cycle_graph(300))
    with pytest.raises(BadParameter, match=r"31,996,000.*neighbors:1"):
        ReduceRisk("neighbors:2", 2)(nx.star_graph(8_000))


def test_without_a_budget_few_edits_reach_the_target():
    release = made(club(), "counts:1", budget=None, target=0.1)
    assert release.measured["target reached"] is True
    assert release.promises[0].protected >= 31
    assert len(release.edits) <= 8


def test_a_target_that_cannot_be_reached_is_not_called_reached(tmp_path, shell):
    unique = shoal.as_graph(nx.path_graph(5), attributes={"id": {v: f"p{v}" for v in range(5)}})
    with pytest.warns(Notice, match="not reached"):
        release = ReduceRisk("degree+columns:id", 2, budget=None, effort=5)(unique)
    assert release.measured["target reached"] is False
    assert release.promises[0].protected == 0
    given = ("--method", "reduce-risk", "--knows", "counts:1", "-k", 2, "--budget", 1, "--target", "1%", "--effort", 5)
    code, out, _ = shell("anonymize", "example:karate", *given, "-o", tmp_path / "a.csv")
    assert code == 1
    assert "target reached: no" in out
    assert (tmp_path / "a.csv").exists()


def test_nothing_at_risk_changes_nothing():
    alike = nx.complete_bipartite_graph(4, 4)
    for knows in KINDS:
        if knows != "hubs:3":  # a hub is the only vertex at distance 0 from itself
            release = made(alike, knows)
            assert (release.edits.ratio, release.promises[0].protected) == (0.0, 8)


def test_graphs_without_links_are_taken():
    release = made(nx.empty_graph(5), "counts:1", budget=None)
    assert release.promises[0].protected == 5


@pytest.mark.parametrize("knows", ["counts:1", *COSTLY])
def test_threads_do_not_matter(knows, monkeypatch):
    found = []
    for threads in (1, 4):
        monkeypatch.setattr(shoal.settings, "threads", threads)
        found.append(made(club(), knows, suppress=2))
    assert found[0].data == found[1].data
    assert found[0].measured == found[1].measured


@pytest.mark.parametrize("knows", ["counts:1", *COSTLY])
def test_an_interrupt_ends_the_search_with_the_best_so_far(knows):
    said = []

    def watch(what, done, total):
        said.append(what)
        if len(said) == 1:
            raise KeyboardInterrupt

    with watching(watch), pytest.warns(Notice, match="stopped"):
        release = ReduceRisk(knows, 2, effort=10**7)(club())
    assert release.measured["stopped early"] is True
    assert release.promises[0].protected >= 34 - count_risky(club(), [knows], 2).sum()
    assert any("at risk" in what for what in said) or said[0].startswith("reducing risk")


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"budget": 1.5}, "budget"),
        ({"budget": -1}, "budget"),
        ({"budget": True}, "budget"),
        ({"budget": "much"}, "budget"),
        ({"budget": 1000}, "78"),
        ({"target": 2}, "target"),
        ({"target": "x%"}, "target"),
        ({"suppress": 1.01}, "suppress"),
        ({"suppress": 33}, "suppress"),
        ({"edits": "remove"}, "edits"),
        ({"facts": "original"}, "facts"),
        ({"knowledge": "hubs:3:*:open"}, "hubs:COUNT"),
        ({"knowledge": "hubs:\\\\3"}, "hubs:COUNT"),
        ({"knowledge": "hubs:34", "suppress": 1}, "33"),
        ({"knowledge": "neighborhood:2"}, "neighborhood:1"),
        ({"knowledge": "neighborhood:1:age"}, "neighborhood:1"),
        ({"knowledge": "neighbors:3"}, "neighbors:2"),
        ({"knowledge": "neighbors:2+degree"}, "counts:1"),
        ({"knowledge": "hubs:3+hubs:2"}, "counts:1"),
        ({"knowledge": "columns:age"}, "counts:1"),
        ({"knowledge": "degree~5%"}, "counts:1"),
        ({"knowledge": "neighbors:2~1"}, "counts:1"),
        ({"knowledge": "counts:2"}, "counts:1"),
        ({"knowledge": "neighbors:1+degree"}, "counts:1"),
        ({"knowledge": ()}, "knowledge"),
        ({"k": 50}, "34"),
        ({"effort": -1}, "effort"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(how, word):
    with pytest.raises(BadParameter, match=word):
        ReduceRisk(**{"knowledge": "counts:1", "k": 2, "effort": 1} | how)(club())


def test_a_missing_column_is_named():
    with pytest.raises(UnknownColumn, match="zip"):
        ReduceRisk("degree+columns:zip", 2)(club())


def test_a_partial_guarantee_that_does_not_hold_is_refused():
    release = made(club(), "counts:1")
    (promise,) = release.promises
    for wrong in (
        PartialPromise(promise.knowledge, 2, promise.protected + 1, promise.of),
        PartialPromise(promise.knowledge, 2, promise.protected, promise.of + 1),
    ):
        broken = Release(release.original, release.data, (wrong,), release.method)
        with pytest.raises(BrokenPromise, match="counts:1"):
            verify_release(broken)


def test_the_public_files_say_nothing_about_the_edits(tmp_path):
    release = made(club(), "counts:1", "degree", budget=5, suppress=1, target=0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        release.save(tmp_path / "a.csv", seed=2**70)
    page = json.loads((tmp_path / "a.csv.release.json").read_text())
    policy = {"name": "reduce-risk", "knowledge": ["counts:1", "degree"], "k": 2, "edits": "delete", "target": 0.2}
    assert page["method"] == policy
    assert page["measured"] == {}
    (told,) = page["promise"]
    assert (told["kind"], told["knows"], told["k"]) == ("partial", ["counts:1", "degree"], 2)
    assert told["protected"] == release.promises[0].protected


def test_an_audit_recounts_the_partial_guarantee(tmp_path):
    release = made(club(), "counts:1", suppress=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        found = shoal.audit(release.original, release, knowledge=["degree"], k=2)
    (check,) = found.promises
    assert check.holds is True
    assert (check.guarantee.kind, check.guarantee.protected) == ("partial", release.promises[0].protected)
    found.save(tmp_path / "a.json")
    assert shoal.read_audit(tmp_path / "a.json").promises == found.promises


@pytest.mark.parametrize("target", [0, "0%", 0.0])
def test_a_target_of_zero_is_a_target(target):
    """Without a target, what is left is only told."""
    club, how = shoal.examples.karate(), {"knowledge": "degree", "k": 2, "budget": 0, "effort": 5}
    with pytest.warns(shoal.errors.Notice, match="target"):
        release = ReduceRisk(**how, target=target)(club)
    assert release.measured["target reached"] is False
    assert "target reached" not in ReduceRisk(**how)(club).measured


def test_people_whose_facts_match_nobody_are_counted():
    club = shoal.examples.karate()
    release = ReduceRisk("counts:1", k=2, budget=0.1, effort=20, seed=1)(club)
    misled = len(shoal.assess(release, "counts:1", original=club).misled)
    assert misled > 0
    assert release.measured["people whose facts of the original match no released person"] == misled


def draw_ties(seed, n=30, links=90):
    """Return a random network with arcs; for odd seeds also with links without direction and two kinds."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(n, size=(2, links))
    apart = a != b
    mixed = {"directed": rng.random(links)[apart] < 0.7, "kinds": rng.choice(["x", "y"], links)[apart].tolist()}
    table = shoal.as_table({"sex": ["f", "m"] * (n // 2)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        how = mixed if seed % 2 else {"directed": True}
        return Graph.from_pairs(range(n), a[apart], b[apart], **how, attributes=table)


@pytest.mark.parametrize("edits", ["delete", "add", "add-delete", "swap"])
@pytest.mark.parametrize(
    "knowledge",
    ["degree", "neighbors:1+columns:sex", "counts:1", "degrees:1+columns:sex", "refinement:2", "neighbors:2"],
)
@pytest.mark.parametrize(("seed", "facts", "suppress"), [(0, "release", 0), (1, "both", 2)])
def test_links_with_directions_and_kinds(seed, facts, suppress, knowledge, edits):
    if edits == "swap" and knowledge.startswith("degree"):
        return
    graph = draw_ties(seed)
    how = {"budget": 0.2, "edits": edits, "facts": facts, "suppress": suppress, "effort": 10, "seed": seed}
    method = ReduceRisk(knowledge, 2, **how)
    release = method(graph)
    found = search.RiskSearch(method._aim(graph), 10, seed).run()
    risky = find_at_risk(release.data, method.knowledge, 2)
    if facts == "both":
        risky = risky | find_at_risk_by_original(release.data, graph, method.knowledge, 2)
    assert int(risky.sum()) == found.at_risk
    names = [graph.names.find([name])[0] for name in release.data.names]
    after = {(names[a], names[b], relation) for a, b, relation in release.data.each_link()}
    before = set(graph.each_link())
    assert len(before ^ after) == release.measured["edits"] <= 0.2 * graph.m
    assert edits != "delete" or after <= before
    assert edits != "add" or suppress or before <= after
    assert {relation for *_, relation in after} <= {relation for *_, relation in before}


@pytest.mark.parametrize("spec", ["neighborhood:1", "hubs:2", "neighborhood:1+degree"])
def test_knowledge_that_is_not_evaluated_with_directions(spec):
    with pytest.raises(BadParameter, match=rf"refinement:2.*{re.escape(spec)}.*--undirected"):
        ReduceRisk(spec, 2)(draw_ties(0))


def test_links_lost_with_people_left_out_count_against_the_budget():
    star, lonely = nx.star_graph(4), nx.path_graph(4)
    lonely.add_node("alone")  # has no links
    assert made(star, "degree", budget=0, suppress=1).measured["people left out"] == 0
    assert made(lonely, "degree", budget=0, suppress=1).measured["people left out"] == 1
    release = made(star, "degree", budget=4, suppress=1)
    assert release.original.m - release.data.m <= 4
    assert release.measured["edits"] == len(release.edits)
