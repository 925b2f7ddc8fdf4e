"""`shoal recover` is disturbed at its own steps: what is there afterwards leads to a whole again."""

import errno
import shutil
import signal

from faults import judges
from faults.copies import Run
from faults.steps import EVER, ONCE, fail_at, kill_at, read_seen, signal_at, watch_secrets

FAULTS = {
    "kill": (signal.SIGKILL, kill_at),
    "SIGTERM": (signal.SIGTERM, lambda at: signal_at(at, signal.SIGTERM)),
    "SIGINT": (signal.SIGINT, lambda at: signal_at(at, signal.SIGINT)),
    "disk full at one step": (None, lambda at: fail_at(at, errno.ENOSPC, ONCE)),
    "disk full from a step on": (None, lambda at: fail_at(at, errno.ENOSPC, EVER)),
    "disk read-only from a step on": (None, lambda at: fail_at(at, errno.EROFS, EVER)),
}
"""The signal of each fault, if it is one, and what is done at a step of the worker."""


def disturb_recovery(ground, tally, share=0.25, times=2):
    """Break runs with several outputs, and put each fault at drawn steps of their recovery."""
    for one in ground.writing:
        for old in (one.outputs, ()) if len(one.outputs) > 1 else ():
            for at, broken in _break_runs(ground, one, old, times):
                for back in ([], ["--roll-back"]):
                    words = ["recover", one.outputs[0], *back]
                    steps = Run(words, _restore(ground, broken)).end().steps
                    told = f"{one.title}, killed at step {at}, {'old' if old else 'no old'} files, {' '.join(words)}"
                    _go_through(ground, tally, one, old, broken, words, steps, told, share)
                shutil.rmtree(broken)


def _break_runs(ground, one, old, times):
    """Yield steps at which a kill leaves more than outputs, some before and some after a move, and the folder then."""
    ground.measure(one)
    force = ["--force"] if old else []
    steps = ground.run(one, ground.clear(old), *force).steps
    moves = [at for at, step in enumerate(steps, 1) if step.startswith(("os.rename", "os.link"))]
    every = sorted({*moves, *(at + 1 for at in moves if at < len(steps))})
    for at in sorted(ground.rng.sample(every, min(times, len(every)))):
        place = ground.clear(old)
        ground.run(one, place, *force, act=kill_at(at))
        if set(ground.see(place)) - {*one.outputs, *one.keeps}:
            broken = ground.root / "broken"
            shutil.copytree(place.folder, broken, symlinks=True)
            yield at, broken


def _restore(ground, broken):
    place = ground.clear()
    shutil.copytree(broken, place.folder, symlinks=True, dirs_exist_ok=True)
    return place


def _go_through(ground, tally, one, old, broken, words, steps, told, share):
    for kind, (number, make) in FAULTS.items():
        for at, step in enumerate(steps, 1):
            if ground.rng.random() < share:
                place, seen = _restore(ground, broken), ground.root / "seen"
                act = watch_secrets(ground, one, place, old, make(at), seen)
                faults = [*_judge(ground, one, place, old, Run(words, place, act=act).end(), number), *read_seen(seen)]
                tally.count(f"recover: {kind}", f"{told}: step {at} of {len(steps)} ({step})", faults)


def _judge(ground, one, place, old, ended, number):
    yield from judges.judge_words(ended, signalled=number == signal.SIGKILL)
    fine = {-signal.SIGKILL} if number == signal.SIGKILL else {0, 2 if number is None else 128 + number}
    if ended.code not in fine:
        yield f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}"
    yield from ground.judge_secrets(one, place, old)
    yield from ground.settle(one, place, old, ended)
