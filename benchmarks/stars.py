"""Promise: hubs cost no more than their links. Four times the leaves on a star take at most eight times as long."""

import sys

import numpy as np
from benchmarks.measure import best, promise

import shoal
from shoal.data.graph import Graph

LEAVES = 250_000
LIMIT = 8
"""Between 4, for what grows with the leaves (more where the larger star leaves the cache), and 16, for their square."""
ON_STARS = ("counts:1", "degrees:1", "hubs:5", "hubs:5:2:open", "neighborhood:1", "shared-neighbors:1")
ON_DOUBLE_STARS = ("counts:1", "neighborhood:2", "orbit")


def star(leaves):
    return Graph.from_pairs(range(leaves + 1), np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1))


def double_star(leaves):
    """Two linked hubs with half of the leaves each."""
    ids = np.arange(2, leaves + 2)
    return Graph.from_pairs(range(leaves + 2), np.append(ids % 2, 0), np.append(ids, 1))


def grows(spec, shape):
    shoal.assess(shape(10), spec)
    few, many = shape(LEAVES), shape(4 * LEAVES)
    little, much = best(lambda: shoal.assess(few, spec).sizes, lambda: shoal.assess(many, spec).sizes, repeat=5)
    print(f"     {spec}: {little:.3f} s with {LEAVES:,} leaves, {much:.3f} s with {4 * LEAVES:,}")
    return promise(f"{spec}, {shape.__name__}: 4 times the leaves / once", much / little, LIMIT, most=True)


def main(_data=None):
    kept = True
    for specs, shape in ((ON_STARS, star), (ON_DOUBLE_STARS, double_star)):
        for spec in specs:
            kept &= grows(spec, shape)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
