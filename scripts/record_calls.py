"""Record calls of the kernels for tests/kernels: methods, measures and attacks run on small random data.

Every kernel gets as many recorded calls as MANY says, and a kernel that knows items of graphs with directions or kinds
of links as many of those as TIED says. What is recorded stays. After a kernel is added or its result changes on purpose
(delete the calls of its file first):

    PYTHONPATH=tests:tests/kernels python scripts/record_calls.py
"""

from __future__ import annotations

import contextlib
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from test_recorded import HOMES, MANY, SEARCHES, import_kernels, list_kernels, run_reduction

import shoal
from recorded_calls import FOLDER, Call, read_calls, write_calls
from shoal.attacks import KorulaLattanzi, NarayananShmatikov
from shoal.core import balls, column_sets, exposing_sets, grouping
from shoal.core._kernels import alike
from shoal.core._kernels import exposing_sets as exposing_loops
from shoal.core.incidence import Incidence
from shoal.errors import ShoalError
from shoal.linkage import DistanceLinkage, ProbabilisticLinkage
from shoal.methods import find_method
from shoal.methods.links._kernels import agreement, degrees
from shoal.methods.links.hide_neighbors.walk import READINGS, Aim, make_rows
from shoal.methods.links.reduce_risk.search import Aim as RiskAim
from shoal.methods.tables._kernels import records
from shoal.methods.tables.mixed import summarize_classes
from ties_oracle import as_graph, draw_net

SMALL = 12_000
"""Calls with more bytes of arguments are not recorded."""
TIED = 60
"""So many calls with items are recorded of each kernel in TIED_KERNELS."""
TIED_KERNELS = {
    ("approximate", "fewest_with_errors"),
    ("balls", "count_sharing"),
    ("relation_sets", "all_fewest"),
    ("relation_sets", "attack"),
    ("relation_sets", "exposing_set"),
    ("relation_sets", "exposing_sizes"),
    ("relation_sets", "fewest_candidates"),
}
ROUNDS = 4_000
"""So many random inputs are made at most."""


