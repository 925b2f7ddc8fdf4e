"""Parts that describe themselves: a registry by shell name, the parts of a shell name, and fields that are options.

A part is a kind of knowledge, a method or an attack: a class that carries its name, its words and its options. Parts
are registered in this process only. shoal loads no code that was not imported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from inspect import isabstract
from typing import Any, TypeVar

from shoal.errors import BadParameter, find_by_name, parse_whole, show_value

Part = TypeVar("Part", bound=type)


class Registry(dict[str, Any]):
    """Classes of parts by their shell names, in the order of registration.

    Parameters
    ----------
    noun
        What a part is called in messages, as "method".
    base
        The class that every part derives from.
    described
        The class attributes that a part must have.
    """

    def __init__(self, noun: str, base: Any, described: tuple[str, ...]) -> None:
        super().__init__()
        self.noun, self.base, self.described = noun, base, described

    def register(self, part: Part) -> Part:
        """Add a part. Usable as a class decorator.

        Raises
        ------
        BadParameter
            If the class is no such part, lacks a description, or has the name of another part.
        """
        kind: Any = part
        if not _derives(kind, self.base):
            rule = f"a concrete subclass of {self.base.__name__}"
            raise BadParameter(f"register: a {self.noun} must be {rule}. Got {kind!r:.80}.")
        missing = [name for name in ("shell", *self.described) if not getattr(kind, name, None)]
        if missing:
            raise BadParameter(f"register: {kind.__name__} must have {', '.join(missing)}. Got none.")
        taken = [word for word in list_words(kind) if word in self.words]
        if taken:
            raise BadParameter(f"register: the name of a {self.noun} must be new. Got {taken[0]!r}, which exists.")
        self[kind.shell] = kind
        return part

    def unregister(self, part: type) -> None:
        """Remove a part that was registered."""
        name = next((name for name, kind in self.items() if kind is part), None)
        if name is None:
            raise BadParameter(f"unregister: {part.__name__} must be a registered {self.noun}. It is not.")
        del self[name]

    @property
    def words(self) -> dict[str, Any]:
        """Every first word of a shell name with its part; one part may have several."""
        return {word: part for part in self.values() for word in list_words(part)}

    def find(self, name: str) -> Any:
        """Return the part with this shell name, or refuse the name with a suggestion."""
        return find_by_name(self.noun, name, self.words)


def _derives(kind: Any, base: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, base) and not isabstract(kind)


def list_words(part: Any) -> list[str]:
    """Return the first words of the shell names of a part."""
    return [part.shell, *getattr(part, "other_names", ())]


# Shell names of knowledge: NAME:WORD:WORD, where a backslash protects what separates.


def check_word_count(words: Sequence[str], most: int, form: str) -> None:
    """Refuse a shell name with more parts than its form has."""
    if len(words) > most:
        raise BadParameter(f"'{_read_head(form)}' must be spelled {form}. Got {len(words)} after the name.")


def parse_number(word: str, form: str) -> int:
    """Read a whole number of a shell name."""
    found = parse_whole(word)
    if found is None or found < 0:
        raise BadParameter(
            f"'{_read_head(form)}' must be spelled {form}. Got {show_value(word)} where a number belongs."
        )
    return found


def escape(name: str) -> str:
    r"""Protect what a shell name gives a meaning to.

    >>> escape("a+b:c")
    'a\\+b\\:c'
    """
    return "".join("\\" + c if c in "\\:+," else c for c in name)


def split_words(text: str, separator: str) -> list[str]:
    r"""Split at separators that no backslash protects; the parts stay escaped.

    >>> split_words("columns:a\\:b,c", ":")
    ['columns', 'a\\:b,c']
    """
    if "\\" not in text:
        return text.split(separator)
    parts, start, escaped = [], 0, False
    for at, c in enumerate(text):
        if c == separator and not escaped:
            parts.append(text[start:at])
            start = at + 1
        escaped = c == "\\" and not escaped
    return [*parts, text[start:]]


def unescape(text: str) -> str:
    r"""Undo :func:`escape`.

    >>> unescape("a\\+b")
    'a+b'
    """
    return re.sub(r"\\(.?)", r"\1", text, flags=re.DOTALL)


def _read_head(form: str) -> str:
    return form.split(":", maxsplit=1)[0].split("[", maxsplit=1)[0]


# Options.


def option(default: Any, text: str, *, metavar: str | None = None, name: str | None = None) -> Any:
    """Return the field of a method or an attack that is an option of its command.

    A field without it is set by ``--set NAME=VALUE``.

    Parameters
    ----------
    default
        The default value.
    text
        The help, a phrase that ends in a full stop. The command appends the parts that have the option.
    metavar
        How the value is written, as "N|SHARE".
    name
        The option without dashes, where it differs from the field.
    """
    return field(default=default, metadata={"help": text, "metavar": metavar, "option": name})
