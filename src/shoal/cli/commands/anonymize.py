"""shoal anonymize: make a release with a method, and verify its guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import NAMES, json_option, load_data, reading_options, scenario_option
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_json, print_text, show_phase
from shoal.cli.part_options import METHOD_NAME, Choice, method_options, take_single_attacker
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, tame
from shoal.io.files import README
from shoal.io.strict_json import read_json
from shoal.io.targets import check_file_names
from shoal.methods.links.reduce_risk import REACHED
from shoal.methods.passing import judge_release, list_deciding
from shoal.release.manifest import make_plain
from shoal.release.release import Release
from shoal.report.text.releases import describe_release
from shoal.report.text.scenarios import FACTS, describe_judgment, describe_weaknesses
from shoal.risk.scenario import Judgment, Scenario, record_judgment


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.option("--method", type=METHOD_NAME, help="Method; `shoal methods` lists the guarantee of each.")
@click.option(
    "--protect",
    multiple=True,
    metavar="KNOWLEDGE",
    help="Instead of --method: use the cheapest method that protects against this attacker model.",
)
@method_options
@click.option("-o", "--output", required=True, type=TARGET, help="Output file of the release.")
@click.option("--attributes-output", type=TARGET, metavar="FILE", help="Output file of the vertex attributes.")
@click.option(
    "--classes-output",
    type=TARGET,
    metavar="FILE",
    help="Output file of the generalized graph: .json or .graphml (generalize only).",
)
@click.option(
    "--mapping", type=TARGET, metavar="FILE", help="Output file of the original-to-released mapping. Keep it private."
)
@scenario_option(
    "What the release is defended against: a preset or a .toml file. Without --method, a method that passes is chosen."
    "  [default: agreement]"
)
@click.option(
    "--descriptions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Descriptions of columns for OUTPUT.README.md: a csv file with the header column,description.",
)
@click.option("--leave-out", type=NAMES, default=(), help="Columns to leave out of the release, such as names.")
@force_option
@json_option
@reading_options
def anonymize(
    file: str,
    method: str | None,
    protect: tuple[str, ...],
    then: tuple[str, ...],
    together: bool | None,
    output: Path,
    attributes_output: Path | None,
    classes_output: Path | None,
    mapping: Path | None,
    scenario: Scenario | None,
    descriptions: Path | None,
    leave_out: tuple[str, ...],
    force: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Make a release, verify its guarantee and write it.

    FILE is a network or a table. The release has fresh names in a shuffled order. Beside it, the public file
    OUTPUT.release.json says what was done and guaranteed, and OUTPUT.README.md describes the files for an archive. The
    mapping undoes the release: it is written only on request. Keep it private. An option that the method does not have
    is an error, which lists the options it has. With --scenario, k is the scenario's; -k changes both, and --set k=N
    only the method's. If reduce-risk does not reach its --target, the best release found is written, and the exit code
    is 1.

    \b
    Printed, one line each:
      Guarantee      number of candidates that an attacker still finds
      NOT PROTECTED  people that the guarantee leaves out
      Verified       how the guarantee was checked
      Changed        links added and removed, in percent of the original links
      Not covered    attacker models and columns without a guarantee
      Note           what you should know before you publish
      Scenario       whether the release passes the scenario

    \b
    Examples (links):
      shoal anonymize friends.csv --method equalize-rows -k 5 --effort 60s -o safe.csv --mapping secret.csv
      shoal anonymize friends.csv --method equalize-rows -k 5 --sensitive patients.txt --fill budget -o safe.csv
      shoal anonymize friends.csv --method hide-neighbors -k 5 --add-only -o safe.csv
      shoal anonymize friends.csv --method hide-relations -k 5 -l 1 -o safe.csv
      shoal anonymize friends.csv --method match-degrees -k 5 --edits add-delete -o safe.csv
      shoal anonymize friends.csv --method generalize -k 5 -o safe.csv --classes-output classes.json
      shoal anonymize friends.csv --method raise-l -k 2 --similarity 2-path --keep vertices -o safe.csv
      shoal anonymize friends.csv --method match-degrees -k 5 --then hide-neighbors:l=1 -o safe.csv
      shoal anonymize friends.csv --method reduce-risk --knows counts:1 -k 2 --budget 5% -o safe.csv
      shoal anonymize friends.csv --protect neighbors:2 -k 5 -o safe.csv
      shoal anonymize example:karate --scenario internal -o safe.csv --mapping secret.csv

    \b
    Examples (tables):
      shoal anonymize example:people --method microaggregate -k 3 --columns age,income -o safe.csv
      shoal anonymize people.csv --method hide-columns -k 5 -l 3 --leave-out name -o safe.csv --mapping secret.csv
      shoal anonymize people.csv --method swap-within --set classes=town --columns job -o safe.csv
      shoal anonymize example:village --method confuse -k 3 -o safe.csv --attributes-output safe-people.csv
    """
    choice = Choice.of(method, take_single_attacker(protect), then, bool(together), given, scenario)
    columns = given["columns"] or ()
    if classes_output is not None and not choice.redraws:
        raise BadParameter("'--classes-output' must come with '--method generalize', which publishes classes.")
    data = [output, *(path for path in (attributes_output, classes_output) if path is not None)]
    readme = Path(f"{output}{README}")
    outputs = [*data, Path(f"{output}.release.json"), readme, mapping]
    check_targets(outputs, force, choice.files)
    check_file_names(data)
    release, why = choice.make_release(lambda table: drop_columns(read_data(file, given, table), leave_out))
    with show_phase("comparing"):
        judgments = judge_release(release, choice.scenario, columns)
        text = "\n".join([*why, describe_release(release), *describe_judged(judgments, choice.scenario)])
    with show_phase("writing"):
        how: dict[str, Any] = {"attributes": attributes_output, "classes": classes_output, "seed": choice.seed}
        how |= {"force": force, "scenario": choice.scenario, "columns": columns, "readme": readme}
        how |= {"descriptions": descriptions}
        files = release.save(output, mapping, **how)
        page = (
            read_manifest(output) | ({"why": why[0]} if why else {}) | list_private(release, judgments)
            if as_json
            else {}
        )
    if as_json:
        print_json(page)
    else:
        print_text(f"{text}\nWritten: {', '.join(map(tame, files))}")
    return 1 if release.measured.get(REACHED) is False else 0


