"""Compare: each metric judged by networkx, igraph or counting; laws of identity, relabeling, ranges and baselines."""

import csv
import json
import random
import subprocess
import sys
import warnings
from itertools import combinations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import ATLAS, attacks, end_calls, graphs
from draws import draw_cases
from shoal.comparison import compare
from shoal.errors import BadParameter, Notice
from shoal.release.release import measure_transitivity
from shoal.utility import communities, network
from shoal.utility.base import Network, NoValue
from shoal.utility.registry import GROUPS

RANDOM = [nx.gnp_random_graph(n, p, seed=n) for n, p in ((12, 0.3), (40, 0.1), (60, 0.02), (150, 0.05))]
LARGER = [*RANDOM, nx.karate_club_graph(), nx.star_graph(120), nx.cycle_graph(130), nx.complete_graph(9)]
judged = pytest.mark.filterwarnings("ignore:as_graph. edge attributes", "ignore:invalid value:RuntimeWarning")


def laid_out():
    yield from draw_cases(ATLAS, 140)
    yield from LARGER


def make_network(g, **how):
    bare = nx.Graph()
    bare.add_nodes_from(g)
    bare.add_edges_from(g.edges())
    return Network.of(shoal.as_graph(bare), **how)


def rings(g):
    """Every 4-cycle has two pairs of opposite corners; two corners with c common neighbors are opposite in C(c, 2)."""
    shared = [len(set(g[a]) & set(g[b])) for a, b in combinations(g, 2)]
    return sum(c * (c - 1) // 2 for c in shared) // 2


def far(g):
    """The mean distance over all pairs that are connected in a component of the largest size; None without pairs."""
    size = max(map(len, nx.connected_components(g)))
    lengths = [
        d
        for part in nx.connected_components(g)
        if len(part) == size
        for v in part
        for w, d in nx.single_source_shortest_path_length(g, v).items()
        if w != v
    ]
    return sum(lengths) / len(lengths) if lengths else None


@pytest.mark.slow
def test_clustering_as_networkx_says():
    for g in laid_out():
        found = network.measure_clustering(make_network(g))
        assert found["transitivity"] == pytest.approx(nx.transitivity(g))
        assert found["transitivity"] == measure_transitivity(make_network(g).graph)
        assert found["local clustering"] == pytest.approx(nx.average_clustering(g))
        assert found["4-cycles"] == rings(g)
        assert make_network(g).triangles.tolist() == list(nx.triangles(g).values())


def test_distances_as_networkx_says():
    for g in laid_out():
        found = network.measure_distances(make_network(g))
        expected = far(g)
        if expected is None:
            assert isinstance(found["mean distance"], NoValue)
        else:
            assert found["mean distance"].value == pytest.approx(expected)
            assert found["mean distance"].spread is None
        assert found["largest component"] == max(map(len, nx.connected_components(g))) / len(g)


def test_sampled_distances_are_near_the_exact_ones(monkeypatch):
    g = nx.barabasi_albert_graph(900, 2, seed=4)
    exact = network.measure_mean_distance(make_network(g)).value
    monkeypatch.setattr(network, "EXACT_DISTANCES", 500)
    sampled = [network.measure_mean_distance(make_network(g, seed=seed)) for seed in range(20)]
    errors = np.array([(one.value - exact) / one.spread for one in sampled])
    assert np.abs(errors).max() < 4
    assert 0.4 < np.sqrt((errors**2).mean()) < 1.8  # the spread is what it says: the standard error
    assert sampled[0] == network.measure_mean_distance(make_network(g, seed=0))


@judged
def test_degrees_as_igraph_says():
    for g in laid_out():
        found = network.count_degrees(make_network(g))
        expected = igraph.Graph.from_networkx(g).assortativity_degree(directed=False)
        if np.isnan(expected):
            assert isinstance(found["degree assortativity"], NoValue)
        else:
            assert found["degree assortativity"] == pytest.approx(expected, abs=1e-9)
        assert found["largest degree"] == max(dict(g.degree).values())


def test_largest_eigenvalue_as_numpy_says():
    two = nx.disjoint_union(nx.complete_graph(60), nx.random_regular_graph(4, 80, seed=1))
    for g in [*laid_out(), two, nx.complete_bipartite_graph(60, 61)]:
        expected = np.linalg.eigvalsh(nx.to_numpy_array(g, weight=None))[-1]
        assert network.measure_spectrum(make_network(g))["lambda1"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_cores_as_networkx_says():
    for g in laid_out():
        assert make_network(g).cores.tolist() == list(nx.core_number(nx.Graph(g.edges) if not len(g) else g).values())


@pytest.mark.slow
def test_pagerank_as_networkx_says():
    for g in laid_out():
        expected = nx.pagerank(g, tol=1e-12, max_iter=500, weight=None)
        assert network.compute_pagerank(make_network(g)).tolist() == pytest.approx(list(expected.values()), abs=1e-8)


@settings(max_examples=150)
@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_agreement_as_igraph_says(labels):
    x, y = np.array(labels).T
    assert communities.measure_nmi(x, y) == pytest.approx(communities.measure_nmi(y, x))
    dense = [np.unique(side, return_inverse=True)[1].tolist() for side in (x, y)]
    if max(map(len, map(set, dense))) > 1:
        assert communities.measure_nmi(x, y) == pytest.approx(
            igraph.compare_communities(*dense, method="nmi"), abs=1e-9
        )
    expected = igraph.compare_communities(*dense, method="adjusted_rand")
    assert communities.measure_ari(x, y) == pytest.approx(1.0 if np.isnan(expected) else expected, abs=1e-9)
    assert -0.5 <= communities.measure_ari(x, y) <= 1
    assert communities.measure_ari(x, x) == communities.measure_nmi(x, x) == 1


def value(side):
    return None if side is None else side.value


def club():
    return shoal.examples.karate()


def test_a_graph_compared_with_itself():
    found = shoal.compare(club(), club())
    assert found["edges kept"].after.value == 78
    for row in found:
        if row.metric.better == "lower":
            assert row.after.value == 0, row.metric.name
        elif row.metric.better == "closer":
            assert row.after == row.before, row.metric.name
        elif row.metric.unit == "share":
            assert row.after.value == 1, row.metric.name
    assert found.matched == "name"
    assert found.left_out == ()
    assert set(found["community NMI"].data()) >= {
        "before",
        "after",
        "random",
        "empty",
        "low",
        "high",
        "better",
        "means",
    }


def test_every_metric_declares_what_it_is():
    metrics = [metric for group in GROUPS for metric in group.metrics]
    assert len({metric.name for metric in metrics}) == len(metrics)
    for metric in metrics:
        assert metric.means.endswith(".")
        assert metric.means[0].isupper()
        assert metric.better in ("higher", "lower", "closer")
        assert metric.low is not None
        assert metric.high is None or metric.high > metric.low
        assert metric.unit in ("share", "count", "")
    named = {metric.name for metric in metrics if metric.needs_mapping}
    edits = {metric.name for metric in network.EDITS}
    assert named == edits | {"PageRank top 1 %", "community NMI", "community ARI", "core number kept"}
    assert {row.metric.name for row in shoal.compare(club(), club(), baselines=False)} >= {m.name for m in metrics}


def changed(g, seed):
    rng = np.random.default_rng(seed)
    graph = shoal.as_graph(g)
    return compare.perturb_links(graph, 12, 15, rng)


@pytest.mark.parametrize("seed", range(3))
def test_relabeling_changes_nothing(seed):
    g = nx.gnp_random_graph(60, 0.1, seed=seed)
    before, after = shoal.as_graph(g), changed(g, seed)
    order = np.random.default_rng(seed).permutation(60)
    h = nx.relabel_nodes(after.to_networkx(), dict(enumerate(order.tolist())))
    shuffled = nx.Graph()
    shuffled.add_nodes_from(sorted(h))
    shuffled.add_edges_from(h.edges)
    one = shoal.compare(before, after, baselines=False)
    other = shoal.compare(before, shuffled, mapping=dict(enumerate(order.tolist())), baselines=False)
    assert other.matched == "mapping"
    for row in one:
        if row.metric.group != "communities":  # their search draws an order of ids by chance
            assert value(other[row.metric.name].after) == pytest.approx(row.after.value, abs=1e-9), row.metric.name
            assert value(other[row.metric.name].before) == pytest.approx(value(row.before), abs=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(scene=attacks(multi=True, attributed=True))
@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_ranges_hold_and_all_is_plain_data(scene):
    published, original, mapping = scene
    original, published = (shoal.as_graph(g, multigraph=True) for g in (original, published))
    found = shoal.compare(original, published, mapping=mapping, repeats=2)
    json.dumps(found.data(), allow_nan=False)
    for row in found:
        for side in (row.before, row.after, row.random, row.empty):
            if side is not None:
                assert row.metric.low is None or side.value >= row.metric.low, row
                assert row.metric.high is None or side.value <= row.metric.high, row
    a, b = ({frozenset(pair) for pair in g.to_networkx().edges()} for g in (original, published))
    image = {frozenset(mapping[v] for v in pair) for pair in a if all(v in mapping for v in pair)}
    assert found["edges kept"].after.value == len(image & b)
    assert found["edges added"].after.value == len(b) - len(image & b)
    assert found["edges removed"].after.value == len(a) - len(image & b)
    assert max(map(len, repr(found).split("\n"))) <= 100


def test_random_edits_are_as_many():
    g = nx.barabasi_albert_graph(80, 3, seed=2)
    found = shoal.compare(g, changed(g, 5), repeats=3)
    for name, many in (("edges added", 12), ("edges removed", 15), ("edges kept", g.size() - 15)):
        row = found[name]
        assert row.random.value == row.after.value == many
        assert row.random.spread == 0
    assert found["transitivity"].random.spread > 0
    assert "12 links added and 15 removed" in found.notes[0]


def test_vertices_that_came_and_went():
    g = nx.path_graph(6)
    h = nx.Graph([(0, 1), (1, 2), (2, "new"), ("new", "newer"), (0, "newer")])
    with pytest.warns(Notice, match="3 of the 6 original"):
        found = shoal.compare(g, h, repeats=2)
    counts = {name: found[f"edges {name}"].after.value for name in ("kept", "added", "removed")}
    assert counts == {"kept": 2, "added": 3, "removed": 3}
    assert {name: found[f"edges {name}"].random.value for name in counts} == counts
    assert found["vertices"].after.value == 5
    assert found["vertices"].random.value == 8  # six, and two that are nobody's
    assert found["core number kept"].after.value == 0


def test_emptying_is_the_baseline_and_loses_most():
    g = club()
    nothing = nx.empty_graph(list(g.names))
    emptied, same = shoal.compare(g, nothing), shoal.compare(g, g)
    for row in same:
        if row.empty is not None and row.metric.group != "columns":
            assert emptied[row.metric.name].after.value == row.empty.value, row.metric.name
        if row.metric.better == "higher":
            assert row.empty.value < row.after.value, row.metric.name
        elif row.metric.better == "lower" and row.metric.name != "edges added" and row.metric.group != "columns":
            assert row.empty.value > row.after.value, row.metric.name
    left = dict(emptied.left_out)
    assert left["mean distance"] == "in the release, no two vertices are connected"
    assert left["degree assortativity"] == "in the release, there are no links"


def test_twins_tie_and_their_ids_do_not_matter():
    star = nx.star_graph(3)
    assert network.weigh_top(network.compute_pagerank(make_network(star)), 2).tolist() == pytest.approx(
        [1, 1 / 3, 1 / 3, 1 / 3]
    )
    # eight equal stars: which centers are the best three of 250 is a matter of ties alone
    g = nx.disjoint_union_all([nx.star_graph(9)] * 8 + [nx.empty_graph(170)])
    h = g.copy()
    h.remove_edge(0, 1)
    names = list(g)
    for _ in range(4):
        random.Random(len(names)).shuffle(names)
        found = shoal.compare(nx.relabel_nodes(g, dict(enumerate(names))), nx.relabel_nodes(h, dict(enumerate(names))))
        # three eighths of each center before, three sevenths of each but the first after
        assert found["PageRank top 1 %"].after.value == pytest.approx(7 * 3 / 8 / 3)
        assert found["PageRank top 1 %"].empty.value == pytest.approx(8 * 3 / 250 / 3)
    assert shoal.compare(g, g, baselines=False)["PageRank top 1 %"].after.value == pytest.approx(1)


@pytest.mark.parametrize("n", [1, 3])
def test_tiny_graphs(n):
    found = shoal.compare(nx.empty_graph(n), nx.empty_graph(n))
    json.dumps(found.data(), allow_nan=False)
    assert found["edges"].after.value == 0
    assert found["transitivity"].after.value == found["lambda1"].after.value == found["4-cycles"].after.value == 0
    assert found["community ARI"].after.value == found["PageRank top 1 %"].after.value == 1
    assert set(dict(found.left_out)) == {"edit ratio", "degree assortativity", "mean distance"}
    assert "edit ratio: in the original, the original" not in repr(found)


def test_several_largest_components_count_alike():
    two = nx.disjoint_union(nx.path_graph(4), nx.star_graph(3))
    assert network.measure_mean_distance(make_network(two)).value == pytest.approx((5 / 3 + 3 / 2) / 2)


def test_parallel_edges_count_once():
    several = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0)])
    found = shoal.compare(shoal.as_graph(several, multigraph=True), nx.Graph(several), baselines=False)
    assert found["edges"].before.value == found["edges"].after.value == found["edges kept"].after.value == 3
    assert found["largest degree"].before.value == 2


