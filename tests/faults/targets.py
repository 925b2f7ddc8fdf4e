"""Odd targets and odd disks: links, pipes, folders and devices as targets, a small, read-only or vanished disk."""

import os
import resource
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

from faults import judges
from faults.copies import Run
from faults.ground import spell_old
from faults.steps import judge_code
from faults.writing import list_targets

ELSEWHERE = "elsewhere"
"""A file in the folder of the run that links lead to."""


def _to_file(target):
    target.with_name(ELSEWHERE).write_bytes(spell_old(target.name))
    target.symlink_to(ELSEWHERE)


def _to_nothing(target):
    target.symlink_to(ELSEWHERE)


def _to_itself(target):
    target.symlink_to(target.name)


def _to_pipe(target):
    os.mkfifo(target.with_name(ELSEWHERE))
    target.symlink_to(ELSEWHERE)


def _to_folder(target):
    target.with_name(ELSEWHERE).mkdir()
    target.symlink_to(ELSEWHERE)


def _to_null(target):
    target.symlink_to(os.devnull)


def _hard_link(target):
    target.with_name(ELSEWHERE).write_bytes(spell_old(target.name))
    os.link(target.with_name(ELSEWHERE), target)


ODD = {
    "a link to a file": _to_file,
    "a link to nothing": _to_nothing,
    "a link to itself": _to_itself,
    "a link to a pipe": _to_pipe,
    "a link to a folder": _to_folder,
    "a link to /dev/null": _to_null,
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a second name of a file": _hard_link,
}
FINE = {"a link to a file", "a link to nothing", "a second name of a file"}
"""What may be replaced, with --force: a link stays, and the file behind it is replaced; of a file with two names, the
other one keeps the old content."""


def try_odd_targets(ground, tally):
    """Put something else where a file is to be written, for each option that names one."""
    for one in ground.writing:
        ground.measure(one)
        for name in _list_named(one):
            for odd, make in ODD.items():
                for force in (False, True):
                    place = ground.clear()
                    make(place.folder / name)
                    before = _identify(place.folder)
                    ended = ground.run(one, place, *(["--force"] if force else []))
                    told = f"{one.title}, {name} is {odd}{', --force' if force else ''}"
                    fine = odd in FINE and (force or odd == "a link to nothing")
                    judge = _judge_replaced if fine else _judge_refused
                    tally.count("odd targets", told, judge(ground, one, place, name, odd, before, ended))


def _list_named(one):
    """Return the outputs that options name; a sample's first file stands for its pattern."""
    options = {option for command, option in list_targets() if command == one.command}
    words = one.arguments
    named = [words[at + 1] for at, word in enumerate(words) if word in options]
    return [name if name in one.outputs else one.outputs[0] for name in named]


def _identify(folder):
    """Return what stands under each name: type, inode, and where a link leads."""
    return {
        entry.name: (
            entry.stat(follow_symlinks=False).st_mode,
            entry.inode(),
            entry.is_symlink() and os.readlink(entry),
        )
        for entry in os.scandir(folder)
    }


def _judge_refused(ground, one, place, name, odd, before, ended):
    yield from judges.judge_words(ended)
    if ended.code != 2:
        yield f"it ended with {ended.code}"
    if _identify(place.folder) != before:
        yield f"the folder changed: {sorted(before)} became {sorted(os.listdir(place.folder))}"
    if name not in ended.said:
        yield f"the target is not named: {ended.said.strip()[-200:]!r}"


def _judge_replaced(ground, one, place, name, odd, before, ended):
    yield from judges.judge_words(ended)
    refused = ended.code == 2 and _identify(place.folder) == before and name in ended.said
    if refused and name.endswith(".release.json"):
        return
    if ended.code:
        yield f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}"
    other = place.folder / ELSEWHERE
    if odd == "a second name of a file":
        if other.read_bytes() != spell_old(name):
            yield "the other name of the old file has another content"
    elif _identify(place.folder).get(name) != before[name]:
        yield "the link was replaced"
    elif name in one.private and other.stat().st_mode & judges.OWNER & ~0o044:
        yield "the file behind the link is open to others"
    other.unlink()
    if (place.folder / name).is_symlink():
        (place.folder / name).unlink()
        yield from ground.judge(one, place, (), new=_leave_out(ground.measure(one).files, name))
    else:
        yield from ground.judge(one, place, ())


def _leave_out(files, name):
    return {other: data for other, data in files.items() if other != name}


