"""The oracle for links with direction, kind and multiplicity: every definition word for word, slow and obvious.

A link has two ends, a kind, and may have a direction. Seen from v, each link is an entry (w, relation): the relation is
the kind with "both", "out" or "in". An undirected simple graph has one relation. The letters are those of oracle.py.
"""

from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from typing import NamedTuple

from oracle import agrees, alike, at_most, explorations, extends
from shoal.data.graph import Graph

TURNED = {"both": "both", "out": "in", "in": "out"}


class Net(NamedTuple):
    """Vertices, and links (a, b, directed, kind) in a list; equal links that are listed twice are two links."""

    vertices: tuple
    links: tuple

    def __iter__(self):
        return iter(self.vertices)

    def __len__(self):
        return len(self.vertices)


def as_graph(net, multigraph=True):
    """Return the net as shoal's graph; kinds that are all None are no kinds."""
    number = {v: i for i, v in enumerate(net.vertices)}
    kinds = [kind for *_, kind in net.links]
    return Graph.from_pairs(
        net.vertices,
        [number[a] for a, *_ in net.links],
        [number[b] for _, b, *_ in net.links],
        directed=[directed for *_, directed, _ in net.links],
        kinds=None if all(kind is None for kind in kinds) else kinds,
        multigraph=multigraph,
    )


@cache
def entries(net):
    """Return {v: Counter of q by (w, relation)}."""
    rows = {v: Counter() for v in net.vertices}
    for a, b, directed, kind in net.links:
        rows[a][b, (kind, "out" if directed else "both")] += 1
        rows[b][a, (kind, "in" if directed else "both")] += 1
    return rows


def list_relations(*nets):
    """Return the relations that a link may have, seen from either end; without links there is one."""
    used = {r for net in nets for row in entries(net).values() for _, r in row}
    used |= {(kind, TURNED[way]) for kind, way in used}
    return sorted(used, key=str) or [(None, "both")]


@cache
def near(net):
    """Return {v: set of neighbors}, whatever the direction and kind."""
    return {v: {w for w, _ in row} for v, row in entries(net).items()}


def tie(net, v, w):
    """Return all entries of v for w, with multiplicities."""
    return frozenset((relation, q) for (x, relation), q in entries(net)[v].items() if x == w)


def inside(net, vertices):
    """Return the subgraph induced by some vertices; it keeps direction and kind."""
    kept = tuple(v for v in net.vertices if v in vertices)
    return Net(kept, tuple(link for link in net.links if link[0] in kept and link[1] in kept))


def measured(published, known, mapping):
    """Return the net of the facts, and the published counterpart of each of its vertices that has one."""
    known = published if known is None else known
    mapping = {v: v for v in known} if mapping is None else mapping
    return known, {v: mapping[v] for v in known if v in mapping and mapping[v] in published.vertices}


def vectors(net):
    """Return {v: the number of links by relation}."""
    found = {v: Counter() for v in net}
    for v, row in entries(net).items():
        for (_, relation), q in row.items():
            found[v][relation] += q
    return found


def freeze(vector):
    return frozenset(vector.items())


def within(measured, true, error):
    """Return whether every number of a vector is within the error of the same number of the other."""
    return all(abs(measured[r] - true[r]) <= error * true[r] for r in measured.keys() | true.keys())


# ---------------------------------------------------------------- one fact per vertex


def degree(published, known=None, mapping=None, *, part=None):
    """u fits v iff it has as many links of each relation; of the relations of one direction; or in all."""
    known, _ = measured(published, known, mapping)

    def fact(vector):
        if part == "total":
            return vector.total()
        return frozenset((r, q) for r, q in vector.items() if part in (None, r[1]))

    return alike(*({v: fact(vector) for v, vector in vectors(net).items()} for net in (known, published)))


def degree_about(published, known=None, mapping=None, *, error):
    known, _ = measured(published, known, mapping)
    seen, offered = vectors(known), vectors(published)
    return {v: frozenset(u for u in offered if within(seen[v], offered[u], error)) for v in seen}


