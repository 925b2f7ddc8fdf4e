"""An audit says what the counters say, in plain data; unless asked it names nobody, and outside it tells no secret."""

import json
import warnings
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from messages import tells
from shoal.auditing.attempts import lost, tradeoff
from shoal.auditing.case import Case, changes
from shoal.auditing.network_drawing import bucket, hidden_after, walked
from shoal.auditing.panel import affordable, exposure, panel_for, row
from shoal.auditing.riskiest import DISGUISES, Aliases, disguised, letters
from shoal.auditing.run import Audit
from shoal.data.graph import Graph
from shoal.errors import BadFile, BadParameter, FileExists, UnknownColumn
from shoal.io.digest import digest_contents as digest
from shoal.knowledge import REGISTRY
from shoal.knowledge.candidates import Fact
from shoal.release.save import told
from shoal.report.phrases import PHRASES

SEED = 918273645546372819
"""A seed that is in no other number."""
SMALL = ("degree", "refinement:2", "neighbors:2", "adjacency")


@pytest.fixture(scope="module")
def people():
    """A village whose names, and values, are found nowhere else in a report."""
    g = shoal.examples.village(60)
    jobs = [f"job-zq{i % 7}" for i in range(g.n)]
    columns = {"age": list(g.attributes["age"]), "job": jobs, "ill": [f"ill-zq{i % 3}" for i in range(g.n)]}
    a, b, _ = g.edges()
    return Graph.from_pairs([f"name-zq{i}" for i in range(g.n)], a, b, attributes=shoal.Table.of(columns))


@pytest.fixture(scope="module")
def released(people):
    return shoal.methods.EqualizeRows(k=3, seed=SEED, effort=20)(people)


@pytest.fixture(scope="module")
def matched(people):
    return shoal.methods.MatchDegrees(k=5, seed=SEED)(people)


