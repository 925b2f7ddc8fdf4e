"""The base class of all methods: a method is the paper's rho, a function from data to data (Stokes & Torra 2012).

A method is a frozen dataclass, and `Microaggregate(k=5, columns=("age",))(table)` is rho(X). The call returns a
:class:`~shoal.release.release.Release`. The exact checks of :mod:`shoal.risk` verify its guarantee first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal

from shoal.data.dataset import Dataset
from shoal.data.names import Names
from shoal.errors import BadParameter, PublicCall, did_you_mean, must, public, whole
from shoal.knowledge import Adversary
from shoal.knowledge.base import SomeFacts
from shoal.parts import Part, Registry, option
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
"""The options that a public file may contain: each is fixed before the method sees the data.

Numbers of edits are not among them. An option of a new method stays private until it is listed here.
"""

ATTRIBUTES_STAY = "Vertex attributes are not changed. If you publish them, no guarantee covers them."


class Method(PublicCall, ABC):
    """A way to change data before it is published.

    Four class attributes describe a method. Each is a phrase without a full stop that completes one sentence:

    - `changes`: "Changes ...", for example "links: adds some".
    - `protects`: "Protects against ...", for example "an attacker who knows all neighbors of a vertex". A method
      without a guarantee says "no attacker for certain: ...".
    - `promises`: "Guarantees ...", for example "at least k candidates against degree", with the spec of the knowledge.
      A method without a guarantee says "nothing".
    - `source`: "Published by ...", for example "Liu & Terzi 2008".

    A field `seed: Seed[int] = Seed(0)`, of shoal.seeds, takes an int or a numpy Generator and holds an int.
    """

    shell: ClassVar[str]
    """The name on the command line."""
    changes: ClassVar[str]
    """Completes "Changes ..."."""
    protects: ClassVar[str]
    """Completes "Protects against ..."."""
    promises: ClassVar[str]
    """Completes "Guarantees ..."; "nothing" if releases carry no guarantee."""
    source: ClassVar[str]
    """Authors and year of the first publication."""
    works_on: ClassVar[WorksOn] = "tables"
    """What the method reads and changes: the links of a network, the columns of a table, or both."""
    reads_ties: ClassVar[bool] = False
    """Whether the method handles links with directions and kinds. Others refuse them (`refuse_ties`)."""
    redraws: ClassVar[bool] = False
    """Whether the method draws all links again. Then no link counts as added or removed."""
    secret: ClassVar[tuple[str, ...]] = ("seed", "classes", "hierarchies")
    """Fields that are never published: a hierarchy lists the original values."""

    alone: ClassVar[tuple[str, ...]] = ()
    """Notes that hold only if this method is the only one applied. A pipeline drops them."""
    public_measures: ClassVar[Mapping[str, Reason]] = {}
    """The entries of `measured` that a public file may contain, and why. All others stay private."""

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
        """Return a release whose guarantee is verified."""

    @property
    def keeps_vertices(self) -> bool:
        """Whether the release has exactly the vertices of the original."""
        return True

    def __rshift__(self, other: object) -> Method:
        """Return a pipeline that runs this method first, then the other."""
        from shoal.methods.pipeline import Pipeline

        return Pipeline((self, other)) if isinstance(other, Method) else NotImplemented

    def public(self) -> dict[str, Any]:
        """Return the fields that are not secret."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.secret}  # type: ignore[arg-type]

    def declare_policy(self) -> dict[str, Any]:
        """Return the fields that a public file may contain."""
        return {name: value for name, value in self.public().items() if name in POLICY}

    @classmethod
    def reason_to_publish(cls, measure: str) -> Reason | None:
        """Return why a public file may contain an entry of `measured`, or None if it may not."""
        return cls.public_measures.get(measure)


def count_known_facts(wanted: Adversary, *kinds: type[Any]) -> int | None:
    """Return the largest number of known facts among the parts of these kinds, less errors; None if there is none.

    >>> from shoal.knowledge import Degree, Neighbors
    >>> count_known_facts(Degree() & Neighbors(2), Neighbors), count_known_facts(Degree(), Neighbors)
    (2, None)
    """
    parts = [part for part in wanted.parts if isinstance(part, kinds)]
    return max((part.exact_facts if isinstance(part, SomeFacts) else part.l for part in parts), default=None)


def choose_columns(data: Dataset, columns: tuple[str, ...] | None, who: str) -> tuple[str, ...]:
    """Return the columns to protect: the given ones, or all. Each must exist and be named once."""
    names = tuple(data.attributes) if columns is None else columns
    if not names:
        raise BadParameter(f"{who}: 'columns' must name at least one column. Got a table without columns.")
    if len(set(names)) != len(names):
        raise BadParameter(f"{who}: 'columns' must name each column once. Got {names!r:.120}.")
    for name in names:
        data.attributes[name]  # an unknown name raises an error that lists the columns
    return names


def parse_columns(columns: Any, who: str) -> tuple[str, ...] | None:
    """Return the column names as a tuple of strings."""
    if columns is None:
        return None
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not all(isinstance(name, str) for name in names):
        raise BadParameter(f"{who}: 'columns' must be strings. Got {names!r:.120}.")
    return names


def check_choice(value: object, allowed: tuple[str, ...], who: str, what: str) -> None:
    """Raise an error if a value is not one of the allowed words."""
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise BadParameter(f"{who}: '{what}' must be one of {', '.join(allowed)}. Got {value!r}.{hint}")


def add_names(names: Names, wanted: Iterable[str]) -> Names:
    """Return names followed by new ones. A new name that already exists gets a prime.

    >>> list(add_names(Names(["a", "copy of a"]), ["copy of a"]))
    ['a', 'copy of a', "copy of a'"]
    """
    taken: dict[Hashable, None] = dict.fromkeys(names)
    for name in wanted:
        while name in taken:
            name += "'"  # noqa: PLW2901 - until the name is free
        taken[name] = None
    return Names(taken)


def effort_option() -> Any:
    """Return the field of a method that searches: how long."""
    return option(None, "How long to search: seconds as 60s, or sweeps as 400.", metavar="60s|SWEEPS")


def parse_effort(effort: Any, who: str) -> int | float:
    """Return sweeps as an int or seconds as a float. None becomes 0: the method chooses.

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
        rule = 'a whole number of sweeps, or seconds such as 60.0 or "60s"'
        must(written and seconds > 0 and math.isfinite(seconds), who, "effort", rule, effort)
        return seconds
    return whole(effort, who, "effort", least=0)


# The registry.

METHODS = Registry("method", Method, ("changes", "protects", "promises", "source"))
"""Every method by its name on the command line."""


@public
def register(kind: Part) -> Part:
    """Add a method, in this process. Usable as a class decorator.

    Parameters
    ----------
    kind
        A subclass of :class:`Method`. Its shell name must be new.
    """
    return METHODS.register(kind)


@public
def unregister(kind: type[Method]) -> None:
    """Remove a method that was registered."""
    METHODS.unregister(kind)


@public
def find_method(name: str) -> type[Method]:
    """Return the method with this name on the command line.

    >>> find_method("mondrian").__name__
    'Mondrian'
    """
    found: type[Method] = METHODS.find(name)
    return found
