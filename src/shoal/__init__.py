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
    "Attack": "shoal.attacks.base",
    "Attacker": "shoal.tables.attacker_models",
    "Audit": "shoal.auditing.run",
    "Bayesian": "shoal.linkage.bayesian",
    "Cascade": "shoal.attacks.cascade",
    "ColumnLevels": "shoal.risk.levels",
    "Comparison": "shoal.comparison.result",
    "Confuse": "shoal.methods.joint.confuse",
    "ConfusionCurve": "shoal.linkage.confusion",
    "ConfusionPromise": "shoal.release.release",
    "DistanceLinkage": "shoal.linkage.distance",
    "Distort": "shoal.methods.tables.distort",
    "Diversity": "shoal.tables.diversity",
    "DrawnRelease": "shoal.release.drawn",
    "EqualizeRows": "shoal.methods.links.equalize_rows",
    "ExactMatch": "shoal.linkage.exact_match",
    "ExchangeabilityPromise": "shoal.release.release",
    "Fact": "shoal.knowledge.candidates",
    "Frontier": "shoal.risk.curves",
    "Generalize": "shoal.methods.links.generalize",
    "Generalized": "shoal.data.generalized",
    "Grampa": "shoal.attacks.grampa",
    "Graph": "shoal.data.graph",
    "HideColumns": "shoal.methods.tables.hide_columns",
    "HideNeighbors": "shoal.methods.links.hide_neighbors",
    "HideRelations": "shoal.methods.links.hide_relations",
    "Hierarchy": "shoal.data.hierarchy",
    "KnowsAdjacency": "shoal.knowledge.adjacency",
    "KnowsColumns": "shoal.knowledge.columns",
    "KnowsCounts": "shoal.knowledge.counts",
    "KnowsDegree": "shoal.knowledge.degree",
    "KnowsDegrees": "shoal.knowledge.degrees",
    "KnowsHubs": "shoal.knowledge.hubs",
    "KnowsNeighborhood": "shoal.knowledge.neighborhood",
    "KnowsOrbit": "shoal.knowledge.orbit",
    "KnowsRefinement": "shoal.knowledge.refinement",
    "KnowsSharedNeighbors": "shoal.knowledge.shared_neighbors",
    "KnowsSomeColumns": "shoal.knowledge.some_columns",
    "KnowsSomeNeighbors": "shoal.knowledge.neighbors",
    "KnowsSomeRelations": "shoal.knowledge.relations",
    "KnowsSubgraph": "shoal.knowledge.subgraph",
    "KorulaLattanzi": "shoal.attacks.korula_lattanzi",
    "Levels": "shoal.risk.levels",
    "MatchDegrees": "shoal.methods.links.match_degrees",
    "MatchNeighborhoods": "shoal.methods.links.match_neighborhoods",
    "MethodFrontier": "shoal.auditing.frontier",
    "Microaggregate": "shoal.methods.tables.microaggregate",
    "MinimalUniques": "shoal.tables.uniques",
    "Mondrian": "shoal.methods.tables.mondrian",
    "NarayananShmatikov": "shoal.attacks.narayanan_shmatikov",
    "Notice": "shoal.errors",
    "Outcome": "shoal.attacks.outcome",
    "Perturb": "shoal.methods.links.perturb",
    "Pipeline": "shoal.methods.pipeline",
    "PlantedWalk": "shoal.attacks.planted_walk",
    "ProbabilisticLinkage": "shoal.linkage.fellegi_sunter",
    "Promise": "shoal.release.release",
    "RadiusPromise": "shoal.release.release",
    "RaiseL": "shoal.methods.links.raise_l",
    "Recode": "shoal.methods.tables.recode",
    "Recommendation": "shoal.methods.recommend",
    "Record": "shoal.linkage.base",
    "Release": "shoal.release.release",
    "Risk": "shoal.risk.assess",
    "ShareNeighbors": "shoal.methods.links.share_neighbors",
    "ShoalError": "shoal.errors",
    "SimilarityRadius": "shoal.risk.similarity",
    "SwapWithin": "shoal.methods.tables.swap",
    "Table": "shoal.data.table",
    "UniformOver": "shoal.linkage.uniform",
    "Verified": "shoal.risk.check_certificate",
    "Witness": "shoal.knowledge.candidates",
    "as_graph": "shoal.data.convert",
    "as_table": "shoal.data.convert",
    "assess": "shoal.risk.assess",
    "attack": "shoal.attacks.run",
    "attackers": "shoal.tables.attacker_models",
    "audit": "shoal.auditing.run",
    "calibrated_threshold": "shoal.linkage.compatibility",
    "compare": "shoal.comparison.compare",
    "confusion": "shoal.linkage.confusion",
    "confusion_curve": "shoal.linkage.confusion",
    "covers": "shoal.release.coverage",
    "diversity": "shoal.tables.diversity",
    "fit_fellegi_sunter": "shoal.linkage.fellegi_sunter",
    "frontier": "shoal.auditing.frontier",
    "frontier_kl": "shoal.risk.curves",
    "is_calibrated": "shoal.linkage.compatibility",
    "is_compatible": "shoal.linkage.compatibility",
    "levels": "shoal.risk.levels",
    "linked": "shoal.linkage.confusion",
    "minimal_uniques": "shoal.tables.uniques",
    "n_confusion": "shoal.linkage.confusion",
    "parse": "shoal.knowledge",
    "provides_confusion": "shoal.linkage.confusion",
    "read_audit": "shoal.auditing.run",
    "read_graph": "shoal.io.read",
    "read_hierarchy": "shoal.io.tables",
    "read_mapping": "shoal.io.mapping",
    "read_table": "shoal.io.tables",
    "recommend": "shoal.methods.recommend",
    "records_of": "shoal.linkage.base",
    "similarity_radius": "shoal.risk.similarity",
    "verify_certificate": "shoal.risk.check_certificate",
    "write_graph": "shoal.io.write",
    "write_table": "shoal.io.tables",
}

