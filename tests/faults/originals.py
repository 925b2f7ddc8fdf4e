"""Random originals with names that occur nowhere else: whatever holds one of them knows the original."""

import csv
import random
from typing import NamedTuple

import pyarrow as pa
from pyarrow import parquet

LETTERS = "bcdfghjklmnpqrstvwxz"
N = 24


class Original(NamedTuple):
    """A network of people as plain lists, in the order of its files."""

    names: list
    ages: list
    towns: list
    links: list

    def write(self, folder):
        """Write the links and the people as csv and as Parquet."""
        with (folder / "friends.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([("source", "target"), *self.links])
        with (folder / "people.csv").open("w", newline="") as stream:
            rows = zip(self.names, self.ages, self.towns, strict=True)
            csv.writer(stream).writerows([("name", "age", "town"), *rows])
        sources, targets = ([link[end] for link in self.links] for end in (0, 1))
        parquet.write_table(pa.table({"src": sources, "dst": targets}), folder / "friends.parquet")
        parquet.write_table(pa.table({"name": self.names, "age": self.ages}), folder / "people.parquet")


def draw_original(seed, n=N):
    """Draw a ring of people with some more links; every name is drawn, and the order of the files too."""
    rng = random.Random(seed)
    names = ["".join(rng.choices(LETTERS, k=11)) for _ in range(n)]
    around = rng.sample(names, n)
    pairs = {frozenset((around[i], around[(i + step) % n])) for i in range(n) for step in (1, 2)}
    pairs |= {frozenset(rng.sample(names, 2)) for _ in range(2)}
    links = [tuple(rng.sample(sorted(pair), 2)) for pair in sorted(pairs, key=sorted)]
    rng.shuffle(links)
    return Original(names, [rng.randint(30, 39) for _ in names], [rng.choice(("Ulm", "Bonn")) for _ in names], links)
