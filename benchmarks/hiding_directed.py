"""Promises: hidden and shared neighbors of directed networks take few edits and seconds, beside undirected runs."""

import sys
import warnings

from benchmarks.directed import NETWORKS, read_directed, spend
from benchmarks.measure import promise

import shoal
from shoal.errors import Notice
from shoal.methods import HideNeighbors, HideRelations, ShareNeighbors

K = 5
METHODS = (HideNeighbors(K), HideRelations(K), ShareNeighbors(K), ShareNeighbors(K, 2))
SEARCHED = HideNeighbors(K, 2)
"""Takes a minute of CPU or less on the smaller network."""
EDITS = {
    "email-Eu-core": {
        "hide-neighbors:1": 420,
        "hide-relations:1": 420,
        "share-neighbors:1": 25,
        "share-neighbors:2": 160,
    },
    "wiki-Vote": {
        "hide-neighbors:1": 4871,
        "hide-relations:1": 4871,
        "share-neighbors:1": 80,
        "share-neighbors:2": 2600,
    },
}
"""Edits at most, with directions."""
SECONDS = 20


def one(name, directed, method):
    """Print the edits and CPU seconds of a method with and without directions; return whether the limits are kept."""
    (spent, release), (plain, other) = (spend(method, graph) for graph in (directed, directed.to_undirected()))
    text, told, without = f"{name}, {method.shell}:{method.l}, k = {K}", release.measured, other.measured
    print(
        f"     {text}: directed {told['edits']:,} edits of {directed.m:,} links (at least "
        f"{told['lower bound on edits']:,}), {spent:.2f} s of CPU; undirected {without['edits']:,} of "
        f"{other.original.m:,} (at least {without['lower bound on edits']:,}), {plain:.2f} s"
    )
    most = EDITS[name].get(f"{method.shell}:{method.l}")
    if most is None:
        equal = shoal.methods.EqualizeRows(K)(directed).measured["edits"]
        return promise(f"{text}: edits / those of equal rows", told["edits"] / equal, 0.9, most=True)
    kept = promise(f"{text}: edits", told["edits"], most, most=True)
    return promise(f"{text}: seconds of CPU", spent, SECONDS, most=True) and kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for name in NETWORKS:
        directed = read_directed(data, name)
        methods = (*METHODS, SEARCHED) if name == NETWORKS[0] else METHODS
        for method in methods if directed is not None else ():
            kept &= one(name, directed, method)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
