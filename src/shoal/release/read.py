"""Reading of a second file like a first one: a release like its original, or an original like its release."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.intervals import list_bounds
from shoal.data.table import Table
from shoal.data.ties import MISSING_KIND
from shoal.errors import UnknownColumn
from shoal.io.files import TABLES, detect_format
from shoal.io.read import read_graph, read_table
from shoal.release.manifest import find_attributes, find_manifest

LIMITS = ("trust_counts", "max_ratio")
SHARED_BY_GRAPHS = ("comments", "multigraph", "directed", "undirected", "kind", "bins", "drop_loops", *LIMITS)
SHARED_BY_TABLES = ("key", "missing", "trim", *LIMITS)
"""The options that hold for both files. The others are about the layout of one file, which is detected for each."""

Place = str | os.PathLike[str]


def read_release(
    file: Place, original: Dataset, attributes: Place | None = None, options: Mapping[str, Any] | None = None
) -> Dataset:
    """Read a release like its original: as a network or a table, with directions and kinds of links or without.

    Parameters
    ----------
    file
        The data file of the release. A manifest beside it says whether links have directions and kinds.
    original
        The original.
    attributes
        The table of attributes of a network (default: the one that the manifest names).
    options
        How the original was read: the options of :func:`~shoal.read_graph` or :func:`~shoal.read_table`. Those about
        the layout of its file do not apply to the release.

    Examples
    --------
    >>> import shoal
    >>> from shoal.io.files import hold_files
    >>> original = shoal.examples.office().without_attributes()
    >>> with hold_files({}):
    ...     _ = shoal.methods.MatchDegrees(2)(original).save("safe.csv")
    ...     read_release("safe.csv", original).count_kinds().keys() == original.count_kinds().keys()
    True
    """
    own = dict(options or {})
    if isinstance(original, Graph):
        attributes = find_attributes(Path(file)) if attributes is None else attributes
        own |= find_link_options(Path(file), original, own)
    return read_alike(file, original.has_links, attributes, own, keyless=True)


def find_link_options(file: Path, original: Dataset, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that read the links of a release as those of its original, besides the given ones.

    The manifest of a saved release says whether links have directions and kinds. Its kinds are called "kind" and are
    grouped already. In another file, quantiles are those of the original, so that intervals have the same bounds.
    """
    if not isinstance(original, Graph):
        return {}
    about = find_manifest(file)
    if about is not None:
        directed = original.directed and "directed" in about and detect_format(file).format in TABLES
        return {"directed": directed, "kind": "kind" if original.kinds and "kinds" in about else None, "bins": None}
    bounds = list_bounds(kind for kind in original.kinds if kind != MISSING_KIND)
    same = bounds and str(options.get("bins")).startswith("quantiles:")
    return {"bins": ",".join(bounds)} if same else {}


def read_alike(
    file: Place, linked: bool, attributes: Place | None, options: Mapping[str, Any], *, keyless: bool = False
) -> Dataset:
    """Read a file as a network or a table, like another one that was read with these options.

    `linked` says whether the other one is a network. `keyless` allows a table without the column of names that the
    other one has.
    """
    if not linked and attributes is None and detect_format(Path(file)).format in TABLES:
        return read_records(file, {name: options[name] for name in SHARED_BY_TABLES if name in options}, keyless)
    shared = [*SHARED_BY_GRAPHS, *([] if attributes is None else ["trim"])]
    return read_graph(file, attributes=attributes, **{name: options[name] for name in shared if name in options})


def read_records(file: Place, options: Mapping[str, Any], keyless: bool) -> Table:
    """Read a table; if it is `keyless`, it may lack the column of names."""
    try:
        return read_table(file, **options)
    except UnknownColumn:
        if not keyless:
            raise
    return read_table(file, **{**options, "key": None})
