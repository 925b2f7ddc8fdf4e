"""Scenarios: what a release is defended against, and the judgment of counted risks by it.

A scenario declares kinds of knowledge, a number k of candidates, and the share of people that may stay below k. It is
declared once, and every command and report judges by it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Bools
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import ALL
from shoal.errors import BadFile, BadParameter, cut, did_you_mean, find_by_name, must, public, whole
from shoal.io.files import find_file, open_text
from shoal.knowledge import Adversary, Columns, parse_knowledge
from shoal.knowledge.base import explain_finer
from shoal.knowledge.view import list_changed_columns
from shoal.parts import split_words
from shoal.risk.assess import Risk, assess
from shoal.shares import describe_share, parse_share, spell_share
from shoal.show import as_html, as_text

Decision = Literal["pass", "fail", "cannot tell"]
QUASI = "quasi-identifiers"
"""Stands in a spec for the columns that are named as quasi-identifiers when the scenario is used."""
USUAL = ("degree", "neighbors:1", QUASI, f"degree+{QUASI}")
DEFAULT = "agreement"
LONGEST, DOTS = 1_000_000, 100
"""The most characters of a file with a scenario, and the most dots in one of its lines."""
"""The scenario that is used when none is named."""
INHERITED = ("k", "allow", "decided_by", "publish_decider", "publish_sentences")
"""Keys of a file that are taken from the base where the file does not state them."""


@dataclass(frozen=True)
class Scenario:
    """What a release is defended against.

    Parameters
    ----------
    name
        What the scenario is called. It may be published.
    knows
        The kinds of knowledge, as specs. The word ``quasi-identifiers`` stands for the columns that are named when the
        scenario is used; a kind with it is left out where none are named.
    k
        A person with 1 to k-1 candidates is below k.
    allow
        The largest share of released people that may be below k under at least one kind of knowledge: a fraction from 0
        to below 1, or a text such as "2%".
    base
        The preset that this scenario is compared with; None for no comparison.
    decided_by
        Who decided this. It is shown in internal reports only, unless `publish_decider`.
    sentences
        Why each kind is assumed, in your words; one per kind, or none.
    publish_decider, publish_sentences
        Whether `decided_by` and `sentences` may stand in published files.

    Examples
    --------
    >>> Scenario.preset("agreement").k, Scenario.preset("agreement").allow
    (5, Fraction(1, 50))
    >>> Scenario("one friend", ["neighbors:1"], k=3, allow="5%").list_weaknesses()[0]
    'k is 3; agreement has 5'
    """

    name: str
    knows: tuple[str, ...]
    k: int
    allow: Fraction = Fraction(0)
    base: str | None = DEFAULT
    decided_by: str | None = None
    sentences: tuple[str, ...] = ()
    publish_decider: bool = False
    publish_sentences: bool = False

    def __init__(
        self,
        name: str,
        knows: Sequence[str | Adversary],
        k: int,
        allow: Fraction | float | str = 0,
        base: str | None = DEFAULT,
        decided_by: str | None = None,
        sentences: Sequence[str] = (),
        publish_decider: bool = False,
        publish_sentences: bool = False,
    ) -> None:
        must(str(name).strip(), "Scenario", "name", "a text that is not empty", name)
        kinds = (knows,) if isinstance(knows, str | Adversary) else tuple(knows)
        must(kinds, "Scenario", "knows", "at least one kind of knowledge", knows)
        specs = tuple(dict.fromkeys(_check_spec(kind) for kind in kinds))
        told = tuple(sentences)
        must(not told or len(told) == len(specs), "Scenario", "sentences", "one per kind of knowledge, or none", told)
        if base is not None:
            find_by_name("scenario", base, PRESETS)
        k, share = whole(k, "Scenario", "k", least=1), parse_share(allow, "Scenario", "allow")
        last = (decided_by, told, bool(publish_decider), bool(publish_sentences))
        for field, value in zip(fields(self), (str(name), specs, k, share, base, *last), strict=True):
            object.__setattr__(self, field.name, value)
        same = name not in PRESETS or (self.knows, k, share) == _get_rule(PRESETS[name])
        must(same, "Scenario", "name", "another name than that of a preset, which means other numbers", name)

    @classmethod
    def preset(cls, name: str) -> Scenario:
        """Return a scenario that comes with shoal: public, agreement or internal."""
        return find_by_name("scenario", name, PRESETS)

    @classmethod
    @public
    def read(cls, path: str | Path) -> Scenario:
        """Read a scenario from a TOML file. Unknown keys are refused."""
        place = find_file(path)
        found = _read_toml(place)
        try:
            return _build_scenario(found, place.stem)
        except BadParameter as error:
            raise BadFile(f"{path}: {error}") from error

    def with_k(self, k: int) -> Scenario:
        """Return the scenario with another k; its name says so."""
        if k == self.k:
            return self
        base = self.name if self.name in PRESETS else self.base
        return replace(self, name=f"{self.name} with k = {k}", k=k, base=base)

    def with_kinds(self, kinds: Sequence[Adversary]) -> Scenario:
        """Return the scenario with other kinds of knowledge; its name says so."""
        specs = tuple(kind.spec for kind in kinds)
        if specs == self.knows:
            return self
        base = self.name if self.name in PRESETS else self.base
        return replace(self, name=f"{self.name} with other knowledge", knows=specs, base=base, sentences=())

    def choose_kinds(
        self, data: Dataset, columns: Sequence[str] = (), sensitive: Collection[str] = ()
    ) -> dict[str, Adversary]:
        """Return the kinds of knowledge for this data, by their spec in the scenario; raise where there is none.

        `columns` are the quasi-identifiers. A table without named ones has all columns that are not sensitive.
        """
        named = columns or ([] if data.has_links else [name for name in data.attributes if name not in sensitive])
        found = self.list_kinds(data, named)
        if not found:
            what = "network" if data.has_links else "table"
            raise BadParameter(
                f"The scenario {self.name!r} has no kind of knowledge for this {what}. Name quasi-identifiers "
                "(--columns), or another scenario."
            )
        return found

    def list_kinds(self, data: Dataset, columns: Sequence[str]) -> dict[str, Adversary]:
        """Return the kinds of knowledge for this data, by their spec in the scenario.

        Quasi-identifiers that the data lacks are dropped; in a table, so are kinds of knowledge about links.
        """
        known = [name for name in columns if name in data.attributes]
        found: dict[str, Adversary] = {}
        for spec, kind in self.resolve_kinds(known).items():
            fits = (data.has_links or not kind.reads_links) and _has_columns(kind, data)
            if fits and kind not in found.values():
                found[spec] = kind
        return found

    def resolve_kinds(self, columns: Sequence[str]) -> dict[str, Adversary]:
        """Return the kinds of knowledge with these quasi-identifiers, by their spec, whatever the data has.

        Without quasi-identifiers, the kinds that need some are left out.
        """
        found = {spec: _resolve_spec(spec, columns) for spec in self.knows}
        return {spec: kind for spec, kind in found.items() if kind is not None}

    def list_weaknesses(self) -> tuple[str, ...]:
        """Return in what this scenario is weaker than its base: a lower k, a larger share, or knowledge left out."""
        if self.base is None:
            return ()
        base = PRESETS[self.base]
        own = [_resolve_spec(spec, [QUASI]) for spec in self.knows]
        asked = {spec: parse_knowledge(_name_columns(spec, [QUASI])) for spec in base.knows}
        lacking = [
            spec
            for spec, wanted in asked.items()
            if not any(kind and explain_finer(kind, wanted, simple=False) for kind in own)
        ]
        return (
            *([f"k is {self.k:,}; {base.name} has {base.k:,}"] if self.k < base.k else []),
            *(
                [f"up to {describe_share(self.allow)} may be below k; {base.name} allows {describe_share(base.allow)}"]
                if self.allow > base.allow
                else []
            ),
            *([f"no kind of knowledge covers {', '.join(lacking)}"] if lacking else []),
        )

    def __repr__(self) -> str:
        told = [repr(self.name), f"knows={list(self.knows)!r}", f"k={self.k}", f"allow={spell_share(self.allow)!r}"]
        told += [f"base={self.base!r}"] if self.base != DEFAULT else []
        usual = {"decided_by": None, "sentences": (), "publish_decider": False, "publish_sentences": False}
        more = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return f"Scenario({', '.join([*told, *(f'{name}={value!r}' for name, value in more.items())])})"


def _read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds, if it may be a scenario; a key of many parts takes memory as their square."""
    try:
        with open_text(path) as stream:
            text = stream.read(LONGEST + 1)
        plausible = len(text) <= LONGEST and all(line.count(".") <= DOTS for line in text.split("\n"))
        found = tomllib.loads(text) if plausible else None
    except RecursionError as error:
        raise BadFile(f"{path}: must be a scenario in TOML. Got too many nested levels. Mend the file.") from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise BadFile(f"{path}: must be a scenario in TOML. Got: {cut(error)}. Mend the file.") from error
    if found is None:
        raise BadFile(
            f"{path}: a scenario must have at most {LONGEST:,} characters, and {DOTS} dots in a line. Got more. Is it "
            "another file?"
        )
    return found


