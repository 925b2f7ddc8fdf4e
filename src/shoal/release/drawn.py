"""DrawnRelease: a generalized graph, and a graph drawn at random from it.

The numbers of edges inside and between classes may be published. A graph drawn at random from these numbers reveals no
more than they do, and is easier to use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.data.generalized import Generalized, Samples
from shoal.data.graph import Graph
from shoal.errors import find_by_name
from shoal.progress import track
from shoal.release.release import Release, count_largest_component, measure_transitivity
from shoal.seeds import AnySeed
from shoal.show import as_html, as_text
from shoal.utility.base import measure_kolmogorov_smirnov
from shoal.utility.network import DEGREE_DISTANCE, LARGEST_COMPONENT, LARGEST_DEGREE, TRANSITIVITY, WITHOUT_LINKS


@dataclass(frozen=True)
class Estimate:
    """A number measured on samples, beside that of the original."""

    name: str
    original: float | None
    """None if the original is not known."""
    mean: float
    spread: float
    """The standard deviation over the samples; 0 for a single one."""
    least: float
    most: float

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """The mean, spread, minimum and maximum over the samples."""
        return self.mean, self.spread, self.least, self.most


@dataclass(frozen=True, repr=False)
class Estimates:
    """Numbers measured on samples of a generalized graph."""

    samples: int
    rows: tuple[Estimate, ...]

    def __getitem__(self, name: str) -> Estimate:
        """Return the estimate of one number by its name."""
        return find_by_name("number", name, {row.name: row for row in self.rows})

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


@dataclass(frozen=True, eq=False, repr=False)
class DrawnRelease(Release):
    """A release whose edges were all drawn anew, from the numbers of edges inside and between classes.

    It has no edits: `edits` is None. An edge that is also in the original is there by chance. Only the numbers of edges
    were kept.

    `data` is one world (a graph with these numbers), drawn with the secret seed under the original names. :meth:`save`
    gives new names. `codes` is the class of each vertex.
    """

    original: Graph
    data: Graph
    generalized: Generalized = None  # type: ignore[assignment] # fields before it have defaults
    """The numbers it was drawn from, with the members of each class. It is private. `save` leaves the members out."""

    @property
    def edits(self) -> None:
        """None: no edge counts as added or removed if all were drawn anew."""

    def sample(self, seed: AnySeed = 0) -> Graph:
        """Draw another world, under the original names. Do not publish it as it is."""
        return self.generalized.sample(seed)

    def samples(self, count: int = 30, seed: AnySeed = 0) -> Samples:
        """Return several worlds, each drawn when it is read."""
        return self.generalized.samples(count, seed)

    def estimates(self, count: int = 30, seed: AnySeed = 0) -> Estimates:
        """Measure several worlds: the mean and spread of each number, beside that of the original."""
        return estimate_numbers(self.samples(count, seed), count, self.original)


def estimate_numbers(samples: Iterable[Graph], count: int, original: Graph | None = None) -> Estimates:
    """Measure `count` samples, and the original if it is known."""
    rows = []
    for done, graph in enumerate(samples):
        track("measuring samples", done, count)
        rows.append(measure_sample(graph, original))
    track("measuring samples", count, count)
    known = {} if original is None else measure_sample(original, original)
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Estimates(len(rows), tuple(_make_estimate(name, known.get(name), x) for name, x in found.items()))


def measure_sample(graph: Graph, original: Graph | None) -> dict[str, float]:
    """Measure a graph, and its distance in degrees from the original if that is known."""
    apart = (
        {} if original is None else {DEGREE_DISTANCE.title: measure_kolmogorov_smirnov(original.degree, graph.degree)}
    )
    return {
        **apart,
        LARGEST_DEGREE.title: float(graph.degree.max()),
        WITHOUT_LINKS.title: float(np.count_nonzero(graph.degree == 0) / graph.n),
        LARGEST_COMPONENT.title: count_largest_component(graph) / graph.n,
        TRANSITIVITY.title: measure_transitivity(graph),
    }


def _make_estimate(name: str, original: float | None, x: np.ndarray) -> Estimate:
    spread = float(x.std(ddof=1)) if len(x) > 1 else 0.0
    return Estimate(name, original, float(x.mean()), spread, float(x.min()), float(x.max()))
