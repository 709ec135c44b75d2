/* Neither fill nor choice nor answer may depend on the order of equations. */
#include "check.h"
#include "linalg/linear.h"
#include "linalg/row_matching.h"
#include "random.h"

/* The five-point stencil on inner points of a square of m by m, walls held;
 * equation i of point i stands in row place[i]. Levels are those of heat
 * conduction: inner temperatures have derivatives, the walls' have none. */
typedef struct grid {
    size_t m, n;
    int32_t *place;
    int64_t *start;
    int32_t *row;
    uint8_t *level;
    double *values;
} grid;

static bool is_wall(const grid *g, size_t i, size_t j)
{
    return i == 0 || j == 0 || i + 1 == g->m || j + 1 == g->m;
}

/* Entry of the equation of point (i, j) in the column at hand, which is
 * (k, l); put in the right place among the column's rows. */
static void put(grid *g, size_t i, size_t j, size_t k, size_t l, int64_t *end)
{
    const bool is_own = i == k && j == l;
    const int64_t begin = g->start[k * g->m + l];
    if (is_wall(g, i, j) && !is_own) return;
    const int32_t row = g->place[i * g->m + j];
    int64_t at = (*end)++;
    for (; at > begin && g->row[at - 1] > row; at--) {
        g->row[at] = g->row[at - 1];
        g->level[at] = g->level[at - 1];
        g->values[at] = g->values[at - 1];
    }
    g->row[at] = row;
    g->level[at] = is_wall(g, k, l) ? 1 : is_own ? 2 : 0;
    g->values[at] = !is_own ? -1 : is_wall(g, i, j) ? 1 : 4.5;
}

static void grid_fill(grid *g)
{
    int64_t at = 0;
    for (size_t k = 0; k < g->m; k++) {
        for (size_t l = 0; l < g->m; l++) {
            g->start[k * g->m + l] = at;
            if (k > 0) put(g, k - 1, l, k, l, &at);
            if (l > 0) put(g, k, l - 1, k, l, &at);
            put(g, k, l, k, l, &at);
            if (l + 1 < g->m) put(g, k, l + 1, k, l, &at);
            if (k + 1 < g->m) put(g, k + 1, l, k, l, &at);
        }
    }
    g->start[g->n] = at;
}

typedef enum arrangement {
    AS_UNKNOWNS,
    INNER_FIRST,
    WALLS_FIRST,
    REVERSED,
    SHUFFLED,
    ARRANGEMENTS
} arrangement;

static void arrange(grid *g, arrangement how)
{
    int32_t next = 0;
    random_state r = {3};
    for (size_t p = 0; p < g->n; p++) g->place[p] = (int32_t)p;
    for (int pass = 0; pass < 2 && how <= WALLS_FIRST && how; pass++)
        for (size_t p = 0; p < g->n; p++)
            if (is_wall(g, p / g->m, p % g->m)
                == (pass == (how != WALLS_FIRST)))
                g->place[p] = next++;
    for (size_t p = 0; how == REVERSED && p < g->n; p++)
        g->place[p] = (int32_t)(g->n - 1 - p);
    for (size_t p = g->n; how == SHUFFLED && p-- > 1;) {
        const size_t q = random_below(&r, p + 1);
        const int32_t other = g->place[p];
        g->place[p] = g->place[q];
        g->place[q] = other;
    }
}

static void grid_init(grid *g, size_t m, arrangement how)
{
    g->m = m;
    g->n = m * m;
    g->place = calloc(g->n, sizeof *g->place);
    g->start = calloc(g->n + 1, sizeof *g->start);
    g->row = calloc(5 * g->n, sizeof *g->row);
    g->level = calloc(5 * g->n, sizeof *g->level);
    g->values = calloc(5 * g->n, sizeof *g->values);
    arrange(g, how);
    grid_fill(g);
}

static void grid_clear(grid *g)
{
    free(g->place);
    free(g->start);
    free(g->row);
    free(g->level);
    free(g->values);
}

static linear *open_grid(const grid *g, bool has_levels, dae_linear choice)
{
    linear *l;
    CHECK_STATUS(linear_create_aligned(g->n, g->start, g->row,
                     has_levels ? g->level : NULL, choice, NULL, &l),
        DAE_OK);
    return l;
}