def everything(data):
    """Yield every text and number in plain data, with the keys."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from everything(value)
    elif isinstance(data, list):
        for value in data:
            yield from everything(value)
    else:
        yield data


# the numbers


@settings(max_examples=30)
@given(graphs(least=2, most=7), st.integers(1, 4), st.sampled_from([0.09, 0.3, 0.5, 1.0]))
def test_rows_say_what_the_counters_say(g, k, threshold):
    graph = shoal.as_graph(g)
    for spec in SMALL:
        risk = shoal.assess(graph, spec)
        found = row(risk, k, threshold)
        sizes = risk.sizes.tolist()
        assert found["k"] == min(sizes)
        assert found["alone"] == sizes.count(1)
        assert found["below"] == sum(size < k for size in sizes)
        assert found["average"] == pytest.approx(float(sum(Fraction(1, s) for s in sizes) / len(sizes)))
        assert sum(found["buckets"].values()) + found["misled"] == len(sizes)
        assert (found["verdict"] == "pass") == all(1 / size <= threshold for size in sizes)


@pytest.mark.parametrize(("fewest", "proved", "cut"), [(13, "fail", "fail"), (12, "pass", "cannot tell")])
def test_an_unproved_k_never_passes(fewest, proved, cut, monkeypatch):
    """Each of the twelve on a ring has twelve candidates, which a search that is cut short finds without a proof."""

    def only_row():
        return shoal.audit(nx.cycle_graph(12), knowledge=["subgraph:3"], k=2, threshold=1 / fewest).data["before"][
            "panel"
        ]

    assert [(r["k"], r["open"], r["verdict"]) for r in only_row()] == [(12, [], proved)]
    monkeypatch.setattr("shoal.core.patterns.STEPS", 1)
    assert [(r["k"], r["open"], r["verdict"]) for r in only_row()] == [(12, ["cut short"], cut)]


def test_recoded_values_never_pass():
    known = shoal.Table.of({"age": [40, 41, 50, 51], "sex": ["f", "f", "m", "m"]})
    decades = shoal.Table.of({"age": ["40-49", "40-49", "50-59", "50-59"], "sex": ["f", "f", "m", "m"]})
    how = {"knowledge": ["some-columns:1"], "k": 2, "threshold": 0.5, "same_names": True, "attacks": ()}
    data = shoal.audit(known, decades, **how).data
    attacked = data["after"]["attacked"][0]
    assert (attacked["k"], attacked["misled"], attacked["recoded"]) == (2, 0, ["age"])
    assert (data["after"]["itself"][0]["verdict"], attacked["verdict"]) == ("pass", "cannot tell")
    assert data["verdict"]["cannot tell"] == ["some-columns:1"]


@settings(max_examples=25)
@given(graphs(least=2, most=7), st.integers(2, 3))
def test_the_curve_is_what_known_neighbors_leave(g, k):
    graph = shoal.as_graph(g)
    if k > graph.n:
        return
    curve = exposure(graph, k, ())
    for step in curve["steps"][1:]:
        sizes = shoal.assess(graph, f"neighbors:{step['l']}").sizes
        assert step["undecided"] == 0
        assert step["exposed"] == int((sizes < k).sum())
        assert step["share"] == step["exposed"] / graph.n


def test_a_table_has_a_curve_of_columns():
    table = shoal.audit(shoal.Table.of({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}), k=2).data
    curve = table["levels"]["before"]
    assert (curve["of"], [step["exposed"] for step in curve["steps"]]) == ("columns", [0, 0, 4])
    assert [r["knows"] for r in table["before"]["panel"]] == ["some-columns:1", "columns:a,b"]
    assert table["drawing"] is None
    assert table["input"]["records"] == 4


@settings(max_examples=20)
@given(graphs(least=2, most=7), graphs(least=2, most=7))
def test_changes_are_those_between_the_two(g, h):
    g.add_nodes_from(h)
    h.add_nodes_from(g)
    before, after = shoal.as_graph(g), shoal.as_graph(h)
    found = changes(Case.of(before, after, None, True, (None, None)))
    x, y = ({frozenset(e) for e in graph.edges} for graph in (g, h))
    assert (found["kept"], found["added"], found["removed"]) == (len(x & y), len(y - x), len(x - y))


@settings(max_examples=30)
@given(graphs(least=2, most=7, attributed=True), st.randoms(use_true_random=False))
def test_a_digest_knows_the_data_and_not_their_order(g, random):
    order = list(g)
    random.shuffle(order)
    other = nx.Graph()
    other.add_nodes_from((v, g.nodes[v]) for v in order)
    edges = [(b, a) for a, b in g.edges]
    random.shuffle(edges)
    other.add_edges_from(edges)
    assert digest(shoal.as_graph(g)) == digest(shoal.as_graph(other))
    a, b = order[:2]
    other.remove_edge(a, b) if other.has_edge(a, b) else other.add_edge(a, b)
    assert digest(shoal.as_graph(g)) != digest(shoal.as_graph(other))


# the whole


def test_json_holds_everything_and_comes_back(people, released, tmp_path):
    found = shoal.audit(people, released, columns=["age"], sensitive=["ill"], k=3)
    found.save(tmp_path / "a.json")
    assert shoal.read_audit(tmp_path / "a.json") == found
    assert json.loads(found.json()) == found.data
    assert found.data["schema"] == 1


def test_same_seed_same_audit_and_the_input_stays(people, released):
    before = digest(people), digest(released.graph)
    first, second = (shoal.audit(people, released, knowledge=SMALL, seed=4) for _ in range(2))
    assert first == second
    assert (digest(people), digest(released.graph)) == before


def test_other_names_give_the_same_numbers(people):
    order = np.random.default_rng(0).permutation(people.n)
    rank = np.argsort(order)
    a, b, _ = people.edges()
    other = Graph.from_pairs(range(people.n), rank[a], rank[b])
    rows = [shoal.audit(g, knowledge=SMALL).data["before"]["panel"] for g in (people, other)]
    assert rows[0] == rows[1]


def test_a_release_is_judged_by_the_worse_of_two_ways_to_know(people, matched):
    data = shoal.audit(people, matched, k=3, threshold=0.2).data
    inside, facts = ({r["knows"]: r["verdict"] for r in data["after"][key]} for key in ("itself", "attacked"))
    for spec, verdict in inside.items():
        promised = spec in data["verdict"]["by promise"]
        assert (spec in data["verdict"]["pass"]) == (verdict == facts[spec] == "pass" or promised)
        assert (spec in data["verdict"]["fail"]) == ("fail" in (verdict, facts[spec]))
    assert set(data["verdict"]["by promise"]) <= {"degree"}


def test_misled_people_are_counted_apart_and_not_as_safe(people, released):
    rows = shoal.audit(people, released, k=3).data["after"]["attacked"]
    lost_all = next(r for r in rows if r["knows"] == "orbit")
    assert lost_all["misled"] == people.n
    assert lost_all["verdict"] == "cannot tell"
    assert lost_all["highest"] is None


def test_only_the_original(people):
    data = shoal.audit(people, knowledge=["degree"]).data
    assert data["after"] is data["output"] is data["utility"] is data["method"] is None
    assert data["attacks"]["tried"] == []
    assert all("no release" in one["why"] for one in data["attacks"]["left out"])


def test_fresh_names_are_never_matched(people, released, tmp_path):
    bare = replace(released, graph=released.graph.without_attributes())
    bare.save(tmp_path / "safe.csv", tmp_path / "secret.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    files = (None, tmp_path / "safe.csv")
    alone = shoal.audit(people, got, same_names=False, knowledge=SMALL, files=files).data
    assert alone["matched"] == "nothing"
    assert alone["after"]["attacked"] is alone["changes"] is None
    assert "mapping" in alone["attacks"]["left out"][0]["why"]
    known = shoal.audit(people, got, mapping=tmp_path / "secret.csv", knowledge=SMALL, files=files).data
    whole = shoal.audit(people, released, knowledge=SMALL).data
    assert known["after"] == whole["after"]
    assert known["changes"] == whole["changes"]
    assert known["promise"] == whole["promise"]
    assert known["method"]["settings"] == whole["method"]["settings"]
    assert known["output"]["of"] == "file"


def test_columns_that_were_not_released_are_left_out(people, released):
    bare = released.graph.without_attributes()
    data = shoal.audit(people, bare, knowledge=["degree", "columns:age"], columns=["age"]).data
    assert [r["knows"] for r in data["after"]["itself"]] == ["degree"]
    assert "does not have age" in data["after"]["left out"][0]["why"]


def test_too_many_pairs_of_neighbors_are_not_sought_unasked():
    star = shoal.as_graph(nx.star_graph(5000))
    assert list(affordable(star, panel_for(star, ()))) == ["neighbors:2"]
    assert affordable(shoal.as_graph(nx.star_graph(40)), panel_for(star, ())) == {}


def test_utility_lost_is_none_of_the_original_and_all_without_links(people, released):
    data = shoal.audit(people, released, knowledge=SMALL).data
    assert lost(data["utility"], "before") == 0.0
    assert lost(data["utility"], "empty") == 1.0
    assert [p["name"] for p in data["tradeoff"]["points"]] == ["original", "release", "random edits", "no links"]
    assert tradeoff(Case.of(people, None, None, True, (None, None)), None, SMALL, 2, 0) is None


def test_inference_is_measured_where_a_column_is_sensitive(people, released):
    data = shoal.audit(people, released, columns=["age", "job"], sensitive=["ill"], knowledge=["degree"]).data[
        "inference"
    ]
    risk = shoal.assess(people, shoal.knowledge.Columns("age", "job"))
    assert data["before"][0]["known"] == shoal.tables.diversity(risk, "ill")[0].known


# the drawing


def test_the_drawing_shows_true_links_and_sizes(people, released):
    data = shoal.audit(people, released, knowledge=SMALL).data["drawing"]
    assert data["drawn"] == data["of"] == people.n
    assert sorted(map(sorted, data["links"]["before"])) == sorted(map(sorted, people.each_edge()))
    assert sorted(map(sorted, data["links"]["after"])) == sorted(map(sorted, released.graph.each_edge()))
    assert data["hidden"][0]["knows"] == "adjacency"
    assert data["hidden"][0]["before"] == bucket(shoal.assess(people, "adjacency").sizes).tolist()
    assert len(set(map(tuple, data["at"]))) > 0.9 * people.n


def test_a_walk_meets_as_many_as_it_may():
    g = shoal.as_graph(nx.barabasi_albert_graph(500, 2, seed=1))
    met = walked(g, 50, seed=3)
    assert len(set(met.tolist())) == 50
    assert walked(g, 50, seed=3).tolist() == met.tolist()
    scattered = shoal.as_graph(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(90)))
    assert len(walked(scattered, 50, seed=3)) == 2


def test_whoever_is_found_in_either_way_is_found():
    inside, facts, own = np.array([4, 1, 9]), np.array([2, 0, 0, 7]), np.array([0, 1, 2, -1])
    assert hidden_after(inside, facts, own).tolist() == [2, 1, 9, 7]
    assert hidden_after(inside, None, own).tolist() == [4, 1, 9, 0]


# names


def test_every_kind_of_fact_can_be_disguised():
    assert DISGUISES.keys() == PHRASES.keys()


@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_a_disguised_fact_names_nobody(kind, people):
    spec = {"columns": "columns:age,job", "some-columns": "some-columns:2", "subgraph": "subgraph:2"}.get(kind, kind)
    spec = spec if ":" in spec or kind in ("degree", "adjacency", "orbit") else f"{spec}:1"
    risk = shoal.assess(people, spec)
    called = Aliases(names=False)
    for name in list(people.names)[:10]:
        facts = [disguised(fact, called) for fact in risk.witness(name).knows]
        assert "zq" not in json.dumps(facts)
    assert "zq" in json.dumps([disguised(f, Aliases(names=True)) for f in risk.witness(name).knows]) or kind not in (
        "adjacency",
        "columns",
    )


def test_letters_go_on():
    assert len({letters(i) for i in range(2000)}) == 2000


@pytest.mark.parametrize("names", [False, True])
def test_an_internal_report_names_people_only_if_asked(names, people, released):
    data = shoal.audit(people, released, k=5, columns=["age", "job"], names=names).data
    assert data["riskiest"]
    assert any("zq" in str(part) for part in everything(data)) is names


def test_a_method_that_names_people_is_not_quoted(people):
    release = shoal.methods.EqualizeRows(k=3, sensitive=["name-zq1", "name-zq2"], seed=SEED, effort=5)(people)
    data = shoal.audit(people, release, knowledge=["degree"]).data
    assert not any("zq" in str(part) for part in everything(data))
    assert data["secrets"]["seed"] == SEED


def test_the_riskiest_are_rightly_found(people, matched):
    data = shoal.audit(people, matched, k=5, names=True).data["riskiest"]
    assert data
    for one in data:
        risk = shoal.assess(matched.graph, one["knows"], original=people)
        assert one["candidates"] == risk.sizes[people.names.id(one["who"])] < 5
        assert risk.holds(one["who"])


# outside


METHODS = {
    "rows": shoal.methods.EqualizeRows(k=3, seed=SEED, effort=20),
    "degrees": shoal.methods.MatchDegrees(k=3, seed=SEED),
    "drawn": shoal.methods.Generalize(k=3, seed=SEED),
    "edits": shoal.methods.Perturb(add=0.05, delete=0.05, seed=SEED),
    "table": shoal.methods.Microaggregate(k=3, columns=("age",)),
}


@pytest.mark.parametrize("name", METHODS)
def test_outside_no_secret_is_told(name, people):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    found = shoal.audit(data, release, external=True, columns=["age"])
    text = found.json()
    assert str(SEED) not in text
    assert "name-zq" not in text
    assert digest(people) not in text
    assert digest(release.graph) not in text
    assert found.data["before"] is found.data["drawing"] is found.data["changes"] is None
    assert found.data["riskiest"] == found.data["attacks"]["tried"] == []


@pytest.mark.parametrize("name", ["degrees", "edits"])
def test_outside_nothing_depends_on_the_original_where_nothing_may(name, people):
    release = METHODS[name](people)
    rng = np.random.default_rng(1)
    other = Graph.from_pairs(people.names, *rng.permuted(np.array([np.arange(20), np.arange(20, 40)]), axis=1))
    swapped = replace(release, original=other.with_attributes(people.attributes))
    first, second = (shoal.audit(r.original, r, external=True).data for r in (release, swapped))
    assert first == second


def test_outside_no_more_is_said_about_the_change_than_beside_the_data(people, released):
    data = shoal.audit(people, released, external=True).data
    about = told(released, [])
    assert data["told"] == {"measured": about["measured"], "utility": about["utility"]}
    assert data["method"]["settings"] == {k: v for k, v in about["method"].items() if k != "name"}
    assert data["certificate"]["verification"] == about["verification"]


def test_outside_the_published_file_has_its_digest(people, released, tmp_path):
    replace(released, graph=released.graph.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    data = shoal.audit(people, got, same_names=False, external=True, files=(None, tmp_path / "safe.csv")).data
    about = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert data["output"]["sha256"] == about["files"]["safe.csv"]["sha256"]
    assert data["input"] is None


# files and bad input


def test_an_internal_report_is_for_its_owner_alone(people, tmp_path):
    for external, mode in ((False, 0o600), (True, None)):
        found = shoal.audit(people, people, knowledge=["degree"], attacks=(), external=external)
        found.save(tmp_path / f"{external}.json")
        got = (tmp_path / f"{external}.json").stat().st_mode & 0o777
        assert got == mode or (mode is None and got & 0o044)


def test_nothing_is_overwritten_unasked(people, tmp_path):
    found = shoal.audit(people, knowledge=["degree"])
    found.save(tmp_path / "a.json")
    with pytest.raises(FileExists):
        found.save(tmp_path / "a.json")
    found.save(tmp_path / "a.json", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"threshold": 0}, BadParameter, "threshold"),
        ({"threshold": 1.5}, BadParameter, "below 1"),
        ({"k": 1000}, BadParameter, "k"),
        ({"seed": -1}, BadParameter, "seed"),
        ({"columns": ["agee"]}, UnknownColumn, "Did you mean 'age'"),
        ({"columns": ["age"], "sensitive": ["age"]}, BadParameter, "not both"),
        ({"knows": ["degre"]}, BadParameter, "Did you mean 'degree'"),
        ({"attacks": ["cascad"]}, BadParameter, "Did you mean 'cascade'"),
        ({"attacks": ["knows:degre"]}, BadParameter, "Did you mean 'degree'"),
        ({"external": True}, BadParameter, "must be about a release"),
    ],
)
def test_bad_parameters_are_refused(how, error, words, people):
    with pytest.raises(error, match=words):
        shoal.audit(people, **({"knows": ["degree"]} | how))


def test_bad_files_are_refused(people, tmp_path):
    with pytest.raises(BadParameter, match=r"\.html or \.json"):
        shoal.audit(people, knowledge=["degree"]).save(tmp_path / "a.pdf")
    (tmp_path / "b.json").write_text('{"schema": 99}')
    with pytest.raises(BadFile, match="schema 99"):
        Audit.read(tmp_path / "b.json")
    (tmp_path / "safe.csv").write_text("a,b\n")
    (tmp_path / "safe.csv.release.json").write_text("[]")
    with pytest.raises(BadFile, match="shoal anonymize"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)


def test_an_attack_that_cannot_be_had_leaves_its_reason(people, released):
    """Sybils are planted before a method runs, and a graph alone does not say which method made it."""
    data = shoal.audit(people, released.graph, knowledge=["degree"], attacks=["planted-walk", "cascade"]).data[
        "attacks"
    ]
    assert [one["attack"] for one in data["tried"]] == ["cascade"]
    assert [(one["name"], "method=" in one["why"]) for one in data["left out"]] == [("planted-walk", True)]


def test_facts_of_other_kinds_are_not_shown_by_mistake():
    with pytest.raises(KeyError):
        disguised(Fact("something new", "name-zq1"), Aliases(names=False))


# the command


def test_the_command_writes_a_report_and_says_where(shell, tmp_path):
    made = ["anonymize", "example:florentine", "--method", "match-degrees", "-k", "2", "--seed", 7]
    assert shell(*made, "-o", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv")[0] == 0
    files = ["example:florentine", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv"]
    code, out, err = shell("audit", *files, "-k", 2, "-o", tmp_path / "r.json", "--threshold-set-by", "the board")
    assert code == 0, err
    assert "12 candidates" in out
    assert f"The report is in {tmp_path / 'r.json'}" in out
    data = shoal.read_audit(tmp_path / "r.json").data
    assert data["matched"] == "mapping"
    assert data["thresholds"][0]["set by"] == "the board"
    assert data["method"]["name"] == "match-degrees"
    code, _, err = shell("audit", *files, "-o", tmp_path / "r.json")
    assert (code, "--force" in err) == (2, True)


def test_the_command_says_that_nobody_is_matched(shell, tmp_path):
    shell("anonymize", "example:karate", "--method", "match-degrees", "-k", "2", "-o", tmp_path / "safe.csv")
    code, _, err = shell("audit", "example:karate", tmp_path / "safe.csv", "-o", tmp_path / "r.json", "--no-attacks")
    assert code == 0
    assert "nobody is matched" in err
    assert shoal.read_audit(tmp_path / "r.json").data["matched"] == "nothing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "r.pdf"], ".html or .json"),
        (["-o", "r.json", "--mapping", "m.csv"], "RELEASED"),
        (["-o", "r.json", "--same-names"], "RELEASED"),
        (["b.csv", "-o", "r.json", "--mapping", "m.csv", "--same-names"], "must not come together"),
        (["-o", "r.json", "--external"], "--external"),
        (["-o", "r.json", "--attack", "korula-latanzi"], "Did you mean 'korula-lattanzi'"),
        (["-o", "r.json", "--attack", "knows:degre"], "Did you mean 'degree'"),
    ],
)
def test_the_command_refuses_what_cannot_be_meant(arguments, words, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = shell("audit", "example:karate", *arguments)
    assert code == 2
    assert words in err
    assert list(tmp_path.iterdir()) == []


def test_a_released_table_is_read_as_one(people, tmp_path):
    release = shoal.methods.Microaggregate(k=3, columns=("age",))(people.attributes.only(["age"]))
    release.save(tmp_path / "safe.csv")
    data = shoal.audit(people.attributes.only(["age"]), tmp_path / "safe.csv", same_names=False, k=3).data
    assert data["output"]["kind"] == "table"
    assert data["after"]["itself"][0]["k"] >= 3
    assert data["method"]["name"] == "microaggregate"


def test_where_nobody_is_rightly_found_those_seen_in_the_release_are_shown(people, released):
    data = shoal.audit(people, released, knowledge=["hubs:3"], k=3).data
    if not data["after"]["attacked"][0]["below"] and data["after"]["itself"][0]["below"]:
        assert data["riskiest"]
    assert all(one["candidates"] < 3 for one in data["riskiest"])


def test_comparison_and_attacks_are_in_it(people, matched):
    from shoal.report.html.page import page

    found = shoal.audit(people, matched, knowledge=["degree"], attacks=["knows:neighbors:1", "korula-lattanzi"])
    assert [one["attack"] for one in found.data["attacks"]["tried"]] == ["knows:neighbors:1", "korula-lattanzi"]
    assert found.data["tradeoff"]["points"][1]["lost"] > 0
    assert "Korula &amp; Lattanzi" in page(found.data)


def test_a_file_that_was_changed_after_its_promise_is_refused(people, released, tmp_path):
    replace(released, graph=released.graph.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    with (tmp_path / "safe.csv").open("a") as stream:
        stream.write("0,1\n")
    with pytest.raises(BadFile, match="another SHA-256"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)


# what is said of a promise


KINDS = ("degree", "refinement:2", "counts:1", "subgraph:2", "neighbors:2", "adjacency", "orbit", "hubs:3")


def saved(release, folder, **how):
    """Write a release without its columns; return the file, the mapping, and what is written beside the file."""
    bare = replace(release, graph=release.graph.without_attributes())
    bare.save(folder / "safe.csv", folder / "secret.csv", seed=2**70, **how)
    return folder / "safe.csv", folder / "secret.csv", folder / "safe.csv.release.json"


def touched(about, change):
    """Change what is written beside a release."""
    told = json.loads(about.read_text())
    change(told)
    about.write_text(json.dumps(told))


def test_who_is_misled_never_passes_unless_it_is_promised(people, released):
    data = shoal.audit(people, released, k=3, threshold=1 / 3, knowledge=KINDS, attacks=()).data
    facts = {r["knows"]: r for r in data["after"]["attacked"]}
    assert any(r["misled"] and r["open"] == ["misled"] and r["k"] >= 3 for r in facts.values())
    assert all(r["verdict"] != "pass" for r in facts.values() if r["misled"])
    found = data["verdict"]
    assert {"degree", "neighbors:2", "adjacency", "orbit"} <= set(found["pass"])
    assert not {"subgraph:2", "hubs:3"} & set(data["promised"])  # a piece may be another one in the release
    bare = shoal.audit(people, released.graph, k=3, threshold=1 / 3, knowledge=KINDS, attacks=()).data["verdict"]
    assert bare["by promise"] == []
    assert all(not facts[spec]["misled"] for spec in bare["pass"])


def test_a_promise_below_the_threshold_decides_nothing(people, released):
    data = shoal.audit(people, released, k=3, threshold=0.3, knowledge=KINDS, attacks=()).data
    assert data["promised"] == data["verdict"]["by promise"] == []


@settings(max_examples=25)
@given(graphs(least=4, most=8), st.sampled_from([shoal.methods.EqualizeRows, shoal.methods.MatchDegrees]))
def test_what_is_promised_never_fails_by_facts_of_the_original(g, method):
    """The argument behind the rule: facts of the original fit nobody, or as many as the promise says."""
    graph = shoal.as_graph(g)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)  # a few vertices may become very different
        try:
            release = method(k=2, seed=1)(graph)
        except shoal.ShoalError:
            return
    data = shoal.audit(graph, release, k=2, threshold=0.5, knowledge=KINDS[:-1], attacks=()).data
    facts = {r["knows"]: r for r in data["after"]["attacked"]}
    for spec in data["promised"]:
        sizes = shoal.assess(release.graph, spec, original=graph).sizes
        assert all(size == 0 or size >= 2 for size in sizes)
        assert facts[spec]["verdict"] != "fail"


@pytest.mark.parametrize("name", ["rows", "degrees", "edits", "drawn", "table"])
def test_less_that_is_looked_at_never_passes_more(name, people, tmp_path):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    how = {"k": 3, "threshold": 1 / 3, "columns": ["age"], "attacks": ()}
    inside, outside = (shoal.audit(data, release, external=e, **how).data["verdict"] for e in (False, True))
    alone = shoal.audit(data, release, same_names=False, **how).data["verdict"]
    for less in (outside, alone):
        assert set(less["pass"]) <= set(inside["pass"])
        assert set(less["pass"]) == set(less["by promise"])
        assert len(less["not sought"]) == less["kinds"]
    assert inside["not sought"] == []


def test_what_was_not_sought_is_said(people, released):
    for how in ({"same_names": False}, {"external": True}):
        found = shoal.audit(people, released, knowledge=["degree"], attacks=(), **how)
        assert "not sought" in repr(found)
    assert "not sought" not in repr(shoal.audit(people, released, knowledge=["degree"], attacks=()))


def test_a_broken_promise_is_said_first(people, released):
    from shoal.report.html.page import page

    a, b = next(iter(released.graph.each_edge()))
    left = [(x, y) for x, y in released.graph.each_edge() if (x, y) != (a, b)]
    other = Graph.from_pairs(people.names, *zip(*left, strict=True), attributes=people.attributes)
    false = replace(released, graph=other)
    for external in (False, True):
        found = shoal.audit(people, false, knowledge=["degree"], attacks=(), external=external)
        assert [one["holds"] for one in found.data["recounted"]] == [False]
        assert repr(found).startswith("The promise is broken: it says that whoever knows all the neighbors")
        assert "verified:" not in repr(found)
        text = page(found.data)
        assert "IT DOES NOT HOLD" in text
        assert "checked by counting exactly" not in text
        assert released.verification[0] not in text
    assert shoal.audit(people, released, knowledge=["degree"], attacks=()).data["recounted"][0]["holds"] is True


def test_promises_of_files_are_counted_again(people, released, tmp_path):
    from shoal.report.html.page import page

    file, secret, about = saved(released, tmp_path)
    for how in ({"mapping": secret}, {}, {"external": True}):
        found = shoal.audit(people, file, knowledge=["degree"], attacks=(), **how)
        assert [one["holds"] for one in found.data["recounted"]] == [True]
    touched(about, lambda told: told["promise"][0].update(k=40))
    found = shoal.audit(people, file, knowledge=["degree"], attacks=())
    assert found.data["recounted"][0]["holds"] is False
    assert "The promise is broken" in page(found.data)
    touched(about, lambda told: told["promise"][0].update({"k": 3, "for": "some"}))
    found = shoal.audit(people, file, knowledge=["degree"], attacks=())
    assert found.data["recounted"][0]["holds"] is None
    assert "as the file says" in repr(found)
    assert "as the file says" in page(found.data)
    assert "checked by counting exactly" not in page(found.data)
    assert found.data["verdict"]["by promise"] == []


@pytest.mark.parametrize("name", METHODS)
def test_every_promise_that_was_verified_is_counted_again(name, people):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    found = shoal.audit(data, release, columns=["age"], attacks=()).data
    assert [one["holds"] for one in found["recounted"]] == [True] * len(release.promise)


def test_a_renamed_file_and_its_attributes_are_held_to_their_digests(people, released, shell, tmp_path):
    with pytest.warns(shoal.Notice, match="in no promise"):
        released.save(tmp_path / "safe.csv", attributes=tmp_path / "about.csv", seed=2**70)
    (tmp_path / "safe.csv").rename(tmp_path / "pub.csv")
    (tmp_path / "safe.csv.release.json").rename(tmp_path / "pub.csv.release.json")
    shoal.audit(people, tmp_path / "pub.csv", knowledge=["degree"], attacks=())
    files = (None, tmp_path / "pub.csv", tmp_path / "about.csv")
    got = shoal.read_graph(tmp_path / "pub.csv")
    shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=files)
    with (tmp_path / "about.csv").open("a") as stream:
        stream.write("\n")
    with pytest.raises(BadFile, match=r"about\.csv"):
        shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=files)
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    both = ["--attributes", tmp_path / "oa.csv", "--released-attributes", tmp_path / "about.csv"]
    code, _, err = shell("audit", tmp_path / "o.csv", tmp_path / "pub.csv", *both, "-o", tmp_path / "r.json")
    assert code == 2
    assert "another SHA-256" in err
    with (tmp_path / "pub.csv").open("a") as stream:
        stream.write("0,1\n")
    with pytest.raises(BadFile, match="another SHA-256"):
        shoal.audit(people, tmp_path / "pub.csv", knowledge=["degree"], attacks=())


def published_with_columns(people, folder):
    """Save a release whose columns are in a file of their own; return the release's file."""
    release = shoal.methods.EqualizeRows(k=3, seed=SEED, effort=5)(people)
    with pytest.warns(shoal.Notice, match="in no promise"):
        release.save(folder / "safe.csv", attributes=folder / "about.csv", seed=2**70)
    return folder / "safe.csv"


