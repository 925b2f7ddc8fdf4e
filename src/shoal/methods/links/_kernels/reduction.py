"""Risk under edits: how many people have fewer than k candidates, kept current while links come and go.

Each vertex has a signature for each kind of knowledge: 64 bits that are equal, but for collisions, where the known
facts are. A hash table has the size of each class of equal signatures, and lists run through its members: where a class
passes the size k, the risk of its members changes. A link changes the signatures of its ends, of their common neighbors
(counts, degrees, neighborhood) or of all their neighbors (refinement).

The shape of a neighborhood is costly. Equal shapes have equal degrees inside, so a class of equal degrees with fewer
than k members needs no shapes: all its members are at risk. Only larger classes are divided further, by a finer kind;
and with facts of the original, those whose degrees are known from there.

Hubs are the vertices with the highest degrees of the current graph. The distances from each are kept current
(:mod:`distances`), and a signature has the sum of their hashes. Where the set of hubs changes, all signatures do.

Known neighbors need no classes. One known neighbor: a vertex is at risk if one of its neighbors has fewer than k
neighbors with the same values of columns. Two: if a pair of its neighbors has fewer than k common ones. A hash table
has the number of common neighbors of each pair that has any.

Where links have directions or kinds, a vertex is split into sides: one for each relation. A link joins a side of one
vertex to a side of the other: the out-side of a kind to its in-side, or two sides without direction. The id of a side
is its number times n, plus the vertex. Rows, degrees and edits are those of sides; classes and risks are those of
vertices. The degree of a vertex is the list of the degrees of its sides, and a known neighbor is a side. Balls of
radius 1 and degrees of neighbors are those of :mod:`tied_balls`. NEIGHBORHOOD and HUBS cannot be read there.

Collisions may hide a person at risk here. So the result of a search is counted again by exact comparison.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memmove
from cython.cimports.shoal.core._kernels.words import accept, below, chance, cooling, mix, mix_again
from cython.cimports.shoal.methods.links._kernels.distances import ABSENT, Distances
from cython.cimports.shoal.methods.links._kernels.shapes import Shapes
from cython.cimports.shoal.methods.links._kernels.tied_balls import TiedBalls

DEGREE = 1
COUNTS = 2
DEGREES = 4
REFINEMENT = 8
NEIGHBORS = 16
NEIGHBORHOOD = 32
PAIRS = 64
HUBS = 128
KNOWN_HUBS = 256
"""What a kind of knowledge reads. All but NEIGHBORS and PAIRS are parts of a signature and may be joined; 0 reads
columns only. HUBS are those of the current graph. KNOWN_HUBS are those of the original, for facts of the original."""

_DEGREE = cython.declare(int64_t, 1)
_COUNTS = cython.declare(int64_t, 2)
_DEGREES = cython.declare(int64_t, 4)
_REFINEMENT = cython.declare(int64_t, 8)
_NEIGHBORS = cython.declare(int64_t, 16)
_NEIGHBORHOOD = cython.declare(int64_t, 32)
_PAIRS = cython.declare(int64_t, 64)
_HUBS = cython.declare(int64_t, 128)
_KNOWN_HUBS = cython.declare(int64_t, 256)

DELETE = 0
ADD = 1
SWAP = 2
"""Kinds of edits. A swap replaces the links (a, b) and (c, d) by (a, d) and (c, b)."""

_DELETE = cython.declare(int32_t, 0)
_ADD = cython.declare(int32_t, 1)
_SWAP = cython.declare(int32_t, 2)

NEAR = cython.declare(cython.double, 0.4)
"""The share of proposals at a person at risk; the others are anywhere."""
BETWEEN = cython.declare(cython.double, 0.15)
"""The share of these that change a link of a neighbor instead."""
GUIDED = cython.declare(cython.double, 0.9)
"""The share of deletions at a person at risk that prefer a link without which the person would join a class."""
TRIES = cython.declare(cython.int, 4)
"""Links that are tried for it."""
EXCHANGE = cython.declare(cython.double, 0.3)
"""The share of proposals that undo another edit at the same time, below the budget; at the budget all do."""
UNDO = cython.declare(cython.double, 0.05)
"""The share of proposals that only undo an edit."""
MOST_UNDONE = cython.declare(cython.int, 16)
"""The most edits that one proposal undoes."""
LEAVE = cython.declare(cython.double, 0.05)
"""The share of proposals that leave a person out or bring one back, where that is allowed."""
IDLE = cython.declare(cython.int, 3)
"""So many former hubs keep their distances, since they often become hubs again."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def name_pair(u: int64_t, w: int64_t) -> uint64_t:
    """Return a word for two vertices, in any order."""
    a, b = (u, w) if u < w else (w, u)
    return mix((cython.cast(uint64_t, a) << 32) | cython.cast(uint64_t, b))


