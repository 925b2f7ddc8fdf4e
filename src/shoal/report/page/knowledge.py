"""What is known, in words that complete "Whoever knows ...", for readers who have never heard of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.adversaries import Adversary, parse
from shoal.report.wording import count, listed
from shoal.risk.assess import parts_of


def known(spec: str) -> str:
    """Put a kind of knowledge into plain words.

    >>> known("degree"), known("neighbors:2")
    ('how many links somebody has', '2 neighbors of somebody (already found in the data)')
    >>> known("degree+columns:age,sex")
    'how many links somebody has, and the age and sex of somebody'
    """
    return ", and ".join(_one(part) for part in parts_of(parse(spec)))


def title(spec: str) -> str:
    """Return a few words for a kind of knowledge, to stand above a chart or at the head of a row.

    >>> title("neighbors:2"), title("degree+columns:age,sex")
    ('2 known neighbors', 'number of links + age and sex')
    """
    return " + ".join(TITLES[part.shell](part) for part in parts_of(parse(spec)))


def labeled(spec: str) -> str:
    """Return the few words with the shell name, by which it can be asked for again.

    >>> labeled("orbit")
    'whole network without names (orbit)'
    """
    return f"{title(spec)} ({spec})"


def attack_title(shell: str) -> str:
    """Return a few words for an attack.

    >>> attack_title("knows:neighbors:2"), attack_title("korula-lattanzi")
    ('guessing by 2 known neighbors', 'matching outward from known people (Korula & Lattanzi)')
    """
    spec = shell.removeprefix("knows:")
    return f"guessing by {title(spec)}" if spec != shell else ATTACKS.get(shell, shell)


def untried(one: dict[str, str]) -> str:
    """Say that an attack was not tried, in words, with the name by which it can be asked for.

    >>> untried({"name": "grampa", "why": "It takes long."})
    'matching whole networks without knowing anybody (GRAMPA), by the name of grampa. It takes long.'
    """
    name = one["name"]
    known = name in ATTACKS or name.startswith("knows:")
    return f"{attack_title(name)}{f', by the name of {name}' if known else ''}. {one['why']}"


def _one(part: Adversary) -> str:
    return WORDS[part.shell](part)


def _steps(radius: int) -> str:
    return "their neighbors" if radius == 1 else f"everybody up to {radius} steps away"


def _refinement(part: Any) -> str:
    if part.rounds == 2:
        return "how many links somebody has, and how many each of the neighbors has"
    return "how many links somebody, the neighbors, their neighbors and so on have"


def _hubs(part: Any) -> str:
    return f"how far somebody is from the {part.hubs} best connected people (already found in the data)"


def _neighbors(part: Any) -> str:
    return f"{count(part.l, 'neighbor')} of somebody (already found in the data)"


def _relations(part: Any) -> str:
    return f"whether somebody is linked to {count(part.l, 'other')} (already found in the data)"


def _some_columns(part: Any) -> str:
    return f"any {count(part.l, 'column')} about somebody{f', of {listed(part.names)}' if part.names else ''}"


WORDS: dict[str, Callable[[Any], str]] = {
    "degree": lambda part: "how many links somebody has",
    "refinement": _refinement,
    "hubs": _hubs,
    "subgraph": lambda part: f"up to {count(part.edges, 'link')} around somebody",
    "neighborhood": lambda part: f"the whole pattern of links among somebody and {_steps(part.radius)}",
    "counts": lambda part: f"how many links there are among somebody and {_steps(part.radius)}, and how many these are",
    "degrees": lambda part: f"how many links each has, counted among somebody and {_steps(part.radius)}",
    "shared-neighbors": lambda part: f"who shares {count(part.l, 'neighbor')} with somebody",
    "neighbors": _neighbors,
    "relations": _relations,
    "adjacency": lambda part: "all the neighbors of somebody (already found in the data)",
    "orbit": lambda part: "all links of the whole network, only without names",
    "columns": lambda part: f"the {listed(part.names)} of somebody",
    "some-columns": _some_columns,
}
"""One per kind of knowledge."""

TITLES: dict[str, Callable[[Any], str]] = {
    "degree": lambda part: "number of links",
    "refinement": lambda part: "links of the neighbors" if part.rounds == 2 else "links of neighbors, and so on",
    "hubs": lambda part: f"distance to {part.hubs} hubs",
    "subgraph": lambda part: f"{count(part.edges, 'link')} around",
    "neighborhood": lambda part: "pattern of the circle" if part.radius == 1 else f"pattern, {part.radius} steps",
    "counts": lambda part: "size of the circle" if part.radius == 1 else f"size, {part.radius} steps",
    "degrees": lambda part: "links in the circle" if part.radius == 1 else f"links, {part.radius} steps",
    "shared-neighbors": lambda part: f"{count(part.l, 'shared neighbor')}",
    "neighbors": lambda part: f"{count(part.l, 'known neighbor')}",
    "relations": lambda part: f"{count(part.l, 'known relation')}",
    "adjacency": lambda part: "all neighbors",
    "orbit": lambda part: "whole network without names",
    "columns": lambda part: listed(part.names),
    "some-columns": lambda part: f"any {count(part.l, 'column')}",
}
"""One per kind of knowledge; a circle is somebody with all neighbors."""

ATTACKS = {
    "korula-lattanzi": "matching outward from known people (Korula & Lattanzi)",
    "narayanan-shmatikov": "matching outward, checked back (Narayanan & Shmatikov)",
    "grampa": "matching whole networks without knowing anybody (GRAMPA)",
    "cascade": "who falls after the first ones fell (cascade)",
    "planted-walk": "accounts planted beforehand (walk-based)",
}
"""One per attack."""
