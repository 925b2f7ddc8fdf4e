"""The page "Publish": no file before the verdict, nothing private in the zip file, and scripts that make it again."""

import io
import json
import os
import shlex
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.cli.app import run_command
from shoal.report.text.scenarios import WORDS
from shoal.risk.scenario import PRESETS, Scenario
from shoal.web.release_script import spell_scenario, write_release_python, write_release_shell
from shoal.web.trials import name_files
from web_rounds import CALLS, TABLE, list_made, try_methods
from web_site import read_text
from web_takings import CLIQUE

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
DOWNLOADS = ("zip", "mapping", "internal", "script.sh", "script.py")


def place(opened, one):
    return f"/data/{opened.key}/release/{one.number}/publish"


def audit(site, opened, one):
    """Open the page and wait for the verdict, as a browser does that hears of each change."""
    assert site.get(place(opened, one)).status_code == 200
    site.finish(opened)
    site.get(f"{place(opened, one)}/state")  # the files are made, so that the audit begins
    site.finish(opened)
    assert one.audited is not None, [job.error for job in opened.jobs.values()]
    return one


def list_codes(site, opened, one):
    return [site.get(f"{place(opened, one)}/download/{name}").status_code for name in DOWNLOADS]


@pytest.fixture(scope="module")
def passing(site, club):
    """The cheapest release of the club that passes, audited."""
    one = next(one for one in club.rounds[0].ranked if one.title == "reduce risk (links added)")
    return audit(site, club, one)


@pytest.fixture
def failing(passing):
    """The same release as if its audit had failed."""
    kept = passing.audited
    passing.audited = replace(kept, summary=replace(kept.summary, verdict="fail"))
    yield passing
    passing.audited, passing.confirmed = kept, ""


# What may be downloaded, and when.


def test_nothing_can_be_downloaded_before_the_verdict(site, club):
    one = next(one for one in list_made(club.rounds[0]) if one.audited is None)
    with site.hold():
        page = site.get(place(club, one)).text
        assert "publish/download" not in page
        assert str(one.seed) not in page
        assert list_codes(site, club, one) == [403] * 5
        assert site.post(f"{place(club, one)}/confirm", {"word": ""}).status_code == 400
        assert site.post(f"{place(club, one)}/confirm", {"word": "PASS"}).status_code == 400
        assert list_codes(site, club, one) == [403] * 5
        site.call(site.workspace.jobs.cancel, club.jobs[f"files {one.number}"])
    assert not one.files
    page = site.get(place(club, one)).text  # it does not begin again by itself
    assert "CANNOT TELL" in page
    assert 'name="word"' not in page  # there is nothing to take away
    site.post(f"{place(club, one)}/confirm", {"word": "cannot  tell"})
    assert list_codes(site, club, one) == [404, 404, 404, 200, 200]
    one.confirmed = ""


def test_a_release_that_passes_is_offered_at_once(site, club, passing):
    assert passing.audited_verdict == passing.verdict == "pass"
    page = site.get(place(club, passing)).text
    assert "PASS for the scenario" in read_text(page)
    assert 'name="word"' not in page
    assert list_codes(site, club, passing) == [200] * 5
    assert site.get(f"{place(club, passing)}/download/seed").status_code == 404


@pytest.mark.parametrize("word", ["PASS", "yes", "", "FAILED", "CANNOT TELL", "FAIL FAIL", "<b>FAIL"])
def test_another_word_does_not_confirm(site, club, failing, word):
    page = site.get(place(club, failing)).text
    assert "publish/download" not in page
    assert str(failing.seed) not in page
    answer = site.post(f"{place(club, failing)}/confirm", {"word": word})
    assert answer.status_code == 400
    assert "FAIL" in answer.text
    assert "<b>FAIL" not in answer.text
    assert list_codes(site, club, failing) == [403] * 5


