"""Work in worker processes: its order, its end, and what it leaves behind."""

import os
import signal
import threading

import psutil
import pytest

import web_work as work
from shoal.web import jobs as jobs_module
from shoal.web.jobs import WORKERS, Job, Jobs, format_bytes, measure_process
from web_site import LIMIT


class Office:
    """Jobs, the data that they work on, and everything that was told about them."""

    def __init__(self, **options):
        self.data, self.told = {}, []
        self._changed = threading.Condition()
        self.jobs = Jobs(self.data.get, self._hear, **options)

    def _hear(self, job):
        with self._changed:
            self.told.append((job.owner, job.name, job.state))
            self._changed.notify_all()

    def submit(self, owner, call, *, name="job", urgent=False):
        self.data.setdefault(owner, work.Data(owner))
        return self.jobs.submit(Job(owner, name, name, call, urgent))

    def wait(self, job, state=None):
        """Wait until a job has ended, or is in a state."""
        with self._changed:
            reached = self._changed.wait_for(lambda: job.state == state if state else job.ended, LIMIT)
        assert reached, job.state
        return job

    def run(self, owner, call, **more):
        return self.wait(self.submit(owner, call, **more))

    def list_begun(self):
        return [(owner, name) for owner, name, state in self.told if state == "running"]


@pytest.fixture
def make_office():
    made = []

    def make(**options):
        made.append(Office(**options))
        return made[-1]

    yield make
    for office in made:
        office.jobs.close()


@pytest.fixture(scope="module")
def shared():
    """One worker for all tests that do not kill it."""
    office = Office(workers=1)
    yield office
    office.jobs.close()


def test_data_sets_take_turns_and_urgent_jobs_come_first(shared):
    begun = len(shared.list_begun())
    with shared.jobs._lock:  # all are submitted before one begins
        jobs = [shared.submit("a", work.return_value, name=f"a{i}") for i in range(3)]
        jobs += [shared.submit(owner, work.return_value, name=f"{owner}1") for owner in "bc"]
        jobs += [shared.submit("a", work.return_value, name=f"urgent{i}", urgent=True) for i in range(2)]
    for job in jobs:
        assert shared.wait(job).result == job.owner
    order = [name for _, name in shared.list_begun()[begun:]]
    assert order == ["urgent0", "b1", "c1", "urgent1", "a0", "a1", "a2"]


def test_data_is_sent_once_while_the_worker_keeps_it(shared):
    for owner in ("p", "p", "q", "r", "p"):
        assert shared.run(owner, work.return_value).result == owner
    assert [shared.data[owner].sent for owner in "pqr"] == [1, 1, 1]
    shared.run("s", work.return_value)  # a worker keeps three
    shared.run("p", work.return_value)
    shared.run("q", work.return_value)
    assert [shared.data[owner].sent for owner in "pqrs"] == [1, 2, 1, 1]
    shared.data["p"] = work.Data("read again")
    assert shared.run("p", work.return_value).result == "read again"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (work.raise_own_error, "friends.csv, line 7: a link must have two ends. Got 1."),
        (work.raise_bug, "KeyError"),
        (work.run_out_of_memory, "too little memory"),
        (work.return_lambda, "pickle"),
    ],
)
def test_a_job_that_fails_says_why_and_the_worker_goes_on(shared, call, told):
    before = shared.jobs.list_processes()
    job = shared.run("a", call)
    assert job.state == "failed"
    assert told in job.error
    assert ("bug in shoal" in job.error) == (call in (work.raise_bug, work.return_lambda))
    assert job.cause is not None
    assert shared.run("a", work.return_value).result == "a"
    assert shared.jobs.list_processes() == before


def test_notices_are_kept_and_output_is_not_mixed_with_answers(shared):
    job = shared.run("a", work.warn_person)
    assert "2 links were dropped." in job.notes
    assert shared.run("a", work.print_text).state == "done"


def test_a_job_on_data_that_was_closed_is_canceled(shared):
    job = Job("nobody", "job", "job", work.return_value)
    assert shared.wait(shared.jobs.submit(job)).state == "canceled"


def test_cancel_ends_the_process_and_another_job_runs(make_office):
    office = make_office(workers=1)
    [process] = office.jobs.list_processes()
    running = office.submit("a", work.wait_forever, name="running")
    waiting = office.submit("a", work.return_value, name="waiting")
    next_one = office.submit("b", work.return_process, name="next")
    office.wait(running, "running")
    with office._changed:
        assert office._changed.wait_for(lambda: running.progress == ("waiting", 3, 10), LIMIT)
    office.jobs.cancel(waiting)
    assert waiting.state == "canceled"
    assert psutil.pid_exists(process)
    office.jobs.cancel(running)
    assert running.state == "canceled"  # at once, and not when a worker is ready again
    assert not psutil.pid_exists(process)
    assert office.wait(next_one).state == "done"
    assert next_one.result != process
    assert ("a", "waiting") not in office.list_begun()
    told = len(office.told)
    office.jobs.cancel(running)  # once more changes nothing
    assert len(office.told) == told


