"""The people most at risk: those with the fewest candidates, and the facts that leave so few.

A report must not become a list of names. By default people are called by letters, also those that a fact mentions, and
values of columns are not shown.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shoal.auditing.findings import KnownFact, Riskiest, RiskyPerson
from shoal.knowledge import redact_fact
from shoal.knowledge.base import NOT_SHOWN
from shoal.release.manifest import make_plain
from shoal.risk.assess import Risk

SHOWN = 8
"""The most people that are shown."""
TRIED = 120
"""The most people that are checked: an attacker who is wrong about a person does not expose them."""
ADDED = "published"
"""Goes before the published name of a vertex that was added and has no original."""


@dataclass
class Aliases:
    """What people are called: their names, or letters in the order of first mention.

    >>> called = Aliases(names=False)
    >>> called("Medici"), called("Strozzi"), called("Medici")
    ('vertex A', 'vertex B', 'vertex A')
    """

    names: bool
    noun: str = "vertex"
    known: dict[Hashable, str] = field(default_factory=dict)

    def __call__(self, name: Hashable) -> str:
        """Return what a person is called here."""
        if self.names:
            return str(name)
        return self.known.setdefault(name, f"{self.noun} {spell_letters(len(self.known))}")

    def show_value(self, cell: Any) -> Any:
        """Return the value of a column, or a text that it is not shown."""
        return None if cell is None else str(cell) if self.names else NOT_SHOWN


def spell_letters(number: int) -> str:
    """Return A to Z, then AA, AB and so on.

    >>> spell_letters(0), spell_letters(25), spell_letters(26), spell_letters(27)
    ('A', 'Z', 'AA', 'AB')
    """
    ahead = "" if number < 26 else spell_letters(number // 26 - 1)
    return ahead + chr(ord("A") + number % 26)


def find_riskiest(risks: Sequence[Risk], k: int, called: Aliases, where: Literal["original", "release"]) -> Riskiest:
    """Return the people below k with the fewest candidates; of these, the people whom less knowledge exposes first.

    The attacker models come in the order of the panel, from the least knowledge to the most. `where` says in which data
    their facts are measured.
    """
    if not risks:
        return Riskiest(called.names, where, ())
    n = len(risks[0].sizes)
    times, first, fewest = np.zeros(n, np.int32), np.zeros(n, np.int32), np.full(n, k)
    for at, risk in enumerate(risks):
        below = (risk.sizes > 0) & (risk.sizes < k)
        times += below
        below &= risk.sizes < fewest
        fewest[below], first[below] = risk.sizes[below], at
    exposed = np.flatnonzero(times)
    order = exposed[np.lexsort((first[exposed], fewest[exposed]))]
    tried = ((v, _find_worst(risks, v, k)) for v in order[:TRIED].tolist())
    found = sorted(
        ((v, at) for v, at in tried if at is not None), key=lambda one: (risks[one[1]].sizes[one[0]], one[1])
    )
    return Riskiest(
        called.names,
        where,
        tuple(_describe_person(risks[at], v, called, int(times[v]), len(risks)) for v, at in found[:SHOWN]),
    )


def _find_worst(risks: Sequence[Risk], v: int, k: int) -> int | None:
    """Return which knowledge leaves v the fewest candidates, v among them; the first of several, or None."""
    below = [at for at, risk in enumerate(risks) if 0 < risk.sizes[v] < k]
    order = sorted(below, key=lambda at: int(risks[at].sizes[v]))
    return next((at for at in order if risks[at].holds(risks[at].names[v])), None)


def _describe_person(risk: Risk, v: int, called: Aliases, exposed_by: int, of: int) -> RiskyPerson:
    """Return one person: the facts about them, and the candidates that these leave."""
    name = risk.names[v]
    who, witness = called(name), risk.witness(name)
    people = _list_original_names(risk, witness.candidates)
    facts = tuple(KnownFact(fact.kind, make_plain(redact_fact(fact, called).value)) for fact in witness.knows)
    candidates = tuple(called(u) for u in people)
    return RiskyPerson(who, risk.adversary.spec, facts, candidates, witness.exact, exposed_by, of)


def _list_original_names(risk: Risk, candidates: Sequence[Hashable]) -> list[Hashable]:
    """Return the original names of published vertices; an added vertex has only its published name."""
    if risk.view.original is None:
        return list(candidates)
    back = np.full(risk.graph.n, -1)
    own = risk.view.counterpart
    back[own[own >= 0]] = np.flatnonzero(own >= 0)
    ids = [(int(back[risk.graph.names.id(u)]), u) for u in candidates]
    return [risk.names[i] if i >= 0 else f"{ADDED} {u}" for i, u in ids]
