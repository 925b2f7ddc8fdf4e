"""Saving a release: new names in a shuffled order, and a private mapping.

Three files: the data; the manifest `OUT.release.json`, which states what was done and guaranteed and may be published;
and, on request, the mapping with the seed, readable only by its owner.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.encode import renumber_codes
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Column
from shoal.errors import BadParameter, notice
from shoal.io.atomic import replace_file, write_text, write_together
from shoal.io.delimited import render_csv
from shoal.io.digest import digest_file
from shoal.io.files import MANIFEST, TABLES, detect_format, find_held_files
from shoal.io.mapping import HEADER, OF, RELEASE, SECRET, describe_origin, digest_original, read_origin, salt_digest
from shoal.io.targets import check_file_names
from shoal.io.write import HOLD_ATTRIBUTES, write_graph, write_table
from shoal.release.codebook import FileNote, build_codebook, read_descriptions
from shoal.release.drawn import DrawnRelease
from shoal.release.guarantee import ConfusionPromise, ExchangeabilityPromise
from shoal.release.manifest import describe_release, describe_scenario
from shoal.release.release import Release
from shoal.risk.scenario import Scenario
from shoal.seeds import GUESSED, AnySeed, draw_seed
from shoal.show import as_text

LEFT_OUT = "Omit the seed to draw a secret one."
CLASSES = 4
"""Appended to the seed of the order of vertices to draw the order of classes."""


def publish(
    release: Release,
    path: str | os.PathLike[str],
    mapping: str | os.PathLike[str] | None = None,
    *,
    attributes: str | os.PathLike[str] | None = None,
    classes: str | os.PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002 - the word of the command line
    seed: AnySeed | None = None,
    force: bool = False,
    scenario: Scenario | None = None,
    columns: Sequence[str] = (),
    readme: str | os.PathLike[str] | None = None,
    descriptions: str | os.PathLike[str] | None = None,
) -> tuple[str, ...]:
    """Write a release and return the names of the files.

    Parameters
    ----------
    release
        The release to publish.
    path
        Where to write the data. Vertices are renamed 0, 1, ... in a shuffled order. Records have no names, only a
        shuffled order.
    mapping
        Where to write the original-to-released mapping and the seed. Keep it private. Only its owner may read the file.
    attributes
        A second file for the attributes of the vertices of a graph.
    classes
        A file (.json or .graphml) for the generalized graph that a release was drawn from. It names no members.
    format
        The file format, if the file name does not show it.
    seed
        Random seed of the order, an int or a numpy Generator, to write the same files again. Keep it private: with the
        original file and the order, the release can be undone. None: a random secret seed.
    force
        Replace files that exist.
    scenario, columns
        What the release is defended against, and its quasi-identifiers. The manifest states the scenario, and the
        judgment of the published files by it.
    readme
        Where to write the codebook: what each published file and column is. It may be published.
    descriptions
        A csv file (column,description) with descriptions of columns for the codebook.
    """
    if attributes is not None and not release.data.has_links:
        raise BadParameter(
            f"save: 'attributes' must be None for a table, which is one file. Got {os.fspath(attributes)}."
        )
    if classes is not None and not isinstance(release, DrawnRelease):
        raise BadParameter(
            f"save: 'classes' is only for a release drawn from classes (generalize). Got {os.fspath(classes)}."
        )
    drawn = draw_seed(seed, "save")
    order = np.random.default_rng([drawn, 1]).permutation(release.data.n)
    data = [Path(path), *([] if attributes is None else [Path(attributes)])]
    about, secret = Path(f"{os.fspath(path)}.release.json"), [] if mapping is None else [Path(mapping)]
    public = [*data, *([] if classes is None else [Path(classes)])]
    check_file_names(public)
    book = [] if readme is None else [Path(readme)]
    origin = describe_origin(release.original, drawn) if secret else ""
    with write_together([*public, about, *book, *secret], force=force, private=secret) as parts:
        held = tuple(release.data.attributes) if _hold_columns(release.data, data, format) else ()
        if held:
            _warn_of_columns(release)
        _warn_of_kinds(release)
        _warn_of_promises(release, held)
        _warn_of_seeds(release, None if seed is None else drawn)
        warn_of_earlier_releases(release.original, [*public, about, *book, *secret])
        told = {} if descriptions is None else read_descriptions(Path(descriptions), held)
        _write_data(shuffle_data(release.data, order), parts[: len(data)], format)
        if classes is not None:
            _write_classes(release, drawn, parts[len(data)])
        page = describe_release(release, parts[: len(public)], held)
        if scenario is not None:
            page |= {"scenario": describe_scenario(release.data, scenario, columns, held)}
        text = json.dumps(page, indent=2, ensure_ascii=False) + "\n"
        write_text(parts[len(public)], text, force=False)
        if book:
            roles = _list_roles(release.data, data, classes, format)
            found = build_codebook(page, release.data, roles, held, told, about.name)
            write_text(parts[len(public) + 1], as_text(found), force=False)
        if secret:
            files = f"{OF} {digest_file(parts[0])}\n{RELEASE} {page['release']}\n"
            _write_mapping(release, drawn, order, parts[-1], files + origin)
    return tuple(str(file) for file in (*public, about, *book, *secret))


def _list_roles(
    released: Dataset,
    data: Sequence[Path],
    classes: str | os.PathLike[str] | None,
    format: str | None,  # noqa: A002
) -> tuple[FileNote, ...]:
    """Return what each published file holds."""
    kind = detect_format(data[0], format).format
    held = "network with columns" if len(data) == 1 and kind in HOLD_ATTRIBUTES else "network"
    first = "table" if not released.has_links else "links" if kind in TABLES else held
    found = [FileNote(data[0].name, first), *(FileNote(path.name, "attributes") for path in data[1:])]
    return (*found, *([] if classes is None else [FileNote(Path(classes).name, "classes")]))


def _write_data(data: Dataset, parts: Sequence[Path], format: str | None) -> None:  # noqa: A002
    if isinstance(data, Graph):
        write_graph(data, parts[0], format=format, attributes=parts[1] if len(parts) > 1 else None)
    else:
        write_table(data, parts[0], format=format)


def _write_classes(release: Any, drawn: int, path: Path) -> None:
    """Write the classes in a random order, drawn from the same secret seed as the order of the vertices."""
    order = int(np.random.default_rng([drawn, CLASSES]).integers(2**62))
    release.generalized.published(order).save(path)


def shuffle_data(data: Dataset, order: Ints) -> Dataset:
    """Return the same data under the names 0, 1, ...; the new vertex or record i was `order[i]`."""
    taken = data.attributes.take(order)  # values that no longer occur must not be published either
    table = taken.with_columns({name: renumber_codes(c.codes, c.values) for name, c in taken.columns.items()})
    if not isinstance(data, Graph):
        return replace(table, names=Names.number(data.n))
    return data.renumbered(Names(np.arange(data.n)), order, table)


def _hold_columns(released: Dataset, data: Sequence[Path], format: str | None) -> bool:  # noqa: A002
    """Return whether the files hold columns."""
    return not released.has_links or len(data) > 1 or detect_format(data[0], format).format in HOLD_ATTRIBUTES


def _warn_of_columns(release: Release) -> None:
    if release.uncovered:
        notice(f"columns published without a guarantee: {', '.join(release.uncovered)}")
    place = release.original.names.find(release.data.names)  # -1 for a vertex that was added, with the values of others
    before = release.original.attributes.take(place[place >= 0])
    after = release.data.attributes.take(np.flatnonzero(place >= 0))
    naming = [name for name in release.uncovered if _names_people(after[name]) and after[name].alike(before[name])]
    if naming:
        notice(
            f"(NEARLY) EVERY PERSON HAS A UNIQUE VALUE in {', '.join(naming)}: an attacker who knows it undoes the "
            "release. Remove the column (--leave-out), or use it as the name of the records (--key)."
        )


def _warn_of_kinds(release: Release) -> None:
    """Warn of kinds of links that no guarantee covers, and of kinds with few links."""
    if release.uncovered_kinds:
        notice(f"kinds of links published without a guarantee: {list_kinds(release.uncovered_kinds)}")
    least = release.k or 0
    few = {kind: many for kind, many in release.kinds.items() if many < least}
    if few:
        told = ", ".join(f"{list_kinds([kind])} ({many:,})" for kind, many in few.items())
        notice(
            f"kinds with fewer than {least:,} links: {told}. So few links may identify the people whom they join. "
            "Merge kinds (--kind-hierarchy)."
        )


def list_kinds(kinds: Iterable[str]) -> str:
    """Return kinds as a list in a sentence.

    >>> list_kinds(["call", ""])
    'call, (missing)'
    """
    return ", ".join(kind or "(missing)" for kind in kinds)


def _warn_of_promises(release: Release, held: Sequence[str]) -> None:
    gone = dict.fromkeys(
        name for promise in release.promises for name in promise.columns_of(release.table) if name not in held
    )
    if gone:
        notice(
            f"no file holds {', '.join(gone)}: guarantees about it are left out of the .release.json. Name a file for "
            "the attributes (--attributes-output), or a format that holds them."
        )


def _warn_of_seeds(release: Release, seed: int | None) -> None:
    rests = any(
        isinstance(p, ExchangeabilityPromise) or (isinstance(p, ConfusionPromise) and p.ground != "equal records")
        for p in release.promises
    )
    if rests and isinstance(release.seed, int) and release.seed < GUESSED:
        notice(f"the guarantee rests on a secret seed, and one such as {release.seed} can be guessed. {LEFT_OUT}")
    elif seed is not None and seed < GUESSED:
        notice(f"the published order rests on a secret seed, and one such as {seed} can be guessed. {LEFT_OUT}")


def _names_people(column: Column) -> bool:
    """Return whether at least 90 % of the values are unique."""
    counts = np.bincount(column.codes + 1)[1:]
    return len(column) > 1 and bool(np.count_nonzero(counts == 1) >= 0.9 * len(column))


def _write_mapping(release: Release, drawn: int, order: Ints, path: Path, of: str) -> None:
    names: Sequence[Hashable] = release.data.names
    kept = release.original.names  # a vertex that a method added has no original, and so no line
    pairs = [(str(names[int(v)]), i) for i, v in enumerate(order) if names[int(v)] in kept]
    if len({name for name, _ in pairs}) < len(pairs):
        raise BadParameter("save: a mapping must spell every name differently. Got some like 7 and '7'. Rename them.")
    first = f"{SECRET} seed of the method: {release.seed}; of the order: {drawn}\n{of}"
    with replace_file(path, force=False) as stream:  # a name that is no Unicode is refused, not escaped
        stream.write((first + render_csv(HEADER, pairs)).encode())


# Earlier releases in the same folder. Two releases of one original can reveal more than each alone.
#
# A mapping is private and holds a salted digest of the original, so a later release of the same original is recognized.
# A manifest is public and holds no digest: only its existence is reported.

MOST = 10_000
"""The maximum number of entries of a folder that are checked."""
MORE = "two releases together can reveal more than each by itself"


def warn_of_earlier_releases(original: Dataset | None, places: Iterable[Path]) -> None:
    """Warn of other releases in the folders of these files.

    The files themselves, which are about to be written, do not count. An original that is not in memory is not
    recognized in the mapping of another release.
    """
    own = {os.path.realpath(place): place for place in places}
    folders = {os.path.dirname(final): place.parent for final, place in own.items()}
    others = [path for folder in folders.values() for path in _list_files(folder) if os.path.realpath(path) not in own]
    same = [] if original is None else _find_earlier(original, others)
    if same:
        notice(f"{same[0]} is the mapping of an earlier release of the same original. Publish only one: {MORE}.")
    manifests = [path for path in others if path.name.endswith(MANIFEST)]
    if manifests:
        count = "" if len(manifests) == 1 else f" and {len(manifests) - 1:,} more"
        same_people = "If it is of the same people" if len(manifests) == 1 else "If they are of the same people"
        notice(f"the output folder already holds a release ({manifests[0]}{count}). {same_people}, {MORE}.")


def _find_earlier(original: Dataset, paths: Iterable[Path]) -> list[Path]:
    """Return the mappings whose original has the same names and links (for a table: names and cells)."""
    origins = {path: origin for path in paths for origin in [read_origin(path)] if origin is not None}
    if not origins:
        return []
    own = digest_original(original)
    return [path for path, origin in origins.items() if salt_digest(own, origin.salt) == origin.digest]


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, without hidden ones. A folder that cannot be listed yields none."""
    held = find_held_files()
    if held is not None:
        yield from (Path(name) for name in sorted(held) if not name.startswith("."))
        return
    try:
        with os.scandir(folder) as entries:
            found = list(islice(entries, MOST + 1))
    except OSError:
        return
    if len(found) > MOST:
        notice(f"{folder} holds more than {MOST:,} files. The others were not checked for earlier releases.")
    for entry in sorted(found[:MOST], key=lambda entry: entry.name):
        if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
            yield folder / entry.name
