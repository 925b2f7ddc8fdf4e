"""Synthetic mails in an office: who wrote to whom within a month, and whether about work, privately or as a notice.

Each department has a head, who sends notices to its members, and team leads. Mails about work stay mostly inside a
department, private ones at a site. Most mails are answered, notices are not. Busy people are hubs of many mails.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Bools, Floats
from shoal.data.examples.village import FAMILIES, MEN, WOMEN
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.errors import BadParameter, whole
from shoal.seeds import AnySeed, parse_seed

DEPARTMENTS = {"engineering": 0.3, "sales": 0.24, "support": 0.18, "finance": 0.1, "logistics": 0.1, "legal": 0.08}
"""The share of the people in each department."""
SITES = {"north": 0.55, "south": 0.35, "remote": 0.1}
LEADS = 1 / 8
"""The share of team leads."""
WORK, PRIVATE = 3.2, 1.2
"""How many people each person writes to first, on average, about work and privately."""
ANSWERS = {"work": 0.55, "private": 0.65}
"""The probability that a mail is answered."""
NOTICES = {"head": 0.85, "lead": 0.25}
"""The probability that a member of the department gets notices, by the role of the sender."""
QUIET = 0.03
"""The share of people without mails: new or on leave."""


def office(people: int = 200, seed: AnySeed = 11) -> Graph:
    """Return synthetic mails with direction and three kinds (work, private, notice), and department, site and role.

    A link leads from u to v if u wrote v a mail of its kind within a month.

    Parameters
    ----------
    people
        The number of people, 20 to 2,000.
    seed
        An int or a numpy Generator. The same seed gives the same office.

    Examples
    --------
    >>> g = office()
    >>> g.n, g.directed, g.kinds, list(g.attributes)
    (200, True, ('notice', 'private', 'work'), ['department', 'site', 'role'])
    >>> g == office(seed=11), g == office(seed=12)
    (True, False)
    """
    people, seed = whole(people, "office", "people", 20), parse_seed(seed, "office")
    if people > 2_000:
        raise BadParameter(f"office: 'people' must be 2,000 or fewer. Got {people:,}.")
    draw = np.random.default_rng(seed)
    department, site = (draw.choice(list(shares), people, p=list(shares.values())) for shares in (DEPARTMENTS, SITES))
    role = _assign_roles(draw, department)
    wrote = _draw_mails(draw, department, site, role)
    ends = {kind: np.nonzero(mails) for kind, mails in wrote.items()}
    a, b = (np.concatenate([pair[side] for pair in ends.values()]) for side in (0, 1))
    kinds = [kind for kind, pair in ends.items() for _ in pair[0]]
    table = Table.of({"department": department.tolist(), "site": site.tolist(), "role": role.tolist()})
    return Graph.from_pairs(_draw_names(draw, people), a, b, directed=True, kinds=kinds, attributes=table)


def _assign_roles(draw: np.random.Generator, department: np.ndarray) -> np.ndarray:
    """Return one head for each department, some team leads, and staff."""
    role = np.where(draw.random(len(department)) < LEADS, "lead", "staff")
    for name in DEPARTMENTS:
        members = np.flatnonzero(department == name)
        if len(members):
            role[draw.choice(members)] = "head"
    return role


def _draw_mails(
    draw: np.random.Generator, department: np.ndarray, site: np.ndarray, role: np.ndarray
) -> dict[str, Bools]:
    """Return for each kind a matrix: whether the row's person wrote to the column's person."""
    n = len(role)
    same_department, same_site = (column[:, None] == column[None, :] for column in (department, site))
    busy = (1 + draw.pareto(3.0, n)) * np.select([role == "head", role == "lead"], [2.5, 1.6], 1.0)
    near = {
        "work": np.where(same_department, 12.0, 1.0) * np.where(same_site, 1.5, 1.0),
        "private": np.where(same_department, 3.0, 1.0) * np.where(same_site & (site != "remote"), 6.0, 1.0),
    }
    wrote = {
        kind: _converse(draw, np.outer(busy, busy) * near[kind], many, ANSWERS[kind])
        for kind, many in (("work", WORK), ("private", PRIVATE))
    }
    chance = np.select([role == one for one in NOTICES], list(NOTICES.values()), 0.0)
    wrote["notice"] = (draw.random((n, n)) < chance[:, None]) & same_department
    quiet = draw.random(n) < QUIET
    apart = ~(quiet[:, None] | quiet[None, :] | np.eye(n, dtype=np.bool_))
    return {kind: mails & apart for kind, mails in wrote.items()}


def _converse(draw: np.random.Generator, liking: Floats, many: float, answered: float) -> Bools:
    """Draw first mails, each pair of people once, and the answers."""
    n = len(liking)
    first = np.triu(liking, 1)
    chance = np.minimum(first * (many * n / first.sum()), 0.9)
    started = draw.random((n, n)) < chance
    turned = draw.random((n, n)) < 0.5  # either end may be the one who wrote first
    mails: Bools = (started & ~turned) | (started & turned).T
    answers: Bools = mails.T & (draw.random((n, n)) < answered)
    return mails | answers


def _draw_names(draw: np.random.Generator, people: int) -> list[str]:
    """Return distinct names, drawn without replacement."""
    all_names = [f"{given} {family}" for given in (*WOMEN, *MEN) for family in FAMILIES]
    return [all_names[i] for i in draw.choice(len(all_names), people, replace=False)]
