"""Points of a frontier: plans, the risk and the loss of each release, and the points that no other dominates.

k is a requested number of candidates. A share of people has a lower and an upper bound: where a search was cut short,
the lower bound is what was found, and the upper bound is the worst case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from fractions import Fraction
from types import NoneType
from typing import Any, Literal, get_args

from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, ShoalError, parse_whole
from shoal.io.strict_json import find_misfit, is_a, is_list_of, is_mapping_of, is_one_of, is_whole
from shoal.knowledge import Adversary
from shoal.methods.base import METHODS, Method, find_method
from shoal.release.manifest import make_plain

Facts = Literal["release", "original"]
"""Where the attacker measures facts."""
Kind = Literal["method", "end", "given"]

UNCHANGED, EMPTY = "no change", "empty"
"""The two extremes: the unchanged data, and the data without links and values."""


@dataclass(frozen=True)
class PointRisk:
    """Numbers of people with fewer than k candidates, for every requested k."""

    people: int
    """Number of people assessed."""
    k: int
    """Size of the smallest candidate set; 0 if no released person fits any."""
    exact: bool
    """Whether k is exact; if not, it is an upper bound."""
    below: Mapping[int, int]
    """For each k, how many people have fewer candidates: a lower bound."""
    unsure: Mapping[int, int]
    """For each k, how many more there may be: their search was cut short, no released person fits them, or known values
    were recoded but compared as they are."""
    misled: int = 0
    """People that no released person fits: the attacker is misled. They do not count as safe."""
    recoded: tuple[str, ...] = ()
    """Known columns with values that the release lacks. An attacker who understands the recoding may find fewer."""

    def bounds(self, k: int) -> tuple[Fraction, Fraction]:
        """Return the lower and upper bound of the share of people with fewer than k candidates.

        >>> PointRisk(10, 1, False, {2: 3}, {2: 1}).bounds(2)
        (Fraction(3, 10), Fraction(2, 5))
        """
        return Fraction(self.below[k], self.people), Fraction(self.below[k] + self.unsure[k], self.people)

    def data(self) -> dict[str, Any]:
        """Return the risk as plain data."""
        numbered = {name: {str(k): many for k, many in getattr(self, name).items()} for name in ("below", "unsure")}
        return asdict(self) | numbered | {"recoded": list(self.recoded)}

    @classmethod
    def from_data(cls, told: Mapping[str, Any]) -> PointRisk:
        """Return the value that :meth:`data` describes, or raise ValueError."""
        refuse_misfit(find_misfit(told, EXPOSURE, "an exposure"))
        numbered = {name: {int(k): many for k, many in told[name].items()} for name in ("below", "unsure")}
        found = cls(**{**told, **numbered, "recoded": tuple(told["recoded"])})
        same = found.below.keys() == found.unsure.keys()
        if not same or any(many + found.unsure[k] > found.people for k, many in found.below.items()):
            raise ValueError("more people at risk than there are, or not for each k")
        return found


@dataclass(frozen=True)
class Point:
    """A method with its options: the risk and the loss of its release, or why there is no release."""

    method: str
    """Shell name of the method; "no change" or "empty" for the extremes; the name of an existing release."""
    k: int | None = None
    """The requested k; None if the method has none."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options other than k that differ from their defaults, as plain data."""
    kind: Kind = "method"
    risk: PointRisk | None = None
    """Risk for an attacker who measures facts in the release."""
    attacked: PointRisk | None = None
    """Risk for an attacker who measures facts in the original; None if it could not be counted."""
    lost: Mapping[str, float] = field(default_factory=dict)
    """For each metric, the distance of the release from the original; 0 is no difference."""
    promise: tuple[Mapping[str, Any], ...] = ()
    """The guarantees of the release, as plain data."""
    covered: bool = False
    """Whether a guarantee for all people covers the attacker model."""
    notes: tuple[str, ...] = ()
    """Notes from making the release."""
    refused: str = ""
    """Why there is no release; empty if there is one."""
    limit: float | None = None
    """Seconds after which it was stopped, if it was."""
    again: bool = False
    """Whether another attempt may succeed: the reason of the failure is not in the data."""
    seconds: float = field(default=0.0, compare=False)

    @property
    def called(self) -> str:
        """Name of the point: method and options.

        >>> Point("match-degrees", 2, {"edits": "add-delete"}).called
        'match-degrees edits=add-delete'
        """
        return " ".join([self.method, *(f"{name}={value}" for name, value in self.options.items())])

    def get_risk(self, facts: Facts) -> PointRisk | None:
        """Return the risk for an attacker who measures facts in the release, or in the original."""
        return self.risk if facts == "release" else self.attacked

    def data(self) -> dict[str, Any]:
        """Return the point as plain data for JSON."""
        risks = {name: found and found.data() for name, found in (("risk", self.risk), ("attacked", self.attacked))}
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | risks

    @classmethod
    def from_data(cls, told: Mapping[str, Any]) -> Point:
        """Return the value that :meth:`data` describes, or raise ValueError."""
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
"""The fields of a risk as plain data."""
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
"""The fields of a point as plain data."""


def refuse_misfit(misfit: str | None) -> None:
    """Raise ValueError if there is a misfit."""
    if misfit is not None:
        raise ValueError(misfit)


