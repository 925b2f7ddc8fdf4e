"""Greedy addition of links with directions and kinds, until each vertex shares l neighbors with enough others.

Two vertices share the neighbor w if both are linked to w by the same relation: both are on one line of w
(:class:`shoal.methods.links.hide_neighbors.lines.Lines`). Links are only added, so a vertex that shares enough keeps
doing so. The search is simpler than that for graphs without ties. It processes each vertex with a deficit, largest
deficit first. The vertex *joins* the line that gives it the most new candidates, or it *recruits* another vertex, which
gets links to neighbors of it. At the end, added links that are not needed are removed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.core.incidence import join_incidences
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.knowledge.shared_neighbors import count_sharing
from shoal.methods.links.hide_neighbors.lines import Lines
from shoal.methods.links.share_neighbors.adding import Sharing, count_sharers
from shoal.optimize.annealing import make_generator
from shoal.progress import track

BATCH = 64
"""The number of vertices or links between two progress reports."""


def add_tied_links(graph: Graph, sharing: Sharing, seed: int) -> Graph:
    """Return a graph with ties in which every vertex shares enough, by added links."""
    adding = TiedAdding(graph, sharing, seed)
    for limits in adding.list_limits():
        if adding.add_links(limits):
            adding.drop_spare_links()
            return adding.make_graph()
    return adding.complete()


class TiedAdding:
    """The graph with the links added so far. A column is named by its line, see :class:`Lines`."""

    def __init__(self, graph: Graph, sharing: Sharing, seed: int) -> None:
        self.graph, self.sharing, self.rng = graph, sharing, make_generator(seed)
        self.old = Lines.of(graph)
        self.many, self.n = self.old.many, graph.n
        at = np.repeat(np.arange(self.n * self.many), self.old.degree)
        items = self.old.indices.astype(np.int64) * self.many + self.old.reversals[at % self.many]
        bounds = self.old.indptr[:: self.many]
        order = np.lexsort([items, at // self.many])  # the columns of each vertex, ascending: by neighbor
        self.old_rows = np.split(items[order], bounds[1:-1])
        self.old_lines = np.split(self.old.indices.astype(np.int64), self.old.indptr[1:-1])
        self.rows, self.lines = list(self.old_rows), list(self.old_lines)
        self.size = self.old.degree.copy()
        self.added: list[tuple[int, int]] = []

    # Rows and counts.

    def tally(self, v: int, *, first: bool = True, second: bool = True) -> Ints:
        """Return how many neighbors v shares with each vertex, itself included.

        `first` says whether links added since count from v to its neighbors, `second` whether they do from there on.
        """
        items, lines = (self.rows if first else self.old_rows)[v], self.lines if second else self.old_lines
        seen = np.zeros(self.n, dtype=np.int64)
        for some in np.split(items, np.flatnonzero(np.diff(items // self.many)) + 1) if len(items) else ():
            members = [lines[x] for x in some.tolist()]
            seen[members[0] if len(members) == 1 else np.unique(np.concatenate(members))] += 1
        return seen

    def count_for(self, v: int) -> Ints:
        """Return how many neighbors each vertex shares with v, if v is the one to be protected; l for v itself."""
        seen = self.tally(v, first=not self.sharing.strong)
        seen[v] = self.sharing.l
        return seen

    def link(self, u: int, x: int) -> None:
        """Put u on line x, and the other end on a line of u."""
        v, y = x // self.many, u * self.many + int(self.old.reversals[x % self.many])
        for vertex, line in ((u, x), (v, y)):
            self.rows[vertex] = np.insert(self.rows[vertex], np.searchsorted(self.rows[vertex], line), line)
            self.lines[line] = np.append(self.lines[line], vertex)
            self.size[line] += 1

    def unlink(self, u: int, x: int) -> None:
        """Take back a link."""
        v, y = x // self.many, u * self.many + int(self.old.reversals[x % self.many])
        for vertex, line in ((u, x), (v, y)):
            self.rows[vertex] = self.rows[vertex][self.rows[vertex] != line]
            self.lines[line] = self.lines[line][self.lines[line] != vertex]
            self.size[line] -= 1

    def has_room(self, u: int, items: Ints, limits: Ints) -> Bools:
        """Return which columns u may join: no line gets more links than its limit."""
        mine = u * self.many + self.old.reversals[items % self.many]
        open_ones: Bools = (self.size[items] < limits[items]) & (self.size[mine] < limits[mine])
        open_ones &= (items // self.many != u) & ~np.isin(items, self.rows[u])
        return open_ones

    # Additions.

    def list_limits(self) -> Iterator[Ints]:
        """Yield limits on the length of lines: about twice the original one, then the longest line of the relation."""
        before, want, l = self.old.degree, self.sharing.want, self.sharing.l
        longest = before.reshape(self.n, self.many).max(axis=0)
        most = np.tile(np.minimum(self.n - 1, np.maximum(longest, self.sharing.count_needed(self.graph))), self.n)
        yield np.minimum(most, np.maximum(2 * before, before + want + l))
        yield most
        yield np.full(len(before), self.n - 1)

    def add_links(self, limits: Ints) -> bool:
        """Add links up to the limits. Return whether every vertex shares enough."""
        counts = self._count_all()
        self.hungry = counts < self.sharing.want
        waiting = self.rng.permutation(np.flatnonzero(self.hungry))
        waiting = waiting[np.argsort(counts[waiting], kind="stable")]
        for i, v in enumerate(waiting.tolist()):
            if i % BATCH == 0:
                track("sharing neighbors", i, len(waiting))
            self.hungry[v] = not self._satisfy(v, limits)
        return not (self._count_all() < self.sharing.want).any()

    def _count_all(self) -> Ints:
        """Return, for each vertex, the number of others that share l neighbors with it."""
        graph = self.make_graph()
        if not self.sharing.strong:
            return count_sharers(graph, self.sharing.l)
        everyone = np.arange(self.n)
        return count_sharing(*join_incidences(graph, self.graph, everyone, "neighbors"), everyone, self.sharing.l)

    def _satisfy(self, v: int, limits: Ints) -> bool:
        """Add links until v shares enough. Return whether it does."""
        l, want, strong = self.sharing.l, self.sharing.want, self.sharing.strong
        while True:
            seen = self.count_for(v)
            lacking = want + 1 - int((seen >= l).sum())
            if lacking <= 0:
                return True
            level = int(seen[seen < l].max())
            poor = len(np.unique(self.rows[v] // self.many)) < l
            join, gain = (-1, 0) if strong else self._find_line(v, seen, level, limits)
            better = poor or (level == l - 1 and min(gain, lacking) > 1)
            if join >= 0 and better:
                self._add(v, join)
            elif not self._recruit(v, seen, limits):
                if join < 0:
                    return False
                self._add(v, join)

    def _add(self, u: int, x: int) -> None:
        self.link(u, x)
        self.added.append((u, x))

    def _find_line(self, v: int, seen: Ints, level: int, limits: Ints) -> tuple[int, int]:
        """Return the column that v best joins, and how many that share `level` neighbors with v are in it; -1 if none.

        Columns about other vertices than the neighbors of v come first, then those that got few links, then chance.
        """
        if level == 0:
            score = self.size
        else:
            near = [self.rows[w] for w in np.flatnonzero(seen == level).tolist()]
            score = np.bincount(np.concatenate(near), minlength=len(self.size))
        found = np.flatnonzero(score)
        found = found[self.has_room(v, found, limits)]
        if not len(found):
            found = np.arange(len(self.size)) if level == 0 else found
            found = found[self.has_room(v, found, limits)]
            if not len(found):
                return -1, 0
        value = np.minimum(score[found], self.sharing.want) if level == self.sharing.l - 1 else score[found]
        known = np.isin(found // self.many, self.rows[v] // self.many)
        got = self.size[found] - self.old.degree[found]
        best = np.lexsort([self.rng.random(len(found)), got, -value, known])[0]
        return int(found[best]), 0 if known[best] else int(score[found[best]])

    def _recruit(self, v: int, seen: Ints, limits: Ints) -> bool:
        """Let one vertex share l neighbors with v: one that shares many already, and preferably lacks candidates."""
        some = np.flatnonzero(seen < self.sharing.l)
        order = np.lexsort([self.rng.random(len(some)), ~self.hungry[some], -seen[some]])
        items = (self.old_rows if self.sharing.strong else self.rows)[v]
        for w in some[order].tolist():
            short, new = self.sharing.l - int(seen[w]), items[self.has_room(w, items, limits)]
            shared = np.intersect1d(items, self.rows[w]) // self.many
            new = new[~np.isin(new // self.many, shared)]
            new = new[np.unique(new // self.many, return_index=True)[1]]
            if len(new) < short:
                continue
            spare = np.argsort(self.size[new] - limits[new], kind="stable")
            mine = w * self.many + self.old.reversals[new[spare[:short]] % self.many]
            if (self.size[mine] + short > limits[mine]).any():
                continue
            for x in new[spare[:short]].tolist():
                self._add(w, x)
            return True
        return False

    # Links that are not needed any more.

    def drop_spare_links(self) -> None:
        """Remove added links that no vertex needs, the last ones first."""
        counts, kept = self._count_all(), []
        for i, (u, x) in enumerate(reversed(self.added)):
            if i % BATCH == 0:
                track("dropping links that are not needed", i, len(self.added))
            v, y = x // self.many, u * self.many + int(self.old.reversals[x % self.many])
            self.unlink(u, x)
            lost = self._count_lost(u, x, v) + self._count_lost(v, y, u)
            if ((counts - lost < self.sharing.want) & (lost > 0)).any():
                self.link(u, x)
                kept.append((u, x))
            else:
                counts -= lost
        self.added = kept[::-1]

    def _count_lost(self, u: int, x: int, owner: int) -> Ints:
        """Count the candidates that each vertex loses because u left line x of `owner`."""
        strong, l = self.sharing.strong, self.sharing.l
        after = self.tally(u, second=not strong)
        members = (self.old_lines if strong else self.lines)[x]
        still = [x_ for x_ in self.rows[u].tolist() if x_ // self.many == owner]
        others = [(self.old_lines if strong else self.lines)[x_] for x_ in still]
        if others:
            members = np.setdiff1d(members, np.concatenate(others))  # they still share this neighbor with u
        losers = members[(after[members] == l - 1) & (members != u)]
        lost = np.bincount(losers, minlength=self.n)
        if not strong:
            lost[u] += len(losers)
        return lost

    # Results.

    def make_graph(self) -> Graph:
        """Return the graph with the links added so far."""
        a, b, relation, _ = self.graph.links()
        if not self.added:
            return self.graph
        u, x = np.array(self.added, dtype=np.int64).T
        sources, targets = np.concatenate([a, u]), np.concatenate([b, x // self.many])
        seen = np.concatenate([relation, self.old.reversals[x % self.many]])
        return self.graph.with_links(sources, targets, seen)

    def complete(self) -> Graph:
        """Return the graph with all possible links, in which any two vertices share all others."""
        a, b = np.divmod(np.arange(self.n * self.n), self.n)
        a, b = a[a != b], b[a != b]
        relation = np.repeat(np.arange(self.many), len(a))
        return self.graph.with_links(np.tile(a, self.many), np.tile(b, self.many), relation)
