"""Attacks: re-identification tried against a known truth, as a rate with an interval and a baseline.

Risk counts a worst case and needs no truth; an attack needs the truth. They never share a scale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.cascade import Cascade
from shoal.attacks.grampa import Grampa
from shoal.attacks.informed import Informed
from shoal.attacks.korula_lattanzi import KorulaLattanzi
from shoal.attacks.narayanan_shmatikov import NarayananShmatikov
from shoal.attacks.planted_walk import PlantedWalk
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset, unwrap_data
from shoal.errors import BadParameter, find_by_name, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.view import Pair, match_by_name
from shoal.release.release import Release
from shoal.risk.assess import choose_subject

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
    return find_by_name("attack", name, ATTACKS)


def attack(
    original: Any,
    release: Any,
    knowledge: Adversary | str | None = None,
    *,
    by: Attack | str | None = None,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
    same_names: bool | None = None,
    method: Any = None,
    trials: int = 10_000,
    k: int | None = None,
    seed: int = 0,
) -> Outcome:
    """Try to find people of the original in the release, and count how often that goes right.

    An attack needs the truth, who is who, and gives a rate, with an interval where something is drawn, beside what it
    must be compared with. Risk (:func:`shoal.assess`) counts a worst case and needs no truth; the two share no scale.

    Parameters
    ----------
    original
        The graph, or the table, that the attacker knows something from.
    release
        A :class:`shoal.Release`; or what was published, as a graph or a table.
    knowledge
        What is known about each target: an adversary or its shell name. Either this or `by`.
    by
        Another way to attack: e.g. ``shoal.attacks.Cascade()``, or its shell name.
    mapping
        From original to released names, or the csv file that holds it, where names were changed.
    same_names
        Whether equal names mean the same individual, where there is no mapping. If not told: in a release at hand and
        in graphs in memory they do; in a release that was saved and read again, and in tables, they never do.
    method
        The method that made the release, for an attack that plants vertices before it (planted-walk).
    trials
        How many targets are drawn, where something is known about each (`knowledge`); all, where there are no more.
    k
        With `knowledge`: count the targets with 1 to k-1 candidates. None: what the release promises, or else 5.
    seed
        What every random choice is drawn from: the same seed gives the same outcome.

    Returns
    -------
    Outcome
        Rates, with intervals where something is drawn: on the release, on the original under fresh names, after random
        edits, by guessing.

    Examples
    --------
    Three of a club of 34 are singled out by two neighbors drawn at random. With equal rows nobody is, and each target
    is guessed with a chance of at most 1/2:

    >>> import shoal
    >>> club = shoal.examples.karate()
    >>> outcome = shoal.attack(club, shoal.methods.EqualizeRows(k=2)(club), knowledge="neighbors:2")
    >>> outcome["only renamed"].rates["singled out rightly"].hits, outcome["release"].rates["below k"].hits
    (3, 0)
    >>> outcome.law["inside"], outcome.rate <= 1 / 2
    (True, True)
    """
    if (knowledge is None) == (by is None):
        came = "neither" if knowledge is None else "both"
        raise BadParameter(f"attack: exactly one of 'knowledge' and 'by' must be given. Got {came}.")
    whole(seed, "attack", "seed", least=0, most=None)
    if knowledge is not None:
        chosen: Attack = Informed(parse_knowledge(knowledge), trials, k)
        before, after = (choose_subject(data, parse_knowledge(knowledge)) for data in (original, release))
    else:
        if k is not None:
            raise BadParameter(f"attack: 'k' must come with 'knowledge', which has candidates to count. Got {k!r}.")
        chosen = choose_attack(by)
        before, after = _read_graph(original), _read_graph(release)
    made = release if isinstance(release, Release) else None
    return set_method(chosen, method)(
        match_people(before, after, mapping, match_by_name(release, same_names)), made, seed
    )


def choose_attack(by: Any) -> Attack:
    """Return the attack, or the one that a shell name stands for."""
    if isinstance(by, str):
        return find_attack(by)()
    if not isinstance(by, Attack):
        raise BadParameter(f"attack: 'by' must be an attack, or one of {', '.join(ATTACKS)}. Got {by!r:.120}.")
    return by


def set_method(attack: Attack, method: Any) -> Attack:
    """Return the attack on what a method makes."""
    if method is None:
        return attack
    if "method" not in {f.name for f in fields(attack)}:  # type: ignore[arg-type]
        raise BadParameter(f"attack: 'method' is for planted-walk, which runs it again. {attack.shell} does not.")
    return replace(attack, method=method)  # type: ignore[type-var]


def match_people(original: Dataset, released: Dataset, mapping: Any, same_names: bool) -> Pair:
    """Return who is who, or say that an attack cannot be judged without."""
    pair = Pair.of(original, released, mapping, same_names=same_names, who="attack")
    if pair.counterpart is None:
        raise BadParameter(
            "attack: it must be known who is who, for success is judged by the truth. Got no mapping. Pass mapping= "
            "(--mapping FILE), or same_names=True (--same-names) where nothing was renamed."
        )
    return pair


def _read_graph(data: Any) -> Dataset:
    return as_graph(unwrap_data(data))


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
