"""Attacks: what an informed attacker reaches is judged by definition; equal rows leave a chance of 1/k at most."""

import json
import warnings
from collections import Counter
from contextlib import nullcontext
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import attacks, graphs
from shoal import Release
from shoal.attacks import ATTACKS, find_attack
from shoal.attacks.base import compute_wilson_interval
from shoal.errors import BadFile, BadParameter, Notice, UnknownVertex
from shoal.knowledge.known_entries import KnownEntries
from shoal.knowledge.neighbors import DrawnRelations
from shoal.knowledge.view import Pair, View
from shoal.release.guarantee import Promise

ON_LINKS = (
    "degree", "refinement:2", "counts:1", "degrees:1", "neighborhood:1", "subgraph:2", "neighbors:1", "neighbors:2",
    "relations:2", "adjacency", "orbit", "degree+neighbors:1",
)  # fmt: skip
READINGS = ("neighbors", "exact-neighbors", "relations", "located-relations")


def scene_of(attack, multi=False):
    published, original, mapping = attack
    published, original = (shoal.as_graph(g) for g in (published, original))
    with pytest.warns(Notice) if len(mapping) < original.n else nullcontext():
        return View.of(published, original, mapping)


@pytest.fixture(scope="module")
def equal():
    """Graphs with a release of equal rows, k = 2 and k = 3."""
    graphs = shoal.examples.les_miserables(), nx.gnm_random_graph(40, 90, seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # that few links are left
        return [(g, shoal.methods.EqualizeRows(k=k, effort=20)(g)) for g in graphs for k in (2, 3)]


# what is drawn, and whom it leaves


@pytest.mark.slow
@given(attacks(), st.sampled_from(READINGS))
def test_known_relations_leave_whom_the_definition_leaves(attack, reading):
    view = scene_of(attack)
    there = view.counterpart >= 0
    sought = DrawnRelations(2, reading, view.original, there).seek(view)
    for v in np.flatnonzero(there).tolist():
        pool = view.original.neighbors(v) if "neighbors" in reading else np.arange(view.original.n)
        pool = [x for x in pool.tolist() if there[x] and not (reading == "located-relations" and x == v)]
        for size in range(3):
            for known in combinations(pool, size):
                left = sought(v, np.array(known, dtype=np.int64))
                expected = KnownEntries(view, reading).find_candidates(v, view.counterpart[list(known)])
                assert left.size == len(expected)
                assert [u for u in range(view.published.n) if left.holds(u)] == expected.tolist()


@given(attacks(multi=True), st.sampled_from(READINGS))
@settings(max_examples=40)
def test_multiplicities_count_where_they_are_known(attack, reading):
    published, original, mapping = attack
    published, original = (shoal.as_graph(g, multigraph=True) for g in (published, original))
    with pytest.warns(Notice) if len(mapping) < original.n else nullcontext():
        view = View.of(published, original, mapping)
    there = view.counterpart >= 0
    facts = DrawnRelations(2, reading, original, there)
    for v in np.flatnonzero(there).tolist():
        known = facts.draw(v, np.random.default_rng(v))
        left = facts.seek(view)(v, known)
        expected = KnownEntries(view, reading).find_candidates(v, view.counterpart[known])
        assert [u for u in range(published.n) if left.holds(u)] == expected.tolist()


@pytest.mark.parametrize("spec", ["neighbors:2", "relations:2", "located-relations:2", "some-columns:1:a,b"])
def test_facts_are_drawn_evenly_and_more_of_them_hold_the_fewer(spec):
    g = shoal.as_graph(nx.star_graph(4), attributes={"a": dict.fromkeys(range(5), 1), "b": dict.fromkeys(range(5), 1)})
    specs = spec, spec.replace(":2", ":3").replace(":1:", ":2:")
    facts, more = (shoal.parse_knowledge(each).draw_facts(g, np.ones(5, dtype=bool)) for each in specs)
    drawn = Counter()
    for seed in range(600):
        few, many = (each.draw(0, np.random.default_rng(seed)).tolist() for each in (facts, more))
        assert many[: len(few)] == few
        assert len(set(many)) == len(few) + 1
        drawn[frozenset(few)] += 1
    sets = {"neighbors:2": 6, "relations:2": 10, "located-relations:2": 6, "some-columns:1:a,b": 2}[spec]
    assert len(drawn) == sets
    assert min(drawn.values()) > 0.6 * 600 / sets


@pytest.mark.slow
@given(attacks())
def test_all_neighbors_known_leave_what_the_definition_leaves(attack):
    published, original, mapping = attack
    with pytest.warns(Notice) if len(mapping) < len(original) else nullcontext():
        outcome = shoal.attack(original, published, "neighbors:9", mapping=mapping, k=1)
    chances, misled = [], 0
    for v, own in mapping.items():
        left = [u for u in published if all(mapping[w] in published[u] for w in original[v] if w in mapping)]
        chances.append((own in left) / len(left) if left else 0)
        misled += not left
    rates = outcome["release"].rates
    assert rates["found"].hits == pytest.approx(sum(chances))
    assert rates["misled"].hits == misled
    assert rates["identified correctly"].hits == chances.count(1)


# laws


@given(graphs(least=2))
@settings(max_examples=25)
def test_perfect_knowledge_finds_everybody_whom_orbits_allow(g):
    outcome = shoal.attack(g, g, "orbit", k=1)
    orbits = len({tuple(shoal.assess(g, "orbit").candidates(v)) for v in g})
    for graph in ("release", "only renamed", "random edits"):
        assert outcome[graph].rates["found"].hits == pytest.approx(orbits)
    assert outcome["guessing"].rates["found"].hits == 1


@pytest.mark.slow
@given(graphs(least=2), st.integers(0, 9))
@settings(max_examples=40)
def test_more_known_neighbors_never_single_out_fewer(g, seed):
    tried = [shoal.attack(g, g, f"neighbors:{l}", k=1, seed=seed)["only renamed"].rates for l in (1, 2, 3, 4)]
    for name in ("found", "identified correctly"):
        hits = [rates[name].hits for rates in tried]
        assert hits == sorted(hits)


@pytest.mark.parametrize("spec", ON_LINKS)
def test_equal_rows_leave_a_chance_of_one_in_k(equal, spec):
    for g, release in equal:
        outcome = shoal.attack(g, release, spec, trials=30)
        k = release.promises[0].k
        assert outcome.settings["k"] == k
        assert outcome["release"].rates["below k"].hits == 0
        assert outcome.rate <= 1 / k
        assert spec == "subgraph:2" or outcome.law["inside"]


def test_what_is_not_covered_has_no_law(equal):
    g, release = equal[0]
    assert shoal.attack(g, release, "hubs:3").law is None
    assert shoal.attack(g, release, "located-relations:2").law is None
    assert shoal.attack(g, release.data, "degree").law is None  # a graph promises nothing


def test_a_broken_promise_is_seen():
    star = shoal.as_graph(nx.star_graph(3))
    claimed = Release(star, star, (Promise(shoal.knowledge.Degree(), 2),), None)
    outcome = shoal.attack(star, claimed, "degree")
    assert outcome.law == outcome.law | {"guaranteed k": 2, "bound": 0.5, "measured": 1.0, "inside": False}
    assert "IT DOES NOT HOLD" in repr(outcome)
    some = Release(star, star, (Promise(shoal.knowledge.Degree(), 2, vertices=(1, 2, 3)),), None)
    assert shoal.attack(star, some, "degree").law["inside"]


def test_a_promise_about_the_original_bounds_the_chance_too():
    g = nx.gnm_random_graph(30, 70, seed=3)
    release = shoal.methods.ShareNeighbors(k=2, l=1, variant="strong")(g)
    promise = next(p for p in release.promises if p.source == "original")
    law = shoal.attack(g, release, promise.knowledge).law
    assert law["inside"]
    assert law["guaranteed k"] == promise.k


@pytest.mark.parametrize("spec", ["neighbors:2", "relations:2", "degree", "subgraph:2"])
def test_the_same_seed_gives_the_same_outcome_and_names_do_not_matter(equal, spec):
    g, release = equal[0]
    first, again, other = (shoal.attack(g, release, spec, trials=50, seed=seed) for seed in (1, 1, 2))
    assert first.data() == again.data()
    assert first.data()["trials"] != other.data()["trials"]
    order = np.random.default_rng(0).permutation(g.n)
    names = [f"x{i}" for i in range(g.n)]
    a, b, _ = release.data.edges()
    renamed = shoal.Graph.from_pairs(names, order[a], order[b])
    mapping = {g.names[v]: names[order[v]] for v in range(g.n)}
    assert shoal.attack(g, renamed, spec, mapping=mapping, trials=50, seed=1, k=2).trials == first.trials


def test_targets_are_all_or_as_many_as_asked_for(equal):
    g, release = equal[0]
    assert shoal.attack(g, release, "degree", trials=10).trials[0].rates["found"].of == 10
    outcome = shoal.attack(g, release, "degree")
    assert outcome.trials[0].rates["found"].of == outcome.settings["trials"] == g.n
    assert sum(outcome.settings["candidates"]["release"].values()) == g.n


def test_the_expectation_is_what_guesses_come_to():
    g = nx.gnm_random_graph(30, 50, seed=1)
    rate = shoal.attack(g, g, "degree")["release"].rates["found"]
    degrees = Counter(dict(g.degree).values())
    rng = np.random.default_rng(0)
    guessed = [sum(rng.random() < 1 / degrees[d] for _, d in g.degree) for _ in range(400)]
    assert rate.hits == pytest.approx(len(degrees))
    low, high = compute_wilson_interval(rate.hits, rate.of)
    assert np.mean([low <= hits / 30 <= high for hits in guessed]) > 0.95


# traps


def test_the_misled_are_counted_apart_and_never_as_safe():
    path = nx.path_graph(4)
    bare = nx.empty_graph(4)
    rates = shoal.attack(path, bare, "neighbors:1")["release"].rates
    assert (rates["misled"].rate, rates["found"].rate, rates["below k"].rate) == (1, 0, 0)
    told = repr(shoal.attack(path, bare, "neighbors:1"))
    assert "these targets are not safe" in told


def test_somebody_else_may_be_singled_out():
    before = nx.Graph([(0, 1), (2, 3), (3, 4)])
    after = nx.Graph([(0, 1), (1, 2), (3, 4)])
    rates = shoal.attack(before, after, "degree")["release"].rates
    assert rates["identified wrongly"].hits == 1  # 3 had two links, and 1 has
    assert rates["target excluded"].hits == 2
    assert rates["identified correctly"].hits == 0


def test_fresh_names_are_never_matched_by_name(tmp_path, shell):
    g = nx.gnm_random_graph(20, 40, seed=1)
    shoal.write(shoal.as_graph(g), tmp_path / "g.csv")
    shoal.methods.Perturb(add=1, seed=5)(shoal.read_graph(tmp_path / "g.csv")).save(
        tmp_path / "r.csv", tmp_path / "m.csv"
    )
    code, out, err = shell("attack", tmp_path / "g.csv", tmp_path / "r.csv", "--knows", "degree")
    assert (code, out) == (2, "")
    assert "--mapping FILE" in err
    assert "needs the original-to-released mapping" in err
    code, out, _ = shell(
        "attack", tmp_path / "g.csv", tmp_path / "r.csv", "--mapping", tmp_path / "m.csv", "--knows", "orbit", "--json"
    )
    assert code == 0
    (found,) = json.loads(out)["attacks"]
    assert found["attack"] == "knows:orbit"
    mapped = shoal.attack(
        shoal.read_graph(tmp_path / "g.csv"),
        shoal.read_graph(tmp_path / "r.csv"),
        "orbit",
        mapping=tmp_path / "m.csv",
    )
    assert mapped.data()["trials"] == found["trials"]
    with pytest.raises(BadParameter, match="'mapping' must be given"):
        shoal.attack(g, g, "degree", same_names=False)


def test_who_was_not_released_is_no_target():
    g = nx.path_graph(5)
    with pytest.warns(Notice, match="published graph"):
        outcome = shoal.attack(g, nx.path_graph(4), "neighbors:2")
    assert outcome["release"].rates["found"].of == 4
    assert outcome["only renamed"].rates["found"].of == 4
    assert any("1 person of the original" in note for note in outcome.notes)


def test_controls_have_as_many_edits_or_are_left_out():
    g = nx.gnm_random_graph(20, 40, seed=1)
    release = shoal.methods.Perturb(add=7, delete=3, seed=1)(g)
    assert Pair.of(release.original, release.data).edits == (7, 3)
    drawn = shoal.attack(g, shoal.methods.Generalize(k=2, seed=1)(g), "degree")
    assert [trial.graph for trial in drawn.trials] == ["release", "only renamed", "guessing"]
    assert any("drawn anew" in note for note in drawn.notes)
    multi = shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True)
    assert any("multiple edges" in note for note in shoal.attack(multi, multi, "degree").notes)


