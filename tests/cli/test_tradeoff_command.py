"""shoal tradeoff: a table in the terminal, files readable only by their owner, and one sentence for bad input."""

import csv
import json
import stat

import pytest

pytestmark = pytest.mark.usefixtures("brief_searches")

CLUB = ("tradeoff", "example:karate", "--knows", "counts:1", "--effort", "5", "--draws", "3")


def test_a_row_per_budget(shell):
    code, out, _ = shell(*CLUB, "--budget", "2%,10%")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[2][:4] == ["budget", "links", "changed", "at"]
    assert lines[3][:7] == ["no", "change", "0", "0", "15", "of", "34"]
    assert lines[4][:2] == ["2%", "1"]
    assert lines[5][:2] == ["10%", "7"]
    assert "--method reduce-risk --knows counts:1 -k 2 --effort 5 --budget 10%" in out
    assert "community NMI" in out


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_numbers_in_a_private_file(ending, shell, tmp_path):
    path = tmp_path / f"curve.{ending}"
    code, out, err = shell(*CLUB, "--budget", "1,7", "-o", path, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    if ending == "json":
        read = json.loads(path.read_text())
        assert read == told
    else:
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [int(row["at risk"]) for row in rows[1:]] == [point["at_risk"] for point in told["points"]]
    code, _, err = shell(*CLUB, "-o", path)
    assert code == 2
    assert "--force" in err


@pytest.mark.slow
def test_the_page_and_the_chart(shell, tmp_path):
    for ending in ("html", "svg"):
        path = tmp_path / f"curve.{ending}"
        code, out, err = shell(*CLUB, "--budget", "5%", "-o", path)
        assert code == 0, err
        assert out.endswith(f"Written: {path}\n")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert "no change" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--knows"),
        (("--knows", "orbit"), "orbit"),
        (("--knows", "counts:1", "--budget", "5%,,"), "''"),
        (("--knows", "counts:1", "--budget", "5%,none"), "none"),
        (("--knows", "counts:1", "--budget", "79"), "78"),
        (("--knows", "counts:1", "--budget", "101%"), "101%"),
        (("--knows", "counts:1", "-k", "35"), "34"),
        (("--knows", "counts:1", "-k", "1_0"), "1_0"),
        (("--knows", "counts:1", "--edits", "jump"), "add-delete"),
        (("--knows", "counts:1", "--facts", "rumor"), "both"),
        (("--knows", "counts:1", "--suppress", "200%"), "200%"),
        (("--knows", "counts:1", "--draws", "0"), "draws"),
        (("--knows", "counts:1", "--effort", "soon"), "soon"),
        (("--knows", "counts:1", "--columns", "clubs"), "Did you mean 'club'"),
        (("--knows", "counts:1", "-o", "curve.png"), ".csv"),
    ],
)
def test_bad_input_ends_with_2(words, told, shell):
    code, out, err = shell("tradeoff", "example:karate", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_columns_are_known_too(shell):
    code, out, err = shell(*CLUB, "--budget", "2", "--columns", "club", "--json")
    assert code == 0
    assert "not assumed known" not in err
    assert json.loads(out)["knows"] == ["counts:1+columns:club"]
    assert "not assumed known" in shell(*CLUB, "--budget", "2", "--json")[2]


def test_the_helps_name_each_other(shell):
    for command, other in (("tradeoff", "frontier"), ("frontier", "tradeoff")):
        assert f"shoal {other}" in " ".join(shell(command, "--help")[1].split())
