"""Failures of commands: messages, exit codes and no core dumps."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType

from shoal import __version__
from shoal.errors import DEBUG, ShoalError, cut, is_debugging, lacks_memory, lacks_threads, tame, tame_lines
from shoal.progress import describe_written

# The safety net of the command line: how a command ends that could not go on, and what it must not leave behind.
#
# Nothing heavy is imported here: the net also catches what breaks while the program loads.

CANNOT, INTERNAL = 2, 70
"""Exit codes: what was asked for could not be done; shoal has a defect."""
MEMORY = "there is not enough memory for this command, on this machine or under its limit (ulimit -v)."
THREADS = "the system starts no more threads: too little memory (ulimit -v), or too many processes (ulimit -u)."


def limit_core_dumps() -> None:
    """Let a crash write no core file: it would hold the names of everyone in the data."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_streams() -> None:
    """Open what was closed: a file that is opened later must not get the number of stdout or stderr."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
    sys.stdout = open(os.devnull, "w") if sys.stdout is None else sys.stdout  # noqa: SIM115 - as long as the process
    sys.stderr = open(os.devnull, "w") if sys.stderr is None else sys.stderr  # noqa: SIM115 - the same


def report_failure(error: Exception, command: str = "none (while loading)") -> int:
    """Say on stderr why a command could not go on, and return its exit code."""
    if isinstance(error, BrokenPipeError):
        return 0
    if lacks_memory(error):
        return _complain(MEMORY)
    if lacks_threads(error):
        return _complain(THREADS)
    if isinstance(error, ShoalError):
        return _complain(tame(error))
    if isinstance(error, OSError):
        return _complain(_describe_refusal(error))
    write_error(describe_defect(error, command))
    return INTERNAL


def _complain(sentence: str) -> int:
    write_error(f"error: {sentence}")
    return CANNOT


def _describe_refusal(error: OSError) -> str:
    """Say what the system refused; the path is the user's own and stays whole."""
    if error.strerror is None:
        return cut(error)
    if error.filename is not None:
        return f"{tame(error.filename)}: {cut(error.strerror)}"
    there = describe_written()  # the text itself may have had no room, after the files were written
    return f"{cut(error.strerror)}; {tame(there)}."


def describe_defect(error: Exception, command: str) -> str:
    """Return the lines about an unexpected exception: nothing in them comes from data or from a file name."""
    lines = [
        "error: internal error. This is a defect of shoal; nothing is known to be wrong with your data.",
        "To report it, paste these lines. They hold no data, no names and no file names:",
        f"  shoal {__version__}, Python {platform.python_version()}, {sys.platform}",
        f"  command: {command}",
        *(f"  {line}" for line in locate_error(error)),
    ]
    if is_debugging():
        return "\n".join([*lines, "The traceback, which may hold data:", tame_lines(format_traceback(error))])
    return "\n".join([*lines, f"For the traceback, which may hold data, say {DEBUG}=1 and run it again."])


def locate_error(error: BaseException) -> list[str]:
    """Return the type of an exception and the places in code that it went through, the innermost last."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    places = [f"{module}:{line} in {function}" for module, line, function in _walk_frames(error.__traceback__)]
    return [kind, *places[-4:]]


def _walk_frames(walk: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    while walk is not None:
        code = walk.tb_frame.f_code
        yield walk.tb_frame.f_globals.get("__name__", "?"), walk.tb_lineno, code.co_name
        walk = walk.tb_next


def format_traceback(error: BaseException) -> str:
    """Return the traceback, the cause first; the message of an exception stays on its own line."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = [] if earlier is None else [format_traceback(earlier), "which led to:"]
    steps = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return "\n".join([*before, steps, f"{type(error).__name__}: {tame(error)}"])


def write_error(lines: str) -> None:
    """Write to stderr, where there is one."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{lines}\n")
        sys.stderr.flush()
