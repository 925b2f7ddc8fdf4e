"""Synthetic friendship network of a village, with attributes and missing answers as in a survey.

Households are drawn first, then friendships. Friendship is more likely between people of similar age, the same
occupation and nearby homes, and for sociable people, so that degrees have a heavy tail. Some people have one friend
or none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from shoal.data.arrays import Bools, Floats
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter, whole
from shoal.seeds import AnySeed, parse_seed


def _listed(text: str) -> list[str]:
    return text.split()


WOMEN = _listed("""
    Ada Agnes Alma Anna Berta Cora Dora Edith Elin Elsa Emma Erna Eva Frida Greta Hanna Hedda Helga Ida Inga
    Irma Jana Johanna Judit Karin Klara Lea Lena Lina Lotte Maja Marta Meta Mila Nora Olga Paula Petra Rita
    Rosa Ruth Sara Selma Signe Sofia Stina Thea Tilda Vera Wilma
""")
MEN = _listed("""
    Adam Albin Anton Arne Axel Bruno Carl David Edvin Elias Emil Erik Felix Filip Frans Gustav Hans Harald
    Hugo Ivar Jakob Jan Joel Jonas Josef Kaj Karl Kurt Lars Leo Ludvig Magnus Marek Martin Max Nils Noel
    Olof Oskar Otto Paul Peter Ragnar Robert Rune Simon Sten Sven Tomas Viktor
""")
FAMILIES = _listed("""
    Abel Adler Alm Arvid Bach Becker Berg Bergman Bly Brandt Bruun Busch Dahl Dietz Ebert Eklund Engel Falk
    Fischer Frank Frost Gran Graf Hagen Hansen Hauser Heller Hoff Holm Horn Iversen Jansen Juhl Kaiser
    Keller Kern Kling Koch Krantz Lang Lind Lorenz Lund Mayer Moe Molnar Nagel Nilsen Norberg Novak Olsen
    Palm Peters Quist Rask Reuter Roth Sander Schmid Seidel Skov Sommer Stark Strand Thorn Ulrich Vogel
    Wagner Weber Wick Winter Wolf Zander Ziegler
