"""Results as a data frame of whichever library is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def frame(columns: Mapping[str, Any]) -> Any:
    """Return the columns as a pandas frame, a polars frame if there is no pandas, or else a pyarrow table.

    >>> frame({"name": ["a", "b"], "candidates": [1, 2]}).shape
    (2, 2)
    """
    if find_spec("pandas"):
        return import_module("pandas").DataFrame(dict(columns))
    if find_spec("polars"):
        return import_module("polars").DataFrame(dict(columns))
    return import_module("pyarrow").table(dict(columns))