def released_columns(found):
    return {one["name"]: one["released"] for one in found.data["columns"]}


def test_columns_in_a_file_that_the_manifest_names_are_released(people, shell, tmp_path):
    """Nobody names the file: it is found beside the release."""
    file = published_with_columns(people, tmp_path)
    for external in (False, True):
        found = shoal.audit(people, file, knowledge=["degree"], attacks=(), external=external)
        assert released_columns(found) == dict.fromkeys(people.attributes, True)
        assert found.data["output"]["columns"] == len(people.attributes)
    got = shoal.read_graph(file)
    assert not len(got.attributes)
    found = shoal.audit(people, got, same_names=False, knowledge=["degree"], attacks=(), files=(None, file))
    assert released_columns(found) == dict.fromkeys(people.attributes, True)
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    how = ["--attributes", tmp_path / "oa.csv", "--no-attacks", "--knows", "degree", "-o", tmp_path / "r.json"]
    code, _, err = shell("audit", tmp_path / "o.csv", file, *how)
    assert code == 0, err
    assert released_columns(shoal.read_audit(tmp_path / "r.json")) == dict.fromkeys(people.attributes, True)
    code, out, err = shell("compare", tmp_path / "o.csv", file, "--attributes", tmp_path / "oa.csv")
    assert code == 0, err
    assert "age: mean" in out


