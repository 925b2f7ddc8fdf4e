"""What the tests of engines share."""

import pytest

from relational_cases import LINKS, save


@pytest.fixture
def edges(tmp_path):
    return save(tmp_path / "edges.parquet", **LINKS)
