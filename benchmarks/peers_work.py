"""The same work, done by another tool and by shoal: the inputs, the code of both, and why results may differ.

The code of a tool runs in its environment (benchmarks.peers). It reads its input, then starts the clock, and leaves
`result = [seconds of CPU, value]`. Values are compared by the relation of the work. A work without a reason to differ
must give equal values.
"""

import shlex
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.peers import PeerFailed, asked, last_line, run
from benchmarks.relational import draw_ends

import shoal

K = 5
LINKS, ROWS, PEOPLE, PAIRED = 100_000, 5_000, 1_000, 300
"""The sizes of inputs: a network, a table, records for nearest neighbors, records of each linked table."""
QUASI = ["age", "sex", "town"]
TRAP = "labels without separator"


@dataclass(frozen=True)
class Inputs:
    """Files of one network and of tables in a folder, and the same in memory."""

    name: str
    folder: Path
    graph: Any
    table: Any = None

    @property
    def links(self):
        return self.folder / "links.txt"

    def build(self):
        """Return the network as a new object."""
        return shoal.Graph.from_pairs(range(self.graph.n), *self.graph.edges()[:2])


@dataclass(frozen=True)
class Work:
    """One row of the table."""

    peer: str
    title: str
    code: str
    """What the tool does; its arguments are those of `arguments`."""
    ours: Callable[[Inputs], Any]
    arguments: Callable[[Inputs], list] = field(default=lambda given: [given.links])
    relation: str = "equal"
    """What must hold for the values, a key of RELATIONS."""
    why: str = ""
    """Why the values differ, or what the times do not show."""
    prepare: Callable[[Inputs], Any] = field(default=lambda given: given.build())
    """What shoal reads before its clock starts."""
    only: str = ""
    """The name of the only input that it is done on, if it is made for one."""

    def takes(self, given):
        """Return whether the work is done on this input."""
        return (
            given.name == (self.only or given.name)
            and (self.only or given.name != TRAP)
            and not (self in TABLES and given.table is None)
        )

    def ask(self, given):
        """Let the tool work; return its seconds and its value."""
        return asked(self.peer, READ + self.code, *self.arguments(given))

    def do(self, given):
        """Let shoal work; return its seconds and its value."""
        self.ours(self.prepare(given))  # loads libraries
        held = self.prepare(given)  # anew, so that nothing is remembered
        start = time.process_time()
        value = self.ours(held)
        return time.process_time() - start, value


RELATIONS = {
    "equal": lambda theirs, ours: theirs == ours,
    "close": lambda theirs, ours: bool(np.allclose(theirs, ours, rtol=0, atol=1e-4)),
    "never more classes": lambda theirs, ours: theirs["classes"] <= ours["classes"],
    "as many links": lambda theirs, ours: theirs["links"] == ours["links"],
    "both keep k": lambda theirs, ours: min(theirs["least"], ours["least"]) >= K,
    "never more loss": lambda theirs, ours: min(theirs["least"], ours["least"]) >= K and ours["loss"] <= theirs["loss"],
    "found by both": lambda theirs, ours: all(one in many for one, many in zip(theirs, ours, strict=True)),
    "never less": lambda theirs, ours: theirs["records"] >= ours["records"],
}
READ = """
import sys, time
def read_pairs(path):
    with open(path) as file:
        return [tuple(map(int, line.split())) for line in file]
"""


# Inputs.


def make_inputs(folder, data=None):
    """Write a generated network and table, and convert real networks of a folder; return the inputs."""
    a, b = draw_ends(LINKS)
    made = [("generated", a, b), (TRAP, *draw_trap())]
    for place in sorted(Path(data).glob("*.edges.gz")) if data else ():
        graph = shoal.read_graph(place)
        if graph.m <= 5 * LINKS and graph.ties is None:
            made.append((place.name.removesuffix(".edges.gz"), *graph.edges()[:2]))
    found = []
    for name, *ends in made:
        place = folder / name
        place.mkdir()
        _, ids = np.unique(np.concatenate(ends), return_inverse=True)
        pairs = ids.reshape(2, -1).T
        np.savetxt(place / "links.txt", pairs, fmt="%d")
        graph = shoal.Graph.from_pairs(range(int(pairs.max()) + 1), *pairs.T)
        table = draw_people(place) if name == "generated" else None
        found.append(Inputs(name, place, graph, table))
    return found