def test_without_a_mapping_no_vertex_is_matched():
    found = shoal.compare(club(), club(), same_names=False)
    assert found.matched == "nothing"
    assert not any(row.metric.needs_mapping for row in found)
    assert all(row.random is None for row in found)
    assert {why for _, why in found.left_out} == {compare.NO_MAPPING}
    assert "no mapping" in repr(found)


def test_a_drawn_release_is_measured_by_samples():
    release = shoal.methods.Generalize(k=3, seed=1)(club())
    found = shoal.compare(club(), release, samples=4, repeats=2)
    assert {name for name, _ in found.left_out} == {metric.name for metric in network.EDITS}
    assert found["transitivity"].after.spread > 0
    expected = release.estimates(4, seed=0)["transitivity"]
    assert found["transitivity"].after.value == pytest.approx(expected.mean)
    assert found["transitivity"].after.spread == pytest.approx(expected.spread)
    assert found["edges"].random.value == 78
    assert "4 sampled graphs" in found.notes[0]
    assert "78 links" in found.notes[1]
    assert found["club: distance"].after.value == 0


def test_a_release_and_its_graph_compare_alike():
    release = shoal.methods.EqualizeRows(k=2, seed=1)(club())
    assert shoal.compare(club(), release).data() == shoal.compare(club(), release.data).data()
    assert shoal.compare(club(), release)["edges added"].after.value == len(release.edits.added)
    assert shoal.compare(club(), release)["edit ratio"].after.value == release.edits.ratio


