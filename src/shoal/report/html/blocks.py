"""Blocks of a page as plain data. Only charts hold markup; the template escapes all text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str
    kind: str = "text"
    tone: str = ""
    """"note" for an aside, "warning" for a caveat, "head" for a heading."""


@dataclass(frozen=True)
class FactList:
    """Numbers, each with its name and its meaning."""

    rows: Sequence[tuple[str, str, str]]
    kind: str = "facts"


@dataclass(frozen=True)
class BulletList:
    """A list of sentences."""

    items: Sequence[str]
    kind: str = "points"
    code: bool = False
    """Whether they are commands."""


@dataclass(frozen=True)
class Grid:
    """A table; the last column says what the row means."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    kind: str = "grid"
    marks: Sequence[str] = ()
    """For each row pass, fail or cannot tell, which colors the row."""
    legend: str = ""
    """What the column heads mean, shown below the table."""


@dataclass(frozen=True)
class Picture:
    """A chart with a text alternative: a title, a description, and the same numbers as a table."""

    name: str
    """Short, unique on the page."""
    title: str
    description: str
    svg: str
    """Markup made by shoal, with all texts in it escaped."""
    table: Grid | None = None
    zoom: bool = False
    legend: Sequence[tuple[str, str]] = ()
    """The meaning of colors: a class of the style sheet, and words."""
    half: bool = False
    """Whether two of them fit beside each other."""
    kind: str = "picture"


Block = Paragraph | FactList | BulletList | Grid | Picture


@dataclass(frozen=True)
class Section:
    """A heading, and what is under it."""

    name: str
    """The target of links."""
    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)
