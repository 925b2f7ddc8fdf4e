"""Sections of an audit's page about the data, the scenario, the method, the guarantees and what remains open.

Data-protection authorities, medicines agencies and statistical offices ask for these beside the numbers.
"""

from __future__ import annotations

from typing import Any

from shoal.auditing.findings import LeftOut
from shoal.auditing.model import Audit, DataIdentification, PromiseCheck
from shoal.errors import join_names
from shoal.methods.links.equalize_rows import BOUND_FOR
from shoal.report.html.blocks import Block, BulletList, FactList, Grid, Paragraph, Section
from shoal.report.text.audit import describe_broken, describe_guarantee, describe_unprotected
from shoal.report.text.phrases import (
    capitalize,
    describe_knowledge,
    format_fraction,
    format_measured,
    label_knowledge,
    title_attack,
    title_knowledge,
)
from shoal.report.text.scenarios import describe_kind

ROLES = {
    "quasi-identifier": "counted as known to an attacker",
    "sensitive": "must stay secret: an attacker must not learn it about a person",
    "other": "counted neither as known nor as secret; an attacker who knows it may identify people",
}
RULE = (
    "The verdict is FAIL if the share of released people proved below k, under at least one kind of knowledge of the "
    "scenario, is above the allowed share. It is PASS if that share stays within it also with the people for whom the "
    "number is not proved. Otherwise it is CANNOT TELL. Facts from the release and facts from the original are judged; "
    "PASS needs both. People whose exact facts match no released person are neither safe nor below k."
)
HELD = {
    True: "It holds: this report recounted it.",
    False: "IT DOES NOT HOLD.",
    None: "The release states it; this report did not recount it.",
}
LIMITS = (
    "Only the listed attacker models were assessed. An attacker may know something else.",
    "Two releases of the same people may be unsafe together, even if each is safe alone.",
    "Whether a link between two people can be inferred is not measured.",
    "Misleading an attacker is not protection: another person may be taken for the target.",
    "A scenario is a decision. Meeting it is not a proof of safety.",
)
SINGLING_OUT = (
    "Can a person be identified in the data? The candidates of each person are counted; a person with 1 candidate is "
    "unique. The tables of risk, the bars and the exposure curve answer this."
)
LINKABILITY = (
    "Can outside knowledge be linked to the release? Facts from the original are searched in the release, and attacks "
    "are tried. Both need the mapping."
)
INFERENCE = (
    "Can an attacker learn something about a person without identifying them? For sensitive columns, the values in "
    "each class are counted. Inferred links are not measured."
)
QUESTIONS = (("Singling out", SINGLING_OUT), ("Linkability", LINKABILITY), ("Inference", INFERENCE))
MEASURED = {
    "edits": "links added or removed",
    "lower bound on edits": "no release of this kind has fewer edits",
    "edits above the lower bound": "edits that a better search for such classes could save, at most",
    BOUND_FOR: "the releases that the lower bound is about; the guarantee is weaker than these classes",
    "sweeps": "rounds of the search",
}
"""Meanings of what methods measure, where the name is not enough."""
CLOSED_BOUND = (
    "no release of this kind (closed classes) has fewer edits; another way of meeting the guarantee may have fewer"
)


def build_identification(audit: Audit) -> Section:
    """Return which data this is, and the software that counted."""
    rows = []
    for name, found in (("original", audit.input), ("release", audit.output)):
        if found is not None:
            rows += _list_data_facts(name, found)
    libraries = join_names([f"{name} {v}" for name, v in audit.versions.libraries.items()])
    rows += [
        ("date", audit.date or "not given", "date of the report, as its author gave it"),
        ("shoal", audit.versions.shoal, "version of the program"),
        ("Python", audit.versions.python, "version of the language"),
        ("libraries", libraries, "versions of the libraries that count"),
        ("schema", str(audit.schema), "version of the data format behind this page"),
    ]
    blocks: list[Block] = [FactList(rows)]
    if audit.matched == "nothing":
        told = (
            "People in the original are not matched to the release, because no mapping was given. Attacks and "
            "comparisons of people are left out."
        )
        blocks.append(Paragraph(told, tone="warning"))
    return Section("identification", "Identification", blocks)


def _list_data_facts(name: str, found: DataIdentification) -> list[tuple[str, str, str]]:
    noun = "records" if found.kind == "table" else "vertices"
    rows = [(name, found.file or f"a {found.kind}", "name of the file, or kind of the data")]
    rows.append((f"{name}: people", f"{found.people:,}", f"number of {noun}; this report calls each a person"))
    if found.edges is not None:
        rows.append((f"{name}: links", f"{found.edges:,}", "number of linked pairs of people"))
    if found.unread:
        rows.append((f"{name}: columns not read", join_names(found.unread), "columns of links that no number uses"))
    if found.sha256 is not None:
        of = "the file" if found.digest_of == "file" else "names, links and columns, in any order"
        rows.append((f"{name}: SHA-256", found.sha256, f"digest of {of}; different data has a different digest"))
    return rows


