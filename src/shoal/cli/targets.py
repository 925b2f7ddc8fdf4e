"""Where a command may write: checked before the work begins, and never over anything that is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from shoal.data.files import check_free, identity_of
from shoal.errors import BadParameter


class Target(click.Path):
    """The place of a file that a command writes; every other path is one that it reads."""


TARGET = Target(path_type=Path)
force = click.option("--force", is_flag=True, help="Overwrite existing files.")


def check_targets(targets: Iterable[Path | None], force: bool, inputs: Iterable[Any] = ()) -> None:
    """Refuse before the work begins what would be refused after it.

    A target must be a new file, or one that `--force` replaces; two targets must be two files; and none may be a file
    that the command reads, whatever it is called there. What the command reads is every other option that names a
    file, and `inputs`.
    """
    named = [target for target in targets if target is not None]
    read = {identity: name for name in (*_paths_read(), *inputs) if (identity := identity_of(name)) is not None}
    seen: set[str] = set()
    for target in named:
        identity = identity_of(target)
        if identity is not None and identity in read:
            raise BadParameter(f"{target}: is read here ({read[identity]}), and is not overwritten. Name another file.")
        check_free(target, force)
        if (real := os.path.realpath(target)) in seen:
            raise BadParameter(f"{target}: each file must have a name of its own. Got this one twice.")
        seen.add(real)


def _paths_read() -> Iterator[str]:
    """Yield every text and path that the running command was given, other than its targets."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, str | Path) and not isinstance(parameter.type, Target):
                yield os.fspath(one)
