"""Sections about the data, the thresholds, the method, the certificate and what remains open."""

from __future__ import annotations

from typing import Any

from shoal.report.html.blocks import Block, BulletList, FactList, Grid, Paragraph, Section
from shoal.report.html.sections.change import does_law_hold, list_measured
from shoal.report.html.sections.verdict import describe_broken, describe_promise, describe_unprotected
from shoal.report.text.phrases import (
    describe_knowledge,
    describe_untried,
    label_knowledge,
    title_attack,
    title_knowledge,
)
from shoal.report.text.wording import format_measured
from shoal.wording import join_names

ROLES = {
    "quasi-identifier": "may be known to an attacker, and is counted as known",
    "sensitive": "must stay secret: nobody should learn it about somebody",
    "other": "taken neither for known nor for secret; whoever knows it may tell people apart",
}
RULE = (
    "Against a kind of knowledge the release fails if it fails in either table of risk after. It passes if it passes "
    "in both, with nobody misled. Where facts of the original mislead some, or were not sought, it passes only if a "
    "promise covers this knowledge, was counted again for this report, and meets the threshold: such a promise bounds "
    "everybody's risk, whatever the facts of an attacker are (“promised and verified”). Otherwise it cannot be told."
)
HELD = {
    True: "It holds: this report counted it again.",
    False: "IT DOES NOT HOLD.",
    None: "So the release says; it was not counted again here.",
}
LIMITS = (
    "Counted is what the listed kinds of knowledge allow. Somebody may know something else.",
    "Several releases of the same people, each safe alone, may not be safe together.",
    "Whether a link between two people can be inferred is not measured.",
    "A person whom an attacker is wrong about is not protected: somebody else may be taken for them.",
    "Thresholds are conventions. A number below one is a decision, not a proof of safety.",
)


def build_identification(data: dict[str, Any]) -> Section:
    """Return which data these are, and what counted them."""
    rows = []
    for name, found in (("original", data["input"]), ("release", data["output"])):
        if found is not None:
            rows += _list_data_facts(name, found)
    rows += [
        ("date", data["date"] or "not given", "when the report was made, in the words of whoever made it"),
        ("shoal", data["shoal"], "version of the program that counted"),
        ("Python", data["python"], "version of the language it ran in"),
        ("libraries", join_names([f"{name} {v}" for name, v in data["libraries"].items()]), "what it counted with"),
        ("schema", str(data["schema"]), "form of the data behind this page"),
    ]
    blocks: list[Block] = [FactList(rows)]
    if data["matched"] == "nothing":
        blocks.append(
            Paragraph(
                "Nobody said who in the original is who in the release, and fresh names are never matched: what needs "
                "that is left out.",
                tone="warning",
            )
        )
    return Section("identification", "Identification", blocks)


def _list_data_facts(name: str, found: dict[str, Any]) -> list[tuple[str, str, str]]:
    noun = "records" if found["kind"] == "table" else "vertices"
    rows = [
        (name, found.get("file") or f"a {found['kind']}", "the data, by the name of the file where they came from one")
    ]
    rows.append((f"{name}: people", f"{found[noun]:,}", f"how many {noun} there are; each is called a person here"))
    if "edges" in found:
        rows.append((f"{name}: links", f"{found['edges']:,}", "how many pairs of people are linked"))
    if "sha256" in found:
        of = "the file" if found["of"] == "file" else "names, links and columns, in any order"
        rows.append((f"{name}: SHA-256", found["sha256"], f"fingerprint of {of}: other data have another"))
    return rows


def build_columns(data: dict[str, Any]) -> Section:
    """Return the columns and their roles."""
    if not data["columns"]:
        return Section(
            "columns", "Data and roles", [Paragraph("There are only links: no column says anything about people.")]
        )
    # a file alone does not tell what else was released with it
    said = data["output"] is None or data["method"] is not None
    gone = {None: "–", True: "yes", False: "no" if said else "not in the files read"}
    rows = [[c["name"], c["role"], c["kind"], gone[c["released"]], ROLES[c["role"]]] for c in data["columns"]]
    return Section(
        "columns", "Data and roles", [Grid("Columns", ["column", "role", "kind", "released", "what it means"], rows)]
    )


