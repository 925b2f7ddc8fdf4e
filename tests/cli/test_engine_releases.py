"""shoal suppress and shoal thin: releases of an engine, in the shell."""

import json

import pytest
from pyarrow import parquet

import shoal
from relational_cases import save

N = 60


@pytest.fixture
def ring(tmp_path):
    """A ring, and three links of one of its people to others."""
    sources, targets = list(range(N)), [(i + 1) % N for i in range(N)]
    return save(tmp_path / "edges.parquet", src=[*sources, 5, 5, 5], dst=[*targets, 20, 30, 40])


def test_suppress_writes_a_release_that_check_passes(ring, shell, tmp_path):
    out, secret = tmp_path / "safe.parquet", tmp_path / "secret.csv"
    code, told, _ = shell(
        "suppress", ring, "--knows", "degree", "-k", 5, "--undirected", "-o", out, "--mapping", secret
    )
    assert code == 0
    assert "at least 5 candidates" in told
    for ending in ("", ".release.json", ".README.md"):
        assert f"safe.parquet{ending}" in told
    assert shell("check", out, "--engine", "duckdb", "--ends", "0,1", "--knows", "degree", "--at-least", 5)[0] == 0
    assert shell("check", out, "--undirected", "--knows", "degree", "--at-least", 5)[0] == 0
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_dry_run_prints_the_rounds_and_writes_nothing(ring, shell, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, told, _ = shell("suppress", ring, "--knows", "degree", "-k", 5, "--dry-run", "--undirected", "--json")
    found = json.loads(told)
    assert code == 0
    assert found["rounds"] == [{"below": 4, "people": N - 4, "links": N + 3 - 11}]
    assert sorted(tmp_path.iterdir()) == before
    code, told, _ = shell(
        "suppress", ring, "--knows", "degree", "-k", 5, "--dry-run", "--keep-at-least", "99%", "--undirected"
    )
    assert code == 1
    assert "No release" in told


def test_a_refusal_and_a_missing_output_are_errors(ring, shell, tmp_path):
    ask = ("suppress", ring, "--knows", "degree", "-k", 5, "--undirected")
    code, _, told = shell(*ask, "-o", tmp_path / "safe.parquet", "--keep-at-least", "99%")
    assert code == 2
    assert "round 1: 4 left out" in told
    assert not (tmp_path / "safe.parquet").exists()
    assert shell(*ask)[0] == 2
    (tmp_path / "there.parquet").write_bytes(b"old")
    assert shell(*ask, "-o", tmp_path / "there.parquet")[0] == 2
    assert (tmp_path / "there.parquet").read_bytes() == b"old"
    assert shell(*ask, "-o", ring, "--force")[0] == 2  # an input is never overwritten
    assert parquet.read_table(ring).num_rows == N + 3


def test_thin_caps_the_neighbors_of_everybody(ring, shell, tmp_path):
    out = tmp_path / "thin.parquet"
    code, told, _ = shell(
        "thin", ring, "--cap-degree", 2, "--undirected", "--knows", "degree", "-k", 2, "-o", out, "--json"
    )
    assert code == 0
    graph = shoal.read_graph(out, undirected=True)
    assert graph.n == N
    assert graph.degree.max() == 2
    found = json.loads(told)
    assert found["graph"]["edges"] == graph.m
    assert found["promise"]["k"] == 2


def test_thin_needs_to_know_what_to_keep(ring, shell, tmp_path):
    code, _, told = shell("thin", ring, "-o", tmp_path / "out.parquet")
    assert code == 2
    assert "sample" in told


def test_columns_are_released_beside_the_links(shell, tmp_path):
    links = save(tmp_path / "e.parquet", src=list("aabbc"), dst=list("bcdef"))
    people = save(tmp_path / "p.parquet", name=list("abcdef"), age=[30, 30, 30, 30, 30, 99])
    out, who = tmp_path / "safe.parquet", tmp_path / "who.parquet"
    code, *_ = shell(
        *("suppress", links, "--attributes", people, "--knows", "columns:age", "-k", 5, "--keep-at-least", "0.1"),
        *("-o", out, "--attributes-output", who, "--undirected"),
    )
    assert code == 0
    assert parquet.read_table(who).to_pydict() == {"name": [0, 1, 2, 3, 4], "age": [30] * 5}
