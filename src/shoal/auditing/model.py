"""The audit as typed data: the data, the scenario, the findings, the guarantees and the verdict.

There is one schema version. An audit is written as JSON and read back without loss; every report is a function of it.
A field is private unless its type says why it may be published (:mod:`shoal.auditing.findings`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal.auditing.findings import (
    Attacks,
    ByClasses,
    Changes,
    DirectedDegrees,
    Exposure,
    Inference,
    LeftOut,
    NetworkDrawing,
    PanelRow,
    Policy,
    Released,
    RiskAfter,
    Riskiest,
    ScenarioRecord,
    Tradeoff,
    Verdict,
)
from shoal.auditing.records import dump_record, load_record
from shoal.comparison.compare import Comparison
from shoal.errors import BadFile, BadParameter, cut, public
from shoal.io.atomic import write_text
from shoal.io.strict_json import read_json
from shoal.knowledge import Fact, describe_facts, parse_knowledge
from shoal.risk.assess import BUCKET_NAMES
from shoal.show import as_html, as_picture, as_text

SCHEMA = 4


@dataclass(frozen=True)
class Versions:
    """The software that counted."""

    shoal: Policy[str]
    python: Policy[str]
    libraries: Policy[dict[str, str]]


@dataclass(frozen=True)
class DataIdentification:
    """Which data this is: its size, and a digest of its file or contents."""

    kind: Released[Literal["network", "table"]]
    people: Released[int]
    edges: Released[int | None]
    columns: Released[int]
    file: Released[str | None]
    """The name of the file, without its folder."""
    sha256: Released[str | None]
    """None in an external report on data that came from no file: contents under original names are not published."""
    digest_of: Released[Literal["file", "contents"] | None]
    unread: Released[tuple[str, ...]]
    """Columns of links, such as weights and dates, that the file holds and that were not read."""
    directed: Released[bool]
    """Whether links have a direction."""
    kinds: Released[tuple[str, ...]]
    """The kinds of links; none if links have no kinds."""
    links_by_kind: Released[dict[str, int]]
    """The number of links of each kind."""


@dataclass(frozen=True)
class ColumnRole:
    """A column, and whether an attacker may know it."""

    name: Released[str]
    role: Policy[Literal["quasi-identifier", "sensitive", "other"]]
    values: Released[Literal["numbers", "categories"]]
    released: Released[bool | None]
    """None without a release."""


@dataclass(frozen=True)
class ReleaseModel:
    """Why data is released and who might attack it, in the words of the people responsible."""

    purpose: Policy[str | None]
    attacker_notes: Policy[tuple[str, ...]]


@dataclass(frozen=True)
class MethodRecord:
    """The method that made the release."""

    name: Policy[str]
    settings: Policy[dict[str, Any]]
    changes: Policy[str | None]
    protects: Policy[str | None]
    source: Policy[str | None]


@dataclass(frozen=True)
class PublishedChange:
    """What the manifest says about the change. Each number there has its own reason to be public."""

    measured: ByClasses[dict[str, Any]]
    utility: ByClasses[dict[str, Any]]


@dataclass(frozen=True)
class CandidatesGuarantee:
    """An attacker with this knowledge finds at least k candidates."""

    knows: Policy[str]
    k: Policy[int]
    protects: Policy[Literal["all", "some"]]
    source: Policy[Literal["release", "original"]]
    kind: Policy[Literal["candidates"]] = "candidates"


@dataclass(frozen=True)
class ConfusionGuarantee:
    """Every published entry could belong to any of n people."""

    n: ByClasses[int]
    ground: Policy[str]
    kind: Policy[Literal["confusion"]] = "confusion"


@dataclass(frozen=True)
class RadiusGuarantee:
    """The row of every vertex is similar to those of k vertices."""

    similarity: Policy[Literal["manhattan", "2-path"]]
    k: Policy[int]
    l: Released[int]
    kind: Policy[Literal["radius"]] = "radius"


@dataclass(frozen=True)
class ExchangeabilityGuarantee:
    """k people are equally likely for every structural question, if all worlds are."""

    k: Policy[int]
    kind: Policy[Literal["exchangeability"]] = "exchangeability"


@dataclass(frozen=True)
class PartialGuarantee:
    """So many of the released people have at least k candidates, whichever of these kinds an attacker knows."""

    knows: Policy[tuple[str, ...]]
    k: Policy[int]
    protected: Released[int]
    of: Released[int]
    kind: Policy[Literal["partial"]] = "partial"


Guarantee = CandidatesGuarantee | PartialGuarantee | ConfusionGuarantee | RadiusGuarantee | ExchangeabilityGuarantee


@dataclass(frozen=True)
class PromiseCheck:
    """A guarantee of the release, and what recounting it showed."""

    guarantee: Policy[Guarantee]
    holds: Released[bool | None]
    """None: it was not recounted here."""
    evidence: Released[str]
    """What was counted, or why it was not."""
    stated: ByClasses[str | None]
    """How the release says that it was verified."""


@dataclass(frozen=True)
class ResidualRisk:
    """What no guarantee covers."""

    not_covered: Policy[tuple[str, ...]]
    """Attacker models of the standard panel."""
    columns: Released[tuple[str, ...]]
    kinds: Released[tuple[str, ...]]
    """Kinds of links."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Certificate:
    """The published files, and commands that check the guarantees again."""

    files: Released[dict[str, str]]
    """SHA-256 by the name of the file."""
    check_again: Policy[tuple[str, ...]]


@dataclass(frozen=True)
class Secrets:
    """What repeats the release exactly."""

    seed: Any
    method: str | None
    """Shown only with names, since a method may name people."""


