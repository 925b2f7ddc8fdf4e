"""Faults planted into the program, each of which `python -m faults` must find; printed is what it found.

python -m faults.planted
"""

import os
import signal
import sys
import tempfile
from contextlib import contextmanager

import shoal.cli.output
import shoal.io.atomic
from faults.copies import Run
from faults.ground import Ground, Tally, write_line
from faults.kills import judge_end
from faults.network import can_forbid, forbid_sockets
from faults.steps import go_through_steps, kill_at
from faults.writing import WRITING

PLAIN = next(one for one in WRITING if one.title == "minimal-uniques")


@contextmanager
def write_in_place(path, *, force, compression="", private=False):
    """A writer that is not atomic: it empties the file, and then writes it."""
    with open(path, "wb") as stream:
        stream.write(b"name")
        stream.flush()
        os.mkdir(f"{path}-half")
        os.rmdir(f"{path}-half")
        yield stream


def open_to_all(one):
    """A writer that lets everybody read what is private."""
    one.part.chmod(0o644)


def connect():
    """A command that asks for a socket of the internet."""
    import socket

    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def plant(module, name, value):
    """Return what puts a fault into a copy of the program."""
    return lambda: setattr(module, name, value)


def find(ground, label, before, act=None, number=None):
    """Run a command with a fault, and print what the judges say."""
    place = ground.clear()
    ended = Run(PLAIN.arguments, place, before=before, act=act).end()
    faults = list(judge_end(ground, PLAIN, place, (), ended, number or signal.SIGTERM))
    write_line(f"{label}: {'; '.join(faults)}")


def ask_for_socket():
    forbid_sockets()
    was = shoal.cli.output.check_targets
    shoal.cli.output.target_files.check_targets = lambda *given: (connect(), was)


def main():
    with tempfile.TemporaryDirectory(prefix="shoal-faults-") as folder:
        ground, tally = Ground(folder, 1, (PLAIN,), ()), Tally(lambda text: write_line(text, sys.stderr))
        go_through_steps(ground, tally, 1.0, {"kill at each step", "disk full from a step on"})
        write_line(f"sound: {sum(tally.cases.values())} cases, {len(tally.faults)} faults")
        in_place = plant(shoal.io.atomic, "replace_file", write_in_place)
        find(ground, "partial", in_place, kill_at(2), signal.SIGKILL)
        find(ground, "open", plant(shoal.io.atomic, "_set_mode", open_to_all))
        find(ground, "left", plant(shoal.io.atomic, "_remove", shoal.io.atomic._let_go))
        if can_forbid():
            find(ground, "connection", ask_for_socket)


if __name__ == "__main__":
    main()
