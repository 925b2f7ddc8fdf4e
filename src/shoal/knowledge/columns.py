"""Knowledge of columns about a vertex or a record, a quasi-identifier: k-anonymity (Samarati & Sweeney 1998)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.data.table import Table
from shoal.errors import BadParameter, join_names, must
from shoal.knowledge.base import NOT_SHOWN, Adversary, Aliases
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.incremental import Incremental
from shoal.knowledge.view import View
from shoal.parts import check_word_count, escape, split_words, unescape

LISTED = 12
"""Up to this many columns are listed one by one."""
LONG = re.compile(r"-?\d+\.\d{9,}(e-?\d+)?")
"""A number with many digits."""
NAMED = "records that agree on more columns agree on fewer"


def shorten(value: Any) -> str:
    """Return a value as it is shown: a number with many digits, as an average has, with about six of them.

    >>> shorten(34.666666666666664), shorten("34.666666666666664"), shorten(2.5), shorten("1.0.666666666666664")
    ('34.6667', '34.6667', '2.5', '1.0.666666666666664')
    >>> shorten(123456.78901234567), shorten(0.000012345678912345)
    ('123456.789', '1.23457e-05')
    """
    text = str(value)
    if not LONG.fullmatch(text):
        return text
    number = float(text)
    return f"{number:.6g}" if abs(number) < 100 else str(round(number, 3))


class ColumnKnowledge(Adversary):
    """Knows values of columns. A fact is a list of columns with their values."""

    reads_links: ClassVar[bool] = False
    reads_kinds: ClassVar[bool] = False
    stays_true: ClassVar[bool] = True

    @classmethod
    def describe_fact(cls, fact: Fact) -> str:
        """Return the values as a verb phrase; a missing value is a value.

        >>> Columns.describe_fact(Fact("columns", [("age", 30), ("sex", None)]))
        'has age 30 and no sex'
        >>> Columns.describe_fact(Fact("columns", [("age", NOT_SHOWN), ("sex", NOT_SHOWN)]))
        'has a certain age and sex (not shown)'
        >>> Columns.describe_fact(Fact("columns", [("age", 34.666666666666664)]))
        'has age 34.6667'
        """
        if fact.value and any(value == NOT_SHOWN for _, value in fact.value):
            return f"has a certain {join_names([name for name, _ in fact.value])} {NOT_SHOWN}"
        values = [f"no {name}" if value is None else f"{name} {shorten(value)}" for name, value in fact.value]
        return f"has {join_names(values, most=60)}" if values else ""

    @classmethod
    def redact_fact(cls, fact: Fact, aliases: Aliases) -> Any:
        """Return the columns with their values hidden."""
        return [[name, aliases.show_value(value)] for name, value in fact.value]


@dataclass(frozen=True, init=False, repr=False)
class Columns(ColumnKnowledge):
    """Knows the values of some attributes: candidates have the same values. A missing value is a value.

    Parameters
    ----------
    *names
        The columns.

    Examples
    --------
    The only person without an age is unique:

    >>> import shoal
    >>> trio = shoal.as_graph([("a", "b"), ("b", "c")], attributes={"age": {"a": 30, "b": None, "c": 30}})
    >>> shoal.assess(trio, Columns("age")).sizes.tolist()
    [2, 1, 2]

    References
    ----------
    P. Samarati, L. Sweeney: Protecting privacy when disclosing information: k-anonymity and its enforcement through
    generalization and suppression. 1998.
    """

    names: tuple[str, ...]

    shell: ClassVar[str] = "columns"
    form: ClassVar[str] = "columns:NAME,NAME"
    description: ClassVar[str] = "The values of these columns; a missing value is a value."
    notion: ClassVar[str] = "k-anonymity of a quasi-identifier (Samarati & Sweeney)"

    def __init__(self, *names: str):
        must(names, "Columns", "names", "at least one column", names)
        must(all(isinstance(name, str) for name in names), "Columns", "names", "texts", names)
        object.__setattr__(self, "names", names)

    def __repr__(self) -> str:
        return f"Columns({', '.join(map(repr, self.names))})"

    @property
    def title(self) -> str:
        """The columns."""
        return join_names(self.names, LISTED)

    @property
    def phrase(self) -> str:
        """The columns of a person."""
        return f"the {join_names(self.names, LISTED)} of a person"

    @property
    def nouns(self) -> tuple[str, ...]:
        """The columns, one by one."""
        return (f"the {self.names[0]}", *self.names[1:]) if len(self.names) <= LISTED else super().nouns

    def explain_finer(self, other: Adversary, *, simple: bool) -> str | None:
        """Return why: more columns include fewer."""
        return NAMED if isinstance(other, Columns) and set(other.names) <= set(self.names) else None

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns, each once."""
        return tuple(dict.fromkeys(self.names))

    def incremental(self) -> Incremental | None:
        """Return the columns."""
        return Incremental(frozenset(), tuple(dict.fromkeys(self.names)))

    def see(self, view: View) -> AlikeCandidates:
        """Return classes of equal values."""
        table = view.known.attributes

        def tell(v: int) -> tuple[Fact, ...]:
            return (Fact("columns", [(name, table[name][v]) for name in self.names]),)

        return view.group_alike(view.number_values(self.names), tell)

    def words(self) -> Sequence[str]:
        """Return the columns."""
        return [",".join(map(escape, self.names))]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the columns."""
        check_word_count(words, 1, cls.form)
        if not words or not words[0]:
            raise BadParameter(f"'columns' must be spelled {cls.form}. Got no name.")
        return cls(*(unescape(name) for name in split_words(words[0], ",")))
