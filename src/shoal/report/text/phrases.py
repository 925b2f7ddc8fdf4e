"""Sentences about attacker models, attacks and witnesses. The parts carry the words; these functions join them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shoal.attacks import ATTACKS
from shoal.errors import tame
from shoal.knowledge import REGISTRY, Witness, describe_facts, parse_knowledge
from shoal.report.text.wording import format_share
from shoal.wording import format_count, join_names


def describe_knowledge(spec: str) -> str:
    """Return words for a kind of knowledge that complete "an attacker who knows ...".

    >>> describe_knowledge("degree"), describe_knowledge("neighbors:2")
    ('the number of links of a person', '2 neighbors of a person')
    >>> describe_knowledge("degree+columns:age,sex")
    'the number of links, the age and sex of a person'
    """
    return parse_knowledge(spec).phrase


def describe_partial(protected: int, of: int, k: int, specs: Sequence[str], noun: str = "people") -> str:
    """Say how many people have at least k candidates, without a full stop.

    >>> describe_partial(1103, 1133, 2, ["counts:1"])
    '1,103 of 1,133 people (97.4 %) have at least 2 candidates under counts:1'
    """
    under = f"{'each of ' if len(specs) > 1 else ''}{join_names(specs, most=len(specs))}"
    have = f"{'has' if protected == 1 else 'have'} at least {format_count(k, 'candidate')}"
    return f"{protected:,} of {of:,} {noun} ({format_share(protected, of)}) {have} under {under}"


def title_knowledge(spec: str) -> str:
    """Return a few words for a kind of knowledge, as the head of a row or a chart.

    >>> title_knowledge("neighbors:2"), title_knowledge("degree+columns:age,sex")
    ('2 known neighbors', 'number of links + age and sex')
    """
    return parse_knowledge(spec).title


def label_knowledge(spec: str) -> str:
    """Return the few words for a kind of knowledge, with its shell name.

    >>> label_knowledge("orbit")
    'whole network without names (orbit)'
    """
    return f"{title_knowledge(spec)} ({spec})"


def title_attack(shell: str) -> str:
    """Return a few words for an attack.

    >>> title_attack("knows:neighbors:2"), title_attack("korula-lattanzi")
    ('search by 2 known neighbors', 'matching outward from known people (Korula & Lattanzi)')
    """
    spec = shell.removeprefix("knows:")
    if spec != shell:
        return f"search by {title_knowledge(spec)}"
    return str(ATTACKS[shell].title) if shell in ATTACKS else shell


def describe_witness(
    name: Hashable, witness: Witness, *, misled: bool = False, original: bool = False, noun: str = "vertex"
) -> str:
    """Return the facts about a vertex and the candidates they leave, in sentences that a reader can check.

    Parameters
    ----------
    name
        The vertex.
    witness
        The known facts and the candidates.
    misled
        Whether the vertex is not among the candidates; then the facts are from the original.
    original
        Whether the facts are from the original and the candidates from the release.
    noun
        The noun for a candidate: "vertex" or "record".

    Examples
    --------
    >>> from shoal.knowledge import Fact
    >>> print(describe_witness("Medici", Witness((Fact("degree", 6),), ("Medici",))))
    Medici has 6 links. Only Medici fits.
    >>> print(describe_witness("Pazzi", Witness((Fact("degree", 1),), ("Acciaiuoli", "Pazzi"))))
    Pazzi has 1 link. 2 vertices fit: Acciaiuoli and Pazzi.
    """
    sought = original or misled
    facts, where = describe_facts(witness.knows), " in the original" if sought else ""
    known = f"{name} {facts}{where}." if facts else f"Nothing is known about {name}."
    return tame(f"{known} {_describe_candidates(name, witness, misled, sought, noun)}")


def _describe_candidates(name: Hashable, witness: Witness, misled: bool, sought: bool, noun: str) -> str:
    left = witness.candidates
    if not left and any(not REGISTRY.find(fact.kind).reads_links for fact in witness.knows):
        return f"No released {noun} has exactly these values. They may have been recoded."
    if not left:
        return f"No released {noun} fits."
    if len(left) == 1:
        judged = f" in the release, which is {'wrong' if misled else 'right'}" if sought else ""
        return f"Only {left[0]} fits{judged}."
    nouns = {"vertex": "vertices", "person": "people"}.get(noun, f"{noun}s")
    many = format_count(len(left), noun, f"{'released ' if sought else ''}{nouns}")
    fit = f"{many if witness.exact else f'At most {many}'} fit: {join_names(left)}."
    return f"{fit} {'None' if misled else 'One'} of them is {name}." if sought else fit
