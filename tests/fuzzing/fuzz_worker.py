"""The process in which files are read: it is told cases on its input and answers on a pipe; another one watches it.

python tests/fuzzing/fuzz_worker.py ANSWERS SEEDS
"""

import contextlib
import io
import json
import os
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path


def main():
    answers, seeds = os.fdopen(int(sys.argv[1]), "w"), Path(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tasks = io.TextIOWrapper(os.fdopen(os.dup(0), "rb"))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    raw = os.open("raw", os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC)
    for stream in (1, 2):  # libraries write past sys.stderr
        os.dup2(raw, stream)
    for line in tasks:
        task = json.loads(line)
        tell = lambda **found: (answers.write(json.dumps(found) + "\n"), answers.flush())  # noqa: E731
        run_task(task, seeds, tell, raw)


def run_task(task, seeds, tell, raw):
    """Make the files of a case, say so, read them, and say what happened."""
    folder = Path(task["folder"])
    if "planted" in task:
        words, call, title, size = (), PLANTED[task["planted"]], task["planted"], 0
        folder.mkdir()
    else:
        words, call, title, size = build(task, seeds, folder)
    os.chdir(folder)
    tell(title=title, words=words, size=size)
    before, raw_before = read_status("VmRSS"), os.fstat(raw).st_size
    reset_peak()
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    defect, code, start = "", None, time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run_words(words) if call is None else run_call(call)
        except BaseException:
            defect = traceback.format_exc()
    seconds, peak = time.process_time() - start, read_status("VmHWM")
    out.flush()
    err.flush()
    os.chdir(folder.parent)
    said = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
    said[1] += os.pread(raw, 100_000, raw_before).decode("utf-8", "backslashreplace")
    os.ftruncate(raw, 0)
    tell(
        code=code,
        out=said[0],
        err=said[1],
        defect=defect,
        seconds=seconds,
        megabytes=(peak - before) / 1e3,
        rss=read_status("VmRSS") / 1e3,
    )


def build(task, seeds, folder):
    """Copy the valid files of a reader, and change one of them."""
    import file_readers

    reader = file_readers.READERS[task["reader"]]
    kept = seeds / str(list(file_readers.READERS).index(reader.name))
    if not kept.exists():
        (part := kept.with_suffix(".part")).mkdir()
        reader.build(part)
        part.rename(kept)
    shutil.copytree(kept, folder)
    target = folder / reader.target
    data, size, title, words = file_readers.make_case(
        reader, target.read_bytes(), task["number"], task["seed"], task.get("file")
    )
    target.write_bytes(data)
    call = None if reader.call is None else lambda: reader.call(Path(reader.target))
    return words, call, title, size


def run_words(words):
    from shoal.cli.app import run_command

    return run_command(list(words))


def run_call(call):
    """Call a function; an error of shoal is a refusal, as a command would tell it."""
    from shoal.errors import ShoalError, tame

    try:
        call()
    except ShoalError as error:
        sys.stderr.write(f"error: {tame(error)}\n")
        return 2
    return 0


def read_status(key):
    """Return a number of kB from the state of this process."""
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith(key))


def reset_peak():
    """Let the peak of memory be counted anew."""
    with open("/proc/self/clear_refs", "w") as stream:
        stream.write("5")


# Readers with a fault, so that each judge can be seen to fail.


def _hang():
    while True:
        pass


def _sleep():
    time.sleep(3_600)


def _eat():
    held = []
    while True:
        held.append(b"x" * 20_000_000)
        time.sleep(0.001)


def _eat_and_free():
    len(b"x" * 700_000_000)


def _raise():
    raise ValueError("planted")


def _color():
    sys.stdout.write("\x1b[31mred\n")


def _turn():
    sys.stderr.write("a\u202eb\n")


def _crash():
    os.kill(os.getpid(), 11)


def _write_past():
    os.write(2, b"\x1b[2J")


def _write_page():
    Path("r.html").write_text("<p onclick='alert(1)'>a</p>")


PLANTED = {
    "well": lambda: None,
    "hangs": _hang,
    "sleeps": _sleep,
    "eats memory": _eat,
    "eats memory for a moment": _eat_and_free,
    "raises": _raise,
    "prints a color": _color,
    "prints a mark of direction": _turn,
    "crashes": _crash,
    "writes past Python": _write_past,
    "writes a page that runs": _write_page,
}

if __name__ == "__main__":
    sys.path[1:1] = [str(Path(__file__).parents[1])]
    main()
