"""The case under audit: an original, and perhaps a release of it, as an object with its method or as a file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset, as_dataset
from shoal.io.digest import digest_contents as digest
from shoal.io.digest import digest_file
from shoal.io.files import find_file
from shoal.knowledge.view import Pair, match_by_name
from shoal.release.manifest import add_columns, describe_release, find_attributes, read_manifest
from shoal.release.mapping import refuse_another, refuse_mix
from shoal.release.release import Release

Place = str | Path | None


@dataclass(frozen=True, eq=False)
class Case:
    """The original, what was made of it, and what is known about how."""

    original: Dataset
    released: Dataset | None
    release: Release | None
    """The release where it is at hand, with its method; None where only its data are."""
    about: dict[str, Any] | None
    """What may be published about the release; None where nobody wrote it down."""
    pair: Pair | None
    """Who is who; None without a release."""
    mapping: Any
    files: tuple[Place, Place]
    """Where both came from; None where they are no files."""
    outside: bool = False
    """Whether only what is published may be looked at."""

    @classmethod
    def of(
        cls,
        original: Any,
        release: Any,
        mapping: Mapping[Hashable, Hashable] | str | Path | None,
        same_names: bool | None,
        files: Sequence[Place],
    ) -> Case:
        """Read what must be read, and match who is who."""
        data, found = _read_data(original, table=False), release if isinstance(release, Release) else None
        table = not data.has_links
        released = None if release is None else _read_data(release, table=table)
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
        """Return the case as somebody sees it who has what is published, and nothing else."""
        assert self.released is not None
        return replace(self, original=self.released, pair=None, mapping=None, outside=True)

    @property
    def matched(self) -> bool:
        """Whether it is known who is who."""
        return self.pair is not None and self.pair.counterpart is not None

    @property
    def is_table(self) -> bool:
        """Whether there are records and no links."""
        return not self.original.has_links

    @property
    def redraws(self) -> bool:
        """Whether all links were drawn anew, so that none counts as added or removed."""
        if self.release is not None:
            return bool(self.release.method.redraws)
        from shoal.methods.registry import METHODS, find_method

        name = None if self.about is None else self.about["method"]["name"]
        return name in METHODS and bool(find_method(str(name)).redraws)


def _add_published_columns(released: Dataset, place: Place, more: Sequence[Place]) -> Dataset:
    """Return a release with all columns that are published: in `more`, or in the table that its manifest names."""
    if place is None or not released.has_links:
        return released
    about = next((one for one in more if one is not None), None) or find_attributes(place)
    return released if about is None else add_columns(released, Path(about))


def _read_data(obj: Any, *, table: bool) -> Dataset:
    """Return a network as it is, or read from its file, which holds a table where that is said; else a table."""
    if isinstance(obj, str | Path):
        from shoal.io.read import read_graph, read_table

        return read_table(obj) if table else read_graph(obj)
    return as_dataset(obj)


def count_changes(case: Case) -> dict[str, Any] | None:
    """Count the links that were kept, added and removed; None where nobody is matched, or all were drawn anew."""
    if case.pair is None or case.pair.counterpart is None or case.is_table or case.redraws:
        return None
    added, removed = case.pair.edits
    pairs, kept = len(case.pair.kept), int(case.pair.kept.sum())
    ratio = (added + removed) / pairs if pairs else None
    return {"kept": kept, "added": added, "removed": removed, "ratio": ratio}


def identify_data(graph: Dataset, place: Place) -> dict[str, Any]:
    """Return what data it is: its size, and a digest of its file, or else of its contents."""
    shape = {graph.noun[1]: graph.n} | ({} if not graph.has_links else {"edges": graph.m})
    known = {"kind": "table" if not graph.has_links else "network", **shape, "columns": len(graph.attributes)}
    if place is None or str(place).startswith("example:"):
        return known | {"file": None if place is None else str(place), "sha256": digest(graph), "of": "contents"}
    return known | {"file": Path(place).name, "sha256": digest_file(find_file(place)), "of": "file"}
