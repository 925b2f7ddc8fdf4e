"""The people most at risk: those whom most attacker models single out, and by which facts.

A report must not become a list of names: unless asked, everybody in it is called by a letter, also those whom a fact
mentions, and the values of columns are not shown.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.knowledge import redact_fact
from shoal.risk.assess import Risk

SHOWN = 8
"""So many people are shown."""
TRIED = 120
"""So many are looked at: an attacker who is wrong about somebody does not expose them."""
LISTED = 12
"""So many candidates of each are listed."""
HIDDEN = "(not shown)"
ADDED = "published"
"""Goes before the published name of a vertex that was added, and is nobody in the original."""


@dataclass
class Aliases:
    """What people are called: by their names, or by letters in the order in which they are mentioned.

    >>> called = Aliases(names=False)
    >>> called("Medici"), called("Strozzi"), called("Medici")
    ('vertex A', 'vertex B', 'vertex A')
    """

    names: bool
    noun: str = "vertex"
    known: dict[Hashable, str] = field(default_factory=dict)

    def __call__(self, name: Hashable) -> str:
        """Return what somebody is called here."""
        if self.names:
            return str(name)
        return self.known.setdefault(name, f"{self.noun} {spell_letters(len(self.known))}")

    def show_value(self, cell: Any) -> Any:
        """Return the value of a column, or that it is not shown."""
        return None if cell is None else str(cell) if self.names else HIDDEN


def spell_letters(number: int) -> str:
    """Return A to Z, then AA, AB and so on.

    >>> spell_letters(0), spell_letters(25), spell_letters(26), spell_letters(27)
    ('A', 'Z', 'AA', 'AB')
    """
    ahead = "" if number < 26 else spell_letters(number // 26 - 1)
    return ahead + chr(ord("A") + number % 26)


def list_riskiest(risks: Sequence[Risk], k: int, called: Aliases) -> list[dict[str, Any]]:
    """Return those whom most kinds of knowledge leave fewer than k candidates, each with the least that does.

    Kinds of knowledge come in the order of the panel, from the least to the most.
    """
    sizes = np.array([risk.sizes for risk in risks])
    below = (sizes > 0) & (sizes < k)
    times, least = below.sum(axis=0), np.where(below, sizes, np.iinfo(sizes.dtype).max).min(axis=0)
    order = np.lexsort((np.arange(len(times)), below.argmax(axis=0), least, -times))
    tried = ((int(v), _find_worst(risks, int(v), below[:, v])) for v in order[:TRIED] if times[v])
    found = sorted(
        ((v, risk) for v, risk in tried if risk is not None), key=lambda one: (one[1].sizes[one[0]], -times[one[0]])
    )
    return [
        _describe_person(risk, v, called) | {"exposed by": int(times[v]), "of": len(risks)} for v, risk in found[:SHOWN]
    ]


def _find_worst(risks: Sequence[Risk], v: int, below: Any) -> Risk | None:
    """Return the knowledge that leaves v the fewest candidates, v among them; the first of several, None of none."""
    order = sorted(np.flatnonzero(below).tolist(), key=lambda at: int(risks[at].sizes[v]))
    return next((risks[at] for at in order if risks[at].holds(risks[at].names[v])), None)


def _describe_person(risk: Risk, v: int, called: Aliases) -> dict[str, Any]:
    """Return one person: what is known about them, and whom that leaves."""
    name = risk.names[v]
    who, witness = called(name), risk.witness(name)
    people = _list_original_names(risk, witness.candidates)
    return {
        "who": who,
        "knows": risk.adversary.spec,
        "facts": [{"kind": fact.kind, "value": redact_fact(fact, called).value} for fact in witness.knows],
        "candidates": len(people),
        "among": [called(u) for u in people[:LISTED]],
        "exact": witness.proved,
    }


def _list_original_names(risk: Risk, candidates: Sequence[Hashable]) -> list[Hashable]:
    """Return the original names of published vertices; whoever has none is nobody, and called by the published one."""
    if risk.view.original is None:
        return list(candidates)
    back = np.full(risk.graph.n, -1)
    own = risk.view.counterpart
    back[own[own >= 0]] = np.flatnonzero(own >= 0)
    ids = [(int(back[risk.graph.names.id(u)]), u) for u in candidates]
    return [risk.names[i] if i >= 0 else f"{ADDED} {u}" for i, u in ids]