def draw_trap():
    """Return links of a network where degrees {1, 112} and {11, 12} of the neighbors of two vertices look alike.

    Vertex 0 has neighbors of degrees 1 and 112, vertex 1 of degrees 11 and 12. Without a separator both are "112".
    """
    pairs, free = [], 6
    for v, (own, degree) in {2: (0, 1), 3: (0, 112), 4: (1, 11), 5: (1, 12)}.items():
        pairs += [(own, v), *((v, free + i) for i in range(degree - 1))]
        free += degree - 1
    return np.array(pairs).T


def draw_people(folder):
    """Write a table with skewed columns, and two tables of the same people with errors."""
    rng = np.random.default_rng(1)
    cards = {"sex": 2, "town": 12, "ill": 6}
    columns = {name: rng.choice(card, ROWS, p=rng.dirichlet(np.full(card, 2.0))) for name, card in cards.items()}
    frame = pd.DataFrame({"age": rng.integers(18, 90, ROWS)} | {c: [f"{c}{x}" for x in columns[c]] for c in columns})
    frame.to_csv(folder / "people.csv", index=False)
    base = pd.DataFrame({name: rng.integers(0, 6, PAIRED).astype(str) for name in "abcd"})
    noisy = base.copy()
    for name in "abcd":
        wrong = rng.random(PAIRED) < 0.15
        noisy.loc[wrong, name] = rng.integers(0, 6, wrong.sum()).astype(str)
    base.to_csv(folder / "base.csv", index=False)
    noisy.to_csv(folder / "noisy.csv", index=False)
    return frame


def list_people(given):
    return [given.folder / "people.csv", ",".join(QUASI), K]


def hold_people(given):
    return shoal.as_table(given.table)


# Networks.


def count_classes(spec):
    """Return work that counts the classes of a kind of knowledge, and the sizes of the smallest."""

    def count(graph):
        sizes = np.bincount(shoal.assess(graph, spec).answer.published)
        return {"classes": int((sizes > 0).sum()), "unique": int((sizes == 1).sum())}

    return count


def read_links(place):
    graph = shoal.read_graph(place)
    return {"links": graph.m}


CLASSES = """
def tally(codes):
    sizes = {}
    for code in codes:
        sizes[code] = sizes.get(code, 0) + 1
    return {"classes": len(sizes), "unique": sum(size == 1 for size in sizes.values())}
"""
IGRAPH_ORBITS = (
    CLASSES
    + """
import igraph
graph = igraph.Graph(read_pairs(sys.argv[1]))
start = time.process_time()
first = list(range(graph.vcount()))
def find(v):
    while first[v] != v:
        first[v] = v = first[first[v]]
    return v
for image in graph.automorphism_group():
    for v, w in enumerate(image):
        if v != w:
            first[find(v)] = find(w)
codes = [find(v) for v in first]
result = [time.process_time() - start, tally(codes)]
"""
)
IGRAPH_READ = """
import igraph
start = time.process_time()
graph = igraph.Graph.Read_Edgelist(sys.argv[1], directed=False)
result = [time.process_time() - start, {"links": graph.ecount()}]
"""
NETWORKX_HASHES = (
    CLASSES
    + """
import networkx as nx
graph = nx.Graph(read_pairs(sys.argv[1]))
rounds, given = int(sys.argv[2]), sys.argv[3] == "given"
nx.set_node_attributes(graph, {v: str(d) for v, d in graph.degree}, "degree")
start = time.process_time()
hashes = nx.weisfeiler_lehman_subgraph_hashes(graph, iterations=rounds, node_attr="degree" if given else None)
codes = [one[-1] for one in hashes.values()]
result = [time.process_time() - start, tally(codes)]
"""
)
NETWORKX_READ = """
import networkx as nx
start = time.process_time()
graph = nx.read_edgelist(sys.argv[1], nodetype=int)
result = [time.process_time() - start, {"links": graph.number_of_edges()}]
"""
NETWORKIT_TRIANGLES = (
    CLASSES
    + """
import networkit as nk
graph = nk.readGraph(sys.argv[1], nk.Format.EdgeListSpaceZero)
start = time.process_time()
scores = nk.centrality.LocalClusteringCoefficient(graph, False).run().scores()
degrees = [graph.degree(v) for v in graph.iterNodes()]
codes = [(d, round(score * d * (d - 1) / 2)) for d, score in zip(degrees, scores)]
result = [time.process_time() - start, tally(codes)]
"""
)
NETWORKIT_READ = """
import networkit as nk
start = time.process_time()
graph = nk.readGraph(sys.argv[1], nk.Format.EdgeListSpaceZero)
result = [time.process_time() - start, {"links": graph.numberOfEdges()}]
"""
PYNAUTY_ORBITS = (
    CLASSES
    + """
import pynauty
pairs = read_pairs(sys.argv[1])
near = {}
for a, b in pairs:
    near.setdefault(a, []).append(b)
graph = pynauty.Graph(1 + max(map(max, pairs)), adjacency_dict=near)
start = time.process_time()
codes = pynauty.autgrp(graph)[3]
result = [time.process_time() - start, tally(codes)]
"""
)
PYNAUTY_EGOS = (
    CLASSES
    + """
import pynauty
near = {}
for a, b in read_pairs(sys.argv[1]):
    near.setdefault(a, set()).add(b)
    near.setdefault(b, set()).add(a)
start = time.process_time()
codes = []
for v in near:
    ball = [v, *near[v]]
    place = {w: i for i, w in enumerate(ball)}
    inside = {i: [place[x] for x in near[w] if x in place] for i, w in enumerate(ball)}
    graph = pynauty.Graph(len(ball), adjacency_dict=inside, vertex_coloring=[{0}, set(range(1, len(ball)))])
    codes.append((len(ball), pynauty.certificate(graph)))
result = [time.process_time() - start, tally(codes)]
"""
)
SPLIT = (
    "networkx joins given labels without a separator, so degrees {1, 112} and {11, 12} of two neighbors become one "
    "color, and two vertices look alike that are not. shoal compares."
)
NAMES = "shoal also detects the format and gives names their ids; the other tool is told both."

