"""How much of a package its tests reach: lines and branches together, at least 95 % of each package.

``make coverage``, or ``make coverage PACKAGE=risk``. The packages are those of :mod:`mutants`, with the same tests.
Compiled kernels do not count: `make sanitize` and tests/kernels run them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mutants import PACKAGES, Package

WANTED = 95


def measure(package: Package) -> int:
    """Run the tests of a package, print what they do not reach, and return 0 if it is little enough."""
    files = ",".join(str(path.relative_to(package.root)) for path in package.list_files())
    with tempfile.TemporaryDirectory() as folder:
        data = f"--data-file={Path(folder, 'reached')}"
        run = ["run", data, f"--include={files}", "-m", "pytest", "-q", "-p", "no:xdist", *package.tests]
        report = ["report", data, f"--include={files}", "--show-missing", "--skip-covered", f"--fail-under={WANTED}"]
        for command in (run, report):
            ended = subprocess.run([sys.executable, "-m", "coverage", *command], cwd=package.root, check=False)
            if ended.returncode:
                return ended.returncode
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lines and branches that the tests of a package reach.")
    parser.add_argument("package", nargs="?", choices=list(PACKAGES), help="default: all")
    only = parser.parse_args(arguments).package
    chosen = list(PACKAGES) if only is None else [only]
    os.environ.setdefault("SHOAL_TEST_SEED", "1")
    below = []
    for name in chosen:
        print(f"{name}: tests in {', '.join(PACKAGES[name].tests)}", flush=True)
        if measure(PACKAGES[name]):
            below.append(name)
    if below:
        print(f"Below {WANTED} %, or tests failed: {', '.join(below)}")
    return int(bool(below))


if __name__ == "__main__":
    sys.exit(main())
