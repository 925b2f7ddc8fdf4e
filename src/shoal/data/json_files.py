"""JSON that others may have written: read as strictly as it is meant, refused with a BadFile in all other cases."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from typing import Any

from shoal.data.files import existing, text_of
from shoal.errors import DIGITS, BadFile, show_value

DEEPEST = 100
"""How deep lists and objects may be nested: whoever walks through them needs no more of the stack than that."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return what a JSON file says."""
    found = existing(path)
    return parse_json(text_of(found, ""), str(found))


def parse_json(text: str, where: str, *, nan: bool = False) -> Any:
    """Return what a text in JSON says.

    `where` names it in messages; `nan` allows NaN and Infinity, as Python writes them.

    >>> parse_json('{"k": [2, 5]}', "x.json")
    {'k': [2, 5]}
    >>> parse_json('{"k": 2, "k": 5}', "x.json")
    Traceback (most recent call last):
    ...
    shoal.errors.BadFile: x.json: must be JSON that is read in one way only. Got the key 'k' twice in one object.
    """
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=float if nan else _refuse_constant)
        _check_depth(found)
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BadFile(f"{where}, line {error.lineno:,}: must be JSON. Got: {error.msg}.") from error
    except UnicodeEncodeError as error:
        raise BadFile(f"{where}: must be JSON in Unicode. Got one half of a surrogate pair in a text.") from error
    except RecursionError as error:
        raise BadFile(f"{where}: must be JSON nested at most {DEEPEST} deep. Got one nested too deep.") from error
    except _Doubtful as error:
        raise BadFile(f"{where}: must be JSON that is read in one way only. Got {error}.") from error
    except ValueError as error:  # Python reads no longer number
        raise BadFile(f"{where}: a number must have at most {DIGITS:,} digits. Got one that is longer.") from error
    return found


class _Doubtful(Exception):
    """What programs read in different ways."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(again, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise _Doubtful(f"the key {show_value(again)} twice in one object")
    return found


def _refuse_constant(text: str) -> Any:
    raise _Doubtful(f"{text}, which is no number in JSON")


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