""")
WAGES = {
    "baker": 29_000,
    "carpenter": 33_000,
    "clerk": 34_000,
    "doctor": 82_000,
    "driver": 30_000,
    "farmer": 27_000,
    "nurse": 36_000,
    "shopkeeper": 31_000,
    "teacher": 41_000,
    "weaver": 26_000,
}
"""The typical yearly income of each occupation."""
SHARES = (0.08, 0.12, 0.13, 0.02, 0.11, 0.22, 0.1, 0.09, 0.08, 0.05)
PENSION = 19_000
FRIENDS = 6.0
"""The average number of friends, before newcomers and shy people lose theirs."""


def village(people: int = 300, seed: AnySeed = 7) -> Graph:
    """Return a synthetic friendship network with age, sex, household, occupation and income.

    Parameters
    ----------
    people
        The number of people, 10 to 5,000.
    seed
        An int or a numpy Generator. The same seed gives the same village.

    Examples
    --------
    >>> g = village()
    >>> g.n, list(g.attributes), g == village(seed=7), g == village(seed=8)
    (300, ['age', 'sex', 'household', 'occupation', 'income'], True, False)
    """
    people, seed = whole(people, "village", "people", 10), parse_seed(seed, "village")
    if people > 5_000:
        raise BadParameter(f"village: 'people' must be 5,000 or fewer. Got {people:,}.")
    draw = np.random.default_rng(seed)
    household, age = _households(draw, people)
    sex = draw.choice(["f", "m"], people)
    occupation = _occupations(draw, age)
    a, b = np.nonzero(np.triu(_friendships(draw, household, age, occupation)))
    columns = {
        "age": age.tolist(),
        "sex": sex.tolist(),
        "household": household.tolist(),
        "occupation": occupation.tolist(),
        "income": _incomes(draw, age, occupation),
    }
    return Graph.from_pairs(_names(draw, sex, household), a, b, attributes=Table.of(columns))


def _households(draw: np.random.Generator, people: int) -> tuple[Any, Any]:
    """Return the household and the age of each person: one or two adults of similar age, then children."""
    household: list[int] = []
    ages: list[int] = []
    while len(ages) < people:
        head = int(draw.triangular(20, 42, 90))
        members = [head]
        if draw.random() < 0.62:
            members.append(max(19, head + int(draw.normal(0, 3))))
        if head < 60:
            children = draw.poisson(1.4 if len(members) == 2 else 0.4)
            members += [max(0, head - int(draw.integers(20, 38))) for _ in range(children)]
        number = 1 + (household[-1] if household else 0)
        household += [number] * len(members)
        ages += members
    return np.array(household[:people]), np.array(ages[:people])


def _occupations(draw: np.random.Generator, age: Any) -> Any:
    trade = draw.choice(list(WAGES), len(age), p=SHARES)
    conditions = [age < 6, age < 19, (age < 25) & (draw.random(len(age)) < 0.5), age > 66]
    return np.select(conditions, ["child", "pupil", "student", "retired"], default=trade)


def _incomes(draw: np.random.Generator, age: Any, occupation: Any) -> list[int | None]:
    """Return rounded yearly incomes; missing for the young and for one in twelve others."""
    usual = np.array([WAGES.get(job, PENSION if job == "retired" else 0) for job in occupation.tolist()])
    spread = np.exp(draw.normal(0, 0.22, len(age))) * (1 + 0.006 * np.clip(age - 25, 0, 30))
    told = (usual > 0) & (draw.random(len(age)) > 1 / 12)
    rounded = np.round(usual * spread, -2).astype(int)
    return [int(income) if tells else None for income, tells in zip(rounded, told, strict=True)]


def _friendships(draw: np.random.Generator, household: Any, age: Any, occupation: Any) -> Bools:
    """Draw each pair independently; its probability grows with similarity and with the sociability of both."""
    n = len(age)
    home = draw.random((household.max() + 1, 2))[household]
    apart = np.hypot(*(home[:, None, axis] - home[None, :, axis] for axis in (0, 1)))
    years = np.abs(age[:, None] - age[None, :])
    sociable = 1 + draw.pareto(2.4, n)
    liking = np.outer(sociable, sociable) * np.exp(-years / 9 - apart / 0.18)
    liking *= 1 + 1.5 * (occupation[:, None] == occupation[None, :])
    chance = np.triu(_scaled(liking, n), 1)
    linked = np.triu(draw.random((n, n)), 1) > 1 - chance
    linked |= np.triu((household[:, None] == household[None, :]) & (draw.random((n, n)) < 0.5), 1)
    return _shy(draw, linked | linked.T)


def _scaled(liking: Floats, n: int) -> Any:
    """Scale likings to probabilities that give FRIENDS friends on average."""
    np.fill_diagonal(liking, 0)
    return np.minimum(liking * (FRIENDS * n / liking.sum()), 0.9)


def _shy(draw: np.random.Generator, linked: Bools) -> Bools:
    """Remove all friends of newcomers (3 %), and all but one of shy people (6 %)."""
    n = len(linked)
    order = draw.permutation(n)
    cuts = [0, max(1, round(0.03 * n)), max(2, round(0.09 * n))]
    newcomers, shy = (order[start:end] for start, end in pairwise(cuts))
    linked[newcomers, :] = linked[:, newcomers] = False
    for v in shy.tolist():
        friends = np.flatnonzero(linked[v])
        lost = draw.permutation(friends)[1:]
        linked[v, lost] = linked[lost, v] = False
    return linked


def _names(draw: np.random.Generator, sex: Any, household: Any) -> list[str]:
    """Return distinct names: one family name per household; equal names get an initial, then a number."""
    family = draw.choice(FAMILIES, household.max() + 1)
    taken: dict[str, None] = {}
    for one, home in zip(sex.tolist(), household.tolist(), strict=True):
        given = str(draw.choice(WOMEN if one == "f" else MEN))
        initial = "ABCDEFGHIJKLMNOPRSTUVW"[draw.integers(22)]
        tried = [f"{given} {family[home]}", f"{given} {initial}. {family[home]}"]
        tried += [f"{tried[1]} {number}" for number in range(2, len(taken) + 3)] if tried[1] in taken else []
        taken[next(name for name in tried if name not in taken)] = None
    return list(taken)
