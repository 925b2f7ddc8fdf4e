"""Curves of levels for several k: by the definition, as data and as a picture."""

from itertools import pairwise
from math import inf

import networkx as nx
import pytest

import oracle
import shoal
from conftest import ATLAS
from draws import draw_cases
from shoal.errors import BadParameter


def exposed_by_definition(g, k):
    """For l = 1, 2, ... the share of vertices that some set of at most l neighbors leaves with fewer than k."""
    shares = []
    for l in range(1, len(g) + 1):
        sizes = oracle.size(oracle.neighbors(g, l=l)).values()
        shares.append(sum(size < k for size in sizes) / len(g))
    return shares


@pytest.mark.slow
def test_curves_are_the_shares_of_the_definition():
    for g in draw_cases(ATLAS[1:], 60):
        curves = shoal.level_curves(g, k=[2, min(3, len(g)), 2])
        assert list(curves.shares) == sorted({2, min(3, len(g))})
        for k, curve in curves.shares.items():
            whole = exposed_by_definition(g, k)
            assert curve == pytest.approx(whole[: len(curve)])
            assert whole[len(curve) :] == pytest.approx([curve[-1]] * (len(whole) - len(curve)))
            fallen = [0, *(round(share * len(g)) for share in whole), len(g)]
            levels = dict(zip([*range(len(g)), inf], [b - a for a, b in pairwise(fallen)], strict=True))
            assert curves.histograms[k] == {l: many for l, many in levels.items() if many}


def test_curves_are_of_known_neighbors_unless_another_reading_is_asked_for():
    karate = shoal.examples.karate()
    assert shoal.level_curves(karate, k=2).shares == shoal.level_curves(karate, "neighbors", k=2).shares
    assert shoal.level_curves(karate, k=2).levels[2].reading == "neighbors"
    assert shoal.level_curves(karate, "relations", k=2).levels[2].reading == "relations"
    short = shoal.level_curves(karate, k=2, max_size=1)
    assert short.levels[2].most == 1
    assert not short.to_frame()["exact"].any()


def test_a_frame_has_a_row_for_each_k_and_number_of_known_neighbors():
    curves = shoal.level_curves(shoal.examples.karate(), k=[5, 2, 2])
    frame = curves.to_frame()
    assert list(zip(frame["k"], frame["known"], frame["share"], strict=True)) == [
        (k, l, share) for k, curve in curves.shares.items() for l, share in enumerate(curve, 1)
    ]
    assert set(frame["k"]) == {2, 5}
    assert frame["exact"].all()
    assert "1 neighbor" in repr(curves)
    with pytest.raises(BadParameter, match="'k'"):
        shoal.level_curves(shoal.examples.karate(), k=[])


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!DOCTYPE html>")])
def test_curves_can_be_drawn(ending, begins, tmp_path):
    front, path = shoal.level_curves(shoal.examples.florentine(), k=[2]), tmp_path / f"curve.{ending}"
    front.save(path)
    assert path.read_bytes().startswith(begins)
    with pytest.raises(OSError, match="not overwritten"):
        front.save(path)
    front.save(path, force=True)
    with pytest.raises(BadParameter, match=r"\.png, \.svg or \.html"):
        front.save(tmp_path / "curve.doc")


def test_a_page_with_a_curve_needs_no_network(tmp_path):
    path = tmp_path / "curve.html"
    shoal.level_curves(shoal.examples.florentine(), k=[2]).save(path)
    page = path.read_text(encoding="utf-8")
    assert "<script src=" not in page
    assert "<link" not in page


def test_curves_are_a_chart_that_rounds_no_share_to_all():
    chart = shoal.level_curves(shoal.examples.florentine(), k=[2]).plot().to_dict()
    shares = shoal.level_curves(shoal.examples.florentine(), k=[2]).shares[2]
    assert [row["share"] for row in chart["data"]["values"]][1 : len(shares) + 1] == shares
    assert "transform" not in chart


def test_a_curve_ends_where_no_more_relations_expose_a_vertex():
    star = shoal.level_curves(nx.star_graph(3), k=[2, 4])
    assert star.shares == {2: [0.25], 4: [1.0]}
    ring = shoal.level_curves(nx.cycle_graph(4), k=[2])
    assert ring.shares == {2: [0.0]}
    assert "4" in star._repr_html_()