def test_random_choices_come_only_from_the_seed():
    g, h = nx.gnp_random_graph(60, 0.08, seed=1), nx.gnp_random_graph(60, 0.08, seed=2)
    state = random.getstate()
    once = shoal.compare(g, h, seed=3)
    assert random.getstate() == state
    random.seed(77)
    assert shoal.compare(g, h, seed=3).data() == once.data()
    assert shoal.compare(g, h, seed=4)["transitivity"].random != once["transitivity"].random
    random.setstate(state)
    first = igraph.Graph.Erdos_Renyi(30, 0.5).get_edgelist()
    random.setstate(state)  # igraph draws from Python's generator again
    assert igraph.Graph.Erdos_Renyi(30, 0.5).get_edgelist() == first


def test_igraph_draws_as_before_even_if_a_search_fails():
    with pytest.raises(KeyboardInterrupt), communities.seed_igraph(5):
        raise KeyboardInterrupt
    random.seed(5)
    first = igraph.Graph.Erdos_Renyi(30, 0.5).get_edgelist()
    random.seed(5)
    assert igraph.Graph.Erdos_Renyi(30, 0.5).get_edgelist() == first


INTERRUPTED = """
import random
import signal
import networkx as nx
import shoal
from shoal.utility.communities import search_communities
from shoal.utility.base import Network
draws = 0
class Interrupts(random.Random):
    def getrandbits(self, bits):
        global draws
        draws += 1
        if draws == 500:
            signal.raise_signal(signal.SIGINT)
        return super().getrandbits(bits)
network = Network.of(shoal.as_graph(nx.gnm_random_graph(2_000, 10_000, seed=1)))
random.Random = Interrupts
try:
    search_communities(network, range(2))
except KeyboardInterrupt:
    print("stopped", draws > 500)
"""


