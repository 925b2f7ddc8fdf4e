# Loops over all points for one column. They are C, because a C compiler can be asked for a second version with wider
# vector instructions, which is chosen when the program starts (GNU C on Linux); nothing else is faster there.

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>

    #ifdef __GNUC__
    #pragma GCC diagnostic ignored "-Wunused-function"
    #endif
    #if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
    #define SHOAL_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define SHOAL_WIDE
    #endif

    /* Add 1 where a code differs. */
    SHOAL_WIDE static void shoal_add_different(double *to, const int32_t *codes, int32_t wanted, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += codes[i] != wanted ? 1.0 : 0.0;
    }

    /* Add 1 where a number is not missing. */
    SHOAL_WIDE static void shoal_add_present(double *to, const double *numbers, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += numbers[i] != numbers[i] ? 0.0 : 1.0;
    }

    /* Add the scaled difference from a number, and 1 where a number is missing. */
    SHOAL_WIDE static void shoal_add_apart(double *to, const double *numbers, double number, double scale, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) {
            double apart = fabs(numbers[i] - number) * scale;
            to[i] += apart != apart ? 1.0 : apart;
        }
    }

    /* The same for longer codes. */
    SHOAL_WIDE static void shoal_add_different_long(double *to, const int64_t *codes, int64_t wanted, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += codes[i] != wanted ? 1.0 : 0.0;
    }

    /* Add the squared difference from a number, and 1 where a number is missing. */
    SHOAL_WIDE static void shoal_add_squares(double *to, const double *numbers, double number, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) {
            double apart = numbers[i] - number;
            apart *= apart;
            to[i] += apart != apart ? 1.0 : apart;
        }
    }

    /* Multiply by a number. */
    SHOAL_WIDE static void shoal_multiply(int32_t *to, int32_t by, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] *= by;
    }

    /* Add a level where a number is missing. */
    SHOAL_WIDE static void shoal_add_missing(int32_t *to, const double *numbers, int32_t level, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += numbers[i] != numbers[i] ? level : 0;
    }

    /* Add 1 where a number is within a limit of another. */
    SHOAL_WIDE static void shoal_add_within(int32_t *to, const double *numbers, double number, double limit, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += fabs(numbers[i] - number) <= limit;
    }

    /* Append a bit: whether a code is the wanted one. */
    SHOAL_WIDE static void shoal_append_equal(int32_t *to, const int32_t *codes, int32_t wanted, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] = 2 * to[i] + (codes[i] == wanted);
    }

    /* Return the smallest number; there is one or more. Eight at a time: comparisons need no order. */
    SHOAL_WIDE static double shoal_find_least(const double *row, Py_ssize_t n) {
        double least[8];
        Py_ssize_t i = 0;
        for (int j = 0; j < 8; j++) least[j] = row[0];
        for (; i + 8 <= n; i += 8)
            for (int j = 0; j < 8; j++) least[j] = row[i + j] < least[j] ? row[i + j] : least[j];
        for (; i < n; i++) least[0] = row[i] < least[0] ? row[i] : least[0];
        for (int j = 1; j < 8; j++) least[0] = least[j] < least[0] ? least[j] : least[0];
        return least[0];
    }

    /* Count the numbers up to a bound. */
    SHOAL_WIDE static int64_t shoal_count_within(const double *row, double bound, Py_ssize_t n) {
        int64_t count = 0;
        for (Py_ssize_t i = 0; i < n; i++) count += row[i] <= bound;
        return count;
    }

    /* Count two codes in each row, and take them from a third number; a row has fewer than 2**31 codes. */
    SHOAL_WIDE static void shoal_count_in_rows(
        int32_t *one, int32_t *other, int32_t *rest, const int64_t *indptr, const int32_t *codes,
        int32_t wanted, int32_t second, Py_ssize_t n
    ) {
        for (Py_ssize_t v = 0; v < n; v++) {
            int32_t a = 0, b = 0;
            for (int64_t e = indptr[v]; e < indptr[v + 1]; e++) {
                a += codes[e] == wanted;
                b += codes[e] == second;
            }
            one[v] = a;
            other[v] = b;
            rest[v] -= a + b;
        }
    }

    /* Add a multiple. */
    SHOAL_WIDE static void shoal_add_multiple(int64_t *to, const int32_t *numbers, int64_t times, Py_ssize_t n) {
        for (Py_ssize_t i = 0; i < n; i++) to[i] += numbers[i] * times;
    }
    """
    void add_different "shoal_add_different"(double *to, const int32_t *codes, int32_t wanted, Py_ssize_t n) noexcept nogil
    void add_present "shoal_add_present"(double *to, const double *numbers, Py_ssize_t n) noexcept nogil
    void add_apart "shoal_add_apart"(double *to, const double *numbers, double number, double scale, Py_ssize_t n) noexcept nogil
    void add_different_long "shoal_add_different_long"(double *to, const int64_t *codes, int64_t wanted, Py_ssize_t n) noexcept nogil
    void add_squares "shoal_add_squares"(double *to, const double *numbers, double number, Py_ssize_t n) noexcept nogil
    void multiply "shoal_multiply"(int32_t *to, int32_t by, Py_ssize_t n) noexcept nogil
    void add_missing "shoal_add_missing"(int32_t *to, const double *numbers, int32_t level, Py_ssize_t n) noexcept nogil
    void add_within "shoal_add_within"(int32_t *to, const double *numbers, double number, double limit, Py_ssize_t n) noexcept nogil
    void append_equal "shoal_append_equal"(int32_t *to, const int32_t *codes, int32_t wanted, Py_ssize_t n) noexcept nogil
    double find_least "shoal_find_least"(const double *row, Py_ssize_t n) noexcept nogil
    long long count_within "shoal_count_within"(const double *row, double bound, Py_ssize_t n) noexcept nogil
    void count_in_rows "shoal_count_in_rows"(int32_t *one, int32_t *other, int32_t *rest, const int64_t *indptr, const int32_t *codes, int32_t wanted, int32_t second, Py_ssize_t n) noexcept nogil
    void add_multiple "shoal_add_multiple"(int64_t *to, const int32_t *numbers, int64_t times, Py_ssize_t n) noexcept nogil