def build_columns(audit: Audit) -> Section:
    """Return the columns and their roles."""
    if not audit.columns:
        return Section("columns", "Data and roles", [Paragraph("The data has links only, and no columns.")])
    # a file without a manifest does not say what else was released with it
    is_said = audit.output is None or audit.method is not None
    released = {None: "–", True: "yes", False: "no" if is_said else "not in the files read"}
    rows = [[one.name, one.role, one.values, released[one.released], ROLES[one.role]] for one in audit.columns]
    head = ["column", "role", "values", "released", "what it means"]
    return Section("columns", "Data and roles", [Grid("Columns", head, rows)])


def build_model(audit: Audit) -> Section:
    """Return why data is released, and who might attack it."""
    rows = audit.before if audit.before is not None else audit.last_panel
    blocks: list[Block] = [Paragraph(f"Purpose: {audit.model.purpose or 'not given.'}")]
    blocks.append(
        Paragraph("The data counts as public: any person may analyze it with any knowledge, without a limit.")
    )
    blocks += [BulletList(audit.model.attacker_notes)] if audit.model.attacker_notes else []
    blocks.append(
        Paragraph("Each attacker model is a disclosure scenario: the attacker knows this fact about a person.")
    )
    cells = [
        [label_knowledge(row.knows), row.notion, f"The attacker knows {describe_knowledge(row.knows)}."] for row in rows
    ]
    head = ["knows", "safety in the literature", "what it means"]
    blocks.append(Grid("Disclosure scenarios", head, cells))
    blocks += [Paragraph(f"{row.knows}: {row.assumes}", tone="note") for row in rows if row.assumes]
    return Section("model", "Release model and scenarios", blocks)


def build_scenario(audit: Audit) -> Section:
    """Return the scenario: its numbers, its kinds of knowledge, and who decided."""
    found = audit.scenario
    by = found.decided_by or found.published_decider
    rows = [
        ("scenario", found.name, f"Decided by {by}." if by else "The report does not name who decided."),
        ("k", f"{found.k:,}", "a person with fewer candidates is below k"),
        ("allowed", found.allow.replace("%", " %"), "largest share of released people that may be below k"),
    ]
    kinds = [
        [one.knows, describe_kind(one.knows), one.after or one.before or "not counted", one.sentence or ""]
        for one in found.kinds
    ]
    head = ["knows", "what it means", "counted", "why"]
    blocks: list[Block] = [FactList(rows), Grid("Kinds of knowledge", head, kinds), Paragraph(RULE)]
    return Section("scenario", "Scenario", blocks)


def build_questions(audit: Audit) -> Section:
    """Return the three questions that authorities ask, and the numbers that answer each."""
    head = Paragraph("Authorities ask three questions. These numbers answer them:")
    return Section("groups", "Three questions", [head, FactList([(name, "", told) for name, told in QUESTIONS])])


def build_methods(audit: Audit) -> Section:
    """Return the method, its settings and its guarantees."""
    title, made = "Methods, parameters, reasons", audit.method
    if made is None:
        unknown = "The method is not recorded: the release has no .release.json beside it."
        told = "The data was not changed." if audit.output is None else unknown
        return Section("methods", title, [Paragraph(told)])
    facts = [("method", made.name, f"It changes {made.changes}." if made.changes else "the method that was used")]
    if made.protects and made.source:
        facts += [
            ("protects against", made.protects, "the reason to choose it"),
            ("source", made.source, "first publication"),
        ]
    settings = ", ".join(f"{name} {_format_setting(value)}" for name, value in made.settings.items())
    facts.append(("parameters", settings, "settings of the method, without its secrets"))
    blocks: list[Block] = [FactList(facts), *_list_guarantees(audit)]
    if audit.measured:
        blocks.append(FactList(list_measured(audit.measured, "measured by the method while it ran")))
    return Section("methods", title, blocks)


def _format_setting(value: Any) -> str:
    return "none" if value is None else format_measured(value)


def list_measured(measured: dict[str, Any], otherwise: str) -> list[tuple[str, str, str]]:
    """Return what a method measured, each with its meaning."""
    means = MEASURED | ({"lower bound on edits": CLOSED_BOUND} if BOUND_FOR in measured else {})
    return [(str(name), format_amount(value), means.get(name, otherwise)) for name, value in measured.items()]


def format_amount(value: Any) -> str:
    """Write a measured value; a share of some is never 0, one of not all is never 1.

    >>> format_amount(0.99999), format_amount(0.25), format_amount(1204)
    ('>0.999', '0.25', '1,204')
    """
    inner = isinstance(value, float) and 0 < value < 1
    return format_fraction(value) if inner and format_measured(value) in ("0", "1") else format_measured(value)