def test_columns_of_a_table_are_sought_without_link_controls():
    people = {"age": [30, 30, 41, 52], "sex": ["f", "f", "f", "m"]}
    outcome = shoal.attack(people, people, "columns:age,sex", k=2)
    assert [trial.graph for trial in outcome.trials] == ["release", "only renamed", "guessing"]
    assert outcome["release"].rates["found"].hits == 3
    assert outcome["release"].rates["below k"].hits == 2
    recoded = {"age": ["30", "30", "40-59", "40-59"], "sex": ["f", "f", "f", "m"]}
    assert shoal.attack(people, recoded, "columns:age")["release"].rates["misled"].hits == 4
    with pytest.raises(BadParameter, match="no links"):
        shoal.attack(shoal.as_table(people), shoal.as_table(people), "degree")


@pytest.mark.parametrize("spec", ["columns:age,sex", "some-columns:1", "columns:age+degree", "neighborhood:1:age"])
def test_values_that_were_recoded_make_the_rate_a_lower_bound(spec):
    links = nx.path_graph(4)
    ages, sexes = {0: 41, 1: 42, 2: 50, 3: 51}, dict.fromkeys(range(4), "f")

    def told(age):
        graph = shoal.as_graph(links, attributes={"age": age, "sex": sexes})
        return shoal.attack(shoal.as_graph(links, attributes={"age": ages, "sex": sexes}), graph, spec)

    same = told(ages)
    assert "recoded" not in same.settings
    assert ">=" not in repr(same)
    for recoded in ({0: "40-49", 1: "40-49", 2: 50, 3: 51}, ages | {0: None}):
        outcome = told(recoded)
        assert outcome.settings["recoded"] == ["age"]
        (note,) = [note for note in outcome.notes if "lower bound" in note]
        assert "values of age" in note
        assert repr(outcome).count("(found) is >= ") == 1
        assert repr(outcome).count(">=") == 2  # in the sentence and in the table, of the release alone
        assert json.loads(json.dumps(outcome.data())) == outcome.data()


