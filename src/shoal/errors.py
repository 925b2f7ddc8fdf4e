"""Exceptions and notices of shoal, argument checks, and text that is safe to print on a terminal.

::

    ShoalError
    ├── BadParameter      (ValueError)   a parameter, a column or an option is not valid
    ├── UnknownVertex     (KeyError)     no vertex has this name
    ├── UnknownColumn     (KeyError)     the table has no such column
    ├── BadGraph          (ValueError)   the data is no graph without loops, or no graph of the kind that is needed
    ├── BadFile           (ValueError)   a file is malformed or of an unknown format
    ├── FileExists        (OSError)      the output file exists already
    ├── CannotPromise     (ValueError)   a method cannot reach the requested guarantee on this data
    ├── BrokenPromise     (RuntimeError) a release fails the check of its guarantee and is withheld
    ├── MissingLibrary    (ImportError)  an optional library is not installed
    ├── MissingResource   (RuntimeError) memory, a process or a writable folder is not available
    └── OutOfTime         (TimeoutError) nothing was finished within the time limit

    Notice                (UserWarning)  how shoal interpreted the input, what it left out

Each message names the function, states the rule, shows the value it got, and says what to do.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

DEBUG = "SHOAL_DEBUG"
"""The environment variable that keeps every frame of a traceback."""
LARGEST = 2**31 - 1
"""The largest integer parameter; the product of two such numbers fits into 64 bits."""
DIGITS = 4_000
"""The most digits of an integer that is parsed; Python itself parses at most 4,300."""
SHOWN = 60
"""The most characters of a value that a message shows."""
Kind = TypeVar("Kind")


class Place(NamedTuple):
    """A line of a file, counted from 1; a row, where a file has no lines.

    >>> f"{Place('friends.csv', 1_234)}: must be text."
    'friends.csv, line 1,234: must be text.'
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line:,}"


class ShoalError(Exception):
    """The base class of all errors of shoal."""

    place: Place | None = None
    """The line of a file that the error is about; None if there is none."""

    @classmethod
    def at(cls, where: Place | str, message: str, place: Place | None = None) -> Self:
        """Return the error whose message begins with a place, or with a text that names it in another way."""
        found = cls(f"{where}: {message}")
        found.place = where if isinstance(where, Place) else place
        return found

    def __str__(self) -> str:
        # KeyError would print the repr of its message.
        return shorten(str(self.args[0])) if self.args else ""


class BadParameter(ShoalError, ValueError):
    """A parameter is not valid."""


class UnknownVertex(ShoalError, KeyError):
    """No vertex has this name."""


class UnknownColumn(ShoalError, KeyError):
    """No column has this name."""


class BadGraph(ShoalError, ValueError):
    """The data is no graph without loops, or its links have directions or kinds that are not handled or held."""


class BadFile(ShoalError, ValueError):
    """The file is malformed or of an unknown format."""


class FileExists(ShoalError, OSError):
    """The output file exists already, and overwriting was not requested."""


class CannotPromise(ShoalError, ValueError):
    """The method cannot reach the requested guarantee on this data with the edits it may make."""


class BrokenPromise(ShoalError, RuntimeError):
    """A release was checked and does not meet its guarantee."""


class MissingLibrary(ShoalError, ImportError):
    """An optional library is needed and not installed."""


class MissingResource(ShoalError, RuntimeError):
    """Memory, a process or a writable folder is not available on this machine."""


class OutOfTime(ShoalError, TimeoutError):
    """Nothing was finished within the time limit."""


class Notice(UserWarning):
    """A warning: how shoal interpreted the input, or what it left out, merged or did not read."""

    brief: str = ""
    """The fact in a few words, for a line that sums up several notices; empty if the notice must be shown in full."""


@contextmanager
def hear_warnings(hear: Callable[[Warning | str], None]) -> Iterator[None]:
    """Inside the block, pass each warning to `hear`."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        hear(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always", Notice)
        warnings.showwarning = show
        yield


def notice(message: str, brief: str = "") -> None:
    """Issue a notice: a warning that Python shows each time, at the line that called shoal.

    A notice about how data was read has a `brief`: numbers, names and the option that decides. A command may sum up
    several of them in one line. A notice without one, such as a warning about a release, is always shown in full.
    """
    made = Notice(shorten(_name_places(message)))
    made.brief = brief
    warn_caller(made, Notice)


SKIPPED = ("shoal", "functools", "contextlib", "concurrent", "threading")
"""Packages that are not the caller: shoal, and the libraries through which shoal calls itself."""


def warn_caller(message: Warning | str, category: type[Warning]) -> None:
    """Issue a warning at the first line outside shoal.

    By default, Python shows a warning once per line and remembers it in the module's registry. No registry is passed
    here, so the warning is shown each time. The user's warning filters apply as usual.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in SKIPPED:
        frame = frame.f_back
    module = str(frame.f_globals.get("__name__"))
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module)


