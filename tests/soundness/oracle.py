"""What shoal must answer, written a second time from the definitions: slow and obvious.

A network is a Net: names, links (a, b, kind, directed) and columns. Equal links that are listed twice are two links.
Seen from v, each link is an entry (w, relation); a relation is (kind, "both"), (kind, "out") or (kind, "in").

Knowledge about v is a set of facts that may be known. Each fact leaves a set of candidates. So the answer about v is
the set of these candidate sets: one if there is one fact. The size of v is that of the smallest set that is not empty.

Letters: v is a vertex whose facts are known, u a published vertex that may fit, w a third vertex, q how often.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

TURNED = {"both": "both", "out": "in", "in": "out"}


class Net(NamedTuple):
    """A network as plain data. A table is a network without links."""

    names: tuple
    links: tuple = ()
    columns: tuple = ()
    """Pairs (name, values), a value per vertex."""

    def cells(self, v: Any, names: Any) -> tuple:
        """Return the values of v in these columns, comparable by ==."""
        columns = dict(self.columns)
        at = self.names.index(v)
        return tuple(comparable(columns[name][at]) for name in names)

    def only(self, kept: Any) -> "Net":
        """Return the network of some vertices and the links among them."""
        at = [i for i, v in enumerate(self.names) if v in kept]
        return Net(
            tuple(self.names[i] for i in at),
            tuple(link for link in self.links if link[0] in kept and link[1] in kept),
            tuple((name, tuple(values[i] for i in at)) for name, values in self.columns),
        )


def comparable(value: Any) -> tuple:
    """Return a value so that == means the same: missing is a value, 1 is 1.0, and True is not 1."""
    if value is None or value != value:  # noqa: PLR0124  NaN is what differs from itself
        return ("missing",)
    return (isinstance(value, bool), isinstance(value, str), value)


@lru_cache(maxsize=256)
def list_entries(net: Net) -> dict:
    """Return {v: Counter of q by (w, relation)}."""
    rows: dict = {v: Counter() for v in net.names}
    for a, b, kind, directed in net.links:
        rows[a][b, (kind, "out" if directed else "both")] += 1
        rows[b][a, (kind, "in" if directed else "both")] += 1
    return rows


@lru_cache(maxsize=256)
def find_neighbors(net: Net) -> dict:
    """Return {v: the vertices linked to v, whatever the direction and kind}."""
    return {v: frozenset(w for w, _ in row) for v, row in list_entries(net).items()}


@lru_cache(maxsize=256)
def count_links(net: Net) -> dict:
    """Return {v: how many links of each relation}."""
    found: dict = {}
    for v, row in list_entries(net).items():
        found[v] = Counter()
        for (_, relation), q in row.items():
            found[v][relation] += q
    return found


def find_tie(net: Net, v: Any, w: Any) -> frozenset:
    """Return everything that links v to w: the relations and how often."""
    return frozenset((relation, q) for (x, relation), q in list_entries(net)[v].items() if x == w)


@lru_cache(maxsize=256)
def as_digraph(net: Net) -> nx.DiGraph:
    """Return a graph for networkx: an arc v -> w holds everything that links v to w."""
    found = nx.DiGraph()
    found.add_nodes_from(net.names)
    for v, near in find_neighbors(net).items():
        found.add_edges_from((v, w, {"tie": find_tie(net, v, w)}) for w in near)
    return found


def is_plain(net: Net) -> bool:
    """Return whether no link has a direction or a kind."""
    return all(kind is None and not directed for *_, kind, directed in net.links)


# What is asked: facts are measured in `known` and sought in `published`.


class World(NamedTuple):
    """A published network, and where the facts come from."""

    published: Net
    known: Net
    to: Any
    """{vertex of known: its published counterpart}, as far as there is one."""
    own: bool
    """Whether the facts are measured in the published network itself."""


def make_world(published: Net, known: Net | None = None, mapping: dict | None = None) -> World:
    """Return a world; without a mapping the counterpart has the same name."""
    source = published if known is None else known
    there = {v: v for v in source.names} if mapping is None else mapping
    to = {v: u for v, u in there.items() if v in source.names and u in published.names}
    return World(published, source, to, known is None)


def give_alike(world: World, fact: Any) -> dict:
    """Return the candidates of an attacker who knows one value per vertex: those with an equal value."""
    values = {u: fact(world.published, u) for u in world.published.names}
    return {v: {frozenset(u for u in values if values[u] == fact(world.known, v))} for v in world.known.names}


def give_fitting(world: World, fact: Any, fits: Any) -> dict:
    """Return the candidates u whose value fits that of v."""
    values = {u: fact(world.published, u) for u in world.published.names}
    return {v: {frozenset(u for u in values if fits(fact(world.known, v), values[u]))} for v in world.known.names}


def is_near(x: int, true: int, error: Fraction) -> bool:
    return abs(x - true) <= error * true


# One value per vertex.


def know_degree(world: World, part: str | None = None, error: Fraction | None = None) -> dict:
    """How many links of each relation; of one direction; or in all."""

    def fact(net: Net, v: Any) -> dict:
        vector = count_links(net)[v]
        if part == "total":
            return {"all": vector.total()}
        return {relation: q for relation, q in vector.items() if part is None or relation[1] == part}

    return (
        give_alike(world, fact) if error is None else give_fitting(world, fact, lambda a, b: fits_vector(a, b, error))
    )


def fits_vector(a: dict, b: dict, error: Fraction) -> bool:
    return all(is_near(a.get(x, 0), b.get(x, 0), error) for x in a.keys() | b.keys())


def know_refinement(world: World, rounds: int | None) -> dict:
    """H_0 is constant, H_1 the degree; then the color of v, and for each neighbor its tie and its color.

    Without a number of rounds: until no class of both networks together is split any more.
    """
    sides = {"published": world.published, "known": world.known}
    colors: dict = {(side, v): 0 for side, net in sides.items() for v in net.names}
    done = 0
    while rounds is None or done < rounds:
        finer = {}
        for side, net in sides.items():
            for v in net.names:
                if done == 0:
                    finer[side, v] = frozenset(count_links(net)[v].items())
                else:
                    around = Counter((find_tie(net, v, w), colors[side, w]) for w in find_neighbors(net)[v])
                    finer[side, v] = (colors[side, v], frozenset(around.items()))
        numbers: dict = {}
        finer = {x: numbers.setdefault(color, len(numbers)) for x, color in finer.items()}
        if rounds is None and done and len(set(finer.values())) == len(set(colors.values())):
            break
        colors, done = finer, done + 1
    return {
        v: {frozenset(u for u in world.published.names if colors["published", u] == colors["known", v])}
        for v in world.known.names
    }


def know_hubs(world: World, hubs: Any, reach: int | None = None, *, open_world: bool = False) -> dict:
    """The steps along the links from v to each hub and back; a hub beyond reach is absent.

    Open world: only what is present for v must agree.
    """
    total = {v: count_links(world.known)[v].total() for v in world.known.names}
    if isinstance(hubs, int):
        least = sorted(total.values(), reverse=True)[hubs - 1]
        hubs = [v for v in world.known.names if total[v] >= least]
    hubs = [h for h in hubs if h in world.to]

    def fact(net: Net, v: Any) -> tuple:
        places = hubs if net is world.known else [world.to[h] for h in hubs]
        ahead = measure_steps(net, v, ("out", "both"), reach)
        back = measure_steps(net, v, ("in", "both"), reach)
        return tuple(far.get(h) for h in places for far in (ahead, back))

    def fits(a: tuple, b: tuple) -> bool:
        return all(x is None or x == y for x, y in zip(a, b, strict=True)) if open_world else a == b

    return give_fitting(world, fact, fits)


def measure_steps(net: Net, v: Any, ways: tuple, reach: int | None) -> dict:
    """Return {w: the number of steps from v}, where steps follow entries of these ways."""
    graph = nx.DiGraph()
    graph.add_nodes_from(net.names)
    graph.add_edges_from((x, w) for x, row in list_entries(net).items() for w, (_, way) in row if way in ways)
    return dict(nx.single_source_shortest_path_length(graph, v, cutoff=reach))


# Balls.


@lru_cache(maxsize=4096)
def cut_ball(net: Net, v: Any, radius: int) -> Net:
    """Return the network induced by the vertices within this distance, whatever the direction and kind."""
    graph = nx.Graph([(a, b) for a, b, *_ in net.links])
    graph.add_node(v)
    return net.only(set(nx.single_source_shortest_path_length(graph, v, cutoff=radius)))


def know_counts(world: World, radius: int, error: Fraction | None = None) -> dict:
    """How many vertices and links are in the ball."""

    def fact(net: Net, v: Any) -> dict:
        ball = cut_ball(net, v, radius)
        return {"vertices": len(ball.names), "links": len(ball.links)}

    return (
        give_alike(world, fact) if error is None else give_fitting(world, fact, lambda a, b: fits_vector(a, b, error))
    )


def know_degrees(world: World, radius: int, error: Fraction | None = None) -> dict:
    """The degrees inside the ball, without who has which.

    With an error: both lists are paired one to one so that every pair fits. For single numbers they are sorted.
    """

    def fact(net: Net, v: Any) -> list:
        return [frozenset(vector.items()) for vector in count_links(cut_ball(net, v, radius)).values()]

    if error is None:
        return give_alike(world, lambda net, v: Counter(fact(net, v)))
    if is_plain(world.published) and is_plain(world.known):

        def fits_sorted(a: list, b: list) -> bool:
            first, second = (sorted(dict(x).get((None, "both"), 0) for x in side) for side in (a, b))
            return len(a) == len(b) and all(is_near(x, y, error) for x, y in zip(first, second, strict=True))

        return give_fitting(world, fact, fits_sorted)

    def fits_paired(a: list, b: list) -> bool:
        pairs = nx.Graph()
        pairs.add_nodes_from(("a", i) for i in range(len(a)))
        pairs.add_nodes_from(("b", j) for j in range(len(b)))
        pairs.add_edges_from(
            (("a", i), ("b", j))
            for i, x in enumerate(a)
            for j, y in enumerate(b)
            if fits_vector(dict(x), dict(y), error)
        )
        left = [("a", i) for i in range(len(a))]
        return len(a) == len(b) and len(nx.bipartite.maximum_matching(pairs, left)) == 2 * len(a)

    return give_fitting(world, fact, fits_paired)


def is_isomorphic(a: Net, v: Any, b: Net, u: Any, labels: tuple = ()) -> bool:
    """Return whether a bijection maps v to u and keeps direction, kind, how often, and these columns."""
    if len(a.names) != len(b.names) or len(a.links) != len(b.links):
        return False
    graphs = []
    for net, root in ((a, v), (b, u)):
        graph = as_digraph(net).copy()
        nx.set_node_attributes(graph, {x: (x == root, net.cells(x, labels)) for x in net.names}, "look")
        graphs.append(graph)
    return DiGraphMatcher(
        *graphs, node_match=lambda x, y: x["look"] == y["look"], edge_match=lambda x, y: x["tie"] == y["tie"]
    ).is_isomorphic()


def know_neighborhood(world: World, radius: int, labels: tuple = ()) -> dict:
    """The ball up to isomorphism, v marked; with the values of these columns."""
    return give_fitting(
        world,
        lambda net, v: (cut_ball(net, v, radius), v),
        lambda a, b: is_isomorphic(*a, *b, labels),
    )


def know_orbit(world: World) -> dict:
    """The whole network up to isomorphism, v marked."""
    return give_fitting(world, lambda net, v: (net, v), lambda a, b: is_isomorphic(*a, *b))


# A subgraph that is explored breadth-first.


def explore(near: dict, v: Any, budget: int) -> set:
    """Return every (linked pairs, exhausted vertices) that an exploration with this many pairs may end with."""
    ends = set()
    waiting = [((v,), frozenset(), frozenset())]
    seen = set(waiting)
    while waiting:
        queue, pairs, exhausted = waiting.pop()
        head = queue[0] if queue else None
        unknown = [] if head is None else [w for w in near[head] if frozenset((head, w)) not in pairs]
        if head is None or (unknown and len(pairs) == budget):
            ends.add((pairs, exhausted))
            continue
        if not unknown:
            steps = [(queue[1:], pairs, exhausted | {head})]
        else:
            steps = [
                (queue + (() if w in queue or w in exhausted else (w,)), pairs | {frozenset((head, w))}, exhausted)
                for w in unknown
            ]
        for step in steps:
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return ends


def embed(known: Net, v: Any, pairs: frozenset, exhausted: frozenset, published: Net) -> frozenset:
    """Return the vertices u on which the explored piece fits with v on u."""
    piece = nx.DiGraph()
    piece.add_nodes_from({v}.union(*pairs))
    for x, w in map(tuple, pairs):
        piece.add_edge(x, w, tie=find_tie(known, x, w))
        piece.add_edge(w, x, tie=find_tie(known, w, x))
    exact = {x: len(find_neighbors(known)[x]) if x in exhausted else None for x in piece}
    nx.set_node_attributes(piece, {x: (x == v, exact[x]) for x in piece}, "asks")

    def fits(u: Any) -> bool:
        place = as_digraph(published).copy()
        many = {x: len(near) for x, near in find_neighbors(published).items()}
        nx.set_node_attributes(place, {x: (x == u, many[x]) for x in place}, "has")
        return DiGraphMatcher(
            place,
            piece,
            node_match=lambda x, y: x["has"][0] == y["asks"][0] and y["asks"][1] in (None, x["has"][1]),
            edge_match=lambda x, y: x["tie"] == y["tie"],
        ).subgraph_is_monomorphic()

    return frozenset(u for u in published.names if fits(u))


def know_subgraph(world: World, budget: int, *, exact: bool = True, full: bool = False) -> dict:
    """A piece of at most so many linked pairs, found breadth-first, and who is exhausted.

    With facts of another network a full exploration may fit nobody while a shorter one fits somebody.
    """
    near = find_neighbors(world.known)
    budgets = [budget] if world.own or full else range(budget + 1)
    answer = {}
    for v in world.known.names:
        known = {(pairs, done if exact else frozenset()) for b in budgets for pairs, done in explore(near, v, b)}
        answer[v] = {embed(world.known, v, pairs, done, world.published) for pairs, done in known}
    return answer


# Rows, and parts of rows.


def list_sets(facts: Any, most: int, *, full: bool = False) -> list:
    """Return all sets of at most so many facts. Full: only those of so many, or of all facts if there are fewer."""
    facts = list(facts)
    largest = min(most, len(facts))
    return [some for size in range(largest * full, largest + 1) for some in combinations(facts, size)]


def list_relations(world: World) -> list:
    """Return every relation that a link of both networks may have, seen from either end."""
    used = {
        (kind, way)
        for net in (world.published, world.known)
        for _, _, kind, directed in net.links
        for way in (("out", "in") if directed else ("both",))
    }
    return sorted(used, key=str) or [(None, "both")]


def know_adjacency(world: World) -> dict:
    """All entries for vertices that have a counterpart."""
    pairs = [(w, relation) for w in world.to for relation in list_relations(world)]
    mine, theirs = list_entries(world.known), list_entries(world.published)
    return {
        v: {
            frozenset(
                u for u in world.published.names if all(mine[v][w, r] == theirs[u][world.to[w], r] for w, r in pairs)
            )
        }
        for v in world.known.names
    }


def know_neighbors(world: World, l: int, *, errors: int = 0, exactly: bool = False, full: bool = False) -> dict:
    """Any l entries of v. With errors, u may lack entries about so many vertices."""
    mine, theirs = list_entries(world.known), list_entries(world.published)

    def leave(v: Any, some: tuple) -> frozenset:
        def lacks(u: Any, entry: tuple) -> bool:
            w, relation = entry
            has = theirs[u][world.to[w], relation]
            return has != mine[v][entry] if exactly else has == 0

        return frozenset(u for u in world.published.names if len({e[0] for e in some if lacks(u, e)}) <= errors)

    return {
        v: {leave(v, some) for some in list_sets((e for e in mine[v] if e[0] in world.to), l, full=full)}
        for v in world.known.names
    }


def know_relations(world: World, l: int, *, located: bool = False, full: bool = False) -> dict:
    """For any l pairs (w, relation) how often v has this entry. Located: neither v nor a candidate is named."""
    mine, theirs = list_entries(world.known), list_entries(world.published)
    pairs = [(w, relation) for w in world.to for relation in list_relations(world)]

    def leave(v: Any, some: tuple) -> frozenset:
        named = {world.to[w] for w, _ in some} if located else set()
        return frozenset(
            u
            for u in world.published.names
            if u not in named and all(theirs[u][world.to[w], r] == mine[v][w, r] for w, r in some)
        )

    return {
        v: {leave(v, some) for some in list_sets((p for p in pairs if not (located and p[0] == v)), l, full=full)}
        for v in world.known.names
    }


def know_shared_neighbors(world: World, l: int) -> dict:
    """At least l vertices to which both have an entry of the same relation.

    v itself is added by convention; with facts of another network only if v has fewer than l neighbors there.
    """
    mine, theirs = list_entries(world.known), list_entries(world.published)
    answer = {}
    for v in world.known.names:
        wanted = {(world.to[w], relation) for w, relation in mine[v] if w in world.to}
        fits = {u for u in world.published.names if len({w for w, r in wanted if (w, r) in theirs[u]}) >= l}
        if v in world.to and (world.own or len(find_neighbors(world.known)[v]) < l):
            fits.add(world.to[v])
        answer[v] = {frozenset(fits)}
    return answer


def know_columns(world: World, names: tuple) -> dict:
    return give_alike(world, lambda net, v: net.cells(v, names))


def know_some_columns(world: World, l: int, names: tuple, *, full: bool = False) -> dict:
    answers = [know_columns(world, some) for some in list_sets(names, l, full=full)]
    return {v: frozenset().union(*(answer[v] for answer in answers)) for v in world.known.names}


# Specs.


def answer(spec: str, world: World) -> dict:
    """Return {v: the candidate sets that some known facts leave}, for a spec of shoal. ``+`` intersects them."""
    return join_answers([answer_one(part, world) for part in spec.split("+")])


def join_answers(answers: list) -> dict:
    """Return the answer for an attacker who knows the facts of several answers, each chosen by itself."""
    joined = answers[0]
    for other in answers[1:]:
        joined = {v: {a & b for a in joined[v] for b in other[v]} for v in joined}
    return joined


def answer_one(spec: str, world: World, *, full: bool = False) -> dict:
    """Return the answer for a spec without ``+``. Full: only for as many facts at once as may be known."""
    spec, _, tilde = spec.partition("~")
    name, *words = spec.split(":")
    error = read_error(tilde) if tilde and name != "neighbors" else None
    columns = tuple(dict(world.known.columns))
    if name == "degree":
        return know_degree(world, words[0] if words else None, error)
    if name == "refinement":
        return know_refinement(world, int(words[0]) if words else None)
    if name == "hubs":
        hubs = int(words[0]) if words[0].isdecimal() else words[0].split(",")
        reach = int(words[1]) if len(words) > 1 and words[1] != "*" else None
        return know_hubs(world, hubs, reach, open_world=words[2:] == ["open"])
    if name == "subgraph":
        return know_subgraph(world, int(words[0]), exact=words[1:] != ["atleast"], full=full)
    if name == "neighborhood":
        return know_neighborhood(world, int(words[0]), tuple(words[1].split(",")) if len(words) > 1 else ())
    if name == "counts":
        return know_counts(world, int(words[0]), error)
    if name == "degrees":
        return know_degrees(world, int(words[0]), error)
    if name == "shared-neighbors":
        return know_shared_neighbors(world, int(words[0]))
    if name == "neighbors":
        exactly = words[1:] == ["multiplicities"]
        return know_neighbors(world, int(words[0]), errors=int(tilde or 0), exactly=exactly, full=full)
    if name in ("relations", "located-relations"):
        return know_relations(world, int(words[0]), located=name != "relations", full=full)
    if name == "columns":
        return know_columns(world, tuple(words[0].split(",")))
    if name == "some-columns":
        return know_some_columns(
            world, int(words[0]), tuple(words[1].split(",")) if len(words) > 1 else columns, full=full
        )
    return {"adjacency": know_adjacency, "orbit": know_orbit}[name](world)


def read_error(text: str) -> Fraction:
    return Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text)


def count(spec: str, world: World) -> dict:
    """Return {v: the size of its smallest candidate set that is not empty}; 0 if all are empty."""
    return {v: min((len(us) for us in sets if us), default=0) for v, sets in answer(spec, world).items()}


def count_at_risk(specs: Any, world: World, k: int) -> set:
    """Return the vertices with 1 to k-1 candidates under at least one of these kinds of knowledge."""
    return {v for spec in specs for v, size in count(spec, world).items() if 0 < size < k}


# Levels.


def list_items(net: Net, reading: str) -> dict:
    """Return {v: the entries that may be known about v}."""
    if "neighbors" in reading:
        return {v: list(row) for v, row in list_entries(net).items()}
    pairs = [(w, relation) for w in net.names for relation in list_relations(make_world(net))]
    return {v: [p for p in pairs if not (reading == "located-relations" and p[0] == v)] for v in net.names}


def rules_out(net: Net, reading: str, v: Any, item: tuple, u: Any) -> bool:
    """Return whether the fact about this entry of v rules out u."""
    mine, theirs = (list_entries(net)[x][item] for x in (v, u))
    if reading == "neighbors":
        return theirs == 0
    return mine != theirs or (reading == "located-relations" and item[0] == u)


def leave(net: Net, reading: str, v: Any, known: Any) -> frozenset:
    """Return the candidates that known entries leave."""
    return frozenset(u for u in net.names if not any(rules_out(net, reading, v, item, u) for item in known))


def find_level(net: Net, reading: str, k: int, v: Any) -> float:
    """Return the largest l such that no l known entries leave fewer than k candidates; infinite if none do."""
    out = {
        item: frozenset(u for u in net.names if rules_out(net, reading, v, item, u))
        for item in list_items(net, reading)[v]
    }
    useful = {us for us in out.values() if us}
    useful = [us for us in useful if not any(us < other for other in useful)]
    if len(net.names) - len(frozenset().union(*useful)) >= k:
        return float("inf")
    size = 0
    while not any(
        len(net.names) - len(frozenset().union(*some)) < k for some in combinations(useful, min(size, len(useful)))
    ):
        size += 1
    return size - 1


def find_column_level(net: Net, k: Any, names: tuple, v: Any) -> float:
    """Return the largest l such that no l known columns leave too few records; k may be one number per size."""
    for size in range(1, len(names) + 1):
        least = k if isinstance(k, int) else k[size - 1] if size <= len(k) else None
        for some in combinations(names, size):
            alike = [u for u in net.names if net.cells(u, some) == net.cells(v, some)]
            if least is not None and len(alike) < least:
                return size - 1
    return float("inf")
