"""shoal certify and shoal verify: write certificates of levels, and verify them without a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.levels import known
from shoal.cli.options import WHOLE, find_vertex, load_data, reading_options
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_text
from shoal.errors import BadFile, format_count, tame
from shoal.io.atomic import write_text
from shoal.io.strict_json import find_misfit, is_a, is_list_of, is_one_of, read_json
from shoal.progress import track
from shoal.risk.check_certificate import check_certificate
from shoal.risk.levels import levels

SCHEMA = 1


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.option("-k", required=True, type=WHOLE, help="Number of candidates that must be left.")
@click.option("-o", "--output", required=True, type=TARGET, help="Output file of the certificates (.json).")
@known
@click.option(
    "--vertex",
    "names",
    multiple=True,
    metavar="NAME",
    help="Certify only this vertex. Repeatable.  [default: all vertices]",
)
@reading_options
@force_option
def certify(file: str, k: int, output: Path, knows: Any, names: tuple[str, ...], force: bool, **given: Any) -> None:
    """Write certificates of levels, to be verified later.

    A certificate proves the level l of a vertex of FILE (see: shoal levels). `shoal verify` checks it by counting,
    without a search. OUTPUT contains the names of vertices and of their neighbors: keep it as private as FILE.

    Printed: the number of certificates, and how many of them rest partly on an exhaustive search.

    \b
    Example:
      shoal certify example:florentine -k 2 -o cert.json
    """
    check_targets([output], force)
    found = levels(load_data(file, given), knows, k=k)
    chosen = [find_vertex(found.graph, name) for name in names] or list(found.graph.names)
    made = []
    for done, name in enumerate(chosen):
        track("proving", done, len(chosen))
        made.append(found.certificate(name))
    text = json.dumps({"schema": SCHEMA, "certificates": made}, ensure_ascii=False, indent=1)
    write_text(output, text, force=force, private=True)
    resting = sum(proof.get("none_smaller", {}).get("by") == "search" for proof in made)
    rests = f"{resting:,} of them {'rests' if resting == 1 else 'rest'} partly on an exhaustive search"
    print_text(f"{format_count(len(made), 'certificate')}; {rests}.\nWritten: {tame(output)}")


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.argument("certificates", type=click.Path(path_type=Path))
@reading_options
def verify(file: str, certificates: Path, **given: Any) -> int:
    """Verify certificates by counting, without a search.

    CERTIFICATES is a file that `shoal certify` wrote about FILE. Exit code: 0 if all hold, 1 if one does not hold,
    2 if one cannot be checked.

    Printed: a line for each certificate that does not hold or cannot be checked, then the counts: confirmed, refuted,
    not checked, and the number of vertices with a certificate.

    \b
    Example:
      shoal verify friends.csv cert.json
    """
    graph, proofs = load_data(file, given), read_certificates(certificates)
    outcomes: dict[bool | None, int] = {True: 0, False: 0, None: 0}
    for done, proof in enumerate(proofs):
        track("verifying", done, len(proofs))
        checked = check_certificate(graph, proof)
        outcomes[checked.holds] += 1
        if checked.holds is not True:
            outcome = "FAIL" if checked.holds is False else "CANNOT TELL"
            print_text(tame(f"{outcome}. {proof.get('vertex')}: {checked.reason}"))
    covered = len({repr(proof.get("vertex")) for proof in proofs})
    verdict = "FAIL" if outcomes[False] else "CANNOT TELL" if outcomes[None] or not proofs else "PASS"
    checks = f"{outcomes[True]:,} confirmed, {outcomes[False]:,} refuted, {outcomes[None]:,} not checked"
    print_text(f"{verdict}. {checks}. They cover {covered:,} of {format_count(graph.n, 'vertex', 'vertices')}.")
    return 1 if outcomes[False] else 2 if outcomes[None] or not proofs else 0


def read_certificates(path: Path) -> list[dict[str, Any]]:
    """Read a file written by `shoal certify`."""
    data = read_json(path)
    misfit = find_misfit(data, {"schema": is_one_of(SCHEMA), "certificates": is_list_of(is_a(dict))}, "it")
    if misfit is not None:
        raise BadFile(f"{path}: must be a file written by 'shoal certify'. Got another: {misfit}.")
    return list(data["certificates"])