NETWORKS = [
    Work("igraph", "orbits of vertices", IGRAPH_ORBITS, count_classes("orbit")),
    Work(
        "igraph", "read an edge list", IGRAPH_READ, read_links, relation="as many links", why=NAMES,
        prepare=lambda given: given.links,
    ),
    Work(
        "networkx", "colors after 3 rounds (refinement:3)", NETWORKX_HASHES, count_classes("refinement:3"),
        lambda given: [given.links, 3, "none"],
    ),
    Work(
        "networkx", "colors of given degrees after a round (refinement:2)", NETWORKX_HASHES,
        count_classes("refinement:2"), lambda given: [given.links, 1, "given"], "never more classes", SPLIT, only=TRAP,
    ),
    Work(
        "networkx", "read an edge list", NETWORKX_READ, read_links, relation="as many links",
        why=NAMES, prepare=lambda given: given.links,
    ),
    Work("networkit", "degree and triangles (counts:1)", NETWORKIT_TRIANGLES, count_classes("counts:1")),
    Work(
        "networkit", "read an edge list", NETWORKIT_READ, read_links, relation="as many links", why=NAMES,
        prepare=lambda given: given.links,
    ),
    Work("pynauty", "orbits of vertices", PYNAUTY_ORBITS, count_classes("orbit")),
    Work("pynauty", "isomorphic neighborhoods (neighborhood:1)", PYNAUTY_EGOS, count_classes("neighborhood:1")),
]  # fmt: skip


# Tables.