@pytest.mark.parametrize(("change", "says"), [("gone", "There is none"), ("other", "another SHA-256")])
def test_a_named_file_that_is_gone_or_another_is_refused(people, shell, tmp_path, change, says):
    file = published_with_columns(people, tmp_path)
    about, elsewhere = tmp_path / "about.csv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    whole = about.read_bytes()
    (elsewhere / "moved.csv").write_bytes(whole)
    about.unlink() if change == "gone" else about.write_bytes(whole + b"\n")
    with pytest.raises(BadFile, match=f"about.csv: .*{says}.*--released-attributes"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())
    shoal.write(people, tmp_path / "o.csv", attributes=tmp_path / "oa.csv")
    both = [tmp_path / "o.csv", file, "--attributes", tmp_path / "oa.csv"]
    report = ["--no-attacks", "--knows", "degree", "-o", tmp_path / "r.json"]
    code, _, err = shell("audit", *both, *report)
    assert (code, "about.csv" in err, says in err) == (2, True, True)
    assert shell("compare", *both)[0] == 2
    code, _, err = shell("audit", *both, *report, "--released-attributes", elsewhere / "moved.csv")
    assert code == 0, err
    assert released_columns(shoal.read_audit(tmp_path / "r.json")) == dict.fromkeys(people.attributes, True)


