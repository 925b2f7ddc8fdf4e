"""What a page may do: show the style and run the script that came with it, by their digests, and nothing else."""

from __future__ import annotations

import base64
import hashlib


def allow_only(style: str, script: str | None = None, images: str = "") -> str:
    """Return the content security policy of a page with one style sheet and perhaps one script.

    >>> allow_only("")
    "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; base-uri 'none'; form-action
    'none'"
    """
    parts = ["default-src 'none'"]
    parts += [] if script is None else [f"script-src {digest(script)}"]
    parts += [f"style-src {digest(style)}", *([f"img-src {images}"] if images else [])]
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def digest(text: str) -> str:
    """Return what a policy calls an inline text by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
