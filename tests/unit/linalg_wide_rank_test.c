/* The rank of sparse matrices, against dense QR and by hand. */
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "linalg/wide_matrix.h"
#include "support/check.h"
#include "support/faulty_memory.h"

enum { MOST = 60 };

typedef struct packed {
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    double values[MOST * MOST];
    matrix_view m;
} packed;

static const matrix_view *pack(
    packed *k, size_t rows, size_t columns, const double *a)
{
    int64_t at = 0;
    for (size_t j = 0; j < columns; j++) {
        k->start[j] = at;
        for (size_t i = 0; i < rows; i++) {
            if (a[j * rows + i] == 0) continue;
            k->row[at] = (int32_t)i;
            k->values[at++] = a[j * rows + i];
        }
    }
    k->start[columns] = at;
    k->m = (matrix_view){rows, columns, k->start, k->row, k->values};
    return &k->m;
}

static double next_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ((double)(*seed >> 8) + 0.5) / 8388608.0 - 1;
}

/* A tenth of the entries; each third row is the sum of the two before it. */
static void make(double *a, size_t rows, size_t columns, uint32_t seed)
{
    for (size_t k = 0; k < rows * columns; k++)
        a[k] = fabs(next_number(&seed)) < 0.1 ? next_number(&seed) : 0;
    for (size_t i = 2; i < rows; i += 3)
        for (size_t j = 0; j < columns; j++)
            a[j * rows + i] = a[j * rows + i - 1] + a[j * rows + i - 2];
}

static size_t dense_rank(const double *a, size_t rows, size_t columns)
{
    rrqr f;
    arena memory;
    arena_init(&memory, NULL, 0);
    assert_true(rrqr_init(&f, &memory, rows, columns));
    memcpy(f.a, a, rows * columns * sizeof *a);
    rrqr_factor(&f, rank_zero(MOST));
    const size_t rank = f.rank;
    arena_clear(&memory);
    return rank;
}

static void ranks_are_those_of_dense_factors(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    for (uint32_t seed = 0; seed < 40; seed++) {
        const size_t rows = 20 + seed, columns = 59 - seed;
        size_t rank;
        make(a, rows, columns, seed);
        const matrix_view *m = pack(&k, rows, columns, a);
        CHECK_STATUS(sparse_rank(m, rank_zero(MOST), NULL, &rank), DAE_OK);
        assert_int_equal(rank, dense_rank(a, rows, columns));
    }
}

/* x1 - x0, x2 - x1, ..., and last what all of these add up to. */
static void the_last_link_of_a_ring_depends(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    size_t rank;
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < MOST; i++) {
        a[i * MOST + i] = -1;
        a[(i + 1) % MOST * MOST + i] = 1;
    }
    const matrix_view *m = pack(&k, MOST, MOST, a);
    CHECK_STATUS(sparse_rank(m, rank_zero(MOST), NULL, &rank), DAE_OK);
    assert_int_equal(rank, MOST - 1);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    dae_status st = DAE_MEMORY;
    make(a, 20, 20, 7);
    const matrix_view *m = pack(&k, 20, 20, a);
    for (size_t n = 0; st; n++) {
        failing_memory memory;
        size_t rank;
        failing_init(&memory, n);
        st = sparse_rank(m, rank_zero(20), &memory.allocator, &rank);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_those_of_dense_factors),
        cmocka_unit_test(the_last_link_of_a_ring_depends),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
