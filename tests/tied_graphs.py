"""Graphs whose links have directions, kinds and multiplicities, and what is known about them, word for word.

A drawn graph is a list of links (a, b, directed, kind). `relate` turns it into the relations between ordered pairs of
vertices, which is all that the definitions below read: relations[v][w] counts (kind, "both", "out" or "in").
"""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from itertools import permutations

from shoal.data.graph import Graph
from shoal.errors import Notice

REVERSED = {"both": "both", "out": "in", "in": "out"}


def draw_links(rng, n, *, most=None, directed=None, kinds=("call", "kin")):
    """Return some random links; `directed` None mixes links with and without direction."""
    links = []
    for _ in range(rng.randint(0, most or 2 * n)):
        a, b = rng.sample(range(n), 2)
        arrow = rng.random() < 0.7 if directed is None else directed
        links.append((a, b, arrow, rng.choice(kinds) if kinds else None))
    return links


def build(n, links, *, multigraph=True, attributes=None):
    """Return the graph of some links; it has ties, even without links."""
    a, b, arrows, kinds = zip(*links, strict=True) if links else ((), (), True, ())
    how = {"multigraph": multigraph, "attributes": attributes, "directed": arrows}
    if links and kinds[0] is not None:
        how["kinds"] = kinds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # about repeated links
        return Graph.from_pairs([f"v{i}" for i in range(n)], a, b, **how)


def relate(n, links, *, multigraph=True):
    """Return for each vertex, for each neighbor, how often each relation joins them."""
    found = {v: {} for v in range(n)}
    for a, b, arrow, kind in links:
        for v, w, direction in ((a, b, "out" if arrow else "both"), (b, a, "in" if arrow else "both")):
            tie = found[v].setdefault(w, Counter())
            tie[kind, direction] = tie[kind, direction] + 1 if multigraph else 1
    return found


def read_tie(relations, v, w):
    """Return all links between v and w as v sees them."""
    return frozenset(relations[v].get(w, Counter()).items())


def degree(relations, v, inside=None, part=None):
    """Return the number of links of each relation at v, to vertices in `inside`."""
    total = sum((tie for w, tie in relations[v].items() if inside is None or w in inside), Counter())
    return frozenset((r, q) for r, q in total.items() if part in (None, r[1]))


def find_ball(relations, v, radius):
    """Return the vertices at distance at most `radius`; directions and kinds are ignored."""
    ball = {v}
    for _ in range(radius):
        ball |= {w for x in ball for w in relations[x]}
    return ball


def refine(relations, rounds):
    """Return H_rounds of every vertex; rounds None: the fixed point."""
    colors = dict.fromkeys(relations, 0)
    done = 0
    while done != rounds:
        if done == 0:
            finer = {v: degree(relations, v) for v in relations}
        else:
            finer = {
                v: (colors[v], frozenset(Counter((read_tie(relations, v, w), colors[w]) for w in relations[v]).items()))
                for v in relations
            }
        if rounds is None and done and len(set(finer.values())) == len(set(colors.values())):
            break
        colors, done = finer, done + 1
    return colors


def are_isomorphic(relations, one, other, fixed=(), labels=None):
    """Return whether a bijection of two sets of vertices preserves all links, the labels, and the pair `fixed`."""
    if len(one) != len(other):
        return False
    first = sorted(one)
    for image in permutations(sorted(other)):
        to = dict(zip(first, image, strict=True))
        if (
            (not fixed or to[fixed[0]] == fixed[1])
            and (labels is None or all(labels[x] == labels[to[x]] for x in first))
            and all(read_tie(relations, x, y) == read_tie(relations, to[x], to[y]) for x in first for y in first)
        ):
            return True
    return False


def is_within(measured, numbers, error):
    """Return whether every number of two vectors is within the error."""
    x, y = dict(measured), dict(numbers)
    return all(abs(x.get(r, 0) - y.get(r, 0)) <= error * y.get(r, 0) for r in x.keys() | y.keys())


def count_ball(relations, ball):
    """Return the numbers of vertices and links."""
    return len(ball), sum(q for v in ball for w, tie in relations[v].items() if w in ball for q in tie.values()) // 2


def list_degrees(relations, v, radius):
    """Return the degree vectors inside the ball."""
    ball = find_ball(relations, v, radius)
    return [degree(relations, x, ball) for x in ball]


def can_pair(one, other, error):
    """Return whether two lists of vectors can be paired within the error."""
    return len(one) == len(other) and any(
        all(is_within(x, y, error) for x, y in zip(one, some, strict=True)) for some in permutations(other)
    )


def fits(spec, relations, v, u, labels=None):
    """Return whether u is a candidate of v, by the definition of the knowledge."""
    name, _, error = spec.partition("~")
    head, *words = name.split(":")
    error = Fraction(error.removesuffix("%")) / 100 if error else Fraction(0)
    radius = int(words[0]) if words and words[0].isdigit() else 1
    if head == "degree" and words == ["total"]:
        x, y = (sum(sum(tie.values()) for tie in relations[z].values()) for z in (v, u))
        return abs(x - y) <= error * y
    if head == "degree":
        part = words[0] if words else None
        return is_within(degree(relations, v, part=part), degree(relations, u, part=part), error)
    if head == "refinement":
        colors = refine(relations, int(words[0]) if words else None)
        return colors[v] == colors[u]
    balls = find_ball(relations, v, radius), find_ball(relations, u, radius)
    if head == "counts":
        pairs = zip(*(count_ball(relations, ball) for ball in balls), strict=True)
        return all(abs(x - y) <= error * y for x, y in pairs)
    if head == "degrees":
        return can_pair(list_degrees(relations, v, radius), list_degrees(relations, u, radius), error)
    if head == "neighborhood":
        return are_isomorphic(relations, *balls, (v, u), labels)
    if head == "adjacency":
        return all(read_tie(relations, v, w) == read_tie(relations, u, w) for w in relations)
    assert head == "orbit"
    return are_isomorphic(relations, set(relations), set(relations), (v, u))


def find_candidates(spec, relations, labels=None):
    """Return the candidates of every vertex."""
    return [[u for u in relations if fits(spec, relations, v, u, labels)] for v in relations]


def join(relations, other):
    """Return both graphs side by side, the second with ids after those of the first."""
    n = len(relations)
    return relations | {v + n: {w + n: tie for w, tie in near.items()} for v, near in other.items()}
