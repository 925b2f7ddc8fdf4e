"""A fault at each step that changes files: a kill, a signal, a full or broken disk, a folder that vanishes."""

import errno
import os
import shutil
import signal

from faults import judges
from faults.ground import spell_old
from faults.kills import judge_end

ONCE, EVER = "once", "from then on"


def list_kinds(ground):
    """Return the kinds of faults: their names, and whether they are put at every step or at drawn ones."""
    return {
        "kill at each step": _kill,
        "SIGTERM at each step": _signal(signal.SIGTERM),
        "SIGINT at each step": _signal(signal.SIGINT),
        "disk full at one step": _fail(errno.ENOSPC, ONCE),
        "disk full from a step on": _fail(errno.ENOSPC, EVER),
        "disk read-only from a step on": _fail(errno.EROFS, EVER),
        "folder gone at a step": _vanish,
        "a file appears at a step": _appear,
    }


def go_through_steps(ground, tally, share=1.0, kinds=None):
    """Put each fault at each step of each command, or at a drawn share of the steps; renames are always taken."""
    for one in ground.writing:
        steps = ground.measure(one).steps
        for kind, judge_one in list_kinds(ground).items():
            if kinds is not None and kind not in kinds:
                continue
            for at, step in enumerate(steps, 1):
                moves = step.startswith(("os.rename", "os.link")) and kind == "kill at each step"
                if not moves and ground.rng.random() >= share:
                    continue
                old = one.outputs if ground.rng.random() < 0.5 else ()
                place = ground.clear(old)
                told = f"{one.title}, step {at} of {len(steps)} ({step}), {'old' if old else 'no old'} files"
                tally.count(kind, told, judge_one(ground, one, place, at, old))


def kill_at(step):
    """Return an action that kills the run, all its processes at once, before a step."""

    def act(n):
        if n == step:
            os.killpg(0, signal.SIGKILL)

    return act


def signal_at(step, number):
    """Return an action that sends a signal to the watcher before a step."""

    def act(n):
        if n == step:
            os.kill(os.getppid(), number)

    return act


def fail_at(step, number, how):
    """Return an action that lets a step fail as on a full or broken disk; EVER: also all later ones."""

    def act(n):
        if n == step or (how == EVER and n > step):
            raise OSError(number, os.strerror(number))

    return act


def _force(old):
    return ["--force"] if old else []


def watch_secrets(ground, one, place, old, act, seen):
    """Return an action that first looks whether others could open what names people."""

    def look_first(n):
        for fault in ground.judge_secrets(one, place, old):
            with open(seen, "a") as stream:
                stream.write(f"before step {n}: {fault}\n")
        act(n)

    return look_first


def read_seen(seen):
    """Yield what was seen, once."""
    if seen.exists():
        yield from list(dict.fromkeys(line.partition(": ")[2] for line in seen.read_text().splitlines()))
        seen.unlink()


def _kill(ground, one, place, at, old):
    seen = ground.root / "seen"
    ended = ground.run(one, place, *_force(old), act=watch_secrets(ground, one, place, old, kill_at(at), seen))
    yield from read_seen(seen)
    yield from judge_end(ground, one, place, old, ended, signal.SIGKILL)


def _signal(number):
    def judge_one(ground, one, place, at, old):
        ended = ground.run(one, place, *_force(old), act=signal_at(at, number))
        yield from judge_end(ground, one, place, old, ended, number)

    return judge_one


def _fail(number, how):
    def judge_one(ground, one, place, at, old):
        ended = ground.run(one, place, *_force(old), act=fail_at(at, number, how))
        yield from judges.judge_words(ended)
        if "shoal recover" in ended.said:  # undoing failed too: the next run finds a disk that works
            yield from ground.settle(one, place, old, ended)
        else:
            swept = how == ONCE
            yield from ground.judge(one, place, old, swept=False)
            if not swept:
                yield from ground.settle(one, place, old, ended)
        yield from judge_code(ground, one, place, ended)

    return judge_one


def judge_code(ground, one, place, ended):
    """Yield whether the exit code tells what is there."""
    found, new = ground.see(place), ground.measure(one).files
    there = all(found.get(name) == data for name, data in new.items())
    if ended.code not in (0, 2) or (ended.code == 0 and not there):
        yield f"it ended with {ended.code}, {'with' if there else 'without'} new files: {ended.said.strip()[-200:]!r}"


def _appear(ground, one, place, at, _):
    """Let another program write one of the outputs: without --force, its file must stay."""
    name = ground.rng.choice(one.outputs)

    def act(n):
        if n == at and not (place.folder / name).exists():
            (place.folder / name).write_bytes(spell_old(name))

    place = ground.clear()
    ended = ground.run(one, place, act=act)
    there = ground.see(place)
    yield from judges.judge_words(ended)
    if ended.code == 0 and there != ground.measure(one).files | {kept: there.get(kept) for kept in one.keeps}:
        yield f"it ended with 0, and {name} is another"
    if ended.code == 0 and spell_old(name) not in there.values() and at < _find_last_move(ground, one, name):
        yield f"{name} was overwritten without --force"
    if ended.code not in (0, 2):
        yield f"it ended with {ended.code}"
    if ended.code == 2:
        yield from judges.judge_leftovers(there, {}, {name: b""}, one.keeps)
        if there.get(name) != spell_old(name):
            yield f"{name} was lost"
    yield from ground.judge_secrets(one, place, (name,))


def _find_last_move(ground, one, name):
    """Return the last step in which a file was given this name."""
    steps = enumerate(ground.measure(one).steps, 1)
    return max((at for at, step in steps if step in (f"os.link {name} {name}", f"os.rename {name} {name}")), default=0)


def _vanish(ground, one, place, at, old):
    """Move the folder of the run away: what is moved must be old or new, and nothing may be where it was."""
    moved = ground.root / "moved"

    def act(n):
        if n == at and place.folder.exists():
            os.rename(place.folder, moved)

    ended = ground.run(one, place, *_force(old), act=act)
    yield from judges.judge_words(ended)
    if ended.code not in (0, 2):
        yield f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}"
    if place.folder.exists():
        yield "a folder was made where it was moved away"
        shutil.rmtree(place.folder)
    os.rename(moved, place.folder)
    yield from ground.judge_secrets(one, place, old)
    yield from ground.settle(one, place, old, ended)
