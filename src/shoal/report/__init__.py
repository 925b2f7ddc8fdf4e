"""The report room: it has a phrase in it. Importing it registers how each result shows itself."""

from shoal.report import charts, confusion, levels, releases, tables, text

__all__ = ["charts", "confusion", "levels", "releases", "tables", "text"]
