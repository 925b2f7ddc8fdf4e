"""Promises: the audit of email-Enron, attacks included, takes at most 2 minutes and 2 GB, and its page 3 MB.

Times are without loading libraries: a small audit is made first.
"""

import sys
import tempfile
import warnings
from pathlib import Path

from benchmarks.measure import file, peak_megabytes, promise

import shoal
from shoal.errors import Notice

AUDIT = """
import pathlib, sys, time, warnings
warnings.simplefilter("ignore")
import shoal
small = shoal.examples.village(60)
shoal.audit(small, shoal.methods.MatchDegrees(k=3, seed=1)(small)).save(sys.argv[4], force=True)
graph, released = shoal.read_graph(sys.argv[1]), shoal.read_graph(sys.argv[2])
began = time.perf_counter()
found = shoal.audit(graph, released, mapping=sys.argv[3], files=(sys.argv[1], sys.argv[2]))
counted = time.perf_counter() - began
found.save(sys.argv[4], force=True)
left = [one.name for one in (*found.attacks.left_out, *found.after.left_out)]
result = [time.perf_counter() - began, counted, pathlib.Path(sys.argv[4]).stat().st_size / 1e6, left]
"""


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    path = file(data, "email-Enron")
    if path is None:
        return True
    with tempfile.TemporaryDirectory() as folder:
        safe, secret, page = (Path(folder) / name for name in ("safe.csv", "secret.csv", "report.html"))
        shoal.methods.MatchDegrees(k=12, seed=7)(shoal.read_graph(path)).save(safe, secret)
        (spent, counted, size, left), peak = peak_megabytes(AUDIT, path, safe, secret, page)
    print(f"     counting {counted:.1f} s, writing {spent - counted:.1f} s; left out: {', '.join(left)}")
    kept = promise("email-Enron: seconds for the audit and its page", spent, 120, most=True)
    kept &= promise("email-Enron: megabytes of memory", peak, 2048, most=True)
    return kept & promise("email-Enron: megabytes of the page", size, 3, most=True)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:2]) else 1)
