"""Points of a frontier: the risk and the cost of each release, and the points that no other beats.

k is a number of candidates that was asked for. A share of people is known between two bounds: where a search was cut
short the lower one is what was found, and the upper one is the worst that it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from types import NoneType
from typing import Any, Literal, get_args

from shoal.errors import parse_whole
from shoal.io.strict_json import find_misfit, is_a, is_list_of, is_mapping_of, is_one_of, is_whole

Facts = Literal["release", "original"]
"""Where the attacker measures what is known."""
Kind = Literal["method", "end", "given"]

UNCHANGED, EMPTY = "no change", "empty"
"""The two ends: the data as they are, and the data without links and without values."""


@dataclass(frozen=True)
class PointRisk:
    """How many people are left with fewer than k candidates, for every k that was asked for."""

    people: int
    """For how many it was counted."""
    k: int
    """The size of the smallest candidate set; 0 where nothing fits anybody."""
    exact: bool
    """Whether k is exact; if not, it is an upper bound."""
    below: Mapping[int, int]
    """For each k how many have fewer candidates: so many at least."""
    unsure: Mapping[int, int]
    """For each k how many more there may be: their search was cut short, or nothing fits them, or values that are
    known were recoded, and were sought as they are."""
    misled: int = 0
    """Whom nothing fits: the attacker is wrong about them, which is not safety."""
    recoded: tuple[str, ...] = ()
    """Known columns some of whose values the release lacks: whoever understands it may be left with fewer."""

    def bounds(self, k: int) -> tuple[Fraction, Fraction]:
        """Return the least and the largest share of people that may have fewer than k candidates.

        >>> PointRisk(10, 1, False, {2: 3}, {2: 1}).bounds(2)
        (Fraction(3, 10), Fraction(2, 5))
        """
        return Fraction(self.below[k], self.people), Fraction(self.below[k] + self.unsure[k], self.people)

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        numbered = {name: {str(k): many for k, many in getattr(self, name).items()} for name in ("below", "unsure")}
        return asdict(self) | numbered | {"recoded": list(self.recoded)}

    @classmethod
    def from_data(cls, told: Mapping[str, Any]) -> PointRisk:
        """Return what :meth:`data` told, or raise ValueError."""
        refuse_misfit(find_misfit(told, EXPOSURE, "an exposure"))
        numbered = {name: {int(k): many for k, many in told[name].items()} for name in ("below", "unsure")}
        found = cls(**{**told, **numbered, "recoded": tuple(told["recoded"])})
        same = found.below.keys() == found.unsure.keys()
        if not same or any(many + found.unsure[k] > found.people for k, many in found.below.items()):
            raise ValueError("more people at risk than there are, or not for each k")
        return found


@dataclass(frozen=True)
class Point:
    """A method with its options: what its release leaves at risk, and what it costs; or why there is none."""

    method: str
    """The shell name of the method; "no change" or "empty" for the ends; what a given release is called."""
    k: int | None = None
    """What the method was asked for; None where it has no k."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Its options other than k and the usual ones, as plain data."""
    kind: Kind = "method"
    risk: PointRisk | None = None
    """Against whoever measures what is known in the release."""
    attacked: PointRisk | None = None
    """Against whoever measures it in the original; None where that could not be counted."""
    lost: Mapping[str, float] = field(default_factory=dict)
    """By the name of a metric, how far the release is from the original; 0 is no difference."""
    promise: tuple[Mapping[str, Any], ...] = ()
    """What the release promises, as plain data."""
    covered: bool = False
    """Whether a promise, for everybody, covers what the attacker knows."""
    notes: tuple[str, ...] = ()
    """What was said while it was made."""
    refused: str = ""
    """Why there is no release, where there is none."""
    limit: float | None = None
    """The seconds after which it was stopped, where it was."""
    again: bool = False
    """Whether it may go well another time: it failed for a reason that is not in the data."""
    seconds: float = field(default=0.0, compare=False)

    @property
    def called(self) -> str:
        """Its method and options in a few words.

        >>> Point("match-degrees", 2, {"edits": "add-delete"}).called
        'match-degrees edits=add-delete'
        """
        return " ".join([self.method, *(f"{name}={value}" for name, value in self.options.items())])

    def get_risk(self, facts: Facts) -> PointRisk | None:
        """Return the risk against whoever measures in the release, or in the original."""
        return self.risk if facts == "release" else self.attacked

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as JSON can hold it."""
        risks = {name: found and found.data() for name, found in (("risk", self.risk), ("attacked", self.attacked))}
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | risks

    @classmethod
    def from_data(cls, told: Mapping[str, Any]) -> Point:
        """Return what :meth:`data` told, or raise ValueError."""
        refuse_misfit(find_misfit(told, POINT, "a point"))
        risks = {name: told[name] and PointRisk.from_data(told[name]) for name in ("risk", "attacked")}
        lists = {name: tuple(told[name]) for name in ("promise", "notes")}
        return cls(**{**told, **risks, **lists})


def _is_k(value: Any) -> bool:
    number = parse_whole(value)
    return number is not None and number >= 1


is_share = is_a(int, float)
EXPOSURE = {
    "people": is_whole(1),
    "k": is_whole(0),
    "exact": is_a(bool),
    "below": is_mapping_of(is_whole(0), key=_is_k),
    "unsure": is_mapping_of(is_whole(0), key=_is_k),
    "misled": is_whole(0),
    "recoded": is_list_of(is_a(str)),
}
"""What an exposure is as plain data."""
POINT = {
    "method": is_a(str),
    "k": lambda value: value is None or is_whole(1)(value),
    "options": is_a(dict),
    "kind": is_one_of(*get_args(Kind)),
    "risk": is_a(dict, NoneType),
    "attacked": is_a(dict, NoneType),
    "lost": is_mapping_of(is_share),
    "promise": is_list_of(is_a(dict)),
    "covered": is_a(bool),
    "notes": is_list_of(is_a(str)),
    "refused": is_a(str),
    "limit": is_a(int, float, NoneType),
    "again": is_a(bool),
    "seconds": is_share,
}
"""What a point is as plain data."""


def refuse_misfit(misfit: str | None) -> None:
    """Raise ValueError where there is one."""
    if misfit is not None:
        raise ValueError(misfit)


def is_surely_better(a: tuple[Fraction, Fraction, float], b: tuple[Fraction, Fraction, float]) -> bool:
    """Tell whether `a` is surely no worse than `b` in both, risk and loss, and better in one.

    Each is the least share at risk, the largest, and what is lost. What may be at risk counts as at risk for the one
    that would beat, and what may be safe as safe for the one that would be beaten: an open search beats nobody by it.

    >>> low, high = Fraction(1, 10), Fraction(9, 10)
    >>> is_surely_better((low, low, 0.1), (high, high, 0.1)), is_surely_better((low, high, 0.1), (low, low, 0.2))
    (True, False)
    """
    return a[1] <= b[0] and a[2] <= b[2] and (a[1] < b[0] or a[2] < b[2])


def locate_point(point: Point, k: int, axis: str, facts: Facts = "release") -> tuple[Fraction, Fraction, float] | None:
    """Return where a point lies: its least and its largest risk, and what is lost; None where one is not known."""
    found = point.get_risk(facts)
    if found is None or axis not in point.lost:
        return None
    return *found.bounds(k), point.lost[axis]


def select_unbeaten(points: Iterable[Point], k: int, axis: str, facts: Facts = "release") -> tuple[Point, ...]:
    """Return the points that no other surely beats, those that lose least first; ties are kept."""
    placed = [(at, point) for point in points if (at := locate_point(point, k, axis, facts)) is not None]
    front = [(at, point) for at, point in placed if not any(is_surely_better(other, at) for other, _ in placed)]
    return tuple(point for _, point in sorted(front, key=lambda found: (found[0][2], found[0][0])))