def test_a_cell_that_was_recoded_though_its_value_is_still_there_is_told():
    known = {"age": [41, 41, 50, 50]}
    assert shoal.attack(known, {"age": [41, "*", 50, 50]}, "columns:age").settings["recoded"] == ["age"]
    assert "recoded" not in shoal.attack(known, {"age": [50, 50, 41, 41]}, "columns:age").settings  # only swapped


def test_values_of_who_was_not_released_are_not_recoded():
    people = shoal.as_table({"id": list("abc"), "age": [1, 2, 3]}, key="id")
    some = shoal.as_table({"id": list("ab"), "age": [1, 2]}, key="id")
    with pytest.warns(Notice):
        assert "recoded" not in shoal.attack(people, some, "columns:age").settings


def test_the_input_is_untouched(equal):
    g, release = equal[2]
    before = shoal.as_graph(g)
    copy = shoal.Graph.from_pairs(before.names, *(ends.copy() for ends in before.edges()[:2]))
    shoal.attack(before, release, "neighbors:2")
    assert before == copy


def test_an_interval_ends_exactly_at_nobody_and_everybody():
    for of in (1, 3, 7, 1000):
        assert compute_wilson_interval(0, of)[0] == 0
        assert compute_wilson_interval(of, of)[1] == 1
        assert compute_wilson_interval(0, of)[1] > 0


