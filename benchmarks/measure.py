"""Times, ratios and peaks of memory, measured in one run."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


def best(*calls, repeat=3):
    """Return the shortest time of each call, the calls taking turns so that a noisy moment hits all of them."""
    times = [float("inf")] * len(calls)
    for _ in range(repeat):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def promise(text, value, limit, *, most):
    """Print a measured value beside its limit, and return whether it keeps it."""
    kept = value <= limit if most else value >= limit
    told = f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"
    print(f"{'ok  ' if kept else 'FAIL'} {text}: {told} ({'at most' if most else 'at least'} {limit})")
    return kept


def peak_megabytes(code, *arguments):
    """Run code in a process of its own and return its result (one JSON line) and its peak memory."""
    # not ru_maxrss, which a child inherits from a large parent
    tail = """
import json, re, pathlib
peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([result, peak]))"""
    done = subprocess.run(
        [sys.executable, "-c", code + tail, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def file(data, name):
    """Return the path of a real network, or None with a word about it."""
    path = None if data is None else Path(data) / f"{name}.edges.gz"
    if path is None or not path.exists():
        print(f"skip {name}: pass --data FOLDER (make bench DATA=FOLDER) with {name}.edges.gz")
        return None
    return path


def list_processes(root=None):
    """Return the ids of a process (default: this one) and of all that it has started and that still run."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found = {os.getpid() if root is None else root}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def read_clock(root=None):
    """Return the seconds of CPU of these processes."""
    ticks = 0
    for one in list_processes(root):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def read_memory(field, root=None):
    """Return the sum of a field of memory of these processes, in GiB: "VmRSS" is now, "VmHWM" the peak of each."""
    kilobytes = 0
    for one in list_processes(root):
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{one}/status").read_text().splitlines()
            kilobytes += int(next(line for line in lines if line.startswith(field)).split()[1])
    return kilobytes / 2**20


def read_peak():
    """Return the sum of the peaks of memory of this process and of all that it has started, in GiB."""
    return read_memory("VmHWM")
