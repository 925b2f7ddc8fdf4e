"""Example data: nine friends, well-known small networks, a synthetic village and office, and a table of people.

All graphs are simple and unweighted, except the office: its links have directions and kinds. The graphs F(k, l, m), a
clique and a ring, show where (k, l)-anonymity by shared neighbors fails.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from shoal.data.dataset import as_graph
from shoal.data.examples.networks import CLUBS, DAVIS, FLORENTINE, KARATE, parse_links
from shoal.data.examples.office import office
from shoal.data.examples.people import people
from shoal.data.examples.village import village
from shoal.data.graph import Graph, Pairs
from shoal.data.table import Table
from shoal.errors import find_by_name, whole

__all__ = [
    "davis",
    "feder_counterexample",
    "florentine",
    "friends",
    "karate",
    "les_miserables",
    "office",
    "people",
    "village",
]


def friends() -> Graph:
    """Return nine friends with their ages, the network of most pictures in the docs.

    The network is symmetric (Ann and Bob, Cleo and Dan, Eve and Finn can be exchanged), and Eve and Finn have the same
    neighbors.

    Examples
    --------
    >>> friends()
    Graph(9 vertices, 12 edges; columns: age)
    """
    links = "Ivy-Hana Hana-Ann Hana-Bob Hana-Gus Gus-Ann Gus-Bob Ann-Cleo Bob-Dan Cleo-Eve Cleo-Finn Dan-Eve Dan-Finn"
    ages = {"Ivy": 19, "Hana": 45, "Ann": 31, "Bob": 28, "Gus": 39, "Cleo": 52, "Dan": 60, "Eve": 33, "Finn": 37}
    return as_graph([pair.split("-") for pair in links.split()], attributes={"age": ages})


def karate() -> Graph:
    """Return Zachary's karate club: 34 members, 78 friendships, and each member's club after the split.

    Examples
    --------
    >>> karate()
    Graph(34 vertices, 78 edges; columns: club)

    References
    ----------
    W. W. Zachary, "An information flow model for conflict and fission in small groups", 1977.
    """
    names, links = parse_links(KARATE)
    clubs = ["Mr. Hi" if club == "H" else "Officer" for club in CLUBS]
    pairs = [(int(a), int(b)) for a, b in links]
    return Pairs.of(pairs, map(int, names), attributes=Table.of({"club": clubs})).graph()


def florentine() -> Graph:
    """Return the marriages between 15 families of Florence in the fifteenth century.

    Examples
    --------
    >>> g = florentine()
    >>> g, g.names[int(g.degree.argmax())]
    (Graph(15 vertices, 20 edges), 'Medici')

    References
    ----------
    R. L. Breiger, P. E. Pattison, "Cumulated social roles: the duality of persons and their algebras", 1986.
    """
    names, links = parse_links(FLORENTINE)
    return Pairs.of(links, names).graph()


def les_miserables() -> Graph:
    """Return the characters of Hugo's novel: 77 characters, 254 pairs that share a chapter.

    Examples
    --------
    >>> les_miserables()
    Graph(77 vertices, 254 edges)

    References
    ----------
    D. E. Knuth, "The Stanford GraphBase", 1993.
    """
    from networkx import les_miserables_graph

    found = les_miserables_graph()
    for *_, data in found.edges(data=True):
        data.clear()
    return as_graph(found)


def davis() -> Graph:
    """Return the Southern women: 18 women, 14 social events and attendance; "side" is "woman" or "event".

    Examples
    --------
    >>> g = davis()
    >>> g, g.names[0], g.attributes["side"][0]
    (Graph(32 vertices, 89 edges; columns: side), 'Evelyn Jefferson', 'woman')

    References
    ----------
    A. Davis, B. B. Gardner, M. R. Gardner, "Deep South", 1941.
    """
    names, links = parse_links(DAVIS)
    women = {woman for woman, _ in links}
    sides = ["woman" if name in women else "event" for name in names]
    return Pairs.of(links, names, attributes=Table.of({"side": sides})).graph()


def feder_counterexample(k: int, l: int, m: int) -> Graph:
    """Return F(k, l, m): (k, l)-anonymous by shared neighbors, but two neighbors identify each ring vertex.

    The graph has a clique on K = max(k + l, 3l) vertices, with three disjoint subsets P_0, P_1, P_2 of size l, and
    a ring u_0 ... u_{m-1}. Vertex u_i is joined to P_2 if i >= m - 2, else to P_{floor(i / 2) mod 2}. Every ring
    vertex is the only common neighbor of its two ring neighbors.

    Parameters
    ----------
    k, l
        The parameters of its (k, l)-anonymity (Feder, Nabar & Terzi); 1 or more.
    m
        The length of the ring; 5 or more.

    Examples
    --------
    >>> g = feder_counterexample(2, 1, 5)
    >>> g, list(g.names)[:4]
    (Graph(8 vertices, 13 edges), ['clique 0', 'clique 1', 'clique 2', 'ring 0'])
    >>> around = set(g.neighbors(g.names.id("ring 1"))) & set(g.neighbors(g.names.id("ring 3")))
    >>> [g.names[v] for v in around]
    ['ring 2']

    References
    ----------
    T. Feder, S. U. Nabar, E. Terzi, "Anonymizing graphs", 2008.
    """
    who = "feder_counterexample"
    k, l, m = whole(k, who, "k", 1), whole(l, who, "l", 1), whole(m, who, "m", 5)
    clique = [f"clique {i}" for i in range(max(k + l, 3 * l))]
    ring = [f"ring {i}" for i in range(m)]
    pairs = [*combinations(clique, 2), *((ring[i], ring[(i + 1) % m]) for i in range(m))]
    for i, name in enumerate(ring):
        part = 2 if i >= m - 2 else (i // 2) % 2
        pairs += [(name, joined) for joined in clique[part * l : (part + 1) * l]]
    return Pairs.of(pairs, [*clique, *ring]).graph()


SHELL: dict[str, Callable[[], Graph | Table]] = {
    made.__name__: made for made in (davis, florentine, friends, karate, les_miserables, office, people, village)
}
"""Examples that commands read as example:NAME in place of a file."""
PREFIX = "example:"


def load_example(file: str) -> Graph | Table:
    """Return the example of a name such as example:karate."""
    return find_by_name("example", file.removeprefix(PREFIX), SHELL)()
