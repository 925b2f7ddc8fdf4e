"""Suppression where the data are: people with fewer than k candidates are left out, until at most a few have fewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, overload

from shoal.errors import CannotPromise, check_k, format_count, must, public, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.relational.assess import assess, closing_on_error
from shoal.relational.kinds import plan_count
from shoal.relational.network import Network
from shoal.relational.release import RelationalRelease, open_whole
from shoal.relational.restrict import keep_people
from shoal.relational.risk import RelationalRisk
from shoal.relational.rounds import Round, Rounds
from shoal.shares import parse_share, spell_share

WHAT = "suppressing"


@dataclass(frozen=True)
class Suppression:
    """What is left out, and when to stop."""

    knowledge: Adversary
    k: int
    allow: int
    max_rounds: int
    keep_at_least: Fraction

    shell = "suppress"

    def declare_policy(self) -> dict[str, Any]:
        """Return what was declared before the data were seen."""
        return {
            "knows": self.knowledge.spec,
            "k": self.k,
            "allow": self.allow,
            "max rounds": self.max_rounds,
            "keep at least": spell_share(self.keep_at_least),
        }


@overload
def suppress(
    source: Any,
    knowledge: Adversary | str,
    k: int,
    allow: int = ...,
    max_rounds: int = ...,
    keep_at_least: Any = ...,
    dry_run: Literal[False] = ...,
    **how: Any,
) -> RelationalRelease: ...
@overload
def suppress(
    source: Any,
    knowledge: Adversary | str,
    k: int,
    allow: int = ...,
    max_rounds: int = ...,
    keep_at_least: Any = ...,
    *,
    dry_run: Literal[True],
    **how: Any,
) -> Rounds: ...
@public
def suppress(
    source: Any,
    knowledge: Adversary | str,
    k: int,
    allow: int = 0,
    max_rounds: int = 20,
    keep_at_least: Any = 0.5,
    dry_run: bool = False,
    **how: Any,
) -> RelationalRelease | Rounds:
    """Leave out all people with fewer than k candidates and count again, until at most `allow` people have fewer.

    Each round leaves out all of them at once. Those who are left have fewer links then, so that others may have fewer
    candidates: hence the rounds. A person whose number of candidates is only an upper bound is left out, too.

    Parameters
    ----------
    source
        The links, as in :func:`shoal.relational.assess`; if only columns are known, the table of people.
    knowledge
        What the attacker knows.
    k
        The number of candidates that each person is guaranteed.
    allow
        How many people may have fewer. They are released, and the guarantee says how many people it covers.
    max_rounds
        The most rounds.
    keep_at_least
        The share of the links (in a table without links, of the people) that must be left, e.g. 0.5 or "50%".
    dry_run
        Only count: return the rounds, and why there would be no release. Nothing can be saved.
    **how
        How the data are read, as in :func:`shoal.relational.open_network`. A network that is open already is not taken,
        because it is changed.

    Returns
    -------
    RelationalRelease
        What is left, with its guarantee; ``.save(...)`` counts the written files again before they are put in place.
        With `dry_run`, :class:`Rounds`.

    Raises
    ------
    CannotPromise
        If less than `keep_at_least` is left, no person is left, or `max_rounds` pass first. The message has the people
        and links of each round.

    Examples
    --------
    A ring of five people, one of whom has a further neighbor:

    >>> import duckdb, shoal
    >>> ring = "SELECT range AS src, (range + 1) % 5 AS dst FROM range(5)"
    >>> links = duckdb.sql(f"{ring} UNION ALL SELECT 0, 9")
    >>> found = shoal.relational.suppress(links, "degree", k=3, dry_run=True)
    >>> [(one.below, one.people, one.links) for one in found.rounds], found.refused
    ([(2, 4, 3), (4, 0, 0)], 'no person is left after round 2')
    >>> with shoal.relational.suppress(links, "degree", k=2) as release:
    ...     release.n, release.network.m, release.promise
    (4, 3, Promise(knowledge=Degree(), k=2, vertices='all', source='release'))
    """
    adversary = parse_knowledge(knowledge)
    asked = Suppression(
        adversary,
        whole(k, "suppress", "k", least=2),
        whole(allow, "suppress", "allow", least=0),
        whole(max_rounds, "suppress", "max_rounds", least=1),
        parse_share(keep_at_least, "suppress", "keep_at_least"),
    )
    plan_count(adversary)  # what is not counted is refused before any work
    must(not isinstance(source, Network), "suppress", "source", "links, not an open network", source)
    network = open_whole(source, adversary, how)
    with closing_on_error(network):
        check_k("suppress", asked.k, network)
        risk, rounds = _leave_out(network, asked)
        if dry_run:
            network.close()
            return rounds
        if rounds.refused:
            raise CannotPromise(f"suppress: {rounds.refused}. {rounds.describe()}")
        return RelationalRelease(network, asked, (risk,), asked.k, rounds)


def _leave_out(network: Network, asked: Suppression) -> tuple[RelationalRisk, Rounds]:
    """Leave people out, round by round; return the last count."""
    before, noun = (network.m, "links") if network.has_links else (network.n, "people")
    done = Rounds(network.n, network.m, (), 0)
    while True:
        risk = assess(network, asked.knowledge)
        below = sum(people for size, exact, people in risk.counted if size < asked.k or not exact)
        done = replace(done, below=below)
        if below <= asked.allow:
            return risk, done
        if len(done.rounds) == asked.max_rounds:
            fewer = f"{format_count(below, 'person has', 'people have')} fewer than {asked.k:,} candidates"
            return risk, replace(done, refused=f"{fewer} after {format_count(asked.max_rounds, 'round')}")
        after = f"is left after round {len(done.rounds) + 1}"
        if below == network.n:
            rounds = (*done.rounds, Round(below, 0, 0))
            return risk, replace(done, rounds=rounds, below=0, refused=f"no person {after}")
        kept = network.keep("kept", f"SELECT v FROM {risk.table} WHERE candidates >= {asked.k} AND exact", WHAT)
        network.engine.drop(risk.table)
        keep_people(network, kept, WHAT)
        network.engine.drop(kept)
        done = replace(done, rounds=(*done.rounds, Round(below, network.n, network.m)))
        if (network.m if network.has_links else network.n) < asked.keep_at_least * before:
            return risk, replace(done, refused=f"less than {spell_share(asked.keep_at_least)} of the {noun} {after}")
