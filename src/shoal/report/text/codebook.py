"""Text of codebooks: a page in Markdown that describes a release for a data archive."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.auditing.recount import record_promise
from shoal.errors import format_count, tame
from shoal.knowledge import parse_knowledge
from shoal.release.codebook import Codebook, ColumnNote, KindNote
from shoal.report.text.audit import describe_guarantee
from shoal.report.text.phrases import capitalize, describe_knowledge, describe_known_links
from shoal.report.text.scenarios import describe_counts
from shoal.show import as_text

MARKUP = frozenset("\\`*_{}[]<>#|!~")
IDS = "the id of a person: a number in random order, without meaning"
ROLES = {
    "links": "One row per link. `source` and `target` are ids of people: numbers in random order, without meaning. "
    "{form} A person without links has a row with an empty `target`.",
    "network": "The people and their links. {form} Ids are numbers in random order, without meaning.",
    "network with columns": "The people, their links and their columns. {form} Ids are numbers in random order, "
    "without meaning.",
    "table": "One row per person, in random order.",
    "attributes": f"One row per person. `name` is {IDS}; it matches the links.",
    "classes": "The classes of people that the links were drawn from, with their sizes and numbers of links.",
}
LIMITS = (
    "The guarantee is about identity, not about whether a link exists or a person took part.",
    "An attacker with other knowledge than stated above may find fewer candidates.",
)


@as_text.register
def render_codebook(book: Codebook) -> str:
    """Return the codebook as Markdown."""
    page, what = book.manifest, "table" if book.is_table else "network"
    size = format_count(page["individuals"], "person", "people")
    size += "" if book.is_table else f" and {format_count(page['edges'], 'link')}"
    parts = [
        f"# {escape(book.files[0].name)}: an anonymized {what}",
        f"This {what} has {size}. People are not named. It was made with shoal {escape(page['shoal'])}.",
        "## Files",
        "\n".join(_list_files(book)),
        f"{escape(book.manifest_name)} holds the same facts for programs.",
        *_describe_kinds(book.kinds),
        *_describe_columns(book.columns),
        "## Guarantee",
        *_describe_guarantees(page),
        *_describe_scenario(page),
        "## What is not protected",
        "\n".join(f"- {line}" for line in LIMITS),
        *_name_uncovered(page),
        "## How to check",
        "Anyone can recount the guarantee in the published files, without the original:",
        _render_commands(book),
        "## How to cite",
        _describe_citation(page),
    ]
    return "\n\n".join(parts) + "\n"


def _describe_citation(page: Mapping[str, Any]) -> str:
    release, made_by = escape(page["release"]), escape(page["shoal"])
    cite = f"Cite the data set as its archive asks, with the release id `{release}`, which identifies these files."
    return f"{cite} Software: shoal {made_by}."


def _list_files(book: Codebook) -> list[str]:
    digests = [file["sha256"] for file in book.manifest["files"].values()]  # in the order of the files
    return [
        f"- {escape(one.name)}: {ROLES[one.role].format(form=_describe_form(book, one.role))} SHA-256 `{digest}`."
        for one, digest in zip(book.files, digests, strict=True)
    ]


def _describe_form(book: Codebook, role: str) -> str:
    """Say whether links of a file have a direction, and where their kind stands."""
    table, directed = role == "links", bool(book.manifest.get("directed"))
    way = "A link leads from `source` to `target`." if table else "Links have a direction."
    told = [way if directed else "Links have no direction."]
    told += [f"The {'column' if table else 'attribute'} `kind` is the kind of the link."] if book.kinds else []
    return " ".join(told)


def _describe_kinds(kinds: Sequence[KindNote]) -> list[str]:
    if not kinds:
        return []
    rows = [[one.name or "(missing)", f"{one.links:,}", "yes" if one.covered else "no"] for one in kinds]
    return ["## Kinds of links", render_grid(["kind", "links", "covered by the guarantee"], rows)]


def _describe_columns(columns: Sequence[ColumnNote]) -> list[str]:
    if not columns:
        return []
    told = any(one.description for one in columns)
    head = ["column", "values", "different values", "missing", *(["description"] if told else [])]
    rows = [
        [one.name, one.kind, f"{one.values:,}", f"{one.missing:,}", *([one.description or ""] if told else [])]
        for one in columns
    ]
    return ["## Columns", render_grid(head, rows)]


def _describe_guarantees(page: Mapping[str, Any]) -> list[str]:
    told = [f"- {escape(capitalize(describe_guarantee(record_promise(one))))}." for one in page["promise"]]
    if not told:
        return ["The method gives no guarantee."]
    others = [f"**{page['others']}.**"] if "others" in page else []
    means = "A candidate is a person in the data who fits everything that the attacker knows."
    known = [
        parse_knowledge(spec)
        for one in page["promise"]
        if one["kind"] in ("candidates", "partial")
        for spec in ([one["knows"]] if one["kind"] == "candidates" else one["knows"])
    ]
    ties = escape(describe_known_links(bool(page.get("directed")), bool(page.get("kinds")), known))
    return ["\n".join(told), " ".join(filter(None, [means, ties])), *others]


def _describe_scenario(page: Mapping[str, Any]) -> list[str]:
    found = page.get("scenario")
    if found is None:
        return []
    counted = list(found["counted"].values())
    allowed = found["allow"].replace("%", " %")
    fewer = f"fewer than {format_count(found['k'], 'candidate')}"
    asks = f"The scenario “{escape(found['name'])}” asks that at most {allowed} of the people have {fewer}"
    told = [
        f"{asks}. The attacker knows one of these:",
        "\n".join(f"- {escape(describe_knowledge(spec))}" for spec in counted) or "- nothing that these files hold",
    ]
    judged = found["facts of the release"]
    if judged is not None:
        counts = describe_counts(
            judged["below"], judged["unproved"], 0, judged["people"], found["k"], kinds=len(counted)
        )
        told.append(f"Counted in these files: {judged['verdict'].upper()}. {counts}")
    return ["## Scenario", *told]


def _name_uncovered(page: Mapping[str, Any]) -> list[str]:
    names = page["columns in no promise"]
    listed = escape(", ".join(names))
    told = [f"Columns that no guarantee covers, with their values as they were: {listed}."] if names else []
    kinds = escape(", ".join(kind or "(missing)" for kind in page.get("kinds in no promise", [])))
    return [*told, *([f"Kinds of links that no guarantee covers: {kinds}."] if kinds else [])]


def _render_commands(book: Codebook) -> str:
    """Return commands that recount the guarantees, ready for a shell."""
    words = [book.files[0].name, *(["--table"] if book.is_table else [])]
    words += ["--directed"] if book.manifest.get("directed") and book.files[0].role == "links" else []
    words += ["--kind", "kind"] if book.kinds else []
    for one in book.files:
        words += ["--attributes", one.name] if one.role == "attributes" else []
    checks = [
        ["check", *words, "--knows", one["knows"], "--at-least", str(one["k"])]
        for one in book.manifest["promise"]
        if one["kind"] == "candidates" and one["for"] == "all" and one["source"] == "release"
    ]
    checks += [
        ["risk", *words, *(word for spec in one["knows"] for word in ("--knows", spec)), "-k", str(one["k"])]
        for one in book.manifest["promise"]
        if one["kind"] == "partial"
    ]
    lines = [tame(shlex.join(["shoal", *command])) for command in checks or [["risk", *words]]]
    return "\n".join(["```", "pip install shoal", *lines, "```"])


def render_grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(escape(cell) for cell in line)} |" for line in lines)


def escape(text: object) -> str:
    r"""Return text from data so that it cannot change the page: one line, no markup.

    >>> print(escape("a|b<script>\n# x"))
    a\|b\<script\>\\n\# x
    """
    return "".join(f"\\{c}" if c in MARKUP else c for c in tame(text))
