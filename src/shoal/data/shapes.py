"""Shapes: what plain data from outside must look like, key by key, type by type: True is not 1, and 1.0 is not 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import show_value

Check = Callable[[Any], bool]


def is_a(*types: type) -> Check:
    """Return a check that a value is of one of these types exactly.

    >>> is_a(int)(1), is_a(int)(True), is_a(int, float)(1.0)
    (True, False, True)
    """
    return lambda value: type(value) in types


def is_whole(least: int) -> Check:
    """Return a check that a value is a whole number of `least` or more."""
    return lambda value: type(value) is int and value >= least


def is_one_of(*values: Any) -> Check:
    """Return a check that a value is one of these, in its type too.

    >>> is_one_of(1, "all")(1), is_one_of(1, "all")(True)
    (True, False)
    """
    return lambda value: any(type(value) is type(other) and value == other for other in values)


def is_list_of(check: Check) -> Check:
    """Return a check that a value is a list of such items."""
    return lambda value: type(value) is list and all(map(check, value))


def is_pair_of(first: Check, second: Check) -> Check:
    """Return a check that a value is a list of two such items."""
    return lambda value: type(value) is list and len(value) == 2 and first(value[0]) and second(value[1])


def is_mapping_of(check: Check, key: Check = lambda name: type(name) is str) -> Check:
    """Return a check that a value is an object whose keys and values are such."""
    return lambda value: type(value) is dict and all(map(key, value)) and all(map(check, value.values()))


def find_misfit(found: Any, shape: Mapping[str, Check], what: str) -> str | None:
    """Say what keeps data from being an object with exactly these keys; None if nothing does.

    >>> find_misfit({"k": 2, "n": 3}, {"k": is_a(int)}, "the file")
    "the file has the key 'n', which it must not have"
    >>> find_misfit({"k": True}, {"k": is_a(int)}, "the file")
    "the file has True for 'k'"
    """
    if type(found) is not dict:
        return f"{what} is no object with keys"
    for key in shape:
        if key not in found:
            return f"{what} lacks the key {key!r}"
    for key, value in found.items():
        if key not in shape:
            return f"{what} has the key {show_value(key)}, which it must not have"
        if not shape[key](value):
            return f"{what} has {show_value(value)} for {key!r}"
    return None
