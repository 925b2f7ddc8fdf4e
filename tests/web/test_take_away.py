"""The page "Take away": its files are those of the command line."""

import csv
import io
import os
import re
import shlex
import stat
from functools import cache

import pytest

from shoal.cli.app import run_command
from web_takings import CASES, CLIQUE, Taking, make_downloads

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")


@pytest.fixture(scope="module")
def taken(site):
    """Open a case and make its downloads, once."""

    @cache
    def take(case):
        opened = CASES[case].open(site)
        return opened, make_downloads(site, opened)

    return take


@pytest.fixture
def run_script(tmp_path, monkeypatch):
    """Run the commands of a shell script, each in this process; return the report and the csv."""

    def run(text):
        monkeypatch.chdir(tmp_path)
        for line in re.sub(r"^(#.*|set -e|umask 077)\n", "", text, flags=re.MULTILINE).rstrip("\n").split("\nshoal "):
            assert run_command(shlex.split(line.removeprefix("shoal "))) == 0
        return [(tmp_path / name).read_bytes() for name in ("report.html", "people-at-risk.csv")]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("case", [name for name in CASES if name != "hard"])  # that one is in test_script.py
def test_the_files_are_those_of_the_command_line(site, taken, tmp_path, run_script, case):
    taking = CASES[case]
    opened, (report, people) = taken(case)
    taking.write_files(tmp_path)
    script = site.get(f"/data/{opened.key}/take-away/download/script.sh").text
    own_report, own_people = run_script(script)
    assert people == own_people
    if taking.name.startswith("-"):  # the command names the file otherwise
        own_report = own_report.replace(b"./-", b"-")
    assert report.decode() == own_report.decode()
    rows = list(csv.reader(io.StringIO(people.decode(), newline="")))
    assert len(rows) == opened.data.n + 1


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_python_script_makes_the_same_files(site, taken, tmp_path, monkeypatch, case):
    taking = CASES[case]
    opened, (report, people) = taken(case)
    taking.write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o022)
    try:
        exec(compile(site.get(f"/data/{opened.key}/take-away/download/script.py").text, "script.py", "exec"), {})
    finally:
        os.umask(before)
    for name, expected in (("people-at-risk.csv", people), ("report.html", report)):
        assert (tmp_path / name).read_bytes() == expected
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.fixture(scope="module")
def clique(site):
    return Taking("clique.csv", CLIQUE).open(site)


def test_a_download_is_an_attachment(site, clique):
    make_downloads(site, clique)
    expected = {
        "report": ("text/html; charset=utf-8", "clique.csv.report.html"),
        "people": ("text/csv; charset=utf-8", "clique.csv.people-at-risk.csv"),
        "script.sh": ("text/x-shellscript; charset=utf-8", "clique.csv.script.sh"),
        "script.py": ("text/x-python; charset=utf-8", "clique.csv.script.py"),
    }
    for name, (kind, file) in expected.items():
        answer = site.get(f"/data/{clique.key}/take-away/download/{name}")
        assert answer.headers["content-type"] == kind
        assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{file}"
        assert answer.headers["cache-control"] == "no-store"
    page = site.get(f"/data/{clique.key}/take-away").text
    assert page.count(" download>") == 2
    assert "private" in page


def test_a_file_of_other_choices_is_not_offered(site):
    opened = Taking("clique.csv", CLIQUE).open(site)
    place = f"/data/{opened.key}/take-away"
    assert site.get(f"{place}/download/people").status_code == 404
    assert site.get(f"{place}").text.count("Make it") == 2
    site.post(f"{place}/make/people")
    site.finish(opened)
    assert site.get(f"{place}/download/people").status_code == 200
    site.get(f"/data/{opened.key}/risk/counts?k=8")
    assert site.get(f"{place}/download/people").status_code == 404
    assert site.get(f"{place}/files").text.count("Make it") == 2
    site.get(f"/data/{opened.key}/risk/counts?k=5")
    assert site.get(f"{place}/download/people").status_code == 200


def test_a_file_that_is_made_for_other_choices_is_made_again(site):
    opened = Taking("clique.csv", CLIQUE).open(site)
    place = f"/data/{opened.key}/take-away"
    with site.hold():
        site.post(f"{place}/make/people")
        site.get(f"/data/{opened.key}/risk/counts?k=8")
        site.post(f"{place}/make/people")
    site.finish(opened)
    assert site.get(f"{place}/download/people").status_code == 200


def test_making_a_file_can_be_canceled(site):
    opened = Taking("clique.csv", CLIQUE).open(site)
    place = f"/data/{opened.key}/take-away"
    with site.hold():
        assert "waiting for a free worker" in site.post(f"{place}/make/report").text
        job = opened.jobs["report"]
        site.post(f"{place}/make/report")
        assert opened.jobs["report"] is job  # it is made once
        page = site.post(f"{place}/cancel/report").text
    assert job.state == "canceled"
    assert page.count("Make it") == 2


@pytest.mark.parametrize("name", ["nothing", "read", "draw", "../report", "report.html", "", "%00", "script.exe"])
def test_other_names_are_no_files(site, clique, name):
    place = f"/data/{clique.key}/take-away"
    assert site.get(f"{place}/download/{name}").status_code == 404
    jobs = dict(clique.jobs)
    site.post(f"{place}/make/{name}")
    site.post(f"{place}/cancel/{name}")
    assert clique.jobs == jobs


def test_a_name_that_is_no_unicode_is_kept(site):
    from shoal.web.reading import Reading

    name = "fri\udcffends.csv"  # as a command line may name a file
    opened = site.call(site.workspace.open, Reading(name), {name: CLIQUE.encode()})
    site.finish(opened)
    assert opened.data is not None
    for path in ("open", "risk", "take-away"):
        assert site.get(f"/data/{opened.key}/{path}").status_code == 200
    assert site.get("/").status_code == 200
    shell = site.get(f"/data/{opened.key}/take-away/download/script.sh")
    assert os.fsencode(name) in shell.content
    assert repr(name) in site.get(f"/data/{opened.key}/take-away/download/script.py").text
    site.finish(opened)
