"""Adversary: a function from a published graph to, for every vertex, the set of vertices it could be.

This module also holds what several kinds share: a radius, a number l of facts, and kinds joined by `&`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from typing import Any, ClassVar, Literal, Protocol, Self

from shoal.data.arrays import Bools
from shoal.data.dataset import Dataset
from shoal.data.table import Table
from shoal.errors import BadParameter, format_count, join_names, whole
from shoal.knowledge.candidates import Candidates, DrawnFacts, Fact, WholeKnowledge, intersect_answers
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View
from shoal.parts import check_word_count, parse_number

COUNTED = "it can be counted from the protected knowledge"
LESS = "it is less of the same knowledge"
SAME = "it is the protected knowledge"
NOTHING = "an attacker who knows nothing cannot distinguish vertices"

MANY_LINKS = 1_000_000
"""Slow kinds of knowledge are not counted unasked in networks with more links than this."""


NOT_SHOWN = "(not shown)"
"""Stands for the value of a column in a report that may not show it."""


class Aliases(Protocol):
    """What people and values are called in a report that may not name them."""

    def __call__(self, name: Hashable) -> str:
        """Return the alias of a vertex."""

    def show_value(self, cell: Any) -> Any:
        """Return the value of a column, or a text that hides it."""


class Adversary(ABC):
    """What an attacker knows about a vertex.

    Each kind of knowledge is a frozen dataclass in its own file. It describes itself: the attributes and methods below
    are all that the command line, the report and the rules of coverage ask for. `a & b` knows both.
    """

    shell: ClassVar[str]
    """The first word of its shell name."""
    other_names: ClassVar[tuple[str, ...]] = ()
    """Other first words that name it too."""
    form: ClassVar[str]
    """How its shell name is spelled; parts in square brackets are optional."""
    description: ClassVar[str]
    """One line that says what is known."""
    notion: ClassVar[str]
    """The literature's name for being safe from it."""
    reads_links: ClassVar[bool] = True
    """Whether it knows anything about links, or only columns of a table."""
    reads_kinds: ClassVar[bool] = True
    """Whether it distinguishes kinds of links, where links have kinds."""
    most_links: ClassVar[int | None] = None
    """The most links of a network in which an audit counts it unasked; None: any number."""
    several_sets: ClassVar[bool] = False
    """Whether many sets of facts may be known about a vertex. The set with the fewest candidates then counts."""
    nameless: ClassVar[bool] = False
    """Whether it is about links without any name of a vertex."""
    labels: tuple[str, ...] = ()
    """Columns that are known of every vertex in a pattern of links."""
    stays_true: ClassVar[bool] = False
    """Whether a fact of the original that the target fits in a release is true of the target there.

    Then a guarantee about the release also bounds an attacker who knows the original. It is not so for hubs, which are
    chosen in the original, for shared neighbors, which are compared with the row of the original, and for subgraphs,
    which may be explored differently in the release.
    """

    @property
    @abstractmethod
    def title(self) -> str:
        """A few words for the head of a row or a chart, as "2 known neighbors"."""

    @property
    @abstractmethod
    def phrase(self) -> str:
        """Words that complete "an attacker who knows ...", as "2 neighbors of a person"."""

    @property
    def nouns(self) -> tuple[str, ...]:
        """What is known "of a person", where the phrase ends so; otherwise nothing."""
        known = self.phrase.removesuffix(" of a person")
        return () if known == self.phrase else (known,)

    def phrase_in(self, source: Literal["release", "original"]) -> str:
        """Return the phrase for facts that are true in the release, or in the original.

        >>> from shoal.knowledge import Adjacency, Orbit
        >>> Adjacency().phrase_in("release"), Orbit().phrase_in("original")
        ('all neighbors that a person has in the release', 'the whole network without names, according to the original')
        """
        known = self.phrase.removesuffix(" of a person")
        if known == self.phrase:
            return f"{known}, according to the {source}"
        return f"{known} that a person has in the {source}"

    @classmethod
    @abstractmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return a fact as a verb phrase about its vertex, as "has 6 links"; empty where nothing is known."""

    @classmethod
    @abstractmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the value of a fact with every name replaced by its alias and every value of a column hidden."""

    @abstractmethod
    def see(self, view: View) -> Candidates:
        """Return the candidates of every vertex."""

    @property
    def assumes(self) -> str:
        """The assumption that every result must state; empty if there is none."""
        return ""

    @property
    def parts(self) -> tuple[Adversary, ...]:
        """The kinds of knowledge that `&` joined, or only itself."""
        return (self,)

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that are known, each once; none, where only links are known."""
        return tuple(dict.fromkeys(self.labels))

    # Coverage: which other knowledge leaves at least as many candidates.

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known."""
        return False

    @property
    def is_structural(self) -> bool:
        """Whether it follows from the links alone, so that every automorphism preserves it."""
        return self.nameless and not self.labels

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why every candidate set of `other` contains one of this knowledge; None if that is not proved.

        The proof must hold for every vertex of every graph: with directions, kinds and multiplicities. If `simple`, it
        need only hold in simple graphs, which have none of these. The sentence completes "because ...".
        """
        return None

    def explain_coarser(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why every candidate set of this knowledge contains one of `other`; None if that is not proved.

        `simple` says in which graphs, as in :meth:`explain_finer`.
        """
        return None

    # Cost, and facts of the original searched in a release.

    def fits_size(self, data: Dataset) -> bool:
        """Return whether the data are large enough for it."""
        return True

    def estimate_steps(self, data: Dataset) -> int:
        """Return the approximate number of steps that counting all candidates takes; 0 if it is always affordable."""
        return 0

    def explain_slow_search(self, original: Dataset) -> str | None:
        """Return why facts of the original are not searched in a release unasked; None if that is quick."""
        return None

    def explain_slow_count(self, data: Dataset) -> str | None:
        """Return why candidates are not counted unasked; None if that is quick."""
        if self.most_links is None or data.m <= self.most_links:
            return None
        limit = f"the default limit is {self.most_links:,} links"
        return f"It is slow on {data.m:,} links; {limit}. Name it to count it (--knows {self.spec})."

    def draw_facts(self, original: Dataset, released: Bools) -> DrawnFacts:
        """Return how one set of facts is drawn about each vertex; `released` marks the vertices in the release."""
        return WholeKnowledge(self)

    def find_unfit(self, view: View) -> Bools | None:
        """Return the vertices of which some known facts fit no released vertex and were left out; None if none can."""
        return None

    def incremental(self) -> Incremental | None:
        """Return what a search must keep to update candidates after an edit of one link; None if it cannot."""
        return None

    # The shell name.

    def words(self) -> Sequence[str]:
        """Return what follows the first word of the shell name; nothing, if there are no parameters."""
        return []

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Build from what follows the first word of the shell name, still escaped."""
        check_word_count(words, 0, cls.form)
        return cls()

    @classmethod
    def from_name(cls, first: str, words: Sequence[str]) -> Self:
        """Build from a shell name: its first word, its own or one of `other_names`, and what follows."""
        return cls.from_words(words)

    @property
    def spec(self) -> str:
        """The shell name, e.g. "refinement:2"."""
        return ":".join([self.shell, *self.words()])

    def __and__(self, other: object) -> Adversary:
        return Both.of(self, other) if isinstance(other, Adversary) else NotImplemented


# Balls: a radius, and a shell name that may leave it out.


class StructuralKnowledge(Adversary):
    """Knows links without any names. Every automorphism preserves it, and a fact needs no alias."""

    nameless: ClassVar[bool] = True

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the value: it contains no names."""
        return fact.value


