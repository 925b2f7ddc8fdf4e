"""Parquet: what is said about a file before it is read."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.io import parquet as reader


def test_a_network_that_will_hardly_fit_into_memory_names_the_engine(tmp_path, monkeypatch):
    parquet.write_table(pa.table({"source": ["a", "b"], "target": ["b", "c"]}), tmp_path / "links.parquet")
    monkeypatch.setattr(reader, "measure_memory", lambda: 100)
    with pytest.warns(shoal.Notice, match=r"2 links .*--engine duckdb"):
        assert shoal.read_graph(tmp_path / "links.parquet").m == 2
    monkeypatch.setattr(reader, "measure_memory", lambda: 0)  # the system does not say
    assert shoal.read_graph(tmp_path / "links.parquet").m == 2