@pytest.mark.slow
def test_an_interrupt_inside_a_search_does_not_crash():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "stopped True\n"), done.stderr


@pytest.mark.slow
def test_large_graphs_are_searched_less_often(monkeypatch):
    monkeypatch.setattr("shoal.utility.base.LARGE", 20)
    found = shoal.compare(club(), club(), repeats=3)
    assert found["community NMI"].before.spread is None  # one pair of searches
    assert "ommunities were searched 2 times" in found.notes[-1]


def people(**columns):
    return shoal.Table.of(columns)


def test_columns_of_tables():
    before = people(age=[20, 30, 40, None], sex=["f", "f", "m", None], size=[1, 2, 3, 4], gone=[1, 2, 3, 4])
    after = people(age=[25, 25, 40, 41], sex=["f", "m", "m", "m"], size=[4, 3, 2, 1], fresh=[1, 1, 1, 1])
    found = shoal.compare(before, after)
    got = {row.metric.name: (value(row.before), row.after.value) for row in found}
    assert got["age: mean"] == (30, 32.75)
    assert got["age: missing"] == (0.25, 0)
    assert got["age: distance"] == (None, pytest.approx(0.5 - 1 / 6))  # at 24: a third, and nobody
    assert got["sex: distance"] == (None, 0.5)
    assert got["correlations: largest change"] == (
        None,
        pytest.approx(1 - np.corrcoef([25, 25, 40, 41], [4, 3, 2, 1])[0, 1]),
    )
    assert found.left_out == (("gone", "the release does not have this column"),)
    assert all(row.random is None and row.empty is None for row in found)
    assert not any(row.metric.group != "columns" for row in found)


