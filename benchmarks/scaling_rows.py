"""What `benchmarks.scaling` measures: a row for every kind of knowledge, method and attack, and for the audit.

A row names the input that is made before the clock starts, and the work. Networks have a power law of degrees with
exponent 2.6 and a fifth as many vertices as links; a table has as many records as a network has links.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import shoal
from shoal import attacks, methods
from shoal.data.graph import Graph
from shoal.methods.links.random_edits import perturb_links

K = 5
HUGE = {"read csv", "read parquet", "degree", "adjacency", "refinement:2", "neighbors:1"}
"""The rows that are also measured with 10^8 links (`--huge`)."""
CHANGE = methods.Perturb(add=0.01, delete=0.01, seed=1)
"""2 % of the links are changed at random."""


class Row(NamedTuple):
    """A row of the table."""

    family: str
    part: str | None
    """The shell name of the part that it measures; None for what is no part."""
    prepare: Callable[[Path], Any]
    work: Callable[[Any], Any]


# Inputs: each is made of the pairs in a folder, which are drawn once.


def read_ends(folder):
    return np.load(folder / "ends.npy")


def read_network(folder):
    a, b = read_ends(folder)
    return Graph.from_pairs(range(count_vertices(a)), a, b)


def count_vertices(links):
    return max(4, len(links) // 5)


def draw_columns(rows):
    """Return columns as skewed as a census."""
    rng = np.random.default_rng(1)
    cards = {"age": 74, "sex": 2, "town": 40, "work": 8}
    shape = {name: rng.dirichlet(np.full(card, 0.6)) for name, card in cards.items()}
    columns = {name: rng.choice(card, rows, p=shape[name]) for name, card in cards.items()}
    return {"age": 18 + columns.pop("age")} | {
        name: np.array([f"{name} {i}" for i in range(cards[name])])[codes] for name, codes in columns.items()
    }


def make_table(folder):
    return shoal.as_table(draw_columns(len(read_ends(folder)[0])))


def read_people(folder):
    a, b = read_ends(folder)
    n = count_vertices(a)
    return Graph.from_pairs(range(n), a, b, attributes=shoal.as_table(draw_columns(n)))


def publish(folder):
    """Return a network, and what is attacked and audited: 2 % of the links changed at random, under the same names."""
    graph = read_network(folder)
    few = graph.m // 100
    return graph, perturb_links(graph, few, few, np.random.default_rng(1))


def write_file(ending, folder):
    """Write the pairs as a file, and return its path."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    table, place = pa.table(dict(zip(("source", "target"), read_ends(folder), strict=True))), folder / f"links.{ending}"
    csv.write_csv(table, place) if ending == "csv" else parquet.write_table(table, place)
    return place


# Work.


def know(spec, data):
    return shoal.assess(data, spec).k


def release(method, data):
    return method(data)


def save(data):
    with tempfile.TemporaryDirectory() as folder:
        shoal.write(data, Path(folder) / "links.csv")


def attack(chosen, pair):
    return shoal.attack(*pair, **chosen, seed=1)


def audit(pair):
    return shoal.audit(*pair, same_names=True)


KNOWLEDGE = (
    "degree",
    "degree~5%",
    "refinement:2",
    "refinement",
    "hubs:5",
    "hubs:5:2:open",
    "subgraph:3",
    "neighborhood:1",
    "counts:1",
    "counts:1~5%",
    "degrees:1",
    "degrees:1~5%",
    "shared-neighbors:1",
    "neighbors:1",
    "neighbors:2",
    "neighbors:2~1",
    "relations:1",
    "relations:2",
    "located-relations:1",
    "adjacency",
    "orbit",
    "degree+neighbors:1",
)
OF_PEOPLE = ("columns:age,town", "degree+columns:age")
OF_RECORDS = ("columns:age,sex,town,work", "some-columns:2")
LINKS = (
    methods.EqualizeRows(K),
    methods.HideNeighbors(K),
    methods.HideRelations(K),
    methods.MatchDegrees(K),
    methods.MatchDegrees(K, edits="add-delete"),
    methods.MatchNeighborhoods(2),
    methods.Generalize(K, seed=1),
    methods.RaiseL(2),
    methods.ShareNeighbors(K),
    methods.ReduceRisk("counts:1", k=2, budget=0.05),
    CHANGE,
)
TABLES = (
    methods.Microaggregate(K, columns=("age", "sex", "town"), seed=1),
    methods.SwapWithin(classes="sex", columns=("work",), seed=1),
    methods.Distort(classes="sex", columns=("age",), seed=1),
    methods.Recode(K, columns=("age",), hierarchies={"age": {age: (f"{age // 10}0s", "*") for age in range(18, 92)}}),
    methods.Mondrian(K),
    methods.HideColumns(K, l=2, seed=1),
)
ATTACKS = (
    {"knowledge": "degree"},
    {"knowledge": "neighbors:2"},
    {"by": attacks.KorulaLattanzi(repeats=1)},
    {"by": attacks.NarayananShmatikov(repeats=1)},
    {"by": attacks.Grampa()},
    {"by": attacks.Cascade()},
    {"by": attacks.PlantedWalk(repeats=1, method=CHANGE)},
)


