"""n-Confusion for graphs: a network and the table that describes its vertices (Stokes & Torra 2012).

Step 1 changes the links until the graph is k-anonymous. This yields classes of vertices with the same neighbors. Step 2
protects the table inside each class. An attacker who knows the whole original graph and the whole original table can
find the class of a published vertex, but not which member it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, check_k, list_names, whole
from shoal.knowledge import Adjacency
from shoal.linkage import DistanceLinkage, ExactMatch, Linkage, UniformOver
from shoal.methods.base import Method, WorksOn
from shoal.methods.classes import InsideClasses, count_fewest_owners
from shoal.methods.links.equalize_rows import EqualizeRows
from shoal.methods.tables.distort import Distort
from shoal.methods.tables.microaggregate import Microaggregate
from shoal.methods.tables.swap import SwapWithin
from shoal.optimize.annealing import make_generator
from shoal.release.guarantee import ConfusionPromise, Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed, draw_seed

TRIED = 5_000
"""The largest number of vertices for which linkage attacks run as additional evidence."""


@dataclass(frozen=True)
class Confuse(Method):
    """Make a graph k-anonymous, and make each attribute record attributable to any member of a class.

    Where links have directions or kinds, the members of a class have the same links, with directions and kinds.

    Parameters
    ----------
    k
        The number of vertices that each published vertex could be.
    structure
        The method for the links, or its name on the command line. It must yield classes. None means
        :class:`EqualizeRows`.
    attributes
        The method for the table inside each class, or its name: :class:`Microaggregate`, :class:`SwapWithin` or
        :class:`Distort`. None means microaggregation by means. It must protect all columns, because the attacker knows
        them all.
    seed
        Random seed. Keep it private; random by default.

    Examples
    --------
    A cycle has two pairs of twins with different ages. In the release, twins have the same age:

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
    seed: Seed[None] = Seed(None, secret=True)

    shell: ClassVar[str] = "confuse"
    works_on: ClassVar[WorksOn] = "both"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links, and columns inside each class"
    protects: ClassVar[str] = "an attacker who knows the whole original graph and the whole original table"
    promises: ClassVar[str] = "at least k candidates against adjacency; k-confusion of network and table"
    source: ClassVar[str] = "Stokes & Torra 2012, n-Confusion for graphs"
    public_measures: ClassVar[Mapping[str, Reason]] = {  # all measures come from the method for the table
        name: reason for kind in (Microaggregate, SwapWithin, Distort) for name, reason in kind.public_measures.items()
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Confuse", "k", least=1))
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
            raise BadParameter(f"Confuse: the graph must have attributes. Got none. Use {self.structure!r}.")
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
        """Return the guarantee that each vertex could be any of k, and a weaker one for values with fewer owners."""
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
            "Confuse: 'attributes' must protect every column, because the attacker knows them all. "
            f"Not protected: {list_names(left, spell=str)}. Leave out 'columns' and 'classes', or remove the columns "
            "from the data."
        )


def _describe_attacks(original: Graph, graph: Graph, k: int) -> tuple[str, ...]:
    """Return a note with the success rate of the strongest linkage attack tried. The guarantee does not depend on it.

    The note is private: the success rate depends on the secret mapping.
    """
    if original.n > TRIED:
        return (f"No linkage attack was tried as additional evidence: there are more than {TRIED:,} vertices.",)
    methods = {
        "DistanceLinkage (links each published record to the nearest people)": DistanceLinkage(),
        "ExactMatch (links each published record to the people with the same values)": ExactMatch(*original.attributes),
        "UniformOver (links each published vertex to the people with the same neighbors)": UniformOver(Adjacency()),
    }
    try:
        shares = {name: _measure_right_guesses(r, original, graph) for name, r in methods.items()}
    except BadParameter as error:
        return (f"No linkage attack could be tried as additional evidence: {error}",)
    strongest = max(shares, key=lambda name: shares[name])
    right = f"On average, it links {100 * shares[strongest]:.1f} % of the vertices correctly"
    guess = f"A random guess among {k:,} candidates is right in {100 / k:.1f} % of cases"
    return (f"The strongest linkage attack tried is {strongest}. {right}. {guess}. Keep this note private.",)


def _measure_right_guesses(r: Linkage, original: Graph, graph: Graph) -> float:
    """Return the mean probability that r assigns to the right individual."""
    chances = [np.isin(v, row.linked) / len(row.linked) for v, row in enumerate(r.rows(graph, original))]
    return float(np.mean(chances))
