/* A ring: row k has d_k in column k and 0.1 d_(k+1) in column k + 1, so the
 * determinant is d_1 ... d_n (1 - (-0.1)^n), with d_k = 0 what is not determined
 * is k, and the sign turns with that of d_k. Rows and columns stand among others. */
#include "check.h"
#include "linalg/leading.h"
#include "support/faulty_memory.h"

enum { N = 40, ROWS = 2 * N };

typedef struct ring {
    int64_t start[ROWS + 1];
    int32_t row[3 * N];
    double values[3 * N], size[2][N];
    int32_t column[N]; /* and rows */
    dae_pattern pattern;
} ring;

/* Columns and rows 2 k are the ring's; column 2 k has a row of others besides. */
static void ring_init(ring *g)
{
    int64_t at = 0;
    for (int32_t k = 0; k < N; k++) {
        const int32_t before = (k + N - 1) % N;
        g->start[2 * k] = at;
        const int32_t low = before < k ? before : k;
        const int32_t high = before < k ? k : before;
        g->row[at++] = 2 * low;
        g->row[at++] = 2 * low + 1;
        g->row[at++] = 2 * high;
        g->start[2 * k + 1] = at;
        g->column[k] = 2 * k;
    }
    g->start[ROWS] = at;
    g->pattern = (dae_pattern){.column_start = g->start, .row = g->row};
}

static void ring_fill(ring *g, const double *d)
{
    for (int32_t k = 0; k < N; k++)
        for (int64_t p = g->start[2 * k]; p < g->start[2 * k + 1]; p++)
            g->values[p] = g->row[p] == 2 * k ? d[k]
                : g->row[p] % 2 == 0          ? 0.1 * d[k]
                                              : 7;
}

static leading_request request_of(const ring *g, const dae_allocator *allocator)
{
    return (leading_request){
        &g->pattern, ROWS, N, g->column, g->column, 0, allocator};
}

static void what_is_lost_is_found(void **state)
{
    static ring g;
    arena a;
    leading l;
    double d[N];
    (void)state;
    arena_init(&a, NULL, 0);
    ring_init(&g);
    const leading_request q = request_of(&g, NULL);
    CHECK_STATUS(leading_init(&l, &q, &a), DAE_OK);
    assert_int_equal(l.blocks, 1);
    assert_false(leading_is_full(&l, 0));
    for (size_t k = 0; k < N; k++) d[k] = 1 + (double)k;
    ring_fill(&g, d);
    leading_begin(&l, g.values);
    leading_view v = leading_look(&l, g.values, 0);
    const int sign = v.sign;
    assert_int_equal(abs(sign), 1); /* of a block whose rows are ordered anew */
    assert_true(v.pivot > 0.25 && v.pivot < 4);
    for (int k = 8; k >= -8; k--) {
        d[17] = 18 * (k < 0 ? -1 : 1) * pow(10, -8 + abs(k));
        if (k == 0) continue;
        ring_fill(&g, d);
        v = leading_look(&l, g.values, 0);
        assert_int_equal(v.sign, k < 0 ? -sign : sign);
        if (abs(k) > 6) continue;
        assert_int_equal(l.column[v.column], 2 * 17);
        const double share = fabs(d[17]) / 18;
        assert_true(v.pivot > 0.25 * share && v.pivot < 4 * share);
    }
    d[17] = 0;
    ring_fill(&g, d);
    v = leading_look(&l, g.values, 0);
    assert_int_equal(v.sign, 0);
    CHECK_NEAR(v.pivot, 0, 0);
    leading_clear(&l);
    arena_clear(&a);
}

static void memory_may_run_out(void **state)
{
    static ring g;
    bool has_failed = true;
    (void)state;
    ring_init(&g);
    size_t n = 0;
    for (; has_failed; n++) {
        faulty_memory m;
        memory_init(&m);
        memory_arm(&m, MEMORY_FAILS_ONCE, n);
        const leading_request q = request_of(&g, &m.allocator);
        arena a;
        leading l;
        arena_init(&a, &m.allocator, 0);
        const dae_status st = leading_init(&l, &q, &a);
        has_failed = m.failures > 0;
        CHECK_STATUS(st, st && has_failed ? DAE_MEMORY : DAE_OK);
        leading_clear(&l);
        arena_clear(&a);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lost_is_found),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
