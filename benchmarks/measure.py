"""Times, ratios and peaks of memory, measured in one run."""

import json
import subprocess
import sys
import time
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
