"""A quick guard against slow-downs: short work of shoal, as ratios to a peer that is measured in the same run.

`make bench-quick`, or `python -m benchmarks.quick`, compares the ratios with those in benchmarks/quick.json. The exit
code is 1 if one is larger than recorded by more than the tolerance. `--record` writes the file anew. Times are seconds
of CPU with one thread, the shortest of several, each right after its peer, so that a busy or slow machine changes both.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from benchmarks.relational import draw_ends

import shoal
from shoal.errors import Notice

RECORDED = Path(__file__).with_name("quick.json")
TOLERANCE = 2.0
"""A ratio may be so many times the recorded one."""
LINKS, ROWS = 100_000, 100_000
REPEATS = 5


def sort_numbers():
    """Compiled work on arrays."""
    np.sort(np.random.default_rng(1).integers(0, 1 << 40, 300_000))


def loop():
    """Interpreted work on objects."""
    counts = {}
    for i in range(100_000):
        counts[i % 1_000] = counts.get(i % 1_000, 0) + 1


def start_python():
    """A process with one library."""
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)


def list_kernels(folder):
    """Return the work by name, each with its peer; inputs are made here."""
    a, b = draw_ends(LINKS)
    place, table = folder / "links.csv", draw_table()
    np.savetxt(place, np.column_stack([a, b]), fmt="%d", delimiter=",")

    def build():
        return shoal.Graph.from_pairs(range(LINKS // 5), a, b)

    def know(spec):
        return lambda: shoal.assess(build(), spec).k

    club = shoal.examples.village(60)
    command = [sys.executable, "-m", "shoal", "risk", "example:karate", "--knows", "degree"]
    return {
        "read csv": (lambda: shoal.read_graph(place), sort_numbers),
        "refinement": (know("refinement"), sort_numbers),
        "counts:1": (know("counts:1"), sort_numbers),
        "degrees:1": (know("degrees:1"), sort_numbers),
        "shared-neighbors:1": (know("shared-neighbors:1"), sort_numbers),
        "neighbors:2": (know("neighbors:2"), sort_numbers),
        "neighborhood:1": (know("neighborhood:1"), sort_numbers),
        "orbit": (know("orbit"), sort_numbers),
        "levels neighbors": (lambda: shoal.levels(build(), "neighbors", k=2).l, sort_numbers),
        "some-columns:2": (lambda: shoal.assess(shoal.as_table(table), "some-columns:2").k, sort_numbers),
        "mondrian": (lambda: shoal.methods.Mondrian(5)(shoal.as_table(table)), sort_numbers),
        "match-degrees": (lambda: shoal.methods.MatchDegrees(5)(build()), sort_numbers),
        "cascade": (lambda: shoal.attack(build(), build(), by="cascade"), sort_numbers),
        "audit of 60 people": (lambda: shoal.audit(club, club, same_names=True), loop),
        "command: shoal risk": (lambda: subprocess.run(command, check=True, capture_output=True), start_python),
    }


def draw_table():
    rng = np.random.default_rng(1)
    return {name: rng.integers(0, card, ROWS) for name, card in {"age": 70, "sex": 2, "town": 40, "work": 8}.items()}


def read_cpu():
    """Return the seconds of CPU of this process and of those that it has started and waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def measure(work, peer, repeats=REPEATS, clock=read_cpu):
    """Return the shortest seconds of work and of its peer, which take turns."""
    times = {work: [], peer: []}
    work()  # loads libraries
    for _ in range(repeats):
        for one, found in times.items():
            start = clock()
            one()
            found.append(clock() - start)
    return min(times[work]), min(times[peer])


def measure_ratio(work, peer, limit):
    """Return the least ratio of work to its peer; while it is above the limit, it is measured again, three times."""
    ratios = []
    while len(ratios) < 4 and (not ratios or min(ratios) > limit):
        ours, theirs = measure(work, peer)
        ratios.append(ours / theirs)
    return min(ratios)


def judge(ratios, recorded, tolerance=TOLERANCE):
    """Return a line for each ratio, and the names of those that are too large or not recorded.

    >>> judge({"orbit": 3.0}, {"orbit": 1.0})[1]
    ['orbit']
    """
    lines, slower = ["| work | ratio | recorded | change |", "|---|---:|---:|---:|"], []
    for name, ratio in ratios.items():
        before = recorded.get(name)
        if before is None:
            slower.append(name)
            lines.append(f"| {name} | {ratio:.2f} | – | NOT RECORDED |")
            continue
        change = ratio / before
        if change > tolerance:
            slower.append(name)
        word = " SLOWER" if change > tolerance else " faster" if change < 1 / tolerance else ""
        lines.append(f"| {name} | {ratio:.2f} | {before:.2f} | {change:.2f}{word} |")
    return lines, slower


def main(words=None, kernels=list_kernels, place=RECORDED):
    parser = argparse.ArgumentParser(prog="benchmarks.quick", description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the measured ratios as the recorded ones")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help=f"default: {TOLERANCE}")
    given = parser.parse_args(words)
    warnings.simplefilter("ignore", Notice)
    shoal.settings.threads = 1
    recorded = {} if given.record or not place.exists() else json.loads(place.read_text())["ratios"]
    with tempfile.TemporaryDirectory() as folder:
        ratios = {
            name: measure_ratio(work, peer, 0 if given.record else given.tolerance * recorded.get(name, np.inf))
            for name, (work, peer) in kernels(Path(folder)).items()
        }
    if given.record:
        told = {"shoal": shoal.__version__, "date": time.strftime("%Y-%m-%d"), "python": platform.python_version()}
        ratios = {name: round(ratio, 4) for name, ratio in ratios.items()}
        place.write_text(json.dumps({**told, "ratios": ratios}, indent=2) + "\n")
        print(f"{len(ratios)} ratios are recorded.")
        return 0
    lines, slower = judge(ratios, recorded, given.tolerance)
    print(*lines, sep="\n")
    told = f"{len(slower)} of {len(ratios)} are slower than recorded by more than {given.tolerance:g} times"
    print(f"\n{told}: {', '.join(slower)}" if slower else f"\n{told}.")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
