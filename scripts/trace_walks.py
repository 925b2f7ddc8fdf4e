"""How far a reader jumps: the source files that three commands enter, in the order of first entry.

Each command runs in a process of its own on a small network. A file is entered when one of its functions is called
after loading; what runs while modules are imported does not count, nor do compiled loops. A switch is a step to a file
in another folder.

    python scripts/trace_walks.py            counts
    python scripts/trace_walks.py --files    and the files
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

WALKS = {
    "risk": ["risk", "FILE", "--knows", "neighborhood:1"],
    "anonymize": [
        "anonymize",
        "FILE",
        "--method",
        "equalize-rows",
        "-k",
        "3",
        "--seed",
        "1",
        "-o",
        "OUT",
        "--mapping",
        "MAP",
    ],
    "audit": ["audit", "FILE", "OUT", "--mapping", "MAP", "-o", "REPORT"],
}
FUNCTION = 0x1  # the flag that the body of a function has, and that of a class or module has not


class Walk:
    """The files entered so far."""

    def __init__(self, root: Path) -> None:
        self.root = f"{root}/"
        self.files: list[str] = []
        self.seen: set[CodeType] = set()
        self.loading = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call or a return."""
        code = frame.f_code
        if not code.co_filename.startswith(self.root) or "/_kernels/" in code.co_filename:
            return
        if code.co_name == "<module>":
            self.loading += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self.loading and code.co_flags & FUNCTION and code not in self.seen:
            self.seen.add(code)
            if code.co_filename not in self.files:
                self.files.append(code.co_filename)


def trace(arguments: list[str]) -> list[str]:
    """Run one command in this process and return the files that it enters, relative to the package."""
    import shoal
    from shoal.cli.app import run_command

    root = Path(shoal.__file__).parent
    walk = Walk(root)
    sys.argv = ["shoal", *arguments]
    sys.setprofile(walk)
    code = run_command()
    sys.setprofile(None)
    if code not in (0, 1):
        sys.exit(f"shoal {arguments[0]} ended with {code}.")
    return [str(Path(file).relative_to(root)) for file in walk.files]


def count_switches(files: list[str]) -> int:
    """Count the steps between two folders."""
    folders = [str(Path(file).parent) for file in files]
    return sum(a != b for a, b in pairwise(folders))


def main() -> None:
    """Trace the three walks and print what they count."""
    import networkx as nx

    with tempfile.TemporaryDirectory() as folder:
        files = {"FILE": "network.csv", "OUT": "release.csv", "MAP": "mapping.csv", "REPORT": "report.html"}
        paths = {name: str(Path(folder) / file) for name, file in files.items()}
        lines = [f"p{a},p{b}" for a, b in nx.karate_club_graph().edges()]
        Path(paths["FILE"]).write_text("source,target\n" + "\n".join(lines) + "\n")
        for name, words in WALKS.items():
            arguments = [paths.get(word, word) for word in words]
            listing = Path(folder) / "files.json"
            command = [sys.executable, __file__, "--trace", str(listing), *arguments]
            environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            entered = json.loads(listing.read_text())
            print(f"{name:10} {len(entered):4} files {count_switches(entered):4} switches")
            if "--files" in sys.argv:
                print("".join(f"    {file}\n" for file in entered), end="")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        listing, arguments = Path(sys.argv[2]), sys.argv[3:]
        listing.write_text(json.dumps(trace(arguments)))
    else:
        main()
