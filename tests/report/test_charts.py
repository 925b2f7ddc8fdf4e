"""Charts are drawn in a process of its own, whose end ends nothing else; a page with one may do nothing else."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import shoal
from shoal.errors import MissingLibrary, MissingResource, Notice
from shoal.report.html.charts import draw
from shoal.report.html.charts.draw import compute_digest

posix = pytest.mark.skipif(os.name != "posix", reason="there are no signals")
CHART = json.dumps(
    {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}
)
LITTLE = 2_500_000 * 1024
"""Bytes of address space with which the library that draws ends its process by SIGTRAP."""


@pytest.fixture
def dying(monkeypatch):
    """Let the process that draws be killed as soon as it begins."""
    draw._end_all()
    monkeypatch.setattr(draw, "START", "import os; os.kill(os.getpid(), 9)")
    yield
    draw._end_all()


@pytest.mark.slow
def test_one_process_draws_all_charts_and_the_library_is_not_loaded_here():
    code = f"""
import sys
from shoal.report.html.charts import draw as drawing
first, second = drawing.draw_chart({CHART!r}, "svg"), drawing.draw_chart({CHART!r}, "png")
print(first[:4], second[:4], len(drawing._draftsmen), "vl_convert" in sys.modules)
process = drawing._draftsmen[0].process
process.kill()
process.wait()
print(drawing.draw_chart({CHART!r}, "svg") == first)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [f"{b'<svg'} {bytes([0x89])[:1] + b'PNG'} 1 False", "True"]


@pytest.mark.skipif(sys.platform != "linux", reason="the signal is one of Linux")
def test_the_process_ends_with_a_parent_that_is_killed_while_it_draws(tmp_path):
    """The library, which here waits for ten minutes, lets no other thread run."""
    (tmp_path / "vl_convert.py").write_text(
        f"""
import ctypes, fcntl
def vegalite_to_svg(chart):
    global held
    held = open({str(tmp_path / "lock")!r}, "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    open({str(tmp_path / "begun")!r}, "w").close()
    ctypes.PyDLL(None).sleep(600)
"""
    )
    script = "from shoal.report.html.charts.draw import draw_chart; draw_chart('{}', 'svg')"
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    with subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": paths}) as parent:
        wait_until(lambda: (tmp_path / "begun").exists() or parent.poll() is not None)
        assert not is_free(tmp_path / "lock")
        parent.kill()
    wait_until(lambda: is_free(tmp_path / "lock"))


def is_free(path):
    """Return whether no process holds the lock of a file."""
    import fcntl

    with path.open() as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def wait_until(is_so, limit=60):
    end = time.monotonic() + limit
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_the_library_refuses_is_an_error_and_the_process_goes_on():
    with pytest.raises(RuntimeError, match="refused"):
        draw.draw_chart("no chart", "svg")
    before = draw._draftsmen[-1].process.pid
    assert draw.draw_chart(CHART, "svg").startswith(b"<svg")
    assert draw._draftsmen[-1].process.pid == before


def test_without_its_library_drawing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingLibrary, match=r"shoal\[plots\]"):
        draw.draw_chart(CHART, "svg")


@pytest.mark.slow
@posix
@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_a_plot_whose_process_ends_is_a_clear_error(shell, dying, tmp_path, ending):
    plot = tmp_path / f"curve.{ending}"
    code, out, err = shell("levels", "example:florentine", "-k", "2", "--plot", plot)
    assert (code, out) == (2, "")
    assert "SIGKILL" in err
    assert "--plot" in err
    assert not plot.exists()


def test_a_process_that_cannot_be_started_is_a_clear_error(monkeypatch):
    def refuse(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    draw._end_all()
    monkeypatch.setattr(draw.subprocess, "Popen", refuse)
    with pytest.raises(MissingResource, match="Cannot allocate memory"):
        draw.draw_chart(CHART, "svg")


@posix
def test_a_report_is_written_without_its_charts_and_says_so(dying, tmp_path):
    found = shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"], attacks=())
    with pytest.warns(Notice, match="SIGKILL"):
        found.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "picture is missing" in page
    assert "The same as a table" in page


@pytest.mark.slow
@posix
def test_a_frontier_is_written_without_its_picture_and_says_so(dying, tmp_path):
    found = shoal.frontier(shoal.examples.karate(), "degree", k=2, methods=["match-degrees"], jobs=1)
    with pytest.warns(Notice, match="SIGKILL"):
        found.save(tmp_path / "page.html")
    assert "could not be drawn" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(MissingResource, match="SIGKILL"):
        found.save(tmp_path / "page.svg")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_with_little_memory_a_plot_is_an_error_and_no_crash():
    paths = os.pathsep.join([str(Path(shoal.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    code = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({LITTLE}, {LITTLE}))
from shoal.errors import MissingResource
from shoal.report.html.charts.draw import draw_chart
try:
    draw_chart({CHART!r}, "svg")
except MissingResource as error:
    print(error)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert ended.returncode == 0, ended.stderr
    assert "could not be drawn" in ended.stdout


PLOTS = {
    "levels": ["levels", "example:florentine", "-k", "2"],
    "confusion": ["confusion", "example:people", "example:people", "--method", "exact", "--columns", "age"],
    "classes": ["classes", "example:davis", "-o", "classes.json"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", PLOTS)
def test_a_page_with_a_plot_may_show_its_style_and_nothing_else(shell, monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    code, _, err = shell(*PLOTS[command], "--plot", "plot.html")
    assert code == 0, err
    page = (tmp_path / "plot.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {compute_digest(style)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert not re.search(r"<script|<link|<img|\bstyle=|\bon\w+=|javascript:|https?://(?!www\.w3\.org)", page)
    assert page.count("<title>") > 1, "each mark tells its numbers"
