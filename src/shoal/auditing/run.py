"""The audit: one run from the data to the verdict. Without a time limit, nothing in the result depends on a clock."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from shoal.auditing.attempts import check_attacks, compare_release, measure_tradeoff, try_attacks
from shoal.auditing.case import (
    Case,
    Place,
    count_changes,
    describe_method,
    identify_data,
    list_columns,
    list_measured,
    list_reading_options,
    list_secrets,
    list_versions,
    measure_cells_changed,
    name_file,
    select_published_change,
)
from shoal.auditing.external import drop_private
from shoal.auditing.findings import Attacks, LeftOut, NetworkDrawing, PanelRow, RiskAfter, Riskiest
from shoal.auditing.model import SCHEMA, Audit, CandidatesGuarantee, ReleaseModel
from shoal.auditing.network_drawing import count_candidates_after, draw_network
from shoal.auditing.next_steps import build_next_steps
from shoal.auditing.panel import (
    Assessments,
    CountedRisks,
    Panel,
    build_panel_row,
    count_degrees,
    count_directed_degrees,
    measure_exposure,
    measure_inference,
)
from shoal.auditing.recount import (
    add_promised_knowledge,
    build_certificate,
    list_guarantees,
    list_residual_risks,
    recount_promises,
)
from shoal.auditing.riskiest import Aliases, find_riskiest
from shoal.auditing.verdict import reach_verdict, record_scenario
from shoal.comparison.compare import Comparison
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, OutOfTime, check_k, format_count, list_names, public
from shoal.knowledge import Adversary, Columns, parse_knowledge
from shoal.limits import count_ended, find_limit, format_duration, limited, stop_after
from shoal.methods.passing import ScenarioRecommendation, recommend_for_scenario
from shoal.risk.assess import Risk
from shoal.risk.panel import build_panel
from shoal.risk.scenario import PRESETS, Scenario, as_scenario
from shoal.seeds import AnySeed, parse_seed

Made = TypeVar("Made")


@public
@limited
def audit(
    original: Any,
    release: Any = None,
    *,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
    same_names: bool | None = None,
    scenario: Scenario | str | Path | None = None,
    knowledge: Sequence[Adversary | str] | None = None,
    k: int | None = None,
    columns: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    attacks: str | Sequence[str] = "standard",
    names: bool = False,
    external: bool = False,
    purpose: str | None = None,
    attacker_notes: Sequence[str] = (),
    files: Sequence[Place] = (None, None),
    date: str | None = None,
    seed: AnySeed = 0,
    time_limit: float | None = None,
    advice: float | None = None,
) -> Audit:
    """Audit data, or a release of it: risk before and after, attacks, utility, guarantees and a verdict.

    Parameters
    ----------
    original
        The data before any change: a graph, anything that :func:`shoal.as_graph` takes, a file, or a table.
    release
        The release that a method returned; or a graph, a table or a file. None: only the original is audited.
    mapping, same_names
        How people in the original correspond to a release that is no :class:`shoal.Release`: by a mapping, or by equal
        names. By default a graph is matched by name; a file or a table is not, since a saved release has fresh names.
        Without a matching, attacks and comparisons of people are left out.
    scenario
        What the release is defended against: a :class:`shoal.Scenario`, the name of a preset, or a .toml file. The
        verdict is the judgment by it. None: "agreement".
    knowledge
        Attacker models that are counted besides those of the scenario; None for the standard panel. They do not change
        the verdict.
    k
        Replaces the k of the scenario.
    columns, sensitive
        Columns that an attacker may know, and columns that must stay secret.
    attacks
        "standard", or shell names such as "korula-lattanzi" and "knows:neighbors:2"; () for none.
    names
        Name the people most at risk. By default they are called by letters.
    external
        Return only what may be published about a release.
    purpose, attacker_notes
        Why the data is released, and who might attack it, in your own words.
    files
        The files of original and release, for their digests, if they were read before; then the attributes file of the
        release. By default the attributes file is the one that the `.release.json` names.
    date
        The date on the report; no clock is read.
    seed
        Seed of samples and attacks: an int or a numpy Generator. It may be published.
    time_limit
        Seconds after which attacks, metrics and attacker models outside the scenario are left out or sampled, with the
        reason. The scenario is always counted to the end.
    advice
        Seconds for trying methods, so that a report on data that fails can name a command that passes. None: no method
        is tried.

    Examples
    --------
    >>> import shoal
    >>> found = shoal.audit(shoal.examples.florentine(), scenario="internal", knowledge=["orbit"])
    >>> [(row.knows, row.k, row.in_scenario) for row in found.before]
    [('degree', 1, True), ('neighbors:1', 1, True), ('orbit', 1, False)]
    >>> found.verdict.before.below, found.verdict.overall
    (8, 'fail')
    """
    chosen = as_scenario(scenario)
    seed = parse_seed(seed, "audit")
    check_attacks(attacks)
    if external and release is None:
        raise BadParameter(
            "audit: an external report must be about a release. Got only the original, which is private. "
            "Name the release too, or leave 'external' out."
        )
    case = Case.of(original, release, mapping, same_names, files)
    if k is not None:
        chosen = chosen.with_k(check_k("audit", k, case.original))
    columns, sensitive = _check_columns(case.original, columns), _check_columns(case.original, sensitive)
    if both := [name for name in columns if name in sensitive]:
        raise BadParameter(f"audit: a column must be known or sensitive, not both. Got {list_names(both)}.")
    if external:
        case = case.view_from_outside()
        columns, sensitive = (
            tuple(n for n in names if n in case.original.attributes) for names in (columns, sensitive)
        )
    chosen.choose_kinds(case.original, columns, sensitive)  # an error where there are none
    known = columns or (tuple(n for n in case.original.attributes if n not in sensitive) if case.is_table else ())
    panel = Panel.of(case, chosen, known, _choose_others(case, knowledge, columns, sensitive))
    seen, k = Assessments(), chosen.k
    risks = CountedRisks.of(case, panel, seen, all_of_it=bool(knowledge))
    before, after = _build_rows(case, risks, k)
    recounted = [] if case.released is None else recount_promises(case, seen)
    tried = None if external else try_attacks(case, attacks, columns, seed)
    verdict = reach_verdict(case, chosen, risks, recounted, attacked=bool(tried and tried.tried))
    advised = _try_methods(case, chosen, columns, sensitive, seed, advice) if verdict.overall == "fail" else None
    residual = list_residual_risks(case)
    method, published_change = describe_method(case), select_published_change(case)
    utility, lenses = compare_release(case, seed), _choose_lenses(case, risks)
    released, extras = case.released, Extras()
    found = Audit(
        schema=SCHEMA,
        form="external" if external else "internal",
        versions=list_versions(),
        date=date,
        model=ReleaseModel(purpose, tuple(attacker_notes)),
        scenario=record_scenario(chosen, risks),
        input=None if external else identify_data(case.original, case.files[0]),
        output=None if released is None else identify_data(released, case.files[1], outside=external),
        matched=None if case.pair is None else case.pair.by,  # type: ignore[arg-type]
        columns=list_columns(case, known, sensitive),
        before=None if external else before,
        after=after,
        inference=measure_inference(case, seen, known, sensitive),
        exposure_before=None if external else extras.make(measure_exposure, case.original, k, known),
        exposure_after=None if released is None else extras.make(measure_exposure, released, k, known),
        degrees_before=None if external else count_degrees(case.original),
        degrees_after=None if released is None else count_degrees(released),
        directions_before=None if external else count_directed_degrees(case.original),
        directions_after=None if released is None else count_directed_degrees(released),
        riskiest=None if external else _find_people(risks, k, Aliases(names, "person")),
        drawing=None if external else _draw_case(case, risks, lenses, seed),
        attacks=tried,
        changes=count_changes(case),
        cells_changed=measure_cells_changed(case),
        utility=utility,
        tradeoff=extras.make(measure_tradeoff, case, seen, utility, lenses, k, seed),
        method=method,
        measured=list_measured(case),
        published_change=published_change,
        promises=tuple(check for _, check in recounted),
        residual=residual,
        certificate=build_certificate(case),
        verdict=verdict,
        next_steps=build_next_steps(case, chosen, verdict, _list_last_rows(before, after), recounted, tried, advised),
        repeat=_list_repeat_commands(case, chosen, columns, sensitive, seed),
        seed=seed,
        secrets=list_secrets(case, names=names),
        not_counted=tuple(LeftOut(spec, why) for spec, why in risks.not_counted.items()),
        partial=describe_partial(risks, tried, utility, extras),
    )
    return drop_private(found) if external else found


def _try_methods(
    case: Case, scenario: Scenario, columns: Sequence[str], sensitive: Sequence[str], seed: int, seconds: float | None
) -> ScenarioRecommendation | None:
    """Try methods on the original, as long as there is time; None where that was not asked for."""
    limit = find_limit()
    left = seconds if limit is None or seconds is None else min(seconds, limit.left)
    data = case.original
    if case.outside or not left:
        return None
    if case.is_table and sensitive:  # a sensitive column counts as known to no attacker
        columns = columns or [name for name in data.attributes if name not in sensitive]
    return recommend_for_scenario(data, scenario, columns=columns, time_limit=left, seed=seed)


EXTRAS = {measure_exposure: "an exposure curve", measure_tradeoff: "the tradeoff"}
"""Parts of an audit that need no worker: they poll."""


class Extras:
    """Parts of an audit that are left out when the time is over."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def make(self, part: Callable[..., Made | None], *arguments: Any) -> Made | None:
        """Return a part; None where it is not finished within its share of the time left."""
        limit = find_limit()
        try:
            with stop_after(None if limit is None else limit.share()):
                return part(*arguments)
        except OutOfTime:
            self.ended.append(EXTRAS[part])
            return None


