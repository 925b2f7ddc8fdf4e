"""Results as text, pages and charts. Importing this package registers how each result is shown."""

from shoal.report.html import audit as audit_page
from shoal.report.html import frontier as frontier_page
from shoal.report.html.charts import draw
from shoal.report.text import (
    audit,
    comparison,
    confusion,
    frontier,
    generalized,
    levels,
    outcomes,
    releases,
    risk,
    tables,
)

__all__ = [
    "audit",
    "audit_page",
    "comparison",
    "confusion",
    "draw",
    "frontier",
    "frontier_page",
    "generalized",
    "levels",
    "outcomes",
    "releases",
    "risk",
    "tables",
]