@dataclass(frozen=True, repr=False)
class Audit:
    """Everything that an audit found, as plain typed data. Reports are functions of it."""

    schema: Policy[int]
    form: Policy[Literal["internal", "external"]]
    versions: Policy[Versions]
    date: Policy[str | None]
    model: Policy[ReleaseModel]
    scenario: Policy[ScenarioRecord]
    input: DataIdentification | None
    output: Released[DataIdentification | None]
    """None without a release."""
    matched: Literal["name", "mapping", "nothing"] | None
    """How people in the original were matched to the release; None without a release."""
    columns: Released[tuple[ColumnRole, ...]]
    before: tuple[PanelRow, ...] | None
    after: Released[RiskAfter | None]
    inference: Released[Inference]
    exposure_before: Exposure | None
    exposure_after: Released[Exposure | None]
    degrees_before: tuple[tuple[int, int], ...] | None
    """How many vertices have each number of links, as pairs."""
    degrees_after: Released[tuple[tuple[int, int], ...] | None]
    directions_before: DirectedDegrees | None
    """None if links have no direction."""
    directions_after: Released[DirectedDegrees | None]
    riskiest: Riskiest | None
    attacks: Attacks | None
    changes: Changes | None
    cells_changed: float | None
    """Share of the cells with another value than in the original; None without a matching or without columns."""
    utility: Comparison | None
    tradeoff: Tradeoff | None
    drawing: NetworkDrawing | None
    method: Policy[MethodRecord | None]
    measured: dict[str, Any]
    """What the method measured."""
    published_change: ByClasses[PublishedChange | None]
    promises: Released[tuple[PromiseCheck, ...]]
    residual: Released[ResidualRisk]
    certificate: Released[Certificate | None]
    """None without a guarantee."""
    verdict: Released[Verdict]
    next_steps: tuple[str, ...]
    """What to do next: sentences, and commands that begin with "shoal"."""
    repeat: tuple[str, ...]
    """Commands that repeat the audit."""
    seed: int | None
    """The seed of samples and attacks."""
    secrets: Secrets | None
    not_counted: tuple[LeftOut, ...] | None
    """Attacker models outside the scenario that were not counted, each with the reason."""
    partial: Released[str]
    """What the time limit ended, as a sentence; empty if it ended nothing."""

    @property
    def last_panel(self) -> tuple[PanelRow, ...]:
        """The rows of the release where there is one, else of the original."""
        return self.after.release_facts if self.after is not None else self.before or ()

    @property
    def worst_before(self) -> PanelRow | None:
        """The kind of knowledge of the scenario that leaves most people at risk in the original."""
        return _find_worst_row(self.before or ())

    @property
    def worst_after(self) -> PanelRow | None:
        """The kind of knowledge of the scenario that leaves most people at risk in the release, by either facts."""
        return _find_worst_row((*self.after.release_facts, *(self.after.original_facts or ())) if self.after else ())

    def json(self) -> str:
        """Return the audit as JSON."""
        return json.dumps(dump_record(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    @public
    def read(cls, path: str | Path) -> Audit:
        """Read an audit that was saved as .json. Refuse any file that does not hold exactly the fields of an audit."""
        found = read_json(path)
        if not isinstance(found, dict) or "schema" not in found:
            raise BadFile(f"{path}: must be an audit saved as .json. Got no schema version. Save it again.")
        if found["schema"] != SCHEMA:
            raise BadFile(
                f"{path}: must be an audit with the schema {SCHEMA}. Got schema {cut(repr(found['schema']))}. Make it "
                "again with this version of shoal."
            )
        try:
            made = load_record(cls, found)
            made.check_rows()
            as_text(made)
        except BadFile as error:
            raise BadFile(f"{path}: {error} Save the audit again.") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadFile(
                f"{path}: must be an audit as shoal saves it. Got: {cut(repr(error))}. Save it again."
            ) from error
        return made

    def check_rows(self) -> None:
        """Raise an error if a row has no people, or knowledge, facts or a drawing that make no sense."""
        after = () if self.after is None else (*self.after.release_facts, *(self.after.original_facts or ()))
        for row in (*(self.before or ()), *after):
            parse_knowledge(row.knows)
            if row.people < 1:
                raise ValueError(f"a row about {row.people} people")
            if set(row.buckets) != set(BUCKET_NAMES):
                raise ValueError(f"a row with the buckets {', '.join(row.buckets)}")
        for person in () if self.riskiest is None else self.riskiest.people:
            describe_facts([Fact(one.kind, one.value) for one in person.facts])
        if self.drawing is not None:
            self.drawing.check()

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a page (.html) or the data (.json). An internal audit can be read by its owner alone."""
        place = Path(path)
        ending = place.suffix.lower()
        if ending not in (".html", ".json"):
            raise BadParameter(f"Audit.save: 'path' must end in .html or .json. Got {place.name!r}.")
        if ending == ".html":
            as_picture(self, place, force)
        else:
            self.write(place, self.json(), force)

    def write(self, place: Path, text: str, force: bool) -> None:
        """Write text into a file, all of it or nothing. An internal audit gets mode 600."""
        write_text(place, text, force=force, private=self.form == "internal")

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _find_worst_row(rows: Sequence[PanelRow]) -> PanelRow | None:
    """Return the row of the scenario with most people at risk; None of none."""
    inside = [row for row in rows if row.in_scenario]
    return max(inside, key=lambda row: (row.below, row.unique)) if inside else None


@public
def read_audit(path: str | Path) -> Audit:
    """Read an audit that was saved as .json."""
    return Audit.read(path)