def is_surely_better(a: tuple[Fraction, Fraction, float], b: tuple[Fraction, Fraction, float]) -> bool:
    """Return whether `a` certainly dominates `b`: no worse in risk and loss, and better in one of them.

    Each is a lower bound of the share at risk, an upper bound, and the loss. The upper bound of `a` is compared with
    the lower bound of `b`, so a search that was cut short never makes a point look better.

    >>> low, high = Fraction(1, 10), Fraction(9, 10)
    >>> is_surely_better((low, low, 0.1), (high, high, 0.1)), is_surely_better((low, high, 0.1), (low, low, 0.2))
    (True, False)
    """
    return a[1] <= b[0] and a[2] <= b[2] and (a[1] < b[0] or a[2] < b[2])


def locate_point(point: Point, k: int, axis: str, facts: Facts = "release") -> tuple[Fraction, Fraction, float] | None:
    """Return the lower and upper bound of the risk of a point, and its loss; None if one is unknown."""
    found = point.get_risk(facts)
    if found is None or axis not in point.lost:
        return None
    return *found.bounds(k), point.lost[axis]


def select_unbeaten(points: Iterable[Point], k: int, axis: str, facts: Facts = "release") -> tuple[Point, ...]:
    """Return the points that no other certainly dominates, least loss first; ties are kept."""
    placed = [(at, point) for point in points if (at := locate_point(point, k, axis, facts)) is not None]
    front = [(at, point) for at, point in placed if not any(is_surely_better(other, at) for other, _ in placed)]
    return tuple(point for _, point in sorted(front, key=lambda found: (found[0][2], found[0][0])))


# Plans of a frontier: the methods that apply to the data with their options, and why the others do not apply.

NO_LINKS = "it changes links, and a table has none"
NO_COLUMNS = "it changes columns, and none were named"


@dataclass(frozen=True)
class Plan:
    """A release to be made: a method with its options, or one of the two extremes."""

    method: Method | None
    """None for the extremes."""
    end: str = ""

    @property
    def name(self) -> str:
        """Shell name of the method, or the name of the extreme."""
        return self.end if self.method is None else self.method.shell

    @property
    def k(self) -> int | None:
        """The requested k, if the method has a single one."""
        k = getattr(self.method, "k", None)
        return k if isinstance(k, int) else None

    def list_options(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return the public options that differ from their defaults, as plain data."""
        if self.method is None:
            return {}
        usual = _list_default_options(self.method)
        told = {name: value for name, value in self.method.public().items() if name != "k" and value != usual[name]}
        return {
            name: value.shell if isinstance(value, Method) else make_plain(value)
            for name, value in told.items()
            if value != tuple(columns)
        }


def _list_default_options(method: Method) -> dict[str, Any]:
    """Return the default options of a method."""
    has = fields(method)  # type: ignore[arg-type]
    needed = {f.name: getattr(method, f.name) for f in has if f.default is MISSING or f.name == "seed"}
    try:
        made: Any = type(method)(**needed)
    except ShoalError:  # a method without a valid default
        return {f.name: f.default for f in has}
    return {f.name: getattr(made, f.name) for f in has}


def plan_releases(
    data: Dataset, ks: Sequence[int], methods: Iterable[str | Method] | None, kinds: Sequence[Adversary], seed: int
) -> tuple[tuple[Plan, ...], tuple[tuple[str, str], ...]]:
    """Return the plans, the two extremes first, and the methods that are left out, each with the reason."""
    plans: dict[str, Plan] = {}
    left_out: dict[str, str] = {}
    for asked in METHODS if methods is None else methods:
        try:
            found = list(_plan_method(asked, data, ks, kinds, seed))
        except ShoalError as error:
            if not isinstance(asked, Method) and asked not in METHODS:
                raise
            left_out[_get_shell_name(asked)] = str(error)
            continue
        plans |= {repr(plan.method): plan for plan in found}
    return (Plan(None, UNCHANGED), Plan(None, EMPTY), *plans.values()), tuple(left_out.items())


def _get_shell_name(asked: str | Method) -> str:
    return asked if isinstance(asked, str) else asked.shell


def _plan_method(
    asked: str | Method, data: Dataset, ks: Sequence[int], kinds: Sequence[Adversary], seed: int
) -> Iterator[Plan]:
    """Yield the plans of one method, or raise why it does not apply."""
    if isinstance(asked, Method):
        _check_fits(asked.works_on, data)
        has_k = any(f.name == "k" for f in fields(asked))  # type: ignore[arg-type]
        yield from (Plan(replace(asked, k=k)) for k in ks) if has_k else (Plan(asked),)  # type: ignore[type-var]
        return
    kind: Any = find_method(asked)
    _check_fits(kind.works_on, data)
    has = {f.name: f for f in fields(kind)}
    for options in _list_variants(kind, kinds):
        given = options | ({"seed": seed} if "seed" in has else {})
        lacks = [n for n, f in has.items() if f.default is MISSING and n not in given and n != "k"]
        if lacks or ("classes" in has and "classes" not in given):
            needs = ", ".join(lacks or ["classes"])
            raise BadParameter(f"it needs {needs}: name the method with its options")
        yield from (Plan(kind(k=k, **given)) for k in ks) if "k" in has else (Plan(kind(**given)),)


def _list_variants(kind: Any, kinds: Sequence[Adversary]) -> list[dict[str, Any]]:
    """Return the options with which a method is tried against any of the kinds, each once; raise if none applies."""
    found: list[dict[str, Any]] = []
    refused: list[ShoalError] = []
    for wanted in kinds:
        try:
            found += [options for options in kind.list_variants(wanted) if options not in found]
        except ShoalError as error:
            refused.append(error)
    if not found and refused:
        raise refused[0]
    return found


def _check_fits(works_on: str, data: Dataset) -> None:
    if works_on != "tables" and not data.has_links:
        raise BadParameter(NO_LINKS)
    if works_on != "links" and not len(data.attributes):
        raise BadParameter(NO_COLUMNS)
