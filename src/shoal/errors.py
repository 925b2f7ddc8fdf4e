"""Every way in which shoal says no, and its one way to say "by the way".

::

    ShoalError
    ├── BadParameter      (ValueError)   a number, a column or an option that cannot be meant
    ├── UnknownVertex     (KeyError)     a name that no vertex bears
    ├── UnknownColumn     (KeyError)     a column that the table does not have
    ├── BadGraph          (ValueError)   data that is no undirected loopless graph
    ├── BadFile           (ValueError)   a file that cannot be read as what it claims to be
    ├── FileExists        (OSError)      an output that would overwrite something
    ├── CannotPromise     (ValueError)   what a method was asked for cannot be had on this data
    ├── BrokenPromise     (RuntimeError) a release that does not keep its promise, and is not handed over
    ├── MissingLibrary    (ImportError)  an optional library that is not installed
    └── MissingResource   (RuntimeError) memory, a process or a folder that the machine does not give

    Notice                (UserWarning)  something was understood in a way worth knowing

Each message says who speaks, what must be, what came, and what to do.
"""

from __future__ import annotations

import difflib
import errno
import re
import signal
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

LARGEST = 2**31 - 1
"""The largest whole number that a parameter can be: products of two still fit into 64 bits."""
DIGITS = 4_000
"""A number of more digits than this is not read; Python itself stops a little above."""
SHOWN = 60
"""Characters of a value that a message shows."""
Kind = TypeVar("Kind")


class ShoalError(Exception):
    """The root of the tree: catch this to catch everything that shoal refuses."""

    def __str__(self) -> str:
        # KeyError would print the repr of its message
        return str(self.args[0]) if self.args else ""


class BadParameter(ShoalError, ValueError):
    """A parameter is outside what its meaning allows."""


class UnknownVertex(ShoalError, KeyError):
    """No vertex bears that name."""


class UnknownColumn(ShoalError, KeyError):
    """No column bears that name."""


class BadGraph(ShoalError, ValueError):
    """The data is not an undirected graph without loops."""


class BadFile(ShoalError, ValueError):
    """The file cannot be read as what it claims to be."""


class FileExists(ShoalError, OSError):
    """The output exists and would be overwritten."""


class CannotPromise(ShoalError, ValueError):
    """No change of this data that the method may make reaches what was asked for."""


class BrokenPromise(ShoalError, RuntimeError):
    """A release was checked and does not keep its promise."""


class MissingLibrary(ShoalError, ImportError):
    """An optional library is needed and not installed."""


class MissingResource(ShoalError, RuntimeError):
    """The machine does not give what the work needs: memory, a process, a folder that can be written."""


class Notice(UserWarning):
    """Nothing changes in silence: what was understood, counted and kept going."""


@contextmanager
def hear_notices(hear: Callable[[Warning | str, bool], None]) -> Iterator[None]:
    """Inside the block, pass each warning on once, with whether it is a notice of shoal."""
    heard: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if str(message) not in heard:
            heard.add(str(message))
            hear(message, issubclass(category, Notice))

    with warnings.catch_warnings():
        warnings.simplefilter("always", Notice)
        warnings.showwarning = show
        yield


def notice(message: str) -> None:
    """Tell the user, on stderr, how something was understood."""
    warnings.warn(_name_places(message), Notice, stacklevel=3)


_places: ContextVar[Mapping[str, str]] = ContextVar("shoal_places", default={})  # noqa: B039 - never changed


@contextmanager
def naming_places(places: Mapping[str, str]) -> Iterator[None]:
    """Let notices and errors inside the block name files where they will be, and not where they are written first."""
    token = _places.set({**_places.get(), **places})
    try:
        yield
    except ShoalError as error:
        raise type(error)(_name_places(str(error))) from error
    finally:
        _places.reset(token)


def _name_places(text: str) -> str:
    for part, place in reversed(
        [*_places.get().items()]
    ):  # the inner ones first: they lie in folders of the outer ones
        text = text.replace(part, place)
    return text


def must(condition: object, who: str, what: str, rule: str, came: object) -> None:
    """Refuse a parameter by the one template.

    >>> must(True, "Neighbors", "l", "1 or more", 3)
    >>> must(False, "Neighbors", "l", "1 or more", 0)
    Traceback (most recent call last):
    ...
    shoal.errors.BadParameter: Neighbors: 'l' must be 1 or more. Got 0.
    """
    if not condition:
        raise BadParameter(f"{who}: '{what}' must be {rule}. Got {show_value(came)}.")