@contextmanager
def small_disk(place, size):
    """Let the folder of a run be a disk of some bytes; yield whether that can be done here."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place.folder)]
    may = os.geteuid() == 0 and shutil.which("mount")
    done = may and not subprocess.run(command, capture_output=True, check=False).returncode
    try:
        yield bool(done)
    finally:
        if done:
            subprocess.run(["umount", "-l", str(place.folder)], check=True)


def fill_disks(ground, tally, times=4):
    """Let the disk be full at drawn sizes: a small disk where it can be mounted, and a limit on the size of files."""
    page = resource.getpagesize()
    for one in ground.writing:
        new = ground.measure(one).files
        whole = sum(-(-len(data) // page) * page for data in new.values()) * 2 + 8 * page
        for _ in range(times):
            size = ground.rng.randrange(page, whole, page)
            old = one.outputs[:1] if ground.rng.random() < 0.5 else ()
            place = ground.clear()
            with small_disk(place, size) as mounted:
                if not mounted:
                    continue
                for name in old:
                    (place.folder / name).write_bytes(spell_old(name))
                ended = ground.run(one, place, *(["--force"] if old else []))
                told = f"{one.title}, a disk of {size:,} bytes"
                tally.count("small disk", told, list(_judge_full(ground, one, place, old, ended)))
        for _ in range(times):
            size = ground.rng.randrange(1, max(map(len, new.values())) + 1)
            place = ground.clear()

            def limit(size=size):
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

            ended = ground.run(one, place, before=limit)
            told = f"{one.title}, files of at most {size:,} bytes"
            tally.count("limited size of files", told, _judge_full(ground, one, place, (), ended))


def _judge_full(ground, one, place, old, ended):
    yield from judges.judge_words(ended)
    yield from ground.judge(one, place, old)
    yield from judge_code(ground, one, place, ended)


def forbid_writing(ground, tally):
    """Let the folder be read-only from the start, as a disk and as a folder."""
    for one in ground.writing:
        place = ground.clear()
        with small_disk(place, 1 << 20) as mounted:
            if mounted:
                subprocess.run(["mount", "-o", "remount,ro", str(place.folder)], check=True)
                ended = ground.run(one, place)
                tally.count("read-only disk", one.title, list(_judge_forbidden(ground, one, place, ended)))
        place = ground.clear()
        place.folder.chmod(0o500)
        if not os.access(place.folder, os.W_OK):
            ended = ground.run(one, place)
            tally.count("read-only folder", one.title, _judge_forbidden(ground, one, place, ended))
        place.folder.chmod(0o700)
        ended = _run_nowhere(ground, one)
        faults = [*judges.judge_words(ended), *([] if ended.code == 2 else [f"it ended with {ended.code}"])]
        tally.count("no folder", one.title, faults)


def _judge_forbidden(ground, one, place, ended):
    yield from judges.judge_words(ended)
    if ended.code != 2:
        yield f"it ended with {ended.code}"
    if any(place.folder.iterdir()) or any(place.temp.iterdir()):
        yield "something was written"
    if "tput" not in ended.said and not any(name in ended.said for name in (*one.outputs, *one.keeps)):
        yield f"no file is named: {ended.said.strip()[-200:]!r}"


def _run_nowhere(ground, one):
    """Run a command whose output folder does not exist."""
    place = ground.clear()
    words = [f"nowhere/{word}" if word in (*one.outputs, "draw.csv") else word for word in one.arguments]
    return Run(words, place).end()


def limit_memory(ground, tally, times=4):
    """Let the memory be limited to a drawn amount above what is in use when the work begins."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for one in ground.writing:
        ground.measure(one)
        for _ in range(times):
            more = int(2 ** ground.rng.uniform(16, 28))
            place = ground.clear()

            def limit(most=used + more):
                resource.setrlimit(resource.RLIMIT_AS, (most, most))

            ended = ground.run(one, place, before=limit)
            told = f"{one.title}, {more >> 10:,} KiB of memory"
            tally.count("limited memory", told, _judge_memory(ground, one, place, ended))


ABORTED = (
    "too little memory for a library",
    "cannot allocate memory for thread-local data: ABORT",
    "Exception ignored in thread started by",
)
"""How a run ends that a library has ended, since it got no memory. In the last case Python waits forever for a thread
that could not begin; a signal ends the command as always."""


def _judge_memory(ground, one, place, ended):
    """A library may end the process when it gets no memory; files must be as after any other end.

    A report says what could not be counted, so a whole one may differ from that of a run with enough memory.
    """
    died = ended.code in (2, 70, 127, -99) and any(words in ended.said for words in ABORTED)
    yield from ground.judge_secrets(one, place)
    if died:
        yield from ground.settle(one, place, (), ended)
        return
    yield from judges.judge_words(ended, signalled=-ended.code in (signal.SIGSEGV, signal.SIGABRT))
    report = place.folder / one.outputs[0]
    if ended.code == 0 and one.command == "audit":
        if not report.read_text().rstrip().endswith(("</html>", "}")):
            yield "the report is not whole"
        return
    yield from ground.judge(one, place, ())
    yield from judge_code(ground, one, place, ended)
