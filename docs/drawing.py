"""Small drawings as SVG text: networks and tables side by side, on a card that suits light and dark pages.

A vertex has a role, a link and a cell have a kind: they decide how it looks. Everything is written as plain text from
plain data, so that the same data gives the same file everywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from math import hypot
from textwrap import wrap

WIDE, HIGH, MARGIN = 300, 196, 30
"""The room for one network, and how far its outermost vertices stay from the border."""
LINE, CELL = 16, 24
RADIUS = 17
LETTER = 6.2
"""About how wide a letter is."""
CLASSES = ("one", "two", "three", "four")
"""Roles of vertices that belong together."""

WORDS = {
    "target": "the target",
    "left": "another candidate",
    "out": "ruled out",
    "known": "known by name",
    "found": "located in the release",
    "gone": "not published",
    "seen": "known link",
    "missing": "link known to be missing",
    "added": "link added",
    "removed": "link removed",
    "told": "known value",
    "changed": "value changed",
}
"""What the legend says; roles and kinds that are not here need no words."""

STYLE = """
.card{fill:#ffffff;stroke:#d0d7de}.words{fill:#1f2328}.faint{fill:#57606a}.head{font-weight:600}
.link{stroke:#8c959f;stroke-width:1.6;fill:none}.seen{stroke:#0b63c5;stroke-width:3.2}
.missing{stroke:#0b63c5;stroke-width:2.4;stroke-dasharray:2 5}
.added{stroke:#c2410c;stroke-width:3.2}.removed{stroke:#c2410c;stroke-width:1.8;stroke-dasharray:6 4}
.mirror{stroke:#57606a;stroke-width:1;stroke-dasharray:3 3}
.plain,.out,.gone{fill:#ffffff;stroke:#6e7781;stroke-width:1.5}.out{fill:#e4e8ec}.gone{stroke-dasharray:4 3}
.target,.left,.ring{fill:#fdba74;stroke:#c2410c;stroke-width:1.8}.target{fill:#f97316}.ring{fill:none;stroke-width:2.2}
.known,.found{fill:#bfdbfe;stroke:#0b63c5;stroke-width:1.8}.found{fill:#7fb3f5}
.one{fill:#bfdbfe;stroke:#0b63c5}.two{fill:#fde68a;stroke:#a16207}.three{fill:#bbf7d0;stroke:#15803d}
.four{fill:#f5d0fe;stroke:#a21caf}.dark{fill:#111827}
.cell{fill:none;stroke:#d0d7de}.told{fill:#dbeafe;stroke:#0b63c5}.changed{fill:#ffedd5;stroke:#c2410c}
@media (prefers-color-scheme:dark){.card{fill:#161b22;stroke:#30363d}.words{fill:#e6edf3}.faint{fill:#9da7b3}
.link{stroke:#8b949e}.seen,.missing{stroke:#79b8ff}.added,.removed{stroke:#fb923c}.mirror{stroke:#9da7b3}
.plain,.out,.gone{fill:#161b22;stroke:#9da7b3}.out{fill:#3a424d}.cell{stroke:#30363d}.told{fill:#12305a;stroke:#79b8ff}
.changed{fill:#4a2410;stroke:#fb923c}.ring{fill:none}}
"""


@dataclass(frozen=True)
class Network:
    """A drawn network: where its vertices are (0 to 1), its links with their kinds, and the roles of the vertices."""

    title: str
    at: dict[str, tuple[float, float]]
    links: list[tuple[str, str, str]]
    roles: dict[str, str] = field(default_factory=dict)
    says: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    counts: dict[str, str] = field(default_factory=dict)
    """Numbers beside links, by "a-b"."""
    radius: int = RADIUS

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, without title and caption."""
        return WIDE, HIGH

    def kinds(self) -> list[str]:
        """Return what its legend must explain."""
        return [*self.roles.values(), *(kind for *_, kind in self.links)]

    def body(self) -> list[str]:
        """Return its lines and circles."""
        lines = [part for link in self.links for part in self._link(*link)]
        return [*lines, *(part for name in self.at for part in self._vertex(name))]

    def place(self, name: str) -> tuple[float, float]:
        """Return where a vertex is on paper."""
        x, y = self.at[name]
        return MARGIN + x * (WIDE - 2 * MARGIN), MARGIN + y * (HIGH - 2 * MARGIN)

    def _link(self, a: str, b: str, kind: str) -> list[str]:
        (x, y), (u, v) = self.place(a), self.place(b)
        found = [f'<line class="link {kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"/>']
        if (many := self.counts.get(f"{a}-{b}")) is not None:
            away = 12 / hypot(u - x, v - y)
            beside = (x + u) / 2 + away * (v - y), (y + v) / 2 - away * (u - x) + 4
            found.append(text(many, *beside, "words head", "middle"))
        return found

    def _vertex(self, name: str) -> list[str]:
        (x, y), role, r = self.place(name), self.roles.get(name, "plain"), self.radius
        if role in ("known", "found"):
            corner = f'x="{x - r:.1f}" y="{y - r + 3:.1f}"'
            shape = f'<rect class="{role}" {corner} width="{2 * r}" height="{2 * r - 6}" rx="5"/>'
        else:
            shape = f'<circle class="{role}" cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>'
        ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{r + 4}"/>'
        tone = "words" if role in ("plain", "out", "gone") else "dark"
        lines = self.labels.get(name, name).split("\n")
        first = y + 4 - 5.5 * (len(lines) - 1)
        told = [text(line, x, first + 11 * i, tone, "middle", 10.5) for i, line in enumerate(lines)]
        return [shape, *([ring] if role == "target" else []), *told]


@dataclass(frozen=True)
class Sheet:
    """A drawn table: its columns and rows, how each cell looks, and the role of each row."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    cells: dict[str, str] = field(default_factory=dict)
    """The kind of a cell, by "row,column"."""
    roles: list[str] = field(default_factory=list)
    says: str = ""

    @property
    def widths(self) -> list[int]:
        """How wide each column is drawn."""
        words = zip(self.columns, *self.rows, strict=True)
        return [max(46, 16 + 7 * max(map(len, column))) for column in words]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, without title and caption."""
        return max(230, sum(self.widths) + 2 * MARGIN), CELL * (len(self.rows) + 1) + 12

    def kinds(self) -> list[str]:
        """Return what its legend must explain."""
        return [*self.roles, *self.cells.values()]

    def body(self) -> list[str]:
        """Return its cells."""
        starts = [MARGIN + sum(self.widths[:i]) for i in range(len(self.columns))]
        parts = [text(name, x + 8, 20, "faint head") for name, x in zip(self.columns, starts, strict=True)]
        for i, row in enumerate(self.rows):
            y = CELL * (i + 1) + 4
            if i < len(self.roles) and self.roles[i] in ("target", "left", "out"):
                parts.append(f'<circle class="{self.roles[i]}" cx="{MARGIN - 14}" cy="{y + CELL / 2}" r="7"/>')
            for j, word in enumerate(row):
                box = f'x="{starts[j]}" y="{y}" width="{self.widths[j]}" height="{CELL}"'
                parts.append(f'<rect class="{self.cells.get(f"{i},{j}", "cell")}" {box}/>')
                parts.append(text(word, starts[j] + 8, y + 16, "words"))
        return parts


@dataclass(frozen=True)
class Picture:
    """Panels side by side, and the sentence that stands for them where they cannot be seen."""

    told: str
    panels: Sequence[Network | Sheet]
    words: dict[str, str] = field(default_factory=dict)
    """What the legend says instead of the usual."""

    def svg(self) -> str:
        """Return the file: the picture, and a digest of what is drawn."""
        sizes = [panel.size for panel in self.panels]
        wide, body = sum(w for w, _ in sizes), max(h for _, h in sizes)
        captions = max(len(caption(panel)) for panel in self.panels)
        entries = self._legend()
        wide = max(wide, sum(w for *_, w in entries) + 2 * MARGIN)
        high = 34 + body + LINE * captions + (34 if entries else 12)
        parts, x = [], 0
        for panel, (w, _) in zip(self.panels, sizes, strict=True):
            parts += self._panel(panel, x, body)
            x += w
        parts += self._keys(entries, high - 16)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
        card = f'<rect class="card" x="0.5" y="0.5" width="{wide - 1}" height="{high - 1}" rx="8"/>'
        named = f'{head} role="img" font-family="Helvetica, Arial, sans-serif" font-size="12">'
        top = [named, f"<title>{escape(self.told, quote=False)}</title>", f"<style>{STYLE}</style>", card]
        return "\n".join([*top, *parts, "</svg>", f"<!-- {self.digest} -->", ""])

    @property
    def digest(self) -> str:
        """A digest of all that is drawn, by which a picture that is out of date is known."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()

    def _panel(self, panel: Network | Sheet, x: int, body: int) -> list[str]:
        says = [text(line, 16, 42 + body + LINE * i, "faint") for i, line in enumerate(caption(panel))]
        title = text(panel.title, 16, 22, "words head", size=13)
        return [f'<g transform="translate({x} 0)">', title, *says, '<g transform="translate(0 30)">',
                *panel.body(), "</g></g>"]  # fmt: skip

    def _legend(self) -> list[tuple[str, str, int]]:
        """Return the kinds that are used, what they mean, and how wide that is."""
        used = dict.fromkeys(kind for panel in self.panels for kind in panel.kinds())
        words = WORDS | self.words
        return [(kind, words[kind], 42 + round(LETTER * len(words[kind]))) for kind in words if kind in used]

    def _keys(self, entries: list[tuple[str, str, int]], y: int) -> list[str]:
        parts, x = [], 16
        for kind, word, width in entries:
            parts += [sample(kind, x + 10, y - 4), text(word, x + 25, y, "words")]
            x += width
        return parts


def caption(panel: Network | Sheet) -> list[str]:
    """Return what a panel says, in lines that fit below it."""
    return wrap(panel.says, int((panel.size[0] - 20) / LETTER))


def sample(kind: str, x: float, y: float) -> str:
    """Return what a legend shows for a role or a kind."""
    if kind in ("seen", "missing", "added", "removed"):
        return f'<line class="link {kind}" x1="{x - 10}" y1="{y}" x2="{x + 10}" y2="{y}"/>'
    if kind in ("known", "found", "told", "changed"):
        return f'<rect class="{kind}" x="{x - 8}" y="{y - 6}" width="16" height="12" rx="3"/>'
    ring = f'<circle class="ring" cx="{x}" cy="{y}" r="9"/>' if kind == "target" else ""
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="6"/>{ring}'


def text(word: str, x: float, y: float, tone: str, anchor: str = "start", size: float = 12) -> str:
    """Return a word at a place."""
    where = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text class="{tone}" {where}>{escape(word, quote=False)}</text>'