def describe_partial(risks: CountedRisks, tried: Attacks | None, utility: Comparison | None, extras: Extras) -> str:
    """Return what the time limit ended, as a sentence; empty if it ended nothing."""
    limit = find_limit()
    if limit is None:
        return ""
    attacks = () if tried is None else (*tried.tried, *tried.left_out)
    sampled = 0 if tried is None else sum(bool(one.partial) for one in tried.tried)
    metrics = 0 if utility is None else sum(why == limit.reason for _, why in utility.left_out)
    cut_short = utility is not None and bool(utility.partial) and not metrics
    parts = (
        count_ended(len(risks.ended), len(risks.panel.outside), "other attacker model"),
        count_ended(0 if tried is None else len(tried.ended), len(attacks), "attack"),
        f"some repeats of {format_count(sampled, 'attack')}" if sampled else "",
        "" if utility is None else count_ended(metrics, len(utility.rows) + metrics, "metric"),
        "some baselines of metrics" if cut_short else "",
        *dict.fromkeys(extras.ended),
    )
    told = limit.describe_ended(*parts)
    return f"{told} The scenario was counted to the end." if told else ""


def _check_columns(data: Dataset, columns: Sequence[str]) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in names:
        data.attributes[name]  # an unknown one says what there is
    return names


def _choose_others(
    case: Case, knowledge: Sequence[Adversary | str] | None, columns: Sequence[str], sensitive: Sequence[str]
) -> list[Adversary]:
    """Return the attacker models besides the scenario: those asked for, or the standard ones and the guarantees'."""
    if knowledge:
        asked = (knowledge,) if isinstance(knowledge, str | Adversary) else knowledge
        return [parse_knowledge(spec) for spec in asked]
    return add_promised_knowledge(build_panel(case.original, columns, sensitive, case.released), case)