def test_the_file_of_classes_is_no_file_of_columns(tmp_path):
    release = shoal.methods.Generalize(3, effort=5)(shoal.examples.karate().without_attributes())
    release.save(tmp_path / "safe.csv", classes=tmp_path / "classes.json")
    found = shoal.audit(shoal.examples.karate(), tmp_path / "safe.csv", knowledge=["degree"], attacks=())
    assert set(released_columns(found).values()) == {False}


def test_a_manifest_leads_to_no_other_folder(people, tmp_path):
    file = published_with_columns(people, tmp_path)
    (tmp_path / "secret").mkdir()
    (tmp_path / "about.csv").rename(tmp_path / "secret" / "about.csv")

    def lead_away(told):
        told["files"]["secret/about.csv"] = told["files"].pop("about.csv")

    touched(tmp_path / "safe.csv.release.json", lead_away)
    with pytest.raises(BadFile, match="There is none"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())


def test_without_a_manifest_a_column_is_not_said_to_be_unreleased(people, tmp_path):
    from shoal.report.html.page import page

    shoal.write(people.without_attributes(), tmp_path / "safe.csv")
    found = shoal.audit(people, tmp_path / "safe.csv", knowledge=["degree"], attacks=())
    assert "not in the files read" in page(found.data)


def one_promise(**what):
    return {"promise": [{"kind": "candidates", "knows": "degree", "k": 2, "for": "all", "source": "release"} | what]}


