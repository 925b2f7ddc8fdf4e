"""Assess the risk of each vertex: its number of candidates under an attacker model."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_dataset, as_graph, unwrap_data
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter, check_k, public
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import Candidates, Witness
from shoal.knowledge.view import View, read_known_names
from shoal.show import as_chart, as_html, as_text

BUCKETS = ((1, 1), (2, 4), (5, 10), (11, 20), (21, None))
"""Sizes of candidate sets as in Hay et al.: 1, 2-4, 5-10, 11-20, more."""
BUCKET_NAMES = ("1", "2-4", "5-10", "11-20", ">20")
"""How they are called in files and tables."""


@public
def assess(
    data: Any,
    knowledge: Adversary | str,
    *,
    original: Any = None,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
) -> Risk:
    """Count the candidates of every vertex: the published vertices that match what the attacker knows about it.

    Parameters
    ----------
    data
        The published data: a :class:`shoal.Graph`, or anything that :func:`shoal.as_graph` takes; a
        :class:`shoal.Table`; or, if the attacker knows only columns, anything that :func:`shoal.as_table` takes.
    knowledge
        What the attacker knows, e.g. ``Degree()``; or its shell name, e.g. ``"degree"``.
    original
        The original graph, if the attacker's facts are measured there. None: they are measured in `data`.
    mapping
        The original-to-released mapping of names, or the csv file that holds it. Needed if the names differ.

    Returns
    -------
    Risk
        The size of each candidate set, the sets, and a witness for each vertex.

    Examples
    --------
    >>> import networkx as nx, shoal
    >>> risk = shoal.assess(nx.star_graph(3), shoal.knowledge.Degree())
    >>> risk.k, risk.at_risk(3), risk.rate(3)
    (1, (0,), 0.25)

    All vertices of a cycle are equivalent:

    >>> shoal.assess(nx.cycle_graph(5), shoal.knowledge.Orbit()).k
    5

    In this table only one person is 41 years old:

    >>> people = {"age": [30, 30, 41], "sex": ["f", "f", "f"]}
    >>> shoal.assess(people, shoal.knowledge.Columns("age", "sex")).sizes.tolist()
    [2, 2, 1]
    """
    adversary = parse_knowledge(knowledge)
    published, source = (
        choose_subject(data, adversary),
        None if original is None else choose_subject(original, adversary),
    )
    known = read_known_names(mapping, published if source is None else source, published)
    view = View.of(published, source, known)
    answer = adversary.see(view)
    risk = Risk(view, adversary, answer.sizes, answer.exact_sizes)
    vars(risk)["answer"] = answer
    return risk


def choose_subject(obj: Any, knowledge: Adversary) -> Dataset:
    """Return the data that the knowledge is about. A frame is a table if only columns are known, else an edge list."""
    if isinstance(obj, Graph) or (isinstance(obj, Table) and not knowledge.reads_links):
        return obj
    if not knowledge.reads_links:
        return as_dataset(obj)
    found = unwrap_data(obj)
    if isinstance(found, Table):
        raise BadParameter(f"assess: a table has no links. Got {knowledge!r}. Pass a graph with attributes.")
    return as_graph(found)


@dataclass(frozen=True, eq=False, repr=False)
class Risk:
    """The number of candidates of each vertex.

    "Below k" means 1 to k-1 candidates. A vertex that no published vertex matches is in `misled`: the attacker is wrong
    about it. It never counts as safe.

    A risk can be pickled. The copy counts the candidate sets again when they are first needed.
    """

    view: View
    """The published data, and the data in which the facts are measured."""
    adversary: Adversary
    """What the attacker knows."""
    sizes: Ints
    """The number of candidates of each vertex."""
    exact_sizes: Bools
    """For each vertex whether its size is exact. If not, it is an upper bound."""

    @cached_property
    def answer(self) -> Candidates:
        """The candidate set of each vertex."""
        return self.adversary.see(self.view)

    def __getstate__(self) -> dict[str, Any]:
        # The answer holds functions of its kind of knowledge, which cannot be pickled.
        return {name: value for name, value in vars(self).items() if name != "answer"}

    @property
    def graph(self) -> Dataset:
        """The published data: a graph or a table."""
        return self.view.published

    @property
    def names(self) -> Any:
        """The names of the vertices, in the order of `sizes`."""
        return self.view.known.names

    @cached_property
    def k(self) -> int:
        """The size of the smallest non-empty candidate set; 0 if all are empty."""
        fitted = self.sizes[self.sizes > 0]
        return int(fitted.min()) if len(fitted) else 0

    @cached_property
    def exact(self) -> bool:
        """Whether k is exact. If not, a search was cut short and k is an upper bound."""
        return bool(self.exact_sizes.all() or (self.exact_sizes & (self.sizes == 1)).any())

    @property
    def misled(self) -> tuple[Hashable, ...]:
        """Names of the vertices that no published vertex matches."""
        return self._names(np.flatnonzero(self.sizes == 0))

    @cached_property
    def unmatched(self) -> tuple[str, ...]:
        """Known columns with a value that no published record has. They may have been recoded, e.g. to "40-49" or "*".

        Values are compared literally. An attacker who understands "40-49" may have fewer candidates than counted.
        """
        if self.view.original is None:
            return ()
        known, published = self.view.known.attributes, self.graph.attributes
        found = []
        for name in self.adversary.columns(known):
            codes = known[name].followed_by(published[name])
            if len(np.setdiff1d(codes[: known.n], codes[known.n :])):
                found.append(name)
        return tuple(found)

    @cached_property
    def unfit(self) -> Bools:
        """For each vertex whether some known columns match no published record: left out, or recoded.

        Such sets of columns are not counted. An attacker who understands the recoding may have fewer candidates.
        """
        unfit = np.zeros(len(self.sizes), dtype=np.bool_)
        for part in () if self.view.original is None else self.adversary.parts:
            if (found := part.find_unfit(self.view)) is not None:
                unfit |= found
        return unfit

    @cached_property
    def holds_truth(self) -> Bools:
        """For each vertex whether it is among its own candidates. Always true without `original`."""
        if self.view.original is None:
            return np.ones(len(self.sizes), dtype=np.bool_)
        return np.array([self._holds(v) for v in range(len(self.sizes))])

    def holds(self, v: Hashable) -> bool:
        """Return whether the vertex named `v` is among its own candidates."""
        return self._holds(self.names.id(v))

    def at_risk(self, k: int) -> tuple[Hashable, ...]:
        """Return the names of the vertices with 1 to k-1 candidates."""
        return self._names(np.flatnonzero(self._below(k)))

    def rate(self, k: int) -> float:
        """Return the share of all vertices with 1 to k-1 candidates; a lower bound if some sizes are upper bounds."""
        return float(self._below(k).mean())

    def candidates(self, v: Hashable) -> tuple[Hashable, ...]:
        """Return the names of the candidates of the vertex named `v`."""
        return tuple(self.graph.names[int(u)] for u in self.answer.of(self.names.id(v)))

    def witness(self, v: Hashable) -> Witness:
        """Return facts about the vertex named `v`, and the candidates that they leave."""
        i = self.names.id(v)
        return Witness(self.answer.facts(i), self.candidates(v), bool(self.exact_sizes[i]))

    def buckets(self) -> dict[str, int]:
        """Count the vertices by the size of their candidate set, in the buckets of Hay et al.

        >>> import networkx as nx, shoal
        >>> shoal.assess(nx.star_graph(5), "degree").buckets()
        {'1': 1, '2-4': 0, '5-10': 5, '11-20': 0, '>20': 0}
        """
        counts = {}
        for name, (low, high) in zip(BUCKET_NAMES, BUCKETS, strict=True):
            counts[name] = int(((self.sizes >= low) & (self.sizes <= (high or self.sizes.max()))).sum())
        return counts

    def to_frame(self) -> Any:
        """Return one row per vertex, as a pandas, polars or pyarrow frame (the first that is installed)."""
        columns = {
            "name": list(self.names),
            "candidates": self.sizes,
            "exact": self.exact_sizes,
            "holds_truth": self.holds_truth,
        }
        return make_frame(columns)

    @public
    def plot(self) -> Any:
        """Return an altair chart: how many vertices have 1, 2-4, 5-10, 11-20 or more candidates.

        Misled vertices have a bar of their own. In a notebook the chart shows itself; ``chart.save("risk.svg")`` writes
        it. Needs ``pip install 'shoal[plots]'``.
        """
        return as_chart(self)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _holds(self, v: int) -> bool:
        own = self.view.counterpart[v]
        return bool(own >= 0 and np.isin(own, self.answer.of(v)))

    def _below(self, k: int) -> Bools:
        k = check_k("Risk", k, self.graph)
        below: Bools = (self.sizes > 0) & (self.sizes < k)
        return below

    def _names(self, ids: Ints) -> tuple[Hashable, ...]:
        return tuple(self.names[int(v)] for v in ids)
