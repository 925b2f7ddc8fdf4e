"""Random networks, tables and questions. All is plain data, so a case can be written into a file as it is."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import networkx as nx

import shoal
from soundness.oracle import Net, is_plain

FORMS = ("simple", "multi", "directed", "kinds", "mixed")
"""Forms of links: undirected; parallel; with a direction; with kinds too; some with and some without a direction."""
NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Ida", "Jo", "Kim", "Lu", "Max")
VALUES = {"a": (1, 2, 2.5, None), "b": ("x", "y", "X"), "c": (True, 1, "1", None)}
"""Columns and the values that they may have; c mixes values that careless comparisons would join."""


def draw_net(
    rng: Random, form: str | None = None, least: int = 2, most: int = 7, columns: Iterable[str] = ("a", "b")
) -> Net:
    """Draw a network with links of a form. Sparse and dense ones, with and without twins and leaves."""
    n, form = rng.randint(least, most), form or rng.choice(FORMS)
    names = draw_names(rng, n)
    return Net(names, draw_links(rng, names, form), draw_columns(rng, n, columns))


def draw_names(rng: Random, n: int) -> tuple:
    return tuple(rng.sample(NAMES, n)) if n <= len(NAMES) and rng.random() < 0.7 else tuple(rng.sample(range(3 * n), n))


def draw_links(rng: Random, names: tuple, form: str) -> tuple:
    """Draw links: at random, or a structure that has equal vertices."""
    n = len(names)
    pairs = list(draw_shape(rng, n)) if rng.random() < 0.4 else []
    if not pairs:
        density = rng.choice((0.15, 0.3, 0.5, 0.8))
        pairs = [(i, j) for j in range(n) for i in range(j) if rng.random() < density]
    links = []
    for i, j in pairs:
        many = rng.choice((1, 1, 2, 3)) if form == "multi" else rng.choice((1, 1, 2)) if form in FORMS[3:] else 1
        for _ in range(many):
            a, b = (i, j) if rng.random() < 0.5 else (j, i)
            directed = form in ("directed", "kinds") or (form == "mixed" and rng.random() < 0.5)
            kind = rng.choice(("call", "mail")) if form in ("kinds", "mixed") else None
            links.append((names[a], names[b], kind, directed))
            if form == "directed" and rng.random() < 0.3:
                links.append((names[b], names[a], kind, directed))
    return tuple(links)


def draw_shape(rng: Random, n: int) -> Iterable[tuple]:
    """Return the pairs of a graph in which some vertices are alike, with perhaps one pair more or less."""
    shapes: list[Callable[[], nx.Graph]] = [
        lambda: nx.cycle_graph(n),
        lambda: nx.path_graph(n),
        lambda: nx.star_graph(n - 1),
        lambda: nx.complete_bipartite_graph(n // 2, n - n // 2),
        lambda: nx.complete_graph(n),
        lambda: nx.disjoint_union(nx.cycle_graph(n // 2), nx.cycle_graph(n - n // 2)),
    ]
    graph = nx.Graph(rng.choice(shapes)())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if rng.random() < 0.5 and n > 1:
        i, j = rng.sample(range(n), 2)
        (graph.remove_edge if graph.has_edge(i, j) else graph.add_edge)(i, j)
    return [(min(pair), max(pair)) for pair in graph.edges]


REGULAR: tuple[Callable[[Random], nx.Graph], ...] = (
    lambda rng: nx.petersen_graph(),
    lambda rng: nx.hypercube_graph(rng.choice((3, 4))),
    lambda rng: nx.Graph(nx.paley_graph(13)),
    lambda rng: nx.octahedral_graph(),
    lambda rng: nx.complement(nx.cycle_graph(rng.randint(5, 10))),
    lambda rng: nx.circulant_graph(rng.randint(8, 12), [1, 2, 3]),
    lambda rng: nx.random_regular_graph(4, rng.randint(6, 12), seed=rng.randrange(1000)),
    lambda rng: nx.complete_multipartite_graph(3, 3, 3),
    lambda rng: nx.random_regular_graph(8, 14, seed=rng.randrange(1000)),
    lambda rng: nx.gnp_random_graph(14, rng.choice((0.7, 0.8)), seed=rng.randrange(1000)),
    lambda rng: nx.gnp_random_graph(14, rng.choice((0.6, 0.7)), seed=rng.randrange(1000)),
    lambda rng: nx.bipartite.random_graph(6, 6, 0.7, seed=rng.randrange(1000)),
)
"""Graphs in which one or two known neighbors rule out few vertices."""


def draw_regular(rng: Random) -> Net:
    """Draw a network that needs a search: small sets of facts expose nobody."""
    graph = nx.convert_node_labels_to_integers(rng.choice(REGULAR)(rng))
    if rng.random() < 0.5:
        graph.remove_edge(*rng.choice(list(graph.edges)))
    directed, kinds = rng.random() < 0.1, rng.choice((None, None, None, "call"))
    return Net(tuple(graph), tuple((a, b, kinds, directed) for a, b in graph.edges))


def draw_columns(rng: Random, n: int, columns: Iterable[str]) -> tuple:
    return tuple((name, tuple(rng.choice(VALUES[name]) for _ in range(n))) for name in columns)


def change_net(rng: Random, net: Net, edits: int | None = None) -> Net:
    """Return the network with some links added and removed, and perhaps other values: a release of it."""
    links, kinds = list(net.links), [kind for *_, kind, _ in net.links] or [None]
    ways = [directed for *_, directed in net.links] or [False]
    plain = is_simple(net)
    for _ in range(rng.randint(0, 3) if edits is None else edits):
        if links and rng.random() < 0.5:
            links.remove(rng.choice(links))
        elif len(net.names) > 1:
            a, b = rng.sample(net.names, 2)
            if not (plain and any({a, b} == {x, y} for x, y, *_ in links)):
                links.append((a, b, rng.choice(kinds), rng.choice(ways)))
    columns = [
        (name, tuple(rng.choice(values) if rng.random() < 0.15 else value for value in values))
        for name, values in net.columns
    ]
    return Net(net.names, tuple(links), tuple(columns))


def is_simple(net: Net) -> bool:
    """Return whether links have no directions, kinds and multiplicities."""
    return is_plain(net) and len({frozenset(link[:2]) for link in net.links}) == len(net.links)


def draw_release(rng: Random, original: Net) -> tuple[Net, dict]:
    """Return a published network under other names, shuffled, perhaps without somebody; and the mapping."""
    kept = list(original.names)
    if len(kept) > 2 and rng.random() < 0.25:
        kept.remove(rng.choice(kept))
    changed = change_net(rng, original).only(set(kept))
    if has_directions(changed) != has_directions(original) and changed.links:
        changed = changed._replace(links=())  # shoal compares networks with directions with such networks only
    order = list(changed.names)
    rng.shuffle(order)
    to = {v: f"p{i}" for i, v in enumerate(order)}
    at = {v: i for i, v in enumerate(changed.names)}
    return Net(
        tuple(to[v] for v in order),
        tuple((to[a], to[b], *rest) for a, b, *rest in changed.links),
        tuple((name, tuple(values[at[v]] for v in order)) for name, values in changed.columns),
    ), to


def has_directions(net: Net) -> bool:
    return any(directed for *_, directed in net.links)


# To shoal and back, by public names.


def as_table(net: Net) -> Any:
    """Return the columns as a table of shoal."""
    return shoal.Table.of({name: list(values) for name, values in net.columns}, len(net.names))


def as_graph(net: Net) -> Any:
    """Return the network as shoal's graph."""
    at = {v: i for i, v in enumerate(net.names)}
    kinds = [kind for *_, kind, _ in net.links]
    return shoal.Graph.from_pairs(
        net.names,
        [at[a] for a, *_ in net.links],
        [at[b] for _, b, *_ in net.links],
        directed=[directed for *_, directed in net.links],
        kinds=None if all(kind is None for kind in kinds) else kinds,
        multigraph=len(set(list_links(net))) < len(net.links),
        attributes=as_table(net) if net.columns else None,
    )