def _build_rows(case: Case, risks: CountedRisks, k: int) -> tuple[tuple[PanelRow, ...], RiskAfter | None]:
    specs = risks.panel.specs

    def build(group: Sequence[Risk]) -> tuple[PanelRow, ...]:
        return tuple(build_panel_row(risk, k, risk.adversary.spec in specs) for risk in group)

    before, inside, attacked = build(risks.before), build(risks.inside), build(risks.attacked)
    return before, None if case.released is None else RiskAfter(
        inside, attacked or None, tuple(LeftOut(spec, why) for spec, why in risks.left_out.items())
    )


def _list_last_rows(before: tuple[PanelRow, ...], after: RiskAfter | None) -> tuple[PanelRow, ...]:
    """Return the rows of the release by both kinds of facts; of the original without a release."""
    return before if after is None else (*after.release_facts, *(after.original_facts or ()))


def _find_people(risks: CountedRisks, k: int, called: Aliases) -> Riskiest:
    """Return the people most at risk by facts from the original; if there are none, by facts from the release."""
    if not risks.inside:
        return find_riskiest(risks.before, k, called, "original")
    found = find_riskiest(risks.attacked, k, called, "original")
    return found if found.people else find_riskiest(risks.inside, k, called, "release")


def _choose_lenses(case: Case, risks: CountedRisks) -> list[str]:
    """Return the two attacker models by which the network is drawn: a guaranteed one, and one that often is not."""
    last = risks.before if case.released is None else risks.inside
    there = [
        risk.adversary.spec for risk in last if risk.adversary.reads_links and not isinstance(risk.adversary, Columns)
    ]
    made = [one.knows for one in list_guarantees(case) if isinstance(one, CandidatesGuarantee)]
    wanted = [*([spec for spec in made if spec in there] or ["degree"]), "neighbors:2", "degree", *there]
    return [spec for spec in dict.fromkeys(wanted) if spec in there][:2]


