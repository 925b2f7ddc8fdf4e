"""64-bit words: hashes, random numbers, counts of bits, and the chance to accept a loss.

A mask of 0 makes every hash collide: tests force the exact checks with it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xBF58476D1CE4E5B9)
_C = np.uint64(0x94D049BB133111EB)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(nogil=True, cache=True, inline="always")
def scramble(x):
    """Scramble 64 bits (the last step of splitmix64); a bijection that leaves 0."""
    x = (x ^ (x >> _S30)) * _B
    x = (x ^ (x >> _S27)) * _C
    return x ^ (x >> _S31)


@njit(nogil=True, cache=True, inline="always")
def mix(x):
    """Scramble 64 bits, 0 too (splitmix64); a bijection."""
    return scramble(x + _A)


@njit(nogil=True, cache=True, inline="always")
def mix_again(x):
    """Scramble 64 bits in another way, for the second half of the hash."""
    x = (x ^ (x >> _S31)) * _A
    x = (x ^ (x >> _S27)) * _B
    x = (x ^ (x >> _S30)) * _C
    return x ^ (x >> _S31)


@njit(nogil=True, cache=True)
def draw(random):
    """Return 64 random bits (splitmix64); `random` holds the state of the generator."""
    bits = mix(random[0])
    random[0] += _A
    return bits


@njit(nogil=True, cache=True)
def below(random, limit):
    """Return a random whole number from 0 to limit - 1; the bias is below limit / 2**32."""
    return np.int64(((draw(random) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@njit(nogil=True, cache=True)
def chance(random):
    """Return a random number from 0 to 1."""
    return fraction(draw(random))


@njit(nogil=True, cache=True)
def fraction(bits):
    """Return 64 random bits as a number from 0 to 1."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True, cache=True)
def accept(random, more, heat):
    """Tell whether annealing takes a change that costs so much more: always if nothing, else by chance."""
    return more <= 0 or (heat > 0.0 and chance(random) < np.exp(-more / heat))


@njit(nogil=True, cache=True)
def cooling(proposals, hot, cold):
    """Return the factor by which it gets colder with every 64 proposals on the way from `hot` to `cold`."""
    return (cold / hot) ** (1.0 / max(1, proposals // 64)) if hot > 0.0 else 1.0


@njit(nogil=True, cache=True, inline="always")
def count_ones(x):
    """Count the bits of a word."""
    x = x - ((x >> _1) & _ODD)
    x = (x & _PAIRS) + ((x >> _2) & _PAIRS)
    x = (x + (x >> _4)) & _NIBBLES
    return np.int64((x * _BYTES) >> _56)


@njit(nogil=True, cache=True)
def lowest(word):
    """Return the lowest bit of a word that is not 0, alone."""
    return word & (~word + _1)
