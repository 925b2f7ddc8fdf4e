"""Files, held in memory or on disk: detect formats, open, decompress and create them."""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from shoal.errors import BadFile, BadParameter, Place, cut, did_you_mean, must, notice, show_value
from shoal.progress import note_input

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "text": (".txt", ".edges", ".edgelist", ".el", ".dat"),
    "parquet": (".parquet", ".pq"),
    "xlsx": (".xlsx",),
    "graphml": (".graphml",),
    "gexf": (".gexf",),
    "gml": (".gml",),
    "pajek": (".net", ".paj", ".pajek"),
    "mtx": (".mtx",),
    "json": (".json",),
}
"""The suffixes of each format."""
TABLES = ("csv", "tsv", "text", "parquet", "xlsx")
"""The formats of tables and of attribute files."""
WRITTEN = tuple(name for name in FORMATS if name != "xlsx")
"""The formats that are written too."""

MANIFEST = ".release.json"
"""The ending of a manifest, after the name of the data file."""
README = ".README.md"
"""The ending of the codebook of a release, after the name of the data file."""
BESIDE = (MANIFEST, README)
"""The endings of the public files beside a release."""
COMPRESSIONS = (".gz", ".zst", ".bz2")

COUNT, PER_BYTE = 1_000_000, 20
"""A count in a file that exceeds both COUNT, and PER_BYTE per byte of the file, is refused."""
UNPACKED, RATIO = 1_000_000_000, 200
"""A compressed file that expands to more than UNPACKED bytes, and more than RATIO times its size, is refused."""
CHUNK = 1 << 20

_MEANS = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


class FileFormat(NamedTuple):
    """The format of a file, and the suffix of its compression (empty if there is none)."""

    format: str
    compression: str


class ReadingLimits(NamedTuple):
    """Limits against files that would fill the memory."""

    trust_counts: bool = False
    """Whether to accept a count that is too large for the size of the file."""
    max_ratio: float = RATIO
    """The largest expansion of a compressed file of more than UNPACKED bytes."""


USUAL = ReadingLimits()
_LIMITS: ContextVar[ReadingLimits] = ContextVar("limits", default=USUAL)


@contextmanager
def limit_reading(trust_counts: bool, max_ratio: float) -> Iterator[None]:
    """Inside the block, apply these limits to files that are read."""
    must(type(max_ratio) in (int, float) and max_ratio >= 1, "read", "max_ratio", "a number, 1 or more", max_ratio)
    token = _LIMITS.set(ReadingLimits(bool(trust_counts), max_ratio))
    try:
        yield
    finally:
        _LIMITS.reset(token)


def check_count(count: int, size: int, where: Place | str, what: str) -> None:
    """Raise BadFile for a count that is implausible in a file of `size` bytes, before memory is allocated for it."""
    if count > COUNT and count > PER_BYTE * size and not _LIMITS.get().trust_counts:
        raise BadFile.at(
            where,
            f"a count above {COUNT:,} must not exceed {PER_BYTE} per byte of the file. Got "
            f"{show_value(count)} {what} in {size:,} bytes. If it is right, use trust_counts=True (--trust-counts).",
        )


def check_ratio(unpacked: int, packed: int, path: Path) -> None:
    """Raise BadFile for a compressed file that expands too much, before it fills the memory."""
    most = _LIMITS.get().max_ratio
    if unpacked > UNPACKED and unpacked > most * packed:
        raise BadFile(
            f"{path}: a file that expands to more than {UNPACKED:,} bytes must expand at most {most:g} times. Got "
            f"at least {unpacked:,} bytes from {packed:,}. If it is right, raise max_ratio (--max-ratio)."
        )


