"""What is wrong in the folders of a run after it ended, whatever ended it."""

import bz2
import gzip
import os
import stat
from contextlib import suppress

OWNER = 0o077
"""The bits of a mode that let others in."""


def look(folder):
    """Return the content of every file in a folder, by its name; None for what is no file."""
    return {one.name: one.read_bytes() if one.is_file() else None for one in folder.iterdir()}


def judge_outputs(found, new, old):
    """Yield what is wrong with outputs: each must be new or old, and all of them must be of the same run.

    `found`, `new` and `old` are contents by name. An output that is not in `old` was not there before.
    """
    states = {}
    for name, content in new.items():
        there = found.get(name)
        states[name] = "new" if there == content else "old" if there == old.get(name) else "partial"
        if states[name] == "partial":
            yield f"{name} is neither new nor old"
    if len(set(states.values())) > 1:
        yield f"mixed: {', '.join(f'{name} {state}' for name, state in states.items())}"


def judge_leftovers(found, new, old, keeps=()):
    """Yield what a run left beside its outputs."""
    for name in sorted(set(found) - set(new) - set(old) - set(keeps)):
        yield f"{name} is left"


def judge_modes(folder, private):
    """Yield the private files that others may open, as they stand under their final names."""
    for name in private:
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE((folder / name).stat().st_mode)
            if mode & OWNER:
                yield f"{name} has mode {mode:o}"


def find_exposed(folder, secrets):
    """Yield the files below a folder that other users can open and that hold one of the texts.

    A folder that others cannot enter protects what is in it. Compressed files are read unpacked.
    """
    for entry in _list_entries(folder):
        with suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode):
                if about.st_mode & 0o011:
                    yield from find_exposed(entry.path, secrets)
            elif stat.S_ISREG(about.st_mode) and about.st_mode & OWNER:
                texts = unpack(entry.path)
                if any(secret in text for secret in secrets for text in texts):
                    yield f"{entry.name} has mode {stat.S_IMODE(about.st_mode):o} and names people"


def judge_temporary(folder, secrets):
    """Yield files in temporary folders that are not of mode 600 and hold one of the texts, or folders not of 700.

    Every hidden folder is taken for a temporary one, with all that is in it.
    """
    for entry in _list_entries(folder):
        with suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            mode = stat.S_IMODE(about.st_mode)
            if stat.S_ISDIR(about.st_mode) and entry.name.startswith("."):
                if mode != 0o700:
                    yield f"{entry.name} has mode {mode:o}"
                yield from _judge_inside(entry.path, secrets)
            elif entry.name.startswith(".") and mode & OWNER:
                yield f"{entry.name} has mode {mode:o}"


def _judge_inside(folder, secrets):
    for entry in _list_entries(folder):
        with suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode):
                yield from _judge_inside(entry.path, secrets)
            elif about.st_mode & OWNER and any(secret in text for secret in secrets for text in unpack(entry.path)):
                mode = stat.S_IMODE(about.st_mode)
                yield f"{os.path.basename(folder)}/{entry.name} has mode {mode:o} and names people"


def _list_entries(folder):
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def unpack(path):
    """Return the bytes of a file, and also its unpacked bytes if it is compressed or Parquet."""
    with open(path, "rb") as stream:
        data = stream.read()
    found = [data]
    with suppress(OSError, EOFError, ValueError):
        if data[:2] == b"\x1f\x8b":
            found.append(gzip.decompress(data))
        elif data[:3] == b"BZh":
            found.append(bz2.decompress(data))
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            found.append(_unpack_zstd(data))
        elif data[:4] == b"PAR1" and data[-4:] == b"PAR1":
            found.append(_list_cells(data))
    return found


def _unpack_zstd(data):
    import pyarrow as pa

    return pa.input_stream(pa.BufferReader(data), compression="zstd").read()


def _list_cells(data):
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    columns = file.read().to_pydict()
    return repr((columns, file.metadata.metadata)).encode()


def judge_words(ended, *, signalled=False):
    """Yield what is wrong with what a run said and how it ended."""
    if "Traceback" in ended.said or "internal error" in ended.said:
        yield f"defect: {ended.said.strip()[-400:]!r}"
    if ended.code == -99:
        yield "it did not end"
    if ended.survivors:
        yield f"{ended.survivors} processes went on"
    if ended.code in (70, 99) or (ended.code < 0 and not signalled):
        yield f"it ended with {ended.code}: {ended.said.strip()[-200:]!r}"
