"""Recode: every column goes up its hierarchy, the same level for all records, as little as k-anonymity asks for.

Samarati's generalization and suppression, with the optimum over the whole lattice of levels found exactly.
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
from shoal.data.dataset import Dataset, as_dataset, check_k
from shoal.errors import CannotPromise, list_names, must, notice, whole
from shoal.knowledge import Adversary, Columns
from shoal.methods.base import Method, Proposals, choose_columns, parse_columns
from shoal.methods.tables.ladders import Rungs, build_hierarchies, make_hierarchy, parse_hierarchies, read_rungs
from shoal.methods.tables.recode.lattice import Best, Ladder, Lattice, LatticeSearch
from shoal.release.guarantee import Promise, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release

NODES = 1 << 20
"""More recodings than this are not searched."""


@dataclass(frozen=True)
class Recode(Method):
    """Publish every column at one level of its hierarchy, the levels that lose least, so that k records are alike.

    The loss of a cell is (q - 1) / (d - 1): the column has d distinct values (missing is one of them), and q of them
    are published like this cell. The loss of a release is the mean over records and columns; a suppressed cell loses
    1. No other choice of levels that keeps the promise loses less (of several, the one that suppresses fewer
    records, then the one whose levels are lowest in the order of the columns).

    Records in classes below k are suppressed, at most a share of `suppress`: all their protected cells become "*", and
    no record is left out. The suppressed records are a class like any other, so there are either none or at least
    k of them; levels that would leave fewer are not allowed.

    Parameters
    ----------
    k
        The size of the smallest class; at most the number of records.
    columns
        The columns to protect; None for all.
    hierarchies
        For a column its :class:`~shoal.data.hierarchy.Hierarchy`, the path of a file with one row of
        generalizations per value separated by semicolons (as ARX writes them), a mapping of values to tuples of
        generalizations, or a tree: ``{"Europe": ["fr", "de"], "Asia": ["jp"]}``. Columns without one get nested
        intervals if they hold finite numbers, else "*" as their only generalization, and a notice says so.
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
        "levels": "classes",  # one per column, whoever has which value
        "records suppressed": "classes",  # they are one class
    }
    shell: ClassVar[str] = "recode"
    changes: ClassVar[str] = "every column goes up to one level of its hierarchy; outlying records are suppressed"
    protects: ClassVar[str] = "from whoever knows the columns: k-anonymity"
    promises: ClassVar[str] = "the columns leave k; k-confusion"
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
        """Return the recoding that loses least, with its promise verified."""
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
            notice(f"Recode: no hierarchy was given for {told}. Give 'hierarchies' to say what values may become.")
        return [read_rungs(name, table[name], given.get(name) or made[name][0], "Recode") for name in names]

    def _count_allowed(self, n: int) -> int:
        """Return how many records may be suppressed: none, where it would be fewer than k."""
        cap = floor(Fraction(repr(float(self.suppress))) * n)  # 0.3 of 10 is 3, as it is spelled
        if 0 < cap < self.k:
            notice(f"Recode: {cap:,} suppressed records would be a class below k = {self.k:,}. None is suppressed.")
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
            "nodes": lattice.nodes,
            "nodes evaluated": best.looked_at,
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
            f"Recode: there must be at most {NODES:,} combinations of levels to search. Got {nodes:,}. "
            "Name fewer columns, or give hierarchies with fewer levels."
        )


def _describe_nothing_allowed(names: tuple[str, ...], lattice: Lattice) -> str:
    ends = [name for name, ladder in zip(names, lattice.ladders, strict=True) if ladder.codes[-1].any()]
    return (
        f"Recode: no choice of levels makes classes of {lattice.k:,} or more with at most {lattice.cap:,} records "
        f"suppressed. The hierarchies of {', '.join(map(repr, ends))} do not end in one value for all. "
        "Let them end in '*', or raise 'suppress'."
    )
