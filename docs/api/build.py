"""Write the pages of the reference: every public name once, under its room. Part of `make docs`; a test compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import shoal

HERE = Path(__file__).parent
MADE = "<!-- made by docs/api/build.py -->"


class Room(NamedTuple):
    """A page of the reference."""

    name: str
    title: str
    says: str
    homes: tuple[str, ...]
    """How the modules begin whose public names are on the page."""


ROOMS = (
    Room("data", "Data", "It holds or loads: networks, tables, releases and what they promise.", ("shoal.data.",)),
    Room("adversaries", "Adversaries", "What an attacker knows.", ("shoal.knowledge",)),
    Room(
        "risk", "Risk", "It summarizes counts: a worst case, no truth needed.",
        ("shoal.risk.", "shoal.knowledge.candidates"),
    ),
    Room("methods", "Methods", "They change data, and promise something.", ("shoal.methods.",)),
    Room("utility", "Utility", "It compares two data sets: what is left of the data.", ("shoal.utility.",)),
    Room("attacks", "Attacks", "Re-identification, tried against a known truth.", ("shoal.attacks",)),
    Room("audit", "Audit", "One run from start to end: plain data, and its report.", ("shoal.audit", "shoal.report.")),
    Room("errors", "Errors", "Every way to say no.", ("shoal.errors",)),
)  # fmt: skip

MODULES = {"errors": ("errors", "shoal.errors"), "examples": ("data", "shoal.data.examples")}
"""Public modules: their room, and where they are."""


def homes() -> dict[str, str]:
    """Return for every public name of shoal the name of its page."""
    found = {name: home for name, (home, _) in MODULES.items()}
    for name in shoal.__all__:
        if name not in found and name != "__version__":
            found[name] = _room(name)
    return found


def _room(name: str) -> str:
    home = shoal._HOMES[name]
    for room in ROOMS:
        if home.startswith(room.homes):
            return room.name
    raise ValueError(f"docs/api/build.py: no page has room for {name} of {home}. Add it to ROOMS.")


def entry(name: str) -> str:
    """Return the directive that writes the reference of a name.

    >>> print(entry("Witness"))
    .. autoclass:: shoal.knowledge.Witness
       :members:
    """
    found = getattr(shoal, name)
    if name in MODULES:
        return f".. automodule:: {MODULES[name][1]}\n   :members: {', '.join(_members(found))}"
    if not isinstance(found, type):
        return f".. autofunction:: shoal.{name}"
    if issubclass(found, Exception):
        return f".. autoexception:: shoal.{name}"
    same = [field for kind in found.__mro__ for field, told in _told(kind).items() if str(told).startswith("ClassVar")]
    left_out = f"\n   :exclude-members: {', '.join(sorted(set(same)))}" if same else ""
    return f".. autoclass:: shoal.{name}\n   :members:{left_out}"


def _members(module: ModuleType) -> list[str]:
    """Return what is public in a module and not in shoal: its `__all__`, or its errors."""
    errors = [name for name, found in vars(module).items() if isinstance(found, type) and issubclass(found, Exception)]
    return [name for name in getattr(module, "__all__", errors) if name not in shoal.__all__]


def _told(kind: type) -> dict[str, object]:
    """Return the annotations of a class itself; those of class variables are for the program, not for the reader."""
    return dict(vars(kind).get("__annotations__", {}))


def page(room: Room, names: list[str]) -> str:
    """Return the page of a room: functions first, then what they take and return."""
    order = sorted(names, key=lambda name: (name in MODULES, isinstance(getattr(shoal, name), type), name))
    body = "\n\n".join(entry(name) for name in order)
    return f"# {room.title}\n\n{MADE}\n\n{room.says}\n\n```{{eval-rst}}\n{body}\n```\n"


def summary(name: str) -> str:
    """Return the first sentence of a docstring."""
    words = (getattr(shoal, name).__doc__ or "").strip().split("\n\n")[0].split()
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", " ".join(words)).replace("|", "\\|")


def front(rooms: dict[str, list[str]]) -> str:
    """Return the page that lists all names."""
    told = {room.name: room for room in ROOMS}
    says = f"Everything that `import shoal` gives. `shoal.__version__` is the version, here {shoal.__version__}."
    parts = ["# Reference of the Python API", MADE, f"{says} The shell has [its own](../commands.md)."]
    for room, names in rooms.items():
        rows = [
            f"| {{py:{_role(name)}}}`~{_target(name)}` | {summary(name)} |" for name in sorted(names, key=str.lower)
        ]
        parts.append("\n".join([f"## [{told[room].title}]({room}.md)\n", "| name | what it is |", "|---|---|", *rows]))
    toc = "\n".join(["```{toctree}", ":hidden:", "", *rooms, "```"])
    return "\n\n".join([*parts, toc]) + "\n"


def _role(name: str) -> str:
    return "mod" if name in MODULES else "obj"


def _target(name: str) -> str:
    return MODULES[name][1] if name in MODULES else f"shoal.{name}"


def pages() -> dict[Path, str]:
    """Return every page of the reference, with its text."""
    by_name = homes()
    rooms = {room.name: [name for name, home in by_name.items() if home == room.name] for room in ROOMS}
    rooms = {room: names for room, names in rooms.items() if names}
    texts = {HERE / f"{room.name}.md": page(room, rooms[room.name]) for room in ROOMS if room.name in rooms}
    return {HERE / "index.md": front(rooms), **texts}


def main() -> int:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/api/{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
