"""A release that is made where the data are, with the guarantee that a count of it shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from shoal.errors import must, public
from shoal.knowledge import Adversary
from shoal.relational.assess import place_sources
from shoal.relational.kinds import list_columns
from shoal.relational.loading import open_network
from shoal.relational.network import Closing, Network
from shoal.relational.risk import RelationalRisk, count_people
from shoal.relational.rounds import Rounds
from shoal.release.guarantee import PartialPromise, Promise, covers_kinds
from shoal.seeds import AnySeed
from shoal.show import as_text


class Maker(Protocol):
    """What made a release."""

    shell: str
    """Its name."""

    def declare_policy(self) -> dict[str, Any]:
        """Return what was declared before the data were seen."""


@dataclass(frozen=True, eq=False, repr=False)
class RelationalRelease(Closing):
    """What is left of a network in an engine, with its guarantee. It is valid until it is closed.

    The network has the original names; only :meth:`save` replaces them.
    """

    network: Network
    method: Maker
    risks: tuple[RelationalRisk, ...]
    """The counts that the guarantee rests on; none if nothing is guaranteed."""
    k: int | None
    """The number of candidates that is guaranteed; None if nothing is."""
    rounds: Rounds | None = None
    """The rounds of a suppression. They are private."""
    seed: int | None = None
    """The secret seed of the method; None if it draws nothing."""
    protected: int = field(init=False)
    """How many of the people have k or more candidates."""

    def __post_init__(self) -> None:
        protected = 0
        if self.k is not None and self.risks:
            below, unproved = count_people(self.risks, self.k)
            protected = self.network.n - below - unproved
        object.__setattr__(self, "protected", protected)

    @property
    def n(self) -> int:
        """The number of vertices."""
        return self.network.n

    @property
    def promise(self) -> Promise | PartialPromise | None:
        """The guarantee; None if nothing is guaranteed."""
        if self.k is None or not self.protected:
            return None
        kinds = tuple(risk.adversary for risk in self.risks)
        if self.protected == self.n and len(kinds) == 1:
            return Promise(kinds[0], self.k)
        return PartialPromise(kinds, self.k, self.protected, self.n)

    @property
    def verification(self) -> str:
        """How the guarantee was verified."""
        specs = ", ".join(risk.adversary.spec for risk in self.risks)
        counted = f"{specs}: counted the candidates of all {self.n:,} {self.network.noun[1]}"
        if isinstance(self.promise, Promise):
            return f"{counted}; the smallest set has {self.risks[0].k:,}."
        return f"{counted}; {self.protected:,} have {self.k:,} or more."

    @property
    def known_columns(self) -> tuple[str, ...]:
        """The columns that the counted knowledge is about."""
        if not self.risks:
            return ()
        listed = list_columns([risk.adversary for risk in self.risks])
        return tuple(self.network.columns if listed is None else listed)

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The columns that the guarantee does not cover."""
        return tuple(name for name in self.network.columns if self.promise is None or name not in self.known_columns)

    @property
    def uncovered_kinds(self) -> tuple[str, ...]:
        """The kinds of links that the guarantee does not cover."""
        promise = self.promise
        return () if promise is not None and covers_kinds(promise) else tuple(count_kinds(self.network))

    @public
    def save(
        self,
        path: str | os.PathLike[str],
        mapping: str | os.PathLike[str] | None = None,
        *,
        attributes: str | os.PathLike[str] | None = None,
        readme: str | os.PathLike[str] | None = None,
        descriptions: str | os.PathLike[str] | None = None,
        seed: AnySeed | None = None,
        force: bool = False,
    ) -> tuple[str, ...]:
        """Write the release under new names, and count its guarantee again in the written files.

        Parameters
        ----------
        path
            Where to write the links, as Parquet: (source, target), with a column `kind` where links have kinds. A
            person without links has a row without a target. For a table without links: its rows, in a random order.
        mapping
            Where to write the original-to-released mapping and the seeds, as csv. Keep it private (mode 600).
        attributes
            Where to write the columns of the people, as Parquet. None: they are not released.
        readme
            Where to write the codebook. It may be published.
        descriptions
            A csv file (column,description) for the codebook.
        seed
            Random seed of the new names. Keep it private. None: a random secret seed.
        force
            Replace files that exist.

        Returns
        -------
        tuple of str
            The written files.
        """
        from shoal.relational.save import publish

        return publish(self, path, mapping, attributes, readme, descriptions, seed, force)

    def close(self) -> None:
        """Close the network, and remove all temporary data."""
        self.network.close()

    def __repr__(self) -> str:
        return as_text(self)


def count_kinds(network: Network) -> dict[str, int]:
    """Return the number of links of each kind."""
    if not network.kinds:
        return {}
    counted: dict[int, int] = dict(
        network.engine.collect("SELECT relation, CAST(sum(times) AS BIGINT) FROM entries GROUP BY relation", "kinds")
    )
    found = dict.fromkeys(network.kinds, 0)
    for at, one in enumerate(network.relations):
        if one.kind is not None and one.direction != "in":
            found[one.kind] += int(counted.get(at, 0)) // (2 if one.direction == "both" else 1)
    return {kind: many for kind, many in found.items() if many}


def open_whole(source: Any, adversary: Adversary | None, how: Mapping[str, Any]) -> Network:
    """Open a network with all columns of its people: a release has them all."""
    must(not how.get("multigraph"), "relational", "multigraph", "left out: releases have each link once", True)
    source, how = place_sources(source, adversary, how)
    return open_network(source, **how)
