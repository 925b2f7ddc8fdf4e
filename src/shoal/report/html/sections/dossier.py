"""Sections of an audit's page about the data, the scenario, the method, the guarantees and what remains open.

Data-protection authorities, medicines agencies and statistical offices ask for these beside the numbers.
"""

from __future__ import annotations

from typing import Any

from shoal.auditing.model import Audit, DataIdentification, PromiseCheck
from shoal.errors import join_names
from shoal.knowledge import parse_knowledge
from shoal.methods.links.equalize_rows import BOUND_FOR
from shoal.report.html.blocks import Block, BulletList, FactList, Grid, Paragraph, Section
from shoal.report.text.audit import describe_broken, describe_guarantee, describe_unprotected
from shoal.report.text.phrases import (
    describe_known_links,
    describe_links,
    format_fraction,
    format_measured,
    title_attack,
    title_knowledge,
)
from shoal.report.text.scenarios import describe_kind

ROLES = {
    "quasi-identifier": "counted as known to an attacker",
    "sensitive": "must stay secret",
    "other": "not counted; an attacker who knows it may identify people",
}
RULE = (
    "FAIL: the share of released people proved below k, under at least one kind of knowledge, is above the allowed "
    "share. PASS: it stays within it also with the people for whom it is not proved. Otherwise CANNOT TELL."
)
JUDGED = {
    "internal": "PASS needs both facts from the release and facts from the original. People whose exact facts match no "
    "released person are neither safe nor below k.",
    "external": "Only the published files are judged, by facts from the release.",
}
HELD = {
    True: "It holds: this report recounted it.",
    False: "IT DOES NOT HOLD.",
    None: "The release states it; this report did not recount it.",
}
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
LIMITS = (
    "Only the listed kinds of knowledge were counted. An attacker may know something else.",
    "Two releases of the same people may be unsafe together, even if each is safe alone.",
    "Whether a link between two people can be inferred is not measured.",
    "Misleading an attacker is not protection: another person may be taken for the target.",
    "A scenario is a decision. Meeting it is not a proof of safety.",
)


def build_data(audit: Audit) -> Section:
    """Return which data this is, its columns and their roles, why it is released, and the software that counted."""
    rows = []
    for name, found in (("original", audit.input), ("release", audit.output)):
        if found is not None:
            rows += _list_data_facts(name, found)
    libraries = join_names([f"{name} {v}" for name, v in audit.versions.libraries.items()])
    rows += [
        ("purpose", audit.model.purpose or "not given", ""),
        ("date", audit.date or "not given", "as its author gave it"),
        ("software", f"shoal {audit.versions.shoal}, Python {audit.versions.python}, {libraries}", ""),
    ]
    blocks: list[Block] = [FactList(rows)]
    if audit.model.attacker_notes:
        blocks += [Paragraph("Possible attackers:"), BulletList(audit.model.attacker_notes)]
    if audit.matched == "nothing":
        told = "People are not matched to the release: no mapping was given. Attacks are left out."
        blocks.append(Paragraph(told, tone="warning"))
    return Section("data", "Data and columns", [*blocks, *_list_kinds(audit), *_list_columns(audit)])


def _list_data_facts(name: str, found: DataIdentification) -> list[tuple[str, str, str]]:
    noun = "records" if found.kind == "table" else "vertices"
    links = "" if found.edges is None else f", {describe_links(found.edges, found.directed, found.kinds)}"
    size = f"{found.people:,} {noun}, each counted as a person{links}"
    rows = [(name, found.file or f"a {found.kind}", size)]
    if found.sha256 is not None:
        of = "of the file" if found.digest_of == "file" else "of names, links and columns, in any order"
        rows.append((f"{name}: SHA-256", found.sha256, of))
    if found.unread:
        rows.append((f"{name}: columns not read", join_names(found.unread), "columns of links that no number uses"))
    return rows