def _get_rule(scenario: Scenario) -> tuple[tuple[str, ...], int, Fraction]:
    return scenario.knows, scenario.k, scenario.allow


def _check_spec(kind: str | Adversary) -> str:
    """Return the spec of a kind of knowledge, or raise BadParameter."""
    if isinstance(kind, Adversary):
        return kind.spec
    must(isinstance(kind, str), "Scenario", "knows", "specs such as degree or neighbors:1", kind)
    resolved = _resolve_spec(kind, [QUASI])
    assert resolved is not None
    return kind if QUASI in split_words(kind, "+") else resolved.spec


def _resolve_spec(spec: str, columns: Sequence[str]) -> Adversary | None:
    """Return the knowledge of a spec, its quasi-identifiers being these columns; None where it needs some."""
    if QUASI in split_words(spec, "+") and not columns:
        return None
    return parse_knowledge(_name_columns(spec, columns))


def _has_columns(kind: Adversary, data: Dataset) -> bool:
    return all(name in data.attributes for name in kind.columns(data.attributes))


def _name_columns(spec: str, columns: Sequence[str]) -> str:
    return "+".join(Columns(*columns).spec if part == QUASI else part for part in split_words(spec, "+"))


def count_required_candidates(risk: Any) -> int:
    """Return the fewest candidates whose risk, 1 / candidates, is at most `risk`.

    >>> count_required_candidates(0.09), count_required_candidates(0.2), count_required_candidates("1/3")
    (12, 5, 3)
    """
    share = parse_share(risk, "Scenario", "threshold")
    must(share > 0, "Scenario", "threshold", "above 0 and below 1", risk)
    return -(-share.denominator // share.numerator)


PRESETS: dict[str, Scenario] = {}
"""The scenarios that come with shoal, by name."""
for _made in (
    Scenario("public", (*USUAL, "counts:1", "degrees:1", "refinement:2"), k=12, allow=0, base=None),
    Scenario("agreement", USUAL, k=5, allow="2%", base=None),
    Scenario("internal", USUAL, k=3, allow="5%", base=None),
):
    PRESETS[_made.name] = _made


@public
def as_scenario(scenario: Scenario | str | Path | None) -> Scenario:
    """Return a scenario, given one, the name of a preset, or a file that ends in .toml. None is "agreement"."""
    if scenario is None:
        return PRESETS[DEFAULT]
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, Path) or str(scenario).lower().endswith(".toml"):
        return Scenario.read(scenario)
    return Scenario.preset(scenario)


