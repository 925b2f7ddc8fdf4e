"""Compiled loops; see CONTRIBUTING.md. This file holds what all of them need to take truth values."""

from __future__ import annotations

from typing import Any

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def view_bytes(array: np.ndarray[Any, np.dtype[np.bool_]]) -> Bytes:
    """Return truth values as bytes, for a kernel; the memory is shared.

    >>> view_bytes(np.array([True, False])).tolist()
    [1, 0]
    """
    if array.dtype != np.bool_:  # a view of anything else would be misread
        raise TypeError(f"A kernel takes an array of bool here. Got {array.dtype}.")
    return array.view(np.uint8)
