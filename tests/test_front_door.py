"""import shoal is small, quick and complete."""

import subprocess
import sys

import shoal

HEAVY = ("numba", "igraph", "networkx", "pyarrow", "polars", "pandas", "scipy", "rich", "narwhals")


def loaded(code):
    """Return which heavy libraries a fresh interpreter has loaded after running code."""
    tail = f"\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code + tail], check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_import_loads_nothing_heavy():
    assert loaded("import shoal") == []


def test_knowledge_can_be_named_without_anything_heavy():
    assert loaded("import shoal; shoal.KnowsDegree() & shoal.parse('orbit'); shoal.assess; shoal.read_graph") == []


def test_everything_promised_is_there():
    assert shoal.__all__ == sorted(shoal.__all__)
    assert sorted([*shoal._HOMES, *shoal._ROOMS, "__version__"]) == shoal.__all__
    assert all(getattr(shoal, name) is not None for name in shoal.__all__)
    assert dir(shoal) == shoal.__all__


def test_a_name_that_is_not_there():
    assert not hasattr(shoal, "asses")