@dataclass(frozen=True)
class BallKnowledge(StructuralKnowledge):
    """Knows something about the ball: the subgraph induced by the vertices at distance <= radius."""

    radius: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", whole(self.radius, type(self).__name__, "radius", least=0))

    @property
    def is_empty(self) -> bool:
        """Whether the ball is only the vertex itself, without labels."""
        return self.radius == 0 and not self.labels

    @property
    def within(self) -> str:
        """How far the ball reaches, in words."""
        return f"within {format_count(self.radius, 'step')} of a person"

    def estimate_steps(self, data: Dataset) -> int:
        """Return n (n + m) for a radius above 1: a ball may be the whole graph."""
        return data.n * (data.n + data.m) if self.radius > 1 else 0

    def words(self) -> Sequence[str]:
        """Return the radius."""
        return [str(self.radius)]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the radius; 1 if there is none."""
        check_word_count(words, 1, cls.form)
        return cls(parse_number(words[0], cls.form) if words else 1)


# Neighbors and relations: a number l of known facts, and a shell name that ends in it.


@dataclass(frozen=True)
class SomeFacts(Adversary):
    """Knows l facts of one kind."""

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, type(self).__name__, "l", least=1))

    @property
    def exact_facts(self) -> int:
        """The fewest exact facts of this kind that are finer knowledge."""
        return self.l

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


# Several kinds at once: candidate sets intersect. `Degree() & Columns("age")`, degree+columns:age.


@dataclass(frozen=True, repr=False)
class Both(Adversary):
    """Knows all of its parts. Written with `&`, which is associative.

    Examples
    --------
    >>> from shoal.knowledge import Columns, Degree
    >>> Degree() & Columns("age")
    Degree() & Columns('age')
    """

    joined: tuple[Adversary, ...]

    shell: ClassVar[str] = "+"
    form: ClassVar[str] = "NAME+NAME"
    description: ClassVar[str] = "Several kinds of knowledge at once."
    notion: ClassVar[str] = "several kinds of knowledge at once"

    @classmethod
    def of(cls, *adversaries: Adversary) -> Both:
        """Join, without nesting."""
        return cls(tuple(part for adversary in adversaries for part in adversary.parts))

    @property
    def title(self) -> str:
        """The titles of the parts."""
        return " + ".join(part.title for part in self.parts)

    @property
    def phrase(self) -> str:
        """The phrases of the parts; "of a person" is said once where each part ends so."""
        nouns = [part.nouns for part in self.parts]
        if not all(nouns):
            return ", together with ".join(part.phrase for part in self.parts)
        return f"{' together with '.join(join_names(some, most=len(some)) for some in nouns)} of a person"

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Refuse: each fact belongs to one part."""
        raise BadParameter(f"A fact must be of one kind of knowledge. Got {fact.kind!r}.")

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Refuse: each fact belongs to one part."""
        raise BadParameter(f"A fact must be of one kind of knowledge. Got {fact.kind!r}.")

    @property
    def parts(self) -> tuple[Adversary, ...]:
        """The joined kinds."""
        return self.joined

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns that any part knows, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns(table)))

    @property
    def assumes(self) -> str:
        """The assumptions of all parts."""
        return " ".join(dict.fromkeys(part.assumes for part in self.parts if part.assumes))

    @property
    def reads_links(self) -> bool:  # type: ignore[override]
        """Whether any part knows about links."""
        return any(part.reads_links for part in self.parts)

    @property
    def reads_kinds(self) -> bool:  # type: ignore[override]
        """Whether any part distinguishes kinds of links."""
        return any(part.reads_kinds for part in self.parts)

    def see(self, view: View) -> Candidates:
        """Intersect the candidate sets of the parts."""
        n = view.published.n
        return reduce(lambda a, b: intersect_answers(a, b, n), (part.see(view) for part in self.parts))

    def explain_slow_count(self, data: Dataset) -> str | None:
        """Return why counting any part is slow."""
        return next((why for part in self.parts if (why := part.explain_slow_count(data))), None)

    def explain_slow_search(self, original: Dataset) -> str | None:
        """Return why a search for any part is slow."""
        return next((why for part in self.parts if (why := part.explain_slow_search(original))), None)

    def incremental(self) -> Incremental | None:
        """Return what all parts read, where that can be updated."""
        found = self.parts[0].incremental()
        for part in self.parts[1:]:
            other = part.incremental()
            found = None if found is None or other is None else found.join(other)
        return found

    @property
    def spec(self) -> str:
        """The shell names of the parts, joined by a plus."""
        return "+".join(part.spec for part in self.parts)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.parts))

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Refuse: the parser splits at the plus before it looks up names."""
        raise BadParameter(f"Knowledge is joined as NAME+NAME. Got {':'.join(words)!r}.")


