"""What an audit measures, as typed data: risk, inference, attacks, changes and the drawing.

A field is private unless its type says why it may stand in a published file: `Released`, a function of the published
files; `Policy`, declared beforehand; `ByClasses`, unchanged when two members of a class are exchanged in the original.
:mod:`shoal.auditing.external` drops everything else. A public field that holds a dataclass keeps only the public fields
of that dataclass.

"People" are the vertices of a network or the records of a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from shoal.attacks.base import Rate, Trial
from shoal.risk.assess import BUCKETS
from shoal.risk.scenario import Decision

Value = TypeVar("Value")
Released = Annotated[Value, "release"]
Policy = Annotated[Value, "policy"]
ByClasses = Annotated[Value, "classes"]


@dataclass(frozen=True)
class LeftOut:
    """Something that was not assessed or tried, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class PanelRow:
    """The risk under one attacker model."""

    knows: Policy[str]
    """The knowledge, by its name in the shell."""
    notion: Policy[str]
    """What the literature calls safety from it."""
    assumes: Policy[str]
    in_scenario: Policy[bool]
    """Whether the scenario names this knowledge. Otherwise it is outside the scenario and decides nothing."""
    k: Released[int]
    """The fewest candidates; 0 if no facts fit any vertex."""
    exact: Released[bool]
    """Whether k is exact. If not, a search was cut short and k is an upper bound."""
    all_exact: Released[bool]
    """Whether all sizes are exact. If not, `unique` and `below` are lower bounds."""
    people: Released[int]
    unique: Released[int]
    """People with exactly 1 candidate."""
    below: Released[int]
    """People with fewer than k candidates (k of the scenario), at least 1."""
    misled: Released[int]
    """People whose facts fit no released vertex. The attacker is wrong about them. This does not make them safe."""
    recoded: Released[tuple[str, ...]]
    """Columns whose values the release spells differently, so that comparing them says little."""
    buckets: Released[dict[str, int]]
    """People by the number of their candidates."""
    highest: Released[float | None]
    average: Released[float | None]
    doubts: Released[tuple[Literal["misled", "recoded", "cut short"], ...]]
    """Why the counts of this row are not the whole truth."""


@dataclass(frozen=True)
class ScenarioKind:
    """A kind of knowledge of the scenario."""

    knows: Policy[str]
    """The spec in the scenario; "quasi-identifiers" stands for columns."""
    before: str | None
    """The knowledge that was counted in the original; None where it does not apply."""
    after: Policy[str | None]
    """The knowledge that was counted in the release; None where it does not apply."""
    sentence: str | None
    published_sentence: Policy[str | None]


@dataclass(frozen=True)
class ScenarioRecord:
    """The scenario by which an audit judges."""

    name: Policy[str]
    k: Policy[int]
    allow: Policy[str]
    """The largest share of released people that may be below k, e.g. "2%"."""
    base: Policy[str | None]
    weaknesses: Policy[tuple[str, ...]]
    """In what it is weaker than its base."""
    kinds: Policy[tuple[ScenarioKind, ...]]
    decided_by: str | None
    published_decider: Policy[str | None]


@dataclass(frozen=True)
class JudgedPeople:
    """The people below k under at least one kind of knowledge of the scenario."""

    people: Released[int]
    below: Released[int]
    """Proved to have fewer than k candidates."""
    unproved: Released[int]
    """Other people for whom a search was cut short, or whose values the release does not have in this form."""
    misled: Released[int]
    """Other people whose exact facts match no released person. They are neither safe nor below k."""
    verdict: Released[Decision]


@dataclass(frozen=True)
class Verdict:
    """The judgment by the scenario. Without a release, it is about the original."""

    overall: Released[Decision]
    doubt: Released[Literal["not matched", "no attacks"] | None]
    """Why data that would pass by the counts cannot be told."""
    release_facts: Released[JudgedPeople | None]
    """The attacker's facts are true in the release; None without a release."""
    original_facts: JudgedPeople | None
    """The facts are true in the original and searched in the release; None where they were not."""
    before: JudgedPeople | None
    """The original itself."""


@dataclass(frozen=True)
class RiskAfter:
    """The risk in the release."""

    release_facts: Released[tuple[PanelRow, ...]]
    """The attacker's facts are measured in the release itself."""
    original_facts: tuple[PanelRow, ...] | None
    """The facts are measured in the original and searched in the release; None without the mapping."""
    left_out: tuple[LeftOut, ...]
    """Attacker models that were not assessed with facts from the original."""


@dataclass(frozen=True)
class ExposureStep:
    """People that l known facts leave fewer than k candidates."""

    l: Released[int]
    exposed: Released[int]
    undecided: Released[int]
    """People for whom the search was cut short."""


@dataclass(frozen=True)
class Exposure:
    """How many people l known neighbors or columns expose, for l = 0, 1, ..."""

    of: Released[Literal["neighbors", "columns"]]
    k: Policy[int]
    people: Released[int]
    steps: Released[tuple[ExposureStep, ...]]