BROKEN = [
    {"files": []},
    {"files": {"safe.csv": "x"}},
    {"promise": ["x"]},
    {"promise": [{}]},
    {"promise": [{"kind": "miracle"}]},
    one_promise(knows="zzz"),
    one_promise(k="2"),
    one_promise(k=True),
    one_promise(k=0),
    one_promise(source="heaven"),
    {"promise": [{"kind": "radius", "similarity": "x", "k": 1, "l": 1}]},
    {"method": [1]},
    {"measured": None},
    {"verification": None},
    {"verification": [1]},
    {"columns in no promise": None},
    {"utility": [1]},
]


@pytest.mark.parametrize("change", BROKEN, ids=repr)
def test_what_is_wrongly_written_beside_a_release_is_refused(change, people, released, tmp_path):
    file, _, about = saved(released, tmp_path)
    touched(about, lambda told: told.update(change))
    with pytest.raises(BadFile, match="'shoal anonymize'"):
        shoal.audit(people, file, knowledge=["degree"], attacks=())


@pytest.mark.parametrize("text", ['{"schema":1}', '{"schema":1,"form":"internal"}', "[1]", "nope", '{"schema":2}'])
def test_what_is_no_audit_is_refused(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadFile, match=r"a\.json"):
        shoal.read_audit(tmp_path / "a.json")


