"""Kinds of cases, and what a judge finds: how many answers it compared, and which of them are wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any


class Refused(Exception):
    """shoal refused a drawn question, which it may: nothing was judged."""


@dataclass
class Findings:
    """What a judge found in one case."""

    compared: int = 0
    wrong: list[str] = field(default_factory=list)

    def check(self, right: bool, told: str) -> None:
        """Count a comparison; note what is wrong."""
        self.compared += 1
        if not right:
            self.wrong.append(told)

    def equal(self, what: str, came: Any, expected: Any) -> None:
        """Compare an answer of shoal with that of the oracle."""
        self.check(bool(came == expected), f"{what}: shoal says {came!r}, the oracle {expected!r}")

    def near(self, what: str, came: float, expected: float) -> None:
        """Compare two floats."""
        self.check(
            abs(came - expected) <= 1e-9 * max(1.0, abs(expected)), f"{what}: shoal {came!r}, oracle {expected!r}"
        )


@dataclass(frozen=True)
class Kind:
    """A kind of cases."""

    name: str
    draw: Callable[[Random], dict[str, Any]]
    """Draws a case: plain data, which can be written into a file."""
    judge: Callable[[dict[str, Any], Findings], None]
    """Asks shoal and the oracle, and compares."""
    fault: str
    """The fault of faults.py that this judge must notice."""


KINDS: dict[str, Kind] = {}


def add_kind(
    name: str,
    draw: Callable[[Random], dict[str, Any]],
    judge: Callable[[dict[str, Any], Findings], None],
    fault: str,
) -> None:
    """Add a kind of cases."""
    if name in KINDS:
        raise ValueError(f"There are two kinds of cases called {name!r}.")
    KINDS[name] = Kind(name, draw, judge, fault)


def judge_case(name: str, case: dict[str, Any]) -> Findings:
    """Judge one case. An unexpected exception is a failure too; a refusal is passed on."""
    found = Findings()
    try:
        KINDS[name].judge(case, found)
    except Refused:
        raise
    except Exception as error:
        found.check(right=False, told=f"{type(error).__name__}: {error}")
    return found
