"""Kernels refuse arrays that they would misread: another type, another order in memory, outputs that are read-only."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest
from test_recorded import ADAPTERS, equal, find_kernel, give_room

from recorded_calls import list_files, read_calls

FILES = list_files()
OTHER = {"float64": np.float32, "uint64": np.int64, "bool": np.int64, "int8": np.int64}
"""A type that an array of each type must not be taken for; whole numbers become floats."""


@cache
def first_calls(path):
    """Return one call of each kernel of a file."""
    found = {}
    for call in read_calls(path):
        if call.kernel not in found:
            adapt = ADAPTERS.get(call.kernel, lambda *arguments: arguments)
            found[call.kernel] = dataclasses.replace(
                call, arguments=adapt(*call.arguments), written=adapt(*call.written)
            )
    return tuple(found.values())


def replace(value, at, change):
    """Return arguments with array number `at` (counted through tuples) changed, and whether there was one."""
    count = -1

    def walk(part):
        nonlocal count
        if isinstance(part, tuple):
            return tuple(map(walk, part))
        if isinstance(part, np.ndarray):
            count += 1
            return change(part) if count == at else part.copy()
        return part

    return walk(value), count >= at


def retype(array):
    return array.astype(OTHER.get(str(array.dtype), np.float64))


def run(path, call, arguments):
    given = give_room(path.stem, call.kernel, arguments)
    return find_kernel(path.stem, call.kernel)(*given)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_array_of_another_type_is_refused(path):
    tried = 0
    for call in first_calls(path):
        for at in range(40):
            arguments, there = replace(call.arguments, at, retype)
            if not there:
                break
            tried += 1
            with pytest.raises((TypeError, ValueError)):
                run(path, call, arguments)
    assert tried


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_array_with_gaps_is_refused_or_read_right(path):
    def spread(array):
        wide = np.zeros((*array.shape, 2), dtype=array.dtype)
        wide[..., 0] = array
        return wide[..., 0]

    for call in first_calls(path):
        for at in range(40):
            arguments, there = replace(call.arguments, at, spread)
            if not there:
                break
            try:
                result = run(path, call, arguments)
            except (TypeError, ValueError):
                continue
            assert equal(result, call.result), (call.kernel, at)
            assert equal(arguments, call.written), (call.kernel, at)


def list_arrays(value):
    """Return the arrays in arguments, in order."""
    if isinstance(value, tuple):
        return [array for part in value for array in list_arrays(part)]
    return [value] if isinstance(value, np.ndarray) else []


def lock(array):
    array = array.copy()
    array.setflags(write=False)
    return array


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_output_that_is_read_only_is_refused(path):
    for call in first_calls(path):
        pairs = zip(list_arrays(call.arguments), list_arrays(call.written), strict=True)
        for at, (before, after) in enumerate(pairs):
            if not equal(before, after):
                with pytest.raises((TypeError, ValueError)):
                    run(path, call, replace(call.arguments, at, lock)[0])
