"""Recorded calls of the kernels: their arguments, what they wrote into them, and what they returned.

Each file holds calls of one group of kernels, made while the tests ran with an earlier implementation. A file is
compressed by lzma: a line of JSON that describes every call, then the bytes of all arrays, one after the other.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "kernels" / "recorded"


@dataclass(frozen=True)
class Call:
    """One call of a kernel."""

    kernel: str
    arguments: tuple[Any, ...]
    written: tuple[Any, ...]
    """The arguments after the call."""
    result: Any


class Blob:
    """Arrays as bytes, written or read one after the other."""

    def __init__(self, data: bytes = b"") -> None:
        self.parts: list[bytes] = []
        self.data, self.at = data, 0

    def describe(self, value: Any) -> Any:
        """Return what JSON can hold of a value; the bytes of an array go into the blob."""
        if isinstance(value, np.ndarray):
            self.parts.append(np.ascontiguousarray(value).tobytes())
            return {"array": [str(value.dtype), list(value.shape)]}
        if isinstance(value, tuple):
            return {"tuple": [self.describe(part) for part in value]}
        if isinstance(value, np.generic):
            return {"scalar": [str(value.dtype), value.item()]}
        return value

    def restore(self, told: Any) -> Any:
        """Return a value from its description."""
        if not isinstance(told, dict):
            return told
        if "tuple" in told:
            return tuple(self.restore(part) for part in told["tuple"])
        if "scalar" in told:
            return np.dtype(told["scalar"][0]).type(told["scalar"][1])
        kind, shape = np.dtype(told["array"][0]), told["array"][1]
        count = int(np.prod(shape, dtype=np.int64))
        found = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at).reshape(shape).copy()
        self.at += found.nbytes
        return found


def write_calls(path: Path, calls: list[Call]) -> None:
    """Write calls into a file."""
    blob = Blob()
    told = [[c.kernel, blob.describe(c.arguments), blob.describe(c.written), blob.describe(c.result)] for c in calls]
    path.write_bytes(lzma.compress(json.dumps(told).encode() + b"\n" + b"".join(blob.parts), preset=9))


def read_calls(path: Path) -> Iterator[Call]:
    """Yield the calls of a file."""
    head, _, data = lzma.decompress(path.read_bytes()).partition(b"\n")
    blob = Blob(data)
    for kernel, arguments, written, result in json.loads(head):
        yield Call(kernel, blob.restore(arguments), blob.restore(written), blob.restore(result))


def list_files() -> list[Path]:
    """Return the files with recorded calls."""
    return sorted(FOLDER.glob("*.xz"))
