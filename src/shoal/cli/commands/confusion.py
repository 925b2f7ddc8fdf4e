"""shoal confusion: the fewest individuals that re-identification methods cannot distinguish."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import json_option, load_data, reading_options
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_json, print_text
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, show_value
from shoal.linkage import FORMS, Linkage, UniformOver, parse_linkage
from shoal.linkage.compatibility import is_calibrated
from shoal.linkage.confusion import CONVENTIONS, DEFINITIONS, Convention, confusion, confusion_curve, n_confusion
from shoal.report.text.confusion import describe_confusion, save_curve

THRESHOLD = re.compile(r"-?(?:[0-9]{1,300}/([0-9]{1,300})|[0-9]{0,300}\.?[0-9]{1,300}(?:[eE][+-]?[0-9]{1,3})?)")
"""A fraction or a decimal number with a bounded exponent; its one group is a denominator."""

SCHEMA = 1


@click.command("confusion", cls=SectionedCommand)
@click.argument("original")
@click.argument("release")
@click.option(
    "--method",
    "methods",
    multiple=True,
    required=True,
    metavar="NAME",
    help=f"Re-identification method: {', '.join(FORMS)}. Repeatable.",
)
@click.option("--t", "threshold", metavar="T", help="Also print the confusion at this threshold, e.g. 0.33 or 1/3.")
@click.option(
    "--convention",
    type=click.Choice(CONVENTIONS),
    default="per-a",
    show_default=True,
    help="Which probabilities are compared; see docs/confusion.md.",
)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Original-to-released mapping, for uniform:KNOWLEDGE.",
)
@click.option(
    "--release-attributes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Table of vertex attributes of RELEASE; --attributes is that of ORIGINAL.",
)
@reading_options
@click.option(
    "--plot", type=TARGET, metavar="FILE", help="Output file of a chart of confusion against t: .png, .svg or .html."
)
@force_option
@json_option
def confusion_command(
    original: str,
    release: str,
    methods: tuple[str, ...],
    threshold: str | None,
    convention: Convention,
    mapping: Path | None,
    release_attributes: Path | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Measure the n-confusion of re-identification methods.

    A method r gives each individual of ORIGINAL a probability of being the record of RELEASE. conf(r, Y, A, t) is the
    smallest number of individuals with probability t or more, over all records. n-confusion holds if conf is at least
    n for some t up to 1/n. The files are tables, unless --attributes is given or a method knows links.

    \b
    Printed: the largest n, by three definitions, then the curve:
      t up to    largest threshold of the step
      confusion  conf at these thresholds

    \b
    Examples:
      shoal confusion original.csv release.csv --method distance --t 0.33
      shoal confusion original.csv release.csv --method exact --method probabilistic --columns age,sex --plot curve.svg
    """
    check_targets([plot], force)
    known = [
        add_mapping(parse_linkage(spec, None if spec.startswith("uniform") else given["columns"]), mapping)
        for spec in methods
    ]
    before = load_records(original, given, known)
    after = load_records(release, given | {"attributes": release_attributes}, known)
    t = None if threshold is None else parse_threshold(threshold)
    at = None if t is None else min(confusion(r, after, before, t, convention) for r in known)
    curve = confusion_curve(known, after, before, convention)
    found = [n_confusion(known, after, before, convention=convention, definition=way) for way in DEFINITIONS]
    calibrated = all(is_calibrated(r, after, before) for r in known)
    if plot is not None:
        save_curve(curve, plot, force)
    if as_json:
        data = {"schema": SCHEMA, "methods": list(methods), "convention": convention, "calibrated": calibrated}
        data |= {way: {"n": each.n, "t": float(each.t)} for way, each in zip(DEFINITIONS, found, strict=True)}
        data |= {"confusion_at": None if t is None else {"t": float(t), "confusion": at}}
        steps = [[float(bound), int(count)] for bound, count in zip(curve.t, curve.confusion, strict=True)]
        print_json(data | {"curve": steps})
        return
    print_text(describe_confusion(methods, after, before, found, calibrated, curve, t, at))


def add_mapping(r: Linkage, mapping: Path | None) -> Linkage:
    """Pass the mapping to a method that uses an attacker model."""
    if mapping is None:
        return r
    if not isinstance(r, UniformOver):
        raise BadParameter("'--mapping' must come with '--method uniform:KNOWLEDGE'. Other methods do not use it.")
    return UniformOver(r.adversary, mapping)


def load_records(file: str, given: dict[str, Any], methods: list[Linkage]) -> Dataset:
    """Read a file as a table, unless a method uses links."""
    links = any(isinstance(r, UniformOver) and r.adversary.reads_links for r in methods)
    return load_data(file, given if links else given | {"table": True})


def parse_threshold(text: str) -> Fraction:
    """Parse a threshold exactly: 0.33 or 1/3.

    >>> parse_threshold("0.25"), parse_threshold("1/3")
    (Fraction(1, 4), Fraction(1, 3))
    """
    found = THRESHOLD.fullmatch(text)
    if found is None or found[1] == "0" * len(found[1] or " "):
        raise BadParameter(f"'--t' must be a number such as 0.33 or 1/3. Got {show_value(text)}.")
    return Fraction(text)
