"""Optimal full-domain generalization with suppression: k-anonymity by recoding (Samarati 2001).

Every column is published at one level of its hierarchy. An exact search over all combinations of levels finds the
optimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, prod
from numbers import Real
from typing import Any, ClassVar

from shoal.core.column_sets import Cells
from shoal.core.grouping import group_columns
from shoal.data.dataset import Dataset, as_dataset
from shoal.errors import CannotPromise, check_k, list_names, must, notice, whole
from shoal.knowledge import Adversary, Columns
from shoal.methods.base import Method, Proposals, choose_columns, parse_columns
from shoal.methods.tables.ladders import Rungs, build_hierarchies, make_hierarchy, parse_hierarchies, read_rungs
from shoal.methods.tables.recode.lattice import Best, Ladder, Lattice, LatticeSearch
from shoal.release.guarantee import Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

NODES = 1 << 20
"""The largest number of combinations of levels that is searched."""


@dataclass(frozen=True)
class Recode(Method):
    """Publish every column at one level of its hierarchy, so that each combination of values occurs at least k times.

    The loss of a cell is (q - 1) / (d - 1): the column has d distinct values (missing is one of them), and q of them
    are published as the same value. A suppressed cell loses 1. The loss of a release is the mean over records and
    columns. The method finds the levels with the least loss. Ties go to fewer suppressed records, then to lower levels
    in the order of the columns.

    Records in classes below k are suppressed, at most a share of `suppress`: all their protected cells become "*". No
    record is removed. The suppressed records form a class like any other, so there are none or at least k of them.
    Levels that would leave fewer are not allowed.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records.
    columns
        The columns to protect; None for all.
    hierarchies
        The generalizations of each column. A value is a :class:`~shoal.data.hierarchy.Hierarchy`; the path of a file
        with one row per value, separated by semicolons (the format of ARX); a mapping of values to tuples of
        generalizations; or a tree: ``{"Europe": ["fr", "de"], "Asia": ["jp"]}``. A column of finite numbers without a
        hierarchy gets nested intervals; any other column gets "*" as its only generalization. A notice says so.
    suppress
        The largest share of records that may be suppressed.

    Examples
    --------
    >>> people = {"age": [21, 24, 33, 38], "sex": ["f", "m", "f", "f"]}
    >>> ages = {21: ("20-29", "*"), 24: ("20-29", "*"), 33: ("30-39", "*"), 38: ("30-39", "*")}
    >>> release = Recode(2, hierarchies={"age": ages, "sex": {"f": "*", "m": "*"}})(people)
    >>> [list(release.table[name]) for name in release.table]
    [['20-29', '20-29', '30-39', '30-39'], ['*', '*', '*', '*']]
    >>> release.measured["levels"], release.measured["loss"]
    ({'age': 1, 'sex': 1}, 0.6666666666666666)

    References
    ----------
    P. Samarati: Protecting respondents' identities in microdata release. 2001. V. Iyengar: Transforming data to satisfy
    privacy constraints. 2002 (the loss). F. Kohlmayer et al.: Flash: efficient, stable and optimal k-anonymity. 2012.
    """

    k: int
    columns: tuple[str, ...] | None = None
    hierarchies: Mapping[str, Any] | None = None
    suppress: float = 0.0

    public_measures: ClassVar[Mapping[str, Reason]] = {
        "loss": "classes",  # records of a class have the same cells in the release, and the loss is their sum
        "levels": "classes",  # one per column, the same for all records
        "records suppressed": "classes",  # they are one class
    }
    shell: ClassVar[str] = "recode"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: generalizes each to one level of its hierarchy, and suppresses outlying records"
    protects: ClassVar[str] = "an attacker who knows the columns"
    promises: ClassVar[str] = "at least k candidates against columns"
    source: ClassVar[str] = "Samarati 2001"
    rank: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole(self.k, "Recode", "k", least=1))
        object.__setattr__(self, "columns", parse_columns(self.columns, "Recode"))
        object.__setattr__(self, "hierarchies", parse_hierarchies(self.hierarchies, "Recode"))
        share = not isinstance(self.suppress, bool) and isinstance(self.suppress, Real)
        must(share and 0 <= self.suppress <= 1, "Recode", "suppress", "a share from 0 to 1", self.suppress)

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return the columns that are known."""
        return [({"columns": part.names}, part) for part in wanted.parts if isinstance(part, Columns)]

    def __call__(self, data: Any) -> Release:
        """Return the recoding with the least loss, with its guarantee verified."""
        graph = as_dataset(data)
        names = choose_columns(graph, self.columns, "Recode")
        k = check_k("Recode", self.k, graph)
        rungs = self._read_rungs(graph, names)
        ladders = tuple(Ladder.of([level.codes for level in column.levels]) for column in rungs)
        _check_size(ladders)
        lattice = Lattice(Cells.of([column.at for column in rungs]), ladders, k, self._count_allowed(graph.n))
        best = LatticeSearch(lattice).run()
        if best is None:
            raise CannotPromise(_describe_nothing_allowed(names, lattice))
        return verify_release(self._make_release(graph, dict(zip(names, rungs, strict=True)), lattice, best))

    def _read_rungs(self, graph: Dataset, names: tuple[str, ...]) -> list[Rungs]:
        given = build_hierarchies(self.hierarchies, names, "Recode")
        table = graph.attributes.canonical(name for name in names if name not in given)
        made = {name: make_hierarchy(name, table[name]) for name in names if name not in given}
        if made:
            told = list_names([f"{name!r} ({kind})" for name, (_, kind) in made.items()], spell=str)
            notice(f"Recode: made hierarchies for {told}. Use 'hierarchies' to give your own.")
        return [read_rungs(name, table[name], given.get(name) or made[name][0], "Recode") for name in names]

    def _count_allowed(self, n: int) -> int:
        """Return the largest number of records that may be suppressed: 0 if it would be below k."""
        cap = floor(Fraction(repr(float(self.suppress))) * n)  # exact decimal: 0.3 of 10 is 3
        if 0 < cap < self.k:
            notice(
                f"Recode: 'suppress' must allow at least k = {self.k:,} records, which are a class of their own. "
                f"Got {cap:,}. No record is suppressed."
            )
        return cap if cap >= self.k else 0

    def _make_release(self, graph: Dataset, rungs: dict[str, Rungs], lattice: Lattice, best: Best) -> Release:
        hidden = lattice.find_suppressed(best.node) if best.suppressed else None
        levels = {
            name: ladder.levels[step] for name, ladder, step in zip(rungs, lattice.ladders, best.node, strict=True)
        }
        columns = {name: rungs[name].column(levels[name], hidden) for name in rungs}
        measured = {
            "loss": float(lattice.measure_share(best.loss)),
            "levels": levels,
            "records suppressed": best.suppressed,
            "combinations of levels": lattice.nodes,
            "combinations evaluated": best.looked_at,
        }
        return Release(
            original=graph,
            data=graph.with_attributes(graph.attributes.with_columns(columns)),
            promises=(Promise(Columns(*rungs), self.k),),
            method=self,
            codes=group_columns([column.codes for column in columns.values()]),
            measured=measured,
        )


def _check_size(ladders: tuple[Ladder, ...]) -> None:
    nodes = prod(len(ladder.levels) for ladder in ladders)
    if nodes > NODES:
        raise CannotPromise(
            f"Recode: at most {NODES:,} combinations of levels can be searched. Got {nodes:,}. "
            "Name fewer columns, or give hierarchies with fewer levels."
        )


def _describe_nothing_allowed(names: tuple[str, ...], lattice: Lattice) -> str:
    ends = [name for name, ladder in zip(names, lattice.ladders, strict=True) if ladder.codes[-1].any()]
    return (
        f"Recode: no combination of levels gives classes of {lattice.k:,} or more with at most {lattice.cap:,} "
        f"suppressed records. The last level of a hierarchy must be a single value. Got several for "
        f"{', '.join(map(repr, ends))}. Add '*' as the last level, or raise 'suppress'."
    )
