"""Promises: Spark gives the sizes of memory, vertex by vertex, within a limit of CPU; and what it costs.

A real network is counted on two cores, and under one kind of knowledge by a local cluster, whose executors are
processes of their own. A network of 10^7 links, and a hub with 10^6 neighbors, are counted by one executor and by two.
Times are seconds of CPU of Python and of all Java processes, after Spark has started. The bytes that executors send to
each other are those that Spark itself counts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from benchmarks.measure import promise, read_clock, read_peak
from benchmarks.relational import compare, count_hub, draw_hub, draw_links

from shoal.errors import Notice

NETWORK = "com-DBLP"
KINDS = ("degree", "neighbors:1", "adjacency", "refinement:2", "counts:1", "hubs:5")
CLUSTER_KINDS = ("hubs:5",)
SECONDS = 150
"""The most seconds of CPU for loading and six kinds of knowledge."""
TIMED = ("degree", "neighbors:1", "refinement:2")
HUB_TIMED = ("degree", "refinement:2", "neighbors:1")
EXECUTORS = (1, 2)
LINKS = 10_000_000


def read_shuffle(engine):
    """Return how many bytes have been written for other tasks, in GiB."""
    context = engine._session.sparkContext
    gateway = context._gateway
    stages = (
        context._jsc.sc()
        .statusStore()
        .stageList(None, False, False, gateway.new_array(gateway.jvm.double, 0), gateway.jvm.java.util.ArrayList())
    )
    return sum(stages.apply(at).shuffleWriteBytes() for at in range(stages.length())) / 2**30


def start(master, memory=None):
    from shoal.relational import SparkEngine

    return SparkEngine(master=master, memory=memory)


def measure(path, executors):
    """Count in this process with some executors; print what each step costs."""
    from shoal.relational import assess, open_network

    engine = start(f"local-cluster[{executors},1,2048]")
    found = {}

    def note(step, began):
        now = read_clock(), time.perf_counter(), read_shuffle(engine)
        if step:
            found[step] = [after - before for after, before in zip(now, began, strict=True)]
        return now

    began = note(None, None)
    with open_network(path, undirected=True, engine=engine) as network:
        began = note("load", began)
        for spec in TIMED if network.m >= LINKS else HUB_TIMED:
            assess(network, spec)
            began = note(spec, began)
        print(json.dumps([found, read_peak()]))


def measure_apart(what, path):
    """Measure with one executor and with two, each in a process of its own."""
    for executors in EXECUTORS:
        command = [sys.executable, "-m", "benchmarks.spark", "--measure", str(path), "--executors", str(executors)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        steps, peak = json.loads(done.stdout.splitlines()[-1])
        steps["in all"] = [sum(column) for column in zip(*steps.values(), strict=True)]
        print(f"     {what}, executors: {executors}; peaks of all processes together: {peak:.1f} GiB")
        for name, (cpu, wall, shuffled) in steps.items():
            print(
                f"       {name}: {cpu:.0f} s of CPU, {wall:.0f} s of wall time, shuffle {shuffled:.2f} GiB", flush=True
            )


def main(data=None, *, large=True):
    warnings.simplefilter("ignore", Notice)
    kept, seconds = compare(NETWORK, data, KINDS, lambda: start("local[2]", "4GB"), read_clock)
    if seconds:
        kept &= promise(f"{NETWORK}, load and six kinds on local[2]: seconds of CPU", seconds, SECONDS, most=True)
    again, _ = compare(NETWORK, data, CLUSTER_KINDS, lambda: start("local-cluster[2,1,2048]"), read_clock)
    kept &= again
    with tempfile.TemporaryDirectory() as folder:
        hub = Path(folder) / "hub.parquet"
        draw_hub().write_parquet(str(hub))
        kept &= count_hub(str(hub), HUB_TIMED, start("local[2]", "4GB"), read_clock)
        measure_apart("hub of 10^6", hub)
        if large:
            links = Path(folder) / "links.parquet"
            draw_links(LINKS, links)
            measure_apart("10^7 links", links)
    return kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--small", action="store_true", help="leave out the 10^7 links")
    parser.add_argument("--measure", type=Path)
    parser.add_argument("--executors", type=int)
    given = parser.parse_args()
    if given.measure is not None:
        warnings.simplefilter("ignore", Notice)
        measure(given.measure, given.executors)
    else:
        sys.exit(not main(given.data, large=not given.small))