def is_debugging() -> bool:
    """Return whether SHOAL_DEBUG asks for whole tracebacks."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public function: the traceback of a ShoalError ends there, without frames inside shoal.

    Other exceptions are defects or come from other libraries; they keep every frame. SHOAL_DEBUG=1 keeps all frames.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # IPython and pytest do not show this frame
        try:
            return function(*args, **kwargs)
        except ShoalError as error:
            _end_traceback(error)
            raise

    return call


def _end_traceback(error: ShoalError) -> None:
    """Drop the frames inside the public function. The first frame is `call`, the second the public function."""
    first = error.__traceback__
    if first is not None and first.tb_next is not None and not is_debugging():
        first.tb_next.tb_next = None


class PublicCall:
    """Base class for callable objects: applies :func:`public` to the `__call__` of each subclass."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls):
            cls.__call__ = public(vars(cls)["__call__"])  # type: ignore[method-assign]


_places: ContextVar[Mapping[str, str]] = ContextVar("shoal_places", default={})  # noqa: B039 - never changed


@contextmanager
def naming_places(places: Mapping[str, str]) -> Iterator[None]:
    """Inside the block, replace temporary paths in notices and errors by the final paths."""
    token = _places.set({**_places.get(), **places})
    try:
        yield
    except ShoalError as error:
        error.args = (_name_places(str(error)),)
        if error.place is not None:
            error.place = error.place._replace(file=_name_places(error.place.file))
        raise
    finally:
        _places.reset(token)


def _name_places(text: str) -> str:
    # Inner paths come first: they lie in the folders of the outer ones.
    for part, place in reversed([*_places.get().items()]):
        text = text.replace(part, place)
    return text


def find_place(error: BaseException) -> Place | None:
    """Return the file and the line that an error about bad input is about; None if it has none.

    >>> find_place(BadFile.at(Place("friends.csv", 7), "a quote must be closed. Got an open one."))
    Place(file='friends.csv', line=7)
    >>> find_place(BadFile("friends.csv: must not be empty.")) is None
    True
    """
    return error.place if isinstance(error, ShoalError) else None


def must(condition: object, who: str, what: str, rule: str, came: object) -> None:
    """Raise BadParameter, in the common format, unless the condition holds.

    >>> must(True, "Neighbors", "l", "1 or more", 3)
    >>> must(False, "Neighbors", "l", "1 or more", 0)
    Traceback (most recent call last):
    ...
    shoal.errors.BadParameter: Neighbors: 'l' must be 1 or more. Got 0.
    """
    if not condition:
        raise BadParameter(f"{who}: '{what}' must be {rule}. Got {show_value(came)}.")


def show_value(value: object) -> str:
    """Return the repr of a value for a message, cut if it is long; of a frame or another table only the type.

    >>> import numpy as np
    >>> show_value("Medici"), show_value(10**5000), show_value(np.eye(2))
    ("'Medici'", 'a whole number of more than 4,000 digits', 'a value of type ndarray')
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not write longer numbers
        return f"a whole number of more than {DIGITS:,} digits"
    if "\n" in text:  # it is printed as a table, and may show what is in the data
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def whole(value: object, who: str, what: str, least: int, most: int | None = LARGEST) -> int:
    """Return `value` as an int from `least` to `most`, or raise BadParameter; True is not an int here.

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
    except (AttributeError, TypeError):  # an array has an __index__ that raises
        return None


def check_k(who: str, k: object, data: Any, what: str = "k") -> int:
    """Return k; raise BadParameter unless it is an integer from 1 to the number of vertices or records of the data."""
    number = whole(k, who, what, least=1)
    must(number <= data.n, who, what, f"at most the number of {data.noun[1]}, {data.n:,}", number)
    return number


def parse_whole(text: str) -> int | None:
    """Parse an integer in ASCII digits with an optional minus; return None for any other text.

    >>> parse_whole("12"), parse_whole("-1"), parse_whole("1_000"), parse_whole(" 3"), parse_whole("٣")
    (12, -1, None, None, None)
    """
    spelled = len(text) <= DIGITS and re.fullmatch("-?[0-9]+", text)
    return int(text) if spelled else None


def list_names(names: Collection[object], most: int = 8, spell: Callable[[object], str] = repr) -> str:
    """Return the first `most` names, in quotes unless `spell` is str, and the number of the others.

    >>> list_names(["age", "sex"]), list_names(range(100_000), most=3)
    ("'age', 'sex'", '0, 1, 2 and 99,997 more')
    """
    shown = ", ".join(map(spell, islice(names, most)))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def did_you_mean(came: object, known: Iterable[object]) -> str:
    """Return a sentence that suggests the most similar known names, or an empty text.

    >>> did_you_mean("Ridolfo", ["Medici", "Ridolfi"])
    " Did you mean 'Ridolfi'?"
    >>> did_you_mean(7, ["6", "7"])
    " Did you mean '7'?"
    """
    spelled = {str(name): name for name in islice(known, 100_000)}
    close = difflib.get_close_matches(came if isinstance(came, str) else show_value(came), list(spelled), n=3)
    return f" Did you mean {' or '.join(repr(spelled[name]) for name in close)}?" if close else ""


