"""The chart of risk against loss: one point per release, and the curve of the best ones. Written as SVG by shoal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from shoal.errors import format_count

WIDE, HIGH = 560, 300
LEFT, TOP, RIGHT, BOTTOM = 72, 18, 24, 44
"""Margins."""
TICKS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
ENDS = tuple(Fraction(part, 100) for part in (2, 4, 8, 10, 20, 40, 60, 80, 100))
"""Ends of an axis."""


@dataclass(frozen=True)
class LossPoint:
    """A release in the chart."""

    label: str
    """A short text beside the point."""
    told: str
    """What is read aloud, and shown beside the pointer."""
    loss: Fraction
    risk: Fraction
    ink: str
    """pass, fail or cannot-tell."""
    link: str = ""
    """Where a click leads to."""


def draw_losses(points: Sequence[LossPoint], *, accepted: Fraction | None, allowed: Fraction, loss: str) -> str:
    """Return the chart: loss to the right, people at risk upwards.

    Parameters
    ----------
    points
        The releases, and the data as it is.
    accepted
        The loss that is accepted: the part of the chart to the right of it is shaded. None: any loss.
    allowed
        The share of people that the scenario allows to be at risk: a line.
    loss
        The title of the axis of losses.

    Examples
    --------
    >>> draw_losses([LossPoint("1", "one", Fraction(1, 9), Fraction(0), "pass")], accepted=Fraction(1, 10),
    ...             allowed=Fraction(0), loss="links changed").count("<circle")
    1
    """
    most = find_end(max([accepted or Fraction(0), *(one.loss for one in points)]))
    top = find_end(max([allowed * 2, *(one.risk for one in points)]))

    def x(value: Fraction) -> float:
        return round(LEFT + (WIDE - LEFT - RIGHT) * float(value / most), 1)

    def y(value: Fraction) -> float:
        return round(HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * float(value / top), 1)

    bottom, right = HIGH - BOTTOM, WIDE - RIGHT
    drawn = []
    if accepted is not None:
        start = x(accepted)
        drawn.append(f'<rect class="beyond" x="{start}" y="{TOP}" width="{right - start:g}" height="{bottom - TOP}"/>')
    for tick in TICKS:
        across, up = x(tick * most), y(tick * top)
        drawn.append(f'<line class="tick" x1="{LEFT}" x2="{right}" y1="{up}" y2="{up}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{up + 4}" text-anchor="end">{format_tick(tick * top)}</text>')
        drawn.append(f'<text x="{across}" y="{bottom + 16}" text-anchor="middle">{format_tick(tick * most)}</text>')
    drawn.append(f'<line class="allowed" x1="{LEFT}" x2="{right}" y1="{y(allowed)}" y2="{y(allowed)}"/>')
    drawn.append(f'<text x="{(LEFT + right) / 2}" y="{HIGH - 8}" text-anchor="middle">{escape(loss)}</text>')
    drawn.append(
        f'<text transform="translate(12 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">people at risk</text>'
    )
    best = find_front(points)
    if len(best) > 1:
        path = "".join(f"H{x(one.loss)}V{y(one.risk)}" for one in best[1:])
        drawn.append(f'<path class="front" d="M{x(best[0].loss)} {y(best[0].risk)}{path}"/>')
    places = [(x(one.loss), y(one.risk)) for one in points]
    named = [one in best or not one.link for one in points]
    labels = place_labels([one.label if told else "" for one, told in zip(points, named, strict=True)], places)
    drawn += [_draw_point(*found) for found in zip(points, places, labels, strict=True)][::-1]
    title = f"People at risk against {loss}: {format_count(len(points), 'point')}. The table has the same numbers."
    head = f'<svg class="losses" viewBox="0 0 {WIDE} {HIGH}" role="group" aria-label="{escape(title)}">'
    return f"{head}{''.join(drawn)}</svg>"


MARKS = {"pass": "M-3 0L-1 2.5L3 -2.5", "fail": "M-2.5 -2.5L2.5 2.5M2.5 -2.5L-2.5 2.5", "cannot-tell": "M-3 0H3"}
"""A mark inside each point, so that the color is not alone: a tick, a cross, a dash."""
LETTER, LINE, RADIUS = 7, 12, 6
"""Width of a letter and height of a line, about; radius of a point."""


def _draw_point(one: LossPoint, at: tuple[float, float], label: tuple[float, float] | None) -> str:
    x, y = at
    text = "" if label is None else f'<text x="{label[0]:g}" y="{label[1]:g}">{escape(one.label)}</text>'
    sign = f'<path class="sign" transform="translate({x} {y})" d="{MARKS.get(one.ink, "")}"/>'
    inside = f'<title>{escape(one.told)}</title><circle class="{one.ink}" cx="{x}" cy="{y}" r="{RADIUS}"/>{sign}{text}'
    return f'<a href="{escape(one.link)}">{inside}</a>' if one.link else f"<g>{inside}</g>"


def place_labels(labels: Sequence[str], at: Sequence[tuple[float, float]]) -> list[tuple[float, float] | None]:
    """Return where each label begins: beside its point, where it hides no point and no other label; else nowhere.

    >>> place_labels(["a", "", "b"], [(100, 100), (108, 94), (300, 100)])
    [(85, 94), None, (309, 94)]
    """
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in at]
    found: list[tuple[float, float] | None] = []
    for label, (x, y) in zip(labels, at, strict=True):
        wide = LETTER * len(label) + 1
        left, right = x - RADIUS - wide - 1, x + RADIUS + 3
        places = [(right, y - 6), (left, y - 6), (right, y + 16), (left, y + 16), (right, y + 4), (left, y + 4)]
        boxes = [(px, py - LINE + 2, px + wide, py) for px, py in places]
        free = [
            (place, box)
            for place, box in zip(places, boxes, strict=True)
            if box[0] > LEFT
            and box[2] < WIDE
            and not any(box[0] < c and a < box[2] and box[1] < d and b < box[3] for a, b, c, d in taken)
        ]
        if not label or not free:
            found.append(None)
            continue
        found.append(free[0][0])
        taken.append(free[0][1])
    return found


def find_end(most: Fraction) -> Fraction:
    """Return the end of an axis for values up to `most`.

    >>> find_end(Fraction(7, 100)), find_end(Fraction(3, 2))
    (Fraction(2, 25), Fraction(2, 1))
    """
    return next((end for end in ENDS if most <= end), Fraction(-(-most // 1)))


def find_front(points: Sequence[LossPoint]) -> list[LossPoint]:
    """Return the points that no other point beats in both loss and risk, by loss.

    >>> numbers = [("a", 0, 3), ("b", 1, 4), ("c", 2, 1)]
    >>> made = [LossPoint(name, "", Fraction(loss), Fraction(risk), "") for name, loss, risk in numbers]
    >>> [one.label for one in find_front(made)]
    ['a', 'c']
    """
    found: list[LossPoint] = []
    for one in sorted(points, key=lambda one: (one.loss, one.risk)):
        if not found or one.risk < found[-1].risk:
            found.append(one)
    return found


def format_tick(value: Fraction) -> str:
    """Return a share as a short text for an axis.

    >>> format_tick(Fraction(1, 40)), format_tick(Fraction(1, 2))
    ('2.5 %', '50 %')
    """
    return f"{float(100 * value):.3g} %"
