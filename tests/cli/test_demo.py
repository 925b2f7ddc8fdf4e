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
        *("risk", "why", "why", "recommend", "anonymize", "anonymize", "check", "audit")
    ]
    assert tells(steps[0], "FAIL for", "(degree and neighbors:1)", "78 of 300 people")
    assert "--method hide-neighbors" in steps[3].splitlines()[3]
    assert all(tells(step, "Scenario: PASS") for step in steps[4:6])
    for step in steps[6:]:
        assert tells(
            step.splitlines()[2], "PASS for", "(degree and neighbors:1)", "14 of 300 people", "5 % are allowed"
        )
    assert tells(steps[7], "more people", "nor as safe", "outside the scenario", "Attack", "identifies")
    assert out.count("[exit 0]") == len(steps)
    assert len(out.splitlines()) < 130  # three screens


def test_most_of_the_village_is_left(shown):
    folder, before = shown[0], shoal.examples.village()
    after = shoal.read_graph(folder / "village.csv")
    assert (after.n, before.m <= after.m <= 1.1 * before.m) == (before.n, True)
    for file in ("village.csv", "village.csv.README.md", "village.csv.release.json"):
        assert not any(str(name) in (folder / file).read_text() for name in before.names)
    assert json.loads((folder / "village.csv.release.json").read_text())["scenario"]["name"] == "internal"
    assert all((folder / file).stat().st_mode & 0o077 == 0 for file in ("report.html", "secret.csv"))
