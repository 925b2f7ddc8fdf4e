"""The demo: a case that starts with a failure and ends with a release that passes its audit."""

import json

import pytest

import shoal
from messages import tells
from shoal.cli import demo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Run the demo once; return its folder, its exit code and its output."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        code = demo.main()
    return folder / "demo", code, (folder / "demo" / "demo.txt").read_text(encoding="utf-8")


def test_the_demo_ends_with_a_release_that_passes(shown):
    _, code, out = shown
    assert code == 0
    steps = out.split("\n# ")
    assert [step.split("$ shoal ")[1].split()[0] for step in steps] == [
        *("risk", "why", "anonymize", "recommend", "anonymize", "check", "audit", "risk", "risk", "why", "anonymize")
    ]
    assert tells(steps[0], "FAIL for", "degree+columns:age_group", "85 of 300 people")
    assert tells(steps[2], "equalize-rows", "Changed: ", "638 changes, 81.9 %")
    assert len(steps[2].splitlines()) == 4  # the cost in one line
    assert tells(steps[3], "--most-edits 10%", "at most 77 changed links", "--method reduce-risk", "cost: 64 of 779")
    assert tells(steps[4], "--method reduce-risk", "285 of 300", "target reached: yes", "Scenario: PASS")
    for step in steps[5:7]:
        assert tells(
            step.splitlines()[2], "PASS for", "degree+columns:age_group", "15 of 300 people", "5 % are allowed"
        )
    assert tells(steps[6], "outside the scenario", "Attack", "identifies")
    assert out.count("[exit 0]") == len(steps)
    assert len(out.splitlines()) < 130  # three screens


def test_the_directed_part_shows_that_direction_and_kind_identify_people(shown):
    folder, _, out = shown
    plain, typed, why, made = out.split("\n# ")[7:]
    assert tells(plain, "--undirected", "grep", "14 ")
    assert tells(typed, "--directed --kind kind", "173 ")
    assert tells(why, "has the ", " link ", "Only ")
    assert tells(made, "Guarantee:", "at least 2 candidates", "Changed:")
    after = shoal.read_graph(folder / "office" / "mails.csv", directed=True, kind="kind")
    assert shoal.assess(after, "degree").k >= 2
    assert after.kinds == shoal.examples.office().kinds


def test_most_of_the_village_is_left(shown):
    folder, before = shown[0], shoal.examples.village()
    after = shoal.read_graph(folder / "safe.csv", attributes=folder / "safe-people.csv")
    assert (after.n, 0.9 * before.m <= after.m <= 1.1 * before.m) == (before.n, True)
    assert set(after.attributes["age_group"]) == {"under 18", "18 to 64", "65 or older"}
    for file in ("safe.csv", "safe-people.csv", "safe.csv.README.md", "safe.csv.release.json"):
        assert not any(str(name) in (folder / file).read_text() for name in before.names)
    assert json.loads((folder / "safe.csv.release.json").read_text())["scenario"]["name"] == "internal"
    assert all((folder / file).stat().st_mode & 0o077 == 0 for file in ("report.html", "secret.csv"))
