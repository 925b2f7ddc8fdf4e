"""The anonymizers room: methods rho from data to data, one file each. A method is called on the data."""

from __future__ import annotations

from importlib import import_module

from shoal.anonymizers.method import Method
from shoal.errors import BadParameter, did_you_mean

HOMES = {
    "equalize-rows": ("equalize_rows", "EqualizeRows"),
    "hide-neighbors": ("hide_neighbors", "HideNeighbors"),
    "hide-relations": ("hide_relations", "HideRelations"),
    "match-degrees": ("match_degrees", "MatchDegrees"),
    "match-neighborhoods": ("match_neighborhoods", "MatchNeighborhoods"),
    "generalize": ("generalize", "Generalize"),
    "raise-l": ("raise_l", "RaiseL"),
    "share-neighbors": ("share_neighbors", "ShareNeighbors"),
    "perturb": ("perturb", "Perturb"),
    "microaggregate": ("microaggregate", "Microaggregate"),
    "swap-within": ("swap", "SwapWithin"),
    "distort": ("distort", "Distort"),
    "recode": ("recode", "Recode"),
    "mondrian": ("mondrian", "Mondrian"),
    "hide-columns": ("hide_columns", "HideColumns"),
    "confuse": ("confuse", "Confuse"),
}
"""Every method by its shell name: the file and the class. They load on use."""


def method_called(name: str) -> type[Method]:
    """Return the method that a shell name stands for.

    >>> method_called("mondrian").__name__
    'Mondrian'
    """
    if name not in HOMES:
        raise BadParameter(f"There is no method {name!r}. There are: {', '.join(HOMES)}.{did_you_mean(name, HOMES)}")
    file, kind = HOMES[name]
    found: type[Method] = getattr(import_module(f"shoal.anonymizers.{file}"), kind)
    return found
