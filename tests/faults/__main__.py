"""Faults and leaks on purpose: a table of cases and failures per kind; exit code 1 after a failure.

python -m faults [PART ...] [--kills N] [--share S] [--seed N]
"""

import argparse
import secrets
import sys
import tempfile
import time

from faults.downloads import search_downloads
from faults.ground import Ground, Tally, write_line
from faults.kills import kill_at_random
from faults.leaks import search_engine_releases, search_releases, search_words
from faults.network import run_without_network
from faults.recovery import disturb_recovery
from faults.rivals import let_runs_meet
from faults.steps import go_through_steps
from faults.targets import fill_disks, forbid_writing, limit_memory, try_odd_targets

PARTS = {
    "kills": lambda ground, tally, asked: kill_at_random(ground, tally, asked.kills),
    "steps": lambda ground, tally, asked: go_through_steps(ground, tally, asked.share, asked.kind),
    "recovery": lambda ground, tally, asked: disturb_recovery(ground, tally, asked.share),
    "targets": lambda ground, tally, _: try_odd_targets(ground, tally),
    "disks": lambda ground, tally, _: (fill_disks(ground, tally), forbid_writing(ground, tally)),
    "memory": lambda ground, tally, _: limit_memory(ground, tally),
    "rivals": lambda ground, tally, _: let_runs_meet(ground, tally),
    "leaks": lambda ground, tally, _: (
        search_releases(ground, tally),
        search_engine_releases(ground, tally),
        search_words(ground, tally),
        search_downloads(ground, tally),
    ),
    "network": lambda ground, tally, _: run_without_network(ground, tally),
}


def main():
    parser = argparse.ArgumentParser(prog="faults")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--kills", type=int, default=1000, help="signals at random moments")
    parser.add_argument("--share", type=float, default=0.25, help="share of the steps that get each fault")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--kind", action="append", help="only this kind of fault at steps; repeatable")
    parser.add_argument("--only", help="only commands whose title begins so")
    asked = parser.parse_args()
    unknown = set(asked.parts) - set(PARTS)
    if unknown:
        parser.error(f"PART must be one of {', '.join(PARTS)}. Got {', '.join(sorted(unknown))}.")
    write_line(f"seed {asked.seed}")
    tally, began, stopped = Tally(), time.monotonic(), False
    with tempfile.TemporaryDirectory(prefix="shoal-faults-") as folder:
        ground = Ground(folder, asked.seed)
        if asked.only:
            ground.writing = tuple(one for one in ground.writing if one.title.startswith(asked.only))
        try:
            for part in asked.parts or PARTS:
                PARTS[part](ground, tally, asked)
        except KeyboardInterrupt:
            stopped = True
            write_line("interrupted: the table counts what was done until now")
    tally.print_table()
    write_line(f"{time.monotonic() - began:.0f} s, seed {asked.seed}")
    sys.exit(1 if tally.faults else 130 if stopped else 0)


if __name__ == "__main__":
    main()
