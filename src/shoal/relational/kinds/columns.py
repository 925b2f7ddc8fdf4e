"""Columns: the values of a quasi-identifier."""

from __future__ import annotations

from shoal.knowledge import Columns
from shoal.relational.classes import group_columns
from shoal.relational.kinds.base import Counter
from shoal.relational.network import Network, check_columns


def group(net: Network, kind: Columns) -> str:
    """Group vertices by their values; a missing value is a value."""
    names = list(dict.fromkeys(kind.names))
    check_columns(net, names, "Columns")
    return group_columns(net, "cells", [net.columns[name] for name in names], "columns")


COUNTER = Counter("columns:NAME,NAME", group=group)
