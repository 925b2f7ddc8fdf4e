"""Text for a terminal: what comes from a file, a file name or a library must not steer it, nor fake a line."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
