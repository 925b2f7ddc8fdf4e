"""Earlier releases: others that lie where a release is written. Two of one original can reveal more than each alone.

A mapping, which is a secret, holds a salted digest of the original, so that a later release of the same original is
recognized. A manifest, which is public, holds nothing of the kind: that there is one is all it tells.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from shoal.data.files import MANIFEST
from shoal.data.graph import Graph
from shoal.data.mapping import digest_original, read_origin, salt_digest
from shoal.errors import notice

MOST = 10_000
"""So many entries of a folder are looked at."""
MORE = "Two releases of one network can reveal more than each alone"


def warn_of_earlier_releases(original: Graph, places: Iterable[Path]) -> None:
    """Tell of releases in the folders of these files, which are about to be written and do not count themselves."""
    own = {os.path.realpath(place): place for place in places}
    folders = {os.path.dirname(final): place.parent for final, place in own.items()}
    others = [path for folder in folders.values() for path in _files(folder) if os.path.realpath(path) not in own]
    same = _of_the_same(original, others)
    if same:
        notice(f"{same[0]} is the mapping of an earlier release of the same original. {MORE}: publish only one.")
    manifests = [path for path in others if path.name.endswith(MANIFEST)]
    if manifests:
        count = "" if len(manifests) == 1 else f" and {len(manifests) - 1:,} more"
        notice(f"a release is already here ({manifests[0]}{count}). {MORE}.")


def _of_the_same(original: Graph, paths: Iterable[Path]) -> list[Path]:
    """Return the mappings whose original has the same names and links (of a table: names and cells)."""
    origins = {path: origin for path in paths for origin in [read_origin(path)] if origin is not None}
    if not origins:
        return []
    own = digest_original(original)
    return [path for path, origin in origins.items() if salt_digest(own, origin.salt) == origin.digest]


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, hidden ones left out; what cannot be listed holds nothing to tell of."""
    try:
        with os.scandir(folder) as entries:
            found = list(islice(entries, MOST + 1))
    except OSError:
        return
    if len(found) > MOST:
        notice(f"{folder} holds more than {MOST:,} files; the others were not searched for earlier releases.")
    for entry in sorted(found[:MOST], key=lambda entry: entry.name):
        if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
            yield folder / entry.name