def test_independent_targets_have_an_interval_that_covers():
    """Targets and facts are drawn one by one, so that Wilson's interval of the main rate is rather too wide."""
    club = shoal.examples.karate()
    release = shoal.methods.MatchDegrees(3)(club)
    runs = [shoal.attack(club, release, "neighbors:2", trials=12, seed=s)["release"].rates["found"] for s in range(60)]
    mean = np.mean([rate.rate for rate in runs])
    assert np.mean([rate.interval[0] <= mean <= rate.interval[1] for rate in runs]) >= 0.92


def test_where_nothing_is_drawn_there_is_no_interval():
    club = shoal.examples.karate()
    release = shoal.methods.MatchDegrees(3)(club)
    for outcome in (shoal.attack(club, release, "degree"), shoal.attack(club, release, by="cascade")):
        assert outcome.interval is None
        assert all(rate.interval is None for trial in outcome.trials for rate in trial.rates.values())
        assert outcome.data()["trials"][0]["rates"][outcome.main]["low"] is None
        assert any("no interval" in note for note in outcome.notes)
        assert "at 95 %" not in repr(outcome)
    drawn = shoal.attack(club, release, "degree", trials=10)
    assert drawn.interval[0] <= drawn.rate <= drawn.interval[1]


# the front door


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, "exactly one.*neither"),
        ({"knowledge": "degree", "by": "cascade"}, "exactly one.*both"),
        ({"by": "cascad"}, "Did you mean 'cascade'"),
        ({"by": 7}, "'by'"),
        ({"knowledge": "degre"}, "Did you mean 'degree"),
        ({"knowledge": "degree", "trials": 0}, "'trials'"),
        ({"knowledge": "degree", "seed": -1}, "'seed'"),
        ({"knowledge": "degree", "k": 9}, "'k' must be"),
        ({"by": "cascade", "k": 2}, "'k' must come with 'knowledge'"),
        ({"by": "cascade", "method": shoal.methods.Perturb(add=1)}, "planted-walk"),
        ({"knowledge": "degree", "mapping": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_bad_input_is_refused(how, told):
    with pytest.raises((BadParameter, BadFile), match=told):
        shoal.attack(nx.path_graph(4), nx.path_graph(4), **how)


def test_a_mapping_must_name_who_is_there():
    with pytest.raises(UnknownVertex, match="no such vertex"):
        shoal.attack(nx.path_graph(3), nx.path_graph(3), "degree", mapping={7: 1})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ATTACKS))
