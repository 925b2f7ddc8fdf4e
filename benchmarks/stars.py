"""Promise: hubs cost no more than their links. A million leaves are counted in 100 times the time to build the graph.

Building grows with the links. What grows with the square of the leaves takes more than 10,000 times as long.
"""

import sys

import numpy as np
from benchmarks.measure import best, promise

import shoal
from shoal.data.graph import Graph

LEAVES = 1_000_000
LIMIT = 100
ON_STARS = ("counts:1", "degrees:1", "hubs:5", "hubs:5:2:open", "neighborhood:1", "shared-neighbors:1")
ON_DOUBLE_STARS = ("counts:1", "neighborhood:2", "orbit")


def star(leaves):
    return Graph.from_pairs(range(leaves + 1), np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1))


def double_star(leaves):
    """Two linked hubs with half of the leaves each."""
    ids = np.arange(2, leaves + 2)
    return Graph.from_pairs(range(leaves + 2), np.append(ids % 2, 0), np.append(ids, 1))


def counted(spec, shape):
    shoal.assess(shape(10), spec)
    graph = shape(LEAVES)
    building, counting = best(lambda: shape(LEAVES), lambda: shoal.assess(graph, spec).sizes)
    print(f"     {spec}: {counting:.3f} s; building the graph: {building:.3f} s")
    return promise(f"{spec}, {shape.__name__}: counting / building", counting / building, LIMIT, most=True)


def main(_data=None):
    kept = True
    for specs, shape in ((ON_STARS, star), (ON_DOUBLE_STARS, double_star)):
        for spec in specs:
            kept &= counted(spec, shape)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
