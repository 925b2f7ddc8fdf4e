"""Judges: what must not happen when a file is read, whatever it holds. Each returns why a case fails, or nothing."""

import re
import unicodedata
from dataclasses import dataclass, field
from html.parser import HTMLParser

SECONDS = 20
MEGABYTES, TIMES = 500, 20
"""A case may take MEGABYTES, and TIMES the unpacked size of its file."""
LONGEST = 3_000
"""The most characters of a line on stderr."""
ASIDE = re.compile("note: |Usage: |Try '|shoal [a-z-]+: .* [0-9]+ s$")
"""Lines beside the refusal: notes, the usage, and a line of progress every ten seconds."""
NO_MEMORY = ("not enough memory", "too little memory")
LOADED = {"script", "iframe", "object", "embed", "base", "link", "form", "applet", "frame", "portal"}
"""Elements that run, load or send something."""


@dataclass
class Outcome:
    """What a case did."""

    code: int | None = None
    """The exit code; None if there is no answer."""
    out: str = ""
    err: str = ""
    defect: str = ""
    """The traceback of an exception that is none of shoal's errors."""
    ended: str = ""
    """How the process ended, if it did: by itself, or because it took too long or too much memory."""
    seconds: float = 0.0
    """Work of the processor."""
    clock: float = 0.0
    """Seconds on the wall; 0 if the case was stopped."""
    megabytes: float = 0.0
    """Memory beyond that before the case, at its peak."""
    size: int = 0
    """The bytes of the unpacked file."""
    pages: dict[str, str] = field(default_factory=dict)
    safe: frozenset = frozenset()
    """What the pages about the valid file run and load."""


def judge_end(outcome):
    if outcome.ended:
        return outcome.ended
    return f"took {outcome.seconds:.0f} s" if outcome.seconds > SECONDS else ""


def judge_memory(outcome):
    most = MEGABYTES + TIMES * outcome.size / 1e6
    if outcome.megabytes > most:
        return f"took {outcome.megabytes:,.0f} MB for {outcome.size:,} bytes; at most {most:,.0f} MB are allowed"
    return next((f"said {words!r}" for words in NO_MEMORY if words in outcome.err.lower()), "")


def judge_defect(outcome):
    if outcome.defect:
        return f"raised {outcome.defect.strip().splitlines()[-1][:300]}"
    if "Traceback" in outcome.err or "internal error" in outcome.err:
        return f"internal error: {' / '.join(outcome.err.split()[:60])[:400]}"
    return f"the exit code {outcome.code}" if outcome.code not in (0, 1, 2, None) else ""


def judge_sentence(outcome):
    """A refusal is one sentence, after the notes; a verdict that cannot be told is on stdout."""
    long = next((line for line in outcome.err.split("\n") if len(line) > LONGEST), None)
    if long is not None:
        return f"a line of {len(long):,} characters on stderr: {long[:200]!r}"
    if outcome.code != 2 or outcome.out:
        return ""
    lines = [line for line in outcome.err.split("\n") if line and not ASIDE.match(line)]
    if len(lines) != 1 or not lines[0].startswith(("error: ", "Error: ")):
        return f"a refusal must be one line that begins with 'error: ': {outcome.err[:300]!r}"
    return (
        ""
        if lines[0].rstrip().endswith((".", "?", "!", ")", "…"))
        else f"a refusal that does not end: {lines[0][-200:]!r}"
    )


def judge_terminal(outcome):
    """No control characters, marks of direction or other characters that a terminal would not show."""
    for name, text in (("stdout", outcome.out), ("stderr", outcome.err)):
        for at, c in enumerate(text):
            if (
                not " " <= c <= "~"
                and c not in "\n\t"
                and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
            ):
                return f"{name} has a raw {c!a}: {text[max(0, at - 40) : at + 20]!a}"
    return ""


def judge_pages(outcome):
    for name, page in outcome.pages.items():
        more = find_active(page) - outcome.safe
        if more:
            return f"{name} runs or loads {sorted(more)[0][:300]!a}"
    return ""


JUDGES = (judge_end, judge_memory, judge_defect, judge_sentence, judge_terminal, judge_pages)


def judge(outcome):
    """Return all that is wrong with a case."""
    return [why for why in (one(outcome) for one in JUDGES) if why]


class Active(HTMLParser):
    """Everything in a page that a browser runs, loads or follows elsewhere."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found, self.inside = set(), ""

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            told = (value or "").replace("\0", "").strip().lower()
            if name.startswith("on") or name == "srcdoc":
                self.found.add(f"{tag} {name}={value}")
            if told.startswith(
                ("javascript:", "vbscript:", "data:text/html", "http:", "https:", "//")
            ) and not name.startswith("xmlns"):
                self.found.add(f"{tag} {name}={value}")
        if tag in LOADED or (tag == "meta" and any(name == "http-equiv" for name, _ in attrs)):
            kept = {name: value for name, value in attrs if name in ("src", "type", "rel", "http-equiv", "content")}
            self.found.add(f"{tag} {kept}")
        self.inside = tag if tag in ("script", "style") else ""

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside:
            self.found.add(f"{self.inside}: {data}")


def find_active(page):
    """Return what a page runs or loads.

    >>> sorted(find_active('<p onclick="x()">a</p><a href="javascript:y()">&lt;script></a>'))
    ['a href=javascript:y()', 'p onclick=x()']
    """
    reader = Active()
    reader.feed(page)
    reader.close()
    return reader.found