@settings(max_examples=100)
@given(data=st.data())
def test_distributions_by_counting(data):
    cells = st.lists(st.sampled_from([None, 0, 1, 2.5, 7]), min_size=1, max_size=8)
    before, after = data.draw(cells), data.draw(cells)
    found = shoal.compare(people(x=before), people(x=after))
    x, y = ([cell for cell in side if cell is not None] for side in (before, after))
    if not x or not y:
        assert found.rows == ()
        return
    share = [[sum(cell <= at for cell in side) / len(side) for at in (0, 1, 2.5, 7)] for side in (x, y)]
    assert found["x: distance"].after.value == pytest.approx(max(abs(a - b) for a, b in zip(*share, strict=True)))
    words = [["missing" if cell is None else f"w{cell}" for cell in side] for side in (before, after)]
    told = [[None if cell is None else f"w{cell}" for cell in side] for side in (before, after)]
    found = shoal.compare(people(x=told[0]), people(x=told[1]))
    if set(x) & set(y):
        apart = sum(
            abs(words[0].count(w) / len(before) - words[1].count(w) / len(after)) for w in {*words[0], *words[1]}
        )
        assert found["x: distance"].after.value == pytest.approx(apart / 2)
    else:
        assert "recoded" in found.left_out[0][1]


@pytest.mark.slow
@settings(max_examples=60)
@given(g=graphs(least=3, most=7), data=st.data())
def test_along_links_as_networkx_says(g, data):
    for v in g:
        g.nodes[v]["word"] = data.draw(st.sampled_from("ab"))
        g.nodes[v]["size"] = data.draw(st.integers(0, 3))
    found = shoal.compare(g, g, baselines=False)
    linked = [v for v in g if g.degree(v)]
    for name, judge in (
        ("word", nx.attribute_assortativity_coefficient),
        ("size", nx.numeric_assortativity_coefficient),
    ):
        if len({g.nodes[v][name] for v in linked}) > 1:
            assert found[f"{name}: along links"].before.value == pytest.approx(judge(g, name), abs=1e-9)
        else:
            assert f"{name}: along links" not in {row.metric.name for row in found}


def test_recoded_columns_are_left_out():
    before = people(age=[41, 42, 55], city=["Rome", "Bonn", "Rome"], code=[1, 2, 3])
    after = people(age=["40-49", "40-49", "50-59"], city=["Italy", "Germany", "Italy"], code=[None, None, None])
    found = shoal.compare(before, after)
    assert found.rows == ()
    why = dict(found.left_out)
    assert why["age"].startswith("it was recoded: only one side is numeric")
    assert why["city"].startswith("it was recoded: no value")
    assert why["code"] == "every value of the release is missing"
    assert "There is nothing to compare." in repr(found)


