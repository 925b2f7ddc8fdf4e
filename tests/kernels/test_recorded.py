"""Every kernel does what it did when its calls were recorded, to the last bit.

The first calls of each file were recorded while the tests ran with the earlier version of the kernels, made with numba.
The others were recorded from this version, which equals that one on the first calls, on small random data; see
scripts/record_calls.py.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import shoal
from recorded_calls import list_files, read_calls
from shoal.methods.links.reduce_risk.search import hash_form

HOMES = {
    "agreement": "shoal.methods.links",
    "alike": "shoal.core",
    "approximate": "shoal.core",
    "balls": "shoal.core",
    "comparisons": "shoal.linkage",
    "degree_vectors": "shoal.core",
    "degrees": "shoal.methods.links",
    "distances": "shoal.methods.links",
    "edits": "shoal.methods.links",
    "exposing_sets": "shoal.core",
    "matching": "shoal.attacks",
    "neighborhoods": "shoal.methods.links",
    "partition": "shoal.optimize",
    "records": "shoal.methods.tables",
    "reduction": "shoal.methods.links",
    "relation_pairs": "shoal.core",
    "relation_sets": "shoal.core",
    "shapes": "shoal.methods.links",
    "tied_balls": "shoal.methods.links",
}
"""The package that owns the kernels of each file."""
MANY = 200
"""So many calls of each kernel are recorded."""


def add_relation(fields: tuple[Any, ...], *rest: Any) -> tuple[Any, ...]:
    """Return the fields of bit rows with one relation and its limit; before, there were no relations."""
    return (*fields[:5], np.zeros(1, dtype=np.int64), *fields[5:9], np.array([fields[9]]), *fields[10:]), *rest


def sort_rows(*arguments: Any) -> tuple[Any, ...]:
    """Return rows sorted by label, in runs, and a list of one pattern; there were rows as they are, and one pattern."""
    first, last, indptr, indices, labels, _, links, wanted, allowed, limit, verdicts = arguments
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((labels, rows))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(rows[order]) != 0) | (np.diff(labels[order]) != 0)
    starts = np.flatnonzero(new)
    runs = np.searchsorted(starts, indptr), labels[order[starts]], np.append(starts, len(order))
    which, ids = np.arange(len(links))[None], np.zeros(1, dtype=np.int64)
    graph = first, last, indices[order], *runs
    return *graph, links, wanted[None], which, allowed, limit, ids, verdicts[None]


ADAPTERS = {
    "labels_fit_at": sort_rows,
    **{f"agreement.{name}": add_relation for name in ("walk", "restore", "remove", "add", "valid", "row_violation")},
    **dict.fromkeys(("agreement.changed_to", "agreement.fewest_of_all"), add_relation),
    "listed": lambda bits, count: (bits, count, np.zeros(1, dtype=np.int64), np.zeros(count, dtype=np.int64)),
    # edges had one side
    "isolate": lambda *rest: (*rest, np.ones(1, dtype=np.int64)),
    **dict.fromkeys(("link_near", "link_most"), lambda order, *rest: (order, 1, *rest)),
    "link_any": lambda order, pool, *rest: (order, pool, 1, *rest),
    # the known links came with the lists of toggled pairs, which were those of the other state too
    "greedy_swaps": lambda left, right, known, state, sample: (left, right, known[:2], state, sample),
    # entries were neighbors, and columns were classes
    "anneal": lambda state, *rest: ((*state, state[1], state[7], state[10], np.zeros(1, dtype=np.int32)), *rest),
    # rows came without labels, and the rows of both graphs one after the other
    "claims_around": lambda known, graph, *rest: (*((*rows, rows[1]) for rows in (known, graph)), *rest),
    "favorites": lambda first, last, *rest: (first, last, rest[:2], rest[2:4], *rest[4:]),
    "propagate": lambda order, *rest: (order, rest[:2], rest[2:4], *rest[4:]),
}
"""How the arguments of a kernel are given now, if not as they were; by its name, with the file if it is in several."""


def import_kernels(file: str) -> ModuleType:
    """Return the compiled module whose calls are in a file."""
    return import_module(f"{HOMES[file]}._kernels.{file}")


def list_kernels(file: str) -> list[str]:
    """Return the names of the kernels of a compiled module."""
    return [name for name, found in vars(import_kernels(file)).items() if "cython_function" in type(found).__name__]


def run_reduction(start: tuple[Any, ...], limits: tuple[Any, ...], mates: Any = None) -> tuple[Any, ...]:
    """Return what a short search for edits finds; its kernels are classes."""
    state = import_kernels("reduction").Reduction(*start, forms=({}, hash_form), mates=mates)
    done = state.propose(*limits)
    state.trim(limits[-1])
    return done, state.at_risk, state.changed, *state.list_edits(), *state.list_links()


SEARCHES = {
    ("reduction", "reduce"): run_reduction,
    ("reduction", "reduce_pairs"): run_reduction,
    ("distances", "reduce_hubs"): run_reduction,
    ("shapes", "reduce_neighborhoods"): run_reduction,
    ("tied_balls", "reduce_ties"): run_reduction,
}
"""Calls that stand for a kernel that is a class."""


def find_kernel(file: str, kernel: str) -> Any:
    """Return what a recorded call calls."""
    return SEARCHES.get((file, kernel)) or getattr(import_kernels(file), kernel)


def give_room(file: str, kernel: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with a room in place of two arrays, for kernels that use it for several calls."""
    at = {"exposing_set": 0, "exposing_sizes": 3}.get(kernel) if file == "exposing_sets" else None
    if at is None:
        return arguments
    room = import_kernels(file).Room(*arguments[at : at + 2])
    return *arguments[:at], room, *arguments[at + 2 :]


def equal(a: Any, b: Any) -> bool:
    """Return whether two results are the same, NaN included."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is b
    x, y = np.asarray(a), np.asarray(b)
    return x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind == "f" == y.dtype.kind)


@pytest.mark.slow
@pytest.mark.parametrize("path", list_files(), ids=lambda path: path.stem)
def test_every_recorded_call_gives_the_same_result(path: Path) -> None:
    counts: Counter[str] = Counter()
    for call in read_calls(path):
        adapt = ADAPTERS.get(f"{path.stem}.{call.kernel}") or ADAPTERS.get(call.kernel, lambda *arguments: arguments)
        arguments, written = adapt(*call.arguments), adapt(*call.written)
        result = find_kernel(path.stem, call.kernel)(*give_room(path.stem, call.kernel, arguments))
        assert equal(result, call.result), (call.kernel, counts[call.kernel])
        assert equal(arguments, written), (call.kernel, counts[call.kernel])
        counts[call.kernel] += 1
    kernels = [*list_kernels(path.stem), *(kernel for file, kernel in SEARCHES if file == path.stem)]
    assert {kernel: many for kernel in kernels if (many := counts[kernel]) < MANY} == {}


def test_every_compiled_module_has_recorded_calls() -> None:
    folder = Path(shoal.__file__).parent
    modules = {path.stem for path in folder.glob("**/_kernels/*.py")} - {"__init__"}
    assert modules == HOMES.keys() == {path.stem for path in list_files()}