def test_withdrawing_a_job_does_not_end_the_process(make_office):
    office = make_office(workers=1)
    [process] = office.jobs.list_processes()
    with office.jobs._lock:  # the second waits while the first runs
        running = office.submit("a", work.return_process, name="running")
        office.jobs._hand_out()
        waiting = office.submit("a", work.return_value, name="waiting")
        begun = running.state == "running"
        if begun:
            office.jobs.withdraw(running)
        office.jobs.withdraw(waiting)
        assert waiting.state == "canceled"
        assert running.state == ("running" if begun else "waiting")
    assert office.wait(running).result == process
    assert office.jobs.list_processes() == [process]
    office.jobs.withdraw(running)
    assert running.state == "done"


def test_a_job_that_needs_too_much_memory_fails_and_the_server_goes_on(make_office):
    office = make_office(workers=1)
    office.run("a", work.return_value)
    [process] = office.jobs.list_processes()
    office.jobs.memory = measure_process(process) + 60_000_000
    job = office.run("a", work.allocate)
    assert job.state == "failed"
    assert format_bytes(office.jobs.memory) in job.error
    assert "--memory" in job.error
    assert not psutil.pid_exists(process)
    assert office.run("a", work.return_value).state == "done"


@pytest.mark.parametrize(
    ("end", "told"), [("killed", "SIGKILL"), (work.leave, "exit code 3"), (work.raise_stubborn, "Stubborn")]
)
def test_a_worker_that_ends_is_replaced(make_office, end, told):
    office = make_office(workers=1)
    [process] = office.jobs.list_processes()
    if end == "killed":
        job = office.wait(office.submit("a", work.wait_forever), "running")
        os.kill(process, signal.SIGKILL)
    else:
        job = office.submit("a", end)
    assert office.wait(job).state == "failed"
    assert told in job.error
    assert office.run("a", work.return_value).state == "done"
    assert office.jobs.list_processes() != [process]


def test_where_no_process_can_be_started_jobs_fail_until_one_can(make_office, monkeypatch):
    office = make_office(workers=1)
    assert office.run("a", work.return_value).state == "done"
    started = jobs_module.Worker

    def refuse(*_):
        raise OSError("no more processes")

    monkeypatch.setattr(jobs_module, "Worker", refuse)
    running = office.submit("a", work.wait_forever)
    office.wait(running, "running")
    office.jobs.cancel(running)
    failed = office.run("a", work.return_value)
    assert failed.state == "failed"
    assert "process" in failed.error
    monkeypatch.setattr(jobs_module, "Worker", started)
    assert office.run("a", work.return_value).state == "done"


def test_forget_ends_the_work_on_a_data_set_and_no_worker_keeps_it(make_office):
    office = make_office()
    first, second = office.jobs.list_processes()
    running = office.wait(office.submit("a", work.wait_forever), "running")
    other = office.wait(office.submit("b", work.wait_forever, name="other"), "running")
    waiting = office.submit("a", work.return_value, name="waiting")
    del office.data["a"]
    office.jobs.forget("a")
    assert running.state == waiting.state == "canceled"
    assert other.state == "running"
    alive = [process for process in (first, second) if psutil.pid_exists(process)]
    assert len(alive) == 1
    assert alive[0] in office.jobs.list_processes()
    office.jobs.cancel(other)
    assert not psutil.pid_exists(alive[0])
    office.jobs.forget("never opened")


def test_two_jobs_run_at_once_and_close_kills_all_processes(make_office):
    assert WORKERS == 2
    office = make_office()
    jobs = [office.submit(owner, work.wait_forever) for owner in "abcd"]
    for job in jobs[:2]:
        office.wait(job, "running")
    assert [job.state for job in jobs] == ["running", "running", "waiting", "waiting"]
    processes = office.jobs.list_processes()
    assert len(processes) == 2
    own = psutil.Process()
    assert set(processes) <= {child.pid for child in own.children()}
    office.jobs.close()
    assert not any(map(psutil.pid_exists, processes))
    assert not office.jobs._thread.is_alive()
    office.jobs.close()


def test_no_process_is_started_after_the_end(make_office, monkeypatch):
    office = make_office(workers=1)
    assert office.run("a", work.return_value).state == "done"
    started = []
    office.jobs.close()
    monkeypatch.setattr(jobs_module, "Worker", lambda *_: started.append(1))
    office.jobs.forget("a")
    assert not started


def test_the_memory_of_this_machine_is_the_default():
    total = jobs_module.measure_memory()
    assert total == psutil.virtual_memory().total
    assert 0 < measure_process(os.getpid()) < total
    assert measure_process(2**22 + 1) == 0
