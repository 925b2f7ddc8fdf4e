"""The verdict in plain sentences, for whoever reads nothing else."""

from __future__ import annotations

from typing import Any

from shoal.report.phrases import attack_title, known
from shoal.report.text.releases import short, written
from shoal.report.text.wording import exactly, format_percent, format_rate, listed, share

ONLY_SEEN = "It was judged by what can be seen in the release itself only; facts of the original were not sought."


def headline(data: dict[str, Any]) -> str:
    """Return the answer: whether a promise is broken, whether the threshold is met, and what was not looked at."""
    parts = (broken(data), unprotected(data), _answer(data), _unsought(data["verdict"]), _uncounted(data))
    return " ".join(part for part in parts if part)


def _uncounted(data: dict[str, Any]) -> str:
    """Say which columns are published that no kind of knowledge was counted with."""
    there = [one["name"] for one in data["columns"] if one["role"] == "other" and one["released"] is not False]
    if not there:
        return ""
    are = "column is" if len(there) == 1 else "columns are"
    which = "published" if data["output"] is not None else "in the data"
    return f"{len(there):,} {are} {which}, and whoever knows them was NOT counted: {listed(there)}."


def broken(data: dict[str, Any]) -> str:
    """Say that promises do not hold, where they do not; nothing otherwise."""
    told = [
        f"it says that {short_promise(promise)}, and counting says otherwise ({found['told'].rstrip('.')})"
        for promise, found in zip(data["promise"], data["recounted"], strict=True)
        if found["holds"] is False
    ]
    return f"The promise is broken: {'; '.join(told)}." if told else ""


def unprotected(data: dict[str, Any]) -> str:
    """Say that a promise is about some people only, where it is; nothing otherwise."""
    some = [promise["knows"] for promise in data["promise"] if promise.get("for") == "some"]
    if not some:
        return ""
    against = listed([known(spec) for spec in some])
    return f"ONLY SOME PEOPLE ARE PROTECTED: nothing is promised to the others against whoever knows {against}."


def _unsought(found: dict[str, Any]) -> str:
    many, kinds = len(found["not sought"]), found["kinds"]
    if not many:
        return ""
    return ONLY_SEEN if many == kinds else f"Of these, {many:,} were not sought with facts of the original."


def _answer(data: dict[str, Any]) -> str:
    """Say whether the threshold is met."""
    found, what = data["verdict"], "This release" if data["output"] is not None else "As they are, these data"
    meets, do = ("meets", "does") if data["output"] is not None else ("meet", "do")
    most = f"the threshold of {_candidates(_threshold(data)):,} candidates for everybody"
    if not found["kinds"]:
        return f"{what} cannot be judged: nothing that was taken for known is in it."
    if found["fail"]:
        unsure = f", and against {len(found['cannot tell']):,} it cannot be judged" if found["cannot tell"] else ""
        return f"{what} {do} not meet {most}: {_against(len(found['fail']), found['kinds'])} it is missed{unsure}."
    if found["cannot tell"]:
        unsure = _against(len(found["cannot tell"]), found["kinds"])
        return f"{what} cannot be said to meet {most}: {unsure} it cannot be judged."
    return f"{what} {meets} {most}, {_against(found['kinds'], found['kinds'])}. Of other knowledge nothing is said."


def _against(many: int, kinds: int) -> str:
    return f"against {f'all {kinds:,}' if many == kinds else f'{many:,} of {kinds:,}'} kinds of knowledge looked at"


def _candidates(risk: float) -> int:
    """Return the fewest candidates whose risk is at most so high.

    >>> _candidates(0.09), _candidates(0.2), _candidates(1 / 3)
    (12, 5, 3)
    """
    least = max(1, int(1 / risk) - 1)
    return next(k for k in range(least, least + 4) if 1 / k <= risk)


def sentences(data: dict[str, Any]) -> list[str]:
    r"""Return three sentences: how it was, how it is, and what an attacker achieved at what price.

    >>> import shoal
    >>> found = shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"]).data
    >>> print(headline(found), *sentences(found), sep="\n")
    As they are, these data do not meet the threshold of 12 candidates for everybody: against all 1 kinds of...
    Before: whoever knows how many links somebody has singles out 1 of 15 people (6.7 %); 1 has fewer than 2 candid...
    """
    return [sentence for sentence in (_before(data), _after(data), _achieved(data)) if sentence]


def _before(data: dict[str, Any]) -> str:
    row = data["verdict"]["worst"]["before"]
    if row is None:
        return ""
    least = "" if row["all_proved"] else "at least "
    n, below = row["vertices"], row["below"]
    alone = f"{least}{row['alone']:,} of {n:,} people ({share(row['alone'], n, least=not row['all_proved'])})"
    rest = f"{below:,} {'has' if below == 1 else 'have'} fewer than {_k(data)} candidates"
    return f"Before: whoever knows {known(row['knows'])} singles out {alone}; {rest}."


def _k(data: dict[str, Any]) -> int:
    return next(int(one["value"]) for one in data["thresholds"] if one["what"] == "candidates")


