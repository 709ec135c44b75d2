/* Rank and null vectors of sparse matrices, against dense QR and by hand. */
#include "linalg/rank_revealing_qr.h"
#include "linalg/sparse_rank.h"
#include "linalg/thresholds.h"
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

static void check_vectors(
    sparse_rank *s, const double *a, size_t rows, size_t columns)
{
    double v[MOST];
    for (size_t i = 0; i < rows; i++) {
        if (sparse_rank_has_row(s, i)) continue;
        CHECK_STATUS(sparse_rank_left_null_vector(s, i, v), DAE_OK);
        CHECK_NEAR(v[i], 1, 0);
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (size_t k = 0; k < rows; k++) sum += v[k] * a[j * rows + k];
            CHECK_NEAR(sum, 0, 1e-10);
        }
    }
    for (size_t j = 0; j < columns; j++) {
        if (sparse_rank_has_column(s, j)) continue;
        CHECK_STATUS(sparse_rank_null_vector(s, j, v), DAE_OK);
        CHECK_NEAR(v[j], 1, 0);
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t k = 0; k < columns; k++) sum += a[k * rows + i] * v[k];
            CHECK_NEAR(sum, 0, 1e-10);
        }
    }
}

static void ranks_are_those_of_dense_factors(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    for (uint32_t seed = 0; seed < 40; seed++) {
        const size_t rows = 20 + seed, columns = 59 - seed;
        sparse_rank *s;
        make(a, rows, columns, seed);
        CHECK_STATUS(sparse_rank_create(
                         pack(&k, rows, columns, a), rank_zero(MOST), NULL, &s),
            DAE_OK);
        assert_int_equal(sparse_rank_count(s), dense_rank(a, rows, columns));
        check_vectors(s, a, rows, columns);
        sparse_rank_free(s);
    }
}

/* x1 - x0, x2 - x1, ..., and last what all of these add up to. */
static void the_last_link_of_a_ring_depends(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    double u[MOST];
    sparse_rank *s;
    size_t lost = MOST;
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < MOST; i++) {
        a[i * MOST + i] = -1;
        a[(i + 1) % MOST * MOST + i] = 1;
    }
    CHECK_STATUS(
        sparse_rank_create(pack(&k, MOST, MOST, a), rank_zero(MOST), NULL, &s),
        DAE_OK);
    assert_int_equal(sparse_rank_count(s), MOST - 1);
    for (size_t i = 0; i < MOST; i++)
        if (!sparse_rank_has_row(s, i)) lost = i;
    assert_true(lost < MOST);
    CHECK_STATUS(sparse_rank_left_null_vector(s, lost, u), DAE_OK);
    for (size_t i = 0; i < MOST; i++) CHECK_NEAR(u[i], 1, 1e-13);
    sparse_rank_free(s);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    static packed k;
    double u[MOST];
    dae_status st = DAE_MEMORY;
    make(a, 20, 20, 7);
    const matrix_view *m = pack(&k, 20, 20, a);
    for (size_t n = 0; st; n++) {
        failing_memory memory;
        sparse_rank *s;
        failing_init(&memory, n);
        st = sparse_rank_create(m, rank_zero(20), &memory.allocator, &s);
        for (size_t i = 0; i < 20 && !st; i++)
            if (!sparse_rank_has_row(s, i))
                st = sparse_rank_left_null_vector(s, i, u);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        sparse_rank_free(s);
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