def refinement(published, known=None, mapping=None, *, rounds):
    """H_0 is constant and H_1 the degree.

    A further round colors v by its color and the multiset, over its neighbors w, of (all entries for w with their
    multiplicities; color of w).
    """
    known, _ = measured(published, known, mapping)
    nets = known, published
    colors = [dict.fromkeys(net, 0) for net in nets]
    done = 0
    while done != rounds:
        finer = [
            {v: freeze(vectors(net)[v]) for v in net}
            if done == 0
            else {v: (color[v], freeze(Counter((tie(net, v, w), color[w]) for w in near(net)[v]))) for v in net}
            for net, color in zip(nets, colors, strict=True)
        ]
        numbers = {}
        finer = [{v: numbers.setdefault(c, len(numbers)) for v, c in color.items()} for color in finer]
        if rounds is None and done and len(numbers) == len({c for color in colors for c in color.values()}):
            break
        colors, done = finer, done + 1
    return alike(*colors)


def distances(steps, v, reach=None):
    """Return {w: number of steps from v}, by breadth-first search."""
    found, wave = {v: 0}, [v]
    while wave and (reach is None or found[wave[0]] < reach):
        wave = list(dict.fromkeys(w for x in wave for w in steps[x] if w not in found))
        found |= dict.fromkeys(wave, max(found.values()) + 1)
    return found


def hubs(published, known=None, mapping=None, *, hubs, reach=None, world="closed"):
    """u fits v iff its distances to and from the hubs agree with v's.

    Hubs are chosen by total degree. A distance runs along the direction, from v to the hub and back; links without
    direction are walked either way. In an undirected graph both are the same.
    """
    known, to = measured(published, known, mapping)
    totals = {v: vector.total() for v, vector in vectors(known).items()}
    chosen = [v for v in known if totals[v] >= sorted(totals.values(), reverse=True)[hubs - 1] and v in to]
    seen = fingerprints(known, chosen, reach)
    offered = fingerprints(published, [to[w] for w in chosen], reach)
    if world == "closed":
        return alike(seen, offered)
    return {v: frozenset(u for u in offered if agrees(seen[v], offered[u])) for v in seen}


def fingerprints(net, places, reach):
    steps = {
        way: {v: {w for w, (_, d) in row if d in (way, "both")} for v, row in entries(net).items()}
        for way in ("out", "in")
    }
    far = [distances(steps[way], w, reach) for way in ("in", "out") for w in places]
    return {v: tuple(found.get(v) for found in far) for v in net}


# ---------------------------------------------------------------- balls


def balls(net, radius):
    """Return {v: subgraph induced by the vertices at distance <= radius}; distances ignore direction and kind."""
    return {v: inside(net, distances(near(net), v, radius)) for v in net}


def alike_balls(published, known, mapping, radius, fact):
    known, _ = measured(published, known, mapping)
    return alike(*({v: fact(ball) for v, ball in balls(net, radius).items()} for net in (known, published)))


def counts(published, known=None, mapping=None, *, radius=1):
    """u fits v iff its ball has as many vertices and as many links."""
    return alike_balls(published, known, mapping, radius, lambda ball: (len(ball), len(ball.links)))


def counts_about(published, known=None, mapping=None, *, radius, error):
    known, _ = measured(published, known, mapping)
    seen, offered = balls(known, radius), balls(published, radius)

    def fits(a, b):
        pairs = ((len(a), len(b)), (len(a.links), len(b.links)))
        return all(abs(x - y) <= error * y for x, y in pairs)

    return {v: frozenset(u for u in offered if fits(seen[v], offered[u])) for v in seen}


def degrees(published, known=None, mapping=None, *, radius=1):
    """u fits v iff its ball has the same multiset of degree vectors inside."""
    return alike_balls(
        published, known, mapping, radius, lambda ball: freeze(Counter(map(freeze, vectors(ball).values())))
    )


def degrees_about(published, known=None, mapping=None, *, radius, error):
    """u fits v iff the people of both balls can be paired so that every degree vector of v's is within the error.

    For one number a person this is the same as sorting both lists.
    """
    known, _ = measured(published, known, mapping)
    seen, offered = ({v: [*vectors(b).values()] for v, b in balls(net, radius).items()} for net in (known, published))

    def fits(a, b):
        return len(a) == len(b) and any(
            all(within(x, y, error) for x, y in zip(a, order, strict=True)) for order in permutations(b)
        )

    return {v: frozenset(u for u in offered if fits(seen[v], offered[u])) for v in seen}


def isomorphic(a, root, b, other):
    """Return whether a bijection maps root to root and preserves direction, kind and multiplicity."""
    if len(a) != len(b) or len(a.links) != len(b.links):
        return False

    def fits(x, y, done):
        return all(tie(a, x, w) == tie(b, y, done[w]) for w in done)

    return extends({root: other}, [v for v in a if v != root], list(b), fits)


