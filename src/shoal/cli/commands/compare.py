"""shoal compare: utility of a release, metric by metric, beside random edits and the empty graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.risk import SCHEMA
from shoal.cli.options import (
    WHOLE,
    as_texts,
    json_option,
    load_data,
    load_released,
    matching_options,
    reading_options,
    refuse_both,
)
from shoal.cli.output import print_json, print_text, show_phase
from shoal.comparison.compare import ComparisonRun, match_people
from shoal.data.dataset import Dataset
from shoal.errors import BadFile, cut, whole
from shoal.io.strict_json import read_json
from shoal.report.text.comparison import describe_comparison

REDRAWN = "generalize"
"""The method whose files hold a graph of which all links were drawn anew."""


@click.command()
@click.argument("file")
@click.argument("released")
@matching_options
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="What samples and baselines are drawn from.")
@click.option("--repeats", type=WHOLE, default=5, show_default=True, help="How many times random edits are drawn.")
@click.option("--no-baselines", is_flag=True, help="Leave random edits and the empty graph out: it is quicker.")
@reading_options
@json_option
def compare(
    file: str,
    released: str,
    mapping: Path | None,
    same_names: bool,
    released_attributes: Path | None,
    seed: int,
    repeats: int,
    no_baselines: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare RELEASED with FILE, its original: what is left of the data.

    \b
    before   the original
    after    the release
    random   the original after as many random edits, the mean of several draws
    empty    the original's vertices without links
    good is  the direction: as before, high or low

    A release that was saved has fresh names, even if they look like those of FILE. So nobody is matched by name unless
    --same-names says so; with neither that nor --mapping, only what needs no match is shown.

    \b
    Example:
      shoal compare friends.csv safe.csv --mapping secret.csv
    """
    refuse_both(mapping, same_names, released)
    repeats, seed = (
        whole(repeats, "shoal compare", "repeats", 1),
        whole(seed, "shoal compare", "seed", least=0, most=None),
    )
    with show_phase("reading"):
        original, published = load_both(file, released, released_attributes, given)
    pair = match_people(original, published, mapping, same_names, "shoal compare")
    found = ComparisonRun(pair, [published], is_redrawn(released), 0 if no_baselines else repeats, seed).run()
    if as_json:
        print_json({"schema": SCHEMA, **found.data()}, allow_nan=False)
        return
    print_text(f"Before: {original!r}\nAfter: {published!r}\n\n{describe_comparison(found)}")


def load_both(file: str, released: str, about: Path | None, given: dict[str, Any]) -> tuple[Dataset, Dataset]:
    """Load the original and what was released; how FILE is laid out says nothing about RELEASED."""
    original = load_data(file, given)
    texts = {"texts": ()}  # those of the original that are there too
    published = load_released(released, original, about, given | texts)
    return choose_columns(original, published, given)


def choose_columns(original: Dataset, published: Dataset, given: dict[str, Any]) -> tuple[Dataset, Dataset]:
    """Return both with the columns that are to be compared, codes as texts."""
    names = given["columns"] or tuple(original.attributes)
    there = tuple(name for name in names if name in published.attributes)
    codes = tuple(name for name in given["texts"] if name in there)
    return (
        original.with_attributes(original.attributes.only(names)),
        published.with_attributes(as_texts(published.attributes.only(there), codes)),
    )


def is_redrawn(released: str) -> bool:
    """Tell whether the file beside a release says that all its links were drawn anew."""
    beside = Path(f"{released}.release.json")
    if not beside.is_file():
        return False
    try:
        return bool(read_json(beside)["method"]["name"] == REDRAWN)
    except (KeyError, TypeError) as error:
        raise BadFile(f"{beside}: must be what shoal wrote beside a release. Got: {cut(repr(error))}.") from error
