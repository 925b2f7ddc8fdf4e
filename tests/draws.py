"""Cases drawn from an enumeration that is too long to run whole.

Each run draws another part. Its seed stands at the head and at the end of a run and below each failure, together with
the number of the case that failed; `SHOAL_TEST_SEED=N pytest ...` draws the same cases again. A case that failed once
is added to FAILED and always runs from then on.
"""

import os
import secrets
from random import Random

from hypothesis import settings

SEED = int(os.environ.setdefault("SHOAL_TEST_SEED", str(secrets.randbelow(2**32))))
"""The seed of this run; the environment hands it on to the processes of pytest-xdist."""

TIMES = int(os.environ.get("SHOAL_TEST_TIMES", "1"))
"""How many times as many cases are drawn; `make laws` sets it."""

FAILED: dict[str, tuple[int, ...]] = {}
"""For each test the numbers of the cases that failed once: {"test_witnesses_are_smallest_sets": (417,)}."""

latest: dict[str, str] = {}
"""For each test that draws, the case it is at."""


def draw_cases(cases, many):
    """Yield the cases that failed once in the test that is running, and `TIMES * many` others, drawn with the seed."""
    test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
    fixed = FAILED.get(test.split("::")[1].split("[")[0], ())
    drawn = Random(f"{SEED} {test.rsplit('/', 1)[-1]}").sample(range(len(cases)), min(TIMES * many, len(cases)))
    for number in dict.fromkeys([*fixed, *drawn]):
        latest[test] = f"case {number} of {len(cases)}"
        yield cases[number]


def examples(many):
    """Let hypothesis draw `TIMES * many` examples for a test."""
    return settings(max_examples=TIMES * many)


def describe_draw(test):
    """Return how to repeat what was drawn in a test; nothing if nothing was drawn."""
    return f"{latest[test]}, drawn with SHOAL_TEST_SEED={SEED}" if test in latest else ""