def detect_format(path: Path, format: str | None = None, among: tuple[str, ...] = tuple(FORMATS)) -> FileFormat:  # noqa: A002
    """Return the format and the compression of a file, from `format` or its name.

    >>> detect_format(Path("friends.csv.gz"))
    FileFormat(format='csv', compression='.gz')
    """
    name = path.name.lower()
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    suffix = Path(name.removesuffix(compression)).suffix
    if format is not None:
        found = format if format in FORMATS else _MEANS.get(f".{format}".lower())
        if found not in among:
            hint = did_you_mean(format, among)
            raise BadParameter(f"{path}: 'format' must be one of {', '.join(among)}. Got {format!r}.{hint}")
        return FileFormat(found, compression)
    found = _MEANS.get(suffix)
    if found not in among:
        known = ", ".join(ending for kind in among for ending in FORMATS[kind])
        raise BadFile(
            f"{path}: its name must end in one of {known} (optionally followed by {', '.join(COMPRESSIONS)}). "
            f"Got {suffix or 'no suffix'!r}. Name its format, for example with format='csv' (--format csv)."
        )
    return FileFormat(found, compression)


# Files held in memory.

_HELD: ContextVar[dict[str, bytes] | None] = ContextVar("held_files", default=None)


@contextmanager
def hold_files(files: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    r"""Inside the block, read and write files in memory, by their names, and refuse every other path.

    Yields the files, which change as files are written. Results, notices, errors, digests and written bytes are those
    of files on disk with the same names and bytes. A file on disk is neither read nor written, even if it has one of
    these names.

    >>> from shoal.io.read import read_graph
    >>> from shoal.io.write import write
    >>> with hold_files({"friends.csv": b"source,target\nAnn,Bo\n"}) as held:
    ...     write(read_graph("friends.csv"), "friends.tsv")
    >>> held["friends.tsv"]
    b'source\ttarget\nAnn\tBo\n'
    """
    for name, data in files.items():
        must(is_plain_name(name), "hold_files", "files", "named by texts, without folders", name)
        must(isinstance(data, bytes), "hold_files", "files", f"bytes, also for {name!r:.60}", type(data).__name__)
    held = dict(files)
    token = _HELD.set(held)
    try:
        yield held
    finally:
        _HELD.reset(token)


def find_held_files() -> dict[str, bytes] | None:
    """Return the files that are held; None outside of a block of held files."""
    return _HELD.get()


def is_plain_name(name: object) -> bool:
    """Return whether a value is the name of a file, without folders."""
    return type(name) is str and name not in ("", "..") and "\0" not in name and Path(name).name == name


def _get_held(path: Path) -> bytes | None:
    """Return the bytes of a held file; None outside of a block of held files. Raise BadFile for another path."""
    held = _HELD.get()
    if held is not None and str(path) not in held:
        hint = did_you_mean(path.name, sorted(held))
        raise BadFile(f"{path}: must be a file that exists. There is no such file.{hint}")
    return None if held is None else held[str(path)]


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a file, held or on disk."""
    held = _HELD.get()
    return Path(path).is_file() if held is None else str(Path(path)) in held


def measure_file(path: Path) -> int:
    """Return the number of bytes of a file, held or on disk."""
    held = _get_held(path)
    return path.stat().st_size if held is None else len(held)


def open_stored(path: Path) -> BinaryIO:
    """Open a file for reading the bytes that are stored, held or on disk."""
    held = _get_held(path)
    return path.open("rb") if held is None else BytesIO(held)


def open_text(path: Path, encoding: str = "utf-8", newline: str | None = None) -> TextIO:
    """Open a text file for reading, held or on disk."""
    return TextIOWrapper(open_stored(path), encoding, newline=newline)


def create_file(path: Path) -> BinaryIO:
    """Open a new file for writing, which only its owner may read; a held file is there when the stream is closed."""
    held = _HELD.get()
    if held is not None:
        return HeldStream(held, str(path))
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


class HeldStream(BytesIO):
    """The bytes of a new held file."""

    def __init__(self, held: dict[str, bytes], name: str):
        super().__init__()
        self._held, self._name = held, name

    def close(self) -> None:
        """Put the file among the held ones."""
        if not self.closed:
            self._held[self._name] = self.getvalue()
        super().close()


def check_path(path: str | os.PathLike[str]) -> Path:
    """Return a Path; raise BadParameter if the value is not a path."""
    if not isinstance(path, str | os.PathLike):
        raise BadParameter(f"A file must be given as a text or a Path. Got {show_value(path)}.")
    return Path(path)


def find_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of an existing file, or raise BadFile with similar names."""
    found = check_path(path)
    if _get_held(found) is not None:
        return found
    refuse_loop(found)
    try:
        there, folder = found.exists(), found.is_dir()
    except (OSError, ValueError) as error:  # the name is too long, or holds a NUL
        raise BadFile(f"{show_value(str(path))}: must be a file that exists. Got: {cut(error)}.") from error
    if folder:
        raise BadFile(f"{found}: must be a file. Got a folder. Name a file inside it.")
    if not there:
        with suppress(OSError):
            hint = did_you_mean(found.name, sorted(other.name for other in found.parent.iterdir()))
            raise BadFile(f"{found}: must be a file that exists. There is no such file.{hint}")
        raise BadFile(f"{found}: must be a file that exists. There is no folder {found.parent}.")
    note_input(found)
    if any(map(os.path.lexists, list_journals(found))):
        from shoal.io.journal import warn_of_unfinished

        warn_of_unfinished(found)
    return found


def list_journals(place: str | os.PathLike[str]) -> list[Path]:
    """Return where a journal of a file would be; for a manifest, also that of its data file (:mod:`shoal.io.journal`).

    >>> [path.name for path in list_journals("safe.csv.release.json")]
    ['.safe.csv.release.json.shoal-journal', '.safe.csv.shoal-journal']
    """
    text = os.fspath(place)
    names = dict.fromkeys([text, *(text.removesuffix(ending) for ending in BESIDE)])
    return [locate_journal(name) for name in names]


def locate_journal(place: str | os.PathLike[str]) -> Path:
    """Return the path of the journal of a file.

    >>> locate_journal("safe.csv").name
    '.safe.csv.shoal-journal'
    """
    real = Path(os.path.realpath(place))
    return real.with_name(f".{real.name}.shoal-journal")


@contextmanager
def open_file(path: Path, compression: str) -> Iterator[BinaryIO]:
    """Open a file for reading decompressed bytes; raise BadFile if it is damaged or cannot be read."""
    try:
        with _open_unpacked(path, compression) as stream:
            yield stream
    except _DAMAGE as error:
        raise _explain_damage(path, compression, error) from error
    except OSError as error:
        if isinstance(error, PermissionError):
            raise BadFile(f"{path}: must be a file that you can read. Got: permission denied.") from error
        raise (
            _explain_damage(path, compression, error) if compression else _explain_unreadable(path, error)
        ) from error


def _open_unpacked(path: Path, compression: str) -> Any:
    held = _get_held(path)
    source: Any = str(path) if held is None else BytesIO(held)
    if compression == ".gz":
        return BufferedReader(UnpackedStream(gzip.open(source, "rb"), path))
    if compression == ".bz2":
        return BufferedReader(UnpackedStream(bz2.open(source, "rb"), path))
    if compression == ".zst":
        import pyarrow as pa

        return BufferedReader(UnpackedStream(pa.input_stream(source, compression="zstd"), path))
    return open_stored(path)


class UnpackedStream(RawIOBase):
    """The bytes of a compressed file; raises BadFile as soon as there are too many."""

    def __init__(self, stream: Any, path: Path):
        self.stream, self.path = stream, path
        self.packed, self.unpacked = measure_file(path), 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into the buffer and return their number."""
        size = int(self.stream.readinto(buffer))
        self.unpacked += size
        check_ratio(self.unpacked, self.packed, self.path)
        return size

    def readall(self) -> bytes:
        """Return all remaining bytes, read in large pieces."""
        pieces = []
        while piece := self.read(CHUNK):
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the stream and the compressed file."""
        self.stream.close()
        super().close()


def _explain_damage(path: Path, compression: str, error: Exception) -> BadFile:
    return BadFile(
        f"{path}: must be a complete {compression} file. Got a truncated or damaged one ({cut(error)}). "
        "Download or compress it again."
    )


def _explain_unreadable(path: Path, error: Exception) -> BadFile:
    return BadFile(f"{path}: must be a file that can be read. Got: {cut(error)}.")


def read_bytes(path: Path, compression: str) -> bytes:
    """Return all bytes of a file, decompressed."""
    with open_file(path, compression) as stream:
        data: bytes = stream.read()
    if not data:
        raise BadFile(f"{path}: must not be empty. Got an empty file.")
    return data


def read_text(path: Path, compression: str) -> str:
    """Return the text of a file, or raise BadFile with the first line that is not text."""
    return decode_text(read_bytes(path, compression), path)


def decode_text(data: bytes, path: Path) -> str:
    """Decode bytes as text, or raise BadFile with the first line that is not text."""
    check_text(data, path, 1)
    return data.decode("utf-8-sig")


def recode(data: bytes, path: Path, encoding: str) -> bytes:
    r"""Return text in another encoding as UTF-8, or raise BadFile with the first line that is not such text.

    >>> recode(b"Zo\xeb", Path("x.csv"), "cp1252").decode()
    'Zoë'
    """
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        came = f"the byte 0x{data[error.start]:02x}" if error.start < len(data) else "an incomplete character"
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        raise BadFile.at(
            Place(str(path), line), f"must be text in the encoding {encoding}. Got {came}. Name another encoding."
        ) from error
    if not data.isascii() and _read_utf8(data) not in (None, text):
        notice(f"{path}: is read as {encoding} but is valid UTF-8 too. If names look wrong, leave the encoding out.")
    return text.encode("utf-8", "surrogatepass")


def _read_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def check_encoding(encoding: str | None, who: str) -> None:
    """Raise BadParameter unless Python knows a text encoding of this name."""
    try:
        known = encoding is None or "".encode(encoding) is not None
    except (LookupError, TypeError, ValueError):
        known = False
    must(known, who, "encoding", "the name of a text encoding, such as cp1252 or utf-16", encoding)


def check_text(block: bytes, path: Path, line: int, *, options: bool = False) -> None:
    """Raise BadFile if bytes are not UTF-8 text; `line` is the number of the first line in the block.

    `options` says that an option names another encoding.
    """
    at = block.find(b"\0")
    what = "a NUL byte"
    if at == -1 and not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError as error:
            at, what = error.start, f"the byte 0x{block[error.start]:02x}"
    if at != -1:
        line += block.count(b"\n", 0, at)
        raise BadFile.at(Place(str(path), line), f"must be text in UTF-8. Got {what}.{_guess_content(block, options)}")


def _guess_content(block: bytes, options: bool) -> str:
    wide = "UTF-16: use encoding='utf-16' (--encoding utf-16)" if options else "UTF-16: save it as UTF-8"
    marks = {
        b"\x1f\x8b": "gzip: name it .gz",
        b"\x28\xb5\x2f\xfd": "zstandard: name it .zst",
        b"BZh": "bzip2: name it .bz2",
        b"PK\x03\x04": "a zip file or a spreadsheet: extract it, or name it .xlsx",
        b"PAR1": "parquet: name it .parquet or use format='parquet' (--format parquet)",
        b"\xff\xfe": wide,
        b"\xfe\xff": wide,
    }
    found = next((meant for mark, meant in marks.items() if block.startswith(mark)), None)
    if found:
        return f" It looks like {found}."
    if options:
        return (
            " If it was saved on Windows, for example by Excel, try encoding='cp1252' (--encoding cp1252), or save it "
            "as UTF-8."
        )
    return " If it is text in another encoding, save it as UTF-8."


def refuse_loop(path: Path) -> None:
    """Raise BadFile for a loop of symbolic links, or an invalid file name."""
    try:
        path.stat()
    except ValueError as error:
        raise BadFile(f"{show_value(str(path))}: must be the path of a file. Got: {cut(error)}.") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise BadFile(f"{path}: must be a file. Got a loop of symbolic links. Remove it.") from error
