"""An audit says what the counters say, in plain data; unless asked it names nobody, and outside it tells no secret."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from shoal.adversaries import REGISTRY
from shoal.auditing.audit import Audit
from shoal.auditing.case import Case, changes, digest
from shoal.auditing.drawing import bucket, hidden_after, walked
from shoal.auditing.exposure import exposure
from shoal.auditing.panel import affordable, judged, panel_for, row
from shoal.auditing.riskiest import DISGUISES, Aliases, disguised, letters
from shoal.auditing.tried import lost, tradeoff
from shoal.candidates import Fact
from shoal.data.graph import Graph
from shoal.data.publish import told
from shoal.errors import BadFile, BadParameter, FileExists, UnknownColumn
from shoal.report.sentences import PHRASES

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
    return shoal.EqualizeRows(k=3, seed=SEED, effort=20)(people)


@pytest.fixture(scope="module")
def matched(people):
    return shoal.MatchDegrees(k=5, seed=SEED)(people)


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


@dataclass
class Cut:
    """A risk whose search was cut short."""

    k: int
    unmatched: tuple = ()
    unfit = np.zeros(3, dtype=bool)
    proved_sizes = np.array([True, True, False])


@pytest.mark.parametrize(
    ("k", "verdict"), [(0, "cannot tell"), (1, "fail"), (11, "fail"), (12, "cannot tell"), (99, "cannot tell")]
)
def test_an_unproved_k_never_passes(k, verdict):
    assert judged(Cut(k), 0.09) == verdict


def test_recoded_values_never_pass():
    risk = Cut(50, unmatched=("age",))
    risk.proved_sizes = np.array([True])
    assert judged(risk, 0.09) == "cannot tell"


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
    first, second = (shoal.audit(people, released, knows=SMALL, seed=4) for _ in range(2))
    assert first == second
    assert (digest(people), digest(released.graph)) == before


def test_other_names_give_the_same_numbers(people):
    order = np.random.default_rng(0).permutation(people.n)
    rank = np.argsort(order)
    a, b, _ = people.edges()
    other = Graph.from_pairs(range(people.n), rank[a], rank[b])
    rows = [shoal.audit(g, knows=SMALL).data["before"]["panel"] for g in (people, other)]
    assert rows[0] == rows[1]


def test_a_release_is_judged_by_the_worse_of_two_ways_to_know(people, matched):
    data = shoal.audit(people, matched, k=3, threshold=0.2).data
    inside, facts = ({r["knows"]: r["verdict"] for r in data["after"][key]} for key in ("itself", "attacked"))
    for spec, verdict in inside.items():
        assert (spec in data["verdict"]["pass"]) == (verdict == facts[spec] == "pass")
        assert (spec in data["verdict"]["fail"]) == ("fail" in (verdict, facts[spec]))


def test_misled_people_are_counted_apart_and_not_as_safe(people, released):
    rows = shoal.audit(people, released, k=3).data["after"]["attacked"]
    lost_all = next(r for r in rows if r["knows"] == "orbit")
    assert lost_all["misled"] == people.n
    assert lost_all["verdict"] == "cannot tell"
    assert lost_all["highest"] is None


def test_only_the_original(people):
    data = shoal.audit(people, knows=["degree"]).data
    assert data["after"] is data["output"] is data["utility"] is data["method"] is None
    assert data["attacks"]["tried"] == []
    assert all("no release" in one["why"] for one in data["attacks"]["left out"])


def test_fresh_names_are_never_matched(people, released, tmp_path):
    bare = replace(released, graph=released.graph.without_attributes())
    bare.save(tmp_path / "safe.csv", tmp_path / "secret.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    files = (None, tmp_path / "safe.csv")
    alone = shoal.audit(people, got, same_names=False, knows=SMALL, files=files).data
    assert alone["matched"] == "nothing"
    assert alone["after"]["attacked"] is alone["changes"] is None
    assert "mapping" in alone["attacks"]["left out"][0]["why"]
    known = shoal.audit(people, got, mapping=tmp_path / "secret.csv", knows=SMALL, files=files).data
    whole = shoal.audit(people, released, knows=SMALL).data
    assert known["after"] == whole["after"]
    assert known["changes"] == whole["changes"]
    assert known["promise"] == whole["promise"]
    assert known["method"]["settings"] == whole["method"]["settings"]
    assert known["output"]["of"] == "file"


def test_columns_that_were_not_released_are_left_out(people, released):
    bare = released.graph.without_attributes()
    data = shoal.audit(people, bare, knows=["degree", "columns:age"], columns=["age"]).data
    assert [r["knows"] for r in data["after"]["itself"]] == ["degree"]
    assert "does not have age" in data["after"]["left out"][0]["why"]


def test_too_many_pairs_of_neighbors_are_not_sought_unasked():
    star = shoal.as_graph(nx.star_graph(5000))
    assert list(affordable(star, panel_for(star, ()))) == ["neighbors:2"]
    assert affordable(shoal.as_graph(nx.star_graph(40)), panel_for(star, ())) == {}


def test_utility_lost_is_none_of_the_original_and_all_without_links(people, released):
    data = shoal.audit(people, released, knows=SMALL).data
    assert lost(data["utility"], "before") == 0.0
    assert lost(data["utility"], "empty") == 1.0
    assert [p["name"] for p in data["tradeoff"]["points"]] == ["original", "release", "random edits", "no links"]
    assert tradeoff(Case.of(people, None, None, True, (None, None)), None, SMALL, 2, 0) is None


def test_inference_is_measured_where_a_column_is_sensitive(people, released):
    data = shoal.audit(people, released, columns=["age", "job"], sensitive=["ill"], knows=["degree"]).data["inference"]
    risk = shoal.assess(people, shoal.KnowsColumns("age", "job"))
    assert data["before"][0]["known"] == shoal.diversity(risk, "ill")[0].known


# the drawing


def test_the_drawing_shows_true_links_and_sizes(people, released):
    data = shoal.audit(people, released, knows=SMALL).data["drawing"]
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
    release = shoal.EqualizeRows(k=3, sensitive=["name-zq1", "name-zq2"], seed=SEED, effort=5)(people)
    data = shoal.audit(people, release, knows=["degree"]).data
    assert not any("zq" in str(part) for part in everything(data))
    assert data["secrets"]["seed"] == SEED


def test_the_riskiest_are_rightly_found(people, matched):
    data = shoal.audit(people, matched, k=5, names=True).data["riskiest"]
    assert data
    for one in data:
        risk = shoal.assess(matched.graph, one["knows"], knowing=people)
        assert one["candidates"] == risk.sizes[people.names.id(one["who"])] < 5
        assert risk.holds(one["who"])


# outside


METHODS = {
    "rows": shoal.EqualizeRows(k=3, seed=SEED, effort=20),
    "degrees": shoal.MatchDegrees(k=3, seed=SEED),
    "drawn": shoal.Generalize(k=3, seed=SEED),
    "edits": shoal.Perturb(add=0.05, delete=0.05, seed=SEED),
    "table": shoal.Microaggregate(k=3, columns=("age",)),
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
        found = shoal.audit(people, knows=["degree"], external=external)
        found.save(tmp_path / f"{external}.json")
        got = (tmp_path / f"{external}.json").stat().st_mode & 0o777
        assert got == mode or (mode is None and got & 0o044)


def test_nothing_is_overwritten_unasked(people, tmp_path):
    found = shoal.audit(people, knows=["degree"])
    found.save(tmp_path / "a.json")
    with pytest.raises(FileExists):
        found.save(tmp_path / "a.json")
    found.save(tmp_path / "a.json", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"threshold": 0}, BadParameter, "threshold"),
        ({"threshold": 1.5}, BadParameter, "at most 1"),
        ({"k": 1000}, BadParameter, "k"),
        ({"seed": -1}, BadParameter, "seed"),
        ({"columns": ["agee"]}, UnknownColumn, "Did you mean 'age'"),
        ({"columns": ["age"], "sensitive": ["age"]}, BadParameter, "not both"),
        ({"knows": ["degre"]}, BadParameter, "Did you mean 'degree'"),
    ],
)
def test_bad_parameters_are_refused(how, error, words, people):
    with pytest.raises(error, match=words):
        shoal.audit(people, **({"knows": ["degree"]} | how))


def test_bad_files_are_refused(people, tmp_path):
    with pytest.raises(BadParameter, match=r"\.html or \.json"):
        shoal.audit(people, knows=["degree"]).save(tmp_path / "a.pdf")
    (tmp_path / "b.json").write_text('{"schema": 99}')
    with pytest.raises(BadFile, match="schema 99"):
        Audit.read(tmp_path / "b.json")
    (tmp_path / "safe.csv").write_text("a,b\n")
    (tmp_path / "safe.csv.release.json").write_text("[]")
    with pytest.raises(BadFile, match="shoal anonymize"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)


def test_an_attack_that_cannot_be_had_leaves_its_reason(people, released, monkeypatch):
    def refuses(*_, **__):
        raise BadParameter("It is asked too much.")

    monkeypatch.setattr("shoal.attacks.front.attack", refuses)
    monkeypatch.setattr("shoal.auditing.findings.compared", lambda *_: None)
    data = shoal.audit(people, released, knows=["degree"], attacks=["cascade"]).data["attacks"]
    assert data == {"tried": [], "left out": [{"name": "cascade", "why": "It is asked too much."}]}


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
    assert "This release does not meet the threshold of 12 candidates" in out
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
    ],
)
def test_the_command_refuses_what_cannot_be_meant(arguments, words, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = shell("audit", "example:karate", *arguments)
    assert code == 2
    assert words in err
    assert list(tmp_path.iterdir()) == []


def test_a_released_table_is_read_as_one(people, tmp_path):
    release = shoal.Microaggregate(k=3, columns=("age",))(people.attributes.only(["age"]))
    release.save(tmp_path / "safe.csv")
    data = shoal.audit(people.attributes.only(["age"]), tmp_path / "safe.csv", same_names=False, k=3).data
    assert data["output"]["kind"] == "table"
    assert data["after"]["itself"][0]["k"] >= 3
    assert data["method"]["name"] == "microaggregate"


def test_where_nobody_is_rightly_found_those_seen_in_the_release_are_shown(people, released):
    data = shoal.audit(people, released, knows=["hubs:3"], k=3).data
    if not data["after"]["attacked"][0]["below"] and data["after"]["itself"][0]["below"]:
        assert data["riskiest"]
    assert all(one["candidates"] < 3 for one in data["riskiest"])


def test_comparison_and_attacks_are_in_it(people, matched):
    from shoal.report.page import page

    found = shoal.audit(people, matched, knows=["degree"], attacks=["knows:neighbors:1", "korula-lattanzi"])
    assert [one["attack"] for one in found.data["attacks"]["tried"]] == ["knows:neighbors:1", "korula-lattanzi"]
    assert found.data["tradeoff"]["points"][1]["lost"] > 0
    assert "Korula &amp; Lattanzi" in page(found.data)


def test_a_file_that_was_changed_after_its_promise_is_refused(people, released, tmp_path):
    replace(released, graph=released.graph.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    with (tmp_path / "safe.csv").open("a") as stream:
        stream.write("0,1\n")
    with pytest.raises(BadFile, match="another SHA-256"):
        shoal.audit(people, tmp_path / "safe.csv", same_names=False)
