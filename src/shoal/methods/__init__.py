"""Anonymization methods: functions from data to a release (the paper's rho), one file or package each.

>>> from shoal import examples, methods
>>> methods.MatchDegrees(k=2)(examples.florentine()).promises[0].k
2
"""

from shoal.methods.base import METHODS, Method, find_method, register, unregister
from shoal.methods.joint.confuse import Confuse
from shoal.methods.links.equalize_rows import EqualizeRows
from shoal.methods.links.generalize import Generalize
from shoal.methods.links.hide_neighbors import HideNeighbors
from shoal.methods.links.hide_relations import HideRelations
from shoal.methods.links.match_degrees import MatchDegrees
from shoal.methods.links.match_neighborhoods import MatchNeighborhoods
from shoal.methods.links.perturb import Perturb
from shoal.methods.links.raise_l import RaiseL
from shoal.methods.links.reduce_risk import ReduceRisk
from shoal.methods.links.share_neighbors import ShareNeighbors
from shoal.methods.passing import ScenarioRecommendation, recommend_for_scenario
from shoal.methods.pipeline import Pipeline
from shoal.methods.recommend import Recommendation
from shoal.methods.tables.distort import Distort
from shoal.methods.tables.hide_columns import HideColumns
from shoal.methods.tables.microaggregate import Microaggregate
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.recode import Recode
from shoal.methods.tables.swap import SwapWithin

for _kind in (
    EqualizeRows,
    HideNeighbors,
    HideRelations,
    MatchDegrees,
    MatchNeighborhoods,
    Generalize,
    RaiseL,
    ShareNeighbors,
    ReduceRisk,
    Perturb,
    Microaggregate,
    SwapWithin,
    Distort,
    Recode,
    Mondrian,
    HideColumns,
    Confuse,
):
    register(_kind)

__all__ = [
    "METHODS",
    "Confuse",
    "Distort",
    "EqualizeRows",
    "Generalize",
    "HideColumns",
    "HideNeighbors",
    "HideRelations",
    "MatchDegrees",
    "MatchNeighborhoods",
    "Method",
    "Microaggregate",
    "Mondrian",
    "Perturb",
    "Pipeline",
    "RaiseL",
    "Recode",
    "Recommendation",
    "ReduceRisk",
    "ScenarioRecommendation",
    "ShareNeighbors",
    "SwapWithin",
    "find_method",
    "recommend_for_scenario",
    "register",
    "unregister",
]
