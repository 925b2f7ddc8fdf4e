"""Strict reading of JSON from untrusted files: keys and types are checked, and errors are BadFile."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import DIGITS, BadFile, Place, show_value
from shoal.io.files import find_file, read_text

DEEPEST = 100
"""The deepest nesting of lists and objects, so that recursive functions do not overflow the stack."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file."""
    found = find_file(path)
    return parse_json(read_text(found, ""), str(found))


def parse_json(text: str, where: str, *, nan: bool = False) -> Any:
    """Parse a JSON text strictly.

    `where` names the source in messages; `nan` allows NaN and Infinity, as Python writes them.

    >>> parse_json('{"k": [2, 5]}', "x.json")
    {'k': [2, 5]}
    >>> parse_json('{"k": 2, "k": 5}', "x.json")
    Traceback (most recent call last):
    ...
    shoal.errors.BadFile: x.json: must be unambiguous JSON. Got the key 'k' twice in one object.
    """
    try:
        found = json.loads(text, object_pairs_hook=_check_object, parse_constant=float if nan else _refuse_constant)
        _check_depth(found)
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BadFile.at(Place(where, error.lineno), f"must be JSON. Got: {error.msg}.") from error
    except UnicodeEncodeError as error:
        raise BadFile(f"{where}: must be valid Unicode. Got a lone surrogate in a text.") from error
    except RecursionError as error:
        raise BadFile(f"{where}: must be JSON with at most {DEEPEST} nested levels. Got more.") from error
    except _Doubtful as error:
        raise BadFile(f"{where}: must be unambiguous JSON. Got {error}.") from error
    except ValueError as error:  # Python does not parse longer numbers
        raise BadFile(f"{where}: a number must have at most {DIGITS:,} digits. Got a longer one.") from error
    return found


class _Doubtful(Exception):
    """JSON that programs read in different ways."""


def _check_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(again, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise _Doubtful(f"the key {show_value(again)} twice in one object")
    return found


def _refuse_constant(text: str) -> Any:
    raise _Doubtful(f"{text}, which is not a number in JSON")


def _check_depth(found: Any) -> None:
    level = [found]
    for _ in range(DEEPEST + 1):
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item if type(item) is list else ())
            if type(child) in (dict, list)
        ]
        if not level:
            return
    raise RecursionError


# Shapes: checks of the keys and types of untrusted data. True is not 1, and 1.0 is not 1.

Check = Callable[[Any], bool]


def is_a(*types: type) -> Check:
    """Return a check that the type of a value is exactly one of these.

    >>> is_a(int)(1), is_a(int)(True), is_a(int, float)(1.0)
    (True, False, True)
    """
    return lambda value: type(value) in types


def is_whole(least: int) -> Check:
    """Return a check that a value is an int of `least` or more."""
    return lambda value: type(value) is int and value >= least


def is_one_of(*values: Any) -> Check:
    """Return a check that a value is one of these values, of the same type.

    >>> is_one_of(1, "all")(1), is_one_of(1, "all")(True)
    (True, False)
    """
    return lambda value: any(type(value) is type(other) and value == other for other in values)


def is_list_of(check: Check) -> Check:
    """Return a check that a value is a list whose items pass a check."""
    return lambda value: type(value) is list and all(map(check, value))


def is_pair_of(first: Check, second: Check) -> Check:
    """Return a check that a value is a list of two items that pass these checks."""
    return lambda value: type(value) is list and len(value) == 2 and first(value[0]) and second(value[1])


def is_mapping_of(check: Check, key: Check = lambda name: type(name) is str) -> Check:
    """Return a check that a value is an object whose keys and values pass these checks."""
    return lambda value: type(value) is dict and all(map(key, value)) and all(map(check, value.values()))


def find_misfit(found: Any, shape: Mapping[str, Check], what: str) -> str | None:
    """Return why data is not an object with exactly these keys and valid values; None if it is.

    >>> find_misfit({"k": 2, "n": 3}, {"k": is_a(int)}, "the file")
    "the file has the key 'n', which it must not have"
    >>> find_misfit({"k": True}, {"k": is_a(int)}, "the file")
    "the file has True for 'k'"
    """
    if type(found) is not dict:
        return f"{what} is not an object with keys"
    for key in shape:
        if key not in found:
            return f"{what} lacks the key {key!r}"
    for key, value in found.items():
        if key not in shape:
            return f"{what} has the key {show_value(key)}, which it must not have"
        if not shape[key](value):
            return f"{what} has {show_value(value)} for {key!r}"
    return None