FRAME = """
import pandas as pd
names, k = sys.argv[2].split(","), int(sys.argv[3])
frame = pd.read_csv(sys.argv[1])
"""
CANON = (
    FRAME
    + """
from pycanon import anonymity
frame = frame.astype(str)
start = time.process_time()
found = [
    int(anonymity.k_anonymity(frame, names)),
    int(anonymity.l_diversity(frame, names, ["ill"])),
    float(anonymity.entropy_l_diversity(frame, names, ["ill"])),
    float(anonymity.t_closeness(frame, names, ["ill"])),
]
result = [time.process_time() - start, found]
"""
)
SUDA = (
    FRAME
    + """
import logging, suda
logging.disable(logging.WARNING)
frame = frame.astype(str)
start = time.process_time()
found = suda.suda(frame, max_msu=3, columns=[*names, "ill"])
result = [time.process_time() - start, {"records": int((found["msu"] > 0).sum())}]
"""
)
ANONYPY = (
    FRAME
    + """
import anonypy
for name in ("sex", "town", "ill"):
    frame[name] = frame[name].astype("category")
start = time.process_time()
rows = pd.DataFrame(anonypy.Preserver(frame, names, "ill").anonymize_k_anonymity(k))
seconds = time.process_time() - start
sizes = rows.astype({name: str for name in names}).groupby(names)["count"].sum()
result = [seconds, {"least": int(sizes.min()), "classes": len(sizes)}]
"""
)
ANJANA = (
    FRAME
    + """
from anjana.anonymity import k_anonymity
frame = frame[names].astype(str)
age = frame["age"].astype(int)
steps = {
    "age": {0: age.astype(str).values, 1: (age // 10 * 10).astype(str).add("s").values,
            2: (age // 20 * 20).astype(str).add("-").values, 3: ["*"] * len(frame)},
    "sex": {0: frame["sex"].values, 1: ["*"] * len(frame)},
    "town": {0: frame["town"].values, 1: ["*"] * len(frame)},
}
start = time.process_time()
found = k_anonymity(frame.copy(), [], names, k, 0, steps)
seconds = time.process_time() - start
levels = {name: next(i for i, cells in steps[name].items() if set(found[name]) <= set(cells)) for name in names}
sizes = found.groupby(names).size()
loss = 0.0
for name in names:
    of = {}
    for base, cell in zip(steps[name][0], steps[name][levels[name]]):
        of.setdefault(cell, set()).add(base)
    m = len(set(steps[name][0]))
    loss += sum((len(of[cell]) - 1) / (m - 1) for cell in found[name]) / len(found) / len(names)
result = [seconds, {"least": int(sizes.min()), "loss": round(loss, 6), "levels": levels}]
"""
)
ANONYMETER = """
import pandas as pd
import anonymeter.evaluators  # the next import fails without it
from anonymeter.neighbors.mixed_types_kneighbors import MixedTypeKNeighbors
frame = pd.read_csv(sys.argv[1])[["age", "sex", "town"]].head(int(sys.argv[2]))
asked = frame.copy()
asked["age"] = asked["age"] + 3
candidates = frame.iloc[::2].reset_index(drop=True)
start = time.process_time()
found = MixedTypeKNeighbors(n_jobs=1).fit(candidates, {"num": ["age"], "cat": ["sex", "town"]}).kneighbors(asked, 1)
result = [time.process_time() - start, [int(one) for one in found[:, 0]]]
"""
WILSON = """
from anonymeter.stats.confidence import success_rate
cases = [(hits, of) for of in range(1, 120) for hits in range(of + 1)]
start = time.process_time()
rates = [success_rate(of, hits, 0.95) for hits, of in cases]
result = [time.process_time() - start, [[max(0, r.value - r.error), min(1, r.value + r.error)] for r in rates]]
"""
SPLINK = """
import logging
import pandas as pd, splink
import splink.comparison_library as library
logging.disable(logging.WARNING)
from splink.internals.duckdb.database_api import DuckDBAPI
frames = [pd.read_csv(path, dtype=str) for path in sys.argv[1:3]]
many = len(frames[0])
database = DuckDBAPI()
levels = {"m_probabilities": [0.9, 0.1], "u_probabilities": [0.1, 0.9]}
settings = splink.SettingsCreator(
    link_type="link_only",
    comparisons=[library.ExactMatch(c).configure(**levels) for c in "abcd"],
    probability_two_random_records_match=1 / many,
    em_convergence=1e-8,
    max_iterations=5_000,
)
start = time.process_time()
frames = [frame.assign(unique_id=range(many)) for frame in frames]
linker = splink.Linker([database.register(frame) for frame in frames], settings, log_level=50)
session = linker.training.estimate_parameters_using_expectation_maximisation("1=1", fix_u_probabilities=False)
model = session.core_model_settings
agree = [next(x for x in c.comparison_levels if "Exact" in x.label_for_charts) for c in model.comparisons]
values = [x.m_probability for x in agree] + [x.u_probability for x in agree]
values.insert(0, model.probability_two_random_records_match)
result = [time.process_time() - start, values]
"""


def measure_table(table):
    risk = shoal.assess(table, shoal.knowledge.Columns(*QUASI))
    (found,) = shoal.tables.diversity(risk, "ill")
    return [risk.k, found.distinct, found.entropy, found.closeness]


def find_uniques(table):
    found = shoal.tables.minimal_uniques(table, [*QUASI, "ill"], max_size=3)
    return {"records": int((found.counts > 0).sum())}


def cut(table):
    release = shoal.methods.Mondrian(K, columns=tuple(QUASI))(table)
    found = shoal.assess(release, shoal.knowledge.Columns(*QUASI))
    return {"least": found.k, "classes": len(np.unique(found.answer.published))}