def record_policy(scenario: Scenario) -> dict[str, Any]:
    """Return what may be published about a scenario. Who decided, and the sentences, only where it says so."""
    told = scenario.sentences if scenario.publish_sentences else ()
    return {
        "name": scenario.name,
        "knows": list(scenario.knows),
        "k": scenario.k,
        "allow": spell_share(scenario.allow),
        **({"sentences": list(told)} if any(told) else {}),
        **({"decided by": scenario.decided_by} if scenario.publish_decider and scenario.decided_by else {}),
    }


# Files: a scenario in TOML.

KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "base": str,
    "k": int,
    "threshold": (float, str),
    "allow": (int, float, str),
    "decided_by": str,
    "publish_decider": bool,
    "publish_sentences": bool,
    "knows": list,
}
"""The keys of a file and their types."""


def _build_scenario(found: Mapping[str, Any], stem: str) -> Scenario:
    """Return the scenario that a file states; what it does not state is taken from its base."""
    _check_keys(found, KEYS, "the file")
    base = Scenario.preset(found.get("base", DEFAULT))
    if "k" in found and "threshold" in found:
        raise BadParameter("the file must have 'k' or 'threshold', which is another way to write k. Got both.")
    stated = {name: found[name] for name in INHERITED if name in found}
    if "threshold" in found:
        stated["k"] = count_required_candidates(found["threshold"])
    kinds = found.get("knows", [])
    for kind in kinds:
        must(isinstance(kind, dict), "the file", "knows", "written as [[knows]], each with a spec", kind)
        _check_keys(kind, {"spec": str, "sentence": str}, "[[knows]]")
        must("spec" in kind, "the file", "knows", "a kind of knowledge with a spec", kind)
    specs = tuple(kind["spec"] for kind in kinds)
    told = tuple(kind.get("sentence", "") for kind in kinds)
    if len(set(map(_check_spec, specs))) < len(specs):
        raise BadParameter("'[[knows]]' must name each kind of knowledge once. Got one twice.")
    known = {"knows": specs, "sentences": told if any(told) else ()} if kinds else {"knows": base.knows}
    taken = {name: getattr(base, name) for name in INHERITED if name not in stated}
    return Scenario(found.get("name", stem), base=base.name, **known, **taken, **stated)