class KnownRoom(exposing_loops.Room):  # type: ignore[misc]
    """A room that remembers its graph, which stands for it in a recorded call."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.graph = arguments[:2]
        self.is_ranked = len(arguments) > 2


class Recorder:
    """Kernels that note their calls, until there are enough of each."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.files = {
            file: list(read_calls(FOLDER / f"{file}.xz")) for file in HOMES if (FOLDER / f"{file}.xz").exists()
        }
        noted = [(file, call) for file, calls in self.files.items() for call in calls]
        self.counts = Counter((file, call.kernel) for file, call in noted if not has_items(call.kernel, call.arguments))
        self.tied = Counter((file, call.kernel) for file, call in noted if has_items(call.kernel, call.arguments))
        self.wanted = {(file, kernel) for file in HOMES for kernel in list_kernels(file)}
        for file, kernel in self.wanted:
            module = import_kernels(file)
            setattr(module, kernel, self.wrap(file, kernel, getattr(module, kernel)))
        self.wanted |= set(SEARCHES)
        exposing_loops.Room = KnownRoom

    def list_missing(self) -> list[tuple[str, str]]:
        """Return the kernels that have too few calls."""
        return sorted(who for who in self.wanted if self.counts[who] < MANY)

    def wrap(self, file: str, kernel: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a kernel that notes its calls."""

        def noted(*arguments: Any) -> Any:
            rooms = [a for a in arguments if isinstance(a, KnownRoom)]
            tied = has_items(kernel, arguments)
            counts, most = (self.tied, TIED) if tied else (self.counts, MANY)
            if counts[file, kernel] >= most or measure(arguments) > SMALL or any(r.is_ranked for r in rooms):
                return call(*arguments)
            before = copy(arguments)
            result = call(*arguments)
            if self.rng.random() < 0.5:  # calls that follow each other are much alike
                counts[file, kernel] += 1
                self.files.setdefault(file, []).append(Call(kernel, before, copy(arguments), copy(result)))
            return result

        return noted


def has_items(kernel: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether the graph of a call has items: four arrays, or the owners of items."""
    if kernel == "count_sharing":
        return len(arguments) > 12 and arguments[12] is not None
    if kernel not in {name for _, name in TIED_KERNELS}:
        return False
    return any(isinstance(a, tuple) and len(a) == 4 and all(isinstance(x, np.ndarray) for x in a) for a in arguments)


def copy(value: Any) -> Any:
    """Return a value that later writing does not change, in the form of a recorded call."""
    if isinstance(value, tuple):
        flat = (part for one in value for part in (one.graph if isinstance(one, KnownRoom) else (one,)))
        return tuple(copy(part) for part in flat)
    return np.array(value) if isinstance(value, np.ndarray) else value


def measure(value: Any) -> int:
    """Return the number of bytes of all arrays."""
    if isinstance(value, tuple):
        return sum(map(measure, value))
    return value.nbytes if isinstance(value, np.ndarray) else 0


def draw_graph(rng: random.Random) -> nx.Graph:
    """Return a small random network of one of several kinds."""
    n, seed = rng.randint(4, 16), rng.randrange(10**6)
    kinds: list[Callable[[], nx.Graph]] = [
        lambda: nx.gnm_random_graph(n, rng.randint(n // 2, 3 * n), seed=seed),
        lambda: nx.barabasi_albert_graph(n, rng.randint(1, 3), seed=seed),
        lambda: nx.watts_strogatz_graph(n, 4, 0.2, seed=seed),
        lambda: nx.random_labeled_tree(n, seed=seed),
        lambda: nx.disjoint_union(nx.star_graph(rng.randint(2, 5)), nx.cycle_graph(rng.randint(3, 6))),
        lambda: nx.complete_bipartite_graph(rng.randint(1, 5), rng.randint(2, 5)),
    ]
    return rng.choice(kinds)()


def draw_table(rng: random.Random) -> dict[str, list[Any]]:
    """Return a small random table with numbers and words, some of them missing."""
    n = rng.randint(6, 24)
    return {
        "age": [rng.choice([*range(20, 30), None]) for _ in range(n)],
        "pay": [rng.choice([*(round(rng.uniform(1, 5), 1) for _ in range(5)), None]) for _ in range(n)],
        "town": [rng.choice(["a", "b", "c", "d"]) for _ in range(n)],
        "sex": [rng.choice(["f", "m", None]) for _ in range(n)],
    }


def list_graph_calls(rng: random.Random) -> Iterator[Callable[[], Any]]:
    """Yield what can be done with networks."""
    g, h, seed, k = draw_graph(rng), draw_graph(rng), rng.randrange(1000), rng.randint(2, 3)
    graph, l = shoal.as_graph(g), rng.randint(1, 3)

    def apply(name: str, **how: Any) -> Callable[[], Any]:
        return lambda: find_method(name)(**how)(g)

    yield apply("hide-neighbors", k=k, l=l, effort=2, seed=seed)
    yield apply("hide-neighbors", k=k, l=l, effort=2, seed=seed, add_only=True)
    yield apply("hide-relations", k=2, l=l, effort=2, seed=seed)
    yield apply("hide-relations", k=2, located=True, effort=2, seed=seed, add_only=True)
    for edits in ("add", "add-delete", "add-vertices"):
        for realize in (None, "supergraph", "umga", "greedy-swap", "priority"):
            yield apply("match-degrees", k=k, edits=edits, realize=realize, seed=seed)
    yield apply("match-degrees", k=k, degrees="greedy", seed=seed)
    yield apply("match-neighborhoods", k=2, seed=seed)
    yield apply("share-neighbors", k=k, l=rng.randint(1, 2), seed=seed)
    yield apply("share-neighbors", k=k, l=1, variant="strong", seed=seed)
    yield apply("perturb", switch=5, seed=seed)
    yield apply("equalize-rows", k=2, effort=2, seed=seed)
    yield apply("generalize", k=2, effort=2, seed=seed)
    for spec in (
        "counts:1",
        "degrees:1",
        "degrees:1~25%",
        "neighborhood:1",
        "subgraph:2",
        "orbit",
        "relations:2",
        "neighbors:2",
        "neighbors:3~1",
    ):
        yield partial(shoal.assess, g, spec)
    for reading in READINGS:
        yield partial(shoal.levels, g, reading, k=k)
        entries = Incidence.of(graph, reading)
        yield partial(exposing_sets.find_fewest_set, entries, rng.randrange(graph.n), l)
        yield partial(exposing_sets.find_exposing_set, entries, rng.randrange(graph.n), k, rng.randint(1, 4))
        yield partial(exposing_sets.count_fewest, entries, l)
        yield partial(try_rows, graph, Aim(k, l, reading, False, "recording"), rng)
    yield partial(search_unranked, graph, k)
    yield partial(list_balls, graph)
    yield partial(list_balls, as_graph(draw_net(rng, rng.randint(2, 12)), multigraph=rng.random() < 0.5))
    other = nx.gnm_random_graph(len(g), g.number_of_edges(), seed=seed) if rng.random() < 0.5 else nx.Graph(g)
    yield partial(shoal.attack, g, other, by="cascade", seed=seed)
    yield partial(shoal.attack, g, g, by="cascade", seed=seed)
    both = nx.disjoint_union(g, h)
    for by in (KorulaLattanzi(seeds=3, repeats=1), NarayananShmatikov(seeds=3, repeats=1)):
        yield partial(shoal.attack, both, both, by=by, seed=seed)
    yield partial(
        shoal.attack, both, both, by="planted-walk", method=find_method("perturb")(add=1, seed=seed), seed=seed
    )


def try_rows(graph: shoal.Graph, aim: Aim, rng: random.Random) -> None:
    """Call the loops over bit rows one by one."""
    rows = make_rows(graph, graph, aim, rng.randrange(1000))
    agreement.valid(rows)
    agreement.row_violation(rows, rng.randrange(graph.n), 0)
    agreement.remove(rows, np.arange(graph.n))
    agreement.changed_to(rows, rng.randrange(graph.n), np.zeros(1, dtype=np.uint64))
    agreement.add(rows, np.arange(graph.n), rng.randint(1, 9))
    agreement.restore(rows, np.arange(graph.n))
    few = shoal.as_graph(nx.gnm_random_graph(rng.randint(3, 5), rng.randint(1, 5), seed=rng.randrange(1000)))
    pairs = np.array(list(combinations(range(few.n), 2)), dtype=np.int64)
    agreement.fewest_of_all(make_rows(few, few, aim, 1), pairs)


def search_unranked(graph: shoal.Graph, k: int) -> None:
    """Search exposing sets in a graph whose vertices are not numbered by degree."""
    room, todo = exposing_loops.Room(graph.indptr, graph.indices), np.arange(graph.n)
    found = np.zeros((2, graph.n), dtype=np.int64)
    exposing_loops.exposing_sizes(0, graph.n, todo, room, k, 4, 1000, *found)


def list_balls(graph: shoal.Graph) -> None:
    """List degrees in balls; hashes that all collide have the classes verified."""
    balls.list_ball_degrees(graph, 0, 1)
    for spec in ("degree", "counts:1~25%", "degrees:1~25%", "neighbors:1", "hubs:1", "subgraph:2", "subgraph:3"):
        shoal.assess(graph, spec)
    with forced_collisions():
        shoal.assess(graph, "degrees:1")
        shoal.assess(graph, "degrees:2")
        shoal.assess(graph, "refinement:2")


@contextlib.contextmanager
def forced_collisions() -> Iterator[None]:
    """Use no bit of a hash, so that every comparison must decide."""
    grouping.HASH_BITS = 0
    try:
        yield
    finally:
        grouping.HASH_BITS = 64


def list_table_calls(rng: random.Random) -> Iterator[Callable[[], Any]]:
    """Yield what can be done with tables."""
    table, seed, k = draw_table(rng), rng.randrange(1000), rng.randint(2, 3)
    mixed = shoal.Table.of(table)
    codes = [np.array([rng.randrange(3) for _ in range(12)]) for _ in range(rng.randint(2, 5))]
    for name, how in (
        ("microaggregate", {}),
        ("microaggregate", {"representative": "median"}),
        ("mondrian", {}),
        ("hide-columns", {"l": rng.randint(1, 3)}),
        ("recode", {"columns": ("age", "town", "sex"), "suppress": 0.4}),
    ):
        yield lambda name=name, how=how: find_method(name)(k=k, **how)(table)
    yield partial(find_method("distort")(classes="town", seed=seed), {n: table[n] for n in ("age", "town")})
    for linkage in (
        DistanceLinkage(),
        DistanceLinkage(take="k-nearest", k=3),
        DistanceLinkage(take="softmax", temperature=0.5),
        ProbabilisticLinkage(),
    ):
        yield lambda linkage=linkage: list(linkage.rows(mixed, mixed))
    yield partial(column_sets.count_fewest_columns_in_release, codes, rng.randint(2, 8), 2)
    yield lambda: list(column_sets.list_minimal_sets(codes, [k] * len(codes)))
    yield partial(try_columns, codes, rng)
    yield partial(try_degrees, rng)
    wide = [np.array([rng.randrange(4) for _ in range(6)]) for _ in range(rng.randint(9, 12))]
    yield partial(column_sets.find_revealing_sizes, wide, k, len(wide))
    yield partial(try_classes, mixed, rng)


def try_classes(table: shoal.Table, rng: random.Random) -> None:
    """Summarize random classes, and take the nearest of random points."""
    order, cut = np.array(rng.sample(range(table.n), table.n)), rng.randint(1, table.n - 1)
    bounds = np.array([0, cut, table.n])
    for name in ("town", "sex"):
        summarize_classes(table[name], None, order, bounds, "mode")
    summarize_classes(table["age"], table["age"].numbers("age"), order, bounds, "median")
    far = np.array([rng.choice([0.0, 0.5, 1.0, rng.random()]) for _ in range(9)])
    size = rng.randint(2, 9)
    records.nearest(far, size, rng.randrange(size), np.empty(2, dtype=np.int64), 2)


def try_columns(columns: list[np.ndarray[Any, np.dtype[np.int64]]], rng: random.Random) -> None:
    """Search smallest sets of columns for all rows at once, and move counts to a larger table."""
    codes, n = np.array(columns, dtype=np.int32), len(columns[0])
    found = np.zeros((2, n), dtype=np.int64)
    alike.smallest_sets(0, n, np.arange(n), codes, np.ones(n, dtype=np.int64), 2, 1, len(columns), 1000, *found)
    keys, counts = np.full(8, -1, dtype=np.int64), np.zeros(8, dtype=np.int32)
    for i in rng.sample(range(8), 5):
        keys[i], counts[i] = rng.randrange(1 << 40), rng.randrange(4)
    new = np.full(16, -1, dtype=np.int64)
    records.move_counts(keys, counts, new, np.zeros(16, dtype=np.int32), np.array([5]))


def try_degrees(rng: random.Random) -> None:
    """Group random degrees."""
    d = np.array(sorted((rng.randint(0, 9) for _ in range(rng.randint(4, 14))), reverse=True))
    k = rng.randint(2, 3)
    degrees.groups_within(d, k, degrees.least_deficiency(d, k))
    degrees.greedy_groups(d, k, rng.randint(0, 1))


REDUCTIONS = {
    ("reduction", "reduce"): ["degree", "counts:1", "degrees:1", "refinement:2", "neighbors:1", "degree+counts:1"],
    ("reduction", "reduce_pairs"): ["neighbors:2"],
    ("distances", "reduce_hubs"): ["hubs:1", "hubs:2", "hubs:3:2", "hubs:2+degree"],
    ("shapes", "reduce_neighborhoods"): ["neighborhood:1", "neighborhood:1+hubs:2"],
    ("tied_balls", "reduce_ties"): ["counts:1", "degrees:1", "refinement:2", "neighbors:2", "degree+counts:1"],
}
"""Kinds of knowledge for which searches are recorded."""


def record_reductions(recorder: Recorder, rng: random.Random) -> None:
    """Search for edits that leave few people at risk, of every kind, for every kind of knowledge."""
    for who, specs in REDUCTIONS.items():
        while recorder.counts[who] < MANY:
            n, k, modes, seed = rng.randint(5, 30), rng.randint(2, 4), rng.randint(1, 4), rng.randrange(2**60)
            sex = {v: rng.randrange(2) for v in range(n)}
            g = shoal.as_graph(nx.gnp_random_graph(n, rng.uniform(0.1, 0.8), seed=seed), attributes={"sex": sex})
            g = direct_links(g, rng) if who[0] == "tied_balls" else g
            joined = [rng.choice(specs) + rng.choice(["", "+columns:sex"]) for _ in range(rng.randint(1, 2))]
            kinds = tuple(shoal.parse_knowledge(spec).incremental() for spec in joined)
            budget, both = rng.randint(0, max(1, g.m // 2)), rng.random() < 0.5
            search = RiskAim(g, kinds, k, "add-delete", budget, 2, 0, both)  # type: ignore[arg-type]
            reads, codes, coarser, hubs, _ = search.list_comparisons()
            indptr, indices, mates = search.rows
            room = np.full(len(indptr) - 1, n)
            start = (k, indptr, indices, room, reads, codes, both, budget, seed, coarser, hubs)
            limits = (300, 0.6, 0.1, modes, budget, rng.randint(0, 2), rng.randint(0, 2))
            more = () if mates is None else (mates,)
            result = run_reduction(copy(start), limits, *more)
            recorder.counts[who] += 1
            call = Call(who[1], (copy(start), limits, *more), (start, limits, *more), result)
            recorder.files.setdefault(who[0], []).append(call)


def direct_links(graph: shoal.Graph, rng: random.Random) -> shoal.Graph:
    """Return the graph with random directions and kinds of its links, at least one of them directed."""
    a, b, _ = graph.edges()
    if not len(a):
        a, b = np.array([0]), np.array([1])
    kinds = rng.choice([("x",), ("x", "y")])
    directed = [True, *(rng.random() < 0.7 for _ in range(len(a) - 1))]
    how: dict[str, Any] = {"directed": directed, "kinds": [rng.choice(kinds) for _ in a]}
    turned = np.array([rng.random() < 0.5 for _ in a])
    ends = np.where(turned, b, a), np.where(turned, a, b)
    return shoal.Graph.from_pairs(graph.names, *ends, attributes=graph.attributes, **how)


def draw_ties(rng: random.Random) -> shoal.Graph:
    """Return a small network with directions, kinds or both, and some parallel links."""
    n, links = rng.randint(3, 9), rng.randint(2, 30)
    a = np.array([rng.randrange(n) for _ in range(links)])
    b = (a + np.array([rng.randrange(1, n) for _ in range(links)])) % n
    ways, kinds = rng.choice([(True,), (True, False), (False,)]), rng.choice([("x",), ("x", "y")])
    directed = [True, *(rng.choice(ways) for _ in range(links - 1))]
    labels = [rng.choice(kinds) for _ in range(links)]
    return shoal.Graph.from_pairs(range(n), a, b, directed=directed, kinds=labels, multigraph=rng.random() < 0.5)


def record_ties(recorder: Recorder, rng: random.Random) -> None:
    """Ask about known links where links have directions and kinds, alone and of an original in a release."""
    while any(recorder.tied[who] < TIED for who in TIED_KERNELS):
        graph, other = draw_ties(rng), draw_ties(rng)
        k, l = rng.randint(1, min(4, graph.n)), rng.randint(2, 3)
        for spec in (f"neighbors:{l}", f"neighbors:{l}:multiplicities", f"relations:{l}", f"located-relations:{l}"):
            shoal.assess(graph, spec)
            shoal.assess(graph, spec, original=other)
        for spec in ("shared-neighbors:2", "neighbors:2~1", "neighbors:3~1", "neighbors:3:multiplicities~2"):
            shoal.assess(graph, spec)
            shoal.assess(graph, spec, original=other)
        for reading in READINGS:
            entries, v = Incidence.of(graph, reading), rng.randrange(graph.n)
            exposing_sets.find_exposing_sizes(entries, k, entries.items)
            exposing_sets.find_exposing_set(entries, v, k, rng.randint(1, entries.items))
            exposing_sets.find_fewest_set(entries, v, l)


def main() -> None:
    """Record until every kernel has enough calls, or the rounds are over."""
    rng = random.Random(17)
    recorder = Recorder(rng)
    warnings.simplefilter("ignore")
    failed: Counter[str] = Counter()
    for _ in range(ROUNDS):
        if set(recorder.list_missing()) <= set(SEARCHES):
            break
        for call in (*list_graph_calls(rng), *list_table_calls(rng)):
            try:
                call()
            except ShoalError as error:
                failed[repr(error)[:90]] += 1
    record_reductions(recorder, rng)
    record_ties(recorder, rng)
    for file, calls in recorder.files.items():
        write_calls(FOLDER / f"{file}.xz", calls)
        print(file, len(calls), "calls,", (FOLDER / f"{file}.xz").stat().st_size, "bytes")
    for file, kernel in recorder.list_missing():
        print("too few calls:", file, kernel, recorder.counts[file, kernel])


if __name__ == "__main__":
    main()
