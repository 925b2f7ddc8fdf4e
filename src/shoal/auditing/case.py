"""The case under audit: an original, perhaps a release of it, and what is recorded about both."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.auditing.findings import Changes
from shoal.auditing.model import ColumnRole, DataIdentification, MethodRecord, PublishedChange, Secrets, Versions
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.graph import Graph
from shoal.io.digest import digest_contents, digest_file
from shoal.io.files import find_file
from shoal.io.mapping import refuse_another, refuse_mix
from shoal.knowledge import Adversary
from shoal.knowledge.view import Pair, match_by_name, recode_known_columns
from shoal.release.manifest import add_columns, describe_release, find_attributes, make_plain, read_manifest
from shoal.release.release import Release
from shoal.utility.changes import count_changed_cells

Place = str | Path | None
LIBRARIES = ("numpy", "scipy", "igraph", "networkx", "pyarrow")


@dataclass(frozen=True, eq=False)
class Case:
    """The original, the release, and how they correspond."""

    original: Dataset
    released: Dataset | None
    release: Release | None
    """The release with its method; None where only its data was given."""
    about: dict[str, Any] | None
    """The manifest of the release; None without one."""
    pair: Pair | None
    """The original matched to the release; None without a release."""
    mapping: Any
    files: tuple[Place, Place]
    """The files of both; None for data that came from no file."""
    outside: bool = False
    """Whether only the published files may be assessed."""
    recoded: dict[tuple[str, ...], Dataset] = field(default_factory=dict, repr=False)
    """The data of :meth:`find_known_data`, by known columns: the same object each time."""

    @classmethod
    def of(
        cls,
        original: Any,
        release: Any,
        mapping: Mapping[Hashable, Hashable] | str | Path | None,
        same_names: bool | None,
        files: Sequence[Place],
    ) -> Case:
        """Read the data and the manifest, and match the original to the release."""
        data, found = _read_data(original, table=False), release if isinstance(release, Release) else None
        table = not data.has_links
        released = None if release is None else _read_data(release, table=table)
        if found is not None and isinstance(released, Graph):
            released = replace(released, unread=())  # a method may return the original itself
        own = tuple(
            place if isinstance(place, str | Path) else given
            for place, given in zip((original, release), files[:2], strict=True)
        )
        about = (
            describe_release(found, []) if found else read_manifest(own[1], files[2:]) if released is not None else None
        )
        if found is None and released is not None:
            released = _add_published_columns(released, own[1], files[2:])
        if mapping is not None:
            refuse_another(mapping, own[1])
            refuse_mix(mapping, None if found else about)
        same = match_by_name(release if found or isinstance(release, str | Path) else released, same_names)
        pair = None if released is None else Pair.of(data, released, mapping, same_names=same, who="audit")
        return cls(data, released, found, about, pair, mapping, own)  # type: ignore[arg-type]

    def view_from_outside(self) -> Case:
        """Return the case of a reader who has only the published files: the release stands for the original."""
        assert self.released is not None
        return replace(self, original=self.released, pair=None, mapping=None, outside=True)

    def find_known_data(self, kinds: Sequence[Adversary]) -> Dataset:
        """Return the data in which facts from the original are measured.

        That is the original. Where the release recodes a known column, such as ages to ranges, an attacker who knows
        the value knows the range too: then it has the recoded values.
        """
        assert self.pair is not None
        assert self.pair.counterpart is not None
        assert self.released is not None
        known = tuple(dict.fromkeys(name for kind in kinds for name in kind.columns(self.original.attributes)))
        if known not in self.recoded:
            found = recode_known_columns(self.original, self.released, self.pair.counterpart, known)
            self.recoded[known] = self.original if found is None else found
        return self.recoded[known]

    @property
    def matched(self) -> bool:
        """Whether people in the original are matched to the release."""
        return self.pair is not None and self.pair.counterpart is not None

    @property
    def is_table(self) -> bool:
        """Whether there are records and no links."""
        return not self.original.has_links

    @property
    def redraws(self) -> bool:
        """Whether the method drew all links again, so that no link counts as added or removed."""
        if self.release is not None:
            return bool(self.release.method.redraws)
        kind = None if self.about is None else find_method_kind(self.about["method"]["name"])
        return kind is not None and bool(kind.redraws)


def _add_published_columns(released: Dataset, place: Place, more: Sequence[Place]) -> Dataset:
    """Return a release with all published columns: those in `more`, or in the table that its manifest names."""
    if place is None or not released.has_links:
        return released
    about = next((one for one in more if one is not None), None) or find_attributes(place)
    return released if about is None else add_columns(released, Path(about))


def _read_data(obj: Any, *, table: bool) -> Dataset:
    """Return a network or a table, reading a file if one is named."""
    if isinstance(obj, str | Path):
        from shoal.io.read import read_graph, read_table

        return read_table(obj) if table else read_graph(obj)
    return as_dataset(obj)


def count_changes(case: Case) -> Changes | None:
    """Count the links kept, added and removed; None without a matching, or where all links were drawn again."""
    if case.pair is None or case.pair.counterpart is None or case.is_table or case.redraws:
        return None
    added, removed = case.pair.edits
    kept = case.pair.links_kept
    links = kept + removed
    return Changes(kept, added, removed, (added + removed) / links if links else None)


def measure_cells_changed(case: Case) -> float | None:
    """Return the share of changed cells in the released columns; None without a matching or without such columns."""
    if case.pair is None or case.pair.counterpart is None or case.released is None:
        return None
    kept = [name for name in case.original.attributes if name in case.released.attributes]
    cells = case.original.n * len(kept)
    published = case.original.with_attributes(case.original.attributes.only(kept))
    return count_changed_cells(published, case.pair.released, case.pair.counterpart) / cells if cells else None


# What is recorded about the data, the method and the software.


def identify_data(data: Dataset, place: Place, *, outside: bool = False) -> DataIdentification:
    """Return the size of the data, and a digest of its file or of its contents.

    An external report has no digest of contents, since the names in them are the original's.
    """
    kind, edges = ("network", data.m) if data.has_links else ("table", None)
    if place is None and outside:
        file, digest, of = None, None, None
    elif place is None or str(place).startswith("example:"):
        file, digest, of = None if place is None else str(place), digest_contents(data), "contents"
    else:
        file, digest, of = Path(place).name, digest_file(find_file(place)), "file"
    unread, directed, counts = (
        (data.unread, data.directed, data.count_kinds()) if isinstance(data, Graph) else ((), False, {})
    )
    kinds = tuple(counts)  # a kind that a release lost is not named
    found = kind, data.n, edges, len(data.attributes), file, digest, of, unread, directed, kinds, counts
    return DataIdentification(*found)  # type: ignore[arg-type]


def list_reading_options(data: Dataset | None, place: Place, kind: str = "KIND") -> tuple[str, ...]:
    """Return the options that read the directions and kinds of links of a file; `kind` is the column of kinds.

    >>> list_reading_options(Graph.from_pairs("ab", [0], [1], directed=True, kinds=["call"]), None)
    ('--directed', '--kind', 'KIND')
    """
    if not isinstance(data, Graph) or str(place).startswith("example:"):
        return ()
    return (*(["--directed"] if data.directed else []), *(["--kind", kind] if data.kinds else []))


def name_file(place: Place, otherwise: str) -> str:
    """Return how a command names a file: without its folder, quoted for the shell."""
    if place is None:
        return otherwise
    return str(place) if str(place).startswith("example:") else shlex.quote(Path(place).name)


def list_versions() -> Versions:
    """Return the versions of shoal, Python and the libraries that count."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    return Versions(version("shoal"), platform.python_version(), found)


