"""Seeds: every random choice starts from one whole number, which a mapping can record and a later run can repeat."""

from __future__ import annotations

import secrets
from typing import Any, Generic, TypeVar

import numpy as np

from shoal.errors import BadParameter, notice, show_value, whole

AnySeed = int | np.random.Generator
"""What a parameter `seed` takes."""
GUESSED = 2**64
"""Seeds below this number can be guessed."""
Default = TypeVar("Default", bound=int | None)


def parse_seed(seed: AnySeed, who: str) -> int:
    """Return a seed as an int; from a numpy Generator, draw one of 128 bits.

    >>> parse_seed(7, "compare"), parse_seed(np.random.default_rng(7), "compare").bit_length() > 64
    (7, True)
    >>> parse_seed(0.5, "compare")
    Traceback (most recent call last):
    ...
    shoal.errors.BadParameter: compare: 'seed' must be a whole number of 0 or more, or a numpy Generator. Got 0.5.
    """
    if isinstance(seed, np.random.Generator):
        return int.from_bytes(seed.bytes(16), "little")
    try:
        return whole(seed, who, "seed", least=0, most=None)
    except BadParameter:
        rule = "a whole number of 0 or more, or a numpy Generator"
        raise BadParameter(f"{who}: 'seed' must be {rule}. Got {show_value(seed)}.") from None


def draw_seed(seed: AnySeed | None, who: str) -> int:
    """Return a seed that must stay secret: the given one, or a random one of 128 bits.

    A notice says if the seed comes from a Generator that can be guessed.

    >>> draw_seed(7, "SwapWithin")
    7
    """
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, np.random.Generator) and _can_be_guessed(seed):
        notice(
            f"{who}: the seed must stay secret, and the Generator it is drawn from starts from a small number, which "
            "can be guessed. Omit the seed, or use numpy.random.default_rng() without a number."
        )
    return parse_seed(seed, who)


def _can_be_guessed(generator: np.random.Generator) -> bool:
    """Return whether the numbers that a Generator was made from have fewer than 64 bits in total."""
    start = getattr(generator.bit_generator.seed_seq, "entropy", None)
    numbers = [] if start is None else [start] if isinstance(start, int) else list(start)
    return bool(numbers) and sum(int(number).bit_length() for number in numbers) < GUESSED.bit_length()


class Seed(Generic[Default]):
    """The field `seed` of a method: it takes an int or a numpy Generator and holds an int.

    The int is drawn from the Generator once, when the method is made. So a method gives the same release each time, and
    two methods with the same Generator have different seeds.

    Parameters
    ----------
    default
        The seed if none is given; None may mean that the method draws one for each release, or needs none.
    secret
        Whether a guarantee rests on the seed, or an attacker who knows it may undo edits.
    """

    def __init__(self, default: Default, *, secret: bool = False) -> None:
        self.default, self.secret = default, secret

    def __get__(self, method: object | None, kind: type | None = None) -> int | Default:
        held: Any = self.default if method is None else vars(method)["seed"]
        return held  # type: ignore[no-any-return]

    def __set__(self, method: object, seed: AnySeed | Default) -> None:
        given: Any = seed
        parse = draw_seed if self.secret else parse_seed
        optional = given is None and self.default is None
        vars(method)["seed"] = None if optional else parse(given, type(method).__name__)
