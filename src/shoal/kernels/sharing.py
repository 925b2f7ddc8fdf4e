"""Shared neighbors: rows that links are added to, counts over paths of length two, and which link to add next.

A graph is (indptr, indices, head, following, ends): the rows it came with, and the links added since as lists: the
first added half of v is head[v], the next one following[half], and it leads to ends[half] (-1 where it was taken
away). The link e has the halves 2e and 2e + 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.kernels.words import mix


@njit(nogil=True, cache=True)
def row(v, added, graph, out):
    """Write the neighbors of v into `out`, with or without the links added since; return how many."""
    indptr, indices, head, following, ends = graph
    many = 0
    for e in range(indptr[v], indptr[v + 1]):
        out[many] = indices[e]
        many += 1
    half = head[v] if added else -1
    while half >= 0:
        if ends[half] >= 0:
            out[many] = ends[half]
            many += 1
        half = following[half]
    return many


@njit(nogil=True, cache=True)
def tally(v, first, second, graph, near, seen, touched):
    """Count in `seen` for everybody how many neighbors of v they are next to; return how many are in `touched`.

    `first` tells whether links added since count from v to its neighbors, `second` whether they do from there on. v
    itself is counted too.
    """
    indptr, indices, head, following, ends = graph
    far = 0
    for i in range(row(v, first, graph, near)):
        y = near[i]
        for e in range(indptr[y], indptr[y + 1]):
            w = indices[e]
            if seen[w] == 0:
                touched[far] = w
                far += 1
            seen[w] += 1
        half = head[y] if second else -1
        while half >= 0:
            w = ends[half]
            if w >= 0:
                if seen[w] == 0:
                    touched[far] = w
                    far += 1
                seen[w] += 1
            half = following[half]
    return far


@njit(nogil=True, cache=True)
def clear(seen, touched, far):
    """Make `seen` zero again."""
    for i in range(far):
        seen[touched[i]] = 0


@njit(nogil=True, cache=True)
def join(u, x, e, graph):
    """Add the link e between u and x."""
    _, _, head, following, ends = graph
    ends[2 * e], ends[2 * e + 1] = x, u
    following[2 * e], following[2 * e + 1] = head[u], head[x]
    head[u], head[x] = 2 * e, 2 * e + 1


@njit(nogil=True, cache=True)
def part(u, x, e, graph, gone):
    """Take the link e between u and x away, or bring it back."""
    ends = graph[4]
    ends[2 * e], ends[2 * e + 1] = (-1, -1) if gone else (x, u)


@njit(nogil=True, cache=True)
def meet(u, x, seen, graph, near, aim, count, change):
    """Return how many deficits fall as u becomes a neighbor of x, by those who are next to x; `change` counts them.

    `seen` is how many neighbors u shares with everybody so far. aim = (l, want, strong): everybody must share l
    neighbors with `want` others; where it is strong, the neighbors of each must be old ones, so that u gains nothing.
    """
    l, want, strong = aim
    lowered, met = 0, 0
    for i in range(row(x, not strong, graph, near)):
        w = near[i]
        if w != u and seen[w] == l - 1:
            met += 1
            lowered += count[w] < want
            count[w] += change
    if not strong:
        lowered += min(met, max(0, want - count[u]))
        count[u] += change * met
    return lowered


# Links are added until everybody shares l neighbors with enough others, each time the one that lowers most deficits.
#
# room = (degree, limit, added): how many links everybody has, may come to have, and got. aim = (l, want, strong) as in
# :func:`meet`. work = (near, seen, touched, other, met, mark, around): arrays of n entries, `seen` and `other` zero
# between calls. dice is the state of the generator.


TRIES = 12
"""How many links of each kind are tried for one vertex."""


@njit(nogil=True, cache=True)
def draw(dice, many):
    """Return a number below `many`."""
    dice[0] += np.uint64(1)
    return np.int64(mix(dice[0]) % np.uint64(many))


@njit(nogil=True, cache=True)
def worth(u, x, graph, aim, count, work):
    """Return how many deficits a link between u and x would lower."""
    near, _, _, other, met, _, _ = work
    strong, want, total = aim[2], aim[1], 0
    for a, b in ((u, x), (x, u)):
        helps = not strong and count[a] < want
        if not helps:
            for i in range(row(b, not strong, graph, near)):
                helps |= count[near[i]] < want
        if helps:
            far = tally(a, True, not strong, graph, near, other, met)
            total += meet(a, b, other, graph, near, aim, count, 0)
            clear(other, met, far)
    return total


@njit(nogil=True, cache=True)
def link(u, x, e, graph, aim, count, room, work):
    """Add the link e between u and x, and count who shares enough with whom now."""
    near, _, _, other, met, _, _ = work
    for a, b in ((u, x), (x, u)):
        far = tally(a, True, not aim[2], graph, near, other, met)
        meet(a, b, other, graph, near, aim, count, 1)
        clear(other, met, far)
    join(u, x, e, graph)
    for a in (u, x):
        room[0][a] += 1
        room[2][a] += 1


@njit(nogil=True, cache=True)
def stamp(w, graph, work):
    """Mark w and its neighbors."""
    near, mark = work[0], work[5]
    for i in range(row(w, True, graph, near)):
        mark[near[i]] = w
    mark[w] = w


@njit(nogil=True, cache=True)
def rank(value, x, room, dice):
    """Return a key by which the larger value goes first, then who got fewer links, then chance."""
    return (value * np.int64(1 << 40)) - min(room[2][x], 1 << 19) * np.int64(1 << 20) + draw(dice, 1 << 20)


@njit(nogil=True, cache=True)
def offer(key, x, keys, best):
    """Keep the best few."""
    low = 0
    for i in range(len(keys)):
        if best[i] == x:
            return
        if keys[i] < keys[low]:
            low = i
    if key > keys[low]:
        keys[low], best[low] = key, x


@njit(nogil=True, cache=True)
def free(x, w, room, mark):
    """Tell whether x may be linked to w, whose neighbors are marked."""
    return x >= 0 and mark[x] != w and room[0][x] < room[1][x]


@njit(nogil=True, cache=True)
def anybody(hungry, graph, work, dice):
    """Return somebody at random: who lacks candidates, a neighbor of such a one, anybody, or a neighbor of anybody."""
    kind = draw(dice, 4)
    x = hungry[draw(dice, len(hungry))] if kind < 2 else draw(dice, len(work[1]))
    if kind % 2:
        many = row(x, True, graph, work[0])
        x = work[0][draw(dice, many)] if many else x
    return x


@njit(nogil=True, cache=True)
def beyond(v, level, far, graph, room, work, want, most, keys, best, dice):
    """Keep the best to link v itself to: those who are next to many that share `level` neighbors with v."""
    near, seen, touched, other, met, mark, _ = work
    start, looked, reached = draw(dice, max(1, far)), 0, 0
    for j in range(far):
        w = touched[(start + j) % far]
        if w == v or seen[w] != level:
            continue
        many = row(w, True, graph, near)
        looked += many
        for i in range(many):
            x = near[i]
            if other[x] == 0:
                met[reached] = x
                reached += 1
            other[x] += 1
        if looked > most:
            break
    for i in range(reached):
        x = met[i]
        if free(x, v, room, mark):
            offer(rank(min(other[x], want), x, room, dice), x, keys, best)
    clear(other, met, reached)


@njit(nogil=True, cache=True)
def level_of(v, l, seen, touched, far):
    """Return the most neighbors below l that anybody shares with v."""
    level = 0
    for i in range(far):
        if touched[i] != v and level < seen[touched[i]] < l:
            level = seen[touched[i]]
    return level


@njit(nogil=True, cache=True)
def neediest(v, graph, aim, count, work, keys, best, dice):
    """Keep the neighbors of v that are next to most who lack candidates; those of old links where it is strong."""
    near, around, strong = work[0], work[6], aim[2]
    for i in range(row(v, not strong, graph, around)):
        w, needy = around[i], 0
        for j in range(row(w, not strong, graph, near)):
            needy += count[near[j]] < aim[1]
        offer(needy * np.int64(1 << 20) + draw(dice, 1 << 20), w, keys, best)


@njit(nogil=True, cache=True)
def towards(v, w, level, far, graph, aim, count, room, work, hungry, keys, best, dice):
    """Keep the best to link w, a neighbor of v, to: those who share `level` neighbors with v, the needy first."""
    seen, touched, mark = work[1], work[2], work[5]
    stamp(w, graph, work)
    if level == 0:
        for _ in range(2 * TRIES):
            y = anybody(hungry, graph, work, dice)
            if y != v and seen[y] == 0 and free(y, w, room, mark):
                offer(rank(1 + (count[y] < aim[1]), y, room, dice), y, keys, best)
    else:
        for i in range(far):
            y = touched[i]
            if y != v and seen[y] == level and free(y, w, room, mark):
                offer(rank(1 + (count[y] < aim[1]), y, room, dice), y, keys, best)


@njit(nogil=True, cache=True)
def from_itself(v, level, far, graph, aim, count, room, work, hungry, most, keys, best, dice):
    """Keep the best to link v itself to."""
    stamp(v, graph, work)
    if level > 0:
        beyond(v, level, far, graph, room, work, aim[1], most, keys, best, dice)
    else:
        for _ in range(4 * TRIES):
            x = anybody(hungry, graph, work, dice)
            if free(x, v, room, work[5]):
                offer(rank(min(room[0][x], aim[1]), x, room, dice), x, keys, best)


@njit(nogil=True, cache=True)
def last_resort(v, graph, aim, room, work, dice):
    """Return any link that may help v: of a neighbor to whoever shares most with v and not enough, or of v itself."""
    seen, mark, around = work[1], work[5], work[6]
    l, _, strong = aim
    many = row(v, not strong, graph, around)
    for i in range(many + (not strong)):
        w = around[i] if i < many else v
        if room[0][w] >= room[1][w]:
            continue
        stamp(w, graph, work)
        top, found = np.int64(-1), -1
        for y in range(len(seen)):
            if y != v and (seen[y] < l or w == v) and free(y, w, room, mark):
                key = rank(1 + min(seen[y], l), y, room, dice)
                if key > top:
                    top, found = key, y
        if found >= 0:
            return w, found
    return -1, -1


@njit(nogil=True, cache=True)
def chosen(v, graph, aim, count, room, work, hungry, most, dice):
    """Return the link that lowers most deficits among those that may help v; (-1, -1) if there is none."""
    near, seen, touched, _, _, _, _ = work
    l, _, strong = aim
    far = tally(v, not strong, True, graph, near, seen, touched)
    level = level_of(v, l, seen, touched, far)
    keys, best = np.full(TRIES, -1 << 62, dtype=np.int64), np.full(TRIES, -1, dtype=np.int64)
    ways, hubs = keys.copy(), best.copy()
    if strong or room[0][v] >= l:
        neediest(v, graph, aim, count, work, ways, hubs, dice)
    top, tie, u, x = -1, np.int64(0), -1, -1
    for i in range(-1, TRIES):
        w = v if i < 0 else hubs[i]
        if w < 0 or room[0][w] >= room[1][w] or (i < 0 and strong):
            continue
        keys[:], best[:] = -1 << 62, -1
        if i < 0:
            from_itself(v, level, far, graph, aim, count, room, work, hungry, most, keys, best, dice)
        else:
            towards(v, w, level, far, graph, aim, count, room, work, hungry, keys, best, dice)
        for j in range(TRIES):
            if best[j] >= 0:
                value = worth(w, best[j], graph, aim, count, work)
                key = keys[j] - min(room[2][w], 1 << 19) * np.int64(1 << 20)
                if value > top or (value == top and key > tie):
                    top, tie, u, x = value, key, w, best[j]
    if u < 0:
        u, x = last_resort(v, graph, aim, room, work, dice)
    clear(seen, touched, far)
    return u, x


@njit(nogil=True, cache=True)
def satisfy(order, made, until, graph, aim, count, room, work, hungry, most, dice, stuck):
    """Add links for the vertices of `order` until there are `until`, where `made` were; return how many there are.

    `stuck` marks those for whom no link is allowed any more.
    """
    for v in order:
        while count[v] < aim[1] and made < until:
            u, x = chosen(v, graph, aim, count, room, work, hungry, most, dice)
            if u < 0:
                stuck[v] = True
                break
            link(u, x, made, graph, aim, count, room, work)
            made += 1
    return made


@njit(nogil=True, cache=True)
def drop(order, graph, aim, count, room, work):
    """Take away the added links of `order`, one after the other, where everybody keeps enough; return how many."""
    near, _, _, other, met, _, _ = work
    gone = 0
    for e in order:
        x, u = graph[4][2 * e], graph[4][2 * e + 1]
        part(u, x, e, graph, True)
        enough = True
        for change in (-1, 1):
            for a, b in ((u, x), (x, u)):
                far = tally(a, True, not aim[2], graph, near, other, met)
                meet(a, b, other, graph, near, aim, count, change)
                if change < 0:
                    enough &= count[a] >= aim[1]
                    for i in range(row(b, not aim[2], graph, near)):
                        enough &= count[near[i]] >= aim[1]
                clear(other, met, far)
            if enough:
                break
        if enough:
            gone += 1
            for a in (u, x):
                room[0][a] -= 1
                room[2][a] -= 1
        else:
            part(u, x, e, graph, False)
    return gone