def list_columns(case: Case, known: Sequence[str], sensitive: Sequence[str]) -> tuple[ColumnRole, ...]:
    """Return each column with its role, the kind of its values, and whether it is released."""
    rows = []
    released = None if case.released is None else case.released.attributes
    for name in dict.fromkeys([*case.original.attributes, *(released or ())]):
        column = case.original.attributes[name] if name in case.original.attributes else released[name]  # type: ignore[index]
        role = "quasi-identifier" if name in known else "sensitive" if name in sensitive else "other"
        values = "numbers" if column.is_numeric else "categories"
        rows.append(ColumnRole(name, role, values, None if released is None else name in released))  # type: ignore[arg-type]
    return tuple(rows)


def describe_method(case: Case) -> MethodRecord | None:
    """Return the method and its public settings; None where there is no release or no manifest."""
    if case.about is None:
        return None
    told = case.about["method"]
    made: Any = find_method_kind(told["name"]) if case.release is None else case.release.method
    words = [None if made is None else getattr(made, key) for key in ("changes", "protects", "source")]
    return MethodRecord(told["name"], {name: value for name, value in told.items() if name != "name"}, *words)


def find_method_kind(name: str) -> Any:
    """Return the class of a method that a manifest names; None for an unknown name."""
    from shoal.methods.base import METHODS, find_method
    from shoal.methods.pipeline import Pipeline

    return find_method(name) if name in METHODS else Pipeline if name == Pipeline.shell else None


def list_measured(case: Case) -> dict[str, Any]:
    """Return the numbers that the method measured; only the published ones where the release came from a file."""
    if case.release is not None:
        found: dict[str, Any] = make_plain(case.release.measured)
        return found
    return {} if case.about is None else dict(case.about["measured"])


def select_published_change(case: Case) -> PublishedChange | None:
    """Return what the manifest says about the change; numbers that the method does not declare public are dropped."""
    if case.about is None:
        return None
    kind = find_method_kind(case.about["method"]["name"])
    measured = {
        name: value
        for name, value in case.about["measured"].items()
        if kind is not None and kind.reason_to_publish(name)
    }
    return PublishedChange(measured, case.about.get("utility", {}))


def list_secrets(case: Case, *, names: bool) -> Secrets | None:
    """Return what repeats a release; the method only with `names`, since it may name people."""
    if case.release is None:
        return None
    return Secrets(make_plain(case.release.seed), repr(case.release.method) if names else None)
