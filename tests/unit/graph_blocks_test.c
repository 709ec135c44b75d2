/* Block orders: triangular, and as fine as reachability says. */
#include "check.h"
#include "graph/blocks.h"
#include "random.h"

enum { MOST = 30 };

typedef struct graph {
    size_t n;
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    int32_t row_of[MOST]; /* a random permutation that has entries */
} graph;

static void make_random(graph *g, random_state *r, size_t percent)
{
    int64_t at = 0;
    g->n = 1 + random_below(r, MOST - 1);
    for (size_t j = 0; j < g->n; j++) g->row_of[j] = (int32_t)j;
    for (size_t j = g->n; j-- > 1;) {
        const size_t k = random_below(r, j + 1);
        const int32_t other = g->row_of[j];
        g->row_of[j] = g->row_of[k];
        g->row_of[k] = other;
    }
    for (size_t j = 0; j < g->n; j++) {
        g->start[j] = at;
        for (size_t i = 0; i < g->n; i++)
            if ((int32_t)i == g->row_of[j] || random_below(r, 100) < percent)
                g->row[at++] = (int32_t)i;
    }
    g->start[g->n] = at;
}

/* reach[j][k]: column j leads to column k (k's equation needs j). */
static void find_reach(const graph *g, bool reach[MOST][MOST])
{
    memset(reach, 0, MOST * sizeof *reach);
    for (size_t j = 0; j < g->n; j++) {
        reach[j][j] = true;
        for (int64_t p = g->start[j]; p < g->start[j + 1]; p++)
            for (size_t k = 0; k < g->n; k++)
                if (g->row_of[k] == g->row[p]) reach[j][k] = true;
    }
    for (size_t m = 0; m < g->n; m++)
        for (size_t j = 0; j < g->n; j++)
            for (size_t k = 0; k < g->n; k++)
                if (reach[j][m] && reach[m][k]) reach[j][k] = true;
}

static void test_random_graphs(void **state)
{
    (void)state;
    random_state r = {7};
    for (int t = 0; t < 400; t++) {
        graph g;
        static bool reach[MOST][MOST];
        int32_t columns[MOST], start[MOST + 1];
        size_t count, block_of[MOST];
        make_random(&g, &r, random_below(&r, 12));
        find_reach(&g, reach);
        CHECK_STATUS(blocks_order(g.n, g.start, g.row, g.row_of, NULL, columns,
                         start, &count),
            DAE_OK);
        assert_int_equal(start[0], 0);
        assert_int_equal(start[count], g.n);
        for (size_t j = 0; j < g.n; j++) block_of[j] = SIZE_MAX;
        for (size_t b = 0; b < count; b++)
            for (int32_t c = start[b]; c < start[b + 1]; c++)
                block_of[columns[c]] = b;
        for (size_t j = 0; j < g.n; j++) {
            assert_true(block_of[j] < count);
            for (size_t k = 0; k < g.n; k++) {
                const bool is_same = reach[j][k] && reach[k][j];
                assert_int_equal(block_of[j] == block_of[k], is_same);
                if (reach[j][k]) assert_true(block_of[j] <= block_of[k]);
            }
        }
    }
}

/* As deep as it is long: an explicit stack holds it. */
static void test_long_cycle_and_chain(void **state)
{
    (void)state;
    const size_t n = 300000;
    int64_t *start = calloc(n + 1, sizeof *start);
    int32_t *row = calloc(2 * n, sizeof *row);
    int32_t *row_of = calloc(n, sizeof *row_of);
    int32_t *columns = calloc(n, sizeof *columns);
    int32_t *block = calloc(n + 1, sizeof *block);
    for (int is_cycle = 0; is_cycle < 2; is_cycle++) {
        size_t count;
        int64_t at = 0;
        for (size_t j = 0; j < n; j++) {
            start[j] = at;
            row_of[j] = (int32_t)j;
            if (j + 1 == n && is_cycle) row[at++] = 0;
            row[at++] = (int32_t)j;
            if (j + 1 < n) row[at++] = (int32_t)j + 1;
        }
        start[n] = at;
        CHECK_STATUS(
            blocks_order(n, start, row, row_of, NULL, columns, block, &count),
            DAE_OK);
        assert_int_equal(count, is_cycle ? 1 : n);
        if (is_cycle) continue;
        for (size_t j = 0; j < n; j++) assert_int_equal(columns[j], j);
    }
    free(start);
    free(row);
    free(row_of);
    free(columns);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_long_cycle_and_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
