"""The report room: it has a phrase in it. Importing it registers how each result shows itself."""

from shoal.report import charts, levels, text

__all__ = ["charts", "levels", "text"]