def _list_kinds(audit: Audit) -> list[Block]:
    """Return the numbers of links of each kind, before and after, and whether a guarantee covers the kind."""
    sides = {"original": audit.input, "release": audit.output}
    counts = {name: found.links_by_kind for name, found in sides.items() if found is not None}
    kinds = list(dict.fromkeys(kind for each in counts.values() for kind in each))
    if not kinds:
        return []
    head = ["kind", *(f"links in the {name}" for name in counts)]
    rows = [[kind or "(missing)", *(f"{each.get(kind, 0):,}" for each in counts.values())] for kind in kinds]
    if audit.output is not None:
        head.append("covered by a guarantee")
        covered = [bool(audit.promises) and kind not in audit.residual.kinds for kind in kinds]
        rows = [[*row, "yes" if is_covered else "no"] for row, is_covered in zip(rows, covered, strict=True)]
    return [Grid("Kinds of links", head, rows)]


def _list_columns(audit: Audit) -> list[Block]:
    if not audit.columns:
        return [Paragraph("The data has links only, and no columns.")]
    # a file without a manifest does not say what else was released with it
    is_said = audit.output is None or audit.method is not None
    released = {None: "–", True: "yes", False: "no" if is_said else "not in the files read"}
    rows = [[one.name, one.role, one.values, released[one.released], ROLES[one.role]] for one in audit.columns]
    return [Grid("Columns", ["column", "role", "values", "released", "meaning"], rows, words=4)]


def build_scenario(audit: Audit) -> Section:
    """Return the scenario: its numbers, its kinds of knowledge, who decided, and how it is judged."""
    found = audit.scenario
    by = found.decided_by or found.published_decider
    rows = [
        ("scenario", found.name, f"Decided by {by}." if by else "The report does not name who decided."),
        ("k", f"{found.k:,}", "a person with fewer candidates is below k"),
        ("allowed", found.allow.replace("%", " %"), "largest share of released people that may be below k"),
    ]
    notions = {row.knows: row.notion for row in (*(audit.before or ()), *audit.last_panel)}
    kinds = []
    for one in found.kinds:
        counted = one.after or one.before
        why = one.sentence or one.published_sentence or "no reason given"
        kinds.append(
            [one.knows, describe_kind(one.knows), counted or "not counted", notions.get(counted or "", "–"), why]
        )
    head = ["kind of knowledge", "the attacker knows", "counted as", "in the literature", "why"]
    if not any(one.sentence or one.published_sentence for one in found.kinds):
        head, kinds = head[:-1], [row[:-1] for row in kinds]
    table = Grid("Kinds of knowledge", head, kinds, words=len(head) - 1)
    sides = [found for found in (audit.input, audit.output) if found is not None]
    known = [parse_knowledge(row.knows) for row in audit.last_panel]
    ties = describe_known_links(any(one.directed for one in sides), any(one.kinds for one in sides), known)
    assumed = dict.fromkeys(told for told in (ties, *(row.assumes for row in audit.last_panel)) if told)
    blocks: list[Block] = [
        FactList(rows),
        table,
        Paragraph(f"{RULE} {JUDGED[audit.form]}"),
        *(Paragraph(told, tone="note") for told in assumed),
    ]
    return Section("scenario", "Scenario and rule", blocks, f"{found.name}, k = {found.k:,}")


def build_method(audit: Audit) -> Section:
    """Return the method, its settings and guarantees, and the commands that check them."""
    title, made = "Method and guarantees", audit.method
    if made is None:
        unknown = "The method is not recorded: the release has no .release.json beside it."
        told = "The data was not changed." if audit.output is None else unknown
        return Section("method", title, [Paragraph(told)])
    facts = [("method", made.name, f"It changes {made.changes}." if made.changes else "")]
    facts += [("protects against", made.protects, "")] if made.protects else []
    facts += [("source", made.source, "")] if made.source else []
    settings = ", ".join(f"{name} {_format_setting(value)}" for name, value in made.settings.items())
    facts += [("parameters", settings, "without secrets"), *list_measured(audit.measured)]
    return Section("method", title, [FactList(facts), *_list_guarantees(audit), *_list_files(audit)], made.name)


def _format_setting(value: Any) -> str:
    return "none" if value is None else format_measured(value)