# Coverage: which kinds of knowledge leave no more candidates than another.
#
# `a` is finer than `b` if in every graph, for every vertex, every candidate set of `b` contains one of `a`. Then k
# candidates under `a` are k under `b`. The kinds state this themselves, each rule with a sentence that proves it. Some
# rules hold only in simple graphs: undirected, without kinds of links and without multiplicities. What no rule states
# is not proved; for each such pair of a panel the tests hold a graph in which `b` leaves fewer than `a`.


def explain_finer(a: Adversary, b: Adversary, *, simple: bool) -> str | None:
    """Return why every candidate set of b contains one of a, in every (simple) graph; None if that is not proved.

    A ball of radius 1 shows the number of links of its center in a simple graph only:

    >>> from shoal.knowledge import Counts, Degree
    >>> explain_finer(Counts(1), Degree(), simple=True), explain_finer(Counts(1), Degree(), simple=False)
    ('it can be counted from the protected knowledge', None)
    """
    if a == b:
        return SAME
    if len(b.parts) > 1:
        return _explain_each(a.parts, b.parts, simple)
    return next((why for part in a.parts if (why := _explain_one(part, b.parts[0], simple))), None)


def _explain_each(parts: tuple[Adversary, ...], wanted: tuple[Adversary, ...], simple: bool) -> str | None:
    """Find a finer part for each wanted one. A part with several sets of facts serves only once."""
    many = [part for part in parts if part.several_sets]
    single = [part for part in parts if not part.several_sets]
    remaining = [part for part in wanted if not any(_explain_one(one, part, simple) for one in single)]
    matched = any(
        all(_explain_one(one, part, simple) for one, part in zip(order, remaining, strict=True))
        for order in permutations(many, len(remaining))
    )
    reasons = [why for part in wanted for one in parts if (why := _explain_one(one, part, simple))]
    return reasons[0] if matched else None


def _explain_one(a: Adversary, b: Adversary, simple: bool) -> str | None:
    if a == b:
        return SAME
    return a.explain_finer(b, simple=simple) or b.explain_coarser(a, simple=simple) or (NOTHING if b.is_empty else None)
