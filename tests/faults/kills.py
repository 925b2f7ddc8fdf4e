"""Signals at random moments: kill -9 of the watcher, of the worker and of both, SIGTERM and SIGINT."""

import signal

from faults import judges
from faults.copies import Run

ENDS = (
    (signal.SIGKILL, "all"),
    (signal.SIGKILL, "watcher"),
    (signal.SIGKILL, "worker"),
    (signal.SIGTERM, "watcher"),
    (signal.SIGINT, "watcher"),
)


def kill_at_random(ground, tally, many):
    """Run every command again and again; half of the moments are drawn over its work, half while it writes."""
    for case in range(many):
        one = ground.writing[case % len(ground.writing)]
        number, whom = ENDS[case // len(ground.writing) % len(ENDS)]
        base, rng = ground.measure(one), ground.rng
        old = one.outputs if rng.random() < 0.5 else ()
        writing, share = rng.random() < 0.5, rng.uniform(0, 1.05)
        place = ground.clear(old)
        run = Run([*one.arguments, *(["--force"] if old else [])], place)
        if writing:
            if run.wait_until(run.is_staged):
                _sleep(run, share * max(0.01, base.seconds - base.staged))
        else:
            run.wait_until(lambda run=run, at=share * base.processor: run.measure() >= at)
        run.send(number, whom)
        ended = run.end()
        where = "writing" if writing else "working"
        told = f"{one.title}, {number.name} to {whom}, {share:.3f} of {where}, {'old' if old else 'no old'} files"
        tally.count(f"{number.name} at random moments", told, judge_end(ground, one, place, old, ended, number))


def _sleep(run, seconds):
    from time import monotonic

    end = monotonic() + seconds
    run.wait_until(lambda: monotonic() >= end)


def judge_end(ground, one, place, old, ended, number):
    """Yield what is wrong after a signal."""
    yield from judges.judge_words(ended, signalled=number == signal.SIGKILL)
    yield from ground.judge_secrets(one, place, old)
    if number == signal.SIGKILL:
        yield from ground.settle(one, place, old, ended)
        return
    yield from ground.judge(one, place, old)
    if ended.code not in (0, 128 + number):
        yield f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}"
    there = ground.see(place).get(one.outputs[0]) == ground.measure(one).files[one.outputs[0]]
    wrong = "nothing was written" if there else "written before"
    if ended.code == 128 + number and wrong in ended.said and not one.keeps:
        yield f"new files are {'there' if there else 'not there'}, and it said {ended.said.strip()[-200:]!r}"
