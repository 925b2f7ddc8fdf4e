"""The verdict in plain sentences: the summary at the top of an audit."""

from __future__ import annotations

from typing import Any

from shoal.report.text.phrases import describe_knowledge, title_attack
from shoal.report.text.wording import (
    format_bound,
    format_fraction,
    format_measured,
    format_percent,
    format_rate,
    format_share,
)
from shoal.wording import join_names

ONLY_SEEN = "It was judged by what can be seen in the release itself only; facts of the original were not sought."


def describe_headline(data: dict[str, Any]) -> str:
    """Return the answer: whether a promise is broken, whether the threshold is met, and what was not looked at."""
    parts = (
        describe_broken(data),
        describe_unprotected(data),
        _describe_answer(data),
        _describe_unsought(data["verdict"]),
        _describe_uncounted(data),
    )
    return " ".join(part for part in parts if part)


def _describe_uncounted(data: dict[str, Any]) -> str:
    """Say which columns are published that no kind of knowledge was counted with."""
    there = [one["name"] for one in data["columns"] if one["role"] == "other" and one["released"] is not False]
    if not there:
        return ""
    are = "column is" if len(there) == 1 else "columns are"
    which = "published" if data["output"] is not None else "in the data"
    return f"{len(there):,} {are} {which}, and whoever knows them was NOT counted: {join_names(there)}."


def describe_broken(data: dict[str, Any]) -> str:
    """Say that promises do not hold, where they do not; nothing otherwise."""
    told = [
        f"it says that {describe_promise(promise)}, and counting says otherwise ({found['told'].rstrip('.')})"
        for promise, found in zip(data["promise"], data["recounted"], strict=True)
        if found["holds"] is False
    ]
    return f"The promise is broken: {'; '.join(told)}." if told else ""


def describe_unprotected(data: dict[str, Any]) -> str:
    """Say that a promise is about some people only, where it is; nothing otherwise."""
    some = [promise["knows"] for promise in data["promise"] if promise.get("for") == "some"]
    if not some:
        return ""
    against = join_names([describe_knowledge(spec) for spec in some])
    return f"ONLY SOME PEOPLE ARE PROTECTED: nothing is promised to the others against whoever knows {against}."


def _describe_unsought(found: dict[str, Any]) -> str:
    many, kinds = len(found["not sought"]), found["kinds"]
    if not many:
        return ""
    return ONLY_SEEN if many == kinds else f"Of these, {many:,} were not sought with facts of the original."


def _describe_answer(data: dict[str, Any]) -> str:
    """Say whether the threshold is met."""
    found, what = data["verdict"], "This release" if data["output"] is not None else "As they are, these data"
    meets, do = ("meets", "does") if data["output"] is not None else ("meet", "do")
    most = f"the threshold of {_count_candidates(_get_threshold(data)):,} candidates for everybody"
    if not found["kinds"]:
        return f"{what} cannot be judged: nothing that was taken for known is in it."
    if found["fail"]:
        unsure = f", and against {len(found['cannot tell']):,} it cannot be judged" if found["cannot tell"] else ""
        against = _describe_against(len(found["fail"]), found["kinds"])
        return f"{what} {do} not meet {most}: {against} it is missed{unsure}."
    if found["cannot tell"]:
        unsure = _describe_against(len(found["cannot tell"]), found["kinds"])
        return f"{what} cannot be said to meet {most}: {unsure} it cannot be judged."
    against = _describe_against(found["kinds"], found["kinds"])
    return f"{what} {meets} {most}, {against}. Of other knowledge nothing is said."


def _describe_against(many: int, kinds: int) -> str:
    return f"against {f'all {kinds:,}' if many == kinds else f'{many:,} of {kinds:,}'} kinds of knowledge looked at"


def _count_candidates(risk: float) -> int:
    """Return the fewest candidates whose risk is at most so high.

    >>> _count_candidates(0.09), _count_candidates(0.2), _count_candidates(1 / 3)
    (12, 5, 3)
    """
    least = max(1, int(1 / risk) - 1)
    return next(k for k in range(least, least + 4) if 1 / k <= risk)


def list_sentences(data: dict[str, Any]) -> list[str]:
    r"""Return three sentences: how it was, how it is, and what an attacker achieved at what price.

    >>> import shoal
    >>> found = shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"]).data
    >>> print(describe_headline(found), *list_sentences(found), sep="\n")
    As they are, these data do not meet the threshold of 12 candidates for everybody: against all 1 kinds of...
    Before: whoever knows how many links somebody has singles out 1 of 15 people (6.7 %); 1 has fewer than 2 candid...
    """
    return [
        sentence for sentence in (_describe_before(data), _describe_after(data), _describe_achieved(data)) if sentence
    ]


def _describe_before(data: dict[str, Any]) -> str:
    row = data["verdict"]["worst"]["before"]
    if row is None:
        return ""
    least = "" if row["all_exact"] else "at least "
    n, below = row["vertices"], row["below"]
    alone = f"{least}{row['alone']:,} of {n:,} people ({format_share(row['alone'], n, least=not row['all_exact'])})"
    rest = f"{below:,} {'has' if below == 1 else 'have'} fewer than {_get_k(data)} candidates"
    return f"Before: whoever knows {describe_knowledge(row['knows'])} singles out {alone}; {rest}."


