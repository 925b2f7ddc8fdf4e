"""Confuse: a network together with the table that describes its vertices (the paper's "n-Confusion for graphs").

Two steps. The links are changed until the graph is k-anonymous, which puts the vertices into classes with the same
neighbors; then the table is protected inside each class. Whoever knows the whole original graph and the whole original
table can tell which class a published vertex belongs to, and not which of its members it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import check_k
from shoal.data.graph import Graph
from shoal.errors import BadParameter, list_names, whole
from shoal.knowledge import Adjacency
from shoal.linkage import DistanceLinkage, ExactMatch, Linkage, UniformOver
from shoal.methods.base import Method, WorksOn
from shoal.methods.classes import InsideClasses, count_fewest_owners
from shoal.methods.links.equalize_rows import EqualizeRows
from shoal.methods.tables.distort import Distort
from shoal.methods.tables.microaggregate import Microaggregate
from shoal.methods.tables.swap import SwapWithin
from shoal.optimize.annealing import draw_seed, make_generator
from shoal.release.guarantee import ConfusionPromise, Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

TRIED = 5_000
"""Up to so many vertices a linkage is run against the release as additional evidence."""


@dataclass(frozen=True)
class Confuse(Method):
    """Make a graph k-anonymous, and publish its vertices' attributes so that they could be anybody's of the class.

    Parameters
    ----------
    k
        How many vertices each published vertex could be.
    structure
        The method for the links, one that yields classes; None for :class:`EqualizeRows`. Or its shell name.
    attributes
        The method for the table inside each class: :class:`Microaggregate`, :class:`SwapWithin` or :class:`Distort`, or
        the shell name of one; None for microaggregation by means. It must protect all columns, because the attacker
        knows them all.
    seed
        What every random choice is drawn from: a secret. None draws one.

    Examples
    --------
    Two pairs of twins with different ages; afterwards the ages of twins are the same:

    >>> import networkx as nx, shoal
    >>> g = nx.cycle_graph(4)
    >>> nx.set_node_attributes(g, {0: 20, 1: 30, 2: 40, 3: 50}, "age")
    >>> release = shoal.methods.Confuse(k=2, seed=7)(g)
    >>> list(release.table["age"])
    [30, 40, 30, 40]
    """

    k: int
    structure: Any = None
    attributes: Any = None
    seed: int | None = None

    shell: ClassVar[str] = "confuse"
    works_on: ClassVar[WorksOn] = "both"
    changes: ClassVar[str] = "the links, and the columns inside each class"
    protects: ClassVar[str] = "from whoever knows the whole original graph and the whole original table"
    promises: ClassVar[str] = "adjacency leaves k; k-confusion of network and table"
    source: ClassVar[str] = "Stokes & Torra 2012, n-Confusion for graphs"
    public_measures: ClassVar[Mapping[str, Reason]] = {  # what is measured is measured by the method for the table
        name: reason for kind in (Microaggregate, SwapWithin, Distort) for name, reason in kind.public_measures.items()
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Confuse", "k", least=1))
        if self.seed is not None:
            object.__setattr__(self, "seed", whole(self.seed, "Confuse", "seed", least=0, most=None))
        object.__setattr__(self, "structure", self._choose_method(self.structure, "structure"))
        object.__setattr__(self, "attributes", self._choose_method(self.attributes, "attributes"))

    def _choose_method(self, method: Any, what: str) -> Method:
        inside: dict[Any, Any] = {
            None: lambda: Microaggregate(self.k),
            "microaggregate": lambda: Microaggregate(self.k),
            "perpendicular": lambda: Microaggregate(self.k, representative="perpendicular"),
            "swap-within": SwapWithin,
            "distort": Distort,
        }
        links: dict[Any, Any] = {None: lambda: EqualizeRows(self.k), "equalize-rows": lambda: EqualizeRows(self.k)}
        known, kind = (inside, InsideClasses) if what == "attributes" else (links, Method)
        found = known[method]() if method is None or (isinstance(method, str) and method in known) else method
        if not isinstance(found, kind):
            names = ", ".join(name for name in known if name)
            raise BadParameter(f"Confuse: '{what}' must be a method, or one of {names}. Got {method!r}.")
        return found

    def __call__(self, data: Any) -> Release:
        """Return the graph with its links and its attributes protected."""
        original = as_graph(data)
        check_k("Confuse", self.k, original)
        if not len(original.attributes):
            raise BadParameter(f"Confuse: there must be attributes to protect. Got none; use {self.structure!r}.")
        _check_covered(original, self.attributes)
        seed = draw_seed(self.seed, "Confuse")
        links = self.structure(original.without_attributes())
        if links.codes is None or np.bincount(links.codes).min() < self.k:
            raise BadParameter(f"Confuse: 'structure' must yield classes of at least {self.k}. Got {self.structure!r}.")
        codes = links.codes
        table, measured = self.attributes.inside(original.attributes, codes, make_generator(seed))
        graph = links.data.with_attributes(table)
        promise: tuple[Promise | ConfusionPromise, ...] = (
            Promise(Adjacency(), self.k),
            *self._make_promise(original, codes),
        )
        notes = (*links.notes, *self.attributes.notes(original.attributes, measured))
        notes = (*notes, *_describe_attacks(original, graph, self.k))
        return verify_release(Release(original, graph, promise, self, codes, seed, measured, notes))

    def _make_promise(self, original: Graph, codes: Ints) -> tuple[ConfusionPromise, ...]:
        """Return the promise that each vertex could be any of k, and of how many each value could be, if fewer."""
        by, t = self.attributes, Fraction(1, int(np.bincount(codes).max()))
        columns, n = tuple(original.attributes), count_fewest_owners(self.attributes, original.attributes, codes)
        if n >= self.k:
            return (ConfusionPromise(self.k, t, columns, by),)
        entries = (ConfusionPromise(n, t, columns, by),) if n > 1 else ()
        return (ConfusionPromise(self.k, t, columns, by, of="vertices"), *entries)


def _check_covered(graph: Graph, method: InsideClasses) -> None:
    left = [name for name in graph.attributes if name not in method.names(graph.attributes)]
    if left:
        raise BadParameter(
            "Confuse: 'attributes' must protect every column, since the attacker knows them all. "
            f"{list_names(left, spell=str)} would stay. Leave 'columns' and 'classes' out, or take the columns "
            "out of the data."
        )


def _describe_attacks(original: Graph, graph: Graph, k: int) -> tuple[str, ...]:
    """Tell the share of right guesses of the strongest linkage tried; the promise does not rest on it.

    It is a note for the maker of the release and not for publication: how often a guess came true tells what is secret.
    """
    if original.n > TRIED:
        return (f"No linkage was tried as additional evidence: there are more than {TRIED:,} vertices.",)
    methods = (DistanceLinkage(), ExactMatch(*original.attributes), UniformOver(Adjacency()))
    try:
        shares = {type(r).__name__: _measure_right_guesses(r, original, graph) for r in methods}
    except BadParameter as error:
        return (f"No linkage could be tried as additional evidence: {error}",)
    strongest = max(shares, key=lambda name: shares[name])
    told = f"The strongest linkage tried, {strongest}, is right for {100 * shares[strongest]:.1f} %"
    return (f"{told}; 1/k is {100 / k:.1f} %. Keep this to yourself.",)


def _measure_right_guesses(r: Linkage, original: Graph, graph: Graph) -> float:
    """Return the mean probability that r gives to the right individual."""
    chances = [np.isin(v, row.linked) / len(row.linked) for v, row in enumerate(r.rows(graph, original))]
    return float(np.mean(chances))
