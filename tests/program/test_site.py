"""The site: every page is reachable, links lead somewhere, every public name is in the reference, and it builds."""

import doctest
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest

import shoal
from shoal.knowledge import REGISTRY

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ ]*$", flags=re.M | re.S)
ERRATA = {*range(1, 9), *range(10, 14), *range(15, 32)}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))


def module(path):
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def prose(page):
    """Return a page without its blocks of code."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """Return what the headings of a page are called in links."""
    titles = re.findall(r"^#{1,3} (.+)$", prose(page), flags=re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", title) for title in titles]
    slugs = [re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in plain]
    seen = Counter()
    for at, slug in enumerate(slugs):
        slugs[at], seen[slug] = f"{slug}-{seen[slug]}" if seen[slug] else slug, seen[slug] + 1
    return set(slugs)


def below(page):
    """Return the pages that the tables of contents on a page name, in order, by the rules of Sphinx."""
    name, text = page.relative_to(DOCS).with_suffix("").as_posix(), page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```", text, flags=re.M | re.S)
    entries = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    entries += [pattern for chapter, pattern in module(DOCS / "conf.py").NESTED.items() if chapter == name]
    folder = page.parent if "/" in name else DOCS
    found = []
    for entry in entries:
        matching = sorted(folder.glob(f"{entry}.md"))
        assert matching or "*" in entry, f"{name} names {entry}, which is no page"
        found += matching
    return found


def test_every_page_is_in_the_table_of_contents_once():
    found, waiting = [], [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        found.append(page)
        waiting += below(page)
    twice = [page.name for page, times in Counter(found).items() if times > 1]
    assert not twice, f"in two tables of contents: {twice}"
    orphans = [str(page.relative_to(DOCS)) for page in PAGES if page not in found]
    assert not orphans, f"in no table of contents (docs/index.md): {orphans}"


@pages
def test_links_and_anchors_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


@pages
def test_every_page_has_one_title_and_pictures_have_words(page):
    text = prose(page)
    assert len(re.findall(r"^# ", text, flags=re.M)) == 1
    assert text.lstrip().startswith("# ")
    assert not re.findall(r"!\[\]\(", text)


def test_the_reference_is_up_to_date():
    made = module(DOCS / "api" / "build.py")
    assert doctest.testmod(made).failed == 0
    texts = made.pages()
    assert set(texts) == set((DOCS / "api").glob("*.md")), "run make docs"
    for path, text in texts.items():
        assert path.read_text(encoding="utf-8") == text, f"api/{path.name} is out of date: run make docs"


def test_the_reference_has_every_public_name_once():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    named = re.findall(r"^\.\. (?:auto\w+|py:data):: shoal\.([\w.]+)$", text, flags=re.M)
    assert len(named) == len(set(named))
    namespaces = [name for name in shoal.__all__ if isinstance(getattr(shoal, name), ModuleType)]
    top = [getattr(shoal, name) for name in shoal.__all__]
    for space in namespaces:
        for name in getattr(getattr(shoal, space), "__all__", ()):
            found = getattr(getattr(shoal, space), name)
            assert f"{space}.{name}" in named or any(found is one for one in top), f"{space}.{name} is on no page"
    assert set(shoal.__all__) - set(namespaces) <= set(named)
    assert shoal.__version__ in text


def test_a_name_that_no_page_has_is_refused(monkeypatch):
    made = module(DOCS / "api" / "build.py")
    monkeypatch.setattr(shoal, "__all__", [*shoal.__all__, "Stray"])
    with pytest.raises(ValueError, match="Stray"):
        made.pages()


def test_docstrings_refer_to_public_names():
    for path in (ROOT / "src").rglob("*.py"):
        for name in re.findall(r":(?:class|func|obj):`~?shoal\.([\w.]+)`", path.read_text(encoding="utf-8")):
            assert resolve_name(f"shoal.{name}"), f"{path.name} refers to shoal.{name}"


def test_the_glossary_is_sorted_and_has_every_kind_of_knowledge():
    terms = re.findall(r"^## (.+)$", (DOCS / "glossary.md").read_text(encoding="utf-8"), flags=re.M)
    assert terms == sorted(terms, key=lambda term: term.lower().lstrip("("))
    assert len({term.lower() for term in terms}) == len(terms)
    assert {shell.replace("-", " ") for shell in REGISTRY} <= set(terms)


def test_every_erratum_names_its_tests_and_links_their_files():
    parts = re.split(r"^### E(\d+): ", (DOCS / "errata.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    numbers = [int(number) for number in parts[::2]]
    assert set(numbers) == ERRATA
    assert len(numbers) == len(ERRATA)
    for number, part in zip(numbers, parts[1::2], strict=True):
        shown = part[part.index("Shown by") :]
        files = [DOCS / path for path in re.findall(r"\]\(([^)]+\.py)\)", shown)]
        written = "".join(path.read_text(encoding="utf-8") for path in files)
        names = re.findall(r"`(test_\w+)`", shown)
        assert names, f"E{number} names no test"
        assert all(f"def {name}(" in written for name in names), f"E{number}: {names} in {files}"


@pytest.mark.parametrize("page", ["start", "tutorial", "pitfalls", "promise", "theory", "index"])
def test_pages_for_beginners_have_examples_that_run(page):
    assert ">>> " in "".join(re.findall(r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(), flags=re.M | re.S))


def test_the_site_builds_without_a_warning_and_needs_no_network(tmp_path):
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("Sphinx is not installed: make docs installs it and builds the site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", tmp_path / "trees", DOCS, tmp_path / "site"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    built = {page.relative_to(tmp_path / "site") for page in (tmp_path / "site").rglob("*.html")}
    assert {page.relative_to(DOCS).with_suffix(".html") for page in PAGES} <= built
    assert (tmp_path / "site" / "searchindex.js").exists()
    assert (tmp_path / "site" / "_images" / "networks.svg").exists()
    for page in built:
        text = (tmp_path / "site" / page).read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*", text), page
    for style in (tmp_path / "site" / "_static").rglob("*.css"):
        assert not re.findall(r"url\(['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style
