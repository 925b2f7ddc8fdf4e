"""An audit, a frontier and a comparison of a release whose links have directions and kinds."""

import numpy as np
import pytest

import shoal
from messages import tells
from shoal.auditing.model import Audit
from shoal.data.graph import link_graph
from shoal.report.html.frontier import format_command
from shoal.report.html.page import render_page


def change(g, share=0.1, seed=0):
    """Return a network without some of its links, and some links turned."""
    a, b, relation, times = g.links()
    rng = np.random.default_rng(seed)
    keep, turn = rng.random(len(a)) > share, rng.random(len(a)) < share
    a, b = np.where(turn, b, a)[keep], np.where(turn, a, b)[keep]
    return link_graph(g.names, a, b, relation[keep], times[keep], g.ties.relations, False, g.attributes)


@pytest.fixture(scope="module")
def office():
    return shoal.examples.office(60)


@pytest.fixture(scope="module")
def released(office):
    return change(office)


@pytest.fixture(scope="module")
def audit(office, released):
    return shoal.audit(office, released, scenario="internal", knowledge=["degree:out"], attacks=())


def test_changes_count_links_with_direction_and_kind(office, released, audit):
    before, after = set(office.each_link()), set(released.each_link())
    made = audit.changes
    assert (made.kept, made.removed, made.added) == (len(before & after), len(before - after), len(after - before))
    assert made.ratio == (made.removed + made.added) / office.m


def test_degrees_by_direction(office, audit):
    sources = [a for a, _, _ in office.each_link()]
    sent = np.bincount(np.bincount(sources, minlength=office.n))
    assert dict(audit.directions_before.outgoing) == {d: many for d, many in enumerate(sent.tolist()) if many}
    assert audit.directions_after is not None
    assert audit.input.links_by_kind == office.count_kinds()
    assert audit.output.links_by_kind.keys() <= audit.input.links_by_kind.keys()


def test_the_drawing_has_arrows_before_and_after(audit):
    assert all(len(link) == 4 and link[2] == 1 for link in audit.drawing.links_before)
    assert all(len(link) == 4 and link[2] == 1 for link in audit.drawing.links_after)


def test_the_page_shows_directions_and_kinds(audit):
    page = render_page(audit)
    for text in ("Outgoing links per person", "Incoming links per person", "Kinds of links", "(undirected view)"):
        assert text in page


def test_the_text_counts_links_by_kind(audit, released):
    work = released.count_kinds()["work"]
    assert tells(str(audit), f"{released.m:,} links (directed)", f"work {work:,}")
    assert "Links of the" not in str(shoal.audit(shoal.examples.karate(), scenario="internal"))


def test_an_audit_is_read_back(audit, tmp_path):
    audit.save(tmp_path / "audit.json")
    assert Audit.read(tmp_path / "audit.json") == audit


def test_an_external_audit_has_what_the_release_shows(office, released):
    found = shoal.audit(office, released, scenario="internal", external=True)
    assert found.directions_before is None
    assert found.directions_after is not None
    assert found.output.links_by_kind == released.count_kinds()


def test_undirected_audits_have_no_directions():
    found = shoal.audit(shoal.examples.karate(), scenario="internal")
    assert found.directions_before is None
    assert found.input.links_by_kind == {}


def test_a_frontier_measures_releases(office, released):
    found = shoal.frontier(office, "degree:out", k=2, methods=["equalize-rows"], also={"given": released}, jobs=1)
    assert found.data()["data"] == {"vertices": 60, "edges": office.m, "directed": True, "kinds": list(office.kinds)}
    assert found["no change", None].lost["reciprocity"] == 0
    assert found["empty", None].risk.below[2] == 0
    assert "shoal frontier FILE --directed --kind KIND" in format_command(found)
    given = found["given", None]
    assert given.lost["links changed"] > 0
    assert given.risk is not None
    assert given.attacked is not None


def test_a_page_says_what_is_known_about_links(audit, office, released):
    assert tells(
        render_page(audit), "Known links come with their direction and kind", "After: the fewer of the candidates"
    )
    plain = shoal.audit(shoal.examples.karate(), scenario="internal", attacks=())
    assert "Known links come" not in render_page(plain)


@pytest.mark.slow
def test_a_tradeoff_says_what_is_known_and_what_ignores_it(office):
    found = shoal.tradeoff(office, "counts:1", 2, budgets=["5%"], effort=2, draws=1)
    assert tells(str(found), "counts:1 counts links of all directions and kinds together", "one edge per linked pair")
    assert found.data()["data"] == {
        "vertices": office.n, "edges": office.m, "directed": True, "kinds": ["notice", "private", "work"],
    }  # fmt: skip


def test_a_frontier_says_what_is_known(office):
    methods = [shoal.methods.Perturb(delete=0.1, seed=1)]
    found = shoal.frontier(office, "neighbors:1", k=[2], methods=methods, jobs=1)
    assert "come with their direction and kind" in str(found)
