"""How time and memory grow with a network: one table for every kind of knowledge, method, attack and the audit.

`make scale`, or `python -m benchmarks.scaling`, prints it as Markdown. Each cell is a process of its own. It is stopped
at a limit of time or memory, and the larger sizes of its row are then left out. Cells are kept in a journal, one JSON
line each, so that an interrupted run goes on where it was. Times are seconds of CPU, of all threads and processes,
without loading libraries and without making the input. Memory is the peak of the process while it works, its input and
libraries included.

The exponent is the slope of a line through log(CPU) against log(links), over the cells above the noise. One above 1.3
is marked. It is explained below the table, like each row that was stopped; the exit code is 1 if an explanation is
missing or a cell failed.
"""

import argparse
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
from benchmarks.measure import read_memory
from benchmarks.relational import draw_ends
from benchmarks.scaling_rows import EXPLAINED, HUGE, ROWS

import shoal
from shoal.errors import Notice, ShoalError

SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
MOST, MOST_HUGE = 10_000_000, 100_000_000
SMALL = 1_000
"""The work is done once on a network of this size, to load libraries, before the clock starts."""
NOISE = 0.01
"""Cells with less CPU, in seconds, do not count for the exponent."""
STEEP = 1.3
SECONDS, MEMORY = 600, 16.0
"""The limits of a cell: seconds of wall time for the work, and GiB."""
PREPARATION = 1_800
"""The seconds of wall time for the input of a cell, and for the work on a small one."""
POLL = 0.1
UNPREPARED = "time to make the input"
FOLDER = Path("build/scaling")


# One cell, in a process of its own.


def work(row, folder, small, out):
    """Do the work of a row; write "ready" when the clock starts, and then what it took."""
    warnings.simplefilter("ignore", Notice)
    row.work(row.prepare(small))
    given = row.prepare(folder)
    print("ready", file=out, flush=True)
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins anew
    cpu, wall = read_cpu(), time.perf_counter()
    row.work(given)
    took = {"cpu": read_cpu() - cpu, "wall": time.perf_counter() - wall, "peak": read_memory("VmHWM", os.getpid())}
    print(json.dumps(took), file=out, flush=True)


def read_cpu():
    """Return the seconds of CPU of this process and of those that it has started and waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def run_cell(command, seconds, memory):
    """Run a cell in a process; return what it took, or {"stopped": why}.

    The process prints a line when the clock starts and one with its result. Its memory, with that of all processes that
    it has started, is looked at ten times a second.
    """
    with (
        tempfile.TemporaryFile() as told,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, start_new_session=True) as process,
    ):
        try:
            output, highest, stopped = watch(process, seconds, memory)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # also what it has started
            process.wait()
        if stopped is not None:
            return {"stopped": stopped}
        found = parse_result(output)
        if found is None or process.returncode:
            told.seek(0)
            last = told.read().decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            return {"failed": f"code {process.returncode}: {last[0]}"}
    return found if "peak" not in found else found | {"peak": max(found["peak"], highest)}


def parse_result(output):
    """Return the result that a cell printed in its last line; None if it is not whole."""
    try:
        found = json.loads(output.decode().rpartition("ready\n")[2])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def watch(process, seconds, memory):
    """Return what a process printed, the most memory that was seen, and why it must be stopped, if it must."""
    output, highest, until = b"", 0.0, time.monotonic() + max(seconds, PREPARATION)
    while True:
        if select.select([process.stdout], [], [], POLL)[0]:
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                process.wait()
                return output, highest, None
            if not output:
                until, highest = time.monotonic() + seconds, 0.0  # the clock starts
            output += piece
        highest = max(highest, now := read_memory("VmRSS", process.pid))
        if now > memory:
            return output, highest, "memory"
        if time.monotonic() > until:
            return output, highest, "time" if output else UNPREPARED


# The journal.


def read_journal(place):
    """Return the cells of a journal by row and size; the last line about a cell counts, a torn one does not."""
    cells = {}
    for line in place.read_text().splitlines() if place.exists() else ():
        with suppress(ValueError):
            cell = json.loads(line)
            cells[cell["row"], cell["size"]] = cell
    return cells


def add_cell(place, cell):
    """Append a cell to the journal; it is on the disk when this returns."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a") as file:
        file.write("\n" * (file.tell() > 0) + json.dumps(cell))  # a line that was torn off stays a line of its own
        file.flush()
        os.fsync(file.fileno())


def is_known(cell, seconds, memory):
    """Return whether a cell need not run again: it is of this version, and was not stopped at lower limits."""
    if cell is None or cell["version"] != shoal.__version__ or "failed" in cell or cell.get("stopped") == UNPREPARED:
        return False  # what failed is tried again
    stopped = cell.get("stopped")
    if stopped is None:
        return True
    return cell["memory"] >= memory if stopped == "memory" else cell["seconds"] >= seconds


def measure(names, sizes, place, folder, seconds, memory, run=run_cell):
    """Measure the cells that the journal does not hold; sizes grow in the outer loop, so that it can be read early."""
    cells = read_journal(place)
    for size in sizes:
        for name in names:
            smaller = [cells.get((name, one)) for one in SIZES if one < size]
            if any(has_ended(one) for one in smaller) or (size > MOST and name not in HUGE):
                continue
            if not is_known(cells.get((name, size)), seconds, memory):
                draw(size, folder)
                command = [sys.executable, "-m", "benchmarks.scaling", "--cell", name, "--size", str(size)]
                found = run([*command, "--folder", str(folder)], seconds, memory)
                when = time.strftime("%Y-%m-%d")
                cell = {"row": name, "size": size, "seconds": seconds, "memory": memory, **found}
                cells[name, size] = cell | {"version": shoal.__version__, "date": when}
                add_cell(place, cells[name, size])
                print(f"{size:>11,}  {name}: {show_cell(cells[name, size])}", file=sys.stderr, flush=True)
    return cells


