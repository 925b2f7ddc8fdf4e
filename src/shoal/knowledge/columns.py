"""Knowledge of columns about a vertex or a record, a quasi-identifier: k-anonymity (Samarati & Sweeney 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from shoal.data.table import Table
from shoal.errors import BadParameter, must
from shoal.knowledge.base import Adversary, check_word_count, escape, split_words, unescape
from shoal.knowledge.candidates import AlikeCandidates, Fact
from shoal.knowledge.view import View


@dataclass(frozen=True, init=False, repr=False)
class Columns(Adversary):
    """Knows the values of some attributes: candidates have the same values. A missing value is a value.

    Parameters
    ----------
    *names
        The columns.

    Examples
    --------
    The only person without an age stands alone:

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
    notion: ClassVar[str] = "k-anonymity of a quasi-identifier (Samarati & Sweeney)"
    reads_links: ClassVar[bool] = False

    def __init__(self, *names: str):
        must(names, "Columns", "names", "at least one column", names)
        must(all(isinstance(name, str) for name in names), "Columns", "names", "texts", names)
        object.__setattr__(self, "names", names)

    def __repr__(self) -> str:
        return f"Columns({', '.join(map(repr, self.names))})"

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the columns, each once."""
        return tuple(dict.fromkeys(self.names))

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