/* Right side 1 + p/n in the equation of point p. */
static double *solve_grid(const grid *g, linear *l)
{
    double *x = calloc(g->n, sizeof *x);
    for (size_t p = 0; p < g->n; p++)
        x[g->place[p]] = 1 + (double)p / (double)g->n;
    const size_t size = (size_t)g->start[g->n] * sizeof *g->values;
    double *before = malloc(size);
    memcpy(before, g->values, size);
    CHECK_STATUS(linear_factor(l, g->values), DAE_OK);
    assert_memory_equal(g->values, before, size);
    free(before);
    CHECK_STATUS(linear_solve(l, x), DAE_OK);
    return x;
}

static void compare_arrangements(dae_linear choice, bool has_levels)
{
    grid ordered;
    grid_init(&ordered, 30, AS_UNKNOWNS);
    linear *l = open_grid(&ordered, has_levels, choice);
    double *x = solve_grid(&ordered, l);
    for (int how = AS_UNKNOWNS + 1; how < ARRANGEMENTS; how++) {
        grid g;
        grid_init(&g, 30, (arrangement)how);
        linear *other = open_grid(&g, has_levels, choice);
        double *y = solve_grid(&g, other);
        assert_string_equal(linear_name(other), linear_name(l));
        CHECK_NEAR((double)linear_fill(other), (double)linear_fill(l),
            0.1 * (double)linear_fill(l));
        for (size_t p = 0; p < g.n; p++) CHECK_NEAR(y[p], x[p], 1e-12 * x[p]);
        free(y);
        linear_free(other);
        grid_clear(&g);
    }
    free(x);
    linear_free(l);
    grid_clear(&ordered);
}

static void test_order_of_equations(void **state)
{
    (void)state;
    for (int has_levels = 0; has_levels < 2; has_levels++) {
        compare_arrangements(DAE_LINEAR_AUTO, has_levels);
        compare_arrangements(DAE_LINEAR_DENSE, has_levels);
        compare_arrangements(DAE_LINEAR_KLU, has_levels);
#ifdef DAE_HAVE_UMFPACK
        compare_arrangements(DAE_LINEAR_UMFPACK, has_levels);
#endif
    }
}

static void test_every_equation_finds_its_unknown(void **state)
{
    (void)state;
    for (int how = AS_UNKNOWNS; how < ARRANGEMENTS; how++) {
        grid g;
        bool is_moved;
        grid_init(&g, 12, (arrangement)how);
        int32_t *row_of = calloc(g.n, sizeof *row_of);
        for (int k = 0; k < 2; k++) {
            CHECK_STATUS(align_rows(g.n, g.start, g.row, k ? g.level : NULL,
                             NULL, row_of, &is_moved),
                DAE_OK);
            assert_int_equal(is_moved, how != AS_UNKNOWNS);
            for (size_t p = 0; p < g.n; p++)
                assert_int_equal(row_of[p], g.place[p]);
        }
        free(row_of);
        grid_clear(&g);
    }
}

/* A full matrix but for levels: those decide, against the diagonal too. */
static void test_levels_come_first(void **state)
{
    (void)state;
    const int64_t start[] = {0, 3, 6, 9};
    const int32_t row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const uint8_t level[] = {0, 2, 0, 0, 2, 0, 1, 0, 0};
    int32_t row_of[3];
    bool is_moved;
    CHECK_STATUS(
        align_rows(3, start, row, NULL, NULL, row_of, &is_moved), DAE_OK);
    assert_false(is_moved);
    CHECK_STATUS(
        align_rows(3, start, row, level, NULL, row_of, &is_moved), DAE_OK);
    assert_true(is_moved);
    /* row 1 serves column 0 or 1, column 2 gets row 0 */
    assert_int_equal(row_of[2], 0);
    assert_true(row_of[0] == 1 || row_of[1] == 1);
    assert_int_equal(row_of[0] + row_of[1], 3);
}

