"""shoal certify and shoal verify: write levels with certificates, and check them without a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shoal.cli.commands.levels import known
from shoal.cli.options import WHOLE, find_vertex, load_data, reading_options
from shoal.cli.output import TARGET, check_targets, force_option, print_text
from shoal.errors import BadFile, tame
from shoal.io.atomic import write_text
from shoal.io.strict_json import find_misfit, is_a, is_list_of, is_one_of, read_json
from shoal.progress import track
from shoal.risk.check_certificate import check_certificate
from shoal.risk.levels import levels
from shoal.wording import format_count

SCHEMA = 1


@click.command()
@click.argument("file")
@click.option("-k", required=True, type=WHOLE, help="How many candidates must be left.")
@click.option("-o", "--output", required=True, type=TARGET, help="Where the certificates go.")
@known
@click.option(
    "--vertex", "names", multiple=True, metavar="NAME", help="Only this vertex. Repeat for more; default: all."
)
@reading_options
@force_option
def certify(file: str, k: int, output: Path, knows: Any, names: tuple[str, ...], force: bool, **given: Any) -> None:
    """Write, for every vertex of FILE, a proof of its level that can be checked without searching.

    The file holds the names of vertices and of their neighbors: keep it as secret as FILE.

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
    print_text(
        f"{format_count(len(made), 'certificate')} in {tame(output)}; {resting:,} of them partly rest on an "
        "exhaustive search."
    )


@click.command()
@click.argument("file")
@click.argument("certificates", type=click.Path(path_type=Path))
@reading_options
def verify(file: str, certificates: Path, **given: Any) -> int:
    """Check the CERTIFICATES of the vertices of FILE by counting. Exits with 0 if all hold, 1 if one does not, else 2.

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
            outcome = "does not hold" if checked.holds is False else "cannot tell"
            print_text(tame(f"{proof.get('vertex')}: {outcome}. {checked.reason}"))
    covered = len({repr(proof.get("vertex")) for proof in proofs})
    checks = f"{outcomes[True]:,} confirmed, {outcomes[False]:,} refuted, {outcomes[None]:,} could not be checked"
    print_text(f"{checks}; they cover {covered:,} of {format_count(graph.n, 'vertex', 'vertices')}.")
    return 1 if outcomes[False] else 2 if outcomes[None] or not proofs else 0


def read_certificates(path: Path) -> list[dict[str, Any]]:
    """Read what `shoal certify` wrote."""
    data = read_json(path)
    misfit = find_misfit(data, {"schema": is_one_of(SCHEMA), "certificates": is_list_of(is_a(dict))}, "it")
    if misfit is not None:
        raise BadFile(f"{path}: must be a file written by 'shoal certify'. Got another: {misfit}.")
    return list(data["certificates"])