def _get_k(data: dict[str, Any]) -> int:
    return next(int(one["value"]) for one in data["thresholds"] if one["what"] == "candidates")


def _get_threshold(data: dict[str, Any]) -> float:
    return next(float(one["value"]) for one in data["thresholds"] if one["what"] == "maximum risk")


def _describe_after(data: dict[str, Any]) -> str:
    if data["output"] is None:
        return ""
    risk = _describe_still_at_risk(data)
    if data["method"] is None:
        return f"After: {risk}nobody wrote down how the release was made, so that no promise is known."
    made = f"After: {risk}the release was made by {data['method']['name']}"
    if not data["promise"]:
        return f"{made}, which promises nothing."
    told = join_names([describe_promise(p) for p in data["promise"]])
    return f"{made}; {_describe_certainty([one['holds'] for one in data['recounted']])}: {told}."


def _describe_still_at_risk(data: dict[str, Any]) -> str:
    """Say whom the most telling kind of knowledge still leaves with few candidates."""
    row = data["verdict"]["worst"]["after"]
    if row is None:
        return ""
    least, n = "" if row["all_exact"] else "at least ", row["vertices"]
    alone = f"singles out {least}{row['alone']:,} of {n:,} people" if row["alone"] else ""
    few = f"leaves {least}{row['below']:,} of {n:,} fewer than {_get_k(data)} candidates" if row["below"] else ""
    found = " and ".join(part for part in (alone, few) if part)
    return f"knowing {describe_knowledge(row['knows'])} still {found}; " if found else ""


def _describe_certainty(held: list[bool | None]) -> str:
    if False in held:
        return "promised, and BROKEN"
    return "promised as the file says, not all of it counted again here" if None in held else "verified"


def describe_promise(promise: dict[str, Any]) -> str:
    """Say what is promised, from plain data."""
    match promise["kind"]:
        case "candidates":
            who = "everybody" if promise["for"] == "all" else "some people; THE OTHERS ARE NOT PROTECTED"
            whoever = f"whoever knows {describe_knowledge(promise['knows'])}"
            return f"{whoever} is left with at least {promise['k']:,} candidates for {who}"
        case "confusion":
            return f"every published entry could be of any of {promise['n']:,} people ({promise['ground']})"
        case "radius":
            return f"a similarity radius of {promise['l']:,} for {promise['k']:,} people ({promise['similarity']})"
        case "exchangeability":
            return f"{promise['k']:,} people are equally likely wherever somebody is sought, if all worlds are"
    return str(promise["kind"])


def _describe_achieved(data: dict[str, Any]) -> str:
    parts = "; ".join(part for part in (_describe_attack(data), _describe_price(data)) if part)
    return f"{parts[0].upper()}{parts[1:]}." if parts else ""


def _describe_attack(data: dict[str, Any]) -> str:
    best = data["verdict"]["attack"]
    if best is None:
        return ""
    guess = "" if best["guessing"] is None else f", where guessing comes to {format_percent(best['guessing'])}"
    reached = f"{format_rate(best)}, by its measure ({best['main']})"
    return f"the attack that got farthest, {title_attack(best['attack'])}, came to {reached}{guess}"


def _describe_price(data: dict[str, Any]) -> str:
    made = data["changes"]
    if made is None or made["ratio"] is None:
        return ""
    gone = f"of {made['kept'] + made['removed']:,} links {made['removed']:,} were removed"
    return f"the price: {gone}, and {made['added']:,} added"


def format_amount(value: Any) -> str:
    """Write a measured value; a share of some is never 0, one of not all is never 1.

    >>> format_amount(0.99999), format_amount(0.25), format_amount(1204)
    ('>0.999', '0.25', '1,204')
    """
    inner = isinstance(value, float) and 0 < value < 1
    return format_fraction(value) if inner and format_measured(value) in ("0", "1") else format_measured(value)


def describe_row(row: dict[str, Any], k: int) -> str:
    """Say what the numbers of one kind of knowledge mean.

    >>> row = {"knows": "degree", "k": 3, "exact": True, "all_exact": True, "alone": 0, "below": 0, "vertices": 9}
    >>> describe_row(row | {"misled": 0, "recoded": []}, 2)
    'Whoever knows how many links somebody has is left with 3 candidates or more: a guess among them, with nothing...'
    """
    n, who = row["vertices"], f"Whoever knows {describe_knowledge(row['knows'])}"
    least = "" if row["all_exact"] else "at least "
    if row["k"] == 0:
        return f"{who} finds nobody whom this fits: all {n:,} people are misled about, which is not safety."
    if row["k"] == 1:
        part = format_share(row["alone"], n, least=not row["all_exact"])
        told = f"{who} can single out {least}{row['alone']:,} of {n:,} people ({part})"
    elif not row["exact"]:
        told = f"{who} is left with {format_bound(row['k'], False)} candidates for somebody; the search was cut short"
    else:
        guess = f"a guess among them, with nothing else to go by, is right 1 time in {row['k']:,} at best"
        told = f"{who} is left with {row['k']:,} candidates or more: {guess}"
    misled = (
        f" About {row['misled']:,} others nothing fits; the attacker is wrong, which is not safety."
        if row["misled"]
        else ""
    )
    recoded = (
        f" Values of {join_names(row['recoded'])} were recoded, so that comparing them says little."
        if row["recoded"]
        else ""
    )
    return f"{told}.{misled}{recoded}"
