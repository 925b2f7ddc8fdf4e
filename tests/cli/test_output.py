"""Progress where stderr is no terminal: a line of a log every ten seconds."""

import io
import re
import time

from shoal.cli import output
from shoal.cli.output import ProgressLog
from shoal.progress import track


def state_of(log):
    return re.sub(r", \d+ s$", "", log.describe())


def test_a_line_has_the_outermost_and_the_innermost_work():
    log = ProgressLog("shoal audit")
    assert state_of(log) == "shoal audit: working"
    log.show("reading", 0, 0)
    assert state_of(log) == "shoal audit: reading"
    log.show("reading", 1, 1)
    log.show("risk before, degree", 2, 8)
    log.show("comparing balls", 1_000, 2_000)
    assert state_of(log) == "shoal audit: risk before, degree (2 of 8); comparing balls (1,000 of 2,000)"
    log.show("comparing balls", 2_000, 2_000)
    log.show("risk before, orbit", 3, 8)
    assert state_of(log) == "shoal audit: risk before, orbit (3 of 8)"
    log.show("risk before", 8, 8)
    assert state_of(log) == "shoal audit: working"


def test_work_that_was_left_gives_way():
    log = ProgressLog("shoal audit")
    log.show("risk before", 1, 8)
    log.show("comparing balls", 3, 9)
    log.show("settling orbits", 1, 2)
    assert state_of(log) == "shoal audit: risk before (1 of 8); settling orbits (1 of 2)"


def test_names_cannot_control_the_log():
    log = ProgressLog("shoal audit")
    log.show("attacking, \x1b[31mred\n", 0, 0)
    assert "\x1b" not in log.describe()
    assert "\n" not in log.describe()


def test_lines_come_while_the_work_lasts(monkeypatch):
    monkeypatch.setattr(output, "PERIOD", 0.01)
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with output.show_progress("shoal compare"):
        track("comparing, the release", 0, 0)
        until = time.monotonic() + 30
        while stream.getvalue().count("\n") < 2 and time.monotonic() < until:
            time.sleep(0.01)
    assert re.search(r"^shoal compare: comparing, the release, 0 s$", stream.getvalue(), re.M)


def test_a_closed_stderr_does_not_stop_the_work(monkeypatch):
    monkeypatch.setattr(output, "PERIOD", 0.001)
    stream = io.StringIO()
    log = ProgressLog("shoal", stream)
    stream.close()
    log.run()
    time.sleep(0.02)
    log.end()


def test_a_quick_command_prints_no_line(shell):
    code, _, err = shell("risk", "example:karate")
    assert code == 0
    assert "shoal risk:" not in err
