"""Plans of a frontier: the methods that apply to the data with their options, and why the others do not apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any

from shoal.auditing.frontier.points import EMPTY, UNCHANGED
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, ShoalError
from shoal.knowledge import Adversary
from shoal.methods.base import Method
from shoal.methods.registry import METHODS, find_method
from shoal.release.manifest import make_plain

NO_LINKS = "it changes links, and a table has none"
NO_COLUMNS = "it changes columns, and none were named"


@dataclass(frozen=True)
class Plan:
    """A release to be made: a method with its options, or one of the two ends."""

    method: Method | None
    """None for the ends."""
    end: str = ""

    @property
    def name(self) -> str:
        """The shell name of the method, or what the end is called."""
        return self.end if self.method is None else self.method.shell

    @property
    def k(self) -> int | None:
        """What the method is asked for, where it has a single k."""
        k = getattr(self.method, "k", None)
        return k if isinstance(k, int) else None

    def list_options(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return the options that are not the usual ones and may be told, as plain data."""
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
    """Return the options that a method has if nobody names any."""
    has = fields(method)  # type: ignore[arg-type]
    needed = {f.name: getattr(method, f.name) for f in has if f.default is MISSING or f.name == "seed"}
    try:
        made: Any = type(method)(**needed)
    except ShoalError:  # one that does nothing unless it is told what
        return {f.name: f.default for f in has}
    return {f.name: getattr(made, f.name) for f in has}


def plan_releases(
    data: Dataset, ks: Sequence[int], methods: Iterable[str | Method] | None, wanted: Adversary, seed: int
) -> tuple[tuple[Plan, ...], tuple[tuple[str, str], ...]]:
    """Return what is to be made, the two ends first, and the methods that are left out, each with the reason."""
    plans: dict[str, Plan] = {}
    left_out: dict[str, str] = {}
    for asked in METHODS if methods is None else methods:
        try:
            found = list(_plan_method(asked, data, ks, wanted, seed))
        except ShoalError as error:
            if not isinstance(asked, Method) and asked not in METHODS:
                raise
            left_out[_get_shell_name(asked)] = str(error)
            continue
        plans |= {repr(plan.method): plan for plan in found}
    return (Plan(None, UNCHANGED), Plan(None, EMPTY), *plans.values()), tuple(left_out.items())


def _get_shell_name(asked: str | Method) -> str:
    return asked if isinstance(asked, str) else asked.shell


def _plan_method(asked: str | Method, data: Dataset, ks: Sequence[int], wanted: Adversary, seed: int) -> Iterator[Plan]:
    """Yield what is made by one method, or refuse it."""
    if isinstance(asked, Method):
        _check_fits(asked.works_on, data)
        has_k = any(f.name == "k" for f in fields(asked))  # type: ignore[arg-type]
        yield from (Plan(replace(asked, k=k)) for k in ks) if has_k else (Plan(asked),)  # type: ignore[type-var]
        return
    kind: Any = find_method(asked)
    _check_fits(kind.works_on, data)
    has = {f.name: f for f in fields(kind)}
    for options in kind.list_variants(wanted):
        given = options | ({"seed": seed} if "seed" in has else {})
        lacks = [n for n, f in has.items() if f.default is MISSING and n not in given and n != "k"]
        if lacks or ("classes" in has and "classes" not in given):
            needs = ", ".join(lacks or ["classes"])
            raise BadParameter(f"it needs {needs}, which nobody gave: name the method with its options")
        yield from (Plan(kind(k=k, **given)) for k in ks) if "k" in has else (Plan(kind(**given)),)


def _check_fits(works_on: str, data: Dataset) -> None:
    if works_on != "tables" and not data.has_links:
        raise BadParameter(NO_LINKS)
    if works_on != "links" and not len(data.attributes):
        raise BadParameter(NO_COLUMNS)