def list_rows() -> dict[str, Row]:
    """Return all rows by their names, in the order of the table."""
    rows = {
        "read csv": Row("files", None, partial(write_file, "csv"), shoal.read_graph),
        "read parquet": Row("files", None, partial(write_file, "parquet"), shoal.read_graph),
        "write csv": Row("files", None, read_network, save),
    }
    for specs, prepare in ((KNOWLEDGE, read_network), (OF_PEOPLE, read_people), (OF_RECORDS, make_table)):
        for spec in specs:
            part = spec.replace("~", ":").split(":")[0] if "+" not in spec else None
            name = f"{spec} (table)" if prepare is make_table else spec
            rows[name] = Row("knowledge", part, prepare, partial(know, spec))
    for reading in ("neighbors", "relations"):
        name = f"levels {reading}"
        rows[name] = Row(
            "knowledge", None, read_network, lambda graph, reading=reading: shoal.levels(graph, reading, k=2)
        )
    chosen = [(method, read_network) for method in LINKS] + [(method, make_table) for method in TABLES]
    chosen.append((methods.Confuse(K, seed=1), read_people))
    for method, prepare in chosen:
        name = f"{method.shell} {method.edits}" if method.shell in {"match-degrees", "reduce-risk"} else method.shell
        rows[name] = Row("methods", method.shell, prepare, partial(release, method))
    for given in ATTACKS:
        name = f"knows:{given['knowledge']}" if "knowledge" in given else given["by"].shell
        rows[name] = Row("attacks", given["by"].shell if "by" in given else None, publish, partial(attack, given))
    rows["compare"] = Row("audit", None, publish, lambda pair: shoal.compare(*pair))
    rows["audit"] = Row("audit", None, publish, audit)
    return rows


ROWS = list_rows()

HUB_PATHS = (
    "The work is a step for each path of two links. Where degrees follow a power law with exponent 2.6, their number "
    "grows with the links to the power of about 1.27, and the largest degree to that of 0.65. A step takes longer, "
    "too, when the network no longer fits into the caches of the processor."
)
ABSENT = (
    "Missing links are facts, too. A vertex that its links do not identify is compared on missing links, on which "
    "nearly all others agree: such a vertex costs as much as a look at the whole network."
)
PROPOSALS = (
    "A search by proposals: their number grows with the links and with `effort`, and each is judged by the rows of its "
    "ends, which are longer where hubs are."
)

EXPLAINED = {
    "refinement": "Larger networks need more rounds, and their colors no longer fit into the caches of the processor.",
    "equalize-rows": PROPOSALS,
    "generalize": PROPOSALS,
    "confuse": PROPOSALS,
    "perturb": "Most of the time is spent on measuring whom an attacker finds again by all links: paths of two links.",
    "korula-lattanzi": "It grows nearly linearly: witnesses are counted along paths of two links, in several rounds.",
    "planted-walk": "The method that makes the release runs on the network with the planted accounts: here `perturb`.",
    "audit": "All measures of `compare`, and every kind of knowledge of the scenario twice.",
    "counts:1": HUB_PATHS,
    "counts:1~5%": HUB_PATHS,
    "degrees:1": HUB_PATHS,
    "degrees:1~5%": HUB_PATHS,
    "shared-neighbors:1": HUB_PATHS,
    "neighbors:2": HUB_PATHS,
    "neighbors:2~1": HUB_PATHS,
    "narayanan-shmatikov": HUB_PATHS,
    "relations:2": HUB_PATHS,
    "levels relations": ABSENT,
    "raise-l": "The paper's similarity radius compares each vertex with every other.",
    "match-neighborhoods": "A link that is added changes the neighborhoods of its ends and of their common neighbors, "
    "which are compared again; hubs have many.",
    "reduce-risk delete": "The search makes a number of proposals per link, and each is judged by the neighbors of its "
    "ends; `effort` sets the number.",
    "grampa": "Eigenvectors of dense matrices, and an assignment of all vertices: the cube of their number.",
    "compare": "Distances, communities and spectra of the original, the release, random edits and no links. On a busy "
    "machine the wall time ends first.",
}
"""Why the time of a row grows faster than the number of links to the power of 1.3, or why it is stopped."""
