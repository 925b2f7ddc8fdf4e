"""Other tools, each in an environment of its own: some pin versions that shoal does not use.

`python -m benchmarks.peers NAME ...` makes environments in the folder .peers (or SHOAL_PEERS).
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(os.environ.get("SHOAL_PEERS", ".peers"))
NEEDS = {
    "igraph": (),
    "networkx": ("numpy",),
    "networkit": (),
    "pynauty": (),
    "suda": (),
    "pycanon": (),
    "anonypy": ("pandas",),
    "anjana": (),
    "anonymeter": (),
    "splink": ("pandas",),
}
"""The tools, and what they import but do not ask for."""
SECONDS = 900


class PeerFailed(Exception):
    """A tool could not be installed, or failed, or took too long."""


def find_python(peer):
    """Return the Python of the environment of a tool."""
    return (FOLDER / peer / "bin" / "python").absolute()


def there(peer):
    """Tell whether the environment of a tool exists, or say how to make it."""
    if not (FOLDER / peer / ".ready").exists():
        print(f"skip {peer}: run `python -m benchmarks.peers {peer}`, which installs it into {FOLDER}")
        return False
    return True


def install(peer, index=()):
    """Make the environment of a tool, if there is none, and return the version of the tool."""
    mark = FOLDER / peer / ".ready"
    if not mark.exists():
        venv.create(FOLDER / peer, with_pip=True, clear=True)
        command = [str(find_python(peer)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *index]
        done = run([*command, peer, *NEEDS[peer]])
        if done.returncode:
            raise PeerFailed(f"could not be installed: {last_line(done.stderr)}")
        told = run([str(find_python(peer)), "-c", f"from importlib.metadata import version; print(version({peer!r}))"])
        if told.returncode:
            raise PeerFailed(f"could not be installed: {last_line(told.stderr)}")
        mark.write_text(told.stdout.strip())
    return mark.read_text()


def run(command, seconds=SECONDS):
    """Run a command; return its exit code and what it printed."""
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise PeerFailed(f"stopped after {seconds} s") from None
    except OSError as error:
        raise PeerFailed(f"cannot be started: {error}") from None


def last_line(text):
    """Return the last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")


def asked(peer, code, *arguments):
    """Run code with a tool and return its `result`; what it times, it times itself."""
    tail = "\nimport json\nprint(json.dumps(result))"
    done = run([str(find_python(peer)), "-W", "ignore", "-c", code + tail, *map(str, arguments)])
    if done.returncode:
        raise PeerFailed(f"failed: {last_line(done.stderr)}")
    return json.loads(done.stdout.splitlines()[-1])


def main(names):
    failed = False
    for peer in names or NEEDS:
        try:
            print(f"{peer} {install(peer)}")
        except PeerFailed as error:
            failed = True
            print(f"{peer} {error}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