def recode(table):
    ages = {age: (f"{age // 10 * 10}s", f"{age // 20 * 20}-", "*") for age in range(18, 90)}
    flat = {name: dict.fromkeys(set(table[name]), ("*",)) for name in ("sex", "town")}
    release = shoal.methods.Recode(K, columns=tuple(QUASI), hierarchies={"age": ages, **flat})(table)
    loss, levels = release.measured["loss"], release.measured["levels"]
    return {
        "least": shoal.assess(release, shoal.knowledge.Columns(*QUASI)).k,
        "loss": round(loss, 6),
        "levels": dict(levels),
    }


def find_nearest(table):
    """Return the set of nearest records of each, of every second record."""
    frame = pd.DataFrame({name: list(table[name]) for name in QUASI}).head(PEOPLE)
    released = shoal.as_table(frame.assign(age=frame["age"] + 3))
    original = shoal.as_table(frame.iloc[::2].reset_index(drop=True))
    rows = shoal.linkage.DistanceLinkage(columns=tuple(QUASI)).link(released, original, np.arange(PEOPLE))
    return [row.linked.tolist() for row in rows]


def compute_intervals(_):
    return [
        list(shoal.attacks.base.compute_wilson_interval(hits, of)) for of in range(1, 120) for hits in range(of + 1)
    ]


def read_both(given):
    return [pd.read_csv(given.folder / f"{name}.csv", dtype=str) for name in ("base", "noisy")]


def fit(frames):
    from shoal.linkage.fellegi_sunter import fit_fellegi_sunter

    base, noisy = (np.array(frame) for frame in frames)
    agree = (base[:, None, :] == noisy[None]).reshape(-1, base.shape[1]).astype(int)
    vectors, counts = np.unique(agree, axis=0, return_counts=True)
    start = 1 / len(base)
    found = fit_fellegi_sunter(vectors, counts, share=start, m=0.9, u=0.1, iterations=5_000, tolerance=1e-10)
    return [found.share, *found.m[:, 1], *found.u[:, 1]]


TABLES = [
    Work(
        "pycanon", "k, l-diversity, entropy, t-closeness", CANON, measure_table, list_people, "close",
        prepare=hold_people,
    ),
    Work(
        "suda", "records with a unique set of up to 3 columns", SUDA, find_uniques, list_people, "never less",
        "suda also reports sets that are not minimal; `python -m benchmarks.tables` checks ours by the definition.",
        hold_people,
    ),
    Work(
        "anonypy", "Mondrian, k = 5", ANONYPY, cut, list_people, "both keep k",
        "anonypy cuts categories by their first appearance and joins classes that get the same text; shoal cuts the "
        "widest column at its median and verifies the release before it is returned.", hold_people,
    ),
    Work(
        "anjana", "full-domain recoding, k = 5", ANJANA, recode, list_people, "never more loss",
        "anjana raises one column at a time until k is reached; shoal searches all levels for the least loss.",
        hold_people,
    ),
    Work(
        "anonymeter", "nearest of 500 records for each of 1,000", ANONYMETER, find_nearest,
        lambda given: [given.folder / "people.csv", PEOPLE], "found by both",
        "anonymeter returns one nearest record, shoal all that tie for it (compared exactly).", hold_people,
    ),
    Work("anonymeter", "Wilson intervals of 7,259 rates", WILSON, compute_intervals, lambda _: [], "close"),
    Work(
        "splink", "Fellegi-Sunter model of 90,000 pairs", SPLINK, fit,
        lambda given: [given.folder / "base.csv", given.folder / "noisy.csv"], "close",
        "splink compares pairs in a database, made for tables that do not fit into memory.", read_both,
    ),
]  # fmt: skip


# Programs that the user names by their paths.


@dataclass(frozen=True)
class Program:
    """A program that is no package: it gets a file, and prints or writes its result."""

    peer: str
    title: str
    command: str
    """Its arguments after the path; {input}, {output} and {k} are filled in."""
    write: Callable[[Inputs, Path], None]
    parse: Callable[[str, Path], Any]
    ours: Callable[[Any], Any]
    relation: str = "equal"
    why: str = ""

    def ask(self, given, path):
        """Run the program at a path, or a command with {input} and {output}; return its wall time and its value."""
        with tempfile.TemporaryDirectory() as folder:
            place, out = Path(folder) / "input", Path(folder) / "output"
            self.write(given, place)
            template = path if "{input}" in path else f"{shlex.quote(path)} {self.command}"
            start = time.perf_counter()
            done = run([word.format(input=place, output=out, k=K) for word in shlex.split(template)])
            seconds = time.perf_counter() - start
            if done.returncode:
                raise PeerFailed(f"failed with code {done.returncode}: {last_line(done.stderr or done.stdout)}")
            try:
                return seconds, self.parse(done.stdout, out)
            except (ValueError, IndexError, OSError) as error:
                raise PeerFailed(f"its result cannot be read: {error}") from None

    def do(self, given):
        """Let shoal read and work; return its wall time and its value."""
        self.ours(given.graph)  # loads libraries
        start = time.perf_counter()
        value = self.ours(shoal.read_graph(given.links))
        return time.perf_counter() - start, value