def _list_guarantees(audit: Audit) -> list[Block]:
    if not audit.promises:
        return [Paragraph("The method gives no guarantee.", tone="warning")]
    told = [f"{capitalize(describe_guarantee(one.guarantee))}. {HELD[one.holds]}" for one in audit.promises]
    others = describe_unprotected(audit)
    return [Paragraph("Guarantees:"), BulletList(told), *([Paragraph(others, tone="warning")] if others else [])]


def build_residual(audit: Audit) -> Section:
    """Return what the verdict and the guarantees leave open."""
    exposed = tuple(row.knows for row in audit.last_panel if row.below)
    items = [text for text in (describe_broken(audit), describe_unprotected(audit)) if text]
    if exposed:
        items.append(f"Some people are below k if an attacker knows: {_list_titles(exposed)}.")
    if audit.output is not None and audit.residual.not_covered:
        items.append(
            f"Not covered by a guarantee: {_list_titles(audit.residual.not_covered)}. A low risk there may be chance."
        )
    if audit.residual.columns:
        items.append(f"Not covered by a guarantee: the columns {join_names(audit.residual.columns)}.")
    if audit.attacks is not None:
        items += [
            f"The attack “{title_attack(one.attack)}” contradicts what the guarantee implies: the bound does not hold."
            for one in audit.attacks.tried
            if one.bound is not None and not one.bound.holds
        ]
        items += [describe_untried(one) for one in audit.attacks.left_out]
    return Section("residual", "Residual risk and limits", [BulletList([*items, *audit.residual.notes, *LIMITS])])


def _list_titles(specs: tuple[str, ...]) -> str:
    return "; ".join(map(title_knowledge, specs))


def describe_untried(one: LeftOut) -> str:
    """Say that an attack was not tried, with its name in the shell and the reason.

    >>> describe_untried(LeftOut("grampa", "It takes long."))
    'Not tried: ... (grampa). It takes long.'
    """
    title = title_attack(one.name)
    return f"Not tried: {title}{'' if title == one.name else f' ({one.name})'}. {one.why}"


def build_certificate(audit: Audit) -> Section:
    """Return what was verified, and the commands that check it again."""
    made = audit.certificate
    if made is None:
        return Section("certificate", "Certificate", [Paragraph("There is no guarantee, so there is no certificate.")])
    blocks = _list_checked(audit)
    files = [(name, digest, "SHA-256 of the published file") for name, digest in made.files.items()]
    blocks += [FactList(files)] if files else []
    if made.check_again:
        blocks += [Paragraph("To check again, with the released file:"), BulletList(made.check_again, code=True)]
    return Section("certificate", "Certificate", blocks)


def _list_checked(audit: Audit) -> list[Block]:
    """Return what is broken, what this report recounted, and what only the release states."""
    broken = describe_broken(audit)
    blocks: list[Block] = [Paragraph(broken, tone="warning")] if broken else []
    held = [one.evidence for one in audit.promises if one.holds]
    if held:
        head = "This report recounted the guarantee exactly, without using the method:"
        blocks += [Paragraph(head), BulletList(held)]
    others = [one.stated or f"{capitalize(describe_guarantee(one.guarantee))}." for one in _list_not_recounted(audit)]
    if others:
        reasons = [one.evidence for one in _list_not_recounted(audit)]
        blocks += [Paragraph("Not recounted here. The release states:"), BulletList(others)]
        blocks += [Paragraph(f"Why not: {' '.join(dict.fromkeys(reasons))}", tone="note")]
    return blocks


def _list_not_recounted(audit: Audit) -> list[PromiseCheck]:
    return [one for one in audit.promises if one.holds is None]


def build_reproduction(audit: Audit) -> Section:
    """Return how to repeat the audit and the release."""
    blocks: list[Block] = []
    commands = [*audit.repeat, *(audit.certificate.check_again if audit.certificate is not None else ())]
    if commands:
        note = "Add the options by which the files were read, such as --header and --attributes."
        blocks = [BulletList(commands, code=True), Paragraph(note, tone="note")]
    if audit.seed is not None:
        blocks.append(FactList([("seed of the audit", str(audit.seed), "seed of samples and attacks; not a secret")]))
    if audit.secrets is not None:
        warned = "SECRET. Together with the original, this undoes the release. Keep it private."
        secrets = {"seed": audit.secrets.seed, "method": audit.secrets.method}
        rows = [(f"{name} (secret)", str(value), "repeats the release exactly") for name, value in secrets.items()]
        blocks += [Paragraph(warned, tone="warning"), FactList(rows if audit.secrets.method else rows[:1])]
    elif audit.form == "internal" and audit.output is not None:
        blocks.append(Paragraph("The seed of the method is in the mapping file, if one was written."))
    if not blocks:
        blocks.append(Paragraph("The method is described above. What would repeat the release is secret."))
    return Section("reproduce", "How to reproduce", blocks)
