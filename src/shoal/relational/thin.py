"""Thinning where the data are: few neighbors per person, or a random sample of the links."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import BadParameter, check_k, must, public, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.relational.assess import assess, closing_on_error, need_links
from shoal.relational.engine import spell_text
from shoal.relational.kinds import plan_count
from shoal.relational.network import Network, keyed
from shoal.relational.release import RelationalRelease, open_whole
from shoal.relational.restrict import keep_pairs
from shoal.seeds import AnySeed, draw_seed
from shoal.shares import parse_share, spell_share

WHAT = "thinning"
DIGITS = 64
"""Hexadecimal digits of a SHA-256."""


@dataclass(frozen=True)
class Thinning:
    """Which links are kept."""

    cap_degree: int | None
    sample: Fraction | None

    shell = "thin"

    def declare_policy(self) -> dict[str, Any]:
        """Return what was declared before the data were seen."""
        return {
            "cap degree": self.cap_degree,
            "sample": None if self.sample is None else spell_share(self.sample),
        }


@public
def thin(
    source: Any,
    cap_degree: int | None = None,
    sample: Any = None,
    *,
    knowledge: Adversary | str | None = None,
    k: int | None = None,
    seed: AnySeed | None = None,
    **how: Any,
) -> RelationalRelease:
    """Keep a random part of the links, and all people.

    Links of a linked pair stay or go together. Thinning by itself promises nothing. If `knowledge` is given, what is
    left is counted, and the guarantee is what this count shows.

    Parameters
    ----------
    source
        The links, as in :func:`shoal.relational.assess`.
    cap_degree
        The most neighbors that a person keeps. A pair stays if both of its ends have it among their first ones, in a
        secret random order of all pairs.
    sample
        The share of linked pairs to keep, e.g. 0.1 or "10%": each stays with this probability, before `cap_degree`.
    knowledge
        What an attacker knows, for a count of the release. None: nothing is promised.
    k
        The number of candidates that the guarantee is about: it says how many people have as many. None: the number
        of the person with the fewest.
    seed
        Random seed of the choice. Keep it private. None: a random secret seed.
    **how
        How the links are read, as in :func:`shoal.relational.open_network`.

    Examples
    --------
    >>> import duckdb, shoal
    >>> star = duckdb.sql("SELECT 0 AS src, range AS dst FROM range(1, 9)")
    >>> with shoal.relational.thin(star, cap_degree=3, knowledge="degree", k=3, seed=2**70) as release:
    ...     release.n, release.network.m, release.promise
    (9, 3, PartialPromise(knowledge=(Degree(),), k=3, protected=8, of=9))
    """
    given = [one is not None for one in (cap_degree, sample)]
    must(any(given), "thin", "cap_degree", "given, or 'sample'", None)
    cap = None if cap_degree is None else whole(cap_degree, "thin", "cap_degree", least=0)
    share = None if sample is None else parse_share(sample, "thin", "sample")
    if k is not None and knowledge is None:
        raise BadParameter(f"thin: 'k' must come with 'knowledge'. Got {k} without it.")
    adversary = None if knowledge is None else parse_knowledge(knowledge)
    if adversary is not None:
        plan_count(adversary)  # what is not counted is refused before any work
    must(not isinstance(source, Network), "thin", "source", "links, not an open network", source)
    drawn = draw_seed(seed, "thin")
    network = open_whole(source, None, how)
    with closing_on_error(network):
        need_links(network, "thin")
        _keep_some(network, cap, share, drawn)
        made = Thinning(cap, share)
        if adversary is None:
            return RelationalRelease(network, made, (), None, seed=drawn)
        if k is not None:
            check_k("thin", k, network)
        risk = assess(network, adversary)
        least = risk.k if k is None and risk.exact else k
        return RelationalRelease(network, made, (risk,), least, seed=drawn)


def _keep_some(network: Network, cap: int | None, share: Fraction | None, seed: int) -> None:
    """Leave out the pairs that are not drawn, and then those beyond the cap."""
    engine = network.engine
    text = "concat(s.key, ' ', CAST(a.v AS STRING), ' ', CAST(a.w AS STRING))"
    kept = "" if share is None else f" WHERE place < {spell_text(spell_bound(share))}"
    with keyed(network, seed, "thin") as secret:
        pairs = network.keep(
            "pairs",
            f"""SELECT * FROM (SELECT a.v, a.w, {engine.digest(text)} AS place FROM arcs a CROSS JOIN {secret} s
                WHERE a.v < a.w){kept}""",
            WHAT,
        )
    both = network.keep(
        "both", f"SELECT v, w, place FROM {pairs} UNION ALL SELECT w AS v, v AS w, place FROM {pairs}", WHAT
    )
    engine.drop(pairs)
    if cap is not None:
        ranked = network.keep(
            "ranked",
            f"""SELECT v, w, row_number() OVER (PARTITION BY v ORDER BY place, least(v, w), greatest(v, w)) AS rank
                FROM {both}""",
            WHAT,
        )
        engine.drop(both)
        both = network.keep(
            "both",
            f"""SELECT t.v, t.w FROM {ranked} t JOIN {ranked} o ON o.v = t.w AND o.w = t.v
                WHERE t.rank <= {cap} AND o.rank <= {cap}""",
            WHAT,
        )
        engine.drop(ranked)
    keep_pairs(network, both, WHAT)
    engine.drop(both)


def spell_bound(share: Fraction) -> str:
    """Return the hexadecimal text below which a SHA-256 is with this probability.

    >>> spell_bound(Fraction(1, 2))[:4], spell_bound(Fraction(0)) == "0" * 64
    ('8000', True)
    """
    return f"{int(share * 16**DIGITS):0{DIGITS}x}"
