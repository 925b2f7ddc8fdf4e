"""Promises: an engine gives the sizes of memory, vertex by vertex, within limits of CPU and memory.

Real networks, written as Parquet, are counted in DuckDB and in memory under every kind of knowledge. Generated
power-law networks of 10^7 links (and 10^8, with `python -m benchmarks.relational --large`) are counted with a limit of
4 GB, each step in one process of its own. A vertex with 10^6 neighbors is counted too.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from benchmarks.measure import file, promise

import shoal
from shoal.errors import Notice

NETWORKS = ("facebook_combined", "com-DBLP")
KINDS = (
    "degree",
    "adjacency",
    "refinement:2",
    "refinement",
    "counts:1",
    "degrees:1",
    "hubs:5",
    "hubs:5:2",
    "neighbors:1",
    "neighbors:2",
    "degree+neighbors:1",
    "refinement:2+counts:1",
)
TIMED = ("degree", "neighbors:1", "adjacency", "refinement:2")
SMALL = {"load and four kinds": 30, "GiB": 1.5}
LARGE = {"load": 100, "kind": 150, "GiB": 5}
"""The most seconds of CPU, and the most memory."""
MEMORY = "4GB"
EXPONENT = 2.6
HUB = 1_000_000
HUB_KINDS = ("degree", "adjacency", "refinement:2", "counts:1", "degrees:1", "hubs:1", "neighbors:1")


def draw_ends(links, seed=1):
    """Return different random pairs whose expected degrees follow a power law, in random order."""
    n, rng = links // 5, np.random.default_rng(seed)
    bounds = np.cumsum(np.arange(1, n + 1) ** (-1 / (EXPONENT - 1)))
    a, b = (np.searchsorted(bounds, rng.random(int(links * 1.15)) * bounds[-1]) for _ in range(2))
    keys = np.unique(np.minimum(a, b) * n + np.maximum(a, b))
    keys = keys[keys // n != keys % n]
    keys = keys[rng.permutation(len(keys))[:links]]
    names = rng.permutation(n).astype(np.int32)
    return names[keys // n], names[keys % n]


def draw_links(links, path, seed=1):
    """Write the pairs of `draw_ends` as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    a, b = draw_ends(links, seed)
    parquet.write_table(pa.table({"src": a, "dst": b}), path, row_group_size=1_000_000)


def compare(name, data, kinds=KINDS, start=lambda: None, read_clock=time.process_time):
    """Compare an engine with memory, vertex by vertex.

    Return whether all sizes are equal, and the seconds of CPU that the engine took to load and to count.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = file(data, name)
    if path is None:
        return True, 0.0
    graph = shoal.read_graph(path, undirected=True, drop_loops=True)
    kept = True
    with tempfile.TemporaryDirectory() as folder:
        a, b, _ = graph.edges()
        numbers = np.array([int(one) for one in graph.names])
        place = Path(folder) / "links.parquet"
        parquet.write_table(pa.table({"src": numbers[a], "dst": numbers[b]}), place)
        engine = start()
        began = read_clock()
        with shoal.relational.open_network(place, undirected=True, engine=engine) as network:
            total = read_clock() - began
            print(f"     {name}: load {total:.1f} s of CPU")
            for spec in kinds:
                began = time.process_time()
                expected = shoal.assess(graph, spec)
                in_memory, middle = time.process_time() - began, read_clock()
                found = shoal.relational.assess(network, spec)
                seconds = read_clock() - middle
                total += seconds
                sizes = {name: (size, exact) for name, size, exact in found.sizes.collect()}
                wanted = zip(expected.sizes.tolist(), expected.exact_sizes.tolist(), strict=True)
                unproved = sum(not exact for _, exact in sizes.values())
                wrong = sum(
                    sizes[one][0] < size or (sizes[one][1] and exact and sizes[one][0] != size)
                    for one, (size, exact) in zip(numbers.tolist(), wanted, strict=True)
                )
                text = f"{name}, {spec}: {seconds:.2f} s of CPU, in memory {in_memory:.2f}; {unproved} bounds"
                kept &= promise(f"{text}; other sizes than in memory", wrong, 0, most=True)
    return kept, total


def measure(path):
    """Count in this process; print the seconds of CPU of each step, and the peak of memory."""
    from shoal.relational import DuckDBEngine, assess, open_network

    def read_clock():
        return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

    began, found = read_clock(), {}
    with open_network(path, undirected=True, engine=DuckDBEngine(MEMORY, Path(path).parent)) as network:
        found["load"] = read_clock() - began
        for spec in TIMED:
            began = read_clock()
            k = assess(network, spec).k
            found[spec] = read_clock() - began
            print(f"     {network!r}, {spec}: k = {k}, {found[spec]:.1f} s", file=sys.stderr, flush=True)
    status = Path("/proc/self/status").read_text()
    found["GiB"] = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 2**20
    print(json.dumps(found))


def measure_apart(path):
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.relational", "--measure", str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure_small():
    """Measure 10^7 links."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "links.parquet"
        draw_links(10_000_000, place)
        found = measure_apart(place)
    peak = found.pop("GiB")
    steps = ", ".join(f"{name} {seconds:.1f}" for name, seconds in found.items())
    limit = SMALL["load and four kinds"]
    kept = promise(f"10^7 links ({steps}): seconds of CPU", sum(found.values()), limit, most=True)
    return promise("10^7 links: GiB", peak, SMALL["GiB"], most=True) and kept


def measure_large(place=None):
    """Measure 10^8 links."""
    with tempfile.TemporaryDirectory() as folder:
        if place is None:
            place = Path(folder) / "links.parquet"
            draw_links(100_000_000, place)
        found = measure_apart(place)
    kept = promise("10^8 links: GiB", found.pop("GiB"), LARGE["GiB"], most=True)
    kept &= promise("10^8 links, load: seconds of CPU", found.pop("load"), LARGE["load"], most=True)
    for spec, seconds in found.items():
        kept &= promise(f"10^8 links, {spec}: seconds of CPU", seconds, LARGE["kind"], most=True)
    return kept


def draw_hub():
    """Return a vertex with 10^6 neighbors, which are linked in a ring."""
    import duckdb

    star = f"SELECT 0 AS src, range + 1 AS dst FROM range({HUB})"
    ring = f"SELECT range + 1, (range + 1) % {HUB} + 1 FROM range({HUB})"
    return duckdb.sql(f"{star} UNION ALL {ring}")


def count_hub(source, kinds=HUB_KINDS, engine=None, read_clock=time.process_time):
    """Count a network with a hub; return whether the numbers are right."""
    kept = True
    with shoal.relational.open_network(source, undirected=True, engine=engine) as network:
        for spec in kinds:
            began = read_clock()
            found = shoal.relational.assess(network, spec).histogram()
            right = {1: HUB + 1} if spec == "adjacency" else {1: 1, HUB: HUB} if spec != "neighbors:1" else {3: HUB + 1}
            seconds = read_clock() - began
            kept &= promise(f"hub of 10^6, {spec}, {seconds:.1f} s of CPU: wrong", int(found != right), 0, most=True)
    return kept


def main(data=None, *, large=False):
    warnings.simplefilter("ignore", Notice)
    kept = count_hub(draw_hub())
    for name in NETWORKS:
        kept &= compare(name, data)[0]
    kept &= measure_small()
    return measure_large() and kept if large else kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--measure", type=Path)
    given = parser.parse_args()
    if given.measure is not None:
        measure(given.measure)
    else:
        sys.exit(not main(given.data, large=given.large))
