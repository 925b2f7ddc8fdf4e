"""The same as a script: run for real, where the data files are."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.risk.scenario import Scenario
from shoal.web.reading import Reading
from shoal.web.script import write_python_script, write_shell_script
from shoal.web.tasks import Material
from shoal.web.workspace import Opened
from web_takings import HARD, make_downloads


@pytest.fixture(scope="module")
def hard(site):
    opened = HARD.open(site)
    return opened, make_downloads(site, opened)


@pytest.mark.slow
def test_the_shell_script_makes_the_downloads_again(site, hard, tmp_path):
    opened, (report, people) = hard
    HARD.write_files(tmp_path)
    script = tmp_path / "script.sh"
    script.write_bytes(site.get(f"/data/{opened.key}/take-away/download/script.sh").content)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["/bin/sh", "script.sh"],
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        umask=0o022,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    files = {"report.html": report, "people-at-risk.csv": people}
    assert {place.name for place in tmp_path.iterdir()} == {"script.sh", HARD.name, HARD.people[0], *files}
    for name, expected in files.items():
        assert (tmp_path / name).read_bytes() == expected
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def make_opened(**more):
    return Opened("key", Reading("friends.csv"), Material({}), **more)


def test_scripts_hold_the_choices_and_no_data(hard):
    opened, _ = hard
    for text in (write_shell_script(opened), write_python_script(opened)):
        assert "private" in text
        for name in opened.data.names:
            assert str(name) not in text
        assert "Rome" not in text
        assert "token" not in text
        assert "seed" not in text


def test_a_script_without_choices_is_short():
    opened = make_opened()
    assert write_shell_script(opened).splitlines()[-2:] == [
        "shoal risk friends.csv --scenario agreement --csv people-at-risk.csv",
        "shoal audit friends.csv --scenario agreement -o report.html",
    ]
    assert "data = shoal.read_graph('friends.csv')" in write_python_script(opened)


def test_the_slider_and_the_roles_are_in_the_script():
    opened = make_opened(k=9, roles={"a,b": "quasi-identifier", "c:d": "sensitive", "e": "other", "f": "identifier"})
    shell = write_shell_script(opened)
    assert "-k 9 --columns 'a\\,b' --sensitive 'c\\:d'" in shell
    python = write_python_script(opened)
    assert "shoal.Scenario.preset('agreement').with_k(9)" in python
    assert "columns=['a,b'], sensitive=['c:d']" in python


def test_a_scenario_of_ones_own_is_written_out():
    own = Scenario("one friend", ["neighbors:1"], k=3, allow="5%")
    python = write_python_script(make_opened(scenario=own, k=4))
    [line] = [line for line in python.splitlines() if line.startswith("scenario = ")]
    found: dict = {}
    exec(f"import shoal\n{line}", found)
    assert found["scenario"] == own.with_k(4)


@pytest.mark.parametrize(
    "name", ["a\nrm x.csv", "$(touch x).csv", "`x`.csv", "'.csv", "--help", "~.csv", "*.csv", "a;b.csv"]
)
def test_no_file_name_is_a_command(name):
    opened = Opened("key", Reading(name, people=f"{name}2"), Material({}))
    shell = write_shell_script(opened).replace("shoal risk", 'set -- ""').replace("shoal audit", 'set -- ""')
    echo = 'for word in "$@"; do printf "%s\\0" "$word"; done\n'
    ran = subprocess.run(["/bin/sh", "-c", shell + echo], capture_output=True, text=True, cwd="/", check=True)
    words = ran.stdout.split("\0")
    assert words[1] == (f"./{name}" if name.startswith("-") else name)
    assert words[2:4] == ["--attributes", f"{name}2"]
    compile(write_python_script(opened), "script.py", "exec")
