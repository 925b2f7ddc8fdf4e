"""Compiled loops of the local engine: flat arrays in, flat arrays out, no Python objects, no global interpreter lock.

Every hash in here only proposes that two things are equal; a second loop, or a canonical form, decides.

numba keeps compiled loops on disk and looks only at the file of the outermost one: a change in a loop that it calls
from another file would go unnoticed, and old code would count. So all are dropped as soon as one file differs.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent


def drop_stale(folder: Path = HERE) -> bool:
    """Delete what was compiled from other sources than those in `folder`; tell whether that was so."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()
    stamp = folder / "__pycache__" / "sources.sha256"
    with suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest:
            return False
        for compiled in [*stamp.parent.glob("*.nbi"), *stamp.parent.glob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest)
    return True


drop_stale()
