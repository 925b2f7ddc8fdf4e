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
    "Attack": "shoal.attacks.attack",
    "Attacker": "shoal.risk.attackers",
    "Audit": "shoal.auditing.audit",
    "Bayesian": "shoal.risk.linkage.bayesian",
    "Cascade": "shoal.attacks.cascade",
    "ColumnLevels": "shoal.risk.column_levels",
    "Comparison": "shoal.utility.comparison",
    "Confuse": "shoal.anonymizers.confuse",
    "ConfusionCurve": "shoal.risk.confusion",
    "ConfusionPromise": "shoal.data.release",
    "DistanceLinkage": "shoal.risk.linkage.distance",
    "Distort": "shoal.anonymizers.distort",
    "Diversity": "shoal.risk.diversity",
    "DrawnRelease": "shoal.data.drawn",
    "EqualizeRows": "shoal.anonymizers.equalize_rows",
    "ExactMatch": "shoal.risk.linkage.exact",
    "ExchangeabilityPromise": "shoal.data.release",
    "Fact": "shoal.candidates",
    "Frontier": "shoal.risk.frontier",
    "Generalize": "shoal.anonymizers.generalize",
    "Generalized": "shoal.data.generalized",
    "Grampa": "shoal.attacks.grampa",
    "Graph": "shoal.data.graph",
    "HideColumns": "shoal.anonymizers.hide_columns",
    "HideNeighbors": "shoal.anonymizers.hide_neighbors",
    "HideRelations": "shoal.anonymizers.hide_relations",
    "Hierarchy": "shoal.data.hierarchies",
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
    "KnowsSomeColumns": "shoal.adversaries.some_columns",
    "KnowsSomeNeighbors": "shoal.adversaries.some_neighbors",
    "KnowsSomeRelations": "shoal.adversaries.some_relations",
    "KnowsSubgraph": "shoal.adversaries.subgraph",
    "KorulaLattanzi": "shoal.attacks.korula_lattanzi",
    "Levels": "shoal.risk.levels",
    "MatchDegrees": "shoal.anonymizers.match_degrees",
    "MatchNeighborhoods": "shoal.anonymizers.match_neighborhoods",
    "MethodFrontier": "shoal.auditing.frontier",
    "Microaggregate": "shoal.anonymizers.microaggregate",
    "MinimalUniques": "shoal.risk.minimal_uniques",
    "Mondrian": "shoal.anonymizers.mondrian",
    "NarayananShmatikov": "shoal.attacks.narayanan_shmatikov",
    "Notice": "shoal.errors",
    "Outcome": "shoal.attacks.outcome",
    "Perturb": "shoal.anonymizers.perturb",
    "Pipeline": "shoal.anonymizers.pipeline",
    "PlantedWalk": "shoal.attacks.walk",
    "ProbabilisticLinkage": "shoal.risk.linkage.probabilistic",
    "Promise": "shoal.data.release",
    "RadiusPromise": "shoal.data.release",
    "RaiseL": "shoal.anonymizers.raise_l",
    "Recode": "shoal.anonymizers.recode",
    "Recommendation": "shoal.anonymizers.recommend",
    "Record": "shoal.risk.linkage.record",
    "Release": "shoal.data.release",
    "Risk": "shoal.risk.assess",
    "ShareNeighbors": "shoal.anonymizers.share_neighbors",
    "ShoalError": "shoal.errors",
    "SimilarityRadius": "shoal.risk.similarity",
    "SwapWithin": "shoal.anonymizers.swap",
    "Table": "shoal.data.table",
    "UniformOver": "shoal.risk.linkage.uniform",
    "Verified": "shoal.risk.verification",
    "Witness": "shoal.candidates",
    "as_graph": "shoal.data.convert",
    "as_table": "shoal.data.tables",
    "assess": "shoal.risk.assess",
    "attack": "shoal.attacks.front",
    "attackers": "shoal.risk.attackers",
    "audit": "shoal.auditing.audit",
    "calibrated_threshold": "shoal.risk.compatibility",
    "compare": "shoal.utility.compare",
    "confusion": "shoal.risk.confusion",
    "confusion_curve": "shoal.risk.confusion",
    "covers": "shoal.risk.coverage",
    "diversity": "shoal.risk.diversity",
    "fit_fellegi_sunter": "shoal.risk.linkage.fellegi_sunter",
    "frontier": "shoal.auditing.frontier",
    "frontier_kl": "shoal.risk.frontier",
    "is_calibrated": "shoal.risk.compatibility",
    "is_compatible": "shoal.risk.compatibility",
    "levels": "shoal.risk.levels",
    "linked": "shoal.risk.confusion",
    "minimal_uniques": "shoal.risk.minimal_uniques",
    "n_confusion": "shoal.risk.confusion",
    "parse": "shoal.adversaries",
    "provides_confusion": "shoal.risk.confusion",
    "read_audit": "shoal.auditing.audit",
    "read_graph": "shoal.data.read",
    "read_hierarchy": "shoal.data.hierarchies",
    "read_mapping": "shoal.data.mapping",
    "read_table": "shoal.data.tables",
    "recommend": "shoal.anonymizers.recommend",
    "records_of": "shoal.risk.linkage.record",
    "similarity_radius": "shoal.risk.similarity",
    "verify_certificate": "shoal.risk.verification",
    "write_graph": "shoal.data.write",
    "write_table": "shoal.data.tables",
}