def _draw_case(case: Case, risks: CountedRisks, lenses: Sequence[str], seed: int) -> NetworkDrawing | None:
    """Lay out the network; the candidates after are the fewer of both kinds of facts."""
    before = {risk.adversary.spec: risk.sizes for risk in risks.before if risk.adversary.spec in lenses}
    facts = {risk.adversary.spec: risk.sizes for risk in risks.attacked}
    after = {}
    if case.pair is not None and case.pair.counterpart is not None:
        for risk in risks.inside:
            if (spec := risk.adversary.spec) in lenses:
                after[spec] = count_candidates_after(risk.sizes, facts.get(spec), case.pair.counterpart)
    return draw_network(case, {spec: before[spec] for spec in lenses}, after, seed)


def _list_repeat_commands(
    case: Case, scenario: Scenario, columns: Sequence[str], sensitive: Sequence[str], seed: int
) -> tuple[str, ...]:
    """Return the command that repeats the audit; options of reading must be added."""
    words = ["shoal audit", name_file(case.files[0], "ORIGINAL")]
    words += list_reading_options(case.original, case.files[0])
    if case.released is not None:
        by = "--mapping SECRET" if case.pair is not None and case.pair.by == "mapping" else "--same-names"
        words += [name_file(case.files[1], "RELEASED"), *([by] if case.matched else [])]
    named = {"--columns": columns, "--sensitive": sensitive}
    words += [f"{option} {shlex.quote(','.join(names))}" for option, names in named.items() if names]
    preset, with_k, k = scenario.name.partition(" with k = ")
    words += [f"--scenario {preset if preset in PRESETS else 'SCENARIO.toml'}", *([f"-k {k}"] if with_k else [])]
    limit = find_limit()
    words += [] if limit is None else [f"--time-limit {format_duration(limit.seconds)}"]
    return (" ".join([*words, f"--seed {seed}", "-o report.html"]),)
