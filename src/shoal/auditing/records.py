"""Frozen dataclasses as JSON and back: one strict converter, generated from the fields.

A missing key, an unknown key or a value of the wrong type is refused with the path of the field. Supported types: None,
bool, int, float, str, `Literal`, `Any` (plain JSON), tuples, mappings with texts as keys, dataclasses, optional values,
and unions of dataclasses that differ in a field `kind` of a `Literal` type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from shoal.errors import BadFile, cut

Record = TypeVar("Record")


def dump_record(value: Any) -> Any:
    """Return a dataclass, with everything in it, as plain JSON data.

    >>> from shoal.attacks.base import Rate
    >>> dump_record(Rate(1, 4, (0.0, 0.7)))
    {'hits': 1, 'of': 4, 'interval': [0.0, 0.7]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: dump_record(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): dump_record(cell) for key, cell in value.items()}
    return [dump_record(cell) for cell in value] if isinstance(value, list | tuple) else value


def load_record(kind: type[Record], found: Any) -> Record:
    """Return a dataclass from what :func:`dump_record` made of it; refuse anything else.

    >>> from shoal.attacks.base import Rate
    >>> load_record(Rate, {"hits": 1, "of": 4, "interval": None})
    Rate(hits=1, of=4, interval=None)
    >>> load_record(Rate, {"hits": 1, "of": "4", "interval": None})
    Traceback (most recent call last):
    ...
    shoal.errors.BadFile: 'of' must be a whole number. Got '4'.
    """
    made: Record = _load(kind, found, "")
    return made


@lru_cache
def find_types(kind: type) -> dict[str, Any]:
    """Return the type of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def split_optional(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type alone.

    >>> split_optional(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _load(kind: Any, found: Any, where: str) -> Any:
    if kind is Any:
        return found
    if get_origin(kind) in (Union, UnionType):
        return _load_union(kind, found, where)
    if is_dataclass(kind):
        return _load_dataclass(kind, found, where)
    load = CONTAINERS.get(get_origin(kind))
    return _load_plain(kind, found, where) if load is None else load(get_args(kind), found, where)


def _load_union(kind: Any, found: Any, where: str) -> Any:
    members = split_optional(kind)
    if found is None and NoneType in members:
        return None
    others = [member for member in members if member is not NoneType]
    if len(others) == 1:
        return _load(others[0], found, where)
    tags = {word: member for member in others for word in get_args(find_types(member)["kind"])}
    _check(isinstance(found, dict), where, "an object", found)
    _check(found.get("kind") in tags, _join(where, "kind"), f"one of {', '.join(map(repr, tags))}", found.get("kind"))
    return _load(tags[found["kind"]], found, where)


def _load_dataclass(kind: Any, found: Any, where: str) -> Any:
    types = find_types(kind)
    _check(isinstance(found, dict), where, "an object", found)
    for name in types:
        if name not in found:
            raise BadFile(f"{_name(_join(where, name))} must be there. It is missing.")
    for name in found:
        if name not in types:
            raise BadFile(f"{_name(_join(where, name))} must be a known field. There is none of this name.")
    return kind(**{name: _load(part, found[name], _join(where, name)) for name, part in types.items()})


def _load_tuple(parts: tuple[Any, ...], found: Any, where: str) -> tuple[Any, ...]:
    _check(isinstance(found, list), where, "a list", found)
    if parts[1:] == (...,):
        return tuple(_load(parts[0], cell, f"{where}[{at}]") for at, cell in enumerate(found))
    _check(len(found) == len(parts), where, f"a list of {len(parts)}", found)
    return tuple(_load(part, cell, f"{where}[{at}]") for at, (part, cell) in enumerate(zip(parts, found, strict=True)))


def _load_mapping(parts: tuple[Any, ...], found: Any, where: str) -> dict[str, Any]:
    _check(isinstance(found, dict), where, "an object", found)
    return {key: _load(parts[1], cell, _join(where, key)) for key, cell in found.items()}


def _load_literal(words: tuple[Any, ...], found: Any, where: str) -> Any:
    _check(isinstance(found, str) and found in words, where, f"one of {', '.join(map(repr, words))}", found)
    return found


CONTAINERS: dict[Any, Callable[[tuple[Any, ...], Any, str], Any]] = {
    tuple: _load_tuple,
    dict: _load_mapping,
    Mapping: _load_mapping,
    Literal: _load_literal,
}
PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _load_plain(kind: Any, found: Any, where: str) -> Any:
    allowed = (int, float) if kind is float else (kind,)
    is_right = isinstance(found, allowed) and (kind is bool or not isinstance(found, bool))
    _check(is_right, where, PLAIN[kind], found)
    return found


def _check(is_right: bool, where: str, rule: str, found: Any) -> None:
    if not is_right:
        raise BadFile(f"{_name(where)} must be {rule}. Got {cut(repr(found))}.")


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _name(where: str) -> str:
    return f"'{cut(where)}'" if where else "The record"
