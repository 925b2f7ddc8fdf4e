"""Public names of shoal, which lazy_loader loads on first use, with their types."""

from . import attacks, errors, knowledge, linkage, methods, relational, release, settings, tables
from .attacks import attack
from .attacks.base import Attack
from .auditing.frontier import Frontier, frontier
from .auditing.model import read_audit
from .auditing.run import audit
from .auditing.tradeoff import Tradeoff, tradeoff
from .comparison.compare import compare
from .data import examples
from .data.dataset import as_graph, as_table
from .data.graph import Graph
from .data.hierarchy import Hierarchy
from .data.table import Table
from .errors import Notice, ShoalError
from .io.hierarchies import read_hierarchy
from .io.mapping import read_mapping
from .io.read import read_graph, read_table
from .io.write import write
from .knowledge import parse_knowledge
from .knowledge.base import Adversary
from .linkage.base import Linkage
from .methods.base import Method
from .methods.recommend import recommend
from .release.guarantee import covers
from .release.release import Release
from .risk.assess import assess
from .risk.check_certificate import check_certificate
from .risk.curves import level_curves
from .risk.levels import levels
from .risk.panel import assess_all
from .risk.scenario import Scenario
from .risk.similarity import similarity_radius

__version__: str

__all__ = [
    "Adversary",
    "Attack",
    "Frontier",
    "Graph",
    "Hierarchy",
    "Linkage",
    "Method",
    "Notice",
    "Release",
    "Scenario",
    "ShoalError",
    "Table",
    "Tradeoff",
    "__version__",
    "as_graph",
    "as_table",
    "assess",
    "assess_all",
    "attack",
    "attacks",
    "audit",
    "check_certificate",
    "compare",
    "covers",
    "errors",
    "examples",
    "frontier",
    "knowledge",
    "level_curves",
    "levels",
    "linkage",
    "methods",
    "parse_knowledge",
    "read_audit",
    "read_graph",
    "read_hierarchy",
    "read_mapping",
    "read_table",
    "recommend",
    "relational",
    "release",
    "settings",
    "similarity_radius",
    "tables",
    "tradeoff",
    "write",
]
