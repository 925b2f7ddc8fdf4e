"""Trials: methods that run side by side on a data set, and the releases that they make.

A round is one choice of scenario, columns and accepted loss. Its methods are tried together. Rounds are kept, so that a
person can step back to an earlier one without losing its releases.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from shoal.io.files import COMPRESSIONS
from shoal.methods.base import Method
from shoal.methods.passing import name_plan, seed_method
from shoal.methods.pipeline import Pipeline
from shoal.release.release import Release
from shoal.web.jobs import Job
from shoal.web.releasing import (
    Audited,
    AuditRelease,
    ChooseMethods,
    FileNames,
    Look,
    LookAtRelease,
    Loss,
    MakeFiles,
    Tried,
    TryMethod,
    drop_identifiers,
    share_original,
)
from shoal.web.tasks import Policy

if TYPE_CHECKING:
    from shoal.web.workspace import Opened, Workspace

CHOOSE = "choose methods"
LONGEST = 150
"""Bytes of the name of the data in the names of files."""
SEED_BITS = 128
"""The length of a secret seed, which cannot be guessed."""


@dataclass(eq=False)
class Trial:
    """One method of a round."""

    number: int
    """Counted through all rounds of a data set."""
    method: Method
    """With its seed."""
    seed: int
    policy: Policy
    loss: Loss
    tried: Tried | None = None
    look: Look | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    """The files to publish, and the mapping, once they are made."""
    audited: Audited | None = None
    confirmed: str = ""
    """The verdict that a person has confirmed in words, which is not PASS."""

    @property
    def job(self) -> str:
        """The name of its job."""
        return f"try {self.number}"

    @property
    def title(self) -> str:
        """A few words: the method and its variant.

        >>> from shoal import Scenario
        >>> from shoal.methods import ReduceRisk
        >>> method = ReduceRisk(["degree"], k=2, edits="add", suppress=0.02)
        >>> Trial(1, method, 7, Policy(Scenario.preset("internal"), (), ()), Loss()).title
        'reduce risk (links added; people left out)'
        """
        return title_method(self.method)

    @property
    def release(self) -> Release | None:
        """The release; None if there is none."""
        return None if self.tried is None else self.tried.attempt.release

    @property
    def verdict(self) -> str:
        """pass, fail or cannot tell; nothing without a release."""
        return "" if self.tried is None or self.release is None else self.tried.attempt.verdict

    @property
    def audited_verdict(self) -> str:
        """The verdict of the audit, which also counts attacks; nothing before it."""
        return "" if self.audited is None else self.audited.summary.verdict

    @property
    def changed(self) -> Fraction:
        """The loss: the share of links added and removed; of a table, the share of changed cells."""
        assert self.tried is not None
        cost = self.tried.attempt.cost
        if not cost.m:
            return Fraction(self.tried.cells or 0).limit_denominator(10**9)
        return Fraction(cost.links, cost.m)

    @property
    def left_out(self) -> Fraction:
        """The share of people left out."""
        assert self.tried is not None
        cost = self.tried.attempt.cost
        return Fraction(cost.left_out, max(1, cost.people))

    @property
    def at_risk(self) -> Fraction:
        """The share of released people below k, by the worst of the facts."""
        assert self.tried is not None
        return Fraction(self.tried.attempt.below, max(1, self.tried.attempt.people))

    @property
    def is_accepted(self) -> bool:
        """Whether the loss is at most the accepted one."""
        links = self.release is not None and self.release.original.has_links
        return (not links or 100 * self.changed <= self.loss.edits) and 100 * self.left_out <= self.loss.left_out

    @property
    def rank(self) -> tuple[Any, ...]:
        """The order in tables: those that pass and cost no more than accepted come first, the cheapest first."""
        if self.tried is None or self.release is None:
            return (3, self.number)
        passes, cost = self.verdict == "pass", self.changed + self.left_out
        if not passes:
            return 2, self.at_risk, cost, self.number
        return int(not self.is_accepted), cost, self.tried.cells or 0, self.at_risk, self.number


@dataclass(eq=False)
class Round:
    """Methods that are tried for one scenario and one accepted loss."""

    number: int
    policy: Policy
    loss: Loss
    trials: list[Trial] = field(default_factory=list)
    error: str = ""
    """Why no methods could be chosen."""

    @property
    def ranked(self) -> list[Trial]:
        """The trials, the best first."""
        return sorted(self.trials, key=lambda one: one.rank)


EDITS = {
    "add": "links added",
    "delete": "links deleted",
    "add-delete": "links added and deleted",
    "swap": "links swapped",
}


def title_method(method: Method) -> str:
    """Return a few words for a method.

    >>> from shoal.methods import EqualizeRows, MatchDegrees, Mondrian
    >>> title_method(Mondrian(k=3) >> MatchDegrees(k=3, edits="add"))
    'mondrian, then match degrees (links added)'
    >>> title_method(Mondrian(k=50) >> MatchDegrees(k=3, edits="add"))
    'mondrian, then match degrees (links added), in groups of 50 people or more'
    """
    if isinstance(method, Pipeline):
        return ", then ".join(map(title_method, method.steps)) + _tell_groups(method)
    edits = EDITS.get(str(getattr(method, "edits", "")), "")
    people = "people left out" if getattr(method, "suppress", 0) else ""
    told = "; ".join(filter(None, (edits, people)))
    return f"{name_plan(method).replace('-', ' ')}{f' ({told})' if told else ''}"


def _tell_groups(method: Pipeline) -> str:
    """Say how large the groups of a first step are, where they are larger than k."""
    sizes = [int(getattr(step, "k", 0)) for step in method.steps]
    return f", in groups of {sizes[0]:,} people or more" if sizes[0] > sizes[-1] > 0 else ""


def list_trials(opened: Opened) -> Iterator[Trial]:
    """Yield all trials of a data set."""
    for one in opened.rounds:
        yield from one.trials


def find_trial(opened: Opened, number: int | None) -> Trial | None:
    """Return a trial by its number; None if there is none."""
    return next((one for one in list_trials(opened) if one.number == number), None)


# Work on releases.


def start_round(workspace: Workspace, opened: Opened, loss: Loss) -> Round:
    """Begin to try methods; a round with the same choices is shown again instead."""
    policy = opened.policy
    for same in reversed(opened.rounds):
        begun = same.trials or opened.is_busy(f"{CHOOSE} {same.number}")  # else the choice of methods was stopped
        if (same.policy, same.loss) == (policy, loss) and begun:
            return same
    found = Round(len(opened.rounds) + 1, policy, loss)
    opened.rounds.append(found)
    workspace.submit(
        opened,
        f"{CHOOSE} {found.number}",
        "choose methods",
        ChooseMethods(policy, loss),
        then=partial(_take_methods, workspace, opened, found),
    )
    return found


def _take_methods(workspace: Workspace, opened: Opened, found: Round, job: Job) -> None:
    if job.state != "done":
        found.error = job.error or "Canceled."
        return
    first = 1 + sum(1 for _ in list_trials(opened))
    for number, method in enumerate(job.result, first):
        seed = secrets.randbits(SEED_BITS)
        found.trials.append(Trial(number, seed_method(method, seed), seed, found.policy, found.loss))
    job.result = None
    if not found.trials:
        found.error = "No method fits this data and this scenario. Choose another scenario, or other columns."
    for trial in found.trials:
        start_trial(workspace, opened, trial)


def start_trial(workspace: Workspace, opened: Opened, trial: Trial) -> None:
    """Begin to run a method, unless it has run or runs."""
    if trial.tried is None and not opened.is_busy(trial.job):
        call = TryMethod(trial.method, trial.policy)
        workspace.submit(opened, trial.job, f"try {trial.title}", call, then=partial(_take_tried, opened, trial))


def _take_tried(opened: Opened, trial: Trial, job: Job) -> None:
    if job.state == "done" and opened.data is not None:
        trial.tried, job.result = share_original(job.result, drop_identifiers(opened.data, trial.policy)), None


def start_look(workspace: Workspace, opened: Opened, trial: Trial) -> None:
    """Begin to compare a release with its original."""
    name = f"look {trial.number}"
    if trial.look is None and trial.release is not None and not opened.is_busy(name):
        workspace.submit(
            opened,
            name,
            "compare",
            LookAtRelease(trial.release, f"degrees-{trial.number}"),
            then=partial(_take_look, trial),
            urgent=True,
        )


def _take_look(trial: Trial, job: Job) -> None:
    if job.state == "done":
        trial.look, job.result = job.result, None


def start_files(workspace: Workspace, opened: Opened, trial: Trial) -> None:
    """Begin to make the files of a release."""
    name = f"files {trial.number}"
    if not trial.files and trial.release is not None and not opened.is_busy(name):
        call = MakeFiles(trial.release, trial.policy, opened.reading, name_files(opened, trial), trial.seed)
        workspace.submit(opened, name, "make the files", call, then=partial(_take_files, trial))


def _take_files(trial: Trial, job: Job) -> None:
    if job.state == "done":
        trial.files, job.result = job.result, None


def start_audit(workspace: Workspace, opened: Opened, trial: Trial) -> None:
    """Begin to audit a release; its files are made first."""
    name = f"audit {trial.number}"
    if trial.audited is not None or trial.release is None or opened.is_busy(name):
        return
    if not trial.files:
        start_files(workspace, opened, trial)
        return
    call = AuditRelease(trial.files, trial.policy, opened.reading, name_files(opened, trial))
    workspace.submit(opened, name, "audit", call, then=partial(_take_audit, trial))


def _take_audit(trial: Trial, job: Job) -> None:
    if job.state == "done":
        trial.audited, job.result = job.result, None


def name_files(opened: Opened, trial: Trial) -> FileNames:
    """Return the names of the files of a release: that of the data, and the number of the release."""
    name = PurePath(opened.title.replace(":", "-")).name
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    stem = PurePath(name).stem.lstrip("-.") or "data"  # else it may read as an option, or be hidden
    stem = stem.encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
    stem = f"{stem}-release-{trial.number}"
    release = trial.release
    split = release is not None and release.data.has_links and len(release.data.attributes)
    return FileNames(
        f"{stem}.csv",
        f"{stem}.people.csv" if split else None,
        f"{stem}.report.html",
        f"{stem}.secret-report.html",
        f"{stem}.secret-mapping.csv",
        f"{stem}.secret-seed.txt",
        f"{stem}.scenario.toml",
    )


def estimate_seconds(job: Job) -> float | None:
    """Return the seconds that a job still takes if it goes on as before; None where that is unknown."""
    _, done, total = job.progress
    if job.state != "running" or not total or not done or not job.since:
        return None
    return (time.monotonic() - job.since) * (total - done) / done
