"""The frontier: levels for several k, as data and as a picture."""

import pytest

import shoal
from shoal.errors import BadParameter


def test_a_frontier_is_its_levels():
    graph = shoal.examples.karate()
    front = shoal.level_curves(graph, k=[5, 2, 2])
    assert list(front.levels) == [2, 5]
    assert front.histograms[2] == shoal.levels(graph, k=2).histogram()
    for k, curve in front.shares.items():
        risk = [shoal.assess(graph, shoal.knowledge.Neighbors(l)).rate(k) for l in range(1, len(curve) + 1)]
        assert curve == pytest.approx(risk)
    assert front.to_frame()["share"].tolist() == [share for curve in front.shares.values() for share in curve]
    assert "1 neighbor" in repr(front)
    with pytest.raises(BadParameter, match="'k'"):
        shoal.level_curves(graph, k=[])


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!DOCTYPE html>")])
def test_a_frontier_can_be_drawn(ending, begins, tmp_path):
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