def build_model(data: dict[str, Any]) -> Section:
    """Return why data are released, and who might attack them."""
    given, rows = data["model"], _list_panel(data)
    blocks: list[Block] = [Paragraph(f"Purpose: {given['purpose']}" if given["purpose"] else "Purpose: not given.")]
    blocks.append(
        Paragraph(
            "The data are taken to be public: anybody may look at them, as long as they like, with whatever they know."
        )
    )
    blocks += [BulletList(given["attacker notes"])] if given["attacker notes"] else []
    blocks.append(
        Paragraph(
            "Each kind of knowledge that was counted is a scenario: somebody knows this of a person and looks for them."
        )
    )
    head = ["knowledge", "what safety from it is called", "what it means"]
    blocks.append(
        Grid(
            "Disclosure scenarios",
            head,
            [
                [label_knowledge(r["knows"]), r["notion"], f"Somebody knows {describe_knowledge(r['knows'])}."]
                for r in rows
            ],
        )
    )
    blocks += [Paragraph(f"{r['knows']}: {r['assumes']}", tone="note") for r in rows if r["assumes"]]
    return Section("model", "Release model and scenarios", blocks)


def _list_panel(data: dict[str, Any]) -> Any:
    return data["before"]["panel"] if data["before"] is not None else (data["after"] or {}).get("itself", [])


def build_thresholds(data: dict[str, Any]) -> Section:
    """Return the thresholds, who set them, and that they are conventions."""
    means = {
        "maximum risk": "largest risk of one person, one divided by the number of candidates, that passes",
        "candidates": "whoever has fewer candidates is counted as at risk in tables and charts",
    }
    rows = []
    for one in data["thresholds"]:
        by = f"Set by {one['set by']}." if one["set by"] else "Nobody is named as having set it."
        usual = " It is the default of shoal, a convention and not a proof." if one["convention"] else ""
        source = (
            " Medicines agencies use 0.09 for public releases: 12 candidates or more." if one["value"] == 0.09 else ""
        )
        rows.append((one["what"], f"{one['value']:g}", f"{means[one['what']]}. {by}{usual}{source}"))
    rule: list[Block] = [] if data["after"] is None else [Paragraph(RULE)]
    return Section("thresholds", "Thresholds", [FactList(rows), *rule])


def build_methods(data: dict[str, Any]) -> Section:
    """Return what was done, with which settings, and why."""
    made = data["method"]
    if made is None:
        told = (
            "Nothing was done to the data."
            if data["output"] is None
            else "Nobody wrote down how the release was made (there is no .release.json beside it)."
        )
        return Section("methods", "Methods, parameters, reasons", [Paragraph(told)])
    words = made["words"]
    facts = [("method", made["name"], f"It changes {words['changes']}." if words else "The method that was used.")]
    if words:
        facts += [
            ("protects", words["protects"], "from whom: the reason to choose it"),
            ("source", words["source"], "where it was published first"),
        ]
    settings = ", ".join(f"{name} {_format_setting(value)}" for name, value in made["settings"].items())
    facts.append(("parameters", settings, "what the method was run with, but for its secrets"))
    blocks: list[Block] = [FactList(facts), *_list_promised(data)]
    if data["measured"]:
        blocks.append(FactList(list_measured(data["measured"], "measured by the method while it worked")))
    return Section("methods", "Methods, parameters, reasons", blocks)


def _format_setting(value: Any) -> str:
    return "none" if value is None else format_measured(value)


def _list_promised(data: dict[str, Any]) -> list[Block]:
    if not data["promise"]:
        return [Paragraph("Nothing is promised.", tone="warning")]
    told = [
        f"{describe_promise(p)[0].upper()}{describe_promise(p)[1:]}. {HELD[found['holds']]}"
        for p, found in zip(data["promise"], data["recounted"], strict=True)
    ]
    others = describe_unprotected(data)
    return [Paragraph("What is promised:"), BulletList(told), *([Paragraph(others, tone="warning")] if others else [])]


