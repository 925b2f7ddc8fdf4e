"""All pictures of the README and of most pages: `python docs/pictures.py` writes docs/pictures/*.svg."""

from __future__ import annotations

from pathlib import Path

import directed_pictures  # noqa: F401 - importing it registers its pictures
from drawing import Network, Picture
from knowledge_pictures import AT, PICTURES, counted, given, links, networked, picture, roles
from methods_pictures import edited, released  # importing it registers its pictures

import shoal
from shoal.data.examples import friends

FOLDER = Path(__file__).with_name("pictures")


@picture("overview")
def overview() -> Picture:
    """Draw the whole idea: what an attacker knows, who fits without protection, and who fits in a release."""
    unnamed = dict.fromkeys(AT, "") | {"Ann": "?", "Gus": "Gus", "Cleo": "Cleo"}
    marks = {"Ann": "target", "Gus": "known", "Cleo": "known"}
    known = Network("An attacker knows two friends", AT, links(seen="Ann-Gus Ann-Cleo"), marks,
                    "Names are removed. The attacker knows that Ann is linked to Gus and Cleo.", unnamed)  # fmt: skip
    before = given("Ann", "Gus Cleo", "Published as it is: 1 candidate", "Gus Cleo")
    release = released(shoal.methods.HideNeighbors(2, 2, seed=1), friends().without_attributes())
    net = networked(" ".join(f"{a}-{b}" for a, b in release.data.to_networkx().edges))
    left = [v for v in AT if net.has_edge(v, "Gus") and net.has_edge(v, "Cleo")]
    after = Network(f"Released by shoal: {len(left)} candidates", AT, edited(release), roles(left, "Ann", "Gus Cleo"),
                    f"{counted(left)} Now every two friends leave at least 2.")  # fmt: skip
    told = (
        "An attacker knows that Ann is linked to Gus and Cleo. In the original network only Ann fits. "
        f"In the release, with 2 links added and 2 removed, {len(left)} people fit"
    )
    return Picture(told, [known, before, after])


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
