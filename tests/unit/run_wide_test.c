/* A ring: row k has d_k in column k and 0.1 d_(k+1) in column k + 1, so the
 * determinant is d_1 ... d_n (1 - (-0.1)^n), with d_k = 0 what is not determined
 * is k, and the sign is that of the product. Rows and columns stand among others. */
#include "check.h"
#include "run/wide.h"
#include "support/faulty_memory.h"

enum { N = 40, ROWS = 2 * N, FIRST = 5 };

typedef struct ring {
    int64_t start[ROWS + 1];
    int32_t row[3 * N];
    double values[3 * N], size[2][N];
    int32_t column[N], row_at[ROWS];
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
        g->row_at[2 * k] = FIRST + k;
        g->row_at[2 * k + 1] = -1;
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

static wide_request request_of(const ring *g, const dae_allocator *allocator)
{
    return (wide_request){
        &g->pattern, g->column, g->row_at, FIRST, N, allocator};
}

static void what_is_lost_is_found(void **state)
{
    static ring g;
    arena a;
    wide w;
    double d[N], distance;
    size_t column;
    (void)state;
    arena_init(&a, NULL, 0);
    ring_init(&g);
    const wide_request q = request_of(&g, NULL);
    CHECK_STATUS(wide_init(&w, &q, &a), DAE_OK);
    for (size_t k = 0; k < N; k++) d[k] = 1 + (double)k;
    ring_fill(&g, d);
    wide_scale(&w, g.values, g.size[0], g.size[1]);
    assert_int_equal(
        wide_look(&w, g.values, g.size[0], g.size[1], &distance, &column), 1);
    assert_true(distance > 0.25 && distance < 4);
    for (int k = 8; k >= -8; k--) {
        d[17] = 18 * (k < 0 ? -1 : 1) * pow(10, -8 + abs(k));
        if (k == 0) continue;
        ring_fill(&g, d);
        const int sign = wide_look(
            &w, g.values, g.size[0], g.size[1], &distance, &column);
        assert_int_equal(sign, k < 0 ? -1 : 1);
        if (abs(k) > 6) continue;
        assert_int_equal(column, 17);
        const double share = fabs(d[17]) / 18;
        assert_true(distance > 0.25 * share && distance < 4 * share);
    }
    d[17] = 0;
    ring_fill(&g, d);
    assert_int_equal(
        wide_look(&w, g.values, g.size[0], g.size[1], &distance, &column), 0);
    CHECK_NEAR(distance, 0, 0);
    wide_clear(&w);
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
        const wide_request q = request_of(&g, &m.allocator);
        arena a;
        wide w = {.n = 0};
        arena_init(&a, &m.allocator, 0);
        const dae_status st = wide_init(&w, &q, &a);
        has_failed = m.failures > 0;
        CHECK_STATUS(st, st && has_failed ? DAE_MEMORY : DAE_OK);
        wide_clear(&w);
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
