"""The page of one release: both drawings have the true links, and colors that agree with a plain recount."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.auditing.network_drawing import find_buckets
from shoal.methods import ReduceRisk
from shoal.methods.passing import try_method
from shoal.report.text.phrases import format_fraction, format_share
from shoal.web.pages.release import pack_pictures
from shoal.web.releasing import count_fewest
from web_rounds import list_made, list_pairs, read_cell
from web_site import read_text

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")


@pytest.fixture(scope="module")
def made(site, club):
    """The releases of the first round, with the drawing."""
    site.get(f"/data/{club.key}/release/1")
    site.finish(club)
    assert club.drawing is not None
    return list_made(club.rounds[0])


def show(site, club, number):
    site.get(f"/data/{club.key}/release/{number}")
    site.finish(club)
    answer = site.get(f"/data/{club.key}/release/{number}")
    assert answer.status_code == 200
    return answer.text


def fetch(site, club, one):
    answer = site.get(f"/data/{club.key}/release/{one.number}/pictures.json")
    assert answer.status_code == 200
    return answer.json()


def name_links(club, flat):
    names = [club.data.names[v] for v in club.drawing.chosen.tolist()]
    found = {frozenset((names[a], names[b])) for a, b in zip(flat[::2], flat[1::2], strict=True)}
    assert 2 * len(found) == len(flat)  # each link once
    return found


def recount_fewest(one):
    """Return the fewest candidates of each person of the original, over all kinds and both facts; 0 for none."""
    scenario, release = one.policy.scenario, one.release
    fewest = dict.fromkeys(release.original.names, 0)
    for kind in scenario.choose_kinds(release.data, one.policy.columns).values():
        inside, outside = shoal.assess(release.data, kind), shoal.assess(release.data, kind, original=release.original)
        for at, name in enumerate(release.data.names):
            fewest[name] = min(filter(None, (fewest[name], int(inside.sizes[at]))), default=0)
        for at, name in enumerate(release.original.names):
            fewest[name] = min(filter(None, (fewest[name], int(outside.sizes[at]))), default=0)
    return np.array(list(fewest.values()))


# Pictures.


def test_links_stay_go_and_come(site, club, made):
    for one in made:
        found = fetch(site, club, one)
        kept, removed, added = (name_links(club, found[name]) for name in ("kept", "removed", "added"))
        before, after = list_pairs(club.data), list_pairs(one.release.data)
        assert kept | removed == before
        assert kept | added == after
        assert not kept & removed
        assert not kept & added
        if one.release.edits is not None:
            assert len(removed) + len(added) == one.tried.attempt.cost.links
    assert any(fetch(site, club, one)["added"] for one in made)
    assert any(fetch(site, club, one)["removed"] for one in made)


def test_colors_agree_with_a_plain_recount(site, club, made):
    plain = [one for one in made if "recoded" not in {judged.facts for judged in one.tried.attempt.judgments}]
    assert len(plain) > 5
    before = np.stack(
        [
            shoal.assess(club.data, kind).sizes
            for kind in made[0].policy.scenario.choose_kinds(club.data, ["age"]).values()
        ]
    ).min(axis=0)
    for one in plain:
        fewest = recount_fewest(one)
        assert count_fewest(one.release, one.policy).tolist() == fewest.tolist()
        found = fetch(site, club, one)
        assert found["after"] == "".join(map(str, find_buckets(fewest).tolist()))
        assert found["before"] == "".join(map(str, find_buckets(before).tolist()))
        assert found["released"] == "1" * 16


def test_recoded_facts_only_lower_the_counts(made):
    recoded = [one for one in made if len(one.tried.attempt.judgments) == 3]
    for one in recoded:
        plain, found = recount_fewest(one), one.tried.fewest
        assert ((found <= plain) | (plain == 0)).all()


def test_no_color_promises_more_than_the_verdict(made):
    for one in made:
        assert (one.tried.fewest[one.tried.fewest > 0] < 4).sum() >= one.tried.attempt.below


def test_people_who_were_left_out_have_no_color_of_their_own(club, made):
    first = made[0]
    data = first.release.original
    gone = ReduceRisk(["degree", "neighbors:1"], k=5, budget=9, suppress=0.2, seed=3, effort=20)
    attempt = try_method(gone, data, first.policy.scenario, first.policy.columns)
    assert attempt.release.data.n < data.n
    fewest = count_fewest(attempt.release, first.policy)
    one = replace(first, tried=replace(first.tried, attempt=attempt, fewest=fewest))
    found = pack_pictures(club, one)
    names = [club.data.names[v] for v in club.drawing.chosen.tolist()]
    assert found["released"] == "".join("01"[name in set(attempt.release.data.names)] for name in names)
    assert fewest.tolist() == recount_fewest(one).tolist()
    before, kept, removed = list_pairs(club.data), *(name_links(club, found[name]) for name in ("kept", "removed"))
    assert kept | removed == before
    left = set(names) - set(attempt.release.data.names)
    assert {pair for pair in before if pair & left} <= removed


def test_the_colors_before_are_those_of_the_release(site, club, made):
    """Another scenario that is chosen later does not change them; and no kind of knowledge may be missing."""
    one = made[0]
    expected, risks = fetch(site, club, one)["before"], club.risks
    kept = club.scenario, club.k
    try:
        site.post(f"/data/{club.key}/risk/scenario", {"scenario": "public"})
        site.finish(club)
        assert fetch(site, club, one)["before"] == expected
        club.risks = {spec: risk for spec, risk in risks.items() if spec != "degree"}
        assert fetch(site, club, one)["before"] == ""  # too few kinds would show too many candidates
    finally:
        club.risks, (club.scenario, club.k) = risks, kept


def test_there_are_no_pictures_before_the_drawing(site, club, made):
    kept, club.drawing = club.drawing, None
    try:
        assert site.get(f"/data/{club.key}/release/{made[0].number}/pictures.json").status_code == 404
    finally:
        club.drawing = kept


# Numbers.


def read_metrics(page):
    rows = re.findall(
        r'<th scope="row">(.*?)</th><td data-label="before">(.*?)</td><td data-label="after">(.*?)</td>', page
    )
    return {read_cell(name): (read_cell(before), read_cell(after)) for name, before, after in rows}


def test_metrics_before_and_after(site, club, made):
    for one in (made[1], made[-1]):
        found = read_metrics(show(site, club, one.number))
        graphs = [nx.Graph(list(map(tuple, list_pairs(data)))) for data in (club.data, one.release.data)]
        sizes = [club.data.n, one.release.data.n]
        assert found["people"] == tuple(f"{n}" for n in sizes)
        assert found["links"] == tuple(f"{graph.number_of_edges()}" for graph in graphs)
        assert found["most links of a person"] == tuple(f"{max(dict(graph.degree).values())}" for graph in graphs)
        assert found["transitivity"] == tuple(format_fraction(nx.transitivity(graph)) for graph in graphs)
        largest = [max(map(len, nx.connected_components(graph))) for graph in graphs]
        assert found["people in the largest component"] == tuple(map(format_share, largest, sizes))


def test_the_page_tells_cost_verdict_and_guarantee(site, club, made):
    for one in (made[0], next(one for one in made if one.verdict == "fail")):
        page = show(site, club, one.number)
        text, cost = read_text(page), one.tried.attempt.cost
        assert f"{'PASS' if one.verdict == 'pass' else 'FAIL'} for the knowledge of the scenario" in text
        assert f"{cost.links} ({format_share(cost.links, cost.m)}) links changed" in text
        assert f"{one.tried.attempt.below} ({format_share(one.tried.attempt.below, 16)}) people at risk" in text
        assert "facts from the release" in text
        assert "facts from the original" in text
        assert "<svg" in page  # the degree distributions
        assert page.count("<option") == len(made) - 1


def test_a_release_is_compared_once(site, club, made):
    show(site, club, made[0].number)
    jobs = dict(club.jobs)
    show(site, club, made[0].number)
    assert club.jobs == jobs
    state = site.get(f"/data/{club.key}/release/{made[0].number}/state").text
    assert 'data-drawn="1"' in state
    assert "transitivity" in state


@pytest.mark.parametrize("number", ["0", "99", "x", "-1"])
def test_there_is_no_such_release(site, club, number):
    for path in ("", "/state", "/pictures.json", "/audit", "/publish"):
        assert site.get(f"/data/{club.key}/release/{number}{path}").status_code == 404


def test_a_method_without_a_release_has_no_page(site, club, made):
    one = made[0]
    kept, one.tried = one.tried, None
    try:
        assert site.get(f"/data/{club.key}/release/{one.number}").status_code == 404
    finally:
        one.tried = kept
