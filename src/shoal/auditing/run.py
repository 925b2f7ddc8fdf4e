"""The audit: one run from the raw data to the verdict, as plain JSON data with a schema number.

It orders the others: risk before, risk after, attacks, utility, promises. Everything that a report shows is read from
the data here, and nothing in them depends on a clock.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.auditing.attempts import check_attacks, try_attacks
from shoal.auditing.case import Case, Place
from shoal.auditing.external import select_publishable as published
from shoal.auditing.panel import build_panel
from shoal.auditing.recount import add_promised_knowledge
from shoal.auditing.riskiest import Aliases, list_riskiest
from shoal.auditing.verdict import (
    CONVENTION,
    SCHEMA,
    CountedRisks,
    list_findings,
    list_repeat_commands,
    list_secrets,
    list_thresholds,
    reach_verdict,
)
from shoal.data.dataset import Dataset, check_k
from shoal.errors import BadFile, BadParameter, cut, list_names, must, public, whole
from shoal.io.atomic import write_text
from shoal.io.strict_json import read_json
from shoal.knowledge import Adversary, parse_knowledge
from shoal.show import as_html, as_picture, as_text


@public
def audit(
    original: Any,
    release: Any = None,
    *,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
    same_names: bool | None = None,
    knowledge: Sequence[Adversary | str] | None = None,
    k: int = 5,
    columns: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    attacks: str | Sequence[str] = "standard",
    threshold: float = CONVENTION,
    threshold_set_by: str | None = None,
    names: bool = False,
    external: bool = False,
    purpose: str | None = None,
    attacker_notes: Sequence[str] = (),
    files: Sequence[Place] = (None, None),
    date: str | None = None,
    seed: int = 0,
) -> Audit:
    """Look at data, and at a release of them, from every side, and return what a committee needs to decide.

    Parameters
    ----------
    original
        The data before anything was done: a graph, anything that :func:`shoal.as_graph` takes, a file, or a table.
    release
        What a method made of it; or a graph, a table or a file, with `mapping`. None: only the original is looked at.
    mapping, same_names
        Who is who in a release that is no :class:`shoal.Release`: by a mapping, or by equal names. Unless told, a graph
        is matched by name, and a file or a table never: what was saved has fresh names. Where nobody is matched, what
        needs it is left out.
    knowledge
        Kinds of knowledge; None for the standard panel.
    k
        Whoever has fewer candidates counts as at risk.
    columns, sensitive
        Columns that may be known about people, and columns that must stay secret.
    attacks
        "standard", or shell names such as "korula-lattanzi" and "knows:neighbors:2"; () for none.
    threshold, threshold_set_by
        The largest risk of one person, 1 / candidates, that passes, and who decided that.
    names
        Show who is most at risk by name. Otherwise they are called by letters.
    external
        Only what may be published, about a release.
    purpose, attacker_notes
        Why the data are released, and who might attack them, in your own words.
    files
        Where both came from, for their digests, if they were read before; then the table about the vertices of the
        release, which is otherwise read where the `.release.json` beside it names one.
    date
        What the report is dated; nothing is taken from the clock.
    seed
        What samples and attacks are drawn from. It is not a secret.

    Examples
    --------
    >>> import shoal
    >>> found = shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree", "orbit"])
    >>> [(row["knows"], row["k"], row["verdict"]) for row in found.data["before"]["panel"]]
    [('degree', 1, 'fail'), ('orbit', 1, 'fail')]
    """
    number = isinstance(threshold, int | float)
    must(
        number and 0 < threshold < 1, "audit", "threshold", "above 0 and below 1, which would pass anything", threshold
    )
    seed = whole(seed, "audit", "seed", least=0, most=None)
    check_attacks(attacks)
    if external and release is None:
        raise BadParameter(
            "audit: an external report must be about a release. Got only the original, of which nothing may be told. "
            "Name the release too, or leave 'external' out."
        )
    case = Case.of(original, release, mapping, same_names, files)
    k = check_k("audit", k, case.original)
    columns, sensitive = _check_columns(case.original, columns), _check_columns(case.original, sensitive)
    if both := [name for name in columns if name in sensitive]:
        raise BadParameter(f"audit: a column must be known or sensitive, not both. Got {list_names(both)}.")
    if external:
        case = case.view_from_outside()
        columns, sensitive = (
            tuple(n for n in names if n in case.original.attributes) for names in (columns, sensitive)
        )
    knowledge = (knowledge,) if isinstance(knowledge, str | Adversary) else knowledge
    usual = (
        None
        if knowledge
        else add_promised_knowledge(build_panel(case.original, columns, sensitive, case.released), case)
    )
    panel = [parse_knowledge(spec) for spec in knowledge or ()] if usual is None else usual
    seen = CountedRisks.of(case, panel, all_of_it=bool(knowledge))
    known = columns or ([n for n in case.original.attributes if n not in sensitive] if case.is_table else ())
    data = list_findings(case, seen, k, threshold, known, sensitive, seed)
    data |= {
        "date": date,
        "model": {"purpose": purpose, "attacker notes": list(attacker_notes)},
        "thresholds": list_thresholds(threshold, k, threshold_set_by),
        "attacks": try_attacks(case, attacks, columns, seed),
        "riskiest": [] if external else _list_people(seen, k, Aliases(names, "person")),
        "names": names,
        "secrets": list_secrets(case, names=names),
        "reproduce": list_repeat_commands(case, k, threshold, columns, sensitive, seed),
    }
    data["verdict"] = reach_verdict(data)
    return Audit(published(data, case) if external else data)


def _list_people(seen: CountedRisks, k: int, called: Aliases) -> list[dict[str, Any]]:
    """Return who is most at risk: by facts of the original, or else by what can be seen in the release itself."""
    if not seen.inside:
        return list_riskiest(seen.before, k, called)
    return (seen.attacked and list_riskiest(seen.attacked, k, called)) or list_riskiest(seen.inside, k, called)


def _check_columns(data: Dataset, columns: Sequence[str]) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in names:
        data.attributes[name]  # an unknown one says what there is
    return names


@dataclass(frozen=True, repr=False)
class Audit:
    """Everything that was found, as plain data; how it is put into words is up to the report."""

    data: dict[str, Any]
    """What JSON can hold, with a schema number."""

    def json(self) -> str:
        """Return the data as text."""
        return json.dumps(self.data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    @public
    def read(cls, path: str | Path) -> Audit:
        """Read what was saved as .json."""
        try:
            found = read_json(path)
            schema = found["schema"]
        except (KeyError, TypeError, BadFile) as error:
            raise BadFile(f"{path}: must be an audit saved as .json. Got: {cut(error)}. Save it again.") from error
        if schema != SCHEMA:
            raise BadFile(
                f"{path}: must be an audit with the schema {SCHEMA}. Got schema {schema!r}. Make it again with this "
                "version of shoal."
            )
        try:
            as_text(made := cls(found))
        except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
            came = f"Got one that cannot be read: {cut(repr(error))}"
            raise BadFile(f"{path}: must be an audit as shoal saves it. {came}. Save it again.") from error
        return made

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a page (.html) or the data (.json); an internal one can be read by its owner alone."""
        place = Path(path)
        ending = place.suffix.lower()
        if ending not in (".html", ".json"):
            raise BadParameter(f"Audit.save: 'path' must end in .html or .json. Got {place.name!r}.")
        if ending == ".html":
            as_picture(self, place, force)
        else:
            self.write(place, self.json(), force)

    def write(self, place: Path, text: str, force: bool) -> None:
        """Write text into a file, all of it or nothing; secrets are for their owner's eyes only."""
        write_text(place, text, force=force, private=self.data["form"] == "internal")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Audit) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


@public
def read_audit(path: str | Path) -> Audit:
    """Return an audit that was saved as .json."""
    return Audit.read(path)
