"""Adversary: a function from a published graph to, for every vertex, the set of vertices it could be.

Also what some kinds of knowledge share: a radius, a number l of facts, and several kinds known together (`&`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Self

from shoal.data.table import Table
from shoal.errors import BadParameter, parse_whole, show_value, whole
from shoal.knowledge.candidates import Candidates, intersect_answers
from shoal.knowledge.view import View

# Adversary: a function from a published graph to, for every vertex, the set of vertices it could be.
#
# Each kind of knowledge is a frozen dataclass in a file of its own. `a & b` knows both.


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

    @property
    def parts(self) -> tuple[Adversary, ...]:
        """The kinds of knowledge that it is put together from: itself, unless `&` joined several."""
        return (self,)

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it is about; none, where only links are known."""
        return ()

    @abstractmethod
    def see(self, view: View) -> Candidates:
        """Return whom every vertex could be."""

    def words(self) -> Sequence[str]:
        """Return what follows the first word of the shell name; nothing, if there is nothing to choose."""
        return []

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Build from what follows the first word of the shell name, still escaped."""
        check_word_count(words, 0, cls.form)
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

        return Both.of(self, other) if isinstance(other, Adversary) else NotImplemented


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


def _read_head(form: str) -> str:
    return form.split(":", maxsplit=1)[0]


# What the adversaries of a ball have in common: a radius, and a shell name that may leave it out.


@dataclass(frozen=True)
class BallKnowledge(Adversary):
    """Knows something about the ball: the subgraph induced by the vertices at distance <= radius."""

    radius: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", whole(self.radius, type(self).__name__, "radius", least=0))

    def words(self) -> Sequence[str]:
        """Return the radius."""
        return [str(self.radius)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the radius; 1 if there is none."""
        check_word_count(words, 1, cls.form)
        return cls(parse_number(words[0], cls.form) if words else 1)


# What the adversaries of l neighbors or relations have in common: the letter l, and a shell name that ends in it.


@dataclass(frozen=True)
class SomeFacts(Adversary):
    """Knows l of something."""

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, type(self).__name__, "l", least=1))

    def words(self) -> Sequence[str]:
        """Return l."""
        return [str(self.l)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read l."""
        check_word_count(words, 1, cls.form)
        if not words:
            raise BadParameter(f"'{cls.shell}' must be spelled {cls.form}. Got no L.")
        return cls(parse_number(words[0], cls.form))


# Knows several things at once: candidate sets intersect. `Degree() & Columns("age")`, degree+columns:age.


@dataclass(frozen=True, repr=False)
class Both(Adversary):
    """Knows all of its parts. Written with `&`; the order in which three are joined makes no difference.

    Examples
    --------
    >>> from shoal.knowledge import Columns, Degree
    >>> Degree() & Columns("age")
    Degree() & Columns('age')
    """

    joined: tuple[Adversary, ...]

    shell: ClassVar[str] = "+"
    form: ClassVar[str] = "NAME+NAME"
    notion: ClassVar[str] = "several kinds of knowledge at once"

    @classmethod
    def of(cls, *adversaries: Adversary) -> Both:
        """Join, without nesting."""
        return cls(tuple(part for adversary in adversaries for part in adversary.parts))

    @property
    def parts(self) -> tuple[Adversary, ...]:
        """What was joined."""
        return self.joined

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns that any part is about, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns(table)))

    @property
    def assumes(self) -> str:
        """What any part takes for granted."""
        return " ".join(dict.fromkeys(part.assumes for part in self.parts if part.assumes))

    @property
    def reads_links(self) -> bool:  # type: ignore[override]
        """Whether any part knows about links."""
        return any(part.reads_links for part in self.parts)

    def see(self, view: View) -> Candidates:
        """Intersect what the parts see."""
        n = view.published.n
        return reduce(lambda a, b: intersect_answers(a, b, n), (part.see(view) for part in self.parts))

    @property
    def spec(self) -> str:
        """The shell names of the parts, joined by a plus."""
        return "+".join(part.spec for part in self.parts)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.parts))

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Refuse: the registry splits at the plus before it looks for names."""
        raise BadParameter(f"Knowledge is joined as NAME+NAME. Got {':'.join(words)!r}.")