def build_residual(data: dict[str, Any]) -> Section:
    """Return what is left open."""
    found, verdict = data["residual"], data["verdict"]
    items = [text for text in (describe_broken(data), describe_unprotected(data)) if text]
    if verdict["fail"]:
        items.append(
            f"Against {'; '.join(map(title_knowledge, verdict['fail']))} the risk of somebody is above the threshold."
        )
    if verdict["cannot tell"]:
        items.append(f"Against {'; '.join(map(title_knowledge, verdict['cannot tell']))} it could not be told.")
    if data["output"] is not None and found["not promised"]:
        items.append(
            f"Nothing is promised against {'; '.join(map(title_knowledge, found['not promised']))}; what was counted "
            "may be luck."
        )
    if found["columns in no promise"]:
        items.append(
            f"No promise speaks of the columns {join_names(found['columns in no promise'])}: they may tell people "
            "apart."
        )
    laws = [(title_attack(one["attack"]), one["law"]) for one in data["attacks"]["tried"] if one["law"]]
    items += [
        f"In the attack “{name}” what the promise implies does not hold."
        for name, law in laws
        if not does_law_hold(law)
    ]
    items += [f"Not tried: {describe_untried(one)}" for one in data["attacks"]["left out"]]
    return Section("residual", "Residual risk and limits", [BulletList([*items, *found["notes"], *LIMITS])])


def build_certificate(data: dict[str, Any]) -> Section:
    """Return what was verified, and how anybody can check it again."""
    made = data["certificate"]
    if made is None:
        return Section("certificate", "Certificate", [Paragraph("There is none: nothing was promised.")])
    blocks = _list_checked(data)
    files = [(name, found["sha256"], "SHA-256 of the file that was published") for name, found in made["files"].items()]
    blocks += [FactList(files)] if files else []
    if made["check again"]:
        blocks += [
            Paragraph("Anybody who has the released file can check again:"),
            BulletList(made["check again"], code=True),
        ]
    return Section("certificate", "Certificate", blocks)


def _list_checked(data: dict[str, Any]) -> list[Block]:
    """Return what this report counted, what it has only from the release, and first of all what is broken."""
    found = data["recounted"]
    held = [one["told"] for one in found if one["holds"]]
    blocks: list[Block] = [Paragraph(describe_broken(data), tone="warning")] if describe_broken(data) else []
    if held:
        blocks += [Paragraph("For this report the promise was checked by counting exactly, apart from the method:")]
        blocks.append(BulletList(held))
    if others := [at for at, one in enumerate(found) if one["holds"] is None]:
        told = data["verification"] if len(data["verification"]) == len(found) else []
        said = [told[at] if told else f"Promised: {describe_promise(data['promise'][at])}." for at in others]
        blocks += [Paragraph("Not counted again here; as the file says:"), BulletList(said)]
    return blocks


def build_reproduction(data: dict[str, Any]) -> Section:
    """Return how to repeat everything."""
    blocks: list[Block] = []
    if data["reproduce"]:
        told = "Add the options by which the files were read, such as --header and --attributes."
        blocks = [BulletList(data["reproduce"], code=True), Paragraph(told, tone="note")]
    if data["seeds"]:
        seeds = [
            (f"seed of the {name}", str(seed), "what samples and attacks were drawn from; it may be published")
            for name, seed in data["seeds"].items()
        ]
        blocks.append(FactList(seeds))
    if data["secrets"]:
        blocks.append(
            Paragraph(
                "SECRET. Whoever has the original and this can undo the release: keep it in the house.", tone="warning"
            )
        )
        blocks.append(
            FactList(
                [
                    (f"{name} (secret)", str(value), "repeats the release exactly")
                    for name, value in data["secrets"].items()
                ]
            )
        )
    elif data["form"] == "internal" and data["output"] is not None:
        blocks.append(Paragraph("The seed of the method is in the mapping file, where one was written."))
    if not blocks:
        blocks.append(Paragraph("How the release was made is described above; what would repeat it is a secret."))
    return Section("reproduce", "How to reproduce", blocks)
