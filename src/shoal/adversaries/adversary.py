"""Adversary: a function from a published graph to, for every vertex, the set of vertices it could be.

Each kind of knowledge is a frozen dataclass in a file of its own. `a & b` knows both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from shoal.adversaries.scene import Scene
from shoal.candidates import Candidates
from shoal.engines import Engine
from shoal.errors import BadParameter, parse_whole, show_value


class Adversary(ABC):
    """What an attacker knows about a vertex."""

    shell: ClassVar[str]
    """The first word of its shell name."""
    form: ClassVar[str]
    """How its shell name is spelled; parts in square brackets may be left out."""
    notion: ClassVar[str]
    """What the literature calls being safe from it."""
    reads_links: ClassVar[bool] = True
    """Whether it knows anything about links, or only columns of a table."""

    @property
    def assumes(self) -> str:
        """What every result must say that it takes for granted; empty if nothing."""
        return ""

    @abstractmethod
    def see(self, scene: Scene, engine: Engine) -> Candidates:
        """Return whom every vertex could be."""

    def words(self) -> Sequence[str]:
        """Return what follows the first word of the shell name; nothing, if there is nothing to choose."""
        return []

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Build from what follows the first word of the shell name, still escaped."""
        at_most(words, 0, cls.form)
        return cls()

    @classmethod
    def spellings(cls) -> dict[str, Callable[[Sequence[str]], Adversary]]:
        """Return the first words of its shell names, and how to read what follows."""
        return {cls.shell: cls.from_words}

    @property
    def spec(self) -> str:
        """The shell name, e.g. "refinement:2"."""
        return ":".join([self.shell, *self.words()])

    def __and__(self, other: object) -> Adversary:
        from shoal.adversaries.both import KnowsBoth

        return KnowsBoth.of(self, other) if isinstance(other, Adversary) else NotImplemented


def at_most(words: Sequence[str], most: int, form: str) -> None:
    """Refuse a shell name with more parts than its form has."""
    if len(words) > most:
        raise BadParameter(f"'{_head(form)}' must be spelled {form}. Got {len(words)} after the name.")


def number(word: str, form: str) -> int:
    """Read a whole number of a shell name."""
    found = parse_whole(word)
    if found is None or found < 0:
        raise BadParameter(f"'{_head(form)}' must be spelled {form}. Got {show_value(word)} where a number belongs.")
    return found


def escape(name: str) -> str:
    r"""Protect what a shell name gives a meaning to.

    >>> escape("a+b:c")
    'a\\+b\\:c'
    """
    return "".join("\\" + c if c in "\\:+," else c for c in name)


def split(text: str, separator: str) -> list[str]:
    r"""Split at separators that no backslash protects; the parts stay escaped.

    >>> split("columns:a\\:b,c", ":")
    ['columns', 'a\\:b,c']
    """
    parts, escaped = [""], False
    for c in text:
        if c == separator and not escaped:
            parts.append("")
        else:
            parts[-1] += c
        escaped = c == "\\" and not escaped
    return parts


def unescape(text: str) -> str:
    r"""Undo :func:`escape`.

    >>> unescape("a\\+b")
    'a+b'
    """
    out, escaped = "", False
    for c in text:
        if c == "\\" and not escaped:
            escaped = True
        else:
            out, escaped = out + c, False
    return out


def _head(form: str) -> str:
    return form.split(":", maxsplit=1)[0]
