"""Tasks: what a worker process does with a data set. Each is a call of the library, as on the command line.

A task is called with the material of its data set and returns plain data or results of the library.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.auditing.layout import place_vertices
from shoal.auditing.network_drawing import list_links_among, sample_vertices
from shoal.auditing.run import audit
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.io.delimited import render_csv
from shoal.io.files import hold_files
from shoal.io.preview import Preview, preview
from shoal.report.html.page import render_page
from shoal.report.text.phrases import describe_witness
from shoal.risk.assess import Risk, assess
from shoal.risk.panel import assess_all
from shoal.risk.scenario import Scenario
from shoal.web.reading import Reading

DRAWN = 50_000
"""The most people that are drawn; of more, a random sample."""
ADVICE = 30.0
"""Seconds for trying methods in a report on data that fails, as on the command line."""
SHOWN = 2_000
"""The most candidates that are highlighted."""


@dataclass
class Material:
    """The files of a data set, and the data if they have been read. A worker keeps counted risks with it."""

    files: dict[str, bytes]
    data: Dataset | None = None
    risks: dict[str, Risk] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {"files": self.files, "data": self.data, "risks": {}}

    def find_data(self) -> Dataset:
        """Return the data, which must have been read."""
        assert self.data is not None
        return self.data

    def find_risk(self, spec: str) -> Risk:
        """Return the risk under a kind of knowledge, counted now if this worker has not counted it."""
        if spec not in self.risks:
            self.risks[spec] = assess(self.find_data(), spec)
        return self.risks[spec]


@dataclass(frozen=True)
class ShowFile:
    """Show the first rows of a file, and how they are understood."""

    file: str
    options: dict[str, Any]

    def __call__(self, material: Material) -> Preview:
        """Return the preview."""
        with hold_files(material.files):
            return preview(self.file, **self.options)


@dataclass(frozen=True)
class ReadData:
    """Read the files of a data set."""

    reading: Reading

    def __call__(self, material: Material) -> Dataset:
        """Return the data."""
        with hold_files(material.files):
            return self.reading.load()


@dataclass(frozen=True)
class Counted:
    """The candidates of every person under one kind of knowledge."""

    sizes: Ints
    exact_sizes: Bools
    seconds: float


@dataclass(frozen=True)
class CountCandidates:
    """Count the candidates of every person under one kind of knowledge."""

    spec: str

    def __call__(self, material: Material) -> Counted:
        """Return the counts."""
        began = time.perf_counter()
        risk = material.find_risk(self.spec)
        return Counted(risk.sizes, risk.exact_sizes, time.perf_counter() - began)


@dataclass(frozen=True)
class Explanation:
    """What one kind of knowledge says about a person."""

    spec: str
    sentence: str
    size: int
    exact: bool
    candidates: tuple[int, ...]
    """Their ids; the first of them if there are very many."""


@dataclass(frozen=True)
class ExplainPerson:
    """Say which facts about a person leave which candidates, for several kinds of knowledge."""

    who: int
    specs: tuple[str, ...]

    def __call__(self, material: Material) -> tuple[Explanation, ...]:
        """Return the explanations, the fewest candidates first."""
        data = material.find_data()
        name: Hashable = data.names[self.who]
        noun = "person" if data.has_links else data.noun[0]
        found = []
        for spec in self.specs:
            risk = material.find_risk(spec)
            witness = risk.witness(name)
            ids = tuple(int(v) for v in risk.answer.of(self.who)[:SHOWN])
            sentence = describe_witness(name, witness, noun=noun)
            found.append(Explanation(spec, sentence, int(risk.sizes[self.who]), witness.exact, ids))
        return tuple(sorted(found, key=lambda one: one.size))


@dataclass(frozen=True)
class Drawing:
    """Positions and links of the drawn people."""

    chosen: Ints
    """Their ids, ascending."""
    at: Any
    """Two numbers for each."""
    links: Ints
    """Pairs of positions in `chosen`."""
    sampled: bool


@dataclass(frozen=True)
class DrawNetwork:
    """Place people in a plane; of a large network, a random sample."""

    seed: int = 0

    def __call__(self, material: Material) -> Drawing:
        """Return the drawing."""
        data = material.find_data()
        assert isinstance(data, Graph)
        chosen = sample_vertices(data, DRAWN, self.seed) if data.n > DRAWN else np.arange(data.n)
        links = list_links_among(data, chosen)
        at = np.asarray(place_vertices(len(chosen), links, self.seed), dtype=np.float32)
        return Drawing(chosen, at, links, len(chosen) < data.n)


@dataclass(frozen=True)
class Policy:
    """What data is judged by."""

    scenario: Scenario
    columns: tuple[str, ...]
    """The quasi-identifiers."""
    sensitive: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """The columns that name people, which are not released."""


@dataclass(frozen=True)
class WriteReport:
    """Write the report, as `shoal audit` does."""

    reading: Reading
    policy: Policy

    def __call__(self, material: Material) -> str:
        """Return the page."""
        with hold_files(material.files):
            found = audit(
                material.find_data(),
                scenario=self.policy.scenario,
                columns=self.policy.columns,
                sensitive=self.policy.sensitive,
                files=(self.reading.file, None),
                advice=ADVICE,
            )
        return render_page(found)


@dataclass(frozen=True)
class ListPeople:
    """List every person with the candidates under each kind of knowledge, as `shoal risk --csv` does."""

    policy: Policy

    def __call__(self, material: Material) -> str:
        """Return the csv text."""
        found = assess_all(
            material.find_data(), self.policy.scenario, columns=self.policy.columns, sensitive=self.policy.sensitive
        )
        rows = found.list_people()
        return render_csv(list(rows), zip(*rows.values(), strict=True))


class Shelf(dict[str, Material]):
    """What a worker keeps, by the keys of data sets. A new worker reads one, which loads the libraries of all tasks."""
