"""An external report tells no secret, and nothing that rests on the original."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import shoal
from audit_cases import METHODS, SEED, saved
from shoal import Graph
from shoal.io.digest import digest_contents as digest
from shoal.release.manifest import describe_release


@pytest.mark.parametrize("name", METHODS)
def test_outside_no_secret_is_told(name, people):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    found = shoal.audit(data, release, external=True, columns=["age"])
    text = found.json()
    assert str(SEED) not in text
    assert "name-zq" not in text
    assert digest(people) not in text
    assert digest(release.data) not in text
    assert found.data["before"] is found.data["drawing"] is found.data["changes"] is None
    assert found.data["riskiest"] == found.data["attacks"]["tried"] == []


@pytest.mark.parametrize("name", ["degrees", "edits"])
def test_outside_nothing_depends_on_the_original_where_nothing_may(name, people):
    release = METHODS[name](people)
    rng = np.random.default_rng(1)
    other = Graph.from_pairs(people.names, *rng.permuted(np.array([np.arange(20), np.arange(20, 40)]), axis=1))
    swapped = replace(release, original=other.with_attributes(people.attributes))
    first, second = (shoal.audit(r.original, r, external=True).data for r in (release, swapped))
    assert first == second


def test_outside_no_more_is_said_about_the_change_than_beside_the_data(people, released):
    data = shoal.audit(people, released, external=True).data
    about = describe_release(released, [])
    assert data["told"] == {"measured": about["measured"], "utility": about["utility"]}
    assert data["method"]["settings"] == {k: v for k, v in about["method"].items() if k != "name"}
    assert data["certificate"]["verification"] == about["verification"]


def test_outside_the_published_file_has_its_digest(people, released, tmp_path):
    replace(released, data=released.data.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    data = shoal.audit(people, got, same_names=False, external=True, files=(None, tmp_path / "safe.csv")).data
    about = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert data["output"]["sha256"] == about["files"]["safe.csv"]["sha256"]
    assert data["input"] is None


@pytest.mark.slow
def test_outside_no_column_is_named_that_was_not_released(lacking, tmp_path):
    whole, part = lacking
    found = shoal.audit(whole, part, k=3, columns=["age"], sensitive=["ill"], external=True)
    found.save(tmp_path / "a.html")
    assert "ill" not in [column["name"] for column in found.data["columns"]]
    assert found.data["inference"]["columns"] == []
    mixed = shoal.Table.of({"age": [f"{x // 10}*" for x in whole["age"]]})
    kinds = shoal.audit(whole, mixed, k=3, external=True).data["columns"]
    assert [(column["name"], column["kind"]) for column in kinds] == [("age", "categories")]


def test_outside_the_size_of_the_original_says_nothing(people, released, tmp_path):
    file, _, _ = saved(released, tmp_path)
    small = shoal.as_graph(nx.path_graph(3))
    first, second = (shoal.audit(g, file, k=2, external=True).json() for g in (people, small))
    assert first == second
