"""Counts and lists in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import tame


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
