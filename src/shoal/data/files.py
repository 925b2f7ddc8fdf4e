"""Files: what a path says about its contents, how it is opened, and where one may be written."""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from shoal.data.journal import refuse_unfinished, warn_of_unfinished
from shoal.errors import BadFile, BadParameter, FileExists, did_you_mean
from shoal.terminal import cut

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "text": (".txt", ".edges", ".edgelist", ".el", ".dat"),
    "parquet": (".parquet", ".pq"),
    "graphml": (".graphml",),
    "gexf": (".gexf",),
    "gml": (".gml",),
    "pajek": (".net", ".paj", ".pajek"),
    "mtx": (".mtx",),
    "json": (".json",),
}
"""Each format with the suffixes that mean it."""

COMPRESSIONS = (".gz", ".zst", ".bz2")

_MEANS = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


class Kind(NamedTuple):
    """What a file holds, and the suffix of its compression (empty if there is none)."""

    format: str
    compression: str


def kind_of(path: Path, format: str | None = None, among: tuple[str, ...] = tuple(FORMATS)) -> Kind:  # noqa: A002
    """Tell the format and the compression of a file by its name, or by the format asked for.

    >>> kind_of(Path("friends.csv.gz"))
    Kind(format='csv', compression='.gz')
    """
    name = path.name.lower()
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    suffix = Path(name.removesuffix(compression)).suffix
    if format is not None:
        found = format if format in FORMATS else _MEANS.get(f".{format}".lower())
        if found not in among:
            hint = did_you_mean(format, among)
            raise BadParameter(f"{path}: 'format' must be one of {', '.join(among)}. Got {format!r}.{hint}")
        return Kind(found, compression)
    found = _MEANS.get(suffix)
    if found not in among:
        known = ", ".join(ending for kind in among for ending in FORMATS[kind])
        raise BadFile(
            f"{path}: its name must end in one of {known} (and perhaps in {', '.join(COMPRESSIONS)}). "
            f"Got {suffix or 'no suffix'!r}. Say what it holds with format='csv' (--format csv), for example."
        )
    return Kind(found, compression)


def existing(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that is there, or say which one might have been meant."""
    found = Path(path)
    refuse_loop(found)
    if found.is_dir():
        raise BadFile(f"{found}: must be a file. Got a folder. Name a file inside it.")
    if not found.exists():
        with suppress(OSError):
            hint = did_you_mean(found.name, sorted(other.name for other in found.parent.iterdir()))
            raise BadFile(f"{found}: must be a file that exists. There is none of that name.{hint}")
        raise BadFile(f"{found}: must be a file that exists. There is no folder {found.parent}.")
    note_input(found)
    warn_of_unfinished(found)
    return found


@contextmanager
def opened(path: Path, compression: str) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked; damage and refusals become a BadFile that names it."""
    try:
        with _unpacked(path, compression) as stream:
            yield stream
    except _DAMAGE as error:
        raise _damaged(path, compression, error) from error
    except OSError as error:
        if isinstance(error, PermissionError):
            raise BadFile(f"{path}: must be a file that you may read. Got: permission denied.") from error
        raise (_damaged(path, compression, error) if compression else _unreadable(path, error)) from error


def _unpacked(path: Path, compression: str) -> Any:
    if compression == ".gz":
        return gzip.open(path, "rb")
    if compression == ".bz2":
        return bz2.open(path, "rb")
    if compression == ".zst":
        import pyarrow as pa

        return BufferedReader(pa.input_stream(str(path), compression="zstd"))
    return path.open("rb")


def _damaged(path: Path, compression: str, error: Exception) -> BadFile:
    return BadFile(
        f"{path}: must be a whole {compression} file. Got one that is cut off or damaged ({cut(error)}). "
        "Fetch or pack it again."
    )


def _unreadable(path: Path, error: Exception) -> BadFile:
    return BadFile(f"{path}: must be a file that can be read. Got: {cut(error)}.")


def contents(path: Path, compression: str) -> bytes:
    """Return all bytes of a file, unpacked."""
    with opened(path, compression) as stream:
        data: bytes = stream.read()
    if not data:
        raise BadFile(f"{path}: must hold a graph. Got an empty file.")
    return data


def text_of(path: Path, compression: str) -> str:
    """Return the text of a file, or say at which line it stops being text."""
    data = contents(path, compression)
    check_text(data, path, 1)
    return data.decode("utf-8-sig")


def check_text(block: bytes, path: Path, line: int) -> None:
    """Refuse bytes that are no UTF-8 text; `line` is the number of the first line in the block."""
    at = block.find(b"\0")
    what = "a NUL byte"
    if at == -1 and not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError as error:
            at, what = error.start, f"the byte 0x{block[error.start]:02x}"
    if at != -1:
        line += block.count(b"\n", 0, at)
        raise BadFile(f"{path}, line {line:,}: must be text in UTF-8. Got {what}.{_looks_like(block)}")


def _looks_like(block: bytes) -> str:
    marks = {
        b"\x1f\x8b": "gzip: name it .gz",
        b"\x28\xb5\x2f\xfd": "zstandard: name it .zst",
        b"BZh": "bzip2: name it .bz2",
        b"PK\x03\x04": "a zip or a spreadsheet: unpack it, or save it as csv",
        b"PAR1": "parquet: name it .parquet or say format='parquet' (--format parquet)",
        b"\xff\xfe": "UTF-16: save it as UTF-8",
        b"\xfe\xff": "UTF-16: save it as UTF-8",
    }
    found = next((meant for mark, meant in marks.items() if block.startswith(mark)), None)
    return f" It looks like {found}." if found else " If it is text in another encoding, save it as UTF-8."


_inputs: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("shoal_inputs", default=None)


@contextmanager
def remember_inputs() -> Iterator[None]:
    """Inside the block, no file that was read may be written over."""
    token = _inputs.set({})
    try:
        yield
    finally:
        _inputs.reset(token)


def note_input(path: str | os.PathLike[str]) -> None:
    """Remember a file that is read, by device and inode."""
    known, identity = _inputs.get(), identity_of(path)
    if known is not None and identity is not None:
        known[identity] = os.fspath(path)


def refuse_input(path: Path) -> None:
    """Refuse to write over a file that was read in this block, under whatever name."""
    read = (_inputs.get() or {}).get(identity_of(path) or (0, 0))
    if read is not None:
        raise BadParameter(f"{path}: is a file that is read here ({read}), and is not overwritten. Name another file.")


def identity_of(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return the device and inode of a file; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def check_free(path: Path, force: bool) -> None:
    """Refuse a place where no file can be written."""
    refuse_loop(path)
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise FileExists(f"{path}: must be a file. Got a folder. Name a file inside it.")
    if place.exists() and not place.is_file():
        raise FileExists(f"{path}: must be a file. Got something else that cannot be replaced.")
    if not place.parent.is_dir():
        raise BadParameter(f"{path}: must be in a folder that exists. There is no folder {path.parent}.")
    refuse_unfinished(place)
    if place.exists() and not force:
        raise FileExists(f"{path}: exists and is not overwritten. Say force=True (--force) to replace it.")


def refuse_loop(path: Path) -> None:
    """Refuse a symbolic link that leads back to itself."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise BadFile(f"{path}: must be a file. Got symbolic links that lead in a circle. Remove them.") from error