_SHOWN = (
    "shoal.risk.", "shoal.anonymizers.", "shoal.utility.", "shoal.attacks.", "shoal.auditing.",
    "shoal.data.generalized", "shoal.data.drawn",
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
    from shoal.adversaries.some_columns import KnowsSomeColumns as KnowsSomeColumns
    from shoal.anonymizers.confuse import Confuse as Confuse
    from shoal.anonymizers.distort import Distort as Distort
    from shoal.anonymizers.equalize_rows import EqualizeRows as EqualizeRows
    from shoal.anonymizers.generalize import Generalize as Generalize
    from shoal.anonymizers.hide_columns import HideColumns as HideColumns
    from shoal.anonymizers.hide_neighbors import HideNeighbors as HideNeighbors
    from shoal.anonymizers.hide_relations import HideRelations as HideRelations
    from shoal.anonymizers.match_degrees import MatchDegrees as MatchDegrees
    from shoal.anonymizers.match_neighborhoods import MatchNeighborhoods as MatchNeighborhoods
    from shoal.anonymizers.microaggregate import Microaggregate as Microaggregate
    from shoal.anonymizers.mondrian import Mondrian as Mondrian
    from shoal.anonymizers.perturb import Perturb as Perturb
    from shoal.anonymizers.pipeline import Pipeline as Pipeline
    from shoal.anonymizers.raise_l import RaiseL as RaiseL
    from shoal.anonymizers.recode import Recode as Recode
    from shoal.anonymizers.recommend import Recommendation as Recommendation
    from shoal.anonymizers.recommend import recommend as recommend
    from shoal.anonymizers.share_neighbors import ShareNeighbors as ShareNeighbors
    from shoal.anonymizers.swap import SwapWithin as SwapWithin
    from shoal.attacks.attack import Attack as Attack
    from shoal.attacks.cascade import Cascade as Cascade
    from shoal.attacks.front import attack as attack
    from shoal.attacks.grampa import Grampa as Grampa
    from shoal.attacks.korula_lattanzi import KorulaLattanzi as KorulaLattanzi
    from shoal.attacks.narayanan_shmatikov import NarayananShmatikov as NarayananShmatikov
    from shoal.attacks.outcome import Outcome as Outcome
    from shoal.attacks.walk import PlantedWalk as PlantedWalk
    from shoal.auditing.audit import Audit as Audit
    from shoal.auditing.audit import audit as audit
    from shoal.auditing.audit import read_audit as read_audit
    from shoal.auditing.frontier import MethodFrontier as MethodFrontier
    from shoal.auditing.frontier import frontier as frontier
    from shoal.candidates import Fact as Fact
    from shoal.candidates import Witness as Witness
    from shoal.data import examples as examples
    from shoal.data.convert import as_graph as as_graph
    from shoal.data.drawn import DrawnRelease as DrawnRelease
    from shoal.data.generalized import Generalized as Generalized
    from shoal.data.graph import Graph as Graph
    from shoal.data.hierarchies import Hierarchy as Hierarchy
    from shoal.data.hierarchies import read_hierarchy as read_hierarchy
    from shoal.data.mapping import read_mapping as read_mapping
    from shoal.data.read import read_graph as read_graph
    from shoal.data.release import ConfusionPromise as ConfusionPromise
    from shoal.data.release import ExchangeabilityPromise as ExchangeabilityPromise
    from shoal.data.release import Promise as Promise
    from shoal.data.release import RadiusPromise as RadiusPromise
    from shoal.data.release import Release as Release
    from shoal.data.table import Table as Table
    from shoal.data.tables import as_table as as_table
    from shoal.data.tables import read_table as read_table
    from shoal.data.tables import write_table as write_table
    from shoal.data.write import write_graph as write_graph
    from shoal.errors import Notice as Notice
    from shoal.errors import ShoalError as ShoalError
    from shoal.risk.assess import Risk as Risk
    from shoal.risk.assess import assess as assess
    from shoal.risk.attackers import Attacker as Attacker
    from shoal.risk.attackers import attackers as attackers
    from shoal.risk.column_levels import ColumnLevels as ColumnLevels
    from shoal.risk.compatibility import calibrated_threshold as calibrated_threshold
    from shoal.risk.compatibility import is_calibrated as is_calibrated
    from shoal.risk.compatibility import is_compatible as is_compatible
    from shoal.risk.confusion import ConfusionCurve as ConfusionCurve
    from shoal.risk.confusion import confusion as confusion
    from shoal.risk.confusion import confusion_curve as confusion_curve
    from shoal.risk.confusion import linked as linked
    from shoal.risk.confusion import n_confusion as n_confusion
    from shoal.risk.confusion import provides_confusion as provides_confusion
    from shoal.risk.coverage import covers as covers
    from shoal.risk.diversity import Diversity as Diversity
    from shoal.risk.diversity import diversity as diversity
    from shoal.risk.frontier import Frontier as Frontier
    from shoal.risk.frontier import frontier_kl as frontier_kl
    from shoal.risk.levels import Levels as Levels
    from shoal.risk.levels import levels as levels
    from shoal.risk.linkage.bayesian import Bayesian as Bayesian
    from shoal.risk.linkage.distance import DistanceLinkage as DistanceLinkage
    from shoal.risk.linkage.exact import ExactMatch as ExactMatch
    from shoal.risk.linkage.fellegi_sunter import fit_fellegi_sunter as fit_fellegi_sunter
    from shoal.risk.linkage.probabilistic import ProbabilisticLinkage as ProbabilisticLinkage
    from shoal.risk.linkage.record import Record as Record
    from shoal.risk.linkage.record import records_of as records_of
    from shoal.risk.linkage.uniform import UniformOver as UniformOver
    from shoal.risk.minimal_uniques import MinimalUniques as MinimalUniques
    from shoal.risk.minimal_uniques import minimal_uniques as minimal_uniques
    from shoal.risk.similarity import SimilarityRadius as SimilarityRadius
    from shoal.risk.similarity import similarity_radius as similarity_radius
    from shoal.risk.verification import Verified as Verified
    from shoal.risk.verification import verify_certificate as verify_certificate
    from shoal.utility.compare import compare as compare
    from shoal.utility.comparison import Comparison as Comparison


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
