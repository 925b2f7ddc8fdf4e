"""Results as text, pages and charts. Importing this package registers a renderer for each type of result."""

from shoal.report.html import frontier as frontier_page
from shoal.report.html import page as audit_page
from shoal.report.html import tradeoff as tradeoff_page
from shoal.report.html.charts import results
from shoal.report.text import (
    audit,
    codebook,
    comparison,
    confusion,
    frontier,
    generalized,
    levels,
    outcomes,
    relational,
    releases,
    risk,
    scenarios,
    tables,
    tradeoff,
)

__all__ = [
    "audit",
    "audit_page",
    "codebook",
    "comparison",
    "confusion",
    "frontier",
    "frontier_page",
    "generalized",
    "levels",
    "outcomes",
    "relational",
    "releases",
    "results",
    "risk",
    "scenarios",
    "tables",
    "tradeoff",
    "tradeoff_page",
]
