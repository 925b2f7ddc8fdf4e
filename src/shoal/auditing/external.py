"""The external form of an audit, which may be published.

An external audit is assessed in the published files alone (:meth:`shoal.auditing.case.Case.view_from_outside`). Then
every field goes whose type does not declare it public. A new field is private until it is declared, so it cannot be
published by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from shoal.auditing.model import Audit
from shoal.auditing.records import find_types, split_optional
from shoal.release.guarantee import Reason

REASONS = get_args(Reason)


def drop_private(audit: Audit) -> Audit:
    """Return an audit without its private fields."""
    kept: Audit = _drop(audit)
    return kept


def list_public(kind: type) -> dict[str, Reason]:
    """Return the public fields of a dataclass, each with the reason that its type declares."""
    hints = get_type_hints(kind, include_extras=True)
    marks = {
        one.name: get_args(hints[one.name])[1:] for one in fields(kind) if get_origin(hints[one.name]) is Annotated
    }
    return {name: reasons[0] for name, reasons in marks.items() if reasons[0] in REASONS}


def find_empty(kind: Any) -> Any:
    """Return what stands where a private field was: None, or an empty tuple or mapping.

    >>> find_empty(int | None), find_empty(tuple[str, ...]), find_empty(dict[str, int])
    (None, (), {})
    """
    if NoneType in split_optional(kind):
        return None
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        return ()
    if get_origin(kind) is dict:
        return {}
    raise TypeError(f"A private field must be optional, a tuple or a mapping, so that it can be empty. Got {kind}.")


def _drop(value: Any) -> Any:
    """Return a value of a public field with only the public fields of every dataclass in it."""
    if is_dataclass(value) and not isinstance(value, type):
        public, types = list_public(type(value)), find_types(type(value))
        return type(value)(
            **{name: _drop(getattr(value, name)) if name in public else find_empty(types[name]) for name in types}
        )
    if isinstance(value, tuple):
        return tuple(_drop(cell) for cell in value)
    return {key: _drop(cell) for key, cell in value.items()} if isinstance(value, Mapping) else value