def test_strange_numbers():
    big = people(x=[1e308, 1e308, -1e308], y=[2**60, 1, 2], z=[1, 1, 1], near=[1e16, 1e16 + 2, 1e16])
    found = shoal.compare(big, big)
    json.dumps(found.data(), allow_nan=False)
    assert found["x: mean"].before.value == pytest.approx(1e308 / 3)
    assert "2**53" in dict(found.left_out)["y"]
    assert found["correlations: largest change"].after.value == 0


def test_bad_parameters():
    for bad in ({"repeats": 0}, {"samples": 0}, {"seed": -1}, {"seed": 1.5}):
        with pytest.raises(BadParameter, match=f"'{next(iter(bad))}'"):
            shoal.compare(club(), club(), **bad)
    with pytest.raises(BadParameter, match="in common"):
        shoal.compare(club(), nx.path_graph(["a", "b"]))
    with pytest.raises(BadParameter, match=r"'transitivty'.*Did you mean 'transitivity'"):
        shoal.compare(club(), club(), baselines=False)["transitivty"]


def test_a_release_of_a_table_compares_with_any_form_of_the_table():
    frame = shoal.examples.people().to_pandas()
    release = shoal.methods.Microaggregate(k=3)(shoal.as_table(frame))
    found = shoal.compare(frame, release)
    assert found.data() == shoal.compare(shoal.as_table(frame), release.data).data()
    assert found["age: mean"].before.value == pytest.approx(frame["age"].mean())