def test_half_an_audit_makes_no_page(people, tmp_path):
    data = {k: v for k, v in shoal.audit(people, knowledge=["degree"]).data.items() if k != "levels"}
    with pytest.raises(BadFile, match="levels"):
        Audit(data).save(tmp_path / "a.html")


# small, other and lacking data


def test_a_release_of_fewer_than_k_hides_nobody():
    ring = Graph.from_pairs(list(shoal.examples.karate().names)[:4], [0, 1, 2, 3], [1, 2, 3, 0])
    club = shoal.examples.karate()
    with pytest.warns(shoal.Notice, match="published graph"):
        data = shoal.audit(club, ring, k=5, threshold=0.25, attacks=(), knowledge=["degree", "orbit"]).data
    assert [(r["k"], r["below"]) for r in data["after"]["itself"]] == [(4, 4), (4, 4)]
    assert [step["exposed"] for step in data["levels"]["after"]["steps"]] == [4] * 5
    risks = {p["name"]: p["risk"]["degree"] for p in data["tradeoff"]["points"]}
    assert risks["release"] == 1.0


def test_random_edits_have_room_where_vertices_were_added():
    whole = shoal.as_graph(nx.complete_graph(5))
    more = shoal.as_graph(nx.complete_graph(8))
    data = shoal.audit(whole, more, k=2, knowledge=["degree"], attacks=()).data
    assert [p["name"] for p in data["tradeoff"]["points"]] == ["original", "release", "random edits", "no links"]


def test_no_links_are_a_risk_where_columns_are_known(people):
    names = [f"v{i}" for i in range(people.n)]
    g = Graph.from_pairs(people.names, *people.edges()[:2], attributes=shoal.Table.of({"who": names}))
    spec = "neighbors:1+columns:who"
    data = shoal.audit(g, shoal.methods.Perturb(add=0.1, seed=1)(g), k=2, knowledge=[spec], attacks=()).data["tradeoff"]
    assert data["points"][-1] == {"name": "no links", "lost": 1.0, "risk": {spec: 1.0}}


@pytest.fixture(scope="module")
def lacking(people):
    """A table, and one made of it that has not all of its columns."""
    whole = people.attributes
    return whole, shoal.Table.of({"age": [40] * whole.n, "job": list(whole["job"])})


@pytest.mark.parametrize("columns", [(), ("age", "ill")])
def test_a_table_that_lacks_a_column_is_audited_without(lacking, columns):
    whole, part = lacking
    data = shoal.audit(whole, part, k=3, columns=columns, same_names=True).data
    known = ["age", "job"] if not columns else ["age"]
    assert f"columns:{','.join(known)}" in [r["knows"] for r in data["after"]["itself"]]
    assert all("does not have ill" in one["why"] for one in data["after"]["left out"])
    assert data["after"]["left out"]
    assert data["levels"]["after"]["steps"]
    assert {r["knows"] for r in data["after"]["attacked"]} == {r["knows"] for r in data["after"]["itself"]}