def test_every_attack_says_what_it_is(name):
    kind = find_attack(name)
    attack = kind()
    assert (kind.shell, getattr(shoal.attacks, kind.__name__)) == (name, kind)
    assert attack.means.endswith(".")
    assert attack.source
    assert eval(repr(attack), {kind.__name__: kind}) == attack
    g = nx.gnm_random_graph(60, 150, seed=1)
    outcome = shoal.attack(g, shoal.methods.Perturb(add=1, seed=1)(g), by=attack)
    assert outcome.main in outcome["release"].rates
    assert outcome.main in outcome["guessing"].rates
    assert {n for trial in outcome.trials for n in trial.rates} <= set(outcome.meanings)
    assert json.loads(json.dumps(outcome.data())) == outcome.data()


# in the shell


def test_several_attacks_in_the_shell(shell):
    same = ("attack", "example:florentine", "example:florentine", "--same-names")
    code, out, _ = shell(*same, "--knows", "degree", "--knows", "neighbors:1", "--by", "cascade")
    assert code == 0
    assert out.count("On the release, ") == 3
    assert "<0.1 %" not in out
    code, out, _ = shell(*same, "--knows", "degree", "--by", "cascade", "--start", "orbit", "--json", "-k", "2")
    data = json.loads(out)
    assert data["schema"] == 1
    assert [found["attack"] for found in data["attacks"]] == ["knows:degree", "cascade"]
    assert data["attacks"][1]["settings"]["start"] == "orbit"
    assert data["attacks"][0]["settings"]["k"] == 2


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ([], "must say how to attack"),
        (["--mapping", "x.csv", "--knows", "degree"], "must not come together"),
        (["--by", "cascade", "--repeats", "3"], "no chosen attack has an option --repeats"),
        (["--knows", "degree", "--auxiliary", "0.5"], "with --by"),
        (["--by", "cascade", "--set", "twin=true"], "Did you mean 'twins'"),
        (["--by", "cascade", "--then", "degree", "--set", "then=degree"], "given once"),
        (["--by", "cascade", "-k", "2"], "must come with --knows"),
        (["--by", "walk"], "There is no attack 'walk'"),
        (["--by", "planted-walk"], "--method equalize-rows:k=2"),
        (["--by", "planted-walk", "--method", "equalize-row:k=2"], "Did you mean 'equalize-rows'"),
    ],
)
def test_the_shell_says_what_it_refuses(shell, how, told):
    code, out, err = shell("attack", "example:florentine", "example:florentine", "--same-names", *how)
    assert (code, out) == (2, "")
    assert told in err


def test_released_attributes_are_read_from_their_own_file(tmp_path, shell):
    (tmp_path / "g.csv").write_text("source,target\nx,y\ny,z\n")
    (tmp_path / "people.csv").write_text("name,age\nx,30\ny,40\nz,50\n")
    (tmp_path / "r.csv").write_text("source,target\nx,y\ny,z\n")
    (tmp_path / "safe.csv").write_text("name,age\nx,30\ny,30\nz,50\n")
    how = ["--attributes", tmp_path / "people.csv", "--released-attributes", tmp_path / "safe.csv", "--knows"]
    code, out, _ = shell(
        "attack", tmp_path / "g.csv", tmp_path / "r.csv", "--same-names", *how, "columns:age", "--json"
    )
    assert code == 0
    rates = json.loads(out)["attacks"][0]["trials"][0]["rates"]
    assert (rates["found"]["hits"], rates["misled"]["hits"]) == (1.5, 1)


def test_an_outcome_is_shown_in_notebooks():
    page = shoal.attack(nx.path_graph(3), nx.path_graph(3), "degree")._repr_html_()
    assert page.startswith("<table>")
    assert "identified correctly" in page
