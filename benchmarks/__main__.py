"""Run every benchmark: `python -m benchmarks [--data FOLDER]`. Exits with 1 if a promise is broken."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

ALL = (
    "reading",
    "importing",
    "partitions",
    "neighborhoods",
    "orbits",
    "stars",
    "values",
    "comparing",
    "matching",
    "attacking",
    "auditing",
    "levels",
    "directed",
    "directed_methods",
    "tables",
    "equalizing",
    "equalizing_directed",
    "known_sets",
    "matching_degrees",
    "matching_neighborhoods",
    "generalizing",
    "sharing",
    "microaggregation",
    "mondrian",
    "recoding",
    "hiding",
    "hiding_directed",
    "reducing",
    "relational",
    "web",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with real networks, e.g. com-DBLP.edges.gz")
    parser.add_argument("names", nargs="*", choices=[*ALL, []], help="which; default all")
    given = parser.parse_args()
    kept = True
    for name in given.names or ALL:
        print(f"\n== {name}")
        kept &= import_module(f"benchmarks.{name}").main(given.data)
    print("\nall promises kept" if kept else "\nA PROMISE IS BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