def list_measured(measured: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return what a method measured, each with its meaning where the name is not enough."""
    means = MEASURED | ({"lower bound on edits": CLOSED_BOUND} if BOUND_FOR in measured else {})
    return [(str(name), format_amount(value), means.get(name, "")) for name, value in measured.items()]


def format_amount(value: Any) -> str:
    """Write a measured value; a share of some is never 0, one of not all is never 1.

    >>> format_amount(0.99999), format_amount(0.25), format_amount(1204)
    ('>0.999', '0.25', '1,204')
    """
    inner = isinstance(value, float) and 0 < value < 1
    return format_fraction(value) if inner and format_measured(value) in ("0", "1") else format_measured(value)


def _list_guarantees(audit: Audit) -> list[Block]:
    """Return each guarantee, whether it was recounted, and the evidence."""
    if not audit.promises:
        return [Paragraph("The method gives no guarantee.", tone="warning")]
    broken, others = describe_broken(audit), describe_unprotected(audit)
    warnings = [Paragraph(text, tone="warning") for text in (broken, others) if text]
    return [BulletList([_describe_promise(one) for one in audit.promises]), *warnings]


def _describe_promise(one: PromiseCheck) -> str:
    stated = f" The release says: {one.stated}" if one.holds is None and one.stated else ""
    return f"Guarantee: {describe_guarantee(one.guarantee)}. {HELD[one.holds]} {one.evidence}{stated}"


def _list_files(audit: Audit) -> list[Block]:
    made = audit.certificate
    if made is None:
        return []
    files = [(name, digest, "SHA-256") for name, digest in made.files.items()]
    blocks: list[Block] = [FactList(files)] if files else []
    if made.check_again:
        blocks += [Paragraph("To check again, with the published files:"), BulletList(made.check_again, code=True)]
    return blocks


def build_limits(audit: Audit) -> Section:
    """Return what the verdict and the guarantees leave open."""
    items = [text for text in (describe_broken(audit), describe_unprotected(audit)) if text]
    if audit.output is not None and audit.residual.not_covered:
        titles = "; ".join(map(title_knowledge, audit.residual.not_covered))
        items.append(f"Not covered by a guarantee: {titles}. A low risk there may be chance.")
    if audit.residual.columns:
        items.append(f"Not covered by a guarantee: the columns {join_names(audit.residual.columns)}.")
    if audit.residual.kinds:
        kinds = join_names([kind or "(missing)" for kind in audit.residual.kinds])
        items.append(f"Not covered by a guarantee: the kinds of links {kinds}.")
    if audit.attacks is not None:
        items += [
            f"The attack “{title_attack(one.attack)}” contradicts what the guarantee implies: the bound does not hold."
            for one in audit.attacks.tried
            if one.bound is not None and not one.bound.holds
        ]
    return Section("limits", "Residual risk and limits", [BulletList([*items, *audit.residual.notes, *LIMITS])])


def build_reproduction(audit: Audit) -> Section:
    """Return how to repeat the audit and the release."""
    blocks: list[Block] = []
    if audit.repeat:
        note = "Add the options by which the files were read, such as --header and --attributes."
        blocks = [BulletList(audit.repeat, code=True), Paragraph(note, tone="note")]
    if audit.seed is not None:
        blocks.append(FactList([("seed of the audit", str(audit.seed), "of samples and attacks; not a secret")]))
    if audit.secrets is not None:
        warned = "SECRET. Together with the original, this undoes the release. Keep it private."
        secrets = {"seed": audit.secrets.seed, "method": audit.secrets.method}
        rows = [(f"{name} (secret)", str(value), "repeats the release exactly") for name, value in secrets.items()]
        blocks += [Paragraph(warned, tone="warning"), FactList(rows if audit.secrets.method else rows[:1])]
    elif audit.form == "internal" and audit.output is not None:
        blocks.append(Paragraph("The seed of the method is in the mapping file, if one was written."))
    if not blocks:
        blocks.append(Paragraph("What would repeat the release is secret."))
    return Section("reproduce", "How to repeat it", blocks)
