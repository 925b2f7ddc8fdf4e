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
from shoal.errors import DEBUG, ShoalError, cut, is_debugging, lacks_memory, lacks_threads, shorten, tame, tame_lines
from shoal.progress import describe_written

# Nothing heavy is imported here, because failures while the program loads are handled too.

CANNOT, INTERNAL = 2, 70
"""Exit codes: the request could not be fulfilled; an internal error."""
MEMORY = (
    "not enough memory for this command, on this machine or under its limit (ulimit -v). `shoal risk` and `shoal "
    "check` count Parquet files on disk with --engine duckdb."
)
THREADS = "the system cannot start more threads: too little memory (ulimit -v) or too many processes (ulimit -u)."


def limit_core_dumps() -> None:
    """Disable core files: a core file would hold the names of all people in the data."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_streams() -> None:
    """Open closed standard streams, so that no file opened later gets the number of stdout or stderr."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
    sys.stdout = open(os.devnull, "w") if sys.stdout is None else sys.stdout  # noqa: SIM115 - as long as the process
    sys.stderr = open(os.devnull, "w") if sys.stderr is None else sys.stderr  # noqa: SIM115 - the same


def report_failure(error: Exception, command: str = "none (while loading)") -> int:
    """Report on stderr why a command failed, and return its exit code."""
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
    write_error(f"error: {shorten(sentence)}")
    return CANNOT


def _describe_refusal(error: OSError) -> str:
    """Return what the system refused; the path is the user's own and is shown in full."""
    if error.strerror is None:
        return cut(error)
    if error.filename is not None:
        return f"{tame(error.filename)}: {cut(error.strerror)}"
    there = describe_written()  # the disk may have become full after some files were written
    return f"{cut(error.strerror)}; {tame(there)}."


def describe_defect(error: Exception, command: str) -> str:
    """Return the report of an unexpected exception, without data and without file names."""
    lines = [
        "error: internal error. This is a defect of shoal, and probably no problem of your data.",
        "To report it, paste these lines. They contain no data, no names and no file names:",
        f"  shoal {__version__}, Python {platform.python_version()}, {sys.platform}",
        f"  command: {command}",
        *(f"  {line}" for line in locate_error(error)),
    ]
    if is_debugging():
        return "\n".join([*lines, "The traceback, which may contain data:", tame_lines(format_traceback(error))])
    return "\n".join([*lines, f"For a traceback, which may contain data, set {DEBUG}=1 and run the command again."])


def locate_error(error: BaseException) -> list[str]:
    """Return the type of an exception and the last code locations of its traceback, innermost last."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    places = [f"{module}:{line} in {function}" for module, line, function in _walk_frames(error.__traceback__)]
    return [kind, *places[-4:]]


def _walk_frames(walk: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    while walk is not None:
        code = walk.tb_frame.f_code
        yield walk.tb_frame.f_globals.get("__name__", "?"), walk.tb_lineno, code.co_name
        walk = walk.tb_next


def format_traceback(error: BaseException) -> str:
    """Return the traceback, the cause first, with each message on one line."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = [] if earlier is None else [format_traceback(earlier), "which led to:"]
    steps = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return "\n".join([*before, steps, f"{type(error).__name__}: {tame(error)}"])


def write_error(lines: str) -> None:
    """Write to stderr, if it is open."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{lines}\n")
        sys.stderr.flush()
