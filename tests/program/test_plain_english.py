"""Plain English: no whoever, nobody, somebody, everybody or anybody where a person reads.

Almost always they mean an attacker, no vertex, a person, every person or the mapping. Say that.
"""

import ast
import re
from pathlib import Path

import click
import pytest

from shoal.cli.app import main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "shoal"
WORDS = re.compile(r"\b(whoever|nobody|somebody|everybody|anybody)\b", re.IGNORECASE)

PENDING = (
    # Folders and files that are still being rewritten (issue 16). The last helper to merge empties this list.
    "src/shoal/auditing",
    "src/shoal/cli/commands/audit.py",
    "src/shoal/core",
    "src/shoal/data",
    "src/shoal/io",
    "src/shoal/methods",
    "src/shoal/report/html",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
)
DONE = (
    # Parts of pending folders that are rewritten already; this list goes when PENDING is empty.
    "src/shoal/auditing/frontier",
    "src/shoal/report/html/frontier.py",
    "src/shoal/report/html/templates/frontier.html",
)
PENDING_COMMANDS = ("audit",)
"""Commands whose help is still being rewritten."""
ALLOWED: dict[str, tuple[str, ...]] = {}
"""By file, texts in which such a word may stay, e.g. a quotation."""


def is_among(path, parts):
    name = path.relative_to(ROOT).as_posix()
    return any(name == part or name.startswith(f"{part}/") for part in parts)


def is_pending(path):
    return is_among(path, PENDING) and not is_among(path, DONE)


def find_words(text, path):
    """Return the lines of a text that have one of the words, without what is allowed there."""
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix(), ())
    lines = [line.strip() for line in text.splitlines() if WORDS.search(line)]
    return [line for line in lines if not any(part in line for part in allowed)]


SOURCES = [path for path in sorted(SOURCE.rglob("*.py*")) if path.suffix in (".py", ".pyi")]
MODULES = [path for path in SOURCES if "kernels" not in path.parts and not is_pending(path)]
TEMPLATES = [path for path in sorted(SOURCE.rglob("*.html")) if not is_pending(path)]
DOCUMENTS = [
    path
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    if path.exists() and not is_pending(path)
]


def name_path(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name_path)
def test_strings_and_docstrings(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [line for text in texts for line in find_words(text, path)] == []


@pytest.mark.parametrize("path", [*TEMPLATES, *DOCUMENTS], ids=name_path)
def test_pages(path):
    assert find_words(path.read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize("name", [name for name in sorted(main.commands) if name not in PENDING_COMMANDS])
def test_help(name):
    text = main.commands[name].get_help(click.Context(main.commands[name], info_name=name))
    assert WORDS.findall(text) == []


def test_help_of_the_program():
    assert WORDS.findall(main.get_help(click.Context(main, info_name="shoal"))) == []


def test_summaries_are_whole_sentences():
    shown = main.get_help(click.Context(main, info_name="shoal", terminal_width=80))
    for name, command in main.commands.items():
        first = command.help.split("\n", maxsplit=1)[0]
        assert re.fullmatch(r"[A-Z][^.]*\.", first), name
        assert len(first) <= 60, name
        assert re.search(rf"^  {name} +{re.escape(first)}$", shown, flags=re.MULTILINE), name


def test_every_option_has_a_help_text_that_is_a_phrase():
    for name, command in main.commands.items():
        for option in command.params:
            if isinstance(option, click.Option) and name not in PENDING_COMMANDS:
                told = re.sub(r"\s*\[default:.*\]$", "", option.help or "")
                assert re.match(r"[A-Z].*\.(\.\.)?$", told, flags=re.DOTALL), f"{name} {option.opts[0]}"
