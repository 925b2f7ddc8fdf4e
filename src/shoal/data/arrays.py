"""Types of numpy arrays: integers, floats and booleans; and truth values as the bytes that kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def view_bytes(array: Bools) -> Bytes:
    """Return truth values as bytes, for a kernel; the memory is shared.

    >>> view_bytes(np.array([True, False])).tolist()
    [1, 0]
    """
    if array.dtype != np.bool_:  # a view of anything else would be misread
        raise TypeError(f"A kernel takes an array of bool here. Got {array.dtype}.")
    return array.view(np.uint8)
