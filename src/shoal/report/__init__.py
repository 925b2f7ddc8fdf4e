"""The report room: it has a phrase in it. Importing it registers how each result shows itself."""

from shoal.report import (
    charts,
    comparison,
    confusion,
    frontier_page,
    frontiers,
    generalized,
    levels,
    outcomes,
    page,
    recommendations,
    releases,
    tables,
    text,
)

__all__ = [
    "charts",
    "comparison",
    "confusion",
    "frontier_page",
    "frontiers",
    "generalized",
    "levels",
    "outcomes",
    "page",
    "recommendations",
    "releases",
    "tables",
    "text",
]