def test_a_table_that_lacks_all_columns_cannot_be_judged(lacking, tmp_path):
    whole, _ = lacking
    found = shoal.audit(whole, shoal.Table.of({"zzz": [1] * whole.n}), k=3)
    assert "cannot be judged" in repr(found)
    found.save(tmp_path / "a.html")


def test_outside_no_column_is_named_that_was_not_released(lacking, tmp_path):
    whole, part = lacking
    found = shoal.audit(whole, part, k=3, columns=["age"], sensitive=["ill"], external=True)
    found.save(tmp_path / "a.html")
    assert "ill" not in [column["name"] for column in found.data["columns"]]
    assert found.data["inference"]["columns"] == []
    mixed = shoal.Table.of({"age": [f"{x // 10}*" for x in whole["age"]]})
    kinds = shoal.audit(whole, mixed, k=3, external=True).data["columns"]
    assert [(column["name"], column["kind"]) for column in kinds] == [("age", "categories")]


def test_outside_the_size_of_the_original_says_nothing(people, released, tmp_path):
    file, _, _ = saved(released, tmp_path)
    small = shoal.as_graph(nx.path_graph(3))
    first, second = (shoal.audit(g, file, k=2, external=True).json() for g in (people, small))
    assert first == second


def test_columns_can_be_attacked_in_tables(people):
    table = people.attributes.only(["age", "job"])
    release = shoal.methods.Microaggregate(k=3, columns=("age",))(table)
    found = shoal.audit(table, release, k=3, attacks=["knows:columns:age,job", "cascade"]).data["attacks"]
    assert [one["attack"] for one in found["tried"]] == ["knows:columns:age,job"]
    assert [(one["name"], "links" in one["why"]) for one in found["left out"]] == [("cascade", True)]
    usual = shoal.audit(table, release, k=3).data["attacks"]
    assert usual["tried"] == []
    assert "knows:columns" in usual["left out"][0]["why"]


def test_files_of_links_drawn_anew_have_no_edits(people, tmp_path):
    file, secret, _ = saved(shoal.methods.Generalize(k=3, seed=2**80)(people), tmp_path)
    data = shoal.audit(people, file, mapping=secret, knowledge=["degree"], attacks=["korula-lattanzi"]).data
    assert data["changes"] is None
    assert "edges kept" not in [metric["name"] for metric in data["utility"]["metrics"]]
    assert [p["name"] for p in data["tradeoff"]["points"]] == ["original", "release", "no links"]
    attack = data["attacks"]["tried"][0]
    assert {"release", "guessing"} <= {t["graph"] for t in attack["trials"]}
    assert not {"random edits", "surviving edges"} & {t["graph"] for t in attack["trials"]}
    assert any("drawn anew" in note for note in attack["notes"])


def test_files_and_tables_are_not_matched_by_name_unasked(people, released, tmp_path):
    file, _, _ = saved(released, tmp_path)
    table = people.attributes
    how = {"attacks": (), "k": 2}
    assert shoal.audit(people, file, knowledge=["degree"], **how).data["matched"] == "nothing"
    assert shoal.audit(table, table, **how).data["matched"] == "nothing"
    assert shoal.audit(table, table, same_names=True, **how).data["matched"] == "name"
    assert shoal.audit(people, released.graph, knowledge=["degree"], **how).data["matched"] == "name"
    assert shoal.audit(people, released, knowledge=["degree"], **how).data["matched"] == "name"


def test_what_is_promised_is_counted_too(people):
    links = people.without_attributes()
    found = shoal.audit(links, shoal.methods.HideNeighbors(k=2, l=1, effort=5)(links), attacks=()).data["after"][
        "itself"
    ]
    assert {"neighbors:1", "neighbors:2"} <= {row["knows"] for row in found}


def test_columns_that_nobody_counted_are_told_at_once(people, released):
    found = repr(shoal.audit(people, released, columns=["age"], knowledge=["degree"], attacks=()))
    assert tells(found, "2 columns", "NOT counted", "job and ill")
    counted = repr(
        shoal.audit(people, released, columns=["age", "job"], sensitive=["ill"], knowledge="degree", attacks=())
    )
    assert "NOT counted" not in counted


def test_known_columns_are_an_attack_of_their_own(people, released):
    tried = shoal.audit(people, released, columns=["age", "job"], knowledge=["degree"]).data["attacks"]["tried"]
    assert tried[0]["attack"] == "knows:columns:age,job"


def test_one_kind_of_knowledge_needs_no_list(people):
    assert [row["knows"] for row in shoal.audit(people, knowledge="degree").data["before"]["panel"]] == ["degree"]


def test_files_of_two_releases_are_refused(people, tmp_path):
    """The manifest and the mapping carry the id of their release, which is made of the published files alone."""
    file, secret, about = saved(shoal.methods.EqualizeRows(2, seed=1)(people), tmp_path)
    page = json.loads(about.read_text())
    assert page["release"] in secret.read_text()
    another = "0" * 64
    text = secret.read_text()
    secret.write_text(text.replace(page["release"], another))
    with pytest.raises(BadParameter, match="mix of two releases"):
        shoal.audit(people, file, mapping=secret, knowledge=["degree"], k=2)
    secret.write_text(text)
    about.write_text(json.dumps(page | {"release": another}))
    with pytest.raises(BadFile, match="release id"):
        shoal.audit(people, file, mapping=secret, knowledge=["degree"], k=2)
