"""Messages are tested by the facts in them, so that their wording can improve."""

import warnings

from shoal.errors import Notice


def tells(text, *facts):
    """Tell whether a text has all the facts, one after the other.

    >>> tells("k must be at most 4. Got 5.", "4", "5"), tells("k must be at most 4. Got 5.", "5", "4")
    (True, False)
    """
    at = 0
    for fact in facts:
        at = text.find(fact, at)
        if at < 0:
            return False
        at += len(fact)
    return True


def hear(call):
    """Return the result of a call and its notices."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", Notice)
        found = call()
    return found, [str(one.message) for one in heard]
