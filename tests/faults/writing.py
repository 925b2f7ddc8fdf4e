"""Every command that writes files: cheap arguments, what it writes, and which files name people."""

from typing import NamedTuple

from shoal.cli.app import COMMANDS, load_command
from shoal.cli.output import Target

MAPPING = "secret.csv"


class Writing(NamedTuple):
    """A command line, run in an empty folder beside the folder `in` of its inputs."""

    title: str
    words: str
    outputs: tuple
    """The files that it writes, in the order in which it names them."""
    private: tuple = ()
    """Those that only their owner may read."""
    keeps: tuple = ()
    """Folders of work that is kept for the next run."""

    @property
    def arguments(self):
        return self.words.split()

    @property
    def command(self):
        return self.arguments[0]


def released(name, *others):
    return name, *others, f"{name}.release.json", f"{name}.README.md", MAPPING


PEOPLE = "--attributes ../in/people.csv"
ENGINE = "../in/friends.parquet --undirected --attributes ../in/people.parquet --memory 200MB --temp ../temp"
SAVED = f"--attributes-output people.parquet --mapping {MAPPING}"
WRITING = (
    Writing(
        "anonymize links",
        f"anonymize ../in/friends.csv {PEOPLE} --method equalize-rows -k 3 --effort 5 -o safe.csv "
        f"--attributes-output people.csv --mapping {MAPPING}",
        released("safe.csv", "people.csv"),
        (MAPPING,),
    ),
    Writing(
        "anonymize classes",
        "anonymize ../in/friends.csv --method generalize -k 3 --effort 5 -o safe.graphml.gz "
        f"--classes-output classes.json --mapping {MAPPING}",
        released("safe.graphml.gz", "classes.json"),
        (MAPPING,),
    ),
    Writing(
        "anonymize table",
        "anonymize ../in/people.csv --key name --columns age,town --method microaggregate -k 3 -o safe.parquet "
        f"--mapping {MAPPING}",
        released("safe.parquet"),
        (MAPPING,),
    ),
    Writing(
        "suppress",
        f"suppress {ENGINE} --engine duckdb --knows degree -k 2 -o safe.parquet {SAVED}",
        released("safe.parquet", "people.parquet"),
        (MAPPING,),
    ),
    Writing(
        "thin",
        f"thin {ENGINE} --engine duckdb --sample 60% -o safe.parquet {SAVED}",
        released("safe.parquet", "people.parquet"),
        (MAPPING,),
    ),
    Writing("risk", "risk ../in/friends.csv --knows degree --csv rows.csv", ("rows.csv",), ("rows.csv",)),
    Writing(
        "risk in an engine",
        f"risk {ENGINE} --engine duckdb --knows degree --out rows.parquet",
        ("rows.parquet",),
        ("rows.parquet",),
    ),
    Writing(
        "levels",
        "levels ../in/friends.csv -k 2 --csv rows.csv --plot curve.html",
        ("rows.csv", "curve.html"),
        ("rows.csv",),
    ),
    Writing(
        "minimal-uniques", "minimal-uniques ../in/people.csv --key name --csv rows.csv", ("rows.csv",), ("rows.csv",)
    ),
    Writing(
        "confusion",
        "confusion ../in/people.csv ../in/ages.csv --columns age --method exact --plot curve.svg",
        ("curve.svg",),
    ),
    Writing(
        "classes", "classes ../in/friends.csv -o classes.json --plot classes.html", ("classes.json", "classes.html")
    ),
    Writing(
        "sample",
        "sample ../in/classes.json -o draw.csv --samples 3",
        ("draw-01.csv", "draw-02.csv", "draw-03.csv"),
    ),
    Writing("certify", "certify ../in/friends.csv -k 2 -o proofs.json", ("proofs.json",), ("proofs.json",)),
    Writing(
        "frontier",
        "frontier ../in/friends.csv -k 2 --knows degree --methods match-degrees,perturb --jobs 1 -o points.json",
        ("points.json",),
        ("points.json",),
        ("points.json.points",),
    ),
    Writing(
        "tradeoff",
        "tradeoff ../in/friends.csv --knows degree --budget 10% --draws 1 --effort 5 -o curve.csv",
        ("curve.csv",),
        ("curve.csv",),
    ),
    Writing(
        "audit",
        "audit ../in/friends.csv ../in/safe.csv --mapping ../in/secret.csv --knows degree --scenario internal "
        "--no-attacks -o report.html",
        ("report.html",),
        ("report.html",),
    ),
    Writing(
        "audit external",
        "audit ../in/friends.csv ../in/safe.csv --mapping ../in/secret.csv --knows degree --scenario internal "
        "--no-attacks --external -o report.json",
        ("report.json",),
    ),
)
WITHOUT_TARGETS = {"recover", "serve"}
"""Commands that write or remove files although no option names one; each has a part of its own."""


def list_targets():
    """Return every option of every command that names an output file, as (command, spelling)."""
    return {
        (name, option.opts[0])
        for name in COMMANDS
        for option in load_command(name).params
        if isinstance(option.type, Target)
    }


def list_covered(writing=WRITING):
    """Return those of them that these command lines use."""
    return list_targets() & {(one.command, word) for one in writing for word in one.arguments}