def _check_keys(found: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    """Raise BadParameter on an unknown key or a value of another type. True is not a number."""
    for key, value in found.items():
        if key not in known:
            raise BadParameter(
                f"{where} must have only the keys {', '.join(known)}. Got {key!r}.{did_you_mean(key, known)}"
            )
        kinds = known[key] if isinstance(known[key], tuple) else (known[key],)
        right = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        must(right, where, key, " or ".join(TYPES[kind] for kind in kinds), value)


TYPES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "written as [[knows]]"}


# Judging.


@dataclass(frozen=True)
class Judgment:
    """Counted risks, judged by a scenario. People count once, however many kinds of knowledge expose them."""

    scenario: Scenario
    facts: Literal["release", "original", "recoded"]
    """Where the attacker's facts were measured. "recoded": in the original, with known columns as they are released."""
    kinds: tuple[str, ...]
    """The kinds of knowledge that were counted, as specs."""
    people: int
    """The released people."""
    below: int
    """People proved to have fewer than k candidates under at least one kind."""
    unproved: int
    """Other people for whom a search was cut short, or whose values in a known column the release does not have in this
    form: an attacker who understands them may find candidates (:func:`find_hidden`)."""
    misled: int
    """Other people whose facts match no released person under at least one kind. They are neither safe nor below k."""
    all_misled: bool
    """Whether the facts of every person match no released person under any kind."""

    @property
    def verdict(self) -> Decision:
        """Compare the shares with the allowed one, as exact fractions."""
        allow = self.scenario.allow
        if Fraction(self.below, self.people) > allow:
            return "fail"
        if self.all_misled:
            return "cannot tell"
        return "pass" if Fraction(self.below + self.unproved, self.people) <= allow else "cannot tell"

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def record_judgment(found: Judgment) -> dict[str, Any]:
    """Return a judgment as plain data."""
    return {name: getattr(found, name) for name in ("facts", "verdict", "people", "below", "unproved", "misled")}


