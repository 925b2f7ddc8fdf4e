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
    """"note" for an aside, "warning" for a caveat."""


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
    """A table. The first column names the row."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    kind: str = "grid"
    legend: str = ""
    """What the column heads mean, shown below the table."""
    words: int = 0
    """How many of the last columns hold words, not numbers."""


@dataclass(frozen=True)
class PanelLine:
    """The numbers of one data set under one kind of knowledge."""

    when: str
    cells: Sequence[str]
    bar: str
    """Markup of a bar made by shoal."""


@dataclass(frozen=True)
class PanelTable:
    """The risk under several kinds of knowledge, each with a line per data set."""

    caption: str
    head: Sequence[str]
    kinds: Sequence[tuple[str, Sequence[PanelLine]]]
    kind: str = "panel"


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


Block = Paragraph | FactList | BulletList | Grid | PanelTable | Picture


@dataclass(frozen=True)
class Section:
    """A heading, and what is under it."""

    name: str
    """The target of links."""
    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)
    about: str = ""
    """A few words beside the title, while the section is folded."""


# The summary.


@dataclass(frozen=True)
class Bar:
    """People at risk in one data set, as a bar with its numbers."""

    when: str
    svg: str
    """Markup of the bar made by shoal."""
    number: str
    also: str = ""
    """Other numbers beside it."""


@dataclass(frozen=True)
class BarGroup:
    """The bars of one kind of knowledge."""

    title: str
    bars: Sequence[Bar]
    total: bool = False
    """Whether it counts people under at least one kind."""


@dataclass(frozen=True)
class BarChart:
    """People at risk, before and after, per kind of knowledge."""

    title: str
    told: str
    groups: Sequence[BarGroup]
    legend: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Summary:
    """The first screen and the first printed pages, for a committee."""

    verdict: str
    """pass, fail or cannot tell."""
    word: str
    about: str
    """What the verdict is about, in a few words."""
    before_release: bool
    """Whether it is about the data before a release."""
    numbers: str
    alerts: Sequence[str]
    lines: Sequence[str]
    released: Sequence[tuple[str, str]]
    against: Sequence[str]
    goal: str
    chart: BarChart
    left_title: str
    left: Sequence[tuple[str, str]]
    """Numbers and what they count."""
    drawings: Sequence[Picture]
    sampled: str
    """How many people are drawn, where not all are."""
    attack: str
    open_points: Sequence[str]
    steps: Sequence[tuple[bool, str]]
    """Whether a step is a command, and its text."""
