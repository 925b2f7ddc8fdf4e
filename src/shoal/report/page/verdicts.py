"""The verdict in plain sentences, for whoever reads nothing else."""

from __future__ import annotations

from typing import Any

from shoal.report.page.charts import percent
from shoal.report.page.knowledge import known, title
from shoal.report.wording import exactly, listed, share


def sentences(data: dict[str, Any]) -> list[str]:
    r"""Return three sentences or so: how it was, how it is, what an attacker achieved and what it cost.

    >>> import shoal
    >>> print(*sentences(shoal.audit(shoal.examples.florentine(), k=2, knows=["degree"]).data), sep="\n")
    Before: whoever knows how many links somebody has singles out 1 of 15 people (6.7 %); 1 has fewer than 2 candid...
    Nothing was done to these data: against 1 of 1 kinds of knowledge the risk of somebody is above 0.09 (number of...
    """
    found = [_before(data), _promise(data), _after(data), _attack(data), _cost(data)]
    return [sentence for sentence in found if sentence]


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


def _promise(data: dict[str, Any]) -> str:
    if data["output"] is None:
        return ""
    if data["method"] is None:
        return "Nobody wrote down how the release was made, so that no promise is known."
    if not data["promise"]:
        return f"The release was made by {data['method']['name']}, which promises nothing."
    kept = (
        "its promise was verified before it was handed over" if data["verification"] else "its promise was not verified"
    )
    told = listed([short_promise(p) for p in data["promise"]])
    return f"The release was made by {data['method']['name']}, and {kept}: {told}."


def short_promise(promise: dict[str, Any]) -> str:
    """Say what is promised, from plain data."""
    match promise["kind"]:
        case "candidates":
            who = "everybody" if promise["for"] == "all" else "those who were to be protected"
            whoever = f"whoever knows {known(promise['knows'])}"
            return f"{whoever} is left with at least {promise['k']:,} candidates for {who}"
        case "confusion":
            return f"every published entry could be of any of {promise['n']:,} people ({promise['ground']})"
        case "radius":
            return f"a similarity radius of {promise['l']:,} for {promise['k']:,} people ({promise['similarity']})"
        case "exchangeability":
            return f"{promise['k']:,} people are equally likely wherever somebody is sought, if all worlds are"
    return str(promise["kind"])


def _after(data: dict[str, Any]) -> str:
    found, limit = data["verdict"], f"{_threshold(data):g}"
    kinds = found["kinds"]
    if data["output"] is None:
        fails = f"against {len(found['fail'])} of {kinds} kinds of knowledge the risk of somebody is above {limit}"
        return f"Nothing was done to these data: {fails}{_named(found['fail'])}."
    parts = [f"passed against {len(found['pass'])} of {kinds} kinds of knowledge"]
    parts += [f"missed against {len(found['fail'])}{_named(found['fail'])}"] if found["fail"] else []
    unsure = found["cannot tell"]
    parts += [f"not to be judged against {len(unsure)}{_named(unsure)}"] if unsure else []
    return f"After: the threshold, a risk of at most {limit} for everybody, is {listed(parts)}."


def _named(specs: list[str]) -> str:
    return f" ({'; '.join(map(title, specs))})" if specs else ""


def _attack(data: dict[str, Any]) -> str:
    best = data["verdict"]["attack"]
    if best is None:
        return ""
    guess = "" if best["guessing"] is None else f"; guessing comes to {100 * best['guessing']:.2g} %"
    came = f"came to {percent(best)} by its measure, {best['main']}"
    return f"The attack that went farthest, {best['attack']}, {came}{guess}."


def _cost(data: dict[str, Any]) -> str:
    made = data["changes"]
    if made is None or made["ratio"] is None:
        return ""
    total = made["kept"] + made["removed"]
    links = f"{made['removed']:,} of {total:,} links were removed and {made['added']:,} added"
    return f"The price: {links} ({100 * made['ratio']:.1f} % of the links)."


def row_means(row: dict[str, Any], k: int) -> str:
    """Say what the numbers of one kind of knowledge mean.

    >>> row = {"knows": "degree", "k": 3, "proved": True, "all_proved": True, "alone": 0, "below": 0, "vertices": 9}
    >>> row_means(row | {"misled": 0, "recoded": []}, 2)
    'Whoever knows how many links somebody has is left with 3 candidates or more: a guess is right 1 time in 3 at best.'
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
        told = f"{who} is left with {row['k']:,} candidates or more: a guess is right 1 time in {row['k']:,} at best"
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