def write_nauty(given, place):
    """Write the format of nauty's dreadnaut: the number of vertices, and a line of neighbors for each."""
    lines = [f"{v}: {' '.join(map(str, given.graph.neighbors(v)))}" for v in range(given.graph.n)]
    place.write_text(f"!n={given.graph.n}\n" + ";\n".join(lines) + ".\n")


def write_numbered(given, place):
    """Write the number of vertices, and a line for each link."""
    place.write_text(f"{given.graph.n}\n{given.links.read_text()}")


def write_plain(given, place):
    place.write_text(given.links.read_text())


def parse_sizes(line):
    """Return classes and unique vertices of "size, number, size, number, ..."."""
    numbers = [int(word) for word in line.replace("[", " ").replace("]", " ").replace(",", " ").split()]
    if not numbers or len(numbers) % 2:
        raise ValueError(f"not pairs of a size and a number: {line[:60]!r}")
    sizes = dict(zip(numbers[::2], numbers[1::2], strict=True))
    return {"classes": sum(sizes.values()), "unique": sizes.get(1, 0)}


def parse_dkanonymity(text, _):
    """Read the last line "eq, distance, size, number, ..."."""
    return parse_sizes([line for line in text.splitlines() if line.strip().startswith("eq,")][-1].split(",", 2)[2])


def parse_anonet(text, _):
    """Read the last line "[size, number of classes], ..."."""
    return parse_sizes([line for line in text.splitlines() if line.strip().startswith("[")][-1])


def parse_release(text, place):
    """Read a released edge list, and count the candidates of the vertex with the fewest, and its vertices and links."""
    lines = [line.split() for line in place.read_text().splitlines() if line.strip() and not line.startswith("#")]
    pairs = np.array([[int(word) for word in line[:2]] for line in lines if len(line) >= 2]).reshape(-1, 2)
    alone = [int(line[0]) for line in lines[:1] if len(line) == 1]
    n = max([int(pairs.max(initial=-1)) + 1, *alone])
    return describe_release(shoal.Graph.from_pairs(range(n), *pairs.T))


def describe_release(graph):
    return {"least": shoal.assess(graph, "degree").k, "vertices": graph.n, "links": graph.m}


def match_degrees(edits):
    def match(graph):
        return describe_release(shoal.methods.MatchDegrees(K, edits=edits)(graph).data)

    return match


PROGRAMS = [
    Program(
        "dkAnonymity", "isomorphic neighborhoods (neighborhood:1)", "{input} -d 1 -s 2", write_nauty, parse_dkanonymity,
        count_classes("neighborhood:1"),
    ),
    *(
        Program("ANO-NET", title, f"{{input}} -d 1 -me {measure} -mh 1 -s 1", write_nauty, parse_anonet,
                count_classes(spec))
        for title, measure, spec in (
            ("isomorphic neighborhoods (neighborhood:1)", 4, "neighborhood:1"),
            ("numbers of vertices and links (counts:1)", 2, "counts:1"),
            ("degrees inside the ball (degrees:1)", 3, "degrees:1"),
        )
    ),
    Program(
        "graphAnon", "k-degree anonymity by new vertices, k = 5",
        "-mode identity -k {k} -f {input} -o {output} -format edgeList -hide-additional", write_numbered, parse_release,
        match_degrees("add-vertices"), "both keep k",
        "The numbers of new vertices and links differ: two heuristics. Both releases are counted by shoal.",
    ),
    Program(
        "SecGraph", "k-degree anonymity by new links, k = 5", "{input} {output} {k}", write_plain, parse_release,
        match_degrees("add"), "both keep k",
        "The numbers of new links differ: two heuristics. Both releases are counted by shoal.",
    ),
]  # fmt: skip
"""SecGraph has one command line for many methods: give a whole command with {input} and {output}."""
