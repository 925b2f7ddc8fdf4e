"""Pruning: links that were added and are not needed are taken back, as long as all neighborhoods are there k times.

Whole orbits make everybody alike in every way; most of the outskirts of a network were fine before.
"""

from __future__ import annotations

from shoal.anonymizers.neighborhood_shapes import Pair, Shapes
from shoal.progress import track

WORK = 4_000_000
"""Vertices and links that are looked at, about; then it ends."""


def pruned(shapes: Shapes, bundles: list[list[Pair]]) -> list[Pair]:
    """Return the links that are left of bundles that were added, each taken back at once, or else link by link.

    Small neighborhoods come first, since there the fewest see a link.
    """
    order = sorted(bundles, key=lambda bundle: (max(_weight(shapes, pair) for pair in bundle), bundle))
    left: list[Pair] = []
    for done, bundle in enumerate(order):
        if done % 64 == 0:
            track("taking back links", done, len(order))
        if shapes.looked > WORK:
            left += bundle
        elif not _dropped(shapes, bundle):
            left += [pair for pair in bundle if len(bundle) == 1 or not _dropped(shapes, [pair])]
    return left


def _weight(shapes: Shapes, pair: Pair) -> int:
    return int(shapes.degree[pair[0]] + shapes.degree[pair[1]])


def _dropped(shapes: Shapes, pairs: list[Pair]) -> bool:
    """Take links back if nobody is below k without them; tell whether."""
    seers = shapes.seers(pairs)
    shapes.unlink(pairs)
    undo = shapes.look(seers)
    if not shapes.below:
        return True
    shapes.link(pairs)
    shapes.forget(undo)
    return False