@pytest.mark.parametrize("word", ["FAIL", " fail "])
def test_the_verdict_in_words_opens_the_downloads(site, club, failing, word):
    assert site.post(f"{place(club, failing)}/confirm", {"word": word}).status_code == 303
    assert list_codes(site, club, failing) == [200] * 5
    page = site.get(place(club, failing)).text
    assert "FAIL for the scenario" in read_text(page)
    assert "Download the release" in page


def test_each_verdict_is_confirmed_on_its_own(site, club, failing):
    """A person who confirmed that the audit was stopped has not confirmed that it fails."""
    failing.confirmed = WORDS["cannot tell"]
    assert list_codes(site, club, failing) == [403] * 5
    assert 'name="word"' in site.get(place(club, failing)).text


def test_a_release_that_fails_by_its_first_count_does_not_pass_here(site, club, passing):
    """The worse of the two verdicts holds: that of the search, which judged facts of its own, and that of the audit."""
    kept, attempt = passing.tried, passing.tried.attempt
    judged = (*attempt.judgments, replace(attempt.judgments[0], facts="recoded", below=9))
    try:
        passing.tried = replace(kept, attempt=replace(attempt, judgments=judged))
        assert (passing.verdict, passing.audited_verdict) == ("fail", "pass")
        page = site.get(place(club, passing)).text
        assert "FAIL for the scenario" in read_text(page)
        assert list_codes(site, club, passing) == [403] * 5
        assert site.post(f"{place(club, passing)}/confirm", {"word": "PASS"}).status_code == 400
        assert site.post(f"{place(club, passing)}/confirm", {"word": "FAIL"}).status_code == 303
        assert list_codes(site, club, passing) == [200] * 5
    finally:
        passing.tried, passing.confirmed = kept, ""


# What is published.


def list_published(site, club, one):
    packed = zipfile.ZipFile(io.BytesIO(site.get(f"{place(club, one)}/download/zip").content))
    return packed, {info.filename: packed.read(info) for info in packed.infolist()}


