"""Phrases: attacker models, attacks and witnesses in words; numbers and tables as text.

The parts carry their words, and these functions join them. No number is rounded towards safety.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from shoal.attacks import ATTACKS
from shoal.attacks.base import Attack, Rate
from shoal.attacks.informed import Informed
from shoal.errors import format_count, join_names, tame
from shoal.knowledge import REGISTRY, Adversary, Hubs, Witness, describe_facts, parse_knowledge
from shoal.parts import split_words


def describe_knowledge(spec: str) -> str:
    """Return words for a kind of knowledge that complete "an attacker who knows ...".

    >>> describe_knowledge("degree"), describe_knowledge("neighbors:2")
    ('the number of links of a person', '2 neighbors of a person')
    >>> describe_knowledge("degree+columns:age,sex")
    'the number of links together with the age and sex of a person'
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


def describe_success(shell: str, share: str) -> str:
    """Say what an attack achieves, as words that complete "an attacker ...".

    >>> describe_success("knows:degree", "3.9 %"), describe_success("cascade", "12.0 %")
    ('finds 3.9 % of the people, on average, by guessing among those who fit', 'identifies 12.0 % of the people')
    """
    attack = Informed if shell.startswith("knows:") else ATTACKS.get(shell, Attack)
    return attack.success.format(share)


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


# Numbers, lists and tables.


def format_number(value: float | None) -> str:
    """Format a number up to 1 by :func:`format_fraction`, and a larger one with one decimal.

    >>> format_number(0.25), format_number(1045.0), format_number(12.34), format_number(None)
    ('0.250', '1,045', '12.3', '')
    """
    if value is None:
        return ""
    return format_fraction(value) if value <= 1 else f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def format_fraction(part: float) -> str:
    """Format a share with three decimals, never rounded to 0 or 1.

    >>> format_fraction(0.25), format_fraction(0.00001), format_fraction(0.99999)
    ('0.250', '<0.001', '>0.999')
    >>> format_fraction(0.0), format_fraction(1.0)
    ('0', '1')
    """
    if part in (0, 1):
        return f"{part:.0f}"
    return "<0.001" if part < 0.0005 else ">0.999" if part >= 0.9995 else f"{part:.3f}"


