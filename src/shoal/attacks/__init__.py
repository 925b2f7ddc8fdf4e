"""Attacks: re-identification tried against a known truth. Each gives a rate, with an interval and a baseline.

Risk counts a worst case and needs no truth; an attack needs the truth. They never share a scale.
"""

from __future__ import annotations

from shoal.attacks.base import Attack
from shoal.attacks.cascade import Cascade
from shoal.attacks.grampa import Grampa
from shoal.attacks.korula_lattanzi import KorulaLattanzi
from shoal.attacks.narayanan_shmatikov import NarayananShmatikov
from shoal.attacks.outcome import Outcome
from shoal.attacks.planted_walk import PlantedWalk
from shoal.errors import BadParameter, did_you_mean

ATTACKS: dict[str, type[Attack]] = {
    "korula-lattanzi": KorulaLattanzi,
    "narayanan-shmatikov": NarayananShmatikov,
    "grampa": Grampa,
    "cascade": Cascade,
    "planted-walk": PlantedWalk,
}
"""Every attack by its name on the command line."""


def find_attack(name: str) -> type[Attack]:
    """Return the attack with this name on the command line.

    >>> find_attack("cascade").__name__
    'Cascade'
    """
    if name not in ATTACKS:
        raise BadParameter(
            f"There is no attack {name!r}. There are: {', '.join(ATTACKS)}.{did_you_mean(name, ATTACKS)}"
        )
    return ATTACKS[name]


__all__ = [
    "ATTACKS",
    "Attack",
    "Cascade",
    "Grampa",
    "KorulaLattanzi",
    "NarayananShmatikov",
    "Outcome",
    "PlantedWalk",
    "find_attack",
]
