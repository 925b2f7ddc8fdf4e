"""Promise: isomorphic neighborhoods at least 5 times faster than a canonical form for every ego network.

NAUTY holds the CPU seconds of the best public program, C++ with nauty, on a quiet machine, printed beside ours.
"""

import sys

import networkx as nx
import numpy as np
from benchmarks.measure import best, file, promise

import shoal
from shoal.core.balls import find_canonical_form

NAUTY = {"facebook_combined": 0.51, "email-Enron": 1.19, "wiki-Vote": 0.71}


def canonical_form_of_every_ego(graph):
    """The plain way: one canonical form per vertex."""
    forms = {}
    whole = graph.to_igraph()
    whole.vs["id"] = range(graph.n)
    for v in range(graph.n):
        ego = whole.induced_subgraph([*graph.neighbors(v).tolist(), v])
        edges = np.array(ego.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        colors = (np.array(ego.vs["id"]) == v).astype(np.int64)
        forms.setdefault(
            find_canonical_form(colors, np.column_stack([edges, np.ones(len(edges), np.int64)]))[0], []
        ).append(v)
    return len(forms)


def compared(name, graph):
    shoal.assess(graph, "neighborhood:1")
    found = {}
    ours, peers = best(
        lambda: found.update(ours=len(np.unique(shoal.assess(graph, "neighborhood:1").answer.published))),
        lambda: found.update(peers=canonical_form_of_every_ego(graph)),
        repeat=1,
    )
    beside = f"; nauty in C++: {NAUTY[name]} s of CPU" if name in NAUTY else ""
    print(f"     {name}: {found['ours']:,} classes in {ours:.3f} s; canonical forms of all: {peers:.3f} s{beside}")
    kept = promise(f"{name}: time of canonical forms for all / ours", peers / ours, 5, most=False)
    return kept and found["ours"] == found["peers"]


def main(data=None):
    kept = compared("generated, clustered", shoal.as_graph(nx.powerlaw_cluster_graph(3_000, 8, 0.6, seed=1)))
    for name in NAUTY:
        path = file(data, name)
        kept &= path is None or compared(name, shoal.read_graph(path))
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
