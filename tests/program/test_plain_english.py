"""Plain English: no whoever, nobody, somebody, everybody or anybody where a person reads.

Almost always they mean an attacker, no vertex, a person, every person or the mapping. Say that.
"""

import ast
import re
from pathlib import Path

import click
import pytest

from shoal.cli.app import COMMANDS, load_command, main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "shoal"
WORDS = re.compile(r"\b(whoever|nobody|somebody|everybody|anybody)\b", re.IGNORECASE)

ALLOWED: dict[str, tuple[str, ...]] = {}
"""By file, texts in which such a word may stay, e.g. a quotation."""


def find_words(text, path):
    """Return the lines of a text that have one of the words, without what is allowed there."""
    allowed = ALLOWED.get(path.relative_to(ROOT).as_posix(), ())
    lines = [line.strip() for line in text.splitlines() if WORDS.search(line)]
    return [line for line in lines if not any(part in line for part in allowed)]


SOURCES = [path for path in sorted(SOURCE.rglob("*.py*")) if path.suffix in (".py", ".pyi")]
MODULES = [path for path in SOURCES if "kernels" not in path.parts]
TEMPLATES = sorted(SOURCE.rglob("*.html"))
DOCUMENTS = [
    path
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    if path.exists()
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


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help(name):
    command = load_command(name)
    text = command.get_help(click.Context(command, info_name=name, **main.context_settings))
    assert WORDS.findall(text) == []


def test_help_of_the_program():
    assert WORDS.findall(main.get_help(click.Context(main, info_name="shoal", **main.context_settings))) == []


def test_summaries_are_whole_sentences():
    shown = main.get_help(click.Context(main, info_name="shoal", terminal_width=80, **main.context_settings))
    for name, command in ((name, load_command(name)) for name in COMMANDS):
        first = command.help.split("\n", maxsplit=1)[0]
        assert re.fullmatch(r"[A-Z][^.]*\.", first), name
        assert len(first) <= 60, name
        assert re.search(rf"^  {name} +{re.escape(first)}$", shown, flags=re.MULTILINE), name


def test_every_option_has_a_help_text_that_is_a_phrase():
    for name, command in ((name, load_command(name)) for name in COMMANDS):
        for option in command.params:
            if isinstance(option, click.Option):
                told = re.sub(r"\s*\[default:.*\]$", "", option.help or "")
                assert re.match(r"[A-Z].*\.(\.\.)?$", told, flags=re.DOTALL), f"{name} {option.opts[0]}"
