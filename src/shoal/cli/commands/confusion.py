"""shoal confusion: the smallest number of individuals that re-identification methods cannot tell apart."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.risk import SCHEMA
from shoal.cli.options import json_option, load_data, reading_options
from shoal.cli.output import TARGET, check_targets, force_option, print_json, print_text
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, show_value
from shoal.linkage import FORMS, Linkage, UniformOver, parse_linkage
from shoal.linkage.compatibility import is_calibrated
from shoal.linkage.confusion import CONVENTIONS, DEFINITIONS, Convention, confusion, confusion_curve, n_confusion
from shoal.report.text.confusion import describe_confusion, save_curve

THRESHOLD = re.compile(r"-?(?:[0-9]{1,300}/([0-9]{1,300})|[0-9]{0,300}\.?[0-9]{1,300}(?:[eE][+-]?[0-9]{1,3})?)")
"""A fraction or a decimal number, with an exponent that can be written out; its one group is a denominator."""


@click.command("confusion")
@click.argument("original")
@click.argument("release")
@click.option("--method", "methods", multiple=True, required=True, metavar="NAME", help=f"{', '.join(FORMS)}.")
@click.option("--t", "threshold", metavar="T", help="The threshold, e.g. 0.33 or 1/3: the confusion there.")
@click.option("--convention", type=click.Choice(CONVENTIONS), default="per-a", show_default=True, help="See the docs.")
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="csv 'original,published', for uniform:KNOWLEDGE.",
)
@click.option(
    "--release-attributes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Table about the vertices of RELEASE, where --attributes is that of ORIGINAL.",
)
@reading_options
@click.option("--plot", type=TARGET, metavar="FILE", help="Draw confusion over T.")
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
    """Count how many individuals of ORIGINAL a record of RELEASE could be, by re-identification methods, at worst.

    conf(r, Y, A, t) is the smallest number of individuals to whom r gives a probability of t or more, over all records;
    n-confusion holds if some t up to 1/n shows n. The files are tables, unless --attributes is given or links are
    known.

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
    """Give the mapping to a method that asks an adversary."""
    if mapping is None:
        return r
    if not isinstance(r, UniformOver):
        raise BadParameter("'--mapping' must come with '--method uniform:KNOWLEDGE'. Other methods do not need it.")
    return UniformOver(r.adversary, mapping)


def load_records(file: str, given: dict[str, Any], methods: list[Linkage]) -> Dataset:
    """Read a file as a table, unless a method knows links."""
    links = any(isinstance(r, UniformOver) and r.adversary.reads_links for r in methods)
    return load_data(file, given if links else given | {"table": True})


def parse_threshold(text: str) -> Fraction:
    """Read a threshold exactly: 0.33 or 1/3.

    >>> parse_threshold("0.25"), parse_threshold("1/3")
    (Fraction(1, 4), Fraction(1, 3))
    """
    found = THRESHOLD.fullmatch(text)
    if found is None or found[1] == "0" * len(found[1] or " "):
        raise BadParameter(f"'--t' must be a number such as 0.33 or 1/3. Got {show_value(text)}.")
    return Fraction(text)
