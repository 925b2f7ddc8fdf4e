"""All pictures of the pages on knowledge and on methods: `python docs/pictures.py` writes docs/pictures/*.svg."""

from __future__ import annotations

from pathlib import Path

import methods_pictures  # noqa: F401  # registers its pictures
from knowledge_pictures import PICTURES

FOLDER = Path(__file__).with_name("pictures")


def drawn() -> dict[Path, str]:
    """Return every picture as the text of its file."""
    return {FOLDER / f"{name}.svg": draw().svg() for name, draw in PICTURES.items()}


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in drawn().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
