"""What an audit is about: who is who in two data sets, and what changed between them."""

import json
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given, settings

import shoal
from audit_cases import SMALL, saved
from conftest import graphs
from messages import tells
from shoal.errors import BadFile, BadParameter


@pytest.mark.slow
@settings(max_examples=20)
@given(graphs(least=2, most=7), graphs(least=2, most=7))
def test_changes_are_those_between_the_two(g, h):
    g.add_nodes_from(h)
    h.add_nodes_from(g)
    before, after = shoal.as_graph(g), shoal.as_graph(h)
    found = shoal.audit(before, after, knowledge=["degree"], k=1, attacks=()).changes
    x, y = ({frozenset(e) for e in graph.edges} for graph in (g, h))
    assert (found.kept, found.added, found.removed) == (len(x & y), len(y - x), len(x - y))


def test_only_the_original(people):
    found = shoal.audit(people, knowledge=["degree"])
    assert found.after is found.output is found.utility is found.method is None
    assert found.attacks.tried == ()
    assert found.attacks.left_out
    assert all("no release" in one.why for one in found.attacks.left_out)


@pytest.mark.slow
def test_fresh_names_are_never_matched(people, released, tmp_path):
    bare = replace(released, data=released.data.without_attributes())
    bare.save(tmp_path / "safe.csv", tmp_path / "secret.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    files = (None, tmp_path / "safe.csv")
    alone = shoal.audit(people, got, same_names=False, knowledge=SMALL, files=files)
    assert alone.matched == "nothing"
    assert alone.after.original_facts is alone.changes is None
    assert "mapping" in alone.attacks.left_out[0].why
    known = shoal.audit(people, got, mapping=tmp_path / "secret.csv", knowledge=SMALL, files=files)
    whole = shoal.audit(people, released, knowledge=SMALL)
    assert known.after == whole.after
    assert known.changes == whole.changes
    assert [one.guarantee for one in known.promises] == [one.guarantee for one in whole.promises]
    assert known.method.settings == whole.method.settings
    assert known.output.digest_of == "file"


def test_a_released_table_is_read_as_one(people, tmp_path):
    release = shoal.methods.Microaggregate(k=3, columns=("age",))(people.attributes.only(["age"]))
    release.save(tmp_path / "safe.csv")
    data = shoal.audit(people.attributes.only(["age"]), tmp_path / "safe.csv", same_names=False, k=3)
    assert data.output.kind == "table"
    assert data.after.release_facts[0].k >= 3
    assert data.method.name == "microaggregate"


def test_files_and_tables_are_not_matched_by_name_unasked(people, released, tmp_path):
    file, _, _ = saved(released, tmp_path)
    table = people.attributes
    how = {"attacks": (), "k": 2}
    assert shoal.audit(people, file, knowledge=["degree"], **how).matched == "nothing"
    assert shoal.audit(table, table, **how).matched == "nothing"
    assert shoal.audit(table, table, same_names=True, **how).matched == "name"
    assert shoal.audit(people, released.data, knowledge=["degree"], **how).matched == "name"
    assert shoal.audit(people, released, knowledge=["degree"], **how).matched == "name"


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


@pytest.mark.filterwarnings("ignore:.*Not used:shoal.errors.Notice")
def test_columns_that_were_not_read_are_named(tmp_path):
    links, published = tmp_path / "links.csv", tmp_path / "safe.csv"
    rows = [f"p{a},p{b}" for a, b in nx.cycle_graph(6).edges]
    links.write_text("\n".join(["source,target,amount,day", *(f"{row},1,2" for row in rows), ""]))
    published.write_text("\n".join(["source,target,day", *(f"{row},2" for row in rows), ""]))
    how = {"knowledge": ["degree"], "k": 2, "attacks": ()}
    found = shoal.audit(links, published, same_names=True, **how)
    outside = shoal.audit(links, published, external=True, **how)
    original = shoal.read_graph(links)
    assert (found.input.unread, found.output.unread) == (("amount", "day"), ("day",))
    found.save(tmp_path / "in.html")
    assert tells((tmp_path / "in.html").read_text(), "columns not read", "amount and day")
    assert outside.input is None
    assert outside.output.unread == ("day",)
    outside.save(tmp_path / "out.html")
    assert "amount" not in (tmp_path / "out.html").read_text()
    release = shoal.methods.MatchDegrees(k=2)(original)  # nothing to change: the release may be the original itself
    assert shoal.audit(original, release, external=True, **how).output.unread == ()
    assert shoal.audit(original, release, **how).input.unread == ("amount", "day")
