"""An external report tells no secret, and nothing that rests on the original."""

import json
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import get_args

import networkx as nx
import numpy as np
import pytest

import shoal
from audit_cases import METHODS, SEED, saved
from shoal import Graph
from shoal.auditing.external import drop_private, find_empty, list_public
from shoal.auditing.findings import (
    Attacks,
    Changes,
    Inference,
    NetworkDrawing,
    Released,
    RiskAfter,
    Riskiest,
    ScenarioKind,
    ScenarioRecord,
    Tradeoff,
    Verdict,
)
from shoal.auditing.model import Audit, PublishedChange, ResidualRisk, Secrets
from shoal.auditing.records import find_types
from shoal.comparison.compare import Comparison
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
    assert found.before is found.drawing is found.changes is found.riskiest is found.attacks is None


@pytest.mark.parametrize("name", ["degrees", "edits"])
def test_outside_nothing_depends_on_the_original_where_nothing_may(name, people):
    release = METHODS[name](people)
    rng = np.random.default_rng(1)
    other = Graph.from_pairs(people.names, *rng.permuted(np.array([np.arange(20), np.arange(20, 40)]), axis=1))
    swapped = replace(release, original=other.with_attributes(people.attributes))
    first, second = (shoal.audit(r.original, r, external=True) for r in (release, swapped))
    assert first == second


def test_outside_no_more_is_said_about_the_change_than_beside_the_data(people, released):
    data = shoal.audit(people, released, external=True)
    about = describe_release(released, [])
    assert data.published_change == PublishedChange(about["measured"], about["utility"])
    assert data.method.settings == {k: v for k, v in about["method"].items() if k != "name"}
    assert [one.stated for one in data.promises] == about["verification"]


def test_outside_the_published_file_has_its_digest(people, released, tmp_path):
    replace(released, data=released.data.without_attributes()).save(tmp_path / "safe.csv", seed=2**70)
    got = shoal.read_graph(tmp_path / "safe.csv")
    data = shoal.audit(people, got, same_names=False, external=True, files=(None, tmp_path / "safe.csv"))
    about = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert data.output.sha256 == about["files"]["safe.csv"]["sha256"]
    assert data.input is None


def test_outside_no_column_is_named_that_was_not_released(lacking, tmp_path):
    whole, part = lacking
    found = shoal.audit(whole, part, k=3, columns=["age"], sensitive=["ill"], external=True)
    found.save(tmp_path / "a.html")
    assert "ill" not in [column.name for column in found.columns]
    assert found.inference.columns == ()
    mixed = shoal.Table.of({"age": [f"{x // 10}*" for x in whole["age"]]})
    kinds = shoal.audit(whole, mixed, k=3, external=True).columns
    assert [(column.name, column.values) for column in kinds] == [("age", "categories")]


def test_outside_the_size_of_the_original_says_nothing(people, released, tmp_path):
    file, _, _ = saved(released, tmp_path)
    small = shoal.as_graph(nx.path_graph(3))
    first, second = (shoal.audit(g, file, k=2, external=True).json() for g in (people, small))
    assert first == second


def list_record_types(kind=Audit):
    """Every dataclass that an audit can hold."""
    seen, waiting = [], [kind]
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and is_dataclass(one):
            if one not in seen:
                seen.append(one)
                waiting += find_types(one).values()
        else:
            waiting += [part for part in get_args(one) if not isinstance(part, str)]
    return seen


def walk(value, path="audit"):
    """Yield every dataclass in an audit, with its path."""
    if is_dataclass(value):
        yield path, value
        for one in fields(value):
            yield from walk(getattr(value, one.name), f"{path}.{one.name}")
    elif isinstance(value, tuple | list):
        for at, cell in enumerate(value):
            yield from walk(cell, f"{path}[{at}]")
    elif isinstance(value, dict):
        for key, cell in value.items():
            yield from walk(cell, f"{path}[{key!r}]")


@pytest.mark.parametrize("name", METHODS)
def test_an_external_report_holds_public_fields_alone(name, people):
    data = people.attributes if name == "table" else people
    found = shoal.audit(data, METHODS[name](data), external=True, columns=["age"], sensitive=["ill"], k=3)
    private = 0
    for path, record in walk(found):
        public, types = list_public(type(record)), find_types(type(record))
        for one in fields(record):
            if one.name not in public:
                private += 1
                assert getattr(record, one.name) == find_empty(types[one.name]), f"{path}.{one.name}"
    assert private > 10
    assert drop_private(found) == found


def test_every_private_field_can_be_empty_and_every_public_one_has_a_reason():
    """What the fields of an audit hold is checked type by type: a new field is private until its type says more."""
    records = list_record_types()
    assert len(records) > 25
    for record in records:
        public, types = list_public(record), find_types(record)
        for name, kind in types.items():
            if name in public:
                assert public[name] in ("release", "policy", "classes")
            elif public:
                find_empty(kind)
    for record in (Comparison, Attacks, Riskiest, NetworkDrawing, Changes, Tradeoff, Secrets):
        assert not list_public(record), "what is measured with the mapping or the original has no public part"


@dataclass(frozen=True)
class Known:
    """A record with a new field."""

    told: Released[int]
    new: int | None


def test_a_new_field_is_private():
    assert list_public(Known) == {"told": "release"}


def test_the_public_fields_of_an_audit_are_those_that_the_design_allows():
    assert set(list_public(Audit)) == {
        *("schema", "form", "versions", "date", "model", "scenario", "output", "columns", "after", "inference"),
        *("exposure_after", "degrees_after", "directions_after", "method", "published_change", "promises", "residual"),
        *("certificate", "verdict", "partial"),
    }
    assert set(list_public(RiskAfter)) == {"release_facts"}
    assert set(list_public(Verdict)) == {"overall", "doubt", "release_facts"}
    assert "decided_by" not in list_public(ScenarioRecord)
    assert not {"before", "sentence"} & set(list_public(ScenarioKind))
    assert set(list_public(Inference)) == {"columns", "after"}
    assert set(list_public(ResidualRisk)) == {"not_covered", "columns", "kinds"}
