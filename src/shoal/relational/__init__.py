"""The same exact answers from a database, where the data are: for data that do not fit into memory, or must not move.

>>> import duckdb, shoal
>>> ring = duckdb.sql("SELECT range AS src, (range + 1) % 5 AS dst FROM range(5)")
>>> with shoal.relational.assess(ring, "refinement:2") as risk:
...     risk.k
5
"""

from shoal.relational.assess import assess
from shoal.relational.duckdb_engine import DuckDBEngine
from shoal.relational.levels import RelationalLevels, levels
from shoal.relational.loading import open_network
from shoal.relational.network import Network
from shoal.relational.release import RelationalRelease
from shoal.relational.risk import EngineTable, RelationalRisk
from shoal.relational.rounds import Round, Rounds
from shoal.relational.spark_engine import SparkEngine
from shoal.relational.suppress import suppress
from shoal.relational.thin import thin

__all__ = [
    "DuckDBEngine",
    "EngineTable",
    "Network",
    "RelationalLevels",
    "RelationalRelease",
    "RelationalRisk",
    "Round",
    "Rounds",
    "SparkEngine",
    "assess",
    "levels",
    "open_network",
    "suppress",
    "thin",
]
