"""Saving a release of an engine: new names, files that are counted again before they are in place, a private mapping.

New names are ranks by a keyed SHA-256 of the old ones, never by a hash of the engine. So the same seed gives the same
files in every engine.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shoal.data.ties import MISSING_KIND
from shoal.errors import BadParameter, BrokenPromise, Notice, notice
from shoal.io.atomic import write_text, write_together
from shoal.io.delimited import render_csv
from shoal.io.digest import digest_file, digest_release
from shoal.io.files import create_file
from shoal.io.mapping import HEADER, OF, RELEASE, SECRET
from shoal.io.targets import check_file_names
from shoal.relational.assess import assess
from shoal.relational.engine import quote
from shoal.relational.loading import WRITTEN, open_network
from shoal.relational.network import Network, keyed
from shoal.relational.parquet import join_parquet, read_batches, removing
from shoal.relational.release import RelationalRelease, count_kinds
from shoal.release.codebook import Codebook, ColumnNote, FileNote, KindNote, read_descriptions
from shoal.release.guarantee import PartialPromise
from shoal.release.manifest import SCHEMA, UNPROTECTED, describe_promise
from shoal.release.save import LEFT_OUT, list_kinds, warn_of_earlier_releases
from shoal.seeds import GUESSED, AnySeed, draw_seed
from shoal.show import as_text

WHAT = "releasing"
NUMBERS = ("INT", "DECIMAL", "FLOAT", "DOUBLE")
"""How types of numbers are called."""


def publish(
    release: RelationalRelease,
    path: str | os.PathLike[str],
    mapping: str | os.PathLike[str] | None,
    attributes: str | os.PathLike[str] | None,
    readme: str | os.PathLike[str] | None,
    descriptions: str | os.PathLike[str] | None,
    seed: AnySeed | None,
    force: bool,
) -> tuple[str, ...]:
    """Write a release; see :meth:`RelationalRelease.save`."""
    network = release.network
    _check_places(release, path, attributes)
    drawn = draw_seed(seed, "save")
    data = [Path(path), *([] if attributes is None else [Path(attributes)])]
    about = Path(f"{os.fspath(path)}.release.json")
    book, secret = ([] if place is None else [Path(place)] for place in (readme, mapping))
    places = [*data, about, *book, *secret]
    check_file_names(data)
    held = tuple(network.columns) if attributes is not None or not network.has_links else ()
    told = {} if descriptions is None else read_descriptions(Path(descriptions), held)
    with write_together(places, force=force, private=secret) as parts:
        _warn(release, held, None if seed is None else drawn)
        warn_of_earlier_releases(None, places)
        ids = _draw_ids(network, drawn)
        queries = [_select_links(network, ids), _select_people(network, ids)]
        queries = queries[: len(data)] if network.has_links else [_select_records(network, ids)]
        for query, part in zip(queries, parts, strict=False):
            _write_rows(network, query, part)
        _recount(release, parts[: len(data)])
        page = _describe(release, parts[: len(data)], held)
        write_text(parts[len(data)], json.dumps(page, indent=2, ensure_ascii=False) + "\n", force=False)
        if book:
            write_text(parts[len(data) + 1], as_text(_describe_files(release, page, data, held, told)), force=False)
        if secret:
            _write_mapping(release, ids, drawn, parts[-1], f"{OF} {digest_file(parts[0])}\n{RELEASE} {page['release']}")
        network.engine.drop(ids, "shown")
    return tuple(map(str, places))


def _check_places(release: RelationalRelease, path: object, attributes: object) -> None:
    for place in (path, attributes):
        if place is not None and not os.fspath(place).endswith(".parquet"):  # type: ignore[call-overload]
            raise BadParameter(f"save: files of an engine must be Parquet (.parquet). Got {place}.")
    if attributes is not None and not release.network.has_links:
        raise BadParameter(f"save: 'attributes' must be None for a table, which is one file. Got {attributes}.")
    taken = [name for name in release.network.columns if name.casefold() == "name"]
    if taken and attributes is not None:
        raise BadParameter(
            f"save: the new names are in the column 'name', so no other column may be called so. Got {taken[0]!r}. "
            "Rename it, or leave it out (columns=)."
        )
    known = release.known_columns
    if known and attributes is None and release.network.has_links:
        raise BadParameter(
            f"save: 'attributes' must be given, since the guarantee is about columns ({', '.join(known)}). Got None."
        )


def _warn(release: RelationalRelease, held: Sequence[str], seed: int | None) -> None:
    uncovered = [name for name in release.uncovered if name in held]
    if uncovered:
        notice(f"columns published without a guarantee: {', '.join(uncovered)}")
    if release.network.columns and not held:
        notice(
            f"columns that are not released: {', '.join(release.network.columns)}. Name a file for them: attributes=."
        )
    if release.uncovered_kinds:
        notice(f"kinds of links published without a guarantee: {list_kinds(release.uncovered_kinds)}")
    for one in (seed, release.seed):
        if one is not None and one < GUESSED:
            notice(f"the release rests on a secret seed, and one such as {one} can be guessed. {LEFT_OUT}")


# Names


def _draw_ids(network: Network, seed: int) -> str:
    """Return a table (v, old): the released number of each vertex, and its number in the engine."""
    engine, table = network.engine, network.name_table("ids")
    name, join = ("x.name", " JOIN names x ON x.v = p.v") if network.named else ("p.v", "")
    text = f"concat(s.key, ' ', CAST({name} AS STRING))"
    with keyed(network, seed, "order") as secret:
        engine.number(
            table,
            f"SELECT p.v AS old, {engine.digest(text)} AS place FROM people p{join} CROSS JOIN {secret} s",
            WHAT,
            order="place",
        )
    return table


# Rows


def _select_links(network: Network, ids: str) -> str:
    """Return a query of the links under new names, sorted, with a row without a target for each isolated vertex."""
    kinds = ", r.kind" if network.kinds else ""
    nothing = ", CAST(NULL AS STRING) AS kind" if network.kinds else ""
    alone = f"""SELECT i.v AS source, CAST(NULL AS BIGINT) AS target{nothing} FROM people p
        JOIN {ids} i ON i.old = p.v WHERE p.near = 0"""
    if network.relations:
        _keep_kinds(network)
        once = " WHERE r.ahead" + ("" if network.directed else " AND a.v < b.v")
        entries = "entries e JOIN shown r ON r.relation = e.relation"
    else:
        once, entries = " WHERE a.v < b.v", "arcs e"
    links = f"""SELECT a.v AS source, b.v AS target{kinds} FROM {entries}
        JOIN {ids} a ON a.old = e.v JOIN {ids} b ON b.old = e.w{once}"""
    order = "source, target" + (", kind" if network.kinds else "")
    return f"SELECT * FROM ({links} UNION ALL {alone}) ORDER BY {order}"


def _keep_kinds(network: Network) -> None:
    """Keep how each relation is written: shown(relation, kind, ahead).

    A link with a direction is written as its source sees it.
    """
    rows = [
        (at, None if one.kind in (None, MISSING_KIND) else one.kind, one.direction != "in")
        for at, one in enumerate(network.relations)
    ]
    network.engine.fill("shown", ("relation INTEGER", "kind STRING", "ahead BOOLEAN"), rows)


def _select_people(network: Network, ids: str) -> str:
    listed = "".join(f", c.{column} AS {quote(name)}" for name, column in network.columns.items())
    return f"SELECT i.v AS name{listed} FROM {ids} i JOIN cells c ON c.v = i.old ORDER BY i.v"


def _select_records(network: Network, ids: str) -> str:
    listed = ", ".join(f"c.{column} AS {quote(name)}" for name, column in network.columns.items())
    return f"SELECT {listed} FROM {ids} i JOIN cells c ON c.v = i.old ORDER BY i.v"


def _write_rows(network: Network, query: str, part: Path) -> None:
    files = network.engine.export(query, WHAT)
    with removing(files):
        join_parquet(files, part)


def _write_mapping(release: RelationalRelease, ids: str, drawn: int, part: Path, of: str) -> None:
    """Write the original names and the released numbers, in the order of the numbers."""
    network = release.network
    if network.named:
        query = f"SELECT x.name, i.v FROM {ids} i JOIN names x ON x.v = i.old ORDER BY i.v"
    else:
        query = f"SELECT i.old AS name, i.v FROM {ids} i ORDER BY i.v"
    first = f"{SECRET} seed of the method: {release.seed}; of the order: {drawn}\n{of}\n"
    files = network.engine.export(query, WHAT)
    with removing(files), create_file(part) as stream:
        stream.write(f"{first}{','.join(HEADER)}\n".encode())
        for batch in read_batches(files, WHAT):
            names, numbers = (column.to_pylist() for column in batch.columns)
            text = render_csv(HEADER, list(zip(names, numbers, strict=True)))
            stream.write(text.split("\n", 1)[1].encode())


# Verification


def _recount(release: RelationalRelease, parts: Sequence[Path]) -> None:
    """Load the written files into another engine and count again; raise BrokenPromise if any count differs."""
    promise, network = release.promise, release.network
    if promise is None:
        return
    links, people = (parts[0], parts[1] if len(parts) > 1 else None) if network.has_links else (None, parts[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        again = open_network(
            None if links is None else str(links),
            ends=WRITTEN,
            vertices=None if people is None else str(people),
            key="name" if network.has_links and people is not None else None,
            columns=() if people is None else None,
            directed=network.directed,
            undirected=not network.directed,
            kind="kind" if network.kinds else None,
            engine=network.engine.start_another(),
        )
    with again:
        for risk in release.risks:
            found = assess(again, risk.adversary)
            if found.n != release.n or list(found.counted) != list(risk.counted) or again.m != network.m:
                raise BrokenPromise(
                    f"{risk.adversary.spec}: the written files must have the counts of the release. Got k = "
                    f"{found.k:,} for {found.n:,} {network.noun[1]}, and {risk.k:,} for {release.n:,}. Nothing was "
                    "written."
                )


# What is said


def _describe(release: RelationalRelease, parts: Sequence[Path], held: Sequence[str]) -> dict[str, Any]:
    """Return the manifest: what can be counted in the published files, and what was declared before."""
    network, promise = release.network, release.promise
    digests = {part.name: digest_file(part) for part in parts}
    kinds = count_kinds(network)
    return {
        "schema": SCHEMA,
        "shoal": version("shoal"),
        "release": digest_release(digests.values()),
        "files": {name: {"sha256": digest} for name, digest in digests.items()},
        "individuals": network.n,
        "edges": network.m,
        **({"directed": True} if network.directed else {}),
        **({"kinds": kinds} if kinds else {}),
        "method": {"name": release.method.shell, **release.method.declare_policy()},
        "promise": [] if promise is None else [describe_promise(promise)],
        **({"nothing is promised": True} if promise is None else {}),
        **({"others": UNPROTECTED} if isinstance(promise, PartialPromise) and promise.protected < promise.of else {}),
        "verification": [] if promise is None else [f"{release.verification} Counted again in these files."],
        "columns in no promise": [name for name in release.uncovered if name in held],
        **({"kinds in no promise": list(release.uncovered_kinds)} if kinds else {}),
        "measured": {},
    }


def _describe_files(
    release: RelationalRelease,
    page: Mapping[str, Any],
    data: Sequence[Path],
    held: Sequence[str],
    told: Mapping[str, str],
) -> Codebook:
    network = release.network
    roles = ("links", "attributes") if network.has_links else ("table",)
    notes = []
    types = network.engine.describe("cells") if held else {}
    for name in held:
        column = network.columns[name]
        ((values, missing),) = network.engine.collect(
            f"SELECT count(DISTINCT {column}), count(*) - count({column}) FROM cells", WHAT
        )
        numeric = any(part in types[column] for part in NUMBERS)
        notes.append(
            ColumnNote(name, "numbers" if numeric else "categories", int(values), int(missing), told.get(name))
        )
    return Codebook(
        page,
        f"{data[0].name}.release.json",
        tuple(FileNote(path.name, role) for path, role in zip(data, roles, strict=False)),
        tuple(notes),
        not network.has_links,
        tuple(
            KindNote(kind, many, kind not in page["kinds in no promise"])
            for kind, many in page.get("kinds", {}).items()
        ),
    )
