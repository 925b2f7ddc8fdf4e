"""Numbers in words, never rounded towards safety."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.knowledge.base import split_words
from shoal.terminal import tame


def share(part: int, whole: int, *, least: bool = False) -> str:
    """Write a share in percent; some is never 0, not all is never 100, and a lower bound says so.

    >>> share(1, 3), share(1, 1_000_000), share(999_999, 1_000_000), share(0, 5), share(5, 5)
    ('33.3 %', '<0.1 %', '>99.9 %', '0 %', '100 %')
    >>> share(1, 3, least=True)
    '>= 33.3 %'
    """
    if part in (0, whole):
        text = "0 %" if part == 0 else "100 %"
    else:
        percent = 100 * part / whole
        text = "<0.1 %" if percent < 0.05 else ">99.9 %" if percent >= 99.95 else f"{percent:.1f} %"
    return f">= {text}" if least and part < whole else text


def exactly(k: int, proved: bool) -> str:
    """Write k, or that it is only an upper bound.

    >>> exactly(3, True), exactly(3, False)
    ('3', '<= 3')
    """
    return f"{k:,}" if proved else f"<= {k:,}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    >>> count(0, "link"), count(1, "link"), count(2_000, "vertex", "vertices")
    ('no link', '1 link', '2,000 vertices')
    """
    return f"no {one}" if number == 0 else f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(items: Sequence[object], most: int = 12) -> str:
    """Write a list as people do.

    >>> listed(["a"]), listed(["a", "b"]), listed("abc"), listed(range(5), most=3)
    ('a', 'a and b', 'a, b and c', '0, 1, 2 and 2 more')
    """
    texts = [tame(item) for item in items]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else "nobody"


def short_spec(spec: str, most: int = 12) -> str:
    """Write knowledge of many columns by the first of them, and how many more there are.

    >>> short_spec("columns:age,sex"), short_spec("columns:" + ",".join("abcdef"), most=3)
    ('columns:age,sex', 'columns:a,b,c and 3 more')
    """
    parts = split_words(spec, ",")
    return spec if len(parts) <= most else f"{','.join(parts[:most])} and {len(parts) - most:,} more"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    r"""Lay rows out under a head, the first `left` columns to the left, numbers to the right.

    >>> print(*table(["knows", "k"], [["degree", "1"], ["orbit", "12"]]), sep="\n")
    knows    k
    degree   1
    orbit   12
    """
    lines = [list(map(tame, line)) for line in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return [align_cells(line, widths, left) for line in lines]


def align_cells(cells: Sequence[str], widths: Sequence[int], left: int = 1) -> str:
    """Return one line of a table, the first `left` cells to the left of their widths, the others to the right.

    >>> align_cells(["degree", "1"], [8, 3])
    'degree      1'
    """
    aligned = (c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
    return "  ".join(aligned).rstrip()