def _threshold(data: dict[str, Any]) -> float:
    return next(float(one["value"]) for one in data["thresholds"] if one["what"] == "maximum risk")


def _after(data: dict[str, Any]) -> str:
    if data["output"] is None:
        return ""
    if data["method"] is None:
        return f"After: {_still(data)}nobody wrote down how the release was made, so that no promise is known."
    made = f"After: {_still(data)}the release was made by {data['method']['name']}"
    if not data["promise"]:
        return f"{made}, which promises nothing."
    told = listed([short_promise(p) for p in data["promise"]])
    return f"{made}; {_how_sure([one['holds'] for one in data['recounted']])}: {told}."


def _still(data: dict[str, Any]) -> str:
    """Say whom the most telling kind of knowledge still leaves with few candidates."""
    row = data["verdict"]["worst"]["after"]
    if row is None:
        return ""
    least, n = "" if row["all_proved"] else "at least ", row["vertices"]
    alone = f"singles out {least}{row['alone']:,} of {n:,} people" if row["alone"] else ""
    few = f"leaves {least}{row['below']:,} of {n:,} fewer than {_k(data)} candidates" if row["below"] else ""
    found = " and ".join(part for part in (alone, few) if part)
    return f"knowing {known(row['knows'])} still {found}; " if found else ""


def _how_sure(held: list[bool | None]) -> str:
    if False in held:
        return "promised, and BROKEN"
    return "promised as the file says, not all of it counted again here" if None in held else "verified"


def short_promise(promise: dict[str, Any]) -> str:
    """Say what is promised, from plain data."""
    match promise["kind"]:
        case "candidates":
            who = "everybody" if promise["for"] == "all" else "some people; THE OTHERS ARE NOT PROTECTED"
            whoever = f"whoever knows {known(promise['knows'])}"
            return f"{whoever} is left with at least {promise['k']:,} candidates for {who}"
        case "confusion":
            return f"every published entry could be of any of {promise['n']:,} people ({promise['ground']})"
        case "radius":
            return f"a similarity radius of {promise['l']:,} for {promise['k']:,} people ({promise['similarity']})"
        case "exchangeability":
            return f"{promise['k']:,} people are equally likely wherever somebody is sought, if all worlds are"
    return str(promise["kind"])


def _achieved(data: dict[str, Any]) -> str:
    parts = "; ".join(part for part in (_attack(data), _price(data)) if part)
    return f"{parts[0].upper()}{parts[1:]}." if parts else ""


def _attack(data: dict[str, Any]) -> str:
    best = data["verdict"]["attack"]
    if best is None:
        return ""
    guess = "" if best["guessing"] is None else f", where guessing comes to {format_percent(best['guessing'])}"
    reached = f"{format_rate(best)}, by its measure ({best['main']})"
    return f"the attack that got farthest, {attack_title(best['attack'])}, came to {reached}{guess}"


def _price(data: dict[str, Any]) -> str:
    made = data["changes"]
    if made is None or made["ratio"] is None:
        return ""
    gone = f"of {made['kept'] + made['removed']:,} links {made['removed']:,} were removed"
    return f"the price: {gone}, and {made['added']:,} added"


def amount(value: Any) -> str:
    """Write a measured value; a share of some is never 0, one of not all is never 1.

    >>> amount(0.99999), amount(0.25), amount(1204)
    ('>0.999', '0.25', '1,204')
    """
    inner = isinstance(value, float) and 0 < value < 1
    return short(value) if inner and written(value) in ("0", "1") else written(value)


def row_means(row: dict[str, Any], k: int) -> str:
    """Say what the numbers of one kind of knowledge mean.

    >>> row = {"knows": "degree", "k": 3, "proved": True, "all_proved": True, "alone": 0, "below": 0, "vertices": 9}
    >>> row_means(row | {"misled": 0, "recoded": []}, 2)
    'Whoever knows how many links somebody has is left with 3 candidates or more: a guess among them, with nothing...'
    """
    n, who = row["vertices"], f"Whoever knows {known(row['knows'])}"
    least = "" if row["all_proved"] else "at least "
    if row["k"] == 0:
        return f"{who} finds nobody whom this fits: all {n:,} people are misled about, which is not safety."
    if row["k"] == 1:
        part = share(row["alone"], n, least=not row["all_proved"])
        told = f"{who} can single out {least}{row['alone']:,} of {n:,} people ({part})"
    elif not row["proved"]:
        told = f"{who} is left with {exactly(row['k'], False)} candidates for somebody; the search was cut short"
    else:
        guess = f"a guess among them, with nothing else to go by, is right 1 time in {row['k']:,} at best"
        told = f"{who} is left with {row['k']:,} candidates or more: {guess}"
    misled = (
        f" About {row['misled']:,} others nothing fits; the attacker is wrong, which is not safety."
        if row["misled"]
        else ""
    )
    recoded = (
        f" Values of {listed(row['recoded'])} were recoded, so that comparing them says little."
        if row["recoded"]
        else ""
    )
    return f"{told}.{misled}{recoded}"
