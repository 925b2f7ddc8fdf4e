"""Attack: somebody who holds some data of their own tries to find people in a release. One file an attack.

An attack is a frozen dataclass: what the attacker has and how the search goes. It is tried on the release and on what
the release must be compared with, each time under names in a new random order, so that nothing but the data helps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

from shoal.attacks.outcome import Outcome
from shoal.data.counterparts import Pair
from shoal.data.release import Release


class Attack(ABC):
    """A way to find people in a release."""

    shell: ClassVar[str]
    """Its name on the command line."""
    means: ClassVar[str]
    """One sentence: what the attacker has and does."""
    source: ClassVar[str]
    """Where it was published first."""
    main: ClassVar[str]
    """The rate to look at first."""

    @abstractmethod
    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Try it.

        Parameters
        ----------
        pair
            The original and the released graph, and who is who: the truth, by which success is judged.
        release
            The release where it is at hand, with its method and its classes; None where only its graph is.
        seed
            What every random choice is drawn from.
        """

    def settings(self) -> dict[str, Any]:
        """Return what it is run with, as plain data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
