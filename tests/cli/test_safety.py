"""A command that cannot go on ends with one clear message, whatever broke, and leaves nothing behind."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import BadFile, lacks_memory

SOURCE = Path(shoal.__file__).parent
SECRET = "Ridolfi-1234"


def igraph_lacks_memory():
    """Return the one exception that igraph has, with its words for memory."""
    from igraph import InternalError

    return InternalError("Error at src/core/vector.pmt:133: cannot reserve space. -- Out of memory")


def fail(monkeypatch, error):
    """Let every command break where it reads its file."""

    def broken(*_, **__):
        raise error

    monkeypatch.setattr("shoal.cli.commands.risk.load_attacked", broken)


def run(code, **environment):
    """Run some Python with this copy of shoal in a process of its own."""
    kept = {key: value for key, value in os.environ.items() if key not in environment}
    given = {key: value for key, value in environment.items() if value is not None}
    paths = os.pathsep.join([str(SOURCE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | {"PYTHONPATH": paths} | given,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unexpected_exception_is_an_internal_error_without_data(shell, monkeypatch, tmp_path):
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    fail(monkeypatch, KeyError(SECRET))
    code, out, err = shell("risk", tmp_path / f"{SECRET}.csv")
    assert (code, out) == (70, "")
    assert "internal error" in err
    assert "Traceback" not in err
    assert SECRET not in err
    for part in (f"shoal {shoal.__version__}", "Python 3.", "command: risk", "KeyError", "SHOAL_DEBUG"):
        assert part in err
    assert re.search(r"shoal\.cli\.commands\.risk:\d+ in risk", err)


def test_debugging_shows_the_traceback_and_what_led_to_it_on_lines_of_its_own(shell, monkeypatch):
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    error = KeyError(f"{SECRET}\x1b[31m\nnote: all is well")
    error.__cause__ = ZeroDivisionError("before")
    fail(monkeypatch, error)
    code, _, err = shell("risk", "example:karate")
    assert code == 70
    assert SECRET in err
    assert "ZeroDivisionError: before" in err
    assert "\x1b" not in err
    assert not any(line.startswith("note:") for line in err.splitlines())


def test_a_system_error_that_is_no_interrupt_is_an_internal_error(shell, monkeypatch):
    fail(monkeypatch, SystemError("a compiled loop broke"))
    assert shell("risk", "example:karate")[0] == 70


@pytest.mark.slow
def test_what_breaks_while_the_program_loads_is_an_internal_error_too():
    hide = "import sys; sys.modules['shoal.cli.commands.risk'] = None; sys.argv = ['shoal', 'risk']"
    code = f"{hide}; import shoal.cli as c; c.run()"
    ended = run(code)
    assert ended.returncode == 70
    assert "internal error" in ended.stderr
    assert "ModuleNotFoundError" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        np._core._exceptions._ArrayMemoryError((10**9, 10**9), np.dtype(float)),
        pa.ArrowMemoryError("malloc of size 64 failed"),
        OSError(12, "Cannot allocate memory"),
        igraph_lacks_memory(),
        ImportError("libx.so: failed to map segment from shared object: Cannot allocate memory"),
        OSError("libllvmlite.so: failed to map segment from shared object"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_too_little_memory_is_said_in_one_sentence(shell, monkeypatch, error):
    assert lacks_memory(error)
    fail(monkeypatch, error)
    code, out, err = shell("risk", "example:karate")
    assert (code, out) == (2, "")
    assert "memory" in err
    assert len(err.splitlines()) == 1


def test_memory_that_a_message_explains_away_is_still_the_cause(shell, monkeypatch):
    error = BadFile("a.csv.gz: must be a complete .gz file. Got a damaged one.")
    error.__cause__ = MemoryError()
    fail(monkeypatch, error)
    code, _, err = shell("risk", "example:karate")
    assert code == 2
    assert "memory" in err
    assert "damaged" not in err


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        pa.lib.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
    ],
)
def test_threads_that_cannot_be_started_are_said(error, shell, monkeypatch):
    fail(monkeypatch, error)
    code, _, err = shell("risk", "example:karate")
    assert code == 2
    assert "threads" in err


@pytest.mark.slow
def test_a_crash_leaves_no_core_file():
    pytest.importorskip("resource")
    code = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
sys.argv = ["shoal", "--version"]
import shoal.cli
try:
    shoal.cli.run()
except SystemExit:
    print(resource.getrlimit(resource.RLIMIT_CORE))
"""
    assert run(code).stdout.splitlines()[-1] == "(0, 0)"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """Return a copy of the package that cannot be written: not by others, and where it matters not by root either."""
    root = tmp_path_factory.mktemp("sealed")
    shutil.copytree(SOURCE, root / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "shoal" / "core" / "_kernels" / "__pycache__").write_text("no folder")
    folders = [path for path in root.rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    yield root
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("home", "optimized"),
    [(None, False), ("/dev/null", False), ("relative", False), ("/proc/nowhere", False), ("/proc/nowhere", True)],
)
def test_an_installation_that_cannot_be_written_needs_no_home(sealed, tmp_path, home, optimized):
    where = {"HOME": home, "XDG_CACHE_HOME": "/dev/null/cache", "TMPDIR": str(tmp_path)}
    if home == "relative":
        where["XDG_CACHE_HOME"] = None
    code = f"import os, sys; os.chdir({str(tmp_path)!r}); sys.path.insert(0, {str(sealed)!r})\n"
    code += """
import json, shoal
from shoal.core._kernels import balls
print(json.dumps([balls.__file__, shoal.assess(shoal.examples.karate(), "neighborhood:1").k]))
"""
    flags = {"PYTHONOPTIMIZE": "1"} if optimized else {}
    ended = run(code, PYTHONPATH=str(sealed), PYTHONDONTWRITEBYTECODE="1", **where, **flags)
    assert ended.returncode == 0, ended.stderr
    file, k = json.loads(ended.stdout)
    assert file.startswith(str(sealed))
    assert k == 1
    assert ended.stderr == ""
    assert list(tmp_path.iterdir()) == [], "nothing was written"


HOLDS = ["-m", "shoal", "check", "example:florentine", "--knows", "degree", "--at-least", "1"]
NO_FORK = """
import os, sys
def fork():
    raise BlockingIOError(11, "Resource temporarily unavailable")
os.fork, sys.argv = fork, ["shoal", *sys.argv[1:]]
from shoal.cli import run
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "| true", "> /dev/full"])
def test_streams_that_are_closed_change_no_verdict(closed):
    """A gate reads 1 as "does not hold"; a text that has no room is 2."""
    line = f'set -o pipefail; "$@" {closed}'
    done = subprocess.run(
        ["bash", "-c", line, "-", sys.executable, *HOLDS], capture_output=True, text=True, check=False
    )
    assert done.returncode == (2 if "full" in closed else 0)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_parent_that_ignores_its_children_changes_no_verdict():
    line = 'trap "" CHLD; exec "$@"'
    done = subprocess.run(
        ["bash", "-c", line, "-", sys.executable, *HOLDS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_without_a_second_process_a_command_runs_in_the_first():
    done = subprocess.run([sys.executable, "-c", NO_FORK, *HOLDS[2:]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PASS. ")
