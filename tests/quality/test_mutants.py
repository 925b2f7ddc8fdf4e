"""The judge of the tests is judged: it notices tests that are too weak, and only those."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutants import PACKAGES, Package, draw_mutations, read_reasons
from source_faults import apply, compile_mutation, find_functions, list_mutations

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")]


SOURCE = '''"""A pond."""

LEAST = 2


def is_at_risk(candidates, k=LEAST):
    """Return whether there are fewer than k candidates."""
    if candidates < 1:
        raise ValueError("A count must be 1 or more.")
    return candidates < k


def count_down(left):
    while left > 0:
        left -= 1
    return left


def unused():
    return -LEAST
'''
TESTS = """
import pytest
from pond.count import count_down, is_at_risk

def test_well():
    assert [count_down(n) for n in (2, 1, 0, -1)] == [0, 0, 0, -1]

def test_badly():
    assert is_at_risk(1)
    assert not is_at_risk(9)
    with pytest.raises(ValueError, match="1 or more"):
        is_at_risk(-1)
"""
TWICE = """
from pathlib import Path
from pond.count import is_at_risk

def test_once():
    assert not Path("was-here").exists()
    Path("was-here").touch()
    assert is_at_risk(1)
"""
RUN = """
import sys; sys.path.insert(0, sys.argv[1])
import mutants
mutants.PATIENCE, mutants.SLOWER = 0.5, 0.0
from pathlib import Path
package = mutants.Package(("src/pond/*.py",), ("tests", "src/pond"), root=Path.cwd())
trials, every = mutants.try_mutations(package, int(sys.argv[2]), "1", 2)
good = mutants.report(trials, {})
print("TRIALS", [(*trial.mutation.key[1:], trial.end) for trial in trials])
print("EVERY", every)
sys.exit(not good)
"""


def judge(folder, tests, count=100, source=SOURCE):
    """Let tests of the pond be judged; return the exit code, the ends of all faults, and what was printed."""
    pytest.importorskip("coverage")
    files = {"src/pond/__init__.py": "", "src/pond/count.py": source, "tests/test_count.py": tests}
    for name, text in {**files, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    ended = subprocess.run(
        [sys.executable, "-c", RUN, str(Path(__file__).parent), str(count)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "src"), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    listed = [line[7:] for line in ended.stdout.splitlines() if line.startswith("TRIALS ")]
    ends = {(text, change): end for _, text, change, end in ast.literal_eval(listed[0])} if listed else {}
    return ended.returncode, ends, ended.stdout + ended.stderr


def test_weak_tests_are_found_out_and_strong_ones_are_not(tmp_path):
    code, ends, said = judge(tmp_path, TESTS)
    assert code == 1, said
    assert {fault for fault, end in ends.items() if end == "survived"} == {
        ("LEAST = 2", "2 becomes 3"),
        ("return candidates < k", "< becomes <="),
    }
    assert ends["return candidates < k", "returns None"] == "killed"
    assert ends['raise ValueError("A count must be 1 or more.")', "the statement is removed"] == "killed"
    assert ends["left -= 1", "the statement is removed"] == "killed by time"
    assert ends["return -LEAST", "returns None"] == "survived, and no test reaches it"
    assert 'change = "< becomes <="' in said
    assert "survivors have a reason" in said


def test_faults_of_constants_are_in_a_file_whose_doctests_run_too(tmp_path):
    """Pytest imports such a file in its own way, which went past the fault: it always survived."""
    source = 'LEAST = 2\n\n\ndef double(x):\n    """\n    >>> double(0)\n    0\n    """\n    return LEAST * x\n'
    tests = "from pond.count import double\n\ndef test_double():\n    assert double(3) == 6\n"
    code, ends, said = judge(tmp_path, tests, source=source)
    assert (code, ends["LEAST = 2", "2 becomes 3"]) == (0, "killed"), said


def test_faults_are_drawn_by_the_seed():
    def draw(seed):
        drawn, every = draw_mutations(Package(("src/shoal/risk/similarity.py",), ()), 12, seed)
        assert len(drawn) == 12 < every
        return [mutation.key for mutation, _ in drawn]

    assert draw("1") == draw("1") != draw("2")


def test_tests_that_fail_by_themselves_judge_nothing(tmp_path):
    code, ends, said = judge(tmp_path, TWICE)
    assert code
    assert not ends
    assert "no fault can be judged" in said
    code, ends, said = judge(tmp_path, TESTS.replace("== [0", "== [7"))
    assert code
    assert not ends
    assert "must pass before" in said


def test_a_fault_changes_what_it_says_and_nothing_else():
    source = 'def f(a, b):\n    return g(a, b)[1:a] if a <= b and h(b) else "SELECT x FROM t WHERE x < 3 AND y"\n'
    found = {one.change: ast.unparse(apply(ast.parse(source), one)) for one in list_mutations(source, "f.py")}
    text = ast.unparse(ast.parse(source))
    assert {change.split(" in ")[0]: became for change, became in found.items()} == {
        "<= becomes <": text.replace("<=", "<"),
        "and becomes or": text.replace(" and ", " or "),
        "a <= b and h(b) is negated": text.replace("a <= b and h(b)", "not (a <= b and h(b))"),
        "arguments 1 and 2 of g are swapped": text.replace("g(a, b)", "g(b, a)"),
        "a becomes 1 more": text.replace("[1:a]", "[1:a + 1]"),
        "1 becomes 2": text.replace("[1:", "[2:"),
        "returns None": text.split("return")[0] + "return None",
        "SQL '<' becomes '<='": text.replace(" < ", " <= "),
        "SQL 'AND' becomes 'OR'": text.replace("AND", "OR"),
        "SQL '3' becomes '1 + 3'": text.replace("3", "1 + 3"),
    }


def test_words_of_messages_are_left_alone():
    source = """
def f(n: int = 0) -> "str":
    '''Return 1.'''
    must(n > 1, "f", "n", "above 1", n)
    track("counting", 1, 2)
    raise ValueError(f"n must be above {n + 1}")
"""
    assert {one.change for one in list_mutations(source, "f.py")} == {
        "0 becomes 1",
        "> becomes >=",
        "1 becomes 2",
        "the statement is removed",
    }


def test_code_that_runs_on_import_is_told_from_functions():
    source = "A = 1\n\n\nclass C:\n    b = 2\n\n    def f(self):\n        return 3\n"
    outside, functions = find_functions(compile(source, "f.py", "exec"))
    assert {name for name, _ in functions} == {"C.f"}
    for one in list_mutations(source, "f.py"):
        changed = compile_mutation(source, one, "f.py")
        assert changed is not None
        assert (find_functions(changed)[0] == outside) == (one.where == "C.f")


def test_every_reason_is_about_a_fault_that_exists():
    root = PACKAGES["risk"].root
    known = {
        one.key
        for file in {key[0] for key in read_reasons()}
        for one in list_mutations((root / file).read_text(), file)
    }
    assert set(read_reasons()) <= known
    assert all(len(reason) > 20 for reason in read_reasons().values())


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_has_sources_and_tests(name):
    package = PACKAGES[name]
    assert package.list_files()
    assert all((package.root / tests).is_dir() for tests in package.tests)
