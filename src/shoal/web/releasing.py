"""Tasks about releases: choose methods, try one, audit its release, and make the files to publish.

Each is a call of the library, as on the command line, so that a script repeats it with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.auditing.case import Case, measure_cells_changed
from shoal.auditing.model import Audit
from shoal.auditing.network_drawing import count_candidates_after
from shoal.auditing.panel import count_degrees, count_directed_degrees
from shoal.auditing.run import audit
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.io.files import hold_files
from shoal.methods.base import Method
from shoal.methods.passing import Attempt, assess_release, list_plans, try_method
from shoal.release.read import read_release
from shoal.release.release import Release, Utility
from shoal.report.html.blocks import Picture, Section, Summary
from shoal.report.html.charts.audit import draw_degree_curve
from shoal.report.html.page import list_sections, render_page
from shoal.report.html.sections.evidence import list_bucket_legend
from shoal.report.html.sections.summary import build_summary
from shoal.risk.assess import Risk
from shoal.web.reading import Reading
from shoal.web.tasks import Material, Policy


@dataclass(frozen=True)
class Loss:
    """The loss that is accepted, in percent."""

    edits: int = 10
    """Links added and removed, of the links."""
    left_out: int = 0
    """People left out, of all people."""


def drop_identifiers(data: Dataset, policy: Policy) -> Dataset:
    """Return the data without the columns that name people, as `--leave-out` does."""
    kept = [name for name in data.attributes if name not in policy.left_out]
    return data if len(kept) == len(data.attributes) else data.with_attributes(data.attributes.only(kept))


@dataclass(frozen=True)
class ChooseMethods:
    """Choose the methods that fit the data, the scenario and the accepted loss."""

    policy: Policy
    loss: Loss

    def __call__(self, material: Material) -> tuple[Method, ...]:
        """Return the methods, without seeds."""
        data = drop_identifiers(material.find_data(), self.policy)
        return list_plans(
            data,
            self.policy.scenario,
            self.policy.columns,
            most_edits=data.m * self.loss.edits // 100 if data.has_links else None,
            left_out=self.loss.left_out / 100,
        )


@dataclass(frozen=True)
class Tried:
    """A method that was run: the judgment of its release, and what the pages show of it."""

    attempt: Attempt
    fewest: Ints | None
    """The fewest candidates of each person of the original in the release; 0 where no released person fits."""
    cells: float | None
    """The share of changed cells in the released columns; None without columns."""
    seconds: float


@dataclass(frozen=True)
class TryMethod:
    """Run a method, verify its guarantee and judge its release."""

    method: Method
    policy: Policy

    def __call__(self, material: Material) -> Tried:
        """Return the attempt."""
        began = time.perf_counter()
        data = drop_identifiers(material.find_data(), self.policy)
        attempt = try_method(self.method, data, self.policy.scenario, self.policy.columns)
        fewest = cells = None
        if attempt.release is not None:
            fewest = count_fewest(attempt.release, self.policy)
            cells = measure_cells_changed(Case.of(data, attempt.release, None, None, (None, None)))
        return Tried(attempt, fewest, cells, time.perf_counter() - began)


def count_fewest(release: Release, policy: Policy) -> Ints | None:
    """Return the fewest candidates of each person of the original in the release, over all kinds and facts.

    >>> import shoal
    >>> release = shoal.methods.EqualizeRows(k=3, seed=1, effort=1)(shoal.examples.karate())
    >>> int(count_fewest(release, Policy(shoal.Scenario.preset("internal"), (), ())).min())
    3
    """
    counted = assess_release(release, policy.scenario, policy.columns)
    if not counted:
        return None
    own = release.data.names.find(release.original.names)
    inside, facts = counted["release"], [risks for source, risks in counted.items() if source != "release"]
    found = [
        count_candidates_after(risk.sizes, _take_worst([risks[at] for risks in facts]), own)
        for at, risk in enumerate(inside)
    ]
    fewest = np.stack(found)
    known = np.where(fewest > 0, fewest, np.iinfo(np.int64).max).min(axis=0)
    return np.where((fewest > 0).any(axis=0), known, 0)


def _take_worst(risks: Sequence[Risk]) -> Ints:
    """Return the fewest candidates by several facts; where one fits no person, the other counts."""
    sizes = np.stack([risk.sizes for risk in risks])
    known = np.where(sizes > 0, sizes, np.iinfo(np.int64).max).min(axis=0)
    return np.where((sizes > 0).any(axis=0), known, 0)


@dataclass(frozen=True)
class Look:
    """A release beside its original: a few numbers about the links, and the degree distributions."""

    utility: Utility | None
    degrees: tuple[Picture, ...]


@dataclass(frozen=True)
class LookAtRelease:
    """Compare a release with its original, quickly."""

    release: Release
    name: str
    """The name of its pictures, unique on the page."""

    def __call__(self, _: Material) -> Look:
        """Return the comparison."""
        before, after = self.release.original, self.release.data
        ways = count_directed_degrees(before), count_directed_degrees(after)
        if ways[0] is not None and ways[1] is not None:
            pictures = [
                draw_degree_curve({"before": getattr(ways[0], way), "after": getattr(ways[1], way)}, way, self.name)
                for way in ("outgoing", "incoming")
            ]
        else:
            degrees = {"before": count_degrees(before), "after": count_degrees(after)}
            there = {when: pairs for when, pairs in degrees.items() if pairs}
            pictures = [draw_degree_curve(there, name=self.name)] if there else []
        return Look(self.release.utility, tuple(pictures))


# The files to publish, and the reports about them.


@dataclass(frozen=True)
class FileNames:
    """The names of the files of a release, in the browser and in the script; those of private files hold "secret"."""

    release: str
    attributes: str | None
    """The table about the people, if it is a file of its own."""
    external: str
    internal: str
    mapping: str
    seed: str
    scenario: str
    """Written by the script, where the scenario is none of the presets."""

    @property
    def beside(self) -> tuple[str, str]:
        """The manifest and the codebook."""
        return f"{self.release}.release.json", f"{self.release}.README.md"

    @property
    def public(self) -> tuple[str, ...]:
        """The files that may be published."""
        return self.release, *([] if self.attributes is None else [self.attributes]), *self.beside, self.external


@dataclass(frozen=True)
class MakeFiles:
    """Write the files of a release in memory, as `shoal anonymize` and `shoal audit --external` do on disk."""

    release: Release
    policy: Policy
    reading: Reading
    names: FileNames
    seed: int

    def __call__(self, material: Material) -> dict[str, bytes]:
        """Return the files by their names."""
        with hold_files(material.files) as held:
            self.release.save(
                self.names.release,
                self.names.mapping,
                attributes=self.names.attributes,
                seed=self.seed,
                scenario=self.policy.scenario,
                columns=self.policy.columns,
                readme=self.names.beside[1],
            )
            page = render_page(audit_files(material.find_data(), self.policy, self.reading, self.names, external=True))
            files = {name: body for name, body in held.items() if name not in material.files}
        return files | {self.names.external: page.encode()}


def audit_files(
    original: Dataset, policy: Policy, reading: Reading, names: FileNames, *, external: bool = False
) -> Audit:
    """Audit the files of a release, as `shoal audit FILE RELEASED --mapping MAPPING` does."""
    released = read_release(names.release, original, names.attributes, reading.list_arguments())
    return audit(
        original,
        released,
        mapping=names.mapping,
        same_names=False,
        scenario=policy.scenario,
        columns=policy.columns,
        sensitive=policy.sensitive,
        external=external,
        files=(reading.file, names.release, *([] if names.attributes is None else [names.attributes])),
        advice=ADVICE,
    )


ADVICE = 30.0
"""Seconds for trying methods where a release fails, as on the command line."""


@dataclass(frozen=True)
class Audited:
    """An audit as the sections of a page, and the whole page as a file."""

    summary: Summary
    sections: tuple[Section, ...]
    buckets: tuple[tuple[str, str], ...]
    page: str


@dataclass(frozen=True)
class AuditRelease:
    """Audit the files of a release: risk before and after, attacks, utility and the verdict."""

    files: dict[str, bytes]
    policy: Policy
    reading: Reading
    names: FileNames

    def __call__(self, material: Material) -> Audited:
        """Return the audit."""
        with hold_files(material.files | self.files):
            found = audit_files(material.find_data(), self.policy, self.reading, self.names)
        sections = tuple(list_sections(found))
        return Audited(build_summary(found), sections, tuple(list_bucket_legend(found)), render_page(found))


def share_original(tried: Tried, original: Dataset) -> Tried:
    """Return the attempt with the original of the server instead of a copy of it."""
    release = tried.attempt.release
    if release is None:
        return tried
    shared: Any = replace(release, original=original)
    return replace(tried, attempt=replace(tried.attempt, release=shared))