@cython.cclass
class Reduction:
    """A graph that is edited, and the people at risk in it."""

    n: int64_t
    ids: int64_t  # sides of all vertices; n where links have neither directions nor kinds
    sides: int64_t  # of each vertex
    mates: cython.const[int64_t][::1]  # by side: the side at the other end of its links
    k: int64_t
    indptr: cython.const[int64_t][::1]  # the links of the original
    indices: cython.const[int32_t][::1]
    start: cython.const[int64_t][::1]  # where the row of each vertex begins; it ends where it has no more room
    degree: int32_t[::1]
    rows: int32_t[::1]  # ascending
    shared: int32_t[::1]  # beside each link, how many common neighbors its ends have; empty unless degrees are read

    kinds: int64_t
    reads: cython.const[int64_t][::1]
    every: int64_t  # what any kind reads
    codes: cython.const[int32_t][:, ::1]  # equal where the values of columns are, a line per kind
    plain: cython.const[uint8_t][::1]  # whether a kind reads no columns
    both: cython.bint  # whether facts of the original count too
    signed: uint8_t[::1]  # whether a kind compares signatures
    counted: uint8_t[::1]  # whether the members of a small class are at risk
    knowing: uint8_t[::1]  # whether a kind compares facts of the original
    coarser: cython.const[int64_t][::1]  # the kind whose classes of k or more a kind divides; -1: it has all vertices
    finer: int64_t[::1]  # the kind that divides the classes of a kind; -1: none
    quiet: cython.bint  # whether signatures wait for the end of a change
    stop: cython.const[uint8_t][::1]  # not 0: end the search

    links: int64_t[::1]  # in the ball of radius 1
    inside: uint64_t[::1]  # the sum of hashes of the degrees inside that ball
    around: uint64_t[::1]  # the sum of hashes of the degrees of the neighbors
    signature: uint64_t[:, ::1]
    known: uint64_t[:, ::1]  # the signature in the original
    low: int32_t[:, ::1]  # how many neighbors leave fewer than k candidates
    known_low: int32_t[:, ::1]  # the same for neighbors in the original, of those that leave any

    balls: TiedBalls  # where links have directions or kinds
    tied: cython.bint  # whether they are read
    words: cython.const[uint64_t][::1]  # by side

    shapes: Shapes
    labeled: uint64_t[::1]  # the sum of hashes of the links in the ball of radius 1, by their ends

    pair: uint64_t[::1]  # pairs of vertices with values of columns
    together: int32_t[::1]  # how many vertices with these values are linked to both; 0: the place is free
    pairs: int64_t

    distances: Distances
    hubs: cython.const[int64_t][:, ::1]  # by kind: the number of hubs, and the largest known distance
    most_hubs: int64_t
    crowd: cython.bint  # whether there are more hubs than that
    is_hub: uint8_t[:, ::1]  # 1: a vertex is a hub; 2: it is a hub of the original that was left out
    spots: uint64_t[:, ::1]  # the sum of hashes of the distances from the hubs
    bar: int64_t[::1]  # the least degree of a hub
    having: int32_t[::1]  # how many vertices have a degree
    top: int64_t  # no vertex has a higher degree
    touched: int32_t[::1]  # vertices whose degree changed since the hubs were chosen; as many as `touches`
    touches: int64_t
    source: int32_t[::1]  # by line of distances: where they start; -1: the line is free
    users: int32_t[::1]  # kinds for which it is a hub
    line: int32_t[::1]  # by vertex: its line, or -1
    idle: int64_t  # lines without users
    clock: int64_t
    origin: int32_t[:, ::1]  # by line: the distances in the original, of its hubs

    slot: int32_t[:, ::1]  # where the class of a vertex is in the table
    after: int32_t[:, ::1]  # the next and the previous member of its class, -1 at the end
    before: int32_t[:, ::1]
    known_after: int32_t[:, ::1]  # the next vertex with the same signature in the original
    key: uint64_t[:, ::1]
    size: int32_t[:, ::1]  # -1: the place in the table is free
    head: int32_t[:, ::1]
    known_head: int32_t[:, ::1]
    used: int64_t[::1]  # places that are not free

    reasons: int32_t[::1]  # kinds under which a vertex is at risk
    risky: int32_t[::1]  # the vertices at risk, in any order: the first `risk`
    place: int32_t[::1]  # where a vertex is there; -1: it is not
    risk: int64_t

    mark: int64_t[::1]
    stamp: int64_t
    common: int32_t[::1]
    here: int32_t[::1]  # where the common neighbors are in the rows of both ends
    there: int32_t[::1]

    cut: uint8_t[::1]  # by position in the original: links that an edit deleted
    out: uint8_t[::1]  # people left out
    gone: int32_t[::1]  # the people left out, in any order
    outs: int64_t
    added: int32_t[::1]  # added links at each vertex
    what: uint8_t[::1]  # the kind of each edit
    ends: int32_t[:, ::1]
    units: int64_t  # the number of edits, a swap counted once
    undone: int32_t[:, ::1]  # edits undone by the present proposal, each with its kind
    waiting: int64_t  # their number
    new: int32_t[::1]  # the edit of the present proposal, with its kind
    edits: int64_t  # links that differ from the original
    sources: cython.const[int32_t][::1]  # the first end of each link of the original, twice
    random: uint64_t[::1]

    def __init__(
        self,
        k,
        indptr,
        indices,
        room,
        reads,
        codes,
        both,
        most,
        seed,
        coarser=None,
        hubs=None,
        forms=None,
        stop=None,
        mates=None,
    ) -> None:
        self.mates = np.zeros(1, dtype=np.int64) if mates is None else mates
        self.sides = self.mates.shape[0]
        ids, kinds = len(indptr) - 1, len(reads)
        n = ids // self.sides
        self.ids = ids
        self.n, self.k, self.kinds, self.both = n, k, kinds, both
        self.indptr, self.indices = indptr, indices
        self.reads, self.codes = reads, codes
        self.every = int(np.bitwise_or.reduce(reads))
        self.plain = (np.asarray(codes).max(axis=1) == 0).astype(np.uint8)
        degree = np.diff(indptr).astype(np.int32)
        start = np.zeros(ids + 1, dtype=np.int64)
        spare: cython.const[int64_t][::1] = room  # refuses another type
        np.cumsum(degree.astype(np.int64) + np.asarray(spare), out=start[1:])
        self.start, self.degree = start, np.zeros(ids, dtype=np.int32)
        self.rows = np.empty(max(1, int(start[ids])), dtype=np.int32)
        self.shared = np.zeros(len(self.rows) if self.every & 4 else 1, dtype=np.int32)
        self.links, self.inside, self.around = np.zeros(ids, np.int64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
        self.signature = np.zeros((kinds, n), dtype=np.uint64)
        self.low = np.zeros((kinds, n), dtype=np.int32)
        facts = n if both else 1
        self.known, self.known_low = np.zeros((kinds, facts), np.uint64), np.zeros((kinds, facts), np.int32)
        self.known_after = np.full((kinds, facts), -1, dtype=np.int32)
        self.slot, self.after, self.before = (np.full((kinds, n), -1, dtype=np.int32) for _ in range(3))
        room_for = 1 << int(4 * n + 4).bit_length()
        self.key = np.zeros((kinds, room_for), dtype=np.uint64)
        self.size, self.head = np.full((kinds, room_for), -1, np.int32), np.full((kinds, room_for), -1, np.int32)
        self.known_head = np.full((kinds, room_for if both else 1), -1, dtype=np.int32)
        self.used = np.zeros(kinds, dtype=np.int64)
        self.reasons, self.place = np.zeros(n, dtype=np.int32), np.full(n, -1, dtype=np.int32)
        self.risky, self.risk = np.empty(n, dtype=np.int32), 0
        self.mark, self.stamp = np.zeros(ids, dtype=np.int64), 0
        self.common, self.here, self.there = (np.empty(ids, dtype=np.int32) for _ in range(3))
        self.cut, self.out = np.zeros(max(1, len(indices)), np.uint8), np.zeros(n, np.uint8)
        self.gone, self.outs, self.added = np.empty(n, np.int32), 0, np.zeros(ids, np.int32)
        self.what, self.ends = np.zeros(most + 1, np.uint8), np.zeros((most + 1, 4), np.int32)
        self.units, self.edits, self.waiting = 0, 0, 0
        self.undone, self.new = np.zeros((MOST_UNDONE, 5), np.int32), np.zeros(5, np.int32)
        self.sources = np.repeat(np.arange(ids, dtype=np.int32), degree)
        self.random = np.array([seed], dtype=np.uint64)
        self.stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
        self.plan(np.asarray(reads), np.full(kinds, -1) if coarser is None else coarser)
        self.add_balls()
        self.add_shapes(forms)
        self.pair, self.together = np.zeros(1 << 10, dtype=np.uint64), np.zeros(1 << 10, dtype=np.int32)
        self.pairs = 0
        self.add_hubs(np.zeros((kinds, 3), dtype=np.int64) if hubs is None else hubs)
        self.fill()
        self.raise_failure()

    def plan(self, reads, coarser) -> None:
        """Note what each kind compares, and which kind divides the classes of which."""
        self.signed = (reads & (16 | 64) == 0).astype(np.uint8)
        self.counted = (reads & 256 == 0).astype(np.uint8)
        self.knowing = ((reads & (16 | 64 | 128) == 0) & bool(self.both)).astype(np.uint8)
        self.coarser = coarser
        finer = np.full(len(reads), -1)
        finer[coarser[coarser >= 0]] = np.flatnonzero(coarser >= 0)
        self.finer = finer

    def add_balls(self) -> None:
        """Make room for balls with ties. The words of the sides are fixed, so that equal seeds give equal searches."""
        self.tied = self.sides > 1 and bool(self.every & (2 | 4 | 8))
        rng = np.random.default_rng(self.sides)
        self.words = rng.integers(1, 2**63, size=self.sides, dtype=np.uint64)
        if self.tied:
            room = np.diff(self.start).reshape(self.sides, self.n).sum(axis=0)
            balls = np.minimum(room, self.n - 1)
            self.balls = TiedBalls(balls, *(bool(self.every & part) for part in (2 | 4, 4, 8)))

    def add_shapes(self, forms) -> None:
        """Make room for the shapes of neighborhoods; `forms` are those known and how to find more."""
        self.labeled = np.zeros(self.n if self.every & 32 else 1, dtype=np.uint64)
        if self.every & 32:
            self.shapes = Shapes(self.start, self.degree, self.rows, *forms)

    def add_hubs(self, hubs) -> None:
        """Make room for distances; `hubs` has their number, the largest known distance, and the most of each kind."""
        n, used = self.n, bool(self.every & (128 | 256))
        cells = n if used else 1
        self.hubs, self.most_hubs, self.crowd = hubs, int(np.max(hubs[:, 2])), False
        self.is_hub, self.spots = np.zeros((self.kinds, cells), np.uint8), np.zeros((self.kinds, cells), np.uint64)
        self.bar, self.having = np.full(self.kinds, -1), np.zeros(cells + 1, dtype=np.int32)
        self.touched, self.touches, self.top = np.empty(cells, np.int32), cells + 1, 0
        lines = 2 * self.most_hubs + IDLE + 1
        self.source, self.users, self.line = (
            np.full(lines, -1, np.int32),
            np.zeros(lines, np.int32),
            np.full(cells, -1, dtype=np.int32),
        )
        self.idle, self.clock = 0, 0
        self.origin = np.empty((lines if self.every & 256 else 1, cells), dtype=np.int32)
        if used:
            self.distances = Distances(self.start, self.degree, self.rows, lines)
            self.having[0] = cython.cast(int32_t, n)

    def raise_failure(self) -> None:
        """Raise the error of a canonical form, which the loops cannot."""
        if self.every & 32 and self.shapes.failure is not None:
            raise self.shapes.failure

    @cython.cfunc
    def fill(self) -> cython.void:
        """Enter all vertices, then all links of the original; or after the links, if signatures are costly."""
        e: int64_t
        v: int64_t
        x: int64_t
        self.quiet = self.every & (_NEIGHBORHOOD | _HUBS | _KNOWN_HUBS) != 0
        with cython.nogil:
            for e in range(self.kinds):
                if self.signed[e] and not self.quiet:
                    for v in range(self.n):
                        self.signature[e, v] = self.sign(e, v)
                        self.enter(e, v)
            for v in range(self.ids):
                for x in range(self.indptr[v], self.indptr[v + 1]):
                    if self.indices[x] > v:
                        self.toggle(v, self.indices[x], 1)
            if self.quiet:
                self.choose_hubs()
                self.quiet = False
                for v in range(self.n):
                    self.admit(v)
            if self.both:
                self.remember()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remember(self) -> cython.void:
        """Keep what is known from the original, before the first edit."""
        for e in range(self.kinds):
            if not self.knowing[e]:
                continue
            finer: int64_t = self.finer[e]
            for v in range(self.n):
                self.known[e, v] = self.signature[e, v]
                self.remember_class(e, v)
                if finer >= 0 and self.slot[finer, v] < 0:
                    self.divide(finer, v, v, self.after[e])
                elif finer < 0 and self.size[e, self.slot[e, v]] < self.k:
                    self.shift(v, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remember_class(self, e: int64_t, v: int64_t) -> cython.void:
        """Enter the signature that v has in the original."""
        at = self.find_slot(e, self.known[e, v])
        self.known_after[e, v] = self.known_head[e, at]
        self.known_head[e, at] = cython.cast(int32_t, v)

    # Sides.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def person(self, x: int64_t) -> int64_t:
        """Return the vertex of a side."""
        return x if self.sides == 1 else x % self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_links(self, v: int64_t) -> int64_t:
        """Return the number of links of all sides of a vertex."""
        many: int64_t = self.degree[v]
        for side in range(1, self.sides):
            many += self.degree[side * self.n + v]
        return many

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_added(self, v: int64_t) -> cython.bint:
        """Return whether a link of a vertex was added."""
        for side in range(self.sides):
            if self.added[side * self.n + v] > 0:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_side(self, v: int64_t) -> int64_t:
        """Return a random side of a vertex, one with links if the first that is drawn has none."""
        if self.sides == 1:
            return v
        x: int64_t = below(self.random, self.sides) * self.n + v
        for _ in range(self.sides):
            if self.degree[x] > 0:
                return x
            x = x + self.n if x + self.n < self.ids else v
        return x

    # People at risk.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shift(self, v: int64_t, more: int32_t) -> cython.void:
        """Add to the number of reasons why v is at risk."""
        self.reasons[v] += more
        self.list_risk(v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_risk(self, v: int64_t) -> cython.void:
        """List v among the people at risk, or take it off the list."""
        at: int32_t = self.place[v]
        if self.reasons[v] > 0 and not self.out[v]:
            if at < 0:
                self.place[v] = cython.cast(int32_t, self.risk)
                self.risky[self.risk] = cython.cast(int32_t, v)
                self.risk += 1
        elif at >= 0:
            self.risk -= 1
            last = self.risky[self.risk]
            self.risky[at] = last
            self.place[last] = at
            self.place[v] = -1

    # Classes of equal signatures.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sign(self, e: int64_t, v: int64_t) -> uint64_t:
        """Return the signature of v for a kind of knowledge."""
        reads = self.reads[e]
        word: uint64_t = mix(cython.cast(uint64_t, self.codes[e, v]))
        degree = cython.cast(uint64_t, self.degree[v])
        if reads & (_DEGREE | _REFINEMENT) or (reads & _COUNTS and not self.tied):
            word = mix(word + degree)
            for side in range(1, self.sides):
                word = mix(word + cython.cast(uint64_t, self.degree[side * self.n + v]))
        if self.tied:
            return self.sign_ball(reads, v, word)
        if reads & _COUNTS:
            word = mix(word + cython.cast(uint64_t, self.links[v]))
        if reads & _DEGREES:
            word = mix(word + self.inside[v])
        if reads & _REFINEMENT:
            word = mix(word + self.around[v])
        if reads & _NEIGHBORHOOD:
            word = mix(word + self.shapes.find(v, self.labeled[v]))
        if reads & (_HUBS | _KNOWN_HUBS):
            word += self.spots[e, v]  # a sum, so that a hub can be taken out of what is known
        return word

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sign_ball(self, reads: int64_t, v: int64_t, word: uint64_t) -> uint64_t:
        """Return the signature with what is read of a ball, where links have directions or kinds."""
        if reads & _COUNTS:
            word = mix(word + cython.cast(uint64_t, self.balls.degree[v]))
            word = mix(word + cython.cast(uint64_t, self.balls.links[v]))
        if reads & _DEGREES:
            word = mix(word + self.balls.inside[v])
        if reads & _REFINEMENT:
            word = mix(word + self.balls.around[v])
        return word

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_slot(self, e: int64_t, word: uint64_t) -> int64_t:
        """Return the place of a class in the table; a new class gets a free place."""
        last: uint64_t = cython.cast(uint64_t, self.key.shape[1] - 1)
        at = cython.cast(int64_t, word & last)
        while self.size[e, at] >= 0 and self.key[e, at] != word:
            at = cython.cast(int64_t, cython.cast(uint64_t, at + 1) & last)
        if self.size[e, at] < 0:
            self.size[e, at] = 0
            self.key[e, at] = word
            self.used[e] += 1
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def resize(self, e: int64_t, at: int64_t, more: int32_t) -> cython.void:
        """Change the size of a class. Those who know the original find its members, if there are any."""
        old: int64_t = self.size[e, at]
        now = old + more
        x: int64_t
        self.size[e, at] = cython.cast(int32_t, now)
        if self.knowing[e] and self.finer[e] < 0:
            was = 1 if 1 <= old < self.k else 0
            will = 1 if 1 <= now < self.k else 0
            if was != will:
                x = self.known_head[e, at]
                while x >= 0:
                    self.shift(x, cython.cast(int32_t, will - was))
                    x = self.known_after[e, x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shift_members(self, e: int64_t, at: int64_t, more: int32_t) -> cython.void:
        """Add a reason to all members of a class, or take one away."""
        x: int64_t = self.head[e, at]
        while x >= 0 and self.counted[e]:
            self.shift(x, more)
            x = self.after[e, x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(self, e: int64_t, v: int64_t) -> cython.void:
        """Put v into the class of its signature."""
        if 2 * self.used[e] > self.key.shape[1]:
            self.rebuild(e)
        at = self.find_slot(e, self.signature[e, v])
        if self.size[e, at] == self.k - 1:
            self.shift_members(e, at, -1)
        elif self.size[e, at] < self.k - 1 and self.counted[e]:
            self.shift(v, 1)
        first = self.head[e, at]
        self.slot[e, v] = cython.cast(int32_t, at)
        self.after[e, v] = first
        self.before[e, v] = -1
        if first >= 0:
            self.before[e, first] = cython.cast(int32_t, v)
        self.head[e, at] = cython.cast(int32_t, v)
        self.resize(e, at, 1)
        if self.finer[e] >= 0 and (self.size[e, at] > self.k or self.is_known(e, at)):
            self.divide(self.finer[e], v, v, self.after[e])
        elif self.finer[e] >= 0 and self.size[e, at] == self.k:
            self.divide(self.finer[e], -1, self.head[e, at], self.after[e])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave(self, e: int64_t, v: int64_t) -> cython.void:
        """Take v out of its class."""
        at: int64_t = self.slot[e, v]
        finer: int64_t = self.finer[e]
        if finer >= 0 and self.slot[finer, v] >= 0:
            self.leave(finer, v)
        following, previous = self.after[e, v], self.before[e, v]
        if following >= 0:
            self.before[e, following] = previous
        if previous >= 0:
            self.after[e, previous] = following
        else:
            self.head[e, at] = following
        self.slot[e, v] = -1
        if self.size[e, at] == self.k:
            self.shift_members(e, at, 1)
        elif self.size[e, at] < self.k and self.counted[e]:
            self.shift(v, -1)
        self.resize(e, at, -1)
        if finer >= 0 and self.size[e, at] == self.k - 1 and not self.is_known(e, at):
            x: int64_t = self.head[e, at]
            while x >= 0:
                if self.slot[finer, x] >= 0:
                    self.leave(finer, x)
                x = self.after[e, x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_known(self, e: int64_t, at: int64_t) -> cython.bint:
        """Return whether a person had the signature of a class in the original, where such facts count."""
        return self.knowing[e] and self.known_head[e, at] >= 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def divide(self, finer: int64_t, v: int64_t, first: int64_t, after: int32_t[::1]) -> cython.void:
        """Enter v into its class of the finer kind; all members of a list, if v is -1."""
        x: int64_t = first if v < 0 else v
        while x >= 0:
            self.signature[finer, x] = self.sign(finer, x)
            self.enter(finer, x)
            x = after[x] if v < 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def admit(self, v: int64_t) -> cython.void:
        """Put v into its class under each kind of knowledge."""
        for e in range(self.kinds):
            if self.signed[e] and self.coarser[e] < 0:
                self.signature[e, v] = self.sign(e, v)
                self.enter(e, v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rebuild(self, e: int64_t) -> cython.void:
        """Free the places of empty classes. No risk changes."""
        self.used[e] = 0
        for i in range(self.key.shape[1]):
            self.size[e, i] = -1
            self.head[e, i] = -1
            if self.knowing[e]:
                self.known_head[e, i] = -1
        for v in range(self.n):
            if self.slot[e, v] >= 0:
                at = self.find_slot(e, self.signature[e, v])
                first = self.head[e, at]
                self.slot[e, v] = cython.cast(int32_t, at)
                self.after[e, v] = first
                self.before[e, v] = -1
                if first >= 0:
                    self.before[e, first] = cython.cast(int32_t, v)
                self.head[e, at] = cython.cast(int32_t, v)
                self.size[e, at] += 1
            if self.knowing[e]:
                self.remember_class(e, v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def update(self, v: int64_t) -> cython.void:
        """Move v to its class under each kind of knowledge, after something around it changed."""
        for e in range(self.kinds):
            if self.signed[e] and self.slot[e, v] >= 0:
                word = self.sign(e, v)
                if word != self.signature[e, v]:
                    self.leave(e, v)
                    self.signature[e, v] = word
                    self.enter(e, v)

    # Rows.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, u: int64_t, w: int64_t) -> int64_t:
        """Return where w is, or would be, in the row of u."""
        low = self.start[u]
        high = low + self.degree[u]
        while low < high:
            middle = (low + high) // 2
            if self.rows[middle] < w:
                low = middle + 1
            else:
                high = middle
        return low

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_linked(self, u: int64_t, w: int64_t) -> cython.bint:
        """Return whether two vertices are linked now."""
        at = self.find(u, w)
        return at < self.start[u] + self.degree[u] and self.rows[at] == w

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_original(self, u: int64_t, w: int64_t) -> int64_t:
        """Return where the link of the original is, seen from its smaller end; -1 if there is none."""
        a, b = (u, w) if u < w else (w, u)
        low, high = self.indptr[a], self.indptr[a + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if self.indices[middle] < b:
                low = middle + 1
            else:
                high = middle
        return low if low < end and self.indices[low] == b else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def insert(self, u: int64_t, w: int64_t, shared: int64_t) -> cython.void:
        """Put w into the row of u."""
        at = self.find(u, w)
        end = self.start[u] + self.degree[u]
        if end > at:
            memmove(cython.address(self.rows[at + 1]), cython.address(self.rows[at]), 4 * (end - at))
        self.rows[at] = cython.cast(int32_t, w)
        if self.every & _DEGREES:
            if end > at:
                memmove(cython.address(self.shared[at + 1]), cython.address(self.shared[at]), 4 * (end - at))
            self.shared[at] = cython.cast(int32_t, shared)
        self.degree[u] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remove(self, u: int64_t, w: int64_t) -> cython.void:
        """Take w out of the row of u."""
        at = self.find(u, w)
        self.degree[u] -= 1
        end = self.start[u] + self.degree[u]
        if end > at:
            memmove(cython.address(self.rows[at]), cython.address(self.rows[at + 1]), 4 * (end - at))
            if self.every & _DEGREES:
                memmove(cython.address(self.shared[at]), cython.address(self.shared[at + 1]), 4 * (end - at))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_common(self, small: int64_t, large: int64_t) -> int64_t:
        """List the common neighbors of two vertices and where they are in both rows; return how many there are."""
        c: int64_t = 0
        first, second = self.start[small], self.start[large]
        if 16 * cython.cast(int64_t, self.degree[small]) < self.degree[large]:
            end = second + self.degree[large]
            for i in range(first, first + self.degree[small]):
                at = self.find(large, self.rows[i])
                if at < end and self.rows[at] == self.rows[i]:
                    self.common[c] = self.rows[i]
                    self.here[c] = cython.cast(int32_t, i - first)
                    self.there[c] = cython.cast(int32_t, at - second)
                    c += 1
        else:
            self.stamp += 1
            base = self.stamp << 32
            for i in range(first, first + self.degree[small]):
                self.mark[self.rows[i]] = base | (i - first)
            for i in range(second, second + self.degree[large]):
                found = self.mark[self.rows[i]]
                if (found >> 32) == self.stamp:
                    self.common[c] = self.rows[i]
                    self.here[c] = cython.cast(int32_t, found - base)
                    self.there[c] = cython.cast(int32_t, i - second)
                    c += 1
        return c

    # An edit of one link.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def toggle(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Add the link between u and w (more = 1) or remove it (more = -1), and update who is at risk."""
        c: int64_t = 0
        if self.degree[u] > self.degree[w]:
            u, w = w, u
        if self.sides > 1:
            self.toggle_side(u, w, more)
            return
        if self.every & (_COUNTS | _DEGREES | _NEIGHBORHOOD):
            c = self.find_common(u, w)
            for i in range(c):
                self.links[self.common[i]] += more
            self.links[u] += more * (1 + c)
            self.links[w] += more * (1 + c)
            if self.every & _DEGREES:
                self.recount_inside(u, w, c, more)
            if self.every & _NEIGHBORHOOD:
                self.relabel(u, w, c, more)
        if self.every & _HUBS:
            self.touch(u, self.degree[u], self.degree[u] + more)
            self.touch(w, self.degree[w], self.degree[w] + more)
        if more < 0:
            self.remove(u, w)
            self.remove(w, u)
        if self.every & _REFINEMENT:  # here neither is in the row of the other
            self.recount_around(u, w, more)
        if self.every & _NEIGHBORS:
            self.recount_low(u, w, more)
            self.recount_low(w, u, more)
        if self.every & _PAIRS:
            self.recount_pairs(u, w, more)
            self.recount_pairs(w, u, more)
        if more > 0:
            self.insert(u, w, c)
            self.insert(w, u, c)
        if self.quiet:
            return
        self.update(u)
        self.update(w)
        for i in range(c):
            self.update(self.common[i])
        if self.every & _REFINEMENT:
            for i in range(self.start[u], self.start[u] + self.degree[u]):
                self.update(self.rows[i])
            for i in range(self.start[w], self.start[w] + self.degree[w]):
                self.update(self.rows[i])
        if self.every & (_HUBS | _KNOWN_HUBS):
            self.recount_distances(u, w, more)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def toggle_side(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Add or remove a link between two sides, and update who is at risk."""
        one, other = self.person(u), self.person(w)
        if more < 0:
            self.remove(u, w)
            self.remove(w, u)
        if self.every & _NEIGHBORS:
            self.recount_low(u, w, more)
            self.recount_low(w, u, more)
        if self.every & _PAIRS:
            self.recount_pairs(u, w, more)
            self.recount_pairs(w, u, more)
        if more > 0:
            self.insert(u, w, 0)
            self.insert(w, u, 0)
        if not self.tied:
            self.update(one)
            self.update(other)
            return
        many = self.balls.toggle(one, other, self.words[u // self.n], self.words[w // self.n], more)
        for i in range(many):
            self.update(self.balls.changed[i])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def relabel(self, u: int64_t, w: int64_t, c: int64_t, more: int32_t) -> cython.void:
        """Update the hashes of the links in balls; the common neighbors are listed."""
        link = name_pair(u, w)
        self.labeled[u] += link if more > 0 else -link
        self.labeled[w] += link if more > 0 else -link
        for i in range(c):
            x = self.common[i]
            first, second = name_pair(u, x), name_pair(w, x)
            self.labeled[x] += link if more > 0 else -link
            self.labeled[u] += second if more > 0 else -second
            self.labeled[w] += first if more > 0 else -first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_inside(self, u: int64_t, w: int64_t, c: int64_t, more: int32_t) -> cython.void:
        """Update the degrees inside balls. `u` has the shorter row: the common neighbors are listed by its place."""
        v: int64_t
        old: int64_t
        word = mix(cython.cast(uint64_t, 1 + c))
        for turn in range(2):
            v = w if turn else u
            old = self.degree[v]
            self.inside[v] += mix(cython.cast(uint64_t, old + more)) - mix(cython.cast(uint64_t, old))
            self.inside[v] += word if more > 0 else -word
        for i in range(c):
            x = self.common[i]
            for turn in range(2):
                v = w if turn else u
                at = self.start[v] + (self.there[i] if turn else self.here[i])
                old = 1 + self.shared[at]
                change = mix(cython.cast(uint64_t, old + more)) - mix(cython.cast(uint64_t, old))
                self.inside[x] += change
                self.inside[v] += change
                self.shared[at] += more
                self.shared[self.find(x, v)] += more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_around(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Update the degrees of neighbors; the rows of u and w do not have the link."""
        least: int64_t
        for turn in range(2):
            v, other = (w, u) if turn else (u, w)
            least = self.degree[v]
            low, high = mix(cython.cast(uint64_t, least)), mix(cython.cast(uint64_t, least + 1))
            change = high - low if more > 0 else low - high
            for i in range(self.start[v], self.start[v] + self.degree[v]):
                self.around[self.rows[i]] += change
            self.around[other] += high if more > 0 else -high

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_low(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Update who is at risk by knowing w as a neighbor; the rows do not have the link to u."""
        many: int64_t
        for e in range(self.kinds):
            if self.reads[e] != _NEIGHBORS:
                continue
            code = self.codes[e, self.person(u)]
            many = self.degree[w]
            if not self.plain[e]:
                many = 0
                for i in range(self.start[w], self.start[w] + self.degree[w]):
                    many += self.codes[e, self.person(self.rows[i])] == code
            if many == self.k - 1:
                for i in range(self.start[w], self.start[w] + self.degree[w]):
                    x = self.person(self.rows[i])
                    if self.codes[e, x] == code:
                        self.lower(e, x, -more)
            elif many < self.k - 1:
                self.lower(e, self.person(u), more)
            if self.both:
                was = 1 if 1 <= many < self.k else 0
                will = 1 if many + 1 < self.k else 0
                if was != will:
                    for i in range(self.indptr[w], self.indptr[w + 1]):
                        x = self.person(self.indices[i])
                        if self.codes[e, x] == code:
                            self.lower_known(e, x, more * (will - was))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_pairs(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Update who is at risk by knowing w and another neighbor of u; the rows do not have the link."""
        for i in range(self.start[w], self.start[w] + self.degree[w]):
            self.mark[self.person(self.rows[i])] = (self.stamp + 1) << 32
        self.stamp += 1
        v = self.person(u)
        for e in range(self.kinds):
            if self.reads[e] == _PAIRS:
                code = self.codes[e, v]
                for side in range(self.sides):
                    x = side * self.n + v
                    for i in range(self.start[x], self.start[x] + self.degree[x]):
                        self.recount_pair(e, v, w, self.rows[i], code, more)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_pair(self, e: int64_t, u: int64_t, w: int64_t, x: int64_t, code: int32_t, more: int32_t) -> cython.void:
        """Count u among those linked to both w and x, or no longer; the neighbors of w are marked, without u."""
        word = mix(name_pair(w, x) + mix_again((cython.cast(uint64_t, e + 1) << 32) | cython.cast(uint64_t, code)))
        many = self.count_pair(word, more)
        if many == self.k - 1:
            for i in range(self.start[x], self.start[x] + self.degree[x]):
                y = self.person(self.rows[i])
                if (self.mark[y] >> 32) == self.stamp and self.codes[e, y] == code:
                    self.lower(e, y, -more)
        elif many < self.k - 1:
            self.lower(e, u, more)
        if self.both:
            was = 1 if 1 <= many < self.k else 0
            will = 1 if many + 1 < self.k else 0
            if was != will:
                facing = self.mates[w // self.n] * self.n  # the side of the others that is linked to w
                for i in range(self.indptr[x], self.indptr[x + 1]):
                    y = self.person(self.indices[i])
                    if self.codes[e, y] == code and self.find_original(w, facing + y) >= 0:
                        self.lower_known(e, y, more * (will - was))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_pair(self, word: uint64_t, more: int32_t) -> int64_t:
        """Add 1 to the number of a pair, or take 1 away; return the smaller of both numbers."""
        last: uint64_t = cython.cast(uint64_t, self.pair.shape[0] - 1)
        at: uint64_t = word & last
        while self.together[at] > 0 and self.pair[at] != word:
            at = (at + 1) & last
        many: int64_t = self.together[at]
        self.together[at] += more
        if more > 0:
            self.pair[at] = word
            self.pairs += many == 0
            if 4 * self.pairs > 3 * self.pair.shape[0]:
                self.add_places()
            return many
        if many == 1:
            self.pairs -= 1
            self.close_gap(at)
        return many - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_gap(self, gap: uint64_t) -> cython.void:
        """Move pairs behind a free place to where a search finds them."""
        last: uint64_t = cython.cast(uint64_t, self.pair.shape[0] - 1)
        at: uint64_t = (gap + 1) & last
        while self.together[at] > 0:
            if ((at - (self.pair[at] & last)) & last) >= ((at - gap) & last):
                self.pair[gap] = self.pair[at]
                self.together[gap] = self.together[at]
                self.together[at] = 0
                gap = at
            at = (at + 1) & last

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_places(self) -> cython.void:
        """Double the table of pairs."""
        pair, together = self.pair, self.together
        with cython.gil:
            self.pair = np.zeros(2 * pair.shape[0], dtype=np.uint64)
            self.together = np.zeros(2 * pair.shape[0], dtype=np.int32)
        last: uint64_t = cython.cast(uint64_t, self.pair.shape[0] - 1)
        for i in range(pair.shape[0]):
            if together[i] > 0:
                at: uint64_t = pair[i] & last
                while self.together[at] > 0:
                    at = (at + 1) & last
                self.pair[at] = pair[i]
                self.together[at] = together[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lower(self, e: int64_t, v: int64_t, more: int32_t) -> cython.void:
        """Change the number of neighbors of v that leave fewer than k candidates."""
        old = self.low[e, v]
        self.low[e, v] = old + more
        if (old > 0) != (old + more > 0):
            self.shift(v, 1 if more > 0 else -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lower_known(self, e: int64_t, v: int64_t, more: int64_t) -> cython.void:
        """Change the same for neighbors that v has in the original."""
        old = self.known_low[e, v]
        self.known_low[e, v] = cython.cast(int32_t, old + more)
        if (old > 0) != (old + more > 0):
            self.shift(v, 1 if more > 0 else -1)

    # Hubs and distances.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def name_distance(self, e: int64_t, hub: int64_t, far: int64_t) -> uint64_t:
        """Return a word for the distance from a hub; 0 if it is beyond what is known."""
        if far >= ABSENT or far > self.hubs[e, 1] >= 0:
            return 0
        return mix_again(mix(cython.cast(uint64_t, hub)) + cython.cast(uint64_t, far))  # unlike a part of a signature

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def recount_distances(self, u: int64_t, w: int64_t, more: int32_t) -> cython.void:
        """Update the distances from all hubs after a link was added or removed."""
        hub: int64_t
        found: int64_t = 0
        self.stamp += 1
        for line in range(self.source.shape[0]):
            hub = self.source[line]
            if hub < 0:
                continue
            many = self.distances.add(line, u, w) if more > 0 else self.distances.remove(line, u, w)
            if many == 0 or self.users[line] == 0:
                continue
            for i in range(many):
                x = self.distances.changed[i]
                for e in range(self.kinds):
                    if self.is_hub[e, hub] == 1:
                        now = self.name_distance(e, hub, self.distances.far[line, x])
                        self.spots[e, x] += now - self.name_distance(e, hub, self.distances.old[i])
                if (self.mark[x] >> 32) != self.stamp:
                    self.mark[x] = self.stamp << 32
                    self.common[found] = x
                    found += 1
        for i in range(found):
            self.update(self.common[i])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def touch(self, v: int64_t, old: int64_t, now: int64_t) -> cython.void:
        """Note that the degree of v changed; -1 is that of a person who is left out."""
        if old >= 0:
            self.having[old] -= 1
        if now >= 0:
            self.having[now] += 1
        self.top = max(self.top, now)
        if self.touches < self.touched.shape[0]:
            self.touched[self.touches] = cython.cast(int32_t, v)
        self.touches += self.touches <= self.touched.shape[0]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_hubs(self) -> cython.void:
        """Choose the hubs of the current graph: all vertices whose degree is at least the h-th highest."""
        bar: int64_t
        many: int64_t
        wrong: cython.bint = False
        if self.touches == 0:
            return
        while self.top > 0 and self.having[self.top] == 0:
            self.top -= 1
        every: cython.bint = self.touches > self.touched.shape[0]
        self.crowd = False
        for turn in range(2):  # first take hubs out, so that there is room
            for e in range(self.kinds):
                if self.reads[e] & (_HUBS | _KNOWN_HUBS) == 0 or (self.reads[e] & _KNOWN_HUBS and not self.quiet):
                    continue
                bar = self.top
                many = self.having[bar]
                while bar > 0 and many < self.hubs[e, 0]:
                    bar -= 1
                    many += self.having[bar]
                if many > self.most_hubs:
                    self.crowd = True
                    continue
                wrong = self.check_hubs(e, bar, turn == 1, every or bar != self.bar[e]) or wrong
                if turn == 1:
                    self.bar[e] = bar
        self.touches = 0 if not self.crowd else self.touched.shape[0] + 1
        if wrong and not self.quiet:
            for v in range(self.n):
                self.update(v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def check_hubs(self, e: int64_t, bar: int64_t, more: cython.bint, every: cython.bint) -> cython.bint:
        """Take hubs in (more) or out, by a least degree; return whether there were any."""
        found: cython.bint = False
        for i in range(self.n if every else self.touches):
            v = i if every else cython.cast(int64_t, self.touched[i])
            fits: cython.bint = self.degree[v] >= bar and not self.out[v]
            if fits == more and self.is_hub[e, v] != more:
                if more:
                    self.take_hub(e, v)
                else:
                    self.drop_hub(e, v)
                found = True
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_hub(self, e: int64_t, v: int64_t) -> cython.void:
        """Make v a hub, for a kind of knowledge."""
        line: int64_t = self.line[v]
        if line < 0:
            line = 0
            while self.source[line] >= 0:
                line += 1
            self.line[v] = cython.cast(int32_t, line)
            self.source[line] = cython.cast(int32_t, v)
            self.distances.search(line, v)
        elif self.users[line] == 0:
            self.idle -= 1
        self.users[line] += 1
        self.is_hub[e, v] = 1
        for x in range(self.n):
            self.spots[e, x] += self.name_distance(e, v, self.distances.far[line, x])
            if self.quiet and self.reads[e] & _KNOWN_HUBS:
                self.origin[line, x] = self.distances.far[line, x]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_hub(self, e: int64_t, v: int64_t) -> cython.void:
        """Make v no hub. Its distances stay current for a while; those of another former hub may not."""
        line: int64_t = self.line[v]
        for x in range(self.n):
            self.spots[e, x] -= self.name_distance(e, v, self.distances.far[line, x])
        self.is_hub[e, v] = 0
        self.users[line] -= 1
        self.idle += self.users[line] == 0
        while self.idle > IDLE:
            self.clock = (self.clock + 1) % self.source.shape[0]
            if self.clock != line and self.source[self.clock] >= 0 and self.users[self.clock] == 0:
                self.line[self.source[self.clock]] = -1
                self.source[self.clock] = -1
                self.idle -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def flip_known_hub(self, v: int64_t, here: cython.bint) -> cython.void:
        """Compare facts of the original without a hub that was left out, or with it again."""
        line: int64_t = self.line[v]
        now: uint64_t
        before: uint64_t
        for e in range(self.kinds):
            if self.reads[e] & _KNOWN_HUBS == 0 or self.is_hub[e, v] == 0:
                continue
            self.shift_known(e, -1)
            self.is_hub[e, v] = 1 if here else 2
            for x in range(self.n):
                now = self.name_distance(e, v, self.distances.far[line, x])
                before = self.name_distance(e, v, self.origin[line, x])
                self.spots[e, x] += now if here else -now
                self.known[e, x] += before if here else -before
                if self.slot[e, x] >= 0:
                    self.signature[e, x] = self.sign(e, x)
            self.rebuild(e)
            self.shift_known(e, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shift_known(self, e: int64_t, more: int32_t) -> cython.void:
        """Add a reason to all who are at risk by facts of the original, or take one away."""
        for x in range(self.n):
            if 1 <= self.size[e, self.find_slot(e, self.known[e, x])] < self.k:
                self.shift(x, more)

    # Edits, which can be undone.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def change_link(self, a: int64_t, b: int64_t, more: int32_t) -> cython.void:
        """Add or remove a link as part of an edit, and note whether it differs from the original now."""
        at = self.find_original(a, b)
        if at >= 0:
            self.cut[at] = more < 0
            self.edits -= more
        else:
            self.added[a] += more
            self.added[b] += more
            self.edits += more
        self.toggle(a, b, more)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def change(self, edit: int32_t[::1], more: int32_t) -> cython.void:
        """Make an edit (more = 1) or undo it (more = -1)."""
        if edit[0] == _ADD:
            self.change_link(edit[1], edit[2], more)
        elif edit[0] == _DELETE:
            self.change_link(edit[1], edit[2], -more)
        elif more > 0:
            self.change_link(edit[1], edit[2], -1)
            self.change_link(edit[3], edit[4], -1)
            self.change_link(edit[1], edit[4], 1)
            self.change_link(edit[3], edit[2], 1)
        else:
            self.change_link(edit[1], edit[4], -1)
            self.change_link(edit[3], edit[2], -1)
            self.change_link(edit[1], edit[2], 1)
            self.change_link(edit[3], edit[4], 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, edit: int32_t[::1]) -> cython.void:
        """Make an edit and list it."""
        self.change(edit, 1)
        self.what[self.units] = cython.cast(uint8_t, edit[0])
        for i in range(4):
            self.ends[self.units, i] = edit[i + 1]
        self.units += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, r: int64_t) -> cython.bint:
        """Undo an edit of the list and remember it; return whether that is possible."""
        one, other = self.person(self.ends[r, 0]), self.person(self.ends[r, 1])
        if self.what[r] == _DELETE and (self.out[one] or self.out[other]):
            return False
        self.undone[self.waiting, 0] = self.what[r]
        for i in range(4):
            self.undone[self.waiting, i + 1] = self.ends[r, i]
        self.units -= 1
        self.what[r] = self.what[self.units]
        for i in range(4):
            self.ends[r, i] = self.ends[self.units, i]
        self.change(self.undone[self.waiting], -1)
        self.waiting += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def redo(self) -> cython.void:
        """Make all edits again that the present proposal undid."""
        while self.waiting > 0:
            self.waiting -= 1
            self.make(self.undone[self.waiting])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_out(self, v: int64_t) -> cython.void:
        """Leave a person out, with all links; none of them may be added."""
        for side in range(self.sides):
            x = side * self.n + v
            while self.degree[x] > 0:
                self.toggle(x, self.rows[self.start[x] + self.degree[x] - 1], -1)
                self.edits += 1
        for e in range(self.kinds):
            if self.signed[e] and self.coarser[e] < 0:
                self.leave(e, v)
        if self.every & _HUBS:
            self.touch(v, 0, -1)
        self.out[v] = 1
        if self.every & _KNOWN_HUBS:
            self.flip_known_hub(v, False)
        self.list_risk(v)
        self.gone[self.outs] = cython.cast(int32_t, v)
        self.outs += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bring_back(self, g: int64_t) -> cython.void:
        """Bring a person back, with the links to those who are there that no edit deleted."""
        v: int64_t = self.gone[g]
        w: int64_t
        self.outs -= 1
        self.gone[g] = self.gone[self.outs]
        self.out[v] = 0
        if self.every & _HUBS:
            self.touch(v, -1, 0)
        self.admit(v)
        if self.every & _KNOWN_HUBS:
            self.flip_known_hub(v, True)
        self.list_risk(v)
        for side in range(self.sides):
            x = side * self.n + v
            for i in range(self.indptr[x], self.indptr[x + 1]):
                w = self.indices[i]
                if not self.out[self.person(w)] and not self.cut[i if x < w else self.find_original(x, w)]:
                    self.toggle(x, w, 1)
                    self.edits -= 1

    # Proposals.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_neighbor(self, v: int64_t) -> int64_t:
        """Return a random neighbor; -1 if there is none."""
        many = self.degree[v]
        return self.rows[self.start[v] + below(self.random, many)] if many > 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_link(self, near: cython.bint) -> cython.bint:
        """Draw a link of the original that is there, into the ends 1 and 2; return whether one was found."""
        u: int64_t
        w: int64_t
        if near and self.risk > 0 and chance(self.random) < NEAR:
            u = self.draw_side(self.risky[below(self.random, self.risk)])
            w = self.draw_neighbor(u)
            if w >= 0 and chance(self.random) < BETWEEN:
                u, w = w, self.draw_neighbor(w)
            elif w >= 0 and chance(self.random) < GUIDED:
                for _ in range(TRIES):
                    if self.would_help(u, w):
                        break
                    w = self.draw_neighbor(u)
            if w < 0:
                return False
        elif self.indices.shape[0] == 0:
            return False
        else:
            at = below(self.random, self.indices.shape[0])
            u, w = self.sources[at], self.indices[at]
            if not self.is_linked(u, w):
                return False
        self.new[1] = cython.cast(int32_t, u)
        self.new[2] = cython.cast(int32_t, w)
        return self.find_original(u, w) >= 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def would_help(self, v: int64_t, w: int64_t) -> cython.bint:
        """Return whether v would join a class without the link to w, under every kind that reads counts or degrees.

        Counts in balls with ties are not tried.
        """
        last: uint64_t = cython.cast(uint64_t, self.key.shape[1] - 1)
        c: int64_t = 0
        if self.every & _COUNTS and not self.tied:
            c = self.find_common(v, w) if self.degree[v] <= self.degree[w] else self.find_common(w, v)
        self.degree[v] -= 1
        self.links[v] -= 1 + c
        fits: cython.bint = True
        for e in range(self.kinds):
            if self.reads[e] == _DEGREE or (self.reads[e] == _COUNTS and not self.tied):
                word = self.sign(e, self.person(v))
                at = cython.cast(int64_t, word & last)
                while self.size[e, at] >= 0 and self.key[e, at] != word:
                    at = cython.cast(int64_t, cython.cast(uint64_t, at + 1) & last)
                fits = fits and self.size[e, at] >= self.k - 1
        self.degree[v] += 1
        self.links[v] += 1 + c
        return fits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_add(self, u: int64_t, w: int64_t) -> cython.bint:
        """Return whether a link is neither there nor in the original, and both rows have room."""
        one, other = self.person(u), self.person(w)
        if one == other or self.out[one] or self.out[other]:
            return False
        if self.is_linked(u, w) or self.find_original(u, w) >= 0:
            return False
        for turn in range(2):
            v = w if turn else u
            room = self.start[v + 1] - self.start[v] - (self.indptr[v + 1] - self.indptr[v])
            if self.added[v] >= room:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_edit(self, modes: int64_t) -> cython.bint:
        """Draw an edit; return whether it is possible."""
        kind = _DELETE if modes == 1 else _SWAP if modes == 4 else _ADD
        if modes == 3 and chance(self.random) < 0.5:
            kind = _DELETE
        self.new[0] = kind
        if self.sides > 1 and self.sources.shape[0] == 0:
            return False
        if kind == _DELETE:
            return self.draw_link(True)
        if kind == _SWAP:
            return self.draw_swap()
        u: int64_t = below(self.random, self.n)
        w: int64_t = below(self.random, self.n)
        if self.risk > 0 and chance(self.random) < NEAR:
            u = self.risky[below(self.random, self.risk)]
        if self.sides > 1:  # the relation of a random link
            u += self.n * (self.sources[below(self.random, self.sources.shape[0])] // self.n)
        turn = chance(self.random)
        if turn < 0.5:
            w = self.draw_neighbor(u)
            w = w if w < 0 else self.draw_neighbor(w)
        elif turn < 0.75 and self.risk > 0:
            w = self.risky[below(self.random, self.risk)]
        if w >= 0 and self.sides > 1:
            w = self.mates[u // self.n] * self.n + self.person(w)
        self.new[1] = cython.cast(int32_t, u)
        self.new[2] = cython.cast(int32_t, w)
        return w >= 0 and self.can_add(u, w)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_swap(self) -> cython.bint:
        """Draw two links of the original that can be swapped."""
        if not self.draw_link(False):
            return False
        c, d = self.new[1], self.new[2]
        if not self.draw_link(True):
            return False
        a, b = self.new[1], self.new[2]
        if chance(self.random) < 0.5:
            c, d = d, c
        if self.sides > 1 and a // self.n != c // self.n:
            c, d = d, c
            if a // self.n != c // self.n:
                return False
        self.new[3], self.new[4] = c, d
        if a == c or a == d or b == c or b == d:
            return False
        return self.can_add(a, d) and self.can_add(c, b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def value(self, target: int64_t) -> int64_t:
        """Return the people at risk, or the target where they are fewer; more than all if there are too many hubs."""
        if self.every & _HUBS:
            self.choose_hubs()
            if self.crowd:
                return self.n + 1
        return self.risk if self.risk > target else target

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, was: int64_t, target: int64_t, heat: cython.double) -> cython.bint:
        """Decide whether the present proposal stays."""
        now = self.value(target)
        return not self.crowd and accept(self.random, cython.cast(cython.double, now - was), heat)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_edit(self, modes: int64_t, budget: int64_t, target: int64_t, heat: cython.double) -> cython.void:
        """Propose an edit, and undo another one where the budget is spent."""
        was = self.value(target)
        if not self.draw_edit(modes):
            return
        cost: int64_t = 4 if self.new[0] == _SWAP else 1
        full: cython.bint = self.edits + cost > budget
        self.waiting = 0
        other: cython.bint = self.units > 0 and (full or chance(self.random) < EXCHANGE)
        if other and not self.undo(below(self.random, self.units)):
            return
        if self.edits + cost > budget:
            self.redo()
            return
        self.make(self.new)
        if not self.take(was, target, heat):
            self.units -= 1
            self.change(self.new, -1)
            self.redo()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_undo(self, target: int64_t, heat: cython.double) -> cython.void:
        """Propose to undo an edit."""
        was = self.value(target)
        self.waiting = 0
        self.undo(below(self.random, self.units))
        if not self.take(was, target, heat):
            self.redo()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_leaving(self, budget: int64_t, people: int64_t, target: int64_t, heat: cython.double) -> cython.void:
        """Propose to leave a person out, or to bring one back; at the limit, one for another."""
        was = self.value(target)
        back: int64_t = -1
        v: int64_t = -1
        self.waiting = 0
        if self.outs > 0 and (self.outs >= people or chance(self.random) < 0.5):
            back = self.gone[below(self.random, self.outs)]
        if back < 0 or chance(self.random) < 0.7:
            v = self.risky[below(self.random, self.risk)] if self.risk > 0 else below(self.random, self.n)
            if self.out[v] or self.has_added(v):
                return
        if back >= 0:
            for g in range(self.outs):
                if self.gone[g] == back:
                    self.bring_back(g)
                    break
        if v >= 0:
            tries = 0
            while self.edits + self.count_links(v) > budget and self.units > 0 and tries < MOST_UNDONE:
                tries += 1
                r = below(self.random, self.units)
                if self.person(self.ends[r, 0]) != v and self.person(self.ends[r, 1]) != v:
                    self.undo(r)
            if self.edits + self.count_links(v) <= budget:
                self.leave_out(v)
            else:
                v = -1
                was = -1  # refuse
        if not self.take(was, target, heat if was >= 0 else 0.0):
            if v >= 0:
                self.bring_back(self.outs - 1)
            self.redo()
            if back >= 0:
                self.leave_out(back)

    def propose(
        self,
        proposals: int64_t,
        hot: cython.double,
        cold: cython.double,
        modes: int64_t,
        budget: int64_t,
        people: int64_t,
        target: int64_t,
    ):
        """Propose changes while cooling, until at most `target` people are at risk; return how many were proposed.

        `modes` is 1 for deletions, 2 for additions, 3 for both, 4 for swaps. `people` may be left out.
        """
        heat: cython.double = hot
        done: int64_t = 0
        with cython.nogil:
            factor = cooling(proposals, hot, cold)
            while done < proposals and self.value(target) > target and not self.stop[0]:
                if done % 64 == 63:
                    heat *= factor
                done += 1
                turn = chance(self.random)
                if people > 0 and turn < LEAVE:
                    self.try_leaving(budget, people, target, heat)
                elif self.units > 0 and turn < LEAVE + UNDO:
                    self.try_undo(target, heat)
                else:
                    self.try_edit(modes, budget, target, heat)
            self.value(target)
        self.raise_failure()
        return done

    def trim(self, target: int64_t):
        """Undo edits as long as no more people are at risk, or at most `target`; return how many were undone."""
        many: int64_t = 0
        with cython.nogil:
            for g in range(self.outs - 1, -1, -1):
                if self.stop[0]:
                    break
                was = self.value(target)
                v = self.gone[g]
                self.bring_back(g)
                if self.value(target) > was:
                    self.leave_out(v)
                else:
                    many += 1
            for r in range(self.units - 1, -1, -1):
                if self.stop[0]:
                    break
                was = self.value(target)
                self.waiting = 0
                if self.undo(r):
                    if self.value(target) > was:
                        self.redo()
                    else:
                        many += 1
            self.value(target)
        self.raise_failure()
        return many

    def restore(self, what, ends, gone) -> None:
        """Make the edits of another search, and leave the same people out."""
        edit: int32_t[::1] = np.zeros(5, dtype=np.int32)
        for kind, pair in zip(what, ends, strict=True):
            edit[0] = kind
            for i in range(4):
                edit[i + 1] = pair[i]
            self.make(edit)
        for v in gone:
            self.leave_out(v)

    def flip(self, u: int64_t, w: int64_t) -> None:
        """Add a link, or remove it if it is there, outside of any search."""
        self.change_link(u, w, -1 if self.is_linked(u, w) else 1)

    def flip_person(self, v: int64_t) -> None:
        """Leave a person without added links out, or bring them back, outside of any search."""
        if not self.out[v]:
            self.leave_out(v)
            return
        for g in range(self.outs):
            if self.gone[g] == v:
                self.bring_back(g)
                return

    @property
    def at_risk(self):
        """The number of people at risk, but for collisions of hashes."""
        self.value(0)
        return self.risk

    @property
    def changed(self):
        """The number of links that differ from the original."""
        return self.edits

    def list_edits(self):
        """Return the kinds of the edits, their ends, and the people left out."""
        many, outs = self.units, self.outs
        return np.asarray(self.what)[:many].copy(), np.asarray(self.ends)[:many].copy(), np.sort(self.gone[:outs])

    def list_links(self):
        """Return the ends of all links that are there now."""
        degree = np.asarray(self.degree)
        sources = np.repeat(np.arange(self.ids), degree)
        firsts = np.cumsum(degree, dtype=np.int64) - degree
        at = np.asarray(self.start)[sources] + np.arange(len(sources)) - firsts[sources]
        targets = np.asarray(self.rows)[at]
        return sources[sources < targets], targets[sources < targets]
