"""Promises: edits per edge of hiding l known neighbors or relations on real networks, against equal rows in one run."""

import sys
import warnings

from benchmarks.measure import best, file, promise

import shoal
from shoal.errors import Notice

ONE = {("facebook_combined", 5): 0.005, ("polblogs", 2): 0.0042, ("polblogs", 5): 0.024, ("polblogs", 10): 0.061}
"""Edits per edge allowed for one known neighbor. (69 edits of 16,715 are .00413, and proved to be the fewest.)"""
MORE = (
    ("polblogs", shoal.methods.HideNeighbors(2, 2), 0.85),
    ("polblogs", shoal.methods.HideNeighbors(5, 2), 0.75),
    ("facebook_combined", shoal.methods.HideNeighbors(5, 2), 0.60),
    ("facebook_combined", shoal.methods.HideNeighbors(5, 3), 0.70),
    ("polblogs", shoal.methods.HideRelations(2, 2), 1.01),
)
"""Edits allowed, as a share of those of equal rows for the same k."""


def made(method, graph):
    """Return a release and the seconds it took."""
    releases = []
    (spent,) = best(lambda: releases.append(method(graph)), repeat=1)
    print(f"     {method}: {releases[0].edits.ratio:.4f} edits per edge, {spent:.1f} s, {dict(releases[0].measured)}")
    return releases[0], spent


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for (name, k), most in ONE.items():
        if path := file(data, name):
            release, _ = made(shoal.methods.HideNeighbors(k), shoal.read_graph(path))
            text = f"{name}, one known neighbor, k = {k}: edits per edge, x 10,000"
            kept &= promise(text, 10_000 * release.edits.ratio, 10_000 * most, most=True)
    for name, method, share in MORE:
        if path := file(data, name):
            graph = shoal.read_graph(path)
            edits = [made(way, graph)[0].measured["edits"] for way in (method, shoal.methods.EqualizeRows(method.k))]
            kept &= promise(f"{name}, {method}: edits / those of equal rows", edits[0] / edits[1], share, most=True)
    if path := file(data, "com-DBLP"):
        graph = shoal.read_graph(path)
        for method in (shoal.methods.HideNeighbors(5), shoal.methods.HideRelations(5)):
            _, spent = made(method, graph)
            kept &= promise(f"com-DBLP, {method}: seconds", spent, 10, most=True)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
