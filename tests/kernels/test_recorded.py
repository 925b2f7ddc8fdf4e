"""Every kernel does what it did when its calls were recorded, to the last bit."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recorded_calls import list_files, read_calls

HOMES = {
    "approximate": "shoal.core._kernels.approximate",
    "ball_degrees": "shoal.core._kernels.balls",
    "degree_sequences": "shoal.methods.links._kernels.degree_sequences",
    "degree_repair": "shoal.methods.links._kernels.degree_repair",
    "degree_edits": "shoal.methods.links._kernels.degree_edits",
    "agreement": "shoal.methods.links._kernels.agreement",
    "agreement_walk": "shoal.methods.links._kernels.agreement",
    "neighborhoods": "shoal.methods.links._kernels.neighborhoods",
    "sharing": "shoal.methods.links._kernels.sharing",
    "suppression": "shoal.methods.tables._kernels.suppression",
    "clustering": "shoal.methods.tables._kernels.clustering",
    "attacks": "shoal.attacks._kernels.matching",
    "balls": "shoal.core._kernels.balls",
    "perturbation": "shoal.methods.links._kernels.perturbation",
    "partition_search": "shoal.optimize._kernels.partition",
    "rows": "shoal.core._kernels.balls",
    "multisets": "shoal.core._kernels.multisets",
    "neighbor_sets": "shoal.core._kernels.neighbor_sets",
    "relation_sets": "shoal.core._kernels.relation_sets",
    "fewest_candidates": "shoal.core._kernels.relation_sets",
    "columns": "shoal.core._kernels.columns",
    "linkage": "shoal.linkage._kernels.comparisons",
    "similar_rows": "shoal.core._kernels.similar_rows",
    "utility": "shoal.utility._kernels.structure",
}
"""Where the kernels of each file are now."""
ADAPTERS = {
    # the known links came with the lists of toggled pairs, which were those of the other state too
    "greedy_swaps": lambda left, right, known, state, sample: (left, right, known[:2], state, sample),
}
"""How the arguments of a kernel are given now, if not as they were."""


def give_room(file: str, kernel: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with a room in place of two arrays, for kernels that use it for several calls."""
    if file != "neighbor_sets":
        return arguments
    at = 0 if kernel == "exposing_set" else 3
    room = import_module(HOMES[file]).Room(*arguments[at : at + 2])
    return *arguments[:at], room, *arguments[at + 2 :]


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
        adapt = ADAPTERS.get(call.kernel, lambda *arguments: arguments)
        arguments, written = adapt(*call.arguments), adapt(*call.written)
        result = getattr(module, call.kernel)(*give_room(path.stem, call.kernel, arguments))
        assert equal(result, call.result), (call.kernel, counts[call.kernel])
        assert equal(arguments, written), (call.kernel, counts[call.kernel])
        counts[call.kernel] += 1
    assert counts
