"""Other tools and shoal at the same work, in one run: times, ratios and results side by side.

`make bench-peers`, or `python -m benchmarks.peers_table [--data FOLDER]`, prints a Markdown table. Each tool from the
package index is installed into an environment of its own (.peers/NAME); what cannot be installed is a row of the table,
too. Programs that are no packages are run where the user has them:

    python -m benchmarks.peers_table --program dkAnonymity=/path/to/bin/anon --program graphAnon=/path/to/graphAnon \\
        --program 'SecGraph=java -jar secGraph.jar ARGUMENTS {input} {output}'

Times of packages are seconds of CPU without loading libraries and reading input; times of programs are wall times with
both. The exit code is 1 if results differ in a way that is not expected.
"""

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

from benchmarks.peers import PeerFailed, install
from benchmarks.peers_work import NETWORKS, PROGRAMS, RELATIONS, TABLES, TRAP, make_inputs

import shoal
from shoal.errors import Notice


class Line(NamedTuple):
    """A row of the table: what came of one work."""

    peer: str
    title: str
    data: str
    theirs: float | None = None
    ours: float | None = None
    result: str = ""
    holds: bool | None = None
    """Whether the relation of the results holds; None if the tool did not come to a result."""


def compare(work, given, ask, label):
    """Let both do one work, and compare."""
    try:
        theirs, found = ask(given)
    except PeerFailed as error:
        return Line(label, work.title, given.name, result=str(error))
    ours, value = work.do(given)
    holds = RELATIONS[work.relation](found, value)
    if holds and (found == value or work.relation in {"close", "found by both"}):
        result = f"same: {show(value)}" if isinstance(value, dict) else "same"
    else:
        word = "" if holds else f"NOT {work.relation}: "
        result = f"{word}{show(found)}; shoal {show(value)}"
    return Line(label, work.title, given.name, theirs, ours, result, holds)


def show(value):
    """Return a result in a few words."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {show(one)}" for name, one in value.items())
    if isinstance(value, list):
        return f"{', '.join(map(show, value[:4]))}{', ...' if len(value) > 4 else ''}"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def compare_packages(inputs, wanted, index=()):
    """Yield the rows of the packages; one for each that could not be installed."""
    for peer in dict.fromkeys(work.peer for work in (*NETWORKS, *TABLES)):
        if wanted and peer not in wanted:
            continue
        try:
            label = f"{peer} {install(peer, index)}"
        except PeerFailed as error:
            yield Line(peer, "", "", result=str(error))
            continue
        for work in (*NETWORKS, *TABLES):
            for given in inputs:
                if work.peer == peer and work.takes(given):
                    yield compare(work, given, work.ask, label)


def compare_programs(inputs, wanted, paths):
    """Yield the rows of the programs; one for each whose path was not given."""
    for work in PROGRAMS:
        if wanted and work.peer not in wanted:
            continue
        if work.peer not in paths:
            told = f"not run: name its path (--program {work.peer}=PATH)"
            yield Line(work.peer, work.title, "", result=told)
            continue
        for given in (one for one in inputs if one.name != TRAP):
            yield compare(work, given, lambda given, work=work: work.ask(given, paths[work.peer]), work.peer)


def make_table(lines):
    """Return the table as lines of Markdown, and what explains differences."""
    head = ["tool", "work", "data", "tool, s", "shoal, s", "ratio", "results"]
    table = ["| " + " | ".join(head) + " |", "|" + "---|" * 3 + "---:|" * 3 + "---|"]
    for line in lines:
        ratio = line.theirs / line.ours if line.theirs is not None and line.ours else None
        times = [f"{x:.3f}" if x is not None else "–" for x in (line.theirs, line.ours)]
        cells = [line.peer, line.title, line.data, *times, f"{ratio:.1f}" if ratio is not None else "–", line.result]
        table.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    met = {(line.peer.split()[0], line.title) for line in lines}
    told = [f"* {work.peer}, {work.title}: {work.why}" for work in (*NETWORKS, *TABLES, *PROGRAMS) if work.why]
    named = {f"* {peer}, {title}: " for peer, title in met}
    return table, [one for one in told if any(one.startswith(name) for name in named)]


def parse(words=None):
    parser = argparse.ArgumentParser(prog="benchmarks.peers_table", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="which tools; default all")
    parser.add_argument("--data", type=Path, help="folder with real networks, e.g. ca-GrQc.edges.gz")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH", help="a program and its path")
    given = parser.parse_args(words)
    known = {work.peer for work in (*NETWORKS, *TABLES, *PROGRAMS)}
    paths = dict(one.partition("=")[::2] for one in given.program)
    programs = sorted({work.peer for work in PROGRAMS})
    for name in given.names:
        if name not in known:
            parser.error(f"There is no tool {name!r}. There are: {', '.join(sorted(known))}.")
    for name, path in paths.items():
        if name not in programs or not path:
            parser.error(f"--program must be NAME=PATH for one of {', '.join(programs)}. Got {name!r}.")
    return given.names, given.data, paths


def main(words=None):
    warnings.simplefilter("ignore", Notice)
    names, data, paths = parse(words)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        inputs = make_inputs(Path(folder), data)
        for found in (compare_packages(inputs, names), compare_programs(inputs, names, paths)):
            for line in found:
                print(f"{line.peer}, {line.title}, {line.data}: {line.result}", file=sys.stderr, flush=True)
                lines.append(line)
    table, told = make_table(lines)
    print(
        f"{time.strftime('%Y-%m-%d')}, shoal {shoal.__version__}, {os.cpu_count()} cores",
        "",
        *table,
        "",
        *told,
        sep="\n",
    )
    wrong = [line for line in lines if line.holds is False]
    for line in wrong:
        print(f"WRONG {line.peer}, {line.title}: {line.result}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