@dataclass(frozen=True)
class DirectedDegrees:
    """How many vertices have each number of outgoing and of incoming links, as pairs.

    A link without direction in a network that has directed links counts as both.
    """

    outgoing: Released[tuple[tuple[int, int], ...]]
    incoming: Released[tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Disclosure:
    """What the classes of a quasi-identifier disclose about one sensitive column."""

    column: Policy[str]
    distinct: Released[int]
    """l-diversity: the fewest different values in a class."""
    entropy: Released[float]
    closeness: Released[float]
    """t-closeness: the largest distance of a class from the whole table."""
    known: Released[int]
    """People in classes with a single value."""


@dataclass(frozen=True)
class Inference:
    """What can be learned about sensitive columns without identifying a person."""

    columns: Policy[tuple[str, ...]]
    before: tuple[Disclosure, ...]
    after: Released[tuple[Disclosure, ...]]


@dataclass(frozen=True)
class KnownFact:
    """A fact about a person: its kind, and its value with names replaced."""

    kind: str
    value: Any


@dataclass(frozen=True)
class RiskyPerson:
    """A person with few candidates, and the knowledge that leaves the fewest."""

    who: str
    knows: str
    facts: tuple[KnownFact, ...]
    candidates: tuple[str, ...]
    exact: bool
    exposed_by: int
    """Attacker models that leave fewer than k candidates."""
    of: int


@dataclass(frozen=True)
class Riskiest:
    """The people most at risk."""

    names: bool
    """Whether they are named; otherwise they are called by letters."""
    facts_from: Literal["original", "release"]
    """Where the attacker's facts were measured."""
    people: tuple[RiskyPerson, ...]


@dataclass(frozen=True)
class Changes:
    """Links kept, added and removed."""

    kept: int
    added: int
    removed: int
    ratio: float | None
    """Edits per link of the original; None without links."""


@dataclass(frozen=True)
class TradeoffPoint:
    """Risk left and utility lost of one network."""

    name: str
    lost: float
    risk: dict[str, float]
    """By knowledge: the share of people with fewer than k candidates."""


@dataclass(frozen=True)
class Tradeoff:
    """Risk against utility: the original, the release, random edits, no links."""

    k: int
    points: tuple[TradeoffPoint, ...]


@dataclass(frozen=True)
class DrawnCandidates:
    """For one attacker model, the bucket of candidates of each drawn person."""

    knows: str
    before: tuple[int, ...]
    after: tuple[int, ...] | None


@dataclass(frozen=True)
class NetworkDrawing:
    """Positions, links and candidates for a drawing of the network."""

    of: int
    """People in the network; those with a position are drawn."""
    at: tuple[tuple[float, float], ...]
    links_before: tuple[tuple[int, ...], ...]
    """Links between positions. Where links have directions or kinds, each also has 1 if it leads from the first to the
    second, or 0; and the position of its kind in `kinds`."""
    links_after: tuple[tuple[int, ...], ...] | None
    candidates: tuple[DrawnCandidates, ...]
    kinds: tuple[str, ...]
    """The kinds of links, before and after; none if links have no kinds."""

    def check(self) -> None:
        """Raise ValueError if a link or a number of candidates is of no drawn person."""
        n, size = len(self.at), 4 if self.kinds else 2
        for link in (*self.links_before, *(self.links_after or ())):
            if len(link) not in (size, 4) or not all(0 <= v < n for v in link[:2]):
                raise ValueError(f"a drawn link {link}")
            if len(link) == 4 and not 0 <= link[3] < max(1, len(self.kinds)):
                raise ValueError(f"a drawn link {link}")
        for one in self.candidates:
            for buckets in (one.before, *(() if one.after is None else (one.after,))):
                if not n or len(buckets) != n or not all(0 <= bucket <= len(BUCKETS) for bucket in buckets):
                    raise ValueError("candidates of people who are not drawn")


@dataclass(frozen=True)
class ImpliedBound:
    """What the guarantee implies for the rates of an attack, and whether the measured rates agree."""

    means: str
    holds: bool
    numbers: dict[str, float]


@dataclass(frozen=True)
class AttackResult:
    """What one attack achieved on the release and on its controls."""

    attack: str
    means: str
    main: str
    """The rate to read first."""
    settings: dict[str, Any]
    trials: tuple[Trial, ...]
    meanings: dict[str, str]
    bound: ImpliedBound | None
    notes: tuple[str, ...]
    partial: str
    """What the time limit ended, as a sentence; empty if it ended nothing."""


@dataclass(frozen=True)
class Attacks:
    """The attacks on the release."""

    tried: tuple[AttackResult, ...]
    left_out: tuple[LeftOut, ...]
    ended: tuple[str, ...]
    """Those left out because the time limit ended them."""


def find_rate(attack: AttackResult, graph: str) -> Rate | None:
    """Return the main rate of an attack on one of the networks; None where there is none."""
    return next((trial.rates.get(attack.main) for trial in attack.trials if trial.graph == graph), None)
