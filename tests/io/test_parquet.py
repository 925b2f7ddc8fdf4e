"""Parquet: what is said about a file before it is read."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.errors import BadFile, BadParameter
from shoal.io import parquet as reader
from shoal.io.preview import preview


def test_a_network_that_will_hardly_fit_into_memory_names_the_engine(tmp_path, monkeypatch):
    parquet.write_table(pa.table({"source": ["a", "b"], "target": ["b", "c"]}), tmp_path / "links.parquet")
    monkeypatch.setattr(reader, "measure_memory", lambda: 100)
    with pytest.warns(shoal.Notice, match=r"2 links .*--engine duckdb"):
        assert shoal.read_graph(tmp_path / "links.parquet").m == 2
    monkeypatch.setattr(reader, "measure_memory", lambda: 0)  # the system does not say
    assert shoal.read_graph(tmp_path / "links.parquet").m == 2


def test_attributes_without_columns_are_refused(tmp_path):
    parquet.write_table(pa.table({}), tmp_path / "people.parquet")
    (tmp_path / "links.csv").write_text("a,b\n")
    with pytest.raises(BadFile, match=r"people\.parquet.*no columns"):
        shoal.read_graph(tmp_path / "links.csv", attributes=tmp_path / "people.parquet")
    with pytest.raises(BadParameter, match="no columns"):
        shoal.as_graph([("a", "b")], attributes=pa.table({}))


def test_a_name_of_a_column_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"source": ["a", "b"], "target": ["b", "c"]}), path)
    path.write_bytes(path.read_bytes().replace(b"source", b"\xf2ource"))
    for read in (shoal.read_graph, shoal.read_table, preview):
        with pytest.raises(BadFile, match=r"x\.parquet: must be a complete parquet file"):
            read(path)