def judge_risks(
    risks: Sequence[Risk], scenario: Scenario, proved: Collection[str] = (), *, beside_recoded: bool = False
) -> Judgment:
    """Judge the risks of one data set, each under one kind of knowledge of the scenario.

    `proved` are specs for which k candidates are proved by other means than counting, such as classes of a release.
    `beside_recoded` says that the same facts are also judged with the columns as they are released.

    >>> import shoal
    >>> risk = shoal.assess(shoal.examples.karate(), "degree")
    >>> found = judge_risks([risk], Scenario.preset("internal"))
    >>> found.below, found.people, found.verdict
    (8, 34, 'fail')
    """
    first = risks[0]
    there = np.ones(len(first.sizes), dtype=np.bool_)
    if first.view.original is not None:
        there = np.asarray(first.view.counterpart >= 0)
    below, unproved, misled = find_people(risks, scenario.k, proved, beside_recoded)
    return Judgment(
        scenario,
        "release" if first.view.original is None else "original",
        tuple(risk.adversary.spec for risk in risks),
        people=int(there.sum()),
        below=int((below & there).sum()),
        unproved=int((unproved & there).sum()),
        misled=int((misled & there).sum()),
        all_misled=all(not risk.sizes[there].any() for risk in risks),
    )


def find_people(
    risks: Sequence[Risk], k: int, proved: Collection[str] = (), beside_recoded: bool = False
) -> tuple[Bools, Bools, Bools]:
    """Return who is proved below k, who is not proved to have k candidates, and who is misled; each person once."""
    below, unproved, misled = (np.zeros(len(risks[0].sizes), dtype=np.bool_) for _ in range(3))
    for risk in risks:
        below |= (risk.sizes > 0) & (risk.sizes < k)
        misled |= risk.sizes == 0
        if not beside_recoded:
            unproved |= find_hidden(risk, k)
        if risk.adversary.spec not in proved:
            unproved |= (risk.sizes > 0) & (~risk.exact_sizes | risk.unfit)
    return below, unproved & ~below, misled & ~below & ~unproved


def find_hidden(risk: Risk, k: int) -> Bools:
    """Return the people without candidates who may have some, but fewer than k, where known columns were recoded.

    Facts of the original are compared value by value, so 41 does not fit "40-49". An attacker who understands "40-49"
    finds all people in this range with the known links. These are one class of people who are alike by the facts of the
    release, or several classes. So they are k or more if the facts of the release leave k candidates for every person.
    A released "*" may stand for any value, also where each value became only one other.

    >>> import networkx as nx, shoal
    >>> path, ages = nx.path_graph(4), {"age": dict(enumerate([41, 41, 42, 42]))}
    >>> ranges = {"age": {0: "40-41", 1: "41-42", 2: "41-42", 3: "42-43"}}
    >>> original = shoal.as_graph(path, attributes=ages)
    >>> star = shoal.as_graph(nx.star_graph(3), attributes=ranges)
    >>> find_hidden(shoal.assess(star, "degree+columns:age", original=original), 2).tolist()
    [True, True, True, True]
    """
    view = risk.view
    misled: Bools = risk.sizes == 0
    none = np.zeros(len(misled), dtype=np.bool_)
    if view.original is None or not misled.any() or not risk.adversary.reads_links:
        return none
    names = risk.adversary.columns(view.original.attributes)
    if not list_changed_columns(view, names) and not any(_has_suppressed(view.published, name) for name in names):
        return none
    if all(part.stays_true for part in risk.adversary.parts):
        own = assess(view.published, risk.adversary)
        if own.exact and own.k >= k:
            return none
    return misled


def _has_suppressed(data: Dataset, name: str) -> bool:
    return name in data.attributes and ALL in data.attributes[name].values


def combine_decisions(decisions: Sequence[Decision]) -> Decision:
    """Fail if one fails; pass if all pass; otherwise cannot tell.

    >>> combine_decisions(["pass", "cannot tell"]), combine_decisions([])
    ('cannot tell', 'cannot tell')
    """
    if "fail" in decisions:
        return "fail"
    return "pass" if decisions and all(one == "pass" for one in decisions) else "cannot tell"
