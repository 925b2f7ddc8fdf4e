"""The oracle: every definition word for word, slow and obvious; it judges every count.

An adversary is a function from a published graph to, for every vertex, the set of vertices it could be.

Letters: ``published`` is the released graph, ``known`` the graph in which the attacker measures the facts
(the original; by default the published graph itself), ``to`` the mapping from known vertices to their
published counterparts. v is a vertex of known, u a published vertex that may fit it, w a third vertex, x
and y any vertices; q is a multiplicity; S is a set of neighbors, I an index set, b a budget of edges, h a
number of hubs.

Graphs are networkx.Graph, or networkx.MultiGraph where multiplicities count; no loops, no directions. There
are two kinds of answers:

* single: ``{v: frozenset of u}``, one candidate set per vertex;
* family: ``{v: [(facts, frozenset of u), ...]}``, one set for each thing the attacker may know about v.
"""

from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import NamedTuple

import networkx

# ---------------------------------------------------------------- the two graphs and what stands between them


def measured(published, known, mapping):
    """Return the graph of the facts, and which of its vertices has which published counterpart, if any.

    Without a mapping the counterpart has the same name; with one, what it does not list has none.
    """
    known = published if known is None else known
    mapping = {v: v for v in known} if mapping is None else mapping
    to = {v: mapping[v] for v in known if v in mapping and mapping[v] in published}
    if len(set(to.values())) < len(to):
        raise ValueError("oracle: 'mapping' must give every vertex a counterpart of its own.")
    return known, to


def rows_of(graph):
    """Return the adjacency matrix as {v: Counter of q by w}: ``rows[v][w]`` is 0 where there is no edge."""
    return {v: Counter({w: graph.number_of_edges(v, w) for w in graph[v]}) for v in graph}


def of_both(facts, known, published):
    """Return the facts of both graphs, computed once where they are the same graph."""
    seen = facts(known)
    return seen, seen if known is published else facts(published)


def comparable(attributes, name):
    """Return the value under a name so that == means the same value.

    Missing (absent, None, NaN) equals missing and nothing else; 1 equals 1.0; True does not equal 1.
    """
    value = attributes.get(name)
    missing = value is None or value != value  # noqa: PLR0124  NaN is what differs from itself
    return ("missing",) if missing else ("truth" if isinstance(value, bool) else "value", value)


def values_of(graph, names):
    """Return the tuple of the named attributes of every vertex."""
    return {v: tuple(comparable(graph.nodes[v], name) for name in names) for v in graph}


def alike(facts, published_facts):
    """Return the single answer of whoever knows one fact per vertex: u fits v iff their facts are equal."""
    return {v: frozenset(u for u in published_facts if published_facts[u] == facts[v]) for v in facts}


def about(facts, published_facts, error):
    """Return the single answer of an attacker whose numbers are imprecise, given a list of numbers per vertex.

    u fits v iff the lists are equally long and |x(v) - x(u)| <= error * x(u) for every number x, in order.
    """

    def fits(measured, true):
        return len(measured) == len(true) and all(abs(a - b) <= error * b for a, b in zip(measured, true, strict=True))

    return {v: frozenset(u for u in published_facts if fits(facts[v], published_facts[u])) for v in facts}


# ---------------------------------------------------------------- what comes out


def worst(family):
    """Return {v: size of the smallest candidate set that is not empty}, 0 where all of them are empty."""
    return {v: min((len(us) for _, us in sets if us), default=0) for v, sets in family.items()}


def size(answer):
    """Return {v: number of candidates}, of an answer of either kind."""
    return worst(as_family(answer))


def as_family(answer):
    """Return the answer as a family; a single answer is a family of one set per vertex."""
    return {v: [(None, a)] if isinstance(a, frozenset) else a for v, a in answer.items()}


def both(a, b):
    """Whoever knows both: candidate sets intersect, in families each set of one with each of the other."""
    if all(isinstance(answer[v], frozenset) for answer in (a, b) for v in answer):
        return {v: a[v] & b[v] for v in a}
    a, b = as_family(a), as_family(b)
    return {v: [((fact, other), us & them) for fact, us in a[v] for other, them in b[v]] for v in a}


