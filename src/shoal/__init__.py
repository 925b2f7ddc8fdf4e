"""shoal: who could be re-identified in a network data set, and the proof.

    An adversary is a function from a published graph to, for every vertex, the set of vertices it could be.

Everything here loads on first use, so that ``import shoal`` is quick.

>>> import shoal
>>> risk = shoal.assess(shoal.examples.florentine(), shoal.KnowsDegree())
>>> risk.k, risk.at_risk(2)
(1, ('Medici',))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Fact": "shoal.candidates",
    "Frontier": "shoal.risk.frontier",
    "Graph": "shoal.data.graph",
    "KnowsAdjacency": "shoal.adversaries.adjacency",
    "KnowsColumns": "shoal.adversaries.columns",
    "KnowsCounts": "shoal.adversaries.counts",
    "KnowsDegree": "shoal.adversaries.degree",
    "KnowsDegrees": "shoal.adversaries.degrees",
    "KnowsHubs": "shoal.adversaries.hubs",
    "KnowsNeighborhood": "shoal.adversaries.neighborhood",
    "KnowsOrbit": "shoal.adversaries.orbit",
    "KnowsRefinement": "shoal.adversaries.refinement",
    "KnowsSharedNeighbors": "shoal.adversaries.shared_neighbors",
    "KnowsSomeNeighbors": "shoal.adversaries.some_neighbors",
    "KnowsSomeRelations": "shoal.adversaries.some_relations",
    "KnowsSubgraph": "shoal.adversaries.subgraph",
    "Levels": "shoal.risk.levels",
    "Notice": "shoal.errors",
    "Risk": "shoal.risk.assess",
    "ShoalError": "shoal.errors",
    "SimilarityRadius": "shoal.risk.similarity",
    "Table": "shoal.data.table",
    "Verified": "shoal.risk.verification",
    "Witness": "shoal.candidates",
    "as_graph": "shoal.data.convert",
    "assess": "shoal.risk.assess",
    "frontier_kl": "shoal.risk.frontier",
    "levels": "shoal.risk.levels",
    "parse": "shoal.adversaries",
    "read_graph": "shoal.data.read",
    "read_mapping": "shoal.data.mapping",
    "similarity_radius": "shoal.risk.similarity",
    "verify_certificate": "shoal.risk.verification",
    "write_graph": "shoal.data.write",
}

_ROOMS = {"errors": "shoal.errors", "examples": "shoal.data.examples"}

__all__ = [
    "Fact",
    "Frontier",
    "Graph",
    "KnowsAdjacency",
    "KnowsColumns",
    "KnowsCounts",
    "KnowsDegree",
    "KnowsDegrees",
    "KnowsHubs",
    "KnowsNeighborhood",
    "KnowsOrbit",
    "KnowsRefinement",
    "KnowsSharedNeighbors",
    "KnowsSomeNeighbors",
    "KnowsSomeRelations",
    "KnowsSubgraph",
    "Levels",
    "Notice",
    "Risk",
    "ShoalError",
    "SimilarityRadius",
    "Table",
    "Verified",
    "Witness",
    "__version__",
    "as_graph",
    "assess",
    "errors",
    "examples",
    "frontier_kl",
    "levels",
    "parse",
    "read_graph",
    "read_mapping",
    "similarity_radius",
    "verify_certificate",
    "write_graph",
]

if TYPE_CHECKING:
    from shoal import errors as errors
    from shoal.adversaries import KnowsAdjacency as KnowsAdjacency
    from shoal.adversaries import KnowsColumns as KnowsColumns
    from shoal.adversaries import KnowsCounts as KnowsCounts
    from shoal.adversaries import KnowsDegree as KnowsDegree
    from shoal.adversaries import KnowsDegrees as KnowsDegrees
    from shoal.adversaries import KnowsHubs as KnowsHubs
    from shoal.adversaries import KnowsNeighborhood as KnowsNeighborhood
    from shoal.adversaries import KnowsOrbit as KnowsOrbit
    from shoal.adversaries import KnowsRefinement as KnowsRefinement
    from shoal.adversaries import KnowsSharedNeighbors as KnowsSharedNeighbors
    from shoal.adversaries import KnowsSomeNeighbors as KnowsSomeNeighbors
    from shoal.adversaries import KnowsSomeRelations as KnowsSomeRelations
    from shoal.adversaries import KnowsSubgraph as KnowsSubgraph
    from shoal.adversaries import parse as parse
    from shoal.candidates import Fact as Fact
    from shoal.candidates import Witness as Witness
    from shoal.data import examples as examples
    from shoal.data.convert import as_graph as as_graph
    from shoal.data.graph import Graph as Graph
    from shoal.data.mapping import read_mapping as read_mapping
    from shoal.data.read import read_graph as read_graph
    from shoal.data.table import Table as Table
    from shoal.data.write import write_graph as write_graph
    from shoal.errors import Notice as Notice
    from shoal.errors import ShoalError as ShoalError
    from shoal.risk.assess import Risk as Risk
    from shoal.risk.assess import assess as assess
    from shoal.risk.frontier import Frontier as Frontier
    from shoal.risk.frontier import frontier_kl as frontier_kl
    from shoal.risk.levels import Levels as Levels
    from shoal.risk.levels import levels as levels
    from shoal.risk.similarity import SimilarityRadius as SimilarityRadius
    from shoal.risk.similarity import similarity_radius as similarity_radius
    from shoal.risk.verification import Verified as Verified
    from shoal.risk.verification import verify_certificate as verify_certificate


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        found: Any = import_module(_ROOMS[name])
    elif name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
        if _HOMES[name].startswith("shoal.risk."):
            import_module("shoal.report")  # says how results show themselves
    else:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