def find_by_name(what: str, name: str, known: Mapping[str, Kind]) -> Kind:
    """Return the entry of a name, or raise BadParameter with the known names.

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
    """Return how a process ended: the signal or the exit code.

    >>> describe_exit(-9), describe_exit(3)
    ('signal SIGKILL', 'exit code 3')
    """
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error, or a cause of it, means that memory ran out; libraries report this differently.

    >>> lacks_memory(MemoryError()), lacks_memory(OSError(12, "Cannot allocate memory")), lacks_memory(KeyError("a"))
    (True, True, False)
    """
    return any(_is_about_memory(each) for each in _chain(error))


NO_THREAD = (("RuntimeError", "start new thread"), ("ArrowException", "launch worker thread"))
"""How Python and pyarrow say that no thread could be started: the exception, and words of its message."""


def lacks_threads(error: BaseException) -> bool:
    """Return whether an error, or a cause of it, means that no thread could be started."""
    return any(
        type(each).__name__ == kind and words in str(each) for each in _chain(error) for kind, words in NO_THREAD
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_about_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):  # numpy and arrow raise it or a subclass
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # igraph, and the loader of compiled libraries, raise one exception for every failure.
    loading = isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno is None)
    message = str(error).lower() if loading or type(error).__name__ == "InternalError" else ""
    return any(words in message for words in ("out of memory", "cannot allocate memory", "failed to map segment"))


def load(library: str, purpose: str, extra: str) -> Any:
    """Import an optional library, or raise MissingLibrary with the extra to install."""
    try:
        return import_module(library)
    except ImportError as error:
        message = f"{purpose} needs the library '{library}'. Install it with: pip install 'shoal[{extra}]'"
        raise MissingLibrary(message) from error


# Text for a terminal: text from a file, a file name or a library must not control the terminal or imitate our lines.

LIBRARY = 120
"""The most characters shown of another library's message, which may hold a whole file."""

INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters without width that `str.isprintable` accepts."""

MESSAGE = 2_000
"""The most characters of a message: a cell or a name in it may be as long as its file."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters other than tabs and line ends; HTML does not allow them."""


def tame(text: object) -> str:
    r"""Escape control characters, line ends, bidi marks and characters without width.

    Use it for a value (a name, a path, a message) that becomes part of a line.

    >>> tame("Bob\x1b[31m"), tame("Ann\nnote: all is well"), tame("a\u202eb\u200bc")
    ('Bob\\x1b[31m', 'Ann\\nnote: all is well', 'a\\u202eb\\u200bc')
    """
    line = str(text)
    if line.isprintable() and not INVISIBLE.search(line):
        return line
    return "".join(c if c.isprintable() and not INVISIBLE.match(c) else spell(c) for c in line)


def spell(character: str) -> str:
    r"""Return the Python escape of a character.

    >>> spell("\x1b"), spell("\u202e")
    ('\\x1b', '\\u202e')
    """
    return character.encode("unicode_escape").decode()


def spell_controls(page: str) -> str:
    r"""Escape control characters in a page: a browser drops a NUL, so two names could look equal.

    >>> spell_controls("a\0b\n\tc")
    'a\\x00b\n\tc'
    """
    return CONTROLS.sub(lambda found: spell(found.group()), page)


def tame_lines(text: str) -> str:
    r"""Apply :func:`tame` to a text but keep its line ends and tabs.

    >>> tame_lines("one\n\ttwo\r\x85three")
    'one\n\ttwo\\r\\x85three'
    """
    return "\n".join("\t".join(map(tame, line.split("\t"))) for line in text.split("\n"))


def join_lines(lines: Iterable[object]) -> str:
    r"""Join lines of text; a line end inside one of them comes from a name and is escaped.

    >>> print(join_lines(["Written: a\nb.csv", "Done."]))
    Written: a\nb.csv
    Done.
    """
    return "\n".join(map(tame, lines))


def cut(text: object, most: int = LIBRARY) -> str:
    """Apply :func:`tame` and cut the text to at most `most` characters.

    >>> cut("abcdef", 4)
    'abc…'
    """
    line = tame(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def shorten(message: str, most: int = MESSAGE) -> str:
    """Return a message of at most `most` characters: its beginning says what is wrong, its end what to do.

    >>> shorten("x.csv: a cell must be short. Got 'aaaaaaaaaaaaaaaaaaaaaaaa'. Shorten it.", 60)
    "x.csv: a cell must be short. Got 'aaa … aaaaaa'. Shorten it."
    """
    end = most // 3
    return message if len(message) <= most else f"{message[: most - end - 3]} … {message[-end:]}"


# Counts and lists in a sentence.


def format_count(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    >>> format_count(0, "link"), format_count(1, "link"), format_count(2_000, "vertex", "vertices")
    ('no links', '1 link', '2,000 vertices')
    """
    plural = many or f"{one}s"
    return f"no {plural}" if number == 0 else f"{number:,} {one if number == 1 else plural}"


def join_names(items: Sequence[object], most: int = 12) -> str:
    """Write a list as people do.

    >>> join_names(["a"]), join_names(["a", "b"]), join_names("abc"), join_names(range(5), most=3)
    ('a', 'a and b', 'a, b and c', '0, 1, 2 and 2 more')
    """
    texts = [tame(item) for item in items]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else "none"