def test_the_zip_file_has_exactly_the_public_files(site, club, passing):
    packed, files = list_published(site, club, passing)
    stem = f"Zoë's club-release-{passing.number}"
    ends = (".csv", ".people.csv", ".csv.release.json", ".csv.README.md", ".report.html")
    assert set(files) == {f"{stem}{end}" for end in ends}
    assert {info.date_time for info in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert packed.testzip() is None
    assert files == {name: passing.files[name] for name in files}
    again = site.get(f"{place(club, passing)}/download/zip").content
    assert again == site.get(f"{place(club, passing)}/download/zip").content


def test_nothing_private_is_published(site, club, passing):
    _, files = list_published(site, club, passing)
    secrets = [*map(str, club.data.names), *club.data.attributes["mail"], str(passing.seed), f"{passing.seed:x}"]
    secrets += ['"people.csv"', "mail", f"{club.data.m} links", "seed of"]
    for name, body in files.items():
        text = body.decode()
        found = [secret for secret in secrets if secret in text.replace(f"{name.partition('.csv')[0]}", "")]
        assert not found, (name, found)
    about = json.loads(next(body for name, body in files.items() if name.endswith(".release.json")))
    assert "seed" not in str(about)
    assert f"{club.data.m}" not in files[f"Zoë's club-release-{passing.number}.csv.README.md"].decode().split()


def test_private_files_come_apart_with_a_warning(site, club, passing):
    page = site.get(place(club, passing)).text
    assert "Do not publish these" in page
    names, (_, files) = name_files(club, passing), list_published(site, club, passing)
    mapping = site.get(f"{place(club, passing)}/download/mapping")
    assert mapping.content == passing.files[names.mapping]
    assert all(str(name) in mapping.text for name in passing.release.data.names)
    internal = site.get(f"{place(club, passing)}/download/internal")
    assert internal.text == passing.audited.page
    assert not {names.mapping, names.internal, names.seed} & set(files)
    for name, ending in (("script.sh", ".secret-script.sh"), ("script.py", ".secret-script.py"), ("zip", ".zip")):
        head = site.get(f"{place(club, passing)}/download/{name}").headers
        assert head["content-disposition"].endswith(f"release-{passing.number}{ending}")
        assert head["cache-control"] == "no-store"


# The scripts, run for real.


def write_inputs(site, opened, one, name, folder):
    """Write the data files and a script into a folder; return the script."""
    for file, body in opened.material.files.items():
        (folder / file).write_bytes(body)
    found = folder / "run"
    found.write_bytes(site.get(f"{place(opened, one)}/download/{name}").content)
    return found


def check_made(opened, one, folder, *, internal=True):
    """Compare the files in a folder with those of the browser, byte for byte."""
    names = name_files(opened, one)
    made = {file.name: file for file in folder.iterdir() if file.name not in (*opened.material.files, "run")}
    expected = one.files | ({names.internal: one.audited.page.encode()} if internal else {})
    for file, body in expected.items():
        assert made[file].read_bytes() == body, file
    own = {names.seed} | (set() if one.policy.scenario.name in PRESETS else {names.scenario})
    assert set(made) - set(expected) - {names.internal} <= own
    assert made[names.seed].read_text() == f"{one.seed}\n"
    assert {stat.S_IMODE(made[file].stat().st_mode) for file in {names.seed, names.mapping}} == {0o600}


@pytest.fixture
def run_here(site, tmp_path, monkeypatch):
    """Run a script in this process, which is quicker: each command of a shell script but the last, or all of Python."""

    def run(opened, one, name):
        script = write_inputs(site, opened, one, name, tmp_path)
        monkeypatch.chdir(tmp_path)
        before = os.umask(0o077)
        try:
            if name == "script.py":
                exec(compile(script.read_text(), "script.py", "exec"), {})
            else:
                text = script.read_text()
                *_, first, second, _ = text.splitlines()
                subprocess.run(["/bin/sh", "-c", text.partition("shoal anonymize")[0]], check=True)  # writes the seed
                assert run_command(shlex.split(first.partition(" || ")[0])[1:]) in (0, 1)
                assert run_command(shlex.split(second)[1:]) == 0
        finally:
            os.umask(before)
        check_made(opened, one, tmp_path, internal=name == "script.py" and one.audited_verdict == "pass")

    return run


@pytest.mark.slow
def test_the_shell_script_makes_every_file_again(site, club, tmp_path):
    """A network with a table about people, a column that names them, another k, a pipeline, and a hard file name."""
    one = next(one for one in club.rounds[0].ranked if one.title.startswith("mondrian, then") and one.verdict == "pass")
    audit(site, club, one)
    assert one.audited_verdict == "pass"
    write_inputs(site, club, one, "script.sh", tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["/bin/sh", "run"], check=False, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, umask=0o022
    )
    assert ran.returncode == 0, ran.stderr.decode()
    check_made(club, one, tmp_path)
    assert (tmp_path / name_files(club, one).scenario).exists()


@pytest.mark.slow
def test_the_python_script_makes_every_file_again(club, passing, run_here):
    run_here(club, passing, "script.py")


@pytest.fixture(scope="module")
def calls(site):
    opened = site.upload("-$HOME; `ü` .csv", CALLS)
    site.post(f"/data/{opened.key}/open/reading", {"direction": "directed", "kind": "kind"})
    site.finish(opened)
    found = try_methods(site, opened, scenario="internal", edits=1)
    one = next(one for one in found.ranked if one.verdict == "pass")
    return opened, audit(site, opened, one), found


@pytest.mark.slow
def test_directions_and_kinds(calls, run_here):
    opened, one, _ = calls
    assert one.audited_verdict == "pass"
    assert not any(file.startswith(("-", ".")) for file in one.files)
    run_here(opened, one, "script.sh")


def test_a_release_that_misses_its_target_does_not_end_the_script(calls):
    opened, _, found = calls
    missed = next(one for one in list_made(found) if one.verdict == "fail" and "reduce risk" in one.title)
    [made] = [line for line in write_release_shell(opened, missed).splitlines() if line.startswith("shoal anonymize")]
    for code, told in ((0, b"on\n"), (1, b"on\n"), (2, b""), (130, b"")):
        text = f"shoal() {{ return {code}; }}\n{made}\necho on"
        assert subprocess.run(["/bin/sh", "-ec", text], check=False, capture_output=True).stdout == told


@pytest.mark.slow
def test_a_table(site, run_here):
    opened = site.upload("people.csv", TABLE)
    site.post(f"/data/{opened.key}/open/reading", {"what": "table", "key": "who"})
    site.finish(opened)
    site.post(f"/data/{opened.key}/open/roles", {"role-3": "sensitive"})
    one = next(one for one in try_methods(site, opened, scenario="internal").ranked if one.release is not None)
    audit(site, opened, one)
    site.post(f"{place(opened, one)}/confirm", {"word": WORDS[one.audited_verdict]})
    assert not any(b"Who0" in one.files[name] for name in name_files(opened, one).public)
    run_here(opened, one, "script.sh")


@pytest.mark.slow
def test_an_example(site, run_here):
    opened = site.open_example("friends")
    one = list_made(try_methods(site, opened, scenario="internal", edits=0))[-1]
    site.get(place(opened, one))
    site.finish(opened)
    with site.hold():  # the audit would try methods
        site.get(f"{place(opened, one)}/state")
        site.call(site.workspace.cancel_all, opened)
    assert "CANNOT TELL" in site.get(place(opened, one)).text
    site.post(f"{place(opened, one)}/confirm", {"word": "CANNOT TELL"})
    assert list_codes(site, opened, one) == [200, 200, 404, 200, 200]
    assert all(file.startswith(f"example-friends-release-{one.number}.") for file in one.files)
    run_here(opened, one, "script.py")


# The scripts as texts.


def test_scripts_hold_the_seed_once_and_no_data(club, passing):
    for text in (write_release_shell(club, passing), write_release_python(club, passing)):
        assert "private" in text.splitlines()[0 if text.startswith("# ") else 1]
        assert text.count(str(passing.seed)) == 1
        assert "umask" in text
        assert not any(str(name) in text for name in club.data.names)
        assert "@x.org" not in text
    shell = write_release_shell(club, passing)
    assert f"--seed {passing.seed}" not in shell  # a list of processes would show it


def test_a_scenario_survives_its_file(tmp_path):
    for own in (
        Scenario.preset("public").with_k(7),
        Scenario('it\'s "mine" ü', ["degree+quasi-identifiers", "neighbors:1"], k=3, allow="1/3"),
    ):
        (tmp_path / "own.toml").write_text(spell_scenario(own))
        assert Scenario.read(tmp_path / "own.toml") == own


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("friends.csv", "friends"),
        ("friends.csv.gz", "friends"),
        ("-rf.csv", "rf"),
        ("..csv", "data"),
        ("example:people", "example-people"),
        ("ü\udcff.csv", "ü?"),
        ("é" * 120 + ".csv", "é" * 75),
    ],
)
def test_names_of_files(club, passing, title, stem):
    kept, club.reading = club.reading, replace(club.reading, file=title)
    try:
        names = name_files(club, passing)
    finally:
        club.reading = kept
    assert names.release == f"{stem}-release-{passing.number}.csv"
    for name in (*names.public, names.internal, names.mapping, names.seed, names.scenario):
        assert len(name.encode()) < 255


@pytest.mark.slow
def test_a_file_name_that_is_no_unicode(site):
    from shoal.web.reading import Reading

    name = "fri\udcffends.csv"  # as a command line may name a file
    opened = site.call(site.workspace.open, Reading(name), {name: CLIQUE.encode()})
    site.finish(opened)
    found = try_methods(site, opened, scenario="internal", edits=0)
    one = audit(site, opened, next(one for one in found.ranked if one.verdict == "pass"))
    assert one.audited_verdict == "pass"
    assert list_codes(site, opened, one) == [200] * 5
    assert os.fsencode(name) in site.get(f"{place(opened, one)}/download/script.sh").content
