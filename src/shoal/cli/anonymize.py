"""shoal anonymize: a method turns the data into a release that keeps its promise."""

from __future__ import annotations

import json
from ast import literal_eval
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from shoal.anonymizers import HOMES, method_called
from shoal.anonymizers.method import Method
from shoal.cli.levels import force, refuse_existing
from shoal.cli.options import NAMES, NUMBERS, load, reading
from shoal.cli.output import say
from shoal.data.graph import Graph
from shoal.data.publish import told
from shoal.errors import BadParameter, did_you_mean
from shoal.report.releases import release_text

ON_LINKS = ("equalize-rows", "hide-neighbors", "raise-l", "confuse")
"""Methods that need links; the others read FILE as a table."""


@click.command()
@click.argument("file")
@click.option("--method", required=True, type=click.Choice(list(HOMES)), help="What to do.")
@click.option("-k", type=NUMBERS, help="How many candidates must be left; -,1000,100 for one number per size.")
@click.option("-l", type=int, help="How many columns may be known (hide-columns).")
@click.option("--seed", type=int, help="Repeat the same random choices. A secret; left out, one is drawn.")
@click.option(
    "--set", "extra", multiple=True, metavar="NAME=VALUE", help="Any other option of the method. Repeat for more."
)
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=FILE",
    help="How values of a column generalize (semicolons, a row a value). Repeat for more.",
)
@click.option("--leave-out", type=NAMES, default=(), help="Columns that are not published, such as names.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Where the release goes.")
@click.option("--attributes-output", type=click.Path(path_type=Path), metavar="FILE", help="Where its attributes go.")
@click.option(
    "--mapping", type=click.Path(path_type=Path), metavar="FILE", help="Where the secret goes: who became whom."
)
@reading
@force
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def anonymize(
    file: str,
    method: str,
    k: Any,
    l: int | None,
    seed: int | None,
    extra: tuple[str, ...],
    hierarchies: tuple[str, ...],
    leave_out: tuple[str, ...],
    output: Path,
    attributes_output: Path | None,
    mapping: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Turn FILE into a release, verify its promise, and write it under fresh names in a shuffled order.

    Beside OUTPUT a public OUTPUT.release.json says what was done and promised. The mapping undoes the release: it is
    written only where asked, for your eyes only.

    \b
    Examples:
      shoal anonymize example:people --method microaggregate -k 3 --columns age,income -o safe.csv
      shoal anonymize people.csv --method hide-columns -k 5 -l 3 --leave-out name -o safe.csv --mapping secret.csv
      shoal anonymize people.csv --method swap-within --set classes=town --columns job -o safe.csv
      shoal anonymize example:village --method confuse -k 3 -o safe.csv --attributes-output safe-people.csv
    """
    refuse_existing([output, Path(f"{output}.release.json"), attributes_output, mapping], force)
    read = [file, given["attributes"], *(pair(text, "--hierarchy")[1] for text in hierarchies)]
    refuse_inputs([output, Path(f"{output}.release.json"), attributes_output, mapping], read)
    options = {"k": k, "l": l, "seed": seed, "columns": given["columns"]}
    options["hierarchies"] = dict(pair(text, "--hierarchy") for text in hierarchies) or None
    options |= {name: value(text) for name, text in (pair(text, "--set") for text in extra)}
    made = build(method, {name: came for name, came in options.items() if came is not None})
    data = load(file, given if method in ON_LINKS else given | {"table": True})
    release = made(without(data, leave_out))
    files = release.save(output, mapping, attributes=attributes_output, seed=seed, force=force)
    if as_json:
        written = [output, *([] if attributes_output is None else [attributes_output])]
        click.echo(json.dumps(told(release, written), indent=2, ensure_ascii=False))
        return
    say(f"{release_text(release)}\nWritten: {', '.join(files)}")


def without(data: Graph, names: tuple[str, ...]) -> Graph:
    """Return the data without some of its columns, which must be there."""
    for name in names:
        data.attributes[name]  # an unknown one says what there is
    kept = [name for name in data.attributes if name not in names]
    return data.with_attributes(data.attributes.only(kept)) if names else data


def refuse_inputs(outputs: list[Path | None], inputs: list[Any]) -> None:
    """Refuse to write over what is read, whatever --force says."""
    read = [Path(path).resolve() for path in inputs if path is not None]
    for path in outputs:
        if path is not None and path.resolve() in read:
            raise BadParameter(f"{path}: is what the release is made from, and is not overwritten. Name another file.")


def build(name: str, options: dict[str, Any]) -> Method:
    """Return the method with its options, or say which it lacks or does not have."""
    kind = method_called(name)
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            takes = ", ".join(known)
            raise BadParameter(f"{name} has no option {option!r}. It takes: {takes}.{did_you_mean(option, known)}")
    for option, f in known.items():
        if f.default is MISSING and f.default_factory is MISSING and option not in options:
            raise BadParameter(f"{name} needs {spelled(option)}. Got none.")
    return kind(**options)


def spelled(option: str) -> str:
    """Return how an option of a method is written in the shell.

    >>> spelled("k"), spelled("columns"), spelled("classes")
    ('-k', '--columns', '--set classes=...')
    """
    if option in ("k", "l"):
        return f"-{option}"
    return f"--{option}" if option in ("columns", "seed") else f"--set {option}=..."


def pair(text: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, sign, after = text.partition("=")
    if not sign or not name:
        raise BadParameter(f"'{option}' must be NAME=VALUE. Got {text!r}.")
    return name, after


def value(text: str) -> Any:
    """Read a value as Python spells it, a method with options, or else a text.

    >>> value("0.05"), value("median"), value("true")
    (0.05, 'median', True)
    >>> value("swap-within:allow_unique=true")
    SwapWithin(classes=None, columns=None, seed=None, allow_unique=True)
    """
    name, _, options = text.partition(":")
    if name in HOMES and options:
        return build(name, {option: value(part) for option, part in (pair(o, "--set") for o in options.split(","))})
    try:
        return literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError):
        return text