def has_ended(cell):
    """Return whether a row ends with this cell."""
    return cell is not None and "cpu" not in cell


def draw(size, folder):
    """Draw the pairs of a network once; a folder of each size holds them."""
    place = folder / str(size)
    if not (place / "ends.npy").exists():
        place.mkdir(parents=True, exist_ok=True)
        np.save(place / "new.npy", np.array(draw_ends(size)))
        (place / "new.npy").rename(place / "ends.npy")


# The table.


def fit_exponent(cells):
    """Return the slope of log(CPU) against log(links) over the cells above the noise; None for fewer than two.

    >>> fit_exponent([{"size": 10, "cpu": 1.0}, {"size": 100, "cpu": 100.0}])
    2.0
    """
    loud = [(math.log(one["size"]), math.log(one["cpu"])) for one in cells if one.get("cpu", 0) >= NOISE]
    if len(loud) < 2:
        return None
    sizes, times = np.array(loud).T
    return round(float(np.polyfit(sizes, times, 1)[0]), 2)


def show_cell(cell):
    """Return a cell as text: seconds of CPU and the peak in MB, or why there is none."""
    if cell is None:
        return "–"
    if "cpu" not in cell:
        return next(f"{word} ({cell[word]})" for word in ("stopped", "refused", "failed") if word in cell)
    return f"{cell['cpu']:.2f} s, {1024 * cell['peak']:,.0f} MB"


def show_size(size):
    return f"10^{round(math.log10(size))}"


def make_table(cells, names, explained):
    """Return the table and its notes as lines, and whether every steep row is explained and no cell failed."""
    sizes = [size for size in SIZES if any((name, size) in cells for name in names)]
    head = ["", *(f"{show_size(size)} links" for size in sizes), "exponent"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    notes, sound, family = [], True, None
    for name in names:
        mine = [cells.get((name, size)) for size in sizes]
        if not any(mine):
            continue
        if ROWS[name].family != family:
            family = ROWS[name].family
            lines.append(f"| **{family}** |" + " |" * (len(head) - 1))
        exponent = fit_exponent([one for one in mine if one])
        steep = exponent is not None and exponent > STEEP
        why = [f"{exponent}"] * steep + ["stopped"] * any(one and has_ended(one) for one in mine)
        if why:
            notes.append(f"* {name} ({', '.join(why)}): {explained.get(name, 'NOT EXPLAINED')}")
        sound &= (not why or name in explained) and not any(one and "failed" in one for one in mine)
        grown = "below noise" if exponent is None else f"**{exponent:.2f}** (!)" if steep else f"{exponent:.2f}"
        last = "".join(f" {text} |" for text in fill_row(mine))
        lines.append(f"| `{name}` |{last} {grown} |")
    return lines, notes, sound


def fill_row(mine):
    """Return the texts of a row; the sizes beyond one that was stopped were left out."""
    texts, ended = [], False
    for cell in mine:
        texts.append("left out" if ended and cell is None else show_cell(cell))
        ended |= has_ended(cell)
    return texts


def describe_run(cells):
    """Return one sentence about the machine, the dates and the limits."""
    dates = sorted({cell["date"] for cell in cells.values()})
    limits = sorted({(cell["seconds"], cell["memory"]) for cell in cells.values()})
    told = " or ".join(f"{seconds:g} s and {memory:g} GiB" for seconds, memory in limits)
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"{when}, shoal {shoal.__version__}, {os.cpu_count()} cores; a cell was stopped at {told}."


def parse(words=None):
    parser = argparse.ArgumentParser(prog="benchmarks.scaling", description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=float, default=MOST, help="the largest number of links (default: 1e7)")
    parser.add_argument("--huge", action="store_true", help=f"10^8 links for {', '.join(sorted(HUGE))}")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of time of a cell")
    parser.add_argument("--memory", type=float, default=MEMORY, help="limit of memory of a cell, in GiB")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), metavar="ROW", default=list(ROWS), help="default: all")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where networks and the journal are kept")
    parser.add_argument("--show", action="store_true", help="only show what the journal holds")
    parser.add_argument("--cell", choices=list(ROWS), help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words=None):
    given = parse(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the cell that runs is ended, too
    if given.cell:
        draw(SMALL, given.folder)
        try:
            work(ROWS[given.cell], given.folder / str(given.size), given.folder / str(SMALL), sys.stdout)
        except ShoalError as refused:
            print(json.dumps({"refused": str(refused)}), flush=True)
        return 0
    most = MOST_HUGE if given.huge else given.most
    sizes = [] if given.show else [size for size in SIZES if size <= most]
    names, place = [name for name in ROWS if name in given.rows], given.folder / "journal.jsonl"
    measure(names, sizes, place, given.folder, given.seconds, given.memory)
    cells = {key: cell for key, cell in read_journal(place).items() if key[0] in names}
    if not cells:
        sys.exit(f"{place} has no cells. Leave out --show to measure them.")
    lines, notes, sound = make_table(cells, names, EXPLAINED)
    print(describe_run(cells), "", *lines, "", *notes, sep="\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
