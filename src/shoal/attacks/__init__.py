"""The attacks' room: re-identification tried against a known truth. It gives a rate, with an interval and a baseline.

Risk counts a worst case and needs no truth; an attack needs the truth. They never share a scale.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from shoal.errors import BadParameter, did_you_mean

if TYPE_CHECKING:
    from shoal.attacks.base import Attack

HOMES = {
    "korula-lattanzi": ("korula_lattanzi", "KorulaLattanzi"),
    "narayanan-shmatikov": ("narayanan_shmatikov", "NarayananShmatikov"),
    "grampa": ("grampa", "Grampa"),
    "cascade": ("cascade", "Cascade"),
    "planted-walk": ("planted_walk", "PlantedWalk"),
}
"""Every attack by its shell name: the file and the class. They load on use."""


def attack_called(name: str) -> type[Attack]:
    """Return the attack that a shell name stands for.

    >>> attack_called("cascade").__name__
    'Cascade'
    """
    if name not in HOMES:
        raise BadParameter(f"There is no attack {name!r}. There are: {', '.join(HOMES)}.{did_you_mean(name, HOMES)}")
    file, kind = HOMES[name]
    found: type[Attack] = getattr(import_module(f"shoal.attacks.{file}"), kind)
    return found