def test_frame_and_page():
    found = shoal.compare(club(), club())
    frame = found.to_frame()
    assert list(frame["name"]) == [row.metric.name for row in found]
    assert {"before", "after", "random", "empty", "random spread"} <= set(frame.columns)
    assert found._repr_html_().startswith("<table>")
    assert "<x>" not in shoal.compare(people(**{"<x>": [1]}), people(**{"<x>": [1]}))._repr_html_()


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """An original and a release with fresh names, some of which the original has too."""
    monkeypatch.chdir(tmp_path)
    g = nx.barabasi_albert_graph(40, 2, seed=3)
    shoal.write(shoal.as_graph(g, attributes={"age": [20 + v % 9 for v in range(40)]}), "friends.graphml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        release = shoal.methods.EqualizeRows(k=2, seed=1)(shoal.read_graph("friends.graphml"))
        release.save("safe.graphml", mapping="secret.csv", seed=2)
    return release


def test_the_command_matches_by_mapping(saved, shell):
    code, out, err = shell("compare", "friends.graphml", "safe.graphml", "--mapping", "secret.csv", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["schema"] == 1
    assert told["matched"] == "mapping"
    numbers = {row["name"]: row for row in told["metrics"]}
    assert numbers["edges added"]["after"]["value"] == len(saved.edits.added)
    assert numbers["age: distance"]["after"]["value"] == 0
    here = shoal.compare(saved.original, saved).data()
    for row in here["metrics"]:
        if row["group"] != "communities":
            assert numbers[row["name"]]["after"]["value"] == pytest.approx(row["after"]["value"]), row["name"]
    code, out, _ = shell("compare", "friends.graphml", "safe.graphml", "--mapping", "secret.csv", "--no-baselines")
    assert code == 0
    assert "random" not in out.split("\n\n")[1]
    assert "edges kept" in out


def test_the_command_never_matches_by_name_unless_asked(saved, shell):
    code, out, _ = shell("compare", "friends.graphml", "safe.graphml")
    assert code == 0
    table = out.split("\n\n")[1]
    assert "edges kept" not in table
    assert "random" not in table
    assert "only with the original-to-released mapping" in " ".join(out.split())
    code, out, _ = shell("compare", "friends.graphml", "friends.graphml", "--same-names")
    assert code == 0
    assert "edges kept" in out.split("\n\n")[1]
    code, _, err = shell("compare", "friends.graphml", "safe.graphml", "--same-names", "--mapping", "secret.csv")
    assert code == 2
    assert "must not come together" in err


def test_the_command_knows_what_was_drawn(tmp_path, monkeypatch, shell):
    monkeypatch.chdir(tmp_path)
    g = nx.relabel_nodes(nx.barabasi_albert_graph(30, 2, seed=3), "v{}".format)
    shoal.write(shoal.as_graph(g), "friends.csv")
    with pytest.warns(Notice, match="can be guessed"):
        shoal.methods.Generalize(k=3, seed=1)(shoal.read_graph("friends.csv")).save(
            "safe.csv", mapping="secret.csv", seed=2
        )
    code, out, err = shell("compare", "friends.csv", "safe.csv", "--mapping", "secret.csv")
    assert code == 0, err
    assert "edges kept, edges added, edges removed, edit ratio: all links were drawn anew" in " ".join(out.split())
    (tmp_path / "safe.csv.release.json").write_text("[]")
    code, _, err = shell("compare", "friends.csv", "safe.csv", "--mapping", "secret.csv")
    assert code == 2
    assert "safe.csv.release.json" in err


def test_the_command_on_tables_and_attributes(tmp_path, monkeypatch, shell):
    monkeypatch.chdir(tmp_path)
    rows = [["name", "age", "zip"], ["a", "20", "007"], ["b", "30", "008"], ["c", "40", "008"]]
    for file, table in (("people.csv", rows), ("safe.csv", [row[1:] for row in rows])):
        with open(file, "w", newline="") as stream:
            csv.writer(stream).writerows(table)
    code, out, err = shell("compare", "people.csv", "safe.csv", "--columns", "age,zip", "--key", "name")
    assert code == 0, err
    assert "age: mean" in out
    assert "zip: distance" in out
    (tmp_path / "links.csv").write_text("source,target\na,b\nb,c\n")
    code, out, err = shell(
        "compare", "links.csv", "links.csv", "--same-names", "--attributes", "people.csv",
        "--released-attributes", "people.csv", "--texts", "age",
    )  # fmt: skip
    assert code == 0, err
    assert "age: distance" in out
    assert "age: mean" not in out


# Time limits.


@pytest.mark.slow
def test_with_enough_time_the_limit_changes_nothing():
    club = shoal.examples.karate()
    release = shoal.methods.Perturb(delete=4, seed=1)(club)
    assert shoal.compare(club, release, time_limit=300) == shoal.compare(club, release)
    drawn = shoal.methods.Generalize(k=2, seed=1)(club)
    assert shoal.compare(club, drawn, samples=2, time_limit=300) == shoal.compare(club, drawn, samples=2)


def test_without_time_every_metric_is_left_out_with_the_reason(shell):
    club = shoal.examples.karate()
    found = shoal.compare(club, club, time_limit=1e-6)
    many = len(shoal.compare(club, club).rows)
    assert not found.rows
    assert found.partial == found.data()["partial"] == f"The time limit of 0.000001s ended {many} of {many} metrics."
    assert {why for _, why in found.left_out} == {"not finished within the time limit of 0.000001s"}
    code, out, _ = shell("compare", "example:karate", "example:karate", "--same-names", "--time-limit", "0.000001s")
    assert code == 0
    assert out.split("\n\n")[1].startswith("PARTIAL. The time limit of 0.000001s ended")


@pytest.mark.slow
def test_an_endless_metric_is_left_out_and_the_others_are_there(monkeypatch):
    at = GROUPS.index(communities.COMMUNITIES)
    end_calls(lambda call, _: call.args[2] == at, monkeypatch)
    club = shoal.examples.karate()
    found, whole = shoal.compare(club, club, time_limit=600), shoal.compare(club, club)
    lost = {"community NMI", "community ARI"}
    assert {name for name, _ in found.left_out} == lost
    assert found.rows == tuple(row for row in whole.rows if row.metric.name not in lost)
    assert "ended 2 of" in found.partial
    assert repr(found).startswith("PARTIAL. ")


@pytest.mark.slow
def test_processes_find_the_same_communities(monkeypatch):
    club = shoal.examples.les_miserables()
    here = communities.search_communities(Network.of(club), range(3))
    monkeypatch.setattr("shoal.utility.base.LARGE", 10)
    there = communities.search_communities(Network.of(club), range(3))
    assert [x.tolist() for x in here] == [x.tolist() for x in there]


@pytest.mark.slow
def test_a_baseline_that_is_not_finished_is_an_empty_cell(monkeypatch):
    end_calls(lambda call, _: call.args[:2] in (("random", 3), ("empty", 0)), monkeypatch)
    club = shoal.examples.karate()
    found = shoal.compare(club, club, time_limit=600)
    assert not found.left_out
    assert found["edges"].empty is None
    assert found["edges"].random is not None
    assert any("3 draws" in note for note in found.notes)
    assert found.partial.startswith("The time limit of 10m ended samples or baselines of")
