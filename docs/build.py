"""Write the pages that are made from the program itself: `make docs`. A test fails if one of them is out of date."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from shoal.cli.app import COMMANDS, load_command
from shoal.cli.app import main as cli
from shoal.knowledge import REGISTRY, parse_knowledge
from shoal.knowledge.base import explain_finer
from shoal.methods.base import METHODS, find_method

HERE = Path(__file__).parent
WIDE = {"terminal_width": 100, "max_content_width": 100}
MARK = "<!-- made by docs/build.py: {} -->"


READING = "\n\nHow FILE is read:\n"
SHARED = """## How FILE is read

Commands with this link below their help take these options too.

```text
{}
```"""


def commands() -> str:
    """Return the help of every command; the options for reading FILE are shown once."""
    head = ["# Commands", "The `--help` of every command. This page is made by `make docs`."]
    root = click.Context(cli, info_name="shoal", **(cli.context_settings | WIDE))
    below = [click.Context(load_command(name), info_name=name, parent=root, **WIDE) for name in sorted(COMMANDS)]
    helps = {context.command_path: context.command.get_help(context) for context in (root, *below)}
    shared = {text.partition(READING)[2] for text in helps.values() if READING in text}
    if len(shared) != 1:
        raise ValueError("docs/build.py: all commands must read FILE with the same options, listed last in the help.")
    parts = [_help(path, *text.partition(READING)[:2]) for path, text in helps.items()]
    return "\n\n".join([*head, *parts, SHARED.format(*shared)]) + "\n"


def _help(path: str, text: str, reads: str) -> str:
    link = "\n\n[How FILE is read](#how-file-is-read)" if reads else ""
    return f"## {path}\n\n```text\n{text}\n```{link}"


def knowledge() -> str:
    """Return the table of all kinds of knowledge."""
    rows = [
        f"| [`{kind.__name__}`](knowledge/{name}.md) | `{kind.form}` | {kind.notion} |"
        for name, kind in REGISTRY.items()
    ]
    return "\n".join(["| in Python | in the shell | in the literature |", "|---|---|---|", *rows])


def methods() -> str:
    """Return the table of all methods."""
    kinds = [(name, find_method(name)) for name in METHODS]
    rows = [f"| [`{k.__name__}`](methods/{name}.md) | {_known(k.protects)} | {k.changes} |" for name, k in kinds]
    return "\n".join(["| method | protects against an attacker who knows | changes |", "|---|---|---|", *rows])


def _known(protects: str) -> str:
    told = protects.removeprefix("an attacker who knows ")
    return told if told != protects else f"({protects})"


PROMISED = (
    "degree", "neighborhood:1", "shared-neighbors:2", "neighbors:2", "relations:2", "located-relations:2", "adjacency",
)  # fmt: skip
KNOWN = (
    "degree", "counts:1", "degrees:1", "neighborhood:1", "neighborhood:2", "refinement:2", "subgraph:3", "orbit",
    "adjacency", "neighbors:1", "neighbors:2", "relations:2", "located-relations:2", "shared-neighbors:2", "hubs:1",
)  # fmt: skip


def coverage() -> str:
    """Return which kinds of knowledge each promise covers in every network."""
    lines = ["| guarantee | covers |", "|---|---|"]
    for told in PROMISED:
        protected = parse_knowledge(told)
        found = [spec for spec in KNOWN if explain_finer(protected, parse_knowledge(spec), simple=False)]
        lines.append(f"| `{told}` | {', '.join(f'`{spec}`' for spec in found)} |")
    return "\n".join(lines)


def between(text: str, name: str, fresh: str) -> str:
    """Return a page with the part between two marks replaced."""
    mark = MARK.format(name)
    before, _, after = text.split(mark)
    return f"{before}{mark}\n{fresh}\n{mark}{after}"


def pages() -> dict[Path, str]:
    """Return every page that is made, with its text."""
    known, done, joined = (HERE / f"{name}.md" for name in ("knowledge", "methods", "combining"))
    return {
        HERE / "commands.md": commands(),
        known: between(known.read_text(encoding="utf-8"), "table", knowledge()),
        joined: between(joined.read_text(encoding="utf-8"), "coverage", coverage()),
        done: between(done.read_text(encoding="utf-8"), "methods", methods()),
    }


def main() -> int:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        click.echo(f"wrote {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
