"""Attacks: re-identification judged by the true mapping, as a rate with an interval and a baseline.

Risk counts a worst case and needs no mapping. An attack needs the mapping. The two share no scale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from shoal.attacks.base import Attack, Outcome
from shoal.attacks.cascade import Cascade
from shoal.attacks.grampa import Grampa
from shoal.attacks.informed import Informed
from shoal.attacks.korula_lattanzi import KorulaLattanzi
from shoal.attacks.narayanan_shmatikov import NarayananShmatikov
from shoal.attacks.planted_walk import PlantedWalk
from shoal.data.dataset import Dataset, as_graph, refuse_ties, unwrap_data
from shoal.errors import BadParameter, OutOfTime, public
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.view import Pair, match_by_name
from shoal.limits import find_limit, limit_time
from shoal.parts import Part, Registry
from shoal.release.release import Release
from shoal.risk.assess import choose_subject
from shoal.seeds import AnySeed, parse_seed
from shoal.workers import BoundedWork

ATTACKS = Registry("attack", Attack, ("title", "means", "source", "main"))
"""Every attack by its name on the command line."""


@public
def register(kind: Part) -> Part:
    """Add an attack, in this process. Usable as a class decorator.

    Parameters
    ----------
    kind
        A subclass of :class:`Attack`. Its shell name must be new.
    """
    return ATTACKS.register(kind)


@public
def unregister(kind: type[Attack]) -> None:
    """Remove an attack that was registered."""
    ATTACKS.unregister(kind)


for _kind in (KorulaLattanzi, NarayananShmatikov, Grampa, Cascade, PlantedWalk):
    register(_kind)


@public
def find_attack(name: str) -> type[Attack]:
    """Return the attack with this name on the command line.

    >>> find_attack("cascade").__name__
    'Cascade'
    """
    found: type[Attack] = ATTACKS.find(name)
    return found


@public
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
    seed: AnySeed = 0,
    time_limit: float | None = None,
) -> Outcome:
    """Try to re-identify people of the original in the release, and count the successes.

    An attack needs the true mapping. It gives a rate, with an interval where something is drawn, beside the controls to
    compare it with. Risk (:func:`shoal.assess`) counts a worst case and needs no mapping; the two share no scale.

    Parameters
    ----------
    original
        The graph or table that the attacker's facts come from.
    release
        A :class:`shoal.Release`, or the published graph or table.
    knowledge
        The knowledge about each target: an adversary or its shell name. Either this or `by`.
    by
        Another attack, e.g. ``shoal.attacks.Cascade()``, or its shell name.
    mapping
        The original-to-released mapping, or its csv file, if names were changed.
    same_names
        Whether equal names mean the same individual, without a mapping. None: yes for a release and for graphs in
        memory, no for a release that was saved and read again, and for tables.
    method
        The method that made the release, for an attack that plants vertices before it runs (planted-walk).
    trials
        The number of targets to draw (`knowledge`); all people, if there are no more.
    k
        With `knowledge`: count the targets with 1 to k-1 candidates. None: the k that the release guarantees, or 5.
    seed
        Random seed: an int or a numpy Generator. The same seed gives the same outcome.
    time_limit
        Seconds after which the attack ends with the targets or repeats that were finished. If none was, it raises
        :class:`shoal.errors.OutOfTime`.

    Returns
    -------
    Outcome
        Rates on the release, on the original under fresh names, after random edits, and of guessing; with intervals
        where something is drawn.

    Examples
    --------
    Two random neighbors identify three of 34 club members. With equal rows they identify none, and each target is
    guessed with a chance of at most 1/2:

    >>> import shoal
    >>> club = shoal.examples.karate()
    >>> outcome = shoal.attack(club, shoal.methods.EqualizeRows(k=2)(club), knowledge="neighbors:2")
    >>> outcome["only renamed"].rates["identified correctly"].hits, outcome["release"].rates["below k"].hits
    (3, 0)
    >>> outcome.law["inside"], outcome.rate <= 1 / 2
    (True, True)
    """
    if (knowledge is None) == (by is None):
        came = "neither" if knowledge is None else "both"
        raise BadParameter(f"attack: exactly one of 'knowledge' and 'by' must be given. Got {came}.")
    seed = parse_seed(seed, "attack")
    if knowledge is not None:
        chosen: Attack = Informed(parse_knowledge(knowledge), trials, k)
        before, after = (choose_subject(data, parse_knowledge(knowledge)) for data in (original, release))
    else:
        if k is not None:
            raise BadParameter(f"attack: 'k' must come with 'knowledge', which has candidates to count. Got {k!r}.")
        chosen = choose_attack(by)
        before, after = _read_graph(original), _read_graph(release)
    made, chosen = release if isinstance(release, Release) else None, set_method(chosen, method)
    with limit_time(time_limit, "attack"):
        pair = match_people(chosen, before, after, mapping, match_by_name(release, same_names))
        with BoundedWork(PreparedAttack(chosen, pair, made, seed), find_limit()) as work:
            try:
                return work.run(run_attack, last=True)
            except OutOfTime as late:
                raise OutOfTime(
                    f"attack: {name_attack(chosen)} was {late}. Allow more time (time_limit=, --time-limit)."
                ) from None


def name_attack(attack: Attack | Adversary) -> str:
    """Return the shell name of an attack, or of the attack with this knowledge.

    >>> name_attack(Cascade()), name_attack(parse_knowledge("neighbors:2"))
    ('cascade', 'knows:neighbors:2')
    """
    known = attack.knows if isinstance(attack, Informed) else attack
    return f"knows:{known.spec}" if isinstance(known, Adversary) else known.shell


class PreparedAttack(NamedTuple):
    """An attack, with everything that it needs."""

    attack: Attack
    pair: Pair
    release: Release | None
    seed: int


def run_attack(prepared: PreparedAttack) -> Outcome:
    """Run a prepared attack."""
    return prepared.attack(prepared.pair, prepared.release, prepared.seed)


def choose_attack(by: Any) -> Attack:
    """Return the attack, or the attack with this shell name."""
    if isinstance(by, str):
        return find_attack(by)()
    if not isinstance(by, Attack):
        raise BadParameter(f"attack: 'by' must be an attack, or one of {', '.join(ATTACKS)}. Got {by!r:.120}.")
    return by


def set_method(attack: Attack, method: Any) -> Attack:
    """Return the attack with the method that made the release."""
    if method is None:
        return attack
    if "method" not in {f.name for f in fields(attack)}:  # type: ignore[arg-type]
        raise BadParameter(f"attack: 'method' must come with planted-walk, which runs it again. Got {attack.shell}.")
    return replace(attack, method=method)  # type: ignore[type-var]


def match_people(chosen: Attack, original: Dataset, released: Dataset, mapping: Any, same_names: bool) -> Pair:
    """Return the mapping between original and release, or refuse: success is judged by it."""
    if not chosen.reads_ties:
        for data in (original, released):
            refuse_ties(data, f"attack: {name_attack(chosen)}")
    pair = Pair.of(original, released, mapping, same_names=same_names, who="attack")
    if pair.counterpart is None:
        raise BadParameter(
            "attack: 'mapping' must be given, to judge the success. Got none. Pass mapping= (--mapping FILE), or "
            "same_names=True (--same-names) if nothing was renamed."
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
    "register",
    "unregister",
]
