"""Every kernel does what it did when its calls were recorded, to the last bit."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recorded_calls import list_files, read_calls
from shoal.core.types import AT_LEAST

HOMES = {
    "balls": "shoal.core._kernels.balls",
    "rows": "shoal.core._kernels.balls",
    "multisets": "shoal.core._kernels.multisets",
    "neighbor_sets": "shoal.core._kernels.neighbor_sets",
    "relation_sets": "shoal.core._kernels.relation_sets",
    "fewest_candidates": "shoal.core._kernels.relation_sets",
    "columns": "shoal.core._kernels.columns",
}
"""Where the kernels of each file are now."""


def expose_by_neighbors(
    first: int, last: int, todo: Any, indptr: Any, indices: Any, k: int, most: int, limit: int, sizes: Any, meaning: Any
) -> None:
    """Do in two steps what was one kernel when its calls were recorded."""
    kernels = import_module(HOMES["neighbor_sets"])
    room = kernels.Room(indptr, indices)
    kernels.settle_sizes(first, last, todo, room, k, most, sizes, meaning)
    left = first + np.flatnonzero(meaning[first:last] == AT_LEAST) if most > 1 else np.arange(0)
    found, means = np.zeros(len(left), dtype=np.int64), np.zeros(len(left), dtype=np.int64)
    kernels.search_sizes(0, len(left), todo[left], room, k, most, limit, found, means)
    sizes[left], meaning[left] = found, means


ADAPTERS = {("neighbor_sets", "exposing_sizes"): expose_by_neighbors}
"""How recorded calls are made where a kernel takes other arguments now."""


def equal(a: Any, b: Any) -> bool:
    """Return whether two results are the same, NaN included."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is b
    x, y = np.asarray(a), np.asarray(b)
    return x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind == "f" == y.dtype.kind)


@pytest.mark.parametrize("path", [p for p in list_files() if p.stem in HOMES], ids=lambda path: path.stem)
def test_every_recorded_call_gives_the_same_result(path: Path) -> None:
    module = import_module(HOMES[path.stem])
    counts: Counter[str] = Counter()
    for call in read_calls(path):
        kernel = ADAPTERS.get((path.stem, call.kernel)) or getattr(module, call.kernel)
        result = kernel(*call.arguments)
        assert equal(result, call.result), (call.kernel, counts[call.kernel])
        assert equal(call.arguments, call.written), (call.kernel, counts[call.kernel])
        counts[call.kernel] += 1
    assert counts
