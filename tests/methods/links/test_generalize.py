"""Generalize: the published graph depends only on the edge counts of classes and on chance; few worlds are left."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import comb, log, prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs, interrupting
from messages import tells
from shoal import Release
from shoal.data.generalized import Generalized
from shoal.errors import BadParameter, BrokenPromise, Notice
from shoal.methods import Generalize
from shoal.methods.base import ATTRIBUTES_STAY
from shoal.methods.links import generalize
from shoal.methods.links.generalize import CERTAIN, WORLDS, WorldProblem, find_classes, start_classes
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.progress import watching
from shoal.release.guarantee import ExchangeabilityPromise
from shoal.release.manifest import describe_release
from shoal.release.release import measure_transitivity
from shoal.release.verify import verify_release

SECRET = 2**90 + 7


@st.composite
def asked(draw, most=7):
    g = draw(graphs(most=most))
    return g, draw(st.integers(1, len(g)))


def parts_of(codes):
    return [[v for v, code in enumerate(codes) if code == kind] for kind in sorted(set(codes))]


def blocks(g, codes):
    """The pairs of vertices and the edges of every block, by counting."""
    parts = parts_of(codes)
    for part in parts:
        yield comb(len(part), 2), g.subgraph(part).number_of_edges()
    for a, b in combinations(parts, 2):
        yield len(a) * len(b), sum(g.has_edge(u, v) for u in a for v in b)


def worlds(g, codes):
    return prod(comb(s, e) for s, e in blocks(g, codes))


def unlike(g, codes):
    """Return the spread of degrees inside classes."""
    roots = [[(2 * g.degree(v)) ** 0.5 for v in part] for part in parts_of(codes)]
    return sum((r - sum(part) / len(part)) ** 2 for part in roots for r in part)


def partitions(n, k):
    """All partitions of 0 to n-1 in classes of k or more, as codes."""

    def grow(v, sizes, codes):
        if v == n:
            if min(sizes) >= k:
                yield tuple(codes)
            return
        for i in range(len(sizes) + 1):
            more = [*sizes, 1] if i == len(sizes) else [s + (j == i) for j, s in enumerate(sizes)]
            yield from grow(v + 1, more, [*codes, i])

    return grow(0, [], [])


@pytest.mark.slow
@given(asked())
@settings(max_examples=60)
def test_laws(drawn):
    g, k = drawn
    data = shoal.as_graph(g)
    release = Generalize(k, effort=60, seed=3)(data)
    sizes = np.bincount(release.codes)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1) or len(sizes) == 1
    assert release.original is data
    assert release.data.names == data.names
    assert list(blocks(g, release.codes.tolist())) == list(blocks(release.data.to_networkx(), release.codes.tolist()))
    assert release.generalized == Generalized.of(data, release.codes)
    assert release.edits is None
    assert release.promises == (ExchangeabilityPromise(k),)
    assert len(release.verification) == 1
    assert release.measured["classes"] == len(sizes) == len(release.classes)
    assert release.measured[WORLDS] == pytest.approx(log(worlds(g, release.codes.tolist())), abs=1e-9)


@pytest.mark.slow
@given(asked(), st.integers(0, 5))
@settings(max_examples=40)
def test_the_same_seed_makes_the_same_release_and_every_sample_has_the_numbers(drawn, seed):
    g, k = drawn
    one, two = (Generalize(k, effort=20, seed=seed)(g) for _ in range(2))
    assert one.data == two.data
    assert np.array_equal(one.codes, two.codes)
    for world in [one.sample(4), *one.samples(3, seed=8)]:
        assert Generalized.of(world, one.codes) == one.generalized
    assert one.sample(4) == one.samples(1, seed=4)[0]
    assert one.generalized.sample(seed) == one.data


def problem(data, k, degrees, seed=0):
    return WorldProblem(data, k, np.ones(data.n, dtype=np.bool_), seed, weight=degrees)


@given(asked(), st.sampled_from([0.0, 0.5, 2.0]))
@settings(max_examples=60)
def test_the_objective_is_that_of_the_definition(drawn, degrees):
    g, k = drawn
    data = shoal.as_graph(g)
    codes = start_classes(data, k)
    expected = log(worlds(g, codes.tolist())) + degrees * unlike(g, codes.tolist())
    assert problem(data, k, degrees).cost(codes) == pytest.approx(expected, abs=1e-9)


@given(graphs(least=4, most=12), st.integers(2, 3), st.sampled_from([0.0, 0.5]), st.booleans(), st.integers(0, 9))
@settings(max_examples=60)
def test_what_the_compiled_loops_add_up_is_the_objective(g, k, degrees, stored, seed):
    data = shoal.as_graph(g)
    if data.n < 2 * k:
        return
    from shoal.optimize._kernels.partition import anneal

    start = start_classes(data, k)
    asked = problem(data, k, degrees, seed)
    state = asked.begin(start, 0)
    if not stored:
        state = state._replace(blocks=state.blocks[:0])
    more = anneal(state, 400, 5.0, 1.0, 0.0)
    codes = state.code.astype(np.int64)
    assert asked.cost(codes) - asked.cost(start) == pytest.approx(more, abs=1e-8)
    sizes = np.bincount(codes)
    assert sizes[sizes > 0].min() >= k
    assert sizes.max() <= 2 * k - 1
    assert not any(room.any() for room in (state.here, state.there, state.shift))
    if stored:
        a, b, _ = data.edges()
        again = np.zeros_like(state.blocks)
        np.add.at(again, (codes[a], codes[b]), 1)
        np.add.at(again, (codes[b], codes[a]), 1)
        assert np.array_equal(again, state.blocks)


def test_many_pairs_of_a_block_are_computed_rather_than_listed(monkeypatch):
    graph = shoal.as_graph(nx.gnm_random_graph(40, 150, seed=1))
    rows = []
    for listed in (131_072, 9):
        monkeypatch.setattr(generalize, "LISTED", listed)
        rows.append(problem(graph, 4, 0.0, 1).search(start_classes(graph, 4), 60).solution.tolist())
    assert rows[0] == rows[1]


@given(graphs(least=2, most=8), st.integers(1, 4), st.integers(0, 200), st.integers(0, 3))
@settings(max_examples=60)
def test_a_search_is_never_worse_than_its_start(g, k, sweeps, seed):
    data = shoal.as_graph(g)
    if data.n < 2 * k or k == 1:
        return
    start = start_classes(data, k)
    asked = problem(data, k, 0.5, seed)
    found = asked.search(start, sweeps)
    assert found.sweeps == sweeps
    assert asked.cost(found.solution) <= asked.cost(start)


@pytest.mark.parametrize("seed", range(12))
def test_the_fewest_worlds_are_found_in_small_graphs(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 9)), int(rng.integers(2, 4))
    g = nx.gnm_random_graph(n, int(rng.integers(4, 14)), seed=seed)
    fewest = min(worlds(g, codes) for codes in partitions(n, k))
    release = Generalize(k, degrees=0, seed=seed)(g)
    assert worlds(g, release.codes.tolist()) == fewest


@pytest.mark.parametrize(
    ("g", "k"),
    [
        (nx.disjoint_union_all([nx.path_graph(2), nx.path_graph(2), nx.path_graph(3), nx.empty_graph(2)]), 3),
        (nx.disjoint_union_all([nx.cycle_graph(3), nx.cycle_graph(4), nx.empty_graph(1)]), 2),
        (nx.disjoint_union_all([nx.star_graph(3), nx.star_graph(3)]), 2),
        (nx.cycle_graph(8), 3),
    ],
)
def test_the_fewest_worlds_are_found_in_graphs_with_several_components(g, k):
    fewest = min(worlds(g, codes) for codes in partitions(len(g), k))
    assert worlds(g, Generalize(k, degrees=0, seed=1)(g).codes.tolist()) == fewest


@pytest.mark.slow
@given(graphs(least=4, most=7), st.integers(1, 2))
@settings(max_examples=30)
def test_larger_classes_than_2k_minus_1_are_never_needed(g, k):
    def least(most):
        return min(
            worlds(g, codes) for codes in partitions(len(g), k) if max(map(len, parts_of(codes))) <= most
        )  # fmt: skip

    assert least(2 * k - 1) == least(len(g))


@given(graphs(most=8), st.integers(1, 8))
def test_starts_have_classes_of_k_to_2k_minus_1(g, k):
    data = shoal.as_graph(g)
    if k > data.n:
        return
    sizes = np.bincount(start_classes(data, k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_small_components_start_in_classes_of_their_own():
    g = nx.disjoint_union_all([nx.path_graph(3)] * 4 + [nx.path_graph(2)] * 5 + [nx.complete_graph(9)])
    codes = start_classes(shoal.as_graph(g), 4)
    assert not set(codes[:22]) & set(codes[22:])


@pytest.mark.parametrize(
    ("g", "k"),
    [
        (nx.empty_graph(5), 2),
        (nx.complete_graph(6), 3),
        (nx.path_graph(6), 1),
        (nx.complete_bipartite_graph(3, 3), 3),
    ],
)
def test_a_single_world_is_the_original_with_a_note(g, k):
    release = Generalize(k, seed=1)(g)
    assert release.data == release.original
    assert release.generalized.log_worlds == 0
    assert release.measured[CERTAIN] == release.original.m
    assert UNCHANGED in release.notes


def test_a_single_class_reveals_only_the_number_of_edges():
    g = nx.path_graph(6)
    for k in (4, 6):  # fewer than two classes of k are possible
        release = Generalize(k, seed=1)(g)
        assert release.generalized == Generalized.of(shoal.as_graph(g), [0] * 6)
        assert release.generalized.log_worlds == pytest.approx(log(comb(15, 5)))
        assert UNCHANGED not in release.notes


@pytest.mark.slow
def test_the_weight_of_degrees_is_applied():
    g = nx.gnp_random_graph(60, 0.1, seed=4)
    apart = [unlike(g, Generalize(5, degrees=weight, seed=2)(g).codes.tolist()) for weight in (0, 1, 20)]
    assert apart[0] > apart[1] > apart[2]


class Fixed:
    """A generator whose permutation is given."""

    def __init__(self, rank):
        self.rank, self.rng = rank, np.random.default_rng(1)

    def permutation(self, n):
        assert n == len(self.rank)
        return self.rank

    def integers(self, *how, **more):
        return self.rng.integers(*how, **more)


def test_the_order_of_the_vertices_reveals_nothing(monkeypatch):
    """The search sees all orders of the vertices with the same probability, whatever the order of the file is."""
    graph, rng = shoal.as_graph(nx.gnm_random_graph(30, 60, seed=3)), np.random.default_rng(5)
    rank, turned = rng.permutation(30), rng.permutation(30)
    a, b, _ = graph.edges()
    other = shoal.Graph.from_pairs(range(30), turned[a], turned[b])
    same = np.empty(30, dtype=np.int64)
    same[turned] = rank
    found = []
    for data, seen in ((graph, rank), (other, same)):
        monkeypatch.setattr(generalize, "make_generator", lambda _, seen=seen: Fixed(seen))
        found.append(find_classes(data, 3, 0.5, 20, 1).solution)
    assert Counter(map(tuple, parts_of(found[0].tolist()))) == Counter(
        tuple(sorted(np.flatnonzero(np.isin(turned, part)).tolist())) for part in parts_of(found[1].tolist())
    )


def test_measures_and_notes():
    release = Generalize(3, seed=SECRET)(shoal.examples.karate().without_attributes())
    text = repr(release)
    assert "equally likely" in text
    assert "Rows are not equal" in text
    assert tells(text, "78 edges", "added", "removed")
    assert "added," not in text
    assert str(SECRET) not in text
    assert "Kolmogorov-Smirnov" in text
    assert ATTRIBUTES_STAY not in release.notes
    assert ATTRIBUTES_STAY in Generalize(3, seed=1, effort=5)(shoal.examples.karate()).notes


def test_public_values_follow_from_the_numbers_and_the_draw():
    """A published transitivity of the original would rule out four fifths of the worlds of small graphs."""
    release = Generalize(3, seed=SECRET)(shoal.examples.florentine())
    pages = [
        describe_release(replace(release, original=world), []) for world in [release.original, *release.samples(20)]
    ]
    assert len({world.m * measure_transitivity(world) for world in release.samples(20)}) > 5
    assert all(page == pages[0] for page in pages)


def test_the_public_page_contains_no_edits_and_no_seed(tmp_path):
    release = Generalize(3, seed=SECRET)(shoal.examples.florentine())
    files = release.save(tmp_path / "safe.csv", tmp_path / "secret.csv", classes=tmp_path / "classes.json")
    assert [name.rsplit("/", 1)[-1] for name in files] == [
        "safe.csv", "classes.json", "safe.csv.release.json", "secret.csv",
    ]  # fmt: skip
    page = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert set(page["files"]) == {"safe.csv", "classes.json"}
    assert page["promise"] == [{"kind": "exchangeability", "k": 3, "all worlds taken as equally likely": True}]
    assert all(set(told) == {"after"} for told in page["utility"].values())
    assert page["utility"]["largest degree"] == {"after": int(release.data.degree.max())}
    assert page["method"] == {"name": "generalize", "k": 3, "degrees": 0.5, "effort": None}
    assert set(page["measured"]) == {"classes", "smallest class", "largest class", WORLDS, CERTAIN}
    text = "".join((tmp_path / name).read_text() for name in ("safe.csv", "classes.json", "safe.csv.release.json"))
    assert "Medici" not in text
    assert str(SECRET) not in text
    assert str(SECRET) in (tmp_path / "secret.csv").read_text()
    classes = Generalized.read(tmp_path / "classes.json")
    assert sorted(classes.sizes.tolist()) == sorted(release.generalized.sizes.tolist())
    assert classes.sample(3).m == 20
    back = shoal.read_graph(tmp_path / "safe.csv")
    assert sorted(back.degree.tolist()) == sorted(release.data.degree.tolist())


def test_public_numbers_do_not_change_if_two_members_of_a_class_are_exchanged():
    release = Generalize(3, seed=SECRET)(shoal.examples.florentine().without_attributes())
    for members in parts_of(release.codes.tolist()):
        turned = np.arange(release.original.n)
        turned[members] = np.roll(members, 1)
        a, b, _ = release.original.edges()
        other = shoal.Graph.from_pairs(release.original.names, turned[a], turned[b])
        changed = replace(release, original=other, generalized=Generalized.of(other, release.codes))
        assert verify_release(changed).verification == release.verification
        assert describe_release(changed, []) == describe_release(release, [])


def test_no_file_is_written_if_one_cannot_be(tmp_path):
    release = Generalize(3, seed=SECRET)(shoal.examples.florentine())
    (tmp_path / "classes.json").write_text("mine")
    with pytest.raises(shoal.ShoalError, match="not overwritten"):
        release.save(tmp_path / "safe.csv", classes=tmp_path / "classes.json")
    assert [path.name for path in tmp_path.iterdir()] == ["classes.json"]
    with (
        pytest.warns(Notice, match="from 20 to 0"),
        pytest.raises(BadParameter, match="drawn from classes"),
    ):
        shoal.methods.EqualizeRows(5)(shoal.examples.florentine()).save(tmp_path / "x.csv", classes=tmp_path / "y.json")


def test_saving_with_a_guessable_seed_gives_a_notice(tmp_path):
    with pytest.warns(Notice, match=r"7.*guessed"):
        Generalize(3, seed=7)(shoal.examples.florentine()).save(tmp_path / "safe.csv")
    one, two = (Generalize(5)(shoal.examples.florentine()) for _ in range(2))
    assert one.seed != two.seed
    assert one.method.seed is None


@cache
def tampered():
    release = Generalize(3, seed=5)(nx.gnm_random_graph(14, 30, seed=2))
    codes, found = release.codes, release.generalized
    far = codes.copy()
    u, v = 0, int(np.flatnonzero(codes != codes[0])[0])
    far[[u, v]] = far[[v, u]]
    small = codes.copy()
    small[np.flatnonzero(codes == codes[0])[0]] = codes.max() + 1
    less = replace(found, between=np.where(np.arange(len(found.between)) == 0, 1, found.between))
    swap = np.arange(14)
    swap[[u, int(np.flatnonzero(codes == codes[0])[1])]] = [int(np.flatnonzero(codes == codes[0])[1]), u]
    a, b, _ = release.data.edges()
    turned = shoal.Graph.from_pairs(release.data.names, swap[a], swap[b])
    return release, {
        "k": (replace(release, promises=(ExchangeabilityPromise(6),)), "Classes of 6 or more are guaranteed"),
        "nothing": (replace(release, promises=(ExchangeabilityPromise(0),)), "Classes of 0 or more"),
        "no seed": (replace(release, seed=None), "drawn from a seed"),
        "no codes": (replace(release, codes=None), "drawn from a seed"),
        "other seed": (replace(release, seed=6), "the secret seed draws"),
        "original": (replace(release, data=release.original), "the secret seed draws"),
        "turned": (replace(release, data=turned), "the secret seed draws"),
        "codes": (replace(release, codes=far), "equal those in the original"),
        "short": (replace(release, codes=codes[:-1]), "published and in a class"),
        "negative": (replace(release, codes=codes - 1), "published and in a class"),
        "small": (replace(release, codes=small), "Got one of 1"),
        "numbers": (replace(release, generalized=less), "equal those in the original"),
        "sizes": (replace(release, generalized=Generalized.of(release.original, far * 0)), "sizes of the classes"),
        "other": (replace(release, original=shoal.as_graph(nx.path_graph(14))), "equal those in the original"),
        "sample": (replace(release, data=shoal.as_graph(nx.path_graph(14))), "equal those in the published graph"),
        "names": (replace(release, data=shoal.as_graph(nx.path_graph(13))), "published and in a class"),
    }


TAMPERED = [
    "k", "nothing", "no seed", "no codes", "other seed", "original", "turned", "codes", "short", "negative", "small",
    "numbers", "sizes", "other", "sample", "names",
]  # fmt: skip


@pytest.mark.parametrize("which", TAMPERED)
def test_the_check_refuses(which):
    bad, says = tampered()[1][which]
    with pytest.raises(BrokenPromise, match=says):
        verify_release(bad)


def test_the_check_asks_for_a_draw():
    release, bad = tampered()
    assert list(bad) == TAMPERED
    assert verify_release(release).verification == release.verification
    plain = Release(release.original, release.data, release.promises, release.method, release.codes, release.seed)
    with pytest.raises(BrokenPromise, match="classes and on links drawn"):
        verify_release(plain)


def test_a_stop_keeps_the_best_so_far():
    graph, seen = shoal.as_graph(nx.gnm_random_graph(200, 600, seed=5)), []
    with watching(interrupting({3}, seen)), pytest.warns(Notice, match="stopped after"):
        release = Generalize(4, effort=3000, seed=1)(graph)
    assert release.measured["stopped early"] is True
    assert release.measured["sweeps"] < 3000
    assert any("stopped by hand" in note for note in release.notes)
    assert seen[3].startswith("stopping")


def test_a_second_stop_ends_the_program():
    graph, seen = shoal.as_graph(nx.gnm_random_graph(200, 600, seed=5)), []
    with watching(interrupting({3, 4}, seen)), pytest.raises(KeyboardInterrupt):
        Generalize(4, effort=3000, seed=1)(graph)
    assert seen[3].startswith("stopping")


@pytest.mark.usefixtures("steady")
def test_seconds_become_sweeps():
    release = Generalize(3, effort="0.05s", seed=1)(nx.gnm_random_graph(50, 120, seed=5))
    assert release.measured["sweeps"] == 50  # 50,000 proposals a second
    again = Generalize(3, effort=release.measured["sweeps"], seed=1)(release.original)
    assert again.data == release.data


def test_eval_repr():
    for method in (Generalize(3), Generalize(2, degrees=0, effort="5s", seed=9)):
        assert eval(repr(method)) == method
    assert Generalize.redraws
    assert Generalize(3).keeps_vertices


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "degrees": -1}, r"'degrees'.*0"),
        ({"k": 2, "degrees": float("nan")}, "'degrees' must be"),
        ({"k": 2, "degrees": "much"}, "'degrees' must be"),
        ({"k": 2, "degrees": True}, "'degrees' must be"),
        ({"k": 2, "effort": -1}, "'effort' must be"),
        ({"k": 2, "effort": "soon"}, "'effort' must be"),
        ({"k": 2, "seed": -1}, "'seed' must be"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        Generalize(**how)


def test_bad_input():
    with pytest.raises(BadParameter, match="vertices, 3"):
        Generalize(4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        Generalize(1)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1)]), multigraph=True))
    found = Generalized.of(shoal.as_graph(nx.path_graph(4)), [0, 0, 1, 1])
    for call in (lambda: found.sample(-1), lambda: found.samples(0), lambda: found.samples(2, seed="x")):
        with pytest.raises(BadParameter):
            call()
