"""The anonymizers room: methods rho from data to data, one file each. A method is called on the data."""

from __future__ import annotations

from importlib import import_module

from shoal.errors import BadParameter, did_you_mean
from shoal.methods.base import Method

HOMES = {
    "equalize-rows": ("links.equalize_rows", "EqualizeRows"),
    "hide-neighbors": ("links.hide_neighbors", "HideNeighbors"),
    "hide-relations": ("links.hide_relations", "HideRelations"),
    "match-degrees": ("links.match_degrees", "MatchDegrees"),
    "match-neighborhoods": ("links.match_neighborhoods", "MatchNeighborhoods"),
    "generalize": ("links.generalize", "Generalize"),
    "raise-l": ("links.raise_l", "RaiseL"),
    "share-neighbors": ("links.share_neighbors", "ShareNeighbors"),
    "perturb": ("links.perturb", "Perturb"),
    "microaggregate": ("tables.microaggregate", "Microaggregate"),
    "swap-within": ("tables.swap", "SwapWithin"),
    "distort": ("tables.distort", "Distort"),
    "recode": ("tables.recode", "Recode"),
    "mondrian": ("tables.mondrian", "Mondrian"),
    "hide-columns": ("tables.hide_columns", "HideColumns"),
    "confuse": ("joint.confuse", "Confuse"),
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
    found: type[Method] = getattr(import_module(f"shoal.methods.{file}"), kind)
    return found