_SHOWN = (
    "shoal.risk.", "shoal.tables.", "shoal.linkage.", "shoal.methods.", "shoal.comparison.", "shoal.attacks.",
    "shoal.auditing.", "shoal.data.generalized", "shoal.release.",
)  # fmt: skip
"""Where the results live that have words of their own."""
_ROOMS = {"errors": "shoal.errors", "examples": "shoal.data.examples"}

__all__ = [
    "Attack",
    "Attacker",
    "Audit",
    "Bayesian",
    "Cascade",
    "ColumnLevels",
    "Comparison",
    "Confuse",
    "ConfusionCurve",
    "ConfusionPromise",
    "DistanceLinkage",
    "Distort",
    "Diversity",
    "DrawnRelease",
    "EqualizeRows",
    "ExactMatch",
    "ExchangeabilityPromise",
    "Fact",
    "Frontier",
    "Generalize",
    "Generalized",
    "Grampa",
    "Graph",
    "HideColumns",
    "HideNeighbors",
    "HideRelations",
    "Hierarchy",
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
    "KnowsSomeColumns",
    "KnowsSomeNeighbors",
    "KnowsSomeRelations",
    "KnowsSubgraph",
    "KorulaLattanzi",
    "Levels",
    "MatchDegrees",
    "MatchNeighborhoods",
    "MethodFrontier",
    "Microaggregate",
    "MinimalUniques",
    "Mondrian",
    "NarayananShmatikov",
    "Notice",
    "Outcome",
    "Perturb",
    "Pipeline",
    "PlantedWalk",
    "ProbabilisticLinkage",
    "Promise",
    "RadiusPromise",
    "RaiseL",
    "Recode",
    "Recommendation",
    "Record",
    "Release",
    "Risk",
    "ShareNeighbors",
    "ShoalError",
    "SimilarityRadius",
    "SwapWithin",
    "Table",
    "UniformOver",
    "Verified",
    "Witness",
    "__version__",
    "as_graph",
    "as_table",
    "assess",
    "attack",
    "attackers",
    "audit",
    "calibrated_threshold",
    "compare",
    "confusion",
    "confusion_curve",
    "covers",
    "diversity",
    "errors",
    "examples",
    "fit_fellegi_sunter",
    "frontier",
    "frontier_kl",
    "is_calibrated",
    "is_compatible",
    "levels",
    "linked",
    "minimal_uniques",
    "n_confusion",
    "parse",
    "provides_confusion",
    "read_audit",
    "read_graph",
    "read_hierarchy",
    "read_mapping",
    "read_table",
    "recommend",
    "records_of",
    "similarity_radius",
    "verify_certificate",
    "write_graph",
    "write_table",
]

