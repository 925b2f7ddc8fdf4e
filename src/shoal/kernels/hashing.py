"""Order-free hashes of 2 x 64 bits. A mask of 0 makes everything collide: tests force the exact checks with it."""

from __future__ import annotations

import numpy as np
from numba import njit

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xBF58476D1CE4E5B9)
_C = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(nogil=True, cache=True, inline="always")
def mix(x):
    """Scramble 64 bits (splitmix64); a bijection."""
    x = x + _A
    x = (x ^ (x >> _S30)) * _B
    x = (x ^ (x >> _S27)) * _C
    return x ^ (x >> _S31)


@njit(nogil=True, cache=True, inline="always")
def mix_again(x):
    """Scramble 64 bits in another way, for the second half of the hash."""
    x = (x ^ (x >> _S31)) * _A
    x = (x ^ (x >> _S27)) * _B
    x = (x ^ (x >> _S30)) * _C
    return x ^ (x >> _S31)