def neighborhood(published, known=None, mapping=None, *, radius=1):
    known, _ = measured(published, known, mapping)
    seen, offered = balls(known, radius), balls(published, radius)
    return {v: frozenset(u for u in offered if isomorphic(seen[v], v, offered[u], u)) for v in seen}


def orbit(published, known=None, mapping=None):
    known, _ = measured(published, known, mapping)
    return {v: frozenset(u for u in published if isomorphic(known, v, published, u)) for v in known}


# ---------------------------------------------------------------- a subgraph, found breadth-first


def subgraph(published, known=None, mapping=None, *, edges, exact_degrees=True, prefixes=False):
    """Exploration follows links both ways; the budget counts linked pairs, each known with all its entries."""
    known, _ = measured(published, known, mapping)
    family = {v: {} for v in known}
    for v in known:
        for b in range(edges + 1) if prefixes else [edges]:
            for revealed, exhausted in explorations(near(known), v, b):
                facts = frozenset(map(frozenset, revealed)), frozenset(exhausted) if exact_degrees else frozenset()
                family[v].setdefault(facts, None)
    return {
        v: [(facts, frozenset(u for u in published if embeds(known, v, facts, published, u))) for facts in family[v]]
        for v in known
    }


def embeds(known, v, facts, published, u):
    revealed, exhausted = facts
    pattern = {v: set()} | {x: set() for pair in revealed for x in pair}
    for a, b in revealed:
        pattern[a].add(b)
        pattern[b].add(a)

    def fits(x, y, done):
        kept = all(tie(known, x, w) == tie(published, y, done[w]) for w in pattern[x] if w in done)
        return kept and (x not in exhausted or len(near(known)[x]) == len(near(published)[y]))

    return fits(v, u, {}) and extends({v: u}, [x for x in pattern if x != v], list(published), fits)


# ---------------------------------------------------------------- rows and parts of rows


def adjacency(published, known=None, mapping=None):
    """u fits v iff it has the same entries, with multiplicities, for all vertices with a counterpart."""
    known, to = measured(published, known, mapping)
    back = {u: v for v, u in to.items()}

    def kept(row, names):
        return frozenset((names[w], r, q) for (w, r), q in row.items() if w in names)

    rows, others = entries(known), entries(published)
    identity = {u: u for u in back}
    return {v: frozenset(u for u in published if kept(rows[v], to) == kept(others[u], identity)) for v in known}


def neighbors(published, known=None, mapping=None, *, l, multiplicities=False, errors=0):
    """For each set of at most l entries of v, u fits iff it has all of them.

    With errors: iff the entries that it lacks are about at most so many people. So an undirected graph that is read as
    a symmetric digraph, where every neighbor is known twice, keeps its numbers.
    """
    known, to = measured(published, known, mapping)
    rows, others = entries(known), entries(published)

    def left(v, some):
        def lacks(u, entry):
            w, r = entry
            q = others[u][to[w], r]
            return q != rows[v][entry] if multiplicities else q == 0

        return frozenset(u for u in published if len({e[0] for e in some if lacks(u, e)}) <= errors)

    return {v: [(some, left(v, some)) for some in at_most(l, (e for e in rows[v] if e[0] in to))] for v in known}


def relations(published, known=None, mapping=None, *, l, located=False):
    """For any l pairs (w, relation), u fits iff it has the entry as often as v; located: every w is no candidate."""
    known, to = measured(published, known, mapping)
    rows, others = entries(known), entries(published)
    pairs = [(w, r) for w in to for r in list_relations(known, published)]

    def left(v, some):
        named = {to[w] for w, _ in some} if located else set()
        return frozenset(
            u for u in published if u not in named and all(others[u][to[w], r] == rows[v][w, r] for w, r in some)
        )

    return {
        v: [(some, left(v, some)) for some in at_most(l, (p for p in pairs if not located or p[0] != v))] for v in known
    }


def shared_neighbors(published, known=None, mapping=None, *, l):
    """u fits v iff there are at least l vertices w to which both have an entry with the same relation."""
    own = known is None
    known, to = measured(published, known, mapping)
    answer = {}
    for v in known:

        def shared(u, v=v):
            mine, theirs = entries(known)[v], entries(published)[u]
            return {w for w, r in mine if w in to and (to[w], r) in theirs}

        sharing = {u for u in published if len(shared(u)) >= l}
        added = {to[v]} if v in to and (own or len(near(known)[v]) < l) else set()
        answer[v] = frozenset(sharing | added)
    return answer


