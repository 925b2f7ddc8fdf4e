"""import shoal is small, quick and complete."""

import ast
import subprocess
import sys
from pathlib import Path

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
    assert (
        loaded(
            "import shoal; shoal.knowledge.Degree() & shoal.parse_knowledge('orbit'); shoal.assess; shoal.read_graph"
        )
        == []
    )


def test_everything_promised_is_there():
    stub = ast.parse(Path(shoal.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == sorted(ast.literal_eval(listed))
    assert sorted([*shoal.__all__, "__version__"]) == ast.literal_eval(listed)
    assert all(getattr(shoal, name) is not None for name in shoal.__all__)
    assert sorted(dir(shoal)) == sorted(shoal.__all__)


def test_a_name_that_is_not_there():
    assert not hasattr(shoal, "asses")
