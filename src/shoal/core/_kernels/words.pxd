# 64-bit words: hashes, random numbers and counts of bits, for all kernels.
#
# These are inline functions of a header, not of a module: each kernel that cimports them gets its own copy, so that the
# C compiler can put them into its loops. A mask of 0 makes every hash collide: tests force the exact checks with it.

from libc.math cimport exp, pow
from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t scramble(uint64_t x) noexcept nogil:
    """Scramble 64 bits (the last step of splitmix64); a bijection that keeps 0."""
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EBULL
    return x ^ (x >> 31)


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """Scramble 64 bits, 0 too (splitmix64); a bijection."""
    return scramble(x + <uint64_t>0x9E3779B97F4A7C15ULL)


cdef inline uint64_t mix_again(uint64_t x) noexcept nogil:
    """Scramble 64 bits in another way, for the second half of a hash."""
    x = (x ^ (x >> 31)) * <uint64_t>0x9E3779B97F4A7C15ULL
    x = (x ^ (x >> 27)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 30)) * <uint64_t>0x94D049BB133111EBULL
    return x ^ (x >> 31)


cdef inline uint64_t draw(uint64_t[::1] random) noexcept nogil:
    """Return 64 random bits (splitmix64); `random` holds the state of the generator."""
    cdef uint64_t bits = mix(random[0])
    random[0] += <uint64_t>0x9E3779B97F4A7C15ULL
    return bits


cdef inline int64_t below(uint64_t[::1] random, uint64_t limit) noexcept nogil:
    """Return a random whole number from 0 to limit - 1; the bias is below limit / 2**32."""
    return <int64_t>(((draw(random) >> 32) * limit) >> 32)


cdef inline double fraction(uint64_t bits) noexcept nogil:
    """Return 64 random bits as a number from 0 to 1."""
    return <double>(bits >> 11) * (1.0 / 9007199254740992.0)


cdef inline double chance(uint64_t[::1] random) noexcept nogil:
    """Return a random number from 0 to 1."""
    return fraction(draw(random))


cdef inline bint accept(uint64_t[::1] random, double more, double heat) noexcept nogil:
    """Decide whether annealing takes a change that costs `more`: always if it costs nothing, else by chance."""
    return more <= 0 or (heat > 0.0 and chance(random) < exp(-more / heat))


cdef inline double cooling(int64_t proposals, double hot, double cold) noexcept nogil:
    """Return the factor by which the heat falls with every 64 proposals on the way from `hot` to `cold`."""
    cdef int64_t steps = proposals // 64
    return pow(cold / hot, 1.0 / (steps if steps > 1 else 1)) if hot > 0.0 else 1.0


cdef inline int64_t count_ones(uint64_t x) noexcept nogil:
    """Count the bits of a word that are set."""
    x = x - ((x >> 1) & <uint64_t>0x5555555555555555ULL)
    x = (x & <uint64_t>0x3333333333333333ULL) + ((x >> 2) & <uint64_t>0x3333333333333333ULL)
    x = (x + (x >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0FULL
    return <int64_t>((x * <uint64_t>0x0101010101010101ULL) >> 56)


cdef inline uint64_t lowest(uint64_t word) noexcept nogil:
    """Return the lowest set bit of a word that is not 0, as a word."""
    return word & (~word + 1)
