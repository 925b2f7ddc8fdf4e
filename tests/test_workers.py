"""Work in a process that can be stopped: results, errors, notices and progress come back; an endless call ends."""

import ctypes
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from shoal import settings, workers
from shoal.errors import BadParameter, MissingResource, Notice, OutOfTime, notice
from shoal.limits import TimeLimit, find_limit
from shoal.progress import track, watching
from shoal.workers import BoundedWork, is_worker


def add(x, state):
    return state + x, is_worker()


def refuse(state):
    raise BadParameter(f"no {state}")


def say(state):
    track("adding", 1, 2)
    notice(f"heard {state}", "in short")


def sleep(state):
    time.sleep(1_000)


def die(state):
    import os

    os._exit(3)


def get_left(state):
    return find_limit().seconds, find_limit().left, settings.threads


def limit():
    return TimeLimit.of(600)


def test_without_a_limit_the_work_is_done_here():
    with BoundedWork(1, None) as work:
        assert work.run(partial(add, 2)) == (3, False)
        assert work.run(lambda state: state) == 1


def test_without_time_nothing_is_begun():
    with BoundedWork(1, TimeLimit(60, 0)) as work, pytest.raises(OutOfTime, match="time limit of 1m"):
        work.run(die)


@pytest.mark.slow
def test_a_worker_returns_results_errors_notices_and_progress(monkeypatch):
    monkeypatch.setattr(settings, "threads", 1)
    seen = []
    with BoundedWork(1, limit()) as work, watching(lambda *told: seen.append(told)):
        assert work.run(partial(add, 2)) == (3, True)
        with pytest.raises(BadParameter, match="no 1"):
            work.run(refuse)
        with pytest.warns(Notice, match="heard 1") as heard:
            work.run(say)
        assert [one.message.brief for one in heard] == ["in short"]
        told, left, threads = work.run(get_left)
        _, all_of_it, _ = work.run(get_left, last=True)
    assert (told, threads) == (600, 1)
    assert 0 < left <= 300 < all_of_it < 600
    assert seen == [("adding", 1, 2)]


@pytest.mark.slow
def test_an_endless_call_ends_and_the_next_one_is_made(monkeypatch):
    with BoundedWork(1, limit()) as work:
        assert work.run(partial(add, 2)) == (3, True)
        monkeypatch.setattr(TimeLimit, "share", lambda self, last: self.cap(0.2))
        with pytest.raises(OutOfTime):
            work.run(sleep)
        monkeypatch.undo()
        assert work.run(partial(add, 3)) == (4, True)


@pytest.mark.slow
def test_the_start_of_a_worker_does_not_use_up_the_share_of_a_call(monkeypatch):
    late = workers.START.replace("from shoal.workers", "import time; time.sleep(2); from shoal.workers")
    monkeypatch.setattr(workers, "START", late)
    monkeypatch.setattr(TimeLimit, "share", lambda self, last: self.cap(1.5))
    with BoundedWork(1, limit()) as work:
        assert work.run(partial(add, 2)) == (3, True)


@pytest.mark.slow
def test_a_worker_that_dies_says_how():
    with BoundedWork(1, limit()) as work:
        with pytest.raises(MissingResource, match="exit code 3"):
            work.run(die)
        assert work.run(partial(add, 2)) == (3, True)


@pytest.mark.slow
def test_what_cannot_travel_is_done_here():
    with BoundedWork(1, limit()) as work:
        assert work.run(lambda state: (state, is_worker())) == (1, False)
    with BoundedWork(lambda: 5, limit()) as work:
        assert work.run(lambda state: (state(), is_worker())) == (5, False)


def test_where_no_worker_can_be_started_the_work_is_done_here(monkeypatch):
    def refuse_process(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(workers.subprocess, "Popen", refuse_process)
    with BoundedWork(1, limit()) as work:
        assert work.run(partial(add, 2)) == (3, False)


def multiply(state, piece):
    return state * piece, is_worker()


def refuse_piece(state, piece):
    raise BadParameter(f"no {piece}")


@pytest.mark.slow
def test_pieces_are_done_in_several_processes_in_order(monkeypatch):
    monkeypatch.setattr(settings, "threads", 2)
    assert workers.map_in_workers(multiply, 3, [1, 2, 3]) == [(3, True), (6, True), (9, True)]
    with pytest.raises(BadParameter, match="no 1"):
        workers.map_in_workers(refuse_piece, 3, [1])
    assert workers.map_in_workers(multiply, 3, []) == []
    assert workers.map_in_workers(lambda state, piece: (state(), piece), lambda: 5, [1, 2]) == [(5, 1), (5, 2)]


@pytest.mark.slow
def test_pieces_are_done_here_where_a_process_dies(monkeypatch):
    monkeypatch.setattr(workers, "START", "import os; os._exit(3)")
    assert workers.map_in_workers(multiply, 3, [1, 2]) == [(3, False), (6, False)]


PARENT = """
import sys
from shoal.limits import TimeLimit
from shoal.workers import BoundedWork
from test_workers import hold_lock
with BoundedWork(1, TimeLimit.of(600)) as work:
    work.run(hold_lock)
"""


def hold_lock(state):
    """Tell the number of the process, then sleep without letting other threads run."""
    track(f"process {os.getpid()}", 0, 0)
    ctypes.PyDLL(None).sleep(600)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_worker_ends_with_its_parent_even_while_a_library_holds_the_lock():
    listening = "from shoal.progress import watching\nimport functools\n"
    code = (
        listening
        + "with watching(functools.partial(print, flush=True)):\n    "
        + PARENT.strip().replace("\n", "\n    ")
    )
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
    ) as parent:
        number = int(parent.stdout.readline().split()[1])
        parent.kill()
    until = time.monotonic() + 60
    while Path(f"/proc/{number}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{number}").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="asked of Linux")
def test_a_worker_whose_parent_ended_before_it_began_ends_at_once():
    code = "from shoal.workers import _end_with_parent; _end_with_parent(); print('alive')"
    for ended, told in ((True, ""), (False, "alive\n")):
        worker = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with worker:
            if ended:
                worker.stdin.close()
            assert worker.stdout.read() == told