# ---------------------------------------------------------------- one fact per vertex


def degree(published, known=None, mapping=None):
    """u fits v iff it has as many edges, each as often as its multiplicity (Liu & Terzi 2008)."""
    known, _ = measured(published, known, mapping)
    return alike(dict(known.degree()), dict(published.degree()))


def degree_about(published, known=None, mapping=None, *, error):
    """u fits v iff the number of edges of v is within the error of that of u."""
    known, _ = measured(published, known, mapping)
    return about({v: [d] for v, d in known.degree()}, {u: [d] for u, d in published.degree()}, error)


def columns(published, known=None, mapping=None, *, names):
    """u fits v iff every named attribute has the same value; a missing value is a value."""
    known, _ = measured(published, known, mapping)
    return alike(values_of(known, names), values_of(published, names))


def refinement(published, known=None, mapping=None, *, rounds):
    """u fits v iff H_rounds(u) = H_rounds(v) (Hay et al. 2008).

    H_0 is constant and H_1 the degree, with multiplicities; H_i(x) is the multiset of H_{i-1} over x's neighbors, each
    with its multiplicity: a double edge to a color is not two edges to it. So H_i refines H_{i-1}.
    ``rounds=None``: the fixed point, where the number of classes of both graphs together stops growing.
    """
    known, _ = measured(published, known, mapping)
    graphs = of_both(rows_of, known, published)
    colors = [dict.fromkeys(rows, 0) for rows in graphs]
    done = 0
    while done != rounds:
        finer = refined(graphs, colors) if done else [{x: rows[x].total() for x in rows} for rows in graphs]
        if rounds is None and done and classes(finer) == classes(colors):
            break
        colors, done = finer, done + 1
    return alike(*colors)


def refined(graphs, colors):
    """Return H_i of both graphs from H_{i-1}.

    A multiset is written as a sorted tuple; each different tuple gets a number of its own, the same in both
    graphs, so that numbers are equal iff the nested tuples are.
    """
    numbers = {}
    finer = []
    for rows, color in zip(graphs, colors, strict=True):
        multisets = {x: tuple(sorted((color[w], q) for w, q in rows[x].items())) for x in rows}
        finer.append({x: numbers.setdefault(multisets[x], len(numbers)) for x in rows})
    return finer


def classes(colors):
    """Return the number of colors in both graphs together."""
    return len({c for color in colors for c in color.values()})


# ---------------------------------------------------------------- distances to hubs


def hubs(published, known=None, mapping=None, *, hubs, reach=None, world="closed"):
    """u fits v iff its distances to the hubs agree with v's (Hay et al. 2008).

    ``hubs=h``: all vertices of degree >= the h-th highest, ties in; or the hubs' names. They are chosen in
    known and found in published by the mapping; a hub without counterpart is dropped. A distance is absent
    where the hub cannot be reached or lies beyond ``reach``. Closed world: the vectors are equal, absences
    too. Open world: they agree in every entry that is present for v.
    """
    if world not in ("closed", "open"):
        raise ValueError(f"oracle: 'world' must be 'closed' or 'open'. Got {world!r}.")
    known, to = measured(published, known, mapping)
    chosen = [w for w in (highest(known, hubs) if isinstance(hubs, int) else hubs) if w in to]
    seen = fingerprints(known, chosen, reach)
    offered = fingerprints(published, [to[w] for w in chosen], reach)
    if world == "closed":
        return alike(seen, offered)
    return {v: frozenset(u for u in offered if agrees(seen[v], offered[u])) for v in seen}


def highest(graph, h):
    """Return all vertices of degree >= the h-th highest degree."""
    threshold = sorted((d for _, d in graph.degree()), reverse=True)[h - 1]
    return [x for x, d in graph.degree() if d >= threshold]


