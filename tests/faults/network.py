"""No command opens a connection, and the web app listens on the loopback device only.

A filter of the kernel (seccomp) ends a process that asks for a socket of the internet, also one that a compiled
library asks for. Where a namespace without network can be made (root), everything runs in it as well.
"""

import contextlib
import ctypes
import os
import platform
import signal
import socket
import struct
import sys
import time
from pathlib import Path

from faults import judges
from faults.copies import Run
from faults.leaks import READING

SOCKET = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}
"""The number of the system call `socket`, and how the kernel calls the machine."""
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
KILL, ALLOW = 0x80000000, 0x7FFF0000
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def forbid_sockets():
    """Let the kernel end this process, and all that it starts, if it asks for a socket of the internet."""
    number, machine = SOCKET[platform.machine()]
    inet, inet6 = int(socket.AF_INET), int(socket.AF_INET6)
    code = b"".join(
        struct.pack("=HBBI", *line)
        for line in (
            (LOAD, 0, 0, 4),  # the machine
            (EQUAL, 1, 0, machine),
            (RETURN, 0, 0, ALLOW),
            (LOAD, 0, 0, 0),  # the system call
            (EQUAL, 1, 0, number),
            (RETURN, 0, 0, ALLOW),
            (LOAD, 0, 0, 16),  # its first argument, the family of addresses
            (EQUAL, 1, 0, inet),
            (EQUAL, 0, 1, inet6),
            (RETURN, 0, 0, KILL),
            (RETURN, 0, 0, ALLOW),
        )
    )
    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter")


def can_forbid():
    """Return whether the kernel of this machine takes the filter."""
    return sys.platform == "linux" and platform.machine() in SOCKET


def leave_network():
    """Go into a namespace without network, where that is possible; return whether it is."""
    with contextlib.suppress(AttributeError, OSError):
        return not ctypes.CDLL(None).unshare(CLONE_NEWNET)
    return False


def run_without_network(ground, tally):
    """Run every command that writes, and those that read, where any socket of the internet ends the process."""
    if not can_forbid():
        tally.say("no filter of the kernel here: connections are not looked for")
        return
    for arguments in (*(one.arguments for one in ground.writing), *(words.split() for words in READING)):
        place = ground.clear()
        ended = Run(arguments, place, before=_close_network).end()
        faults = [*judges.judge_words(ended)]
        if ended.code not in (0, 1) or "SIGSYS" in ended.said:
            faults.append(f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}")
        tally.count("no connection", " ".join(arguments), faults)
    place = ground.clear()
    tally.count("the web app", "shoal serve", list(judge_server(place)))


def _close_network():
    leave_network()
    forbid_sockets()


def list_listening(number):
    """Return the addresses on which sockets of a process listen, as hexadecimal texts of the kernel."""
    found = []
    inodes = set()
    for entry in Path(f"/proc/{number}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.add(os.readlink(entry))
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        for line in Path(f"/proc/{number}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if f"socket:[{words[9]}]" in inodes and (words[3] == "0A" or not table.startswith("tcp")):
                found.append(f"{table} {words[1]}")
    return found


LOOPBACK = "tcp 0100007F:" if sys.byteorder == "little" else "tcp 7F000001:"


def judge_addresses(addresses):
    """Yield the addresses that are reached from other machines."""
    yield from (f"it listens on {one}" for one in addresses if not one.startswith(LOOPBACK))


def judge_server(place, browse=True):
    """Start the web app; its link is private, it listens on the loopback device only, and nothing is left."""
    browser = place.root / "browser"
    browser.write_text("#!/bin/sh\nexit 0\n")
    browser.chmod(0o700)
    os.environ["BROWSER"] = str(browser)
    run = Run(["serve", "example:florentine"], place, before=leave_network)

    def listens():
        return run.measure() > 0 and bool(list_listening(run.worker))

    try:
        if not run.wait_until(listens):
            yield "it does not listen"
            return
        deadline = time.monotonic() + 20
        while not any(place.temp.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield from judge_addresses(list_listening(run.worker))
        folders = list(place.temp.iterdir())
        if not folders:
            yield "there is no page with the link"
        for folder in folders:
            if folder.stat().st_mode & judges.OWNER or any(p.stat().st_mode & judges.OWNER for p in folder.iterdir()):
                yield f"{folder.name} is open to others"
    finally:
        run.send(signal.SIGKILL, "all")
        run.end()
    again = Run(["serve", "example:florentine"], place, before=leave_network)
    again.wait_until(lambda: again.measure() > 0 and bool(list_listening(again.worker)))
    if again.wait_until(lambda: set(place.temp.iterdir()) != set(folders)) and set(place.temp.iterdir()) & set(folders):
        time.sleep(1)
        yield from (f"{folder.name} is left" for folder in folders if folder.exists())
    again.send(signal.SIGTERM, "watcher")
    yield from judges.judge_words(again.end())
    yield from (f"{entry.name} is left at the end" for entry in place.temp.iterdir())
