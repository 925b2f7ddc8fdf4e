"""Networks for releases of an engine, and the same suppression by hand, in memory."""

import random
import warnings
from typing import NamedTuple

import pyarrow as pa
from pyarrow import parquet

import shoal
from relational_cases import HARD
from shoal.errors import Notice
from shoal.io.mapping import read_mapping


class People(NamedTuple):
    """A network as plain lists: names with ages, and links (source, target, kind)."""

    ages: dict
    links: list
    directed: bool
    kinds: bool

    @property
    def options(self):
        return {"directed": self.directed, "kind": "kind" if self.kinds else None, "undirected": not self.directed}

    def graph(self):
        """Return the network in memory."""
        names = sorted(self.ages)
        at = {name: i for i, name in enumerate(names)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            graph = shoal.Graph.from_pairs(
                names,
                [at[a] for a, _, _ in self.links],
                [at[b] for _, b, _ in self.links],
                directed=self.directed,
                kinds=[kind for *_, kind in self.links] if self.kinds else None,
            )
        return graph.with_attributes(shoal.Table.of({"age": [self.ages[name] for name in names]}, len(names)))

    def without(self, gone):
        """Return the network without some people."""
        ages = {name: age for name, age in self.ages.items() if name not in gone}
        links = [link for link in self.links if link[0] in ages and link[1] in ages]
        return People(ages, links, self.directed, self.kinds)

    def write(self, folder):
        """Write the links and the people as Parquet; return both places."""
        kind = pa.int64() if isinstance(next(iter(self.ages)), int) else pa.string()
        links = {
            "src": pa.array([a for a, _, _ in self.links], kind),
            "dst": pa.array([b for _, b, _ in self.links], kind),
        }
        if self.kinds:
            links["kind"] = pa.array([one for *_, one in self.links], pa.string())
        people = {"id": pa.array(list(self.ages), kind), "age": pa.array(list(self.ages.values()), pa.int32())}
        for name, columns in (("links", links), ("people", people)):
            parquet.write_table(pa.table(columns), folder / f"{name}.parquet")
        return folder / "links.parquet", folder / "people.parquet"


def draw_people(seed, n=24):
    """Draw a network of people with texts or numbers as names."""
    rng = random.Random(seed)
    names = [f"{rng.choice(HARD)}{i}" for i in range(n)] if rng.random() < 0.5 else rng.sample(range(1000), n)
    directed, kinds = rng.random() < 0.5, rng.random() < 0.5
    pairs = {tuple(rng.sample(names, 2)) for _ in range(int(n * rng.choice((0.8, 1.2, 2))))}
    pairs = pairs if directed else {tuple(sorted(pair)) for pair in pairs}
    links = [(a, b, rng.choice(("call", "mail", None)) if kinds else None) for a, b in sorted(pairs)]
    return People({name: rng.choice((30, 30, 31, None)) for name in names}, links, directed, kinds)


def suppress_by_hand(people, spec, k, allow=0):
    """Return what is left, and for each round how many people were left out; None where nobody is left."""
    out = []
    while people.ages:
        graph = people.graph()
        sizes = shoal.assess(graph, spec).sizes
        below = [name for name, size in zip(graph.names, sizes.tolist(), strict=True) if size < k]
        if len(below) <= allow:
            return people, out
        out.append(len(below))
        people = people.without(set(below))
    return None, out


def read_back(path, mapping, attributes=None):
    """Return the released links by original name, sorted, with the ages; the mapping is one of all released people."""
    rows = parquet.read_table(path).to_pylist()
    back = {int(new): old for old, new in read_mapping(mapping).items()}
    links = sorted(
        (back[row["source"]], back[row["target"]], row.get("kind")) for row in rows if row["target"] is not None
    )
    alone = {back[row["source"]] for row in rows if row["target"] is None}
    known = {} if attributes is None else parquet.read_table(attributes).to_pylist()
    return links, alone, {back[row["name"]]: row["age"] for row in known}, set(back.values())
