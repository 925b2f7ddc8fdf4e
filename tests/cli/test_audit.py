"""The command audit: what it writes and says, and what it refuses."""

import pytest

import shoal
from messages import tells

pytestmark = pytest.mark.usefixtures("brief_searches")


@pytest.mark.slow
def test_the_command_writes_a_report_and_says_where(shell, tmp_path):
    made = ["anonymize", "example:florentine", "--method", "match-degrees", "-k", "2", "--seed", 7]
    assert shell(*made, "-o", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv")[0] == 0
    files = ["example:florentine", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv"]
    (tmp_path / "ours.toml").write_text('threshold = 0.09\ndecided_by = "the board"\n')
    code, out, err = shell("audit", *files, "--scenario", tmp_path / "ours.toml", "-o", tmp_path / "r.json")
    assert code == 0, err
    assert tells(out, "“ours”", "fewer than 12 candidates", "the board")
    assert f"Written: {tmp_path / 'r.json'}" in out
    assert "keep it private" in out
    found = shoal.read_audit(tmp_path / "r.json")
    assert found.matched == "mapping"
    assert (found.scenario.k, found.scenario.decided_by) == (12, "the board")
    assert found.method.name == "match-degrees"
    code, _, err = shell("audit", *files, "-o", tmp_path / "r.json")
    assert (code, "--force" in err) == (2, True)


@pytest.mark.slow
def test_the_command_says_that_nobody_is_matched(shell, tmp_path):
    shell("anonymize", "example:karate", "--method", "match-degrees", "-k", "2", "-o", tmp_path / "safe.csv")
    code, _, err = shell("audit", "example:karate", tmp_path / "safe.csv", "-o", tmp_path / "r.json", "--no-attacks")
    assert code == 0
    assert "not matched" in err
    assert shoal.read_audit(tmp_path / "r.json").matched == "nothing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "r.pdf"], ".html or .json"),
        (["-o", "r.json", "--mapping", "m.csv"], "RELEASED"),
        (["-o", "r.json", "--same-names"], "RELEASED"),
        (["b.csv", "-o", "r.json", "--mapping", "m.csv", "--same-names"], "must not come together"),
        (["-o", "r.json", "--external"], "--external"),
        (["-o", "r.json", "--attack", "korula-latanzi"], "Did you mean 'korula-lattanzi'"),
        (["-o", "r.json", "--attack", "knows:degre"], "Did you mean 'degree'"),
    ],
)
def test_the_command_refuses_what_cannot_be_meant(arguments, words, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = shell("audit", "example:karate", *arguments)
    assert code == 2
    assert words in err
    assert list(tmp_path.iterdir()) == []