ORACLES = {
    "degree": degree,
    **{f"degree:{part}": partial(degree, part=part) for part in ("out", "in", "total")},
    **{f"degree~{e}%": partial(degree_about, error=Fraction(e, 100)) for e in (25, 50)},
    "counts:1~50%": partial(counts_about, radius=1, error=Fraction(1, 2)),
    "degrees:1~50%": partial(degrees_about, radius=1, error=Fraction(1, 2)),
    **{f"refinement:{i}": partial(refinement, rounds=i) for i in range(4)},
    "refinement": partial(refinement, rounds=None),
    "hubs:1": partial(hubs, hubs=1),
    "hubs:2": partial(hubs, hubs=2),
    "hubs:1:1": partial(hubs, hubs=1, reach=1),
    "hubs:1:*:open": partial(hubs, hubs=1, world="open"),
    "hubs:1:2:open": partial(hubs, hubs=1, reach=2, world="open"),
    **{f"subgraph:{b}": partial(subgraph, edges=b) for b in range(1, 4)},
    "subgraph:2:atleast": partial(subgraph, edges=2, exact_degrees=False),
    **{f"neighborhood:{r}": partial(neighborhood, radius=r) for r in range(3)},
    **{f"counts:{r}": partial(counts, radius=r) for r in (1, 2)},
    **{f"degrees:{r}": partial(degrees, radius=r) for r in (1, 2)},
    **{f"shared-neighbors:{l}": partial(shared_neighbors, l=l) for l in (1, 2)},
    **{f"neighbors:{l}": partial(neighbors, l=l) for l in (1, 2, 3)},
    "neighbors:2:multiplicities": partial(neighbors, l=2, multiplicities=True),
    "neighbors:2~1": partial(neighbors, l=2, errors=1),
    **{f"relations:{l}": partial(relations, l=l) for l in (1, 2)},
    **{f"located-relations:{l}": partial(relations, l=l, located=True) for l in (1, 2)},
    "adjacency": adjacency,
    "orbit": orbit,
}
"""Every kind of knowledge of links, by its shell name."""

DIRECTED_ONLY = {"degree:out", "degree:in"}
"""They raise on an undirected graph."""


# ---------------------------------------------------------------- all small nets


def list_nets(n, options):
    """Return the nets on n vertices, one of each isomorphism class.

    `options` are the ways in which a pair a < b may be linked, each a tuple of (reversed, directed, kind).
    """
    pairs = [(a, b) for b in range(n) for a in range(b)]
    found = {}
    for choice in product(options, repeat=len(pairs)):
        links = tuple(
            (b, a, directed, kind) if turned else (a, b, directed, kind)
            for (a, b), ways in zip(pairs, choice, strict=True)
            for turned, directed, kind in ways
        )
        found.setdefault(_least_form(n, links), Net(tuple(range(n)), links))
    return list(found.values())


def _least_form(n, links):
    return min(
        tuple(
            sorted(
                (p[a], p[b], d, str(kind)) if d or p[a] < p[b] else (p[b], p[a], d, str(kind))
                for a, b, d, kind in links
            )
        )
        for p in permutations(range(n))
    )


ARCS = ((), ((False, True, None),), ((True, True, None),), ((False, True, None), (True, True, None)))
"""A pair of a simple digraph: no arc, one arc either way, or both."""

TWO_KINDS = ((), ((False, False, "x"),), ((False, False, "y"),), ((False, False, "x"), (False, False, "y")))
"""A pair of an undirected graph with two kinds of links."""


def draw_net(random, n=5, names=None):
    """Draw a net with mixed directions, two kinds, and links that are sometimes parallel."""
    names = list(range(n)) if names is None else names[:n]
    kinds = random.choice([[None], ["x", "y"], ["x", ""]])
    ways = random.choice([[True], [False], [True, False]])
    density = random.choice([0.2, 0.5, 0.9])
    links = [
        (names[a], names[b], random.choice(ways), random.choice(kinds))
        for a in range(n)
        for b in range(n)
        if a != b and random.random() < density
    ]
    return Net(tuple(names), tuple(links))
