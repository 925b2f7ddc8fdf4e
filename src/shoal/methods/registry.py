"""The registry of methods, keyed by their names on the command line."""

from __future__ import annotations

from shoal.errors import find_by_name
from shoal.methods.base import Method
from shoal.methods.joint.confuse import Confuse
from shoal.methods.links.equalize_rows import EqualizeRows
from shoal.methods.links.generalize import Generalize
from shoal.methods.links.hide_neighbors import HideNeighbors
from shoal.methods.links.hide_relations import HideRelations
from shoal.methods.links.match_degrees import MatchDegrees
from shoal.methods.links.match_neighborhoods import MatchNeighborhoods
from shoal.methods.links.perturb import Perturb
from shoal.methods.links.raise_l import RaiseL
from shoal.methods.links.share_neighbors import ShareNeighbors
from shoal.methods.tables.distort import Distort
from shoal.methods.tables.hide_columns import HideColumns
from shoal.methods.tables.microaggregate import Microaggregate
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.recode import Recode
from shoal.methods.tables.swap import SwapWithin

METHODS: dict[str, type[Method]] = {
    kind.shell: kind
    for kind in (
        EqualizeRows,
        HideNeighbors,
        HideRelations,
        MatchDegrees,
        MatchNeighborhoods,
        Generalize,
        RaiseL,
        ShareNeighbors,
        Perturb,
        Microaggregate,
        SwapWithin,
        Distort,
        Recode,
        Mondrian,
        HideColumns,
        Confuse,
    )
}


def find_method(name: str) -> type[Method]:
    """Return the method with this name on the command line.

    >>> find_method("mondrian").__name__
    'Mondrian'
    """
    return find_by_name("method", name, METHODS)