def list_once(net: Net) -> Net:
    """Return the network without parallel links, that is with each link once."""
    return net._replace(links=tuple(dict(zip(map(list_one, net.links), net.links, strict=True)).values()))


def as_networkx(net: Net) -> Any:
    """Return the network as shoal's graph by way of networkx, where networkx can express it; else None."""
    ways = {directed for *_, directed in net.links}
    if len(ways) > 1 or any(kind is not None for *_, kind, _ in net.links):
        return None
    many = len({link[:2] if True in ways else frozenset(link[:2]) for link in net.links}) < len(net.links)
    kind = {
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
    }
    graph = kind[True in ways, many]()
    for i, v in enumerate(net.names):
        graph.add_node(v, **{name: values[i] for name, values in net.columns})
    graph.add_edges_from(link[:2] for link in net.links)
    return shoal.as_graph(graph, multigraph=many)


def as_net(data: Any) -> Net:
    """Return a graph or table of shoal as plain data."""
    names = tuple(data.names)
    links = []
    for a, b, relation in data.each_link() if hasattr(data, "each_link") else ():
        ends = (a, b) if relation.direction != "in" else (b, a)
        links.append((names[ends[0]], names[ends[1]], relation.kind, relation.direction != "both"))
    columns = ((name, tuple(data.attributes[name])) for name in data.attributes)
    return Net(names, tuple(links), tuple(columns))


