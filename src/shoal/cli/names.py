"""Names of vertices in a file of their own, one a line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

from shoal.data.files import note_input
from shoal.data.graph import Graph
from shoal.errors import BadFile, UnknownVertex, did_you_mean

SHOWN = 3
"""So many unknown names are listed."""


def listed_names(path: Path) -> tuple[str, ...]:
    """Read names, one a line; blank lines and spaces around a name do not count, as in an edge list."""
    try:
        note_input(path)
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"{path}: must be a file with one name a line. It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: must be text in UTF-8. Got a byte that is not, at {error.start:,}.") from error
    names = tuple(dict.fromkeys(name for line in text.split("\n") if (name := line.strip(" \t\r"))))
    if not names:
        raise BadFile(f"{path}: must hold at least one name, one a line. Got none. Leave it out to protect everybody.")
    return names


def vertices_called(graph: Graph, texts: Sequence[str], path: object) -> tuple[Hashable, ...]:
    """Return the names of the vertices that are written like `texts`; all must be there."""
    found = [graph.names.spelled(text) for text in texts]
    lost = [i for i, at in enumerate(graph.names.find(found)) if at < 0]
    if lost:
        written = {str(name): name for name in reversed(graph.names)}  # the first of two that are written alike
        unknown = [texts[i] for i in lost if texts[i] not in written]
        if unknown:
            raise UnknownVertex(not_there(path, unknown, texts, graph))
        for i in lost:
            found[i] = written[texts[i]]
    return tuple(found)


def not_there(path: object, unknown: Sequence[str], texts: Sequence[str], graph: Graph) -> str:
    """Say which names no vertex bears, and who might have been meant."""
    which = ", ".join(map(repr, unknown[:SHOWN])) + (", ..." if len(unknown) > SHOWN else "")
    many = f"{len(unknown):,} of {len(texts):,} {'is' if len(unknown) == 1 else 'are'} not"
    hint = did_you_mean(unknown[0], graph.names)
    return f"{path}: every name must be one of the {graph.n:,} vertices. {many}: {which}.{hint}"