static void test_singular_patterns_stay(void **state)
{
    (void)state;
    const int64_t start[] = {0, 1, 4, 5};
    const int32_t row[] = {1, 0, 1, 2, 1};
    int32_t row_of[3];
    bool is_moved = true;
    CHECK_STATUS(
        align_rows(3, start, row, NULL, NULL, row_of, &is_moved), DAE_OK);
    assert_false(is_moved);
    for (int j = 0; j < 3; j++) assert_int_equal(row_of[j], j);
    CHECK_STATUS(
        align_rows(0, start, row, NULL, NULL, row_of, &is_moved), DAE_OK);
    assert_false(is_moved);
}

static void check_singular(const grid *g, int64_t row, int64_t column)
{
    const dae_linear choices[] = {DAE_LINEAR_KLU, DAE_LINEAR_UMFPACK};
    for (int k = 0; k < 2; k++) {
        linear *l = NULL;
        int64_t i, j;
        const dae_status st = linear_create_aligned(
            g->n, g->start, g->row, g->level, choices[k], NULL, &l);
        if (st == DAE_UNSUPPORTED) continue;
        CHECK_STATUS(st, DAE_OK);
        CHECK_STATUS(linear_factor(l, g->values), DAE_NUMERIC);
        linear_singular_at(l, &i, &j);
        if (row >= 0) assert_int_equal(i, row);
        else assert_true(i >= 0 && i < (int64_t)g->n);
        if (column >= 0) assert_int_equal(j, column);
        else assert_true(j >= 0 && j < (int64_t)g->n);
        linear_free(l);
    }
}

/* An equation that vanishes, then an unknown that vanishes. */
static void test_singular_places_are_the_callers(void **state)
{
    (void)state;
    for (int how = INNER_FIRST; how < ARRANGEMENTS; how++) {
        grid g;
        grid_init(&g, 9, (arrangement)how);
        const int32_t lost = g.place[40];
        for (int64_t p = 0; p < g.start[g.n]; p++)
            if (g.row[p] == lost) g.values[p] = 0;
        check_singular(&g, lost, -1);
        grid_fill(&g);
        for (int64_t p = g.start[31]; p < g.start[32]; p++) g.values[p] = 0;
        check_singular(&g, -1, 31);
        grid_clear(&g);
    }
}

/* Rows of a matrix without structure: row 2 is twice row 0, in numbers. */
static void test_dependent_row_after_moving(void **state)
{
    (void)state;
    enum { n = 5 };
    const double dense[n][n] = {
        {0, 0, 1, 0, 3},
        {0, 5, 0, 1, 0},
        {0, 0, 2, 0, 6},
        {7, 0, 1, 0, 0},
        {1, 0, 0, 4, 0},
    };
    int64_t start[n + 1] = {0}, row = -1, column = -1, at = 0;
    int32_t rows[n * n];
    double values[n * n];
    linear *l;
    for (int j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            if (dense[i][j] == 0) continue;
            rows[at] = i;
            values[at++] = dense[i][j];
        }
        start[j + 1] = at;
    }
    CHECK_STATUS(
        linear_create(n, start, rows, DAE_LINEAR_KLU, NULL, &l), DAE_OK);
    CHECK_STATUS(linear_factor(l, values), DAE_NUMERIC);
    linear_singular_at(l, &row, &column);
    assert_true(row == 0 || row == 2);
    assert_true(column == 2 || column == 4);
    linear_free(l);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    grid g;
    grid_init(&g, 6, SHUFFLED);
    dae_status st = DAE_MEMORY;
    for (size_t n = 0; st == DAE_MEMORY; n++) {
        failing_memory memory;
        linear *l = NULL;
        failing_init(&memory, n);
        st = linear_create_aligned(g.n, g.start, g.row, g.level, DAE_LINEAR_KLU,
            &memory.allocator, &l);
        assert_true(st == DAE_OK || st == DAE_MEMORY);
        assert_true((st == DAE_OK) == (l != NULL));
        linear_free(l);
        assert_int_equal(memory.live, 0);
    }
    grid_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_equations),
        cmocka_unit_test(test_every_equation_finds_its_unknown),
        cmocka_unit_test(test_levels_come_first),
        cmocka_unit_test(test_singular_patterns_stay),
        cmocka_unit_test(test_singular_places_are_the_callers),
        cmocka_unit_test(test_dependent_row_after_moving),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