def fingerprints(graph, places, reach):
    """Return the vector of distances from each vertex to the places, None where absent."""
    distances = [networkx.single_source_shortest_path_length(graph, w, cutoff=reach) for w in places]
    return {x: tuple(distance.get(x) for distance in distances) for x in graph}


def agrees(vector, other):
    """Return whether the other vector is equal wherever the first one has an entry."""
    return all(d is None or d == e for d, e in zip(vector, other, strict=True))


# ---------------------------------------------------------------- maps from one graph into another


def extends(partial, vertices, targets, fits):
    """Return whether the injective map ``partial`` extends to all vertices, each step allowed by ``fits``."""
    if not vertices:
        return True
    x, *others = vertices
    return any(
        y not in partial.values() and fits(x, y, partial) and extends({**partial, x: y}, others, targets, fits)
        for y in targets
    )


class Rooted(NamedTuple):
    """A graph with one vertex marked, and a label on each vertex."""

    root: object
    rows: dict
    labels: dict


def isomorphic(a, b):
    """Return whether a bijection maps root to root and keeps every multiplicity and every label."""
    looks, other_looks = appearance(a), appearance(b)
    if sorted(looks.values()) != sorted(other_looks.values()):
        return False

    def fits(x, y, partial):
        same = all(a.rows[x][w] == b.rows[y][partial[w]] for w in partial)
        return same and looks[x] == other_looks[y] and a.labels[x] == b.labels[y]

    _, *others = outward(a)
    return fits(a.root, b.root, {}) and extends({a.root: b.root}, others, list(b.rows), fits)


def appearance(a):
    """Return a cheap thing that every isomorphism keeps: the sorted multiplicities at a vertex."""
    return {x: tuple(sorted(row.values())) for x, row in a.rows.items()}


def outward(a):
    """Return the vertices from the root outward: next one with the most neighbors among those before."""
    order = [a.root]
    while len(order) < len(a.rows):
        order.append(max((x for x in a.rows if x not in order), key=lambda x: len(a.rows[x].keys() & set(order))))
    return order


# ---------------------------------------------------------------- the ball around a vertex


def balls(graph, radius, labels=()):
    """Return, for each vertex, the subgraph induced by the vertices at distance <= radius."""
    rows, values = rows_of(graph), values_of(graph, labels)
    return {v: ball(graph, v, radius, rows, values) for v in graph}


def ball(graph, v, radius, rows, values):
    """Return the ball around v, v marked."""
    distances = networkx.single_source_shortest_path_length(graph, v, cutoff=radius)
    inside = [x for x in graph if x in distances]
    return Rooted(
        v,
        {x: Counter({w: q for w, q in rows[x].items() if w in distances}) for x in inside},
        {x: values[x] for x in inside},
    )


def ball_degrees(a):
    """Return the sorted degrees inside the ball."""
    return sorted(row.total() for row in a.rows.values())


def ball_counts(a):
    """Return the numbers of vertices and of edges in the ball."""
    return len(a.rows), sum(ball_degrees(a)) // 2


def counts(published, known=None, mapping=None, *, radius=1):
    """u fits v iff its ball has as many vertices and as many edges (de Jong et al.)."""
    return alike_balls(published, known, mapping, radius, ball_counts)


def degrees(published, known=None, mapping=None, *, radius=1):
    """u fits v iff its ball has the same multiset of inner degrees, center not marked (de Jong et al.)."""
    return alike_balls(published, known, mapping, radius, ball_degrees)


def alike_balls(published, known, mapping, radius, fact, compare=alike):
    """Return the single answer of whoever knows one fact about the ball around each vertex."""
    known, _ = measured(published, known, mapping)
    return compare(*of_both(lambda graph: {x: fact(a) for x, a in balls(graph, radius).items()}, known, published))


def counts_about(published, known=None, mapping=None, *, radius, error):
    """u fits v iff both numbers about the ball of v are within the error of those of u."""
    return alike_balls(published, known, mapping, radius, ball_counts, partial(about, error=error))