def format_measured(value: Any) -> str:
    """Format a measured value; fractions keep three significant digits.

    >>> format_measured(0.00123456), format_measured(6370.5), format_measured({"age": 2})
    ('0.00123', '6,370.5', 'age 2')
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.3g}" if abs(value) < 100 else f"{value:,.1f}".removesuffix(".0")
        case dict():
            return ", ".join(f"{key} {format_measured(cell)}" for key, cell in value.items()) or "none"
    return str(value)


def format_share(part: float, whole: float, *, least: bool = False) -> str:
    """Format a share in percent, never rounded to 0 or 100; `least` marks a lower bound.

    >>> format_share(1, 3), format_share(1, 1_000_000), format_share(999_999, 1_000_000)
    ('33.3 %', '<0.1 %', '>99.9 %')
    >>> format_share(3, 2), format_share(10_001, 10_000)
    ('150.0 %', '>100 %')
    >>> format_share(0, 5), format_share(5, 5)
    ('0 %', '100 %')
    >>> format_share(1, 3, least=True)
    '>= 33.3 %'
    """
    if part in (0, whole):
        text = "0 %" if part == 0 else "100 %"
    else:
        percent = 100 * part / whole
        text = "<0.1 %" if percent < 0.05 else f"{percent:.1f} %"
        if 99.95 <= percent < 100.05:
            text = ">99.9 %" if part < whole else ">100 %"
    return f">= {text}" if least and part < whole else text


def format_percent(part: float) -> str:
    """Format a share between 0 and 1 in percent, never rounded to 0 or 100.

    >>> format_percent(0.5), format_percent(0.0), format_percent(1e-9), format_percent(1.0)
    ('50.0 %', '0 %', '<0.1 %', '100 %')
    """
    return format_share(part, 1)


def format_rate(rate: Rate) -> str:
    """Format a rate with its interval, if it has one.

    >>> format_rate(Rate(50, 200, (0.2, 0.31))), format_rate(Rate(50, 200))
    ('25.0 % (95 % interval 20.0 % to 31.0 %)', '25.0 %')
    """
    if rate.interval is None:
        return format_percent(rate.rate)
    low, high = map(format_percent, rate.interval)
    return f"{format_percent(rate.rate)} (95 % interval {low} to {high})"


def format_bound(k: int, exact: bool) -> str:
    """Format k, marked where it is only an upper bound.

    >>> format_bound(3, True), format_bound(3, False)
    ('3', '<= 3')
    """
    return f"{k:,}" if exact else f"<= {k:,}"


def mark_partial(partial: str) -> list[str]:
    """Return the first line of a result that a time limit ended; nothing for a complete one.

    >>> mark_partial("The time limit of 5m ended 3 of 11 metrics."), mark_partial("")
    (['PARTIAL. The time limit of 5m ended 3 of 11 metrics.'], [])
    """
    return [f"PARTIAL. {partial}"] if partial else []


def describe_links(links: int, directed: bool, kinds: Sequence[str]) -> str:
    """Return the number of links, whether they have directions, and their kinds.

    >>> describe_links(1, False, ()), describe_links(97, True, ("call", "text"))
    ('1 link', '97 links (directed, 2 kinds: call and text)')
    """
    told = ["directed"] if directed else []
    told += (
        [f"{format_count(len(kinds), 'kind')}: {join_names([kind or 'missing' for kind in kinds])}"] if kinds else []
    )
    return f"{format_count(links, 'link')} ({', '.join(told)})" if told else format_count(links, "link")


def describe_known_links(directed: bool, kinds: bool, known: Iterable[Adversary]) -> str:
    """Say which attackers know links with direction and kind; empty where links have neither.

    >>> degree, counts = parse_knowledge("degree"), parse_knowledge("counts:1")
    >>> describe_known_links(True, False, [degree])
    'Known links come with their direction, and numbers of links are counted by it.'
    >>> describe_known_links(True, True, [degree, counts]).partition(". ")[2]
    'counts:1 counts links of all directions and kinds together.'
    """
    parts = [*(["direction"] if directed else []), *(["kind"] if kinds else [])]
    linked = [knows for knows in dict.fromkeys(known) if knows.reads_links and not isinstance(knows, Hubs)]
    if not parts:
        return ""
    by = "both" if len(parts) > 1 else "it"
    told = f"Known links come with their {join_names(parts)}, and numbers of links are counted by {by}."
    others = [shorten_spec(knows.spec) for knows in linked if not knows.reads_kinds]
    all_of = join_names([f"{part}s" for part in parts])
    together = f"{join_names(others)} {'counts' if len(others) == 1 else 'count'} links of all {all_of} together."
    return " ".join([*([told] if len(others) < len(linked) else []), *([together] if others else [])])


def capitalize(text: str) -> str:
    """Return a text with a capital first letter.

    >>> capitalize("person A has 6 links.")
    'Person A has 6 links.'
    """
    return f"{text[:1].upper()}{text[1:]}"


def shorten_spec(spec: str, most: int = 12) -> str:
    """Shorten the spec of many columns to the first ones and a count of the rest.

    >>> shorten_spec("columns:age,sex"), shorten_spec("columns:" + ",".join("abcdef"), most=3)
    ('columns:age,sex', 'columns:a,b,c and 3 more')
    """
    parts = split_words(spec, ",")
    return spec if len(parts) <= most else f"{','.join(parts[:most])} and {len(parts) - most:,} more"


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    r"""Return the lines of a table: the first `left` columns left-aligned, the others right-aligned.

    >>> print(*render_table(["knows", "k"], [["degree", "1"], ["orbit", "12"]]), sep="\n")
    knows    k
    degree   1
    orbit   12
    """
    lines = [list(map(tame, line)) for line in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return [align_cells(line, widths, left) for line in lines]


def align_cells(cells: Sequence[str], widths: Sequence[int], left: int = 1) -> str:
    """Return one line of a table: the first `left` cells left-aligned, the others right-aligned.

    >>> align_cells(["degree", "1"], [8, 3])
    'degree      1'
    """
    aligned = (c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
    return "  ".join(aligned).rstrip()