def describe_judged(judgments: Sequence[Judgment], scenario: Scenario) -> list[str]:
    """Return the judgment of a release by the scenario, by the worse of both facts."""
    if not judgments:
        return []
    order = ("fail", "cannot tell", "pass")
    worst = min(list_deciding(judgments), key=lambda one: (order.index(one.verdict), -one.below, -one.misled))
    lost = max(one.misled for one in judgments)
    more = f" By {FACTS['original']}, {lost:,} match no released person." if lost > worst.misled else ""
    return [*describe_weaknesses(scenario), f"Scenario: {describe_judgment(worst, FACTS[worst.facts])}{more}"]


def read_manifest(output: Path) -> dict[str, Any]:
    """Return the manifest that was written beside the release."""
    found: dict[str, Any] = read_json(f"{output}.release.json")
    return found


def list_private(release: Release, judgments: Sequence[Judgment]) -> dict[str, Any]:
    """Return the facts that must stay private."""
    told = {"notes": list(release.notes), "measured": make_plain(release.measured)}
    return {"private": told | {"judgments": [record_judgment(one) for one in judgments]}}


def read_data(file: str, given: dict[str, Any], table: bool) -> Dataset:
    """Return the data in FILE, as a table where the method needs one."""
    with show_phase("reading"):
        return load_data(file, given | ({"table": True} if table else {}))


def drop_columns(data: Dataset, names: tuple[str, ...]) -> Dataset:
    """Return the data without some columns, which must exist."""
    for name in names:
        data.attributes[name]  # an unknown name raises, and lists the columns
    kept = [name for name in data.attributes if name not in names]
    return data.with_attributes(data.attributes.only(kept)) if names else data