def degrees_about(published, known=None, mapping=None, *, radius, error):
    """u fits v iff their balls have equally many inner degrees, and each of v is within the error of u's, sorted."""
    return alike_balls(published, known, mapping, radius, ball_degrees, partial(about, error=error))


def neighborhood(published, known=None, mapping=None, *, radius=1, labels=()):
    """u fits v iff an isomorphism of their balls maps v to u (Zhou & Pei).

    Multiplicities are kept, and the labels: the tuple of the named attributes, missing equal to missing.
    """
    known, _ = measured(published, known, mapping)
    seen, offered = of_both(partial(balls, radius=radius, labels=labels), known, published)
    return {v: frozenset(u for u in offered if isomorphic(seen[v], offered[u])) for v in seen}


def orbit(published, known=None, mapping=None):
    """u fits v iff an isomorphism of the whole graphs maps v to u and keeps every multiplicity."""
    known, _ = measured(published, known, mapping)
    unlabeled, published_unlabeled = values_of(known, ()), values_of(published, ())
    rows, published_rows = of_both(rows_of, known, published)
    seen = {v: Rooted(v, rows, unlabeled) for v in known}
    offered = {u: Rooted(u, published_rows, published_unlabeled) for u in published}
    return {v: frozenset(u for u in offered if isomorphic(seen[v], offered[u])) for v in seen}


# ---------------------------------------------------------------- a subgraph, found breadth-first


class Explored(NamedTuple):
    """What one exploration from v found."""

    edges: frozenset
    """The edges revealed, each a frozenset of its two ends."""
    exhausted: frozenset
    """The pairs (x, number of distinct neighbors of x) of the exhausted vertices."""


def subgraph(published, known=None, mapping=None, *, edges, exact_degrees=True, prefixes=False):
    """u fits v, for one exploration, iff an injective map takes v to u and edges to edges (Hay et al. 2008).

    It also takes each exhausted vertex to one with exactly as many neighbors, unless
    ``exact_degrees=False``. It need not be induced. A known pair is known with its multiplicity.

    The family holds only the full explorations of b = ``edges`` edges (fewer where there are no more). A
    prefix knows less and never has fewer candidates, so it changes no minimum while every set has a
    candidate, as is always so when known is None. With ``known`` a full exploration may fit nobody while
    its prefix fits somebody: ``prefixes=True`` adds the explorations of 0, 1, ... b-1 edges.
    """
    known, _ = measured(published, known, mapping)
    budgets = range(edges + 1) if prefixes else [edges]
    rows, published_rows = of_both(rows_of, known, published)

    @cache
    def fitting(shape):
        return frozenset(u for u in published_rows if embeds(shape, u, published_rows))

    found = {v: findings(rows, v, budgets, exact_degrees) for v in rows}
    return {v: [(facts, fitting(shape)) for facts, shape in found[v].items()] for v in rows}


def findings(rows, v, budgets, exact_degrees):
    """Return each thing that can be explored from v, once, with its shape."""
    found = {}
    for revealed, exhausted in (way for b in budgets for way in explorations(rows, v, b)):
        exact = {x: len(rows[x]) for x in exhausted} if exact_degrees else {}
        facts = Explored(frozenset(map(frozenset, revealed)), frozenset(exact.items()))
        found.setdefault(facts, shape_of(v, revealed, exact, rows))
    return found


def explorations(rows, v, b):
    """Yield (edges in the order revealed, vertices exhausted) of each way to explore from v with b edges.

    A queue starts with v. The head's edges not yet known are revealed one at a time, in any order, and new
    ends join the queue in that order. When all its edges are known the head is exhausted, leaves, and the
    next one begins. It stops when the next edge would be one too many, or when the queue is empty.
    """

    def explore(queue, revealed, exhausted):
        if not queue:
            yield revealed, exhausted
            return
        head = queue[0]
        unknown = [w for w in rows[head] if (head, w) not in revealed and (w, head) not in revealed]
        if not unknown:
            yield from explore(queue[1:], revealed, (*exhausted, head))
        elif len(revealed) == b:
            yield revealed, exhausted
        else:
            for w in unknown:
                new = () if w in queue or w in exhausted else (w,)
                yield from explore(queue + new, (*revealed, (head, w)), exhausted)

    return explore((v,), (), ())