if TYPE_CHECKING:
    from shoal import errors
    from shoal.attacks.base import Attack
    from shoal.attacks.cascade import Cascade
    from shoal.attacks.grampa import Grampa
    from shoal.attacks.korula_lattanzi import KorulaLattanzi
    from shoal.attacks.narayanan_shmatikov import NarayananShmatikov
    from shoal.attacks.outcome import Outcome
    from shoal.attacks.planted_walk import PlantedWalk
    from shoal.attacks.run import attack
    from shoal.auditing.frontier import MethodFrontier, frontier
    from shoal.auditing.run import Audit, audit, read_audit
    from shoal.comparison.compare import compare
    from shoal.comparison.result import Comparison
    from shoal.data import examples
    from shoal.data.convert import as_graph, as_table
    from shoal.data.generalized import Generalized
    from shoal.data.graph import Graph
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.errors import Notice, ShoalError
    from shoal.io.mapping import read_mapping
    from shoal.io.read import read_graph
    from shoal.io.tables import read_hierarchy, read_table, write_table
    from shoal.io.write import write_graph
    from shoal.knowledge import (
        KnowsAdjacency,
        KnowsColumns,
        KnowsCounts,
        KnowsDegree,
        KnowsDegrees,
        KnowsHubs,
        KnowsNeighborhood,
        KnowsOrbit,
        KnowsRefinement,
        KnowsSharedNeighbors,
        KnowsSomeNeighbors,
        KnowsSomeRelations,
        KnowsSubgraph,
        parse,
    )
    from shoal.knowledge.candidates import Fact, Witness
    from shoal.knowledge.some_columns import KnowsSomeColumns
    from shoal.linkage.base import Record, records_of
    from shoal.linkage.bayesian import Bayesian
    from shoal.linkage.compatibility import calibrated_threshold, is_calibrated, is_compatible
    from shoal.linkage.confusion import (
        ConfusionCurve,
        confusion,
        confusion_curve,
        linked,
        n_confusion,
        provides_confusion,
    )
    from shoal.linkage.distance import DistanceLinkage
    from shoal.linkage.exact_match import ExactMatch
    from shoal.linkage.fellegi_sunter import ProbabilisticLinkage, fit_fellegi_sunter
    from shoal.linkage.uniform import UniformOver
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
    from shoal.methods.pipeline import Pipeline
    from shoal.methods.recommend import Recommendation, recommend
    from shoal.methods.tables.distort import Distort
    from shoal.methods.tables.hide_columns import HideColumns
    from shoal.methods.tables.microaggregate import Microaggregate
    from shoal.methods.tables.mondrian import Mondrian
    from shoal.methods.tables.recode import Recode
    from shoal.methods.tables.swap import SwapWithin
    from shoal.release.coverage import covers
    from shoal.release.drawn import DrawnRelease
    from shoal.release.release import ConfusionPromise, ExchangeabilityPromise, Promise, RadiusPromise, Release
    from shoal.risk.assess import Risk, assess
    from shoal.risk.check_certificate import Verified, verify_certificate
    from shoal.risk.curves import Frontier, frontier_kl
    from shoal.risk.levels import ColumnLevels, Levels, levels
    from shoal.risk.similarity import SimilarityRadius, similarity_radius
    from shoal.tables.attacker_models import Attacker, attackers
    from shoal.tables.diversity import Diversity, diversity
    from shoal.tables.uniques import MinimalUniques, minimal_uniques


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        found: Any = import_module(_ROOMS[name])
    elif name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
        if _HOMES[name].startswith(_SHOWN):
            import_module("shoal.report")  # says how results show themselves
    else:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