def show_value(value: object) -> str:
    """Return a value as a message shows it: cut off where it is long, whatever it is.

    >>> show_value("Medici"), show_value(10**5000)
    ("'Medici'", 'a whole number of more than 4,000 digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python spells out no longer number
        return f"a whole number of more than {DIGITS:,} digits"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def whole(value: object, who: str, what: str, least: int, most: int | None = LARGEST) -> int:
    """Return `value` as an int from `least` to `most`, or refuse it (True is no number here).

    A seed has no largest value: pass `most=None`.

    >>> whole(3, "assess", "k", least=1)
    3
    """
    number = None if isinstance(value, bool) else _index(value)
    if number is not None and number >= least and (most is None or number <= most):
        return number
    rule = f"of {least} or more" if most is None or number is None or number < least else f"of at most {most:,}"
    raise BadParameter(f"{who}: '{what}' must be a whole number {rule}. Got {show_value(value)}.")


def _index(value: object) -> int | None:
    try:
        return int(value.__index__())  # type: ignore[attr-defined]
    except (AttributeError, TypeError):  # an array has an __index__, and refuses
        return None


def parse_whole(text: str) -> int | None:
    """Return the whole number that a text spells in ASCII digits, perhaps after a minus; None if it spells none.

    >>> parse_whole("12"), parse_whole("-1"), parse_whole("1_000"), parse_whole(" 3"), parse_whole("٣")
    (12, -1, None, None, None)
    """
    spelled = len(text) <= DIGITS and re.fullmatch("-?[0-9]+", text)
    return int(text) if spelled else None


def list_names(names: Collection[object], most: int = 8, spell: Callable[[object], str] = repr) -> str:
    """Write names, in quotes unless `spell` is str: the first few, and how many more there are.

    >>> list_names(["age", "sex"]), list_names(range(100_000), most=3)
    ("'age', 'sex'", '0, 1, 2 and 99,997 more')
    """
    shown = ", ".join(map(spell, islice(names, most)))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def did_you_mean(came: object, known: Iterable[object]) -> str:
    """Suggest the known names nearest to the one that came, as a sentence or as nothing.

    >>> did_you_mean("Ridolfo", ["Medici", "Ridolfi"])
    " Did you mean 'Ridolfi'?"
    >>> did_you_mean(7, ["6", "7"])
    " Did you mean '7'?"
    """
    spelled = {str(name): name for name in islice(known, 100_000)}
    close = difflib.get_close_matches(came if isinstance(came, str) else show_value(came), list(spelled), n=3)
    return f" Did you mean {' or '.join(repr(spelled[name]) for name in close)}?" if close else ""


def find_by_name(what: str, name: str, known: Mapping[str, Kind]) -> Kind:
    """Return what is known by a name, or refuse a name that is not known.

    >>> find_by_name("color", "rde", {"red": 1, "blue": 2})
    Traceback (most recent call last):
    ...
    shoal.errors.BadParameter: There is no color 'rde'. There are: red, blue. Did you mean 'red'?
    """
    if name not in known:
        raise BadParameter(
            f"There is no {what} {name!r:.60}. There are: {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return known[name]


def describe_exit(code: int) -> str:
    """Say how a process ended: by which signal, or with which code.

    >>> describe_exit(-9), describe_exit(3)
    ('signal SIGKILL', 'exit code 3')
    """
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def lacks_memory(error: BaseException) -> bool:
    """Tell whether an error, or one that led to it, is about memory that could not be had, in the words of any library.

    >>> lacks_memory(MemoryError()), lacks_memory(OSError(12, "Cannot allocate memory")), lacks_memory(KeyError("a"))
    (True, True, False)
    """
    return any(_is_about_memory(each) for each in _chain(error))


def lacks_threads(error: BaseException) -> bool:
    """Tell whether an error, or one that led to it, says that no thread could be started."""
    return any(isinstance(each, RuntimeError) and "start new thread" in str(each) for each in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_about_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):  # numpy's, arrow's and numba's are
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # igraph has one exception for everything, and so has the loader of compiled libraries
    loading = isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno is None)
    told = str(error).lower() if loading or type(error).__name__ == "InternalError" else ""
    return any(words in told for words in ("out of memory", "cannot allocate memory", "failed to map segment"))


def load(library: str, purpose: str, extra: str) -> Any:
    """Import an optional library on use; its absence names the extra to install."""
    try:
        return import_module(library)
    except ImportError as error:
        message = f"{purpose} needs the library '{library}'. Install it with: pip install 'shoal[{extra}]'"
        raise MissingLibrary(message) from error


# Text for a terminal: what comes from a file, a file name or a library must not steer it, nor fake a line.

LIBRARY = 120
"""Characters of a library's message that are shown; the rest may be a whole file."""

INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters without a width that Python calls printable; the others it does not."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Controls other than tabs and line ends: HTML has no place for them."""


def tame(text: object) -> str:
    r"""Spell every character that a terminal would not show as itself: controls, line ends, bidi, no width.

    This is for a value (a name, a path, a message) that becomes a part of a line.

    >>> tame("Bob\x1b[31m"), tame("Ann\nnote: all is well"), tame("a\u202eb\u200bc")
    ('Bob\\x1b[31m', 'Ann\\nnote: all is well', 'a\\u202eb\\u200bc')
    """
    line = str(text)
    if line.isprintable() and not INVISIBLE.search(line):
        return line
    return "".join(c if c.isprintable() and not INVISIBLE.match(c) else spell(c) for c in line)


def spell(character: str) -> str:
    r"""Write a character as its escape in Python.

    >>> spell("\x1b"), spell("\u202e")
    ('\\x1b', '\\u202e')
    """
    return character.encode("unicode_escape").decode()


def spell_controls(page: str) -> str:
    r"""Spell the controls that a page must not hold: a browser drops a NUL, and two names would look the same.

    >>> spell_controls("a\0b\n\tc")
    'a\\x00b\n\tc'
    """
    return CONTROLS.sub(lambda found: spell(found.group()), page)


def tame_lines(text: str) -> str:
    r"""Tame each line of a text whose line ends and tabs are the program's own.

    >>> tame_lines("one\n\ttwo\r\x85three")
    'one\n\ttwo\\r\\x85three'
    """
    return "\n".join("\t".join(map(tame, line.split("\t"))) for line in text.split("\n"))


def join_lines(lines: Iterable[object]) -> str:
    r"""Join the lines of a text; a line end inside one came with a name, and is spelled.

    >>> print(join_lines(["Written: a\nb.csv", "Done."]))
    Written: a\nb.csv
    Done.
    """
    return "\n".join(map(tame, lines))


def cut(text: object, most: int = LIBRARY) -> str:
    """Tame a text and keep at most so many characters of it.

    >>> cut("abcdef", 4)
    'abc…'
    """
    line = tame(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