def shape_of(v, revealed, exact, rows):
    """Return (edges with their q, exact degrees or None) with v called 0 and the others 1, 2, ... as found."""
    number = {v: 0}
    for _, w in revealed:
        number.setdefault(w, len(number))
    edges = sorted((*sorted((number[x], number[w])), rows[x][w]) for x, w in revealed)
    return tuple(edges), tuple(exact.get(x) for x in number)


def embeds(shape, u, rows):
    """Return whether a rooted, injective, not necessarily induced embedding of the shape maps 0 to u."""
    edges, exact = shape
    linked = [{x + w - i: q for x, w, q in edges if i in (x, w)} for i in range(len(exact))]

    def fits(x, y, partial):
        kept = all(rows[y][partial[w]] == q for w, q in linked[x].items() if w in partial)
        return kept and exact[x] in (None, len(rows[y]))

    return fits(0, u, {}) and extends({0: u}, range(1, len(exact)), list(rows), fits)


# ---------------------------------------------------------------- rows and parts of rows


def shared_neighbors(published, known=None, mapping=None, *, l):
    """u fits v iff at least l of v's neighbors are neighbors of u (Feder, Nabar & Terzi).

    Multiplicities are ignored. v itself is added by convention if known is None; else its counterpart, if
    any, only where v has fewer than l neighbors in known, so that nobody can share l.
    """
    own = known is None
    known, to = measured(published, known, mapping)
    answer = {}
    for v in known:
        wanted = {to[w] for w in known[v] if w in to}
        sharing = {u for u in published if len(wanted & set(published[u])) >= l}
        added = {to[v]} if v in to and (own or len(known[v]) < l) else set()
        answer[v] = frozenset(sharing | added)
    return answer


def adjacency(published, known=None, mapping=None):
    """u fits v iff their rows are equal, by multiplicity, in every column with a counterpart."""
    known, to = measured(published, known, mapping)
    rows, published_rows = of_both(rows_of, known, published)
    return {v: frozenset(u for u in published if same_row(rows[v], published_rows[u], to, to)) for v in known}


def same_row(row, published_row, index, to):
    """Return whether two rows agree in every column of the index."""
    return all(row[w] == published_row[to[w]] for w in index)


def at_most(l, vertices):
    """Return all sets of at most l of the vertices, small ones first."""
    vertices = list(vertices)
    return [frozenset(some) for r in range(min(l, len(vertices)) + 1) for some in combinations(vertices, r)]


def neighbors(published, known=None, mapping=None, *, l):
    """Definition II: for each set S of at most l neighbors of v, u fits iff it is adjacent to all of S.

    Multiplicities are ignored. Neighbors without a counterpart cannot be looked for, and are in no S.
    """
    known, to = measured(published, known, mapping)

    def adjacent(some):
        return frozenset(u for u in published if all(to[w] in published[u] for w in some))

    return {v: [(some, adjacent(some)) for some in at_most(l, (w for w in known[v] if w in to))] for v in known}


def neighbors_with_errors(published, known=None, mapping=None, *, l, errors):
    """For each set S of at most l neighbors of v, u fits iff it lacks at most so many of S. S is true."""
    known, to = measured(published, known, mapping)

    def lacking_few(some):
        return frozenset(u for u in published if sum(to[w] not in published[u] for w in some) <= errors)

    return {v: [(some, lacking_few(some)) for some in at_most(l, (w for w in known[v] if w in to))] for v in known}


