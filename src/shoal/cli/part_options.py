"""Options of commands that the fields of methods and attacks declare (:func:`shoal.parts.option`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import NAMES, WHOLE
from shoal.errors import did_you_mean, parse_whole, show_value
from shoal.parts import Registry


class PartName(click.ParamType[str]):
    """The shell name of a registered part. A misspelled name is refused with a suggestion."""

    def __init__(self, registry: Registry, hint: str = "") -> None:
        self.registry, self.hint, self.name = registry, hint, registry.noun

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the registered names."""
        return f"[{'|'.join(self.registry)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse it."""
        if value not in self.registry:
            there = self.hint or f"There are: {', '.join(self.registry)}."
            suggestion = did_you_mean(value, self.registry)
            self.fail(f"There is no {self.registry.noun} {value!r}.{suggestion} {there}", param, ctx)
        return str(value)


class Effort(click.ParamType[int | str]):
    """Sweeps as a whole number, or seconds as 60s."""

    name = "effort"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read whole numbers; the method checks the rest."""
        number = parse_whole(str(value))
        return str(value) if number is None else number


class Amount(click.ParamType[int | float]):
    """A number as 100, or a share as 0.1."""

    name = "N|SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Read a number; the method or attack checks its range."""
        number = parse_whole(str(value))
        try:
            return float(value) if number is None else number
        except ValueError:
            self.fail(f"must be a number as 100, or a share as 0.1. Got {show_value(value)}.", param, ctx)


class Share(click.ParamType[int | float | str]):
    """A number as 100, or a share as 0.1 or 10%."""

    name = "N|SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float | str:
        """Read numbers; the method checks the rest."""
        number = parse_whole(str(value))
        try:
            return float(value) if number is None else number
        except ValueError:
            return str(value)


TYPES: dict[str, Any] = {
    "int": WHOLE,
    "int | None": WHOLE,
    "float": click.FLOAT,
    "int | float": Amount(),
    "int | float | str | None": Effort(),
    "int | float | str": Share(),
    "tuple[str, ...]": NAMES,
    "tuple[Hashable, ...] | None": click.Path(path_type=Path),
}
"""How a value is read, by the annotation of its field; texts and choices as they are."""

REPEATED = ("tuple[Adversary, ...]",)
"""Annotations of fields whose option may be given several times."""


@dataclass(frozen=True)
class PartOption:
    """An option of a command that sets a field of one or several parts."""

    field: Field[Any]
    parts: tuple[str, ...]
    """The shell names of the parts that have the field."""
    words: tuple[str, ...] = ()
    """How its value is written: the choices of all parts."""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.field.metadata['option'] or self.field.name.replace('_', '-')}"

    def decorate(self, section: Callable[..., Callable[[Any], Any]]) -> Callable[[Any], Any]:
        """Return the click option under a heading of the help."""
        text = f"{self.field.metadata['help'].removesuffix('.')} ({', '.join(self.parts)})."
        annotation = str(self.field.type)
        if annotation == "bool":  # None unless typed, so that the default is the part's own
            return section(self.flag, self.field.name, is_flag=True, default=None, help=text)
        metavar = "|".join(self.words) or None
        if annotation in REPEATED:  # None unless typed, too
            many = {"multiple": True, "default": None, "callback": lambda _context, _option, came: came or None}
            return section(self.flag, self.field.name, metavar=metavar, help=text, **many)
        return section(self.flag, self.field.name, type=TYPES.get(annotation), metavar=metavar, help=text)


def collect_options(registry: Mapping[str, Any]) -> dict[str, PartOption]:
    """Return the options that the fields of parts declare, by the names of the fields.

    >>> from shoal.methods import METHODS
    >>> collect_options(METHODS)["similarity"].parts
    ('equalize-rows', 'raise-l')
    """
    having: dict[str, list[str]] = {}
    declared: dict[str, Field[Any]] = {}
    words: dict[str, dict[str, None]] = {}
    for name, kind in registry.items():
        for each in fields(kind):
            having.setdefault(each.name, []).append(name)
            if "option" in each.metadata:
                declared.setdefault(each.name, each)
                words.setdefault(each.name, {}).update(dict.fromkeys(list_value_words(each)))
    return {name: PartOption(each, tuple(having[name]), tuple(words[name])) for name, each in declared.items()}


def list_value_words(declared: Field[Any]) -> list[str]:
    """Return how the value of a field is written, as declared or as its type lists the choices."""
    written = declared.metadata["metavar"]
    return written.split("|") if written else re.findall(r"['\"]([\w-]+)['\"]", str(declared.type))
