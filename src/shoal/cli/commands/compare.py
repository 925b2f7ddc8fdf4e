"""shoal compare: utility of a release, metric by metric, beside random edits and the empty graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import (
    WHOLE,
    as_texts,
    json_option,
    load_data,
    load_released,
    matching_options,
    reading_options,
    refuse_both,
    time_limit_option,
)
from shoal.cli.output import SectionedCommand, print_json, print_text, show_phase
from shoal.comparison.compare import ComparisonRun, match_people
from shoal.data.dataset import Dataset
from shoal.errors import BadFile, cut, whole
from shoal.io.strict_json import read_json
from shoal.report.text.comparison import describe_comparison

REDRAWN = "generalize"
"""The method whose releases have all links drawn at random."""

SCHEMA = 1


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.argument("released")
@matching_options
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Random seed of samples and baselines.")
@click.option("--repeats", type=WHOLE, default=5, show_default=True, help="Number of draws of random edits.")
@click.option("--no-baselines", is_flag=True, help="Leave out random edits and the empty graph, which is faster.")
@time_limit_option
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
    """Measure the utility of a release.

    FILE is the original, RELEASED the release. A row is printed for each metric, then its meaning.

    \b
    Columns:
      before     value in the original
      after      value in the release
      random     value in the original after as many random edits, mean of several draws
      empty      value for the vertices of the original without links
      better if  better direction of 'after': closer to before, higher or lower

    A saved release has fresh names, even if they look like those in FILE. So vertices are matched by name only with
    --same-names. Without that and without --mapping, metrics that need a match are left out.

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
    """Load the original and the release; the layout of FILE does not apply to RELEASED."""
    original = load_data(file, given)
    texts = {"texts": ()}  # applied below, to the columns that the release has
    published = load_released(released, original, about, given | texts)
    return choose_columns(original, published, given)


def choose_columns(original: Dataset, published: Dataset, given: dict[str, Any]) -> tuple[Dataset, Dataset]:
    """Return both with the columns to compare, codes as text."""
    names = given["columns"] or tuple(original.attributes)
    there = tuple(name for name in names if name in published.attributes)
    codes = tuple(name for name in given["texts"] if name in there)
    return (
        original.with_attributes(original.attributes.only(names)),
        published.with_attributes(as_texts(published.attributes.only(there), codes)),
    )


def is_redrawn(released: str) -> bool:
    """Return whether the manifest beside a release says that all links were drawn at random."""
    beside = Path(f"{released}.release.json")
    if not beside.is_file():
        return False
    try:
        return bool(read_json(beside)["method"]["name"] == REDRAWN)
    except (KeyError, TypeError) as error:
        raise BadFile(
            f"{beside}: must be a manifest that shoal wrote beside a release. Got: {cut(repr(error))}."
        ) from error
