"""The benchmarks whose logic is tested; their folder is beside that of the tests."""

import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
peers, peers_table, peers_work, quick, scaling, scaling_rows = (
    import_module(f"benchmarks.{name}")
    for name in ("peers", "peers_table", "peers_work", "quick", "scaling", "scaling_rows")
)
