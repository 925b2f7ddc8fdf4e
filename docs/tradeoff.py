"""The picture of the page on budgets: `python docs/tradeoff.py` writes docs/tradeoff.svg, and the table beside it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import shoal
from shoal.report.text.tradeoff import build_risk_rows

FILE = Path(__file__).with_name("tradeoff.svg")
PAGE = Path(__file__).with_name("tradeoff.md")
MARK = "<!-- made by docs/tradeoff.py -->"


def measured() -> shoal.Tradeoff:
    """Return the trade-off of the village, its columns left out."""
    return shoal.tradeoff(shoal.examples.village().without_attributes(), "counts:1", k=2, effort=100)


def table(found: shoal.Tradeoff) -> str:
    """Return the people at risk as a table of a page."""
    head, rows = build_risk_rows(found)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---", *["---:"] * (len(head) - 1)], *rows))


def digest(found: shoal.Tradeoff) -> str:
    """Return a digest, by which a picture that is out of date is known."""
    rows = [[row[name] for name in ("way", "links", "changed", "at risk")] for row in found.rows()]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def main() -> None:
    """Write the picture and the table."""
    import vl_convert

    found = measured()
    svg = vl_convert.vegalite_to_svg(found.plot().to_json())
    FILE.write_text(f"{svg}\n<!-- {digest(found)} -->\n", encoding="utf-8")
    before, _, after = PAGE.read_text(encoding="utf-8").split(MARK)
    PAGE.write_text(f"{before}{MARK}\n{table(found)}\n{MARK}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
