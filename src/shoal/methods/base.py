"""Method: the paper's rho, a function from data to data. `Microaggregate(k=5, columns=("age",))(table)` is rho(X).

A method is a frozen dataclass in a file of its own. Calling it returns a :class:`~shoal.release.release.Release` whose
promise was verified by the exact checkers of the risk room first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal

from shoal.data.dataset import Dataset
from shoal.data.names import Names
from shoal.errors import BadParameter, PublicCall, did_you_mean, must, whole
from shoal.knowledge import Adversary
from shoal.parts import option
from shoal.release.guarantee import Reason
from shoal.release.release import Release

WorksOn = Literal["links", "tables", "both"]
Proposals = Iterable[tuple[dict[str, Any], Adversary]]
"""Options of a method, each with the knowledge that the guarantee is then about."""

AIMS = ("k", "l", "located", "columns", "labels", "classes", "together", "steps", "structure", "attributes")
KINDS = ("edits", "variant", "keep", "add_only", "fill", "closed", "representative", "suppress")
WAYS = ("similarity", "degrees", "realize", "algorithm", "alpha", "beta", "gamma", "epsilon", "effort", "rounds")
ALLOWED = ("require_edges", "allow_empty", "allow_unique", "allow_determined", "preserve_means")
POLICY = frozenset(AIMS + KINDS + WAYS + ALLOWED)
"""The options that may stand in a public file: each is declared before the method sees the data. Amounts of edits are
not among them, nor is an option of a new method until it is put here."""

ATTRIBUTES_STAY = "The attributes of the vertices stay as they were, if they are published; no promise is about them."


class Method(PublicCall, ABC):
    """A way to change data before it is published."""

    shell: ClassVar[str]
    """Its name on the command line."""
    changes: ClassVar[str]
    """What it changes, in a few words."""
    protects: ClassVar[str]
    """From whom it protects, in a few words."""
    promises: ClassVar[str]
    """What it promises, in a few words; "nothing" where a release promises nothing."""
    source: ClassVar[str]
    """Where it was published first."""
    works_on: ClassVar[WorksOn] = "tables"
    """What it reads and changes: the links of a network, the columns of a table, or both of a network with columns."""
    redraws: ClassVar[bool] = False
    """Whether all links are drawn anew, so that none of them counts as added or removed."""
    secret: ClassVar[tuple[str, ...]] = ("seed", "classes", "hierarchies")
    """Fields that are never published: a hierarchy lists the original values."""

    alone: ClassVar[tuple[str, ...]] = ()
    """Notes that are true of this method by itself, and not where another one follows or went before."""
    public_measures: ClassVar[Mapping[str, Reason]] = {}
    """What of `measured` may stand in a public file, and why; the rest is for the maker alone."""

    rank: ClassVar[int] = 0
    """Of methods with the same guarantee, the one with the lowest rank is recommended first."""

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return the options, other than k, with which the method may protect against this knowledge."""
        return ()

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return the options with which a frontier tries the method against this knowledge."""
        return [{}]

    @abstractmethod
    def __call__(self, data: Any) -> Release:
        """Return a release that keeps its promise."""

    @property
    def keeps_vertices(self) -> bool:
        """Whether the release has exactly the vertices of the original."""
        return True

    def __rshift__(self, other: object) -> Method:
        """Return a pipeline: this method first, then the other."""
        from shoal.methods.pipeline import Pipeline

        return Pipeline((self, other)) if isinstance(other, Method) else NotImplemented

    def public(self) -> dict[str, Any]:
        """Return the fields that are no secret."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.secret}  # type: ignore[arg-type]

    def declare_policy(self) -> dict[str, Any]:
        """Return the fields that may stand in a public file."""
        return {name: value for name, value in self.public().items() if name in POLICY}

    @classmethod
    def reason_to_publish(cls, measure: str) -> Reason | None:
        """Return why something in `measured` may stand in a public file; None where it may not."""
        return cls.public_measures.get(measure)


def count_known_facts(wanted: Adversary, *kinds: type[Any]) -> int | None:
    """Return the largest l among the parts of these kinds; None if there is none.

    >>> from shoal.knowledge import Degree, Neighbors
    >>> count_known_facts(Degree() & Neighbors(2), Neighbors), count_known_facts(Degree(), Neighbors)
    (2, None)
    """
    return max((part.l for part in wanted.parts if isinstance(part, kinds)), default=None)


def choose_columns(data: Dataset, columns: tuple[str, ...] | None, who: str) -> tuple[str, ...]:
    """Return the columns a method was asked to protect, or all; each must be there, and once."""
    names = tuple(data.attributes) if columns is None else columns
    if not names:
        raise BadParameter(f"{who}: 'columns' must name at least one column. Got a table without any.")
    if len(set(names)) != len(names):
        raise BadParameter(f"{who}: 'columns' must name each column once. Got {names!r:.120}.")
    for name in names:
        data.attributes[name]  # an unknown one says what there is
    return names


def parse_columns(columns: Any, who: str) -> tuple[str, ...] | None:
    """Return columns as a tuple of texts, however they were listed."""
    if columns is None:
        return None
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not all(isinstance(name, str) for name in names):
        raise BadParameter(f"{who}: 'columns' must be texts. Got {names!r:.120}.")
    return names


def check_choice(value: object, allowed: tuple[str, ...], who: str, what: str) -> None:
    """Refuse a word that is none of those allowed."""
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise BadParameter(f"{who}: '{what}' must be one of {', '.join(allowed)}. Got {value!r}.{hint}")


def add_names(names: Names, wanted: Iterable[str]) -> Names:
    """Return names with new ones after them; one that is taken already gets a prime.

    >>> list(add_names(Names(["a", "copy of a"]), ["copy of a"]))
    ['a', 'copy of a', "copy of a'"]
    """
    taken: dict[Hashable, None] = dict.fromkeys(names)
    for name in wanted:
        while name in taken:
            name += "'"  # noqa: PLW2901 - until it is free
        taken[name] = None
    return Names(taken)


def effort_option() -> Any:
    """Return the field of a method that searches: how long."""
    return option(None, "How long to search: seconds as 60s, or sweeps as 400.", metavar="60s|SWEEPS")


def parse_effort(effort: Any, who: str) -> int | float:
    """Return the sweeps as an int or the seconds as a float; None is 0, for the method to choose.

    >>> parse_effort(300, "EqualizeRows"), parse_effort("60s", "EqualizeRows")
    (300, 60.0)
    """
    if effort is None:
        return 0
    if isinstance(effort, float | str):
        try:
            seconds = float(effort.removesuffix("s")) if isinstance(effort, str) else effort
        except ValueError:
            seconds = -1.0
        written = not isinstance(effort, str) or effort.endswith("s")
        rule = 'sweeps as a whole number, or seconds as 60.0 or "60s"'
        must(written and seconds > 0 and math.isfinite(seconds), who, "effort", rule, effort)
        return seconds
    return whole(effort, who, "effort", least=0)
