"""The report room: it has a phrase in it. Importing it registers how each result shows itself."""

from shoal.report import charts, confusion, generalized, levels, outcomes, recommendations, releases, tables, text

__all__ = ["charts", "confusion", "generalized", "levels", "outcomes", "recommendations", "releases", "tables", "text"]
