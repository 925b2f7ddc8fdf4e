"""Every kind of knowledge and every method has a page with what a reader needs, and a picture that is up to date."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from members import EXAMPLES
from shoal.cli.app import COMMANDS, load_command
from shoal.knowledge import REGISTRY, parse_knowledge
from shoal.methods import METHODS, find_method
from shoal.methods.recommend import list_covering

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
KNOWLEDGE = ("Definition", "In practice", "Example", "Pitfalls", "Protection", "Reference")
METHOD = ("Guarantee", "Example", "Options", "Not protected against", "Costs",
          "When to use it", "Source")  # fmt: skip
PAGES = [*(("knowledge", name) for name in (*REGISTRY, "both")), *(("methods", name) for name in METHODS)]

every_page = pytest.mark.parametrize(("room", "name"), PAGES, ids=[f"{room}/{name}" for room, name in PAGES])


def read(room, name):
    return (DOCS / room / f"{name}.md").read_text(encoding="utf-8")


DIRECTED = [f"directed-{notion}" for notion in ("degree", "neighbors", "hubs", "utility", "kinds")]


def sections(text):
    """Return what stands under each heading."""
    head, *rest = re.split(r"^## (.*)\n", text, flags=re.M)
    return {"": head, **dict(zip(rest[::2], rest[1::2], strict=True))}


@pytest.fixture(scope="module")
def drawn():
    """Return every picture by its name, as it would be drawn now."""
    names = ("drawing", "knowledge_pictures", "methods_pictures", "directed_pictures", "pictures")
    sys.path.insert(0, str(DOCS))
    try:
        pictures = importlib.import_module("pictures")
        yield {path.stem: text for path, text in pictures.drawn().items()}
    finally:
        sys.path.remove(str(DOCS))
        for name in names:
            sys.modules.pop(name, None)


def test_no_page_is_of_nothing():
    for room in ("knowledge", "methods"):
        assert {path.stem for path in (DOCS / room).glob("*.md")} == {name for at, name in PAGES if at == room}


@every_page
def test_a_page_has_what_it_needs(room, name):
    text = read(room, name)
    found = sections(re.sub(r"^```.*?^```", lambda block: block[0].replace("\n#", "\n "), text, flags=re.M | re.S))
    assert text.startswith("# ")
    for wanted in KNOWLEDGE if room == "knowledge" else METHOD:
        assert found.get(wanted, "").strip(), f"{room}/{name} says nothing under {wanted!r}"
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    assert len(set(headings)) == len(headings)
    assert "```python\n>>> " in text


@every_page
def test_the_example_uses_what_the_page_is_about(room, name):
    code = "".join(re.findall(r"^```python\n(.*?)^```", read(room, name), flags=re.M | re.S))
    if room == "methods":
        assert f"{find_method(name).__name__}(" in code
    else:
        assert name == "both" or f"{REGISTRY[name].__name__}(" in code


@every_page
def test_a_picture_stands_above_the_first_heading_with_its_text(room, name, drawn):
    alt, path = re.search(r"!\[([^]]+)\]\(([^)]+)\)", sections(read(room, name))[""]).groups()
    assert (DOCS / room / path).resolve() == DOCS / "pictures" / f"{name}.svg"
    assert f"<title>{alt}</title>" in drawn[name]


@pytest.mark.parametrize("name", DIRECTED)
def test_the_page_on_directions_has_its_pictures_with_their_text(name, drawn):
    alt = re.search(rf"!\[([^]]+)\]\(pictures/{name}\.svg\)", (DOCS / "directed.md").read_text(encoding="utf-8"))[1]
    assert f"<title>{alt}</title>" in drawn[name]


def test_pictures_are_up_to_date(drawn):
    files = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.svg")}
    assert set(files) == set(drawn) == {"overview", *(name for _, name in PAGES), *DIRECTED}
    for name, text in files.items():
        assert text == drawn[name], f"{name}.svg is out of date: run python docs/pictures.py"


def test_pictures_load_nothing_and_hold_their_digest(drawn):
    for name, text in drawn.items():
        assert not re.search(r"<script|href=|url\(|@import", text), name
        assert re.search(r"<!-- [0-9a-f]{64} -->\n$", text), name
        assert 'role="img"' in text, name
        assert "prefers-color-scheme:dark" in text, name


@pytest.mark.parametrize("name", [*REGISTRY, "both"])
def test_a_page_names_who_protects(name):
    linked = set(re.findall(r"\(\.\./methods/([\w-]+)\.md\)", sections(read("knowledge", name))["Protection"]))
    assert (
        {method for method, _ in list_covering(parse_knowledge(EXAMPLES.get(name, "degree+neighbors:1")))}
        <= linked
        <= set(METHODS)
    )


def test_every_page_is_found_from_the_overviews():
    for room, overview in (("knowledge", "knowledge"), ("methods", "methods")):
        text = (DOCS / f"{overview}.md").read_text(encoding="utf-8")
        for at, name in PAGES:
            assert at != room or f"({room}/{name}.md)" in text, f"{overview}.md does not link {room}/{name}.md"


def test_options_that_pages_name_exist():
    known = {option for command in map(load_command, COMMANDS) for item in command.params for option in item.opts}
    for name in METHODS:
        for option in re.findall(r"`(--?[a-z][a-z-]*)", read("methods", name)):
            assert option in known, f"methods/{name}.md names {option}"


@pytest.mark.parametrize("name", list(METHODS))
def test_options_of_a_method_are_told(name):
    from dataclasses import fields

    for field in fields(find_method(name)):
        assert f"`{field.name}" in read("methods", name), f"methods/{name}.md does not tell {field.name!r}"


def anchors(path):
    """Return the headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_into_pages_lead_to_a_heading(room, name):
    for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", read(room, name)):
        assert anchor in anchors((DOCS / room / target).resolve()), f"{room}/{name}.md links {target}#{anchor}"
