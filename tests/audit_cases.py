"""What the tests of audits share: a village, releases of it, and methods whose seed is in no other number."""

import json
from dataclasses import replace

import pytest

import shoal
from shoal import Graph

SEED = 918273645546372819
"""A seed that is in no other number."""

SMALL = ("degree", "refinement:2", "neighbors:2", "adjacency")


@pytest.fixture(scope="session")
def people():
    """A village whose names, and values, are found nowhere else in a report."""
    g = shoal.examples.village(60)
    jobs = [f"job-zq{i % 7}" for i in range(g.n)]
    columns = {"age": list(g.attributes["age"]), "job": jobs, "ill": [f"ill-zq{i % 3}" for i in range(g.n)]}
    a, b, _ = g.edges()
    return Graph.from_pairs([f"name-zq{i}" for i in range(g.n)], a, b, attributes=shoal.Table.of(columns))


@pytest.fixture(scope="session")
def released(people):
    return shoal.methods.EqualizeRows(k=3, seed=SEED, effort=20)(people)


@pytest.fixture(scope="session")
def matched(people):
    return shoal.methods.MatchDegrees(k=5, seed=SEED)(people)


METHODS = {
    "rows": shoal.methods.EqualizeRows(k=3, seed=SEED, effort=20),
    "degrees": shoal.methods.MatchDegrees(k=3, seed=SEED),
    "drawn": shoal.methods.Generalize(k=3, seed=SEED),
    "edits": shoal.methods.Perturb(add=0.05, delete=0.05, seed=SEED),
    "table": shoal.methods.Microaggregate(k=3, columns=("age",)),
}

KINDS = ("degree", "refinement:2", "counts:1", "subgraph:2", "neighbors:2", "adjacency", "orbit", "hubs:3")


def saved(release, folder, **how):
    """Write a release without its columns; return the file, the mapping, and what is written beside the file."""
    bare = replace(release, data=release.data.without_attributes())
    bare.save(folder / "safe.csv", folder / "secret.csv", seed=2**70, **how)
    return folder / "safe.csv", folder / "secret.csv", folder / "safe.csv.release.json"


def touched(about, change):
    """Change what is written beside a release."""
    told = json.loads(about.read_text())
    change(told)
    about.write_text(json.dumps(told))


@pytest.fixture(scope="session")
def lacking(people):
    """A table, and one made of it that has not all of its columns."""
    whole = people.attributes
    return whole, shoal.Table.of({"age": [40] * whole.n, "job": list(whole["job"])})
