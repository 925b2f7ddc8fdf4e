"""Every example in the documentation runs and prints what it says, and the made pages are up to date."""

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def mark_blank_lines(block):
    """Name the blank lines inside the output of an example: doctest takes a blank line for the end of it."""
    return re.sub(r"\n\n(?=[^\n>])", "\n<BLANKLINE>\n", block)


def same(expected, got):
    return doctest.OutputChecker().check_output(expected, got, FLAGS)


@pages
def test_python_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "\n\n".join(map(mark_blank_lines, blocks(page, "python")))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert failed == 0


def drop_log(err):
    """Leave out what a command says every ten seconds on a slow machine."""
    return re.sub(r"^shoal [a-z-]+: .*, [0-9]+ s\n", "", err, flags=re.M)


def test_only_the_log_is_left_out():
    assert drop_log("shoal audit: trying methods (1 of 11), 10 s\nnote: a\n") == "note: a\n"


def run(command, shell, folder):
    """Run a line of the shell; one of shoal alone in this process, which has loaded everything already."""
    words = shlex.split(command)
    if words[0] == "shoal" and not set(command) & set("|<>&;$*"):
        code, out, err = shell(*words[1:])
        return code, drop_log(err) + out
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, drop_log(done.stderr) + done.stdout


@pages
def test_shell_examples(page, tmp_path, monkeypatch, shell):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for block in blocks(page, "console"):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = step.partition("\n")
            _, got = run(command, shell, tmp_path)
            assert same(expected, got), f"$ {command}\nexpected:\n{expected}\ngot:\n{got}"


def test_blank_lines_of_an_output_are_kept():
    assert mark_blank_lines(">>> f()\na\n\nb\n\n>>> g()\n") == ">>> f()\na\n<BLANKLINE>\nb\n\n>>> g()\n"


@pages
def test_no_page_shows_the_marker_of_a_blank_line(page):
    assert "<BLANKLINE>" not in page.read_text(encoding="utf-8")


def test_the_readme_has_examples_of_both_kinds():
    assert blocks(ROOT / "README.md", "python")
    assert blocks(ROOT / "README.md", "console")


def build():
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_made_pages_are_up_to_date():
    for path, text in build().pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run make docs"


def test_every_command_ends_in_an_example():
    from shoal.cli.app import COMMANDS, load_command

    for name, command in zip(COMMANDS, map(load_command, COMMANDS), strict=True):
        assert f"shoal {name}" in command.help.split("Example")[-1], name


def test_named_tests_exist():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    for page in PAGES:
        for name in re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8")):
            assert f"def {name}(" in written, f"{page.name} names {name}"


@pages
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_thirty_points_are_drawn():
    spec = importlib.util.spec_from_file_location("thirty_points", ROOT / "docs" / "thirty_points.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    strokes, dots = module.picture().to_dict()["layer"]
    assert [row["what"] for row in dots["data"]["values"]].count("published") == 30
    assert [row["what"] for row in strokes["data"]["values"]].count("direction") == 10
    assert (ROOT / "docs" / "thirty-points.svg").read_text(encoding="utf-8").startswith("<svg")


def test_pictures_of_the_web_app_are_shown_and_small():
    spec = importlib.util.spec_from_file_location("web_pictures", ROOT / "docs" / "web_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
    assert {path.stem for path in module.FOLDER.glob("web-*.png")} == {f"web-{name}" for name in module.SHOWN}
    for name, told in module.SHOWN.items():
        assert f"![{told}](pictures/web-{name}.png)" in page
        picture = (module.FOLDER / f"web-{name}.png").read_bytes()
        assert len(picture) <= 150_000
        assert int.from_bytes(picture[16:20]) <= module.WIDE  # the header of a png


@pytest.mark.slow
def test_the_curve_of_the_village_is_up_to_date():
    spec = importlib.util.spec_from_file_location("tradeoff_picture", ROOT / "docs" / "tradeoff.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    found, told = page.measured(), "run python docs/tradeoff.py"
    assert page.digest(found) in page.FILE.read_text(encoding="utf-8"), told
    assert page.table(found) in page.PAGE.read_text(encoding="utf-8"), told


def test_the_methods_side_by_side_are_up_to_date():
    spec = importlib.util.spec_from_file_location("surveyed", ROOT / "docs" / "surveyed.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    rows = page.measured()
    told = "run python docs/surveyed.py"
    assert page.digest(rows) in page.FILE.read_text(encoding="utf-8"), told
    assert page.table(rows) in (ROOT / "docs" / "combining.md").read_text(encoding="utf-8"), told
