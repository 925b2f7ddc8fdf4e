"""The chart of risk against loss: its scale, the curve of the best releases, and texts that cannot break it."""

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from hostile_text import HOSTILE
from shoal.report.html.charts.losses import (
    BOTTOM,
    HIGH,
    LEFT,
    RIGHT,
    TOP,
    WIDE,
    LossPoint,
    draw_losses,
    find_end,
    find_front,
    format_tick,
)


def make_point(label, loss, risk, ink="pass", link="", told=""):
    return LossPoint(label, told or label, Fraction(loss), Fraction(risk), ink, link)


def draw(points, accepted=Fraction(1, 10), allowed=Fraction(1, 50)):
    return draw_losses(points, accepted=accepted, allowed=allowed, loss="links changed")


def parse(svg):
    return ElementTree.fromstring(svg)


def find_circles(svg):
    return [(float(one.get("cx")), float(one.get("cy")), one.get("class")) for one in parse(svg).iter("circle")]


POINTS = [
    make_point("1", Fraction(1, 20), Fraction(1, 10), "fail", "/release/1"),
    make_point("2", Fraction(1, 5), 0, "pass", "/release/2"),
    make_point("3", Fraction(1, 4), Fraction(1, 20), "cannot-tell", "/release/3"),
    make_point("unchanged", 0, Fraction(3, 10), "fail"),
]


def test_each_point_is_drawn_once_with_its_color_and_its_link():
    svg = draw(POINTS)
    assert sorted(ink for _, _, ink in find_circles(svg)) == sorted(one.ink for one in POINTS)
    links = {one.get("href"): one.find("title").text for one in parse(svg).iter("a")}
    assert links == {one.link: one.told for one in POINTS if one.link}


def test_places_are_in_proportion():
    end, top = Fraction(40, 100), Fraction(40, 100)  # the ends of the axes for 25 % and 30 %
    expected = {
        (
            float(LEFT + (WIDE - LEFT - RIGHT) * one.loss / end),
            float(HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * one.risk / top),
            one.ink,
        )
        for one in POINTS
    }
    found = set(find_circles(draw(POINTS)))
    for x, y, ink in expected:
        assert any(abs(x - a) < 0.1 and abs(y - b) < 0.1 and ink == c for a, b, c in found)


def test_all_points_are_inside_the_frame():
    wild = [make_point("a", 0, 0), make_point("b", 1, 1), make_point("c", Fraction(23, 10), Fraction(1, 1000))]
    for x, y, _ in find_circles(draw(wild)):
        assert LEFT <= x <= WIDE - RIGHT
        assert TOP <= y <= HIGH - BOTTOM


def test_a_release_that_changes_something_is_not_drawn_at_nothing():
    """Small numbers beside large ones keep their true numbers in the text of the point."""
    tiny = make_point("t", Fraction(1, 10**6), Fraction(1, 10**6), told="<0.1 % at risk")
    assert "&lt;0.1 % at risk" in draw([tiny, make_point("u", 1, 1)])


def test_the_part_beyond_the_accepted_loss_is_shaded():
    [shade] = parse(draw(POINTS, accepted=Fraction(1, 5))).iter("rect")
    assert float(shade.get("x")) == LEFT + (WIDE - LEFT - RIGHT) / 2
    assert float(shade.get("x")) + float(shade.get("width")) == WIDE - RIGHT
    assert not list(parse(draw(POINTS, accepted=None)).iter("rect"))


def test_the_allowed_share_is_a_line():
    [line] = [one for one in parse(draw(POINTS, allowed=Fraction(1, 5))).iter("line") if one.get("class") == "allowed"]
    assert float(line.get("y1")) == float(line.get("y2")) == TOP + (HIGH - TOP - BOTTOM) / 2


def test_the_curve_has_the_points_that_no_other_beats():
    front = find_front(POINTS)
    assert [one.label for one in front] == ["unchanged", "1", "2"]
    for one in POINTS:
        beaten = any(
            other.loss <= one.loss and other.risk <= one.risk and (other.loss, other.risk) != (one.loss, one.risk)
            for other in POINTS
        )
        assert beaten == (one not in front)
    svg = draw(POINTS)
    assert len(re.findall("[MHV]", parse(svg).find("path").get("d"))) == 2 * len(front) - 1
    assert not [path for path in parse(draw(POINTS[:1])).iter("path") if path.get("class") == "front"]


def test_of_equal_points_one_is_on_the_curve():
    same = [make_point(name, Fraction(1, 9), Fraction(1, 9)) for name in "ab"]
    assert len(find_front(same)) == 1
    assert len(find_circles(draw(same))) == 2
    assert find_front([]) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_escaped(text):
    svg = draw([make_point(text, Fraction(1, 9), 0, link=f"/x?{text}", told=text)])
    assert "<script" not in svg
    page = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", svg)  # pages spell them
    tags = {one.tag for one in parse(page).iter()}
    assert tags <= {"svg", "rect", "line", "text", "path", "a", "g", "title", "circle"}


def test_no_style_and_no_script_stand_in_the_chart():
    svg = draw(POINTS)
    assert "style" not in svg
    assert " on" not in re.sub(r'"[^"]*"|>[^<]*<', "", svg)


def test_the_ends_of_axes_hold_the_largest_value():
    for percent in range(0, 300, 7):
        value = Fraction(percent, 100)
        assert value <= find_end(value)
        assert find_end(value) > 0


def test_ticks_are_exact_enough():
    assert [format_tick(Fraction(part, 1000)) for part in (0, 5, 15, 25, 1000)] == [
        "0 %",
        "0.5 %",
        "1.5 %",
        "2.5 %",
        "100 %",
    ]