def same_links(a: Net, b: Net) -> bool:
    """Return whether both have the same links, however they are listed."""
    return list_links(a) == list_links(b)


def list_links(net: Net) -> list:
    """Return the links, sorted."""
    return sorted(map(list_one, net.links))


def list_one(link: tuple) -> str:
    """Return a link as a text; one without a direction has no first end."""
    a, b, kind, directed = link
    return repr((a, b, kind, True) if directed else (*sorted((a, b), key=repr), kind, False))


# What an attacker knows.

ERRORS = ("10%", "25%", "50%", "1/3", "99%")

SPECS: dict[str, Callable[[Random], str]] = {
    "degree": lambda rng: "degree",
    "degree:total": lambda rng: "degree:total",
    "degree:out/in": lambda rng: rng.choice(("degree:out", "degree:in")),
    "degree~": lambda rng: "degree~" + rng.choice(ERRORS),
    "refinement": lambda rng: rng.choice(
        ("refinement", "refinement:0", "refinement:1", "refinement:2", "refinement:3")
    ),
    "hubs": lambda rng: f"hubs:{rng.randint(1, 2)}" + rng.choice(("", ":1", ":2")),
    "hubs open": lambda rng: f"hubs:{rng.randint(1, 2)}:{rng.choice('*12')}:open",
    "subgraph": lambda rng: f"subgraph:{rng.randint(1, 3)}",
    "subgraph atleast": lambda rng: f"subgraph:{rng.randint(1, 3)}:atleast",
    "neighborhood": lambda rng: f"neighborhood:{rng.randint(0, 2)}",
    "neighborhood labels": lambda rng: f"neighborhood:{rng.randint(1, 2)}:{rng.choice(('a', 'a,b', 'b'))}",
    "counts": lambda rng: f"counts:{rng.randint(1, 2)}",
    "counts~": lambda rng: f"counts:{rng.randint(1, 2)}~{rng.choice(ERRORS)}",
    "degrees": lambda rng: f"degrees:{rng.randint(1, 2)}",
    "degrees~": lambda rng: f"degrees:{rng.randint(1, 2)}~{rng.choice(ERRORS)}",
    "shared-neighbors": lambda rng: f"shared-neighbors:{rng.randint(1, 3)}",
    "neighbors": lambda rng: f"neighbors:{rng.randint(1, 3)}",
    "neighbors multiplicities": lambda rng: f"neighbors:{rng.randint(1, 2)}:multiplicities",
    "neighbors~": lambda rng: rng.choice(("neighbors:2~1", "neighbors:3~1", "neighbors:3~2")),
    "relations": lambda rng: f"relations:{rng.randint(1, 2)}",
    "located-relations": lambda rng: f"located-relations:{rng.randint(1, 2)}",
    "adjacency": lambda rng: "adjacency",
    "orbit": lambda rng: "orbit",
    "columns": lambda rng: f"columns:{rng.choice(('a', 'b', 'a,b', 'b,c', 'c'))}",
    "some-columns": lambda rng: rng.choice(
        ("some-columns:1:a,b", "some-columns:2:a,b,c", "some-columns:2", "some-columns:3")
    ),
}
"""Every kind of knowledge, with the arguments that are drawn."""


def draw_joined(rng: Random) -> str:
    """Draw two or three kinds of knowledge that an attacker has together."""
    kinds = [name for name in SPECS if name != "degree:out/in"]
    return "+".join(SPECS[name](rng) for name in rng.sample(kinds, rng.choice((2, 2, 3))))


def draw_specs(rng: Random, many: int, *, simple: bool = False) -> list[str]:
    """Draw different kinds of knowledge that are quick to count."""
    quick = ["degree", "refinement", "hubs", "counts", "degrees", "neighbors", "neighborhood", "adjacency", "orbit"]
    quick += ["relations"] if simple else []
    return sorted({SPECS[name](rng) for name in rng.sample(quick, many)})
