"""`make soundness`: each judge accepts shoal's answers, notices a planted fault, and saves it as a file that runs."""

import ast
import os
import subprocess
import sys

import pytest

from soundness import judging, run
from soundness.faults import FAULTS, plant_fault

SEED = 7
"""Cases are the same in each run here; `make soundness` draws others."""
NEVER_SHOWN = 40
"""A fault must be noticed within so many cases of a kind. Some cases do not show it, such as equal probabilities."""
kinds = pytest.mark.parametrize(
    "kind", sorted(judging.KINDS.values(), key=lambda kind: kind.name), ids=lambda kind: kind.name
)


@pytest.mark.slow
@kinds
def test_a_judge_accepts_what_is_true_and_notices_a_fault(kind):
    if kind.name.startswith("relational/"):
        pytest.importorskip("duckdb")
    for number in range(NEVER_SHOWN):
        case = run.draw_case(SEED, kind.name, number)
        right = run.try_case(kind.name, case)
        if right is None:
            continue
        assert right.wrong == []
        with plant_fault(kind.fault):
            wrong = run.try_case(kind.name, case)
        if wrong is not None and wrong.wrong:
            assert right.compared
            return
    pytest.fail(f"{kind.name}: {kind.fault!r} was never noticed")


def test_each_fault_is_planted_in_some_kind():
    assert {kind.fault for kind in judging.KINDS.values()} == set(FAULTS)


def test_every_kind_of_knowledge_and_every_method_is_judged():
    from shoal.knowledge import REGISTRY
    from shoal.methods import METHODS

    names = [name.split("/")[1] for name in judging.KINDS]
    assert not [word for word in (*REGISTRY.words, *METHODS.words) if not any(name.startswith(word) for name in names)]


def test_failures_are_counted_saved_and_repeated(tmp_path, capsys):
    report = run.run_cases(0, SEED, tmp_path, only="knowledge/degree:total", fault="a size too large")
    assert report.failures == sum(tally.cases for tally in report.tallies.values()) == len(report.saved) == 2
    assert str(report).endswith(f"SEED={SEED}")
    told = report.saved[0]
    assert capsys.readouterr().out.count("FAILED knowledge/degree") == report.failures
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run([sys.executable, told], capture_output=True, text=True, env=environment, check=False)
    assert (found.returncode, found.stderr) == (1, "")
    assert "sizes: shoal says" in found.stdout
    mended = told.read_text(encoding="utf-8").replace("'a size too large'", "None")
    told.write_text(mended, encoding="utf-8")
    found = subprocess.run([sys.executable, told], capture_output=True, text=True, env=environment, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert " 0 of " in found.stdout


def test_a_failed_case_becomes_small():
    name, fault = "knowledge/degree", "a size too large"
    case = run.draw_case(SEED, name, 0)
    with plant_fault(fault):
        small = run.shrink_case(name, case, run.try_case(name, case).wrong[0])
        assert run.try_case(name, small).wrong
    assert (len(small["published"].names), len(small["published"].links)) == (2, 0)


def test_a_process_that_ends_is_a_failure(monkeypatch, tmp_path):
    # the worker imports this module anew, so it is given a kind that it does not know
    monkeypatch.setitem(judging.KINDS, "nothing", judging.KINDS["knowledge/degree"])
    report = run.run_cases(0, SEED, tmp_path, jobs=2, only="nothing")
    assert report.failures == 2
    assert [one[-15:] for one in sorted(report.ended)] == ["('nothing', 0).", "('nothing', 1)."]


def test_the_command_says_what_failed(tmp_path, capsys):
    how = [
        "--minutes",
        "0",
        "--seed",
        "7",
        "--jobs",
        "1",
        "--only",
        "knowledge/degree:total",
        "--folder",
        str(tmp_path),
    ]
    assert run.main(how) == 0
    assert "0 failures in 2 cases. SEED=7" in capsys.readouterr().out
    assert run.main([*how, "--fault", "a size too large"]) == 1
    assert "2 failures in 2 cases. SEED=7" in capsys.readouterr().out


def test_only_public_names_networkx_and_the_standard_library_are_imported():
    public = {"shoal", "shoal.linkage", "shoal.relational", "shoal.methods"}
    for path in run.TESTS.joinpath("soundness").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                known = name.split(".")[0] in {*sys.stdlib_module_names, "networkx", "soundness"}
                assert known or name in public, f"{path.name} imports {name}"