def relations(published, known=None, mapping=None, *, l):
    """Definition I: for each index set I of at most l vertices, u fits iff it agrees with v's row on I.

    Rows agree by multiplicity. Vertices without a counterpart cannot be compared, and are in no I.
    """
    known, to = measured(published, known, mapping)
    rows, published_rows = of_both(rows_of, known, published)

    def agreeing(v, index):
        return frozenset(u for u in published if same_row(rows[v], published_rows[u], index, to))

    return {v: [(index, agreeing(v, index)) for index in at_most(l, to)] for v in known}


def located_relations(published, known=None, mapping=None, *, l):
    """Definition I where the known vertices are located (E15): neither v nor a candidate is one of I."""
    family = relations(published, known, mapping, l=l)
    _, to = measured(published, known, mapping)
    return {
        v: [(index, us - {to[w] for w in index}) for index, us in sets if v not in index] for v, sets in family.items()
    }


def some_columns(published, known=None, mapping=None, *, l, names=("a", "b")):
    """(k,l) for tables: for each set S of at most l columns, u fits iff it has v's values in all of S."""
    known, _ = measured(published, known, mapping)

    sets = at_most(l, names)
    answers = [alike(*of_both(partial(values_of, names=some), known, published)) for some in sets]
    return {v: [(some, answer[v]) for some, answer in zip(sets, answers, strict=True)] for v in known}


# ---------------------------------------------------------------- every kind of knowledge, by its shell name

ORACLES = {
    **{f"degree~{e}%": partial(degree_about, error=Fraction(e, 100)) for e in (25, 50)},
    **{f"counts:1~{e}%": partial(counts_about, radius=1, error=Fraction(e, 100)) for e in (25, 50)},
    "counts:2~20%": partial(counts_about, radius=2, error=Fraction(1, 5)),
    "degrees:1~1/3": partial(degrees_about, radius=1, error=Fraction(1, 3)),
    "degrees:1~50%": partial(degrees_about, radius=1, error=Fraction(1, 2)),
    "degrees:2~50%": partial(degrees_about, radius=2, error=Fraction(1, 2)),
    **{f"neighbors:{l}~{e}": partial(neighbors_with_errors, l=l, errors=e) for l, e in ((2, 1), (3, 1), (3, 2))},
    "degree": degree,
    **{f"refinement:{i}": partial(refinement, rounds=i) for i in range(4)},
    "refinement": partial(refinement, rounds=None),
    "hubs:1": partial(hubs, hubs=1),
    "hubs:1:1": partial(hubs, hubs=1, reach=1),
    "hubs:1:*:open": partial(hubs, hubs=1, world="open"),
    "hubs:1:2:open": partial(hubs, hubs=1, reach=2, world="open"),
    **{f"subgraph:{b}": partial(subgraph, edges=b) for b in range(1, 5)},
    **{f"subgraph:{b}:atleast": partial(subgraph, edges=b, exact_degrees=False) for b in (2, 4)},
    **{f"neighborhood:{r}": partial(neighborhood, radius=r) for r in range(3)},
    **{f"counts:{r}": partial(counts, radius=r) for r in (1, 2)},
    **{f"degrees:{r}": partial(degrees, radius=r) for r in (1, 2)},
    **{f"shared-neighbors:{l}": partial(shared_neighbors, l=l) for l in (1, 2, 3)},
    **{f"neighbors:{l}": partial(neighbors, l=l) for l in (1, 2, 3)},
    **{f"relations:{l}": partial(relations, l=l) for l in (1, 2)},
    **{f"located-relations:{l}": partial(located_relations, l=l) for l in (1, 2)},
    "adjacency": adjacency,
    "orbit": orbit,
}
"""Adding a kind of knowledge about links adds a function above and a line here; every law then runs over it."""

LABELED = {
    "columns:a": partial(columns, names=("a",)),
    "columns:a,b": partial(columns, names=("a", "b")),
    **{f"some-columns:{l}:a,b": partial(some_columns, l=l) for l in (1, 2, 3)},
    "neighborhood:1:a": partial(neighborhood, radius=1, labels=("a",)),
    "neighborhood:2:b,a": partial(neighborhood, radius=2, labels=("b", "a")),
}
"""The same for graphs with the columns "a" and "b"."""
