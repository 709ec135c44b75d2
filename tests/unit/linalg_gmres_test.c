/* Incomplete factors against what they promise, and GMRES behind linalg/linear.h: its
 * goals, its returns to a direct solver, and what it does without memory. */
#include "check.h"
#include "linalg/incomplete.h"
#include "linalg/linear.h"
#include "random.h"

enum { SIDE = 12, POINTS = SIDE * SIDE, MOST = 60 * 60 };

typedef struct matrix {
    size_t n;
    int64_t start[MOST + 1];
    int32_t row[5 * MOST];
    double values[5 * MOST];
} matrix;

static void put(matrix *m, int64_t *at, size_t row, double value)
{
    m->row[*at] = (int32_t)row;
    m->values[(*at)++] = value;
}

/* Five points on a square, `more` beside the sum of the diagonal. */
static matrix *make_grid(size_t side, double more)
{
    matrix *m = calloc(1, sizeof *m);
    int64_t at = 0;
    assert_non_null(m);
    assert_true(side * side <= MOST);
    m->n = side * side;
    for (size_t j = 0; j < m->n; j++) {
        if (j >= side) put(m, &at, j - side, -1);
        if (j % side > 0) put(m, &at, j - 1, -1);
        put(m, &at, j, 4 + more);
        if (j % side < side - 1) put(m, &at, j + 1, -1);
        if (j + side < m->n) put(m, &at, j + side, -1);
        m->start[j + 1] = at;
    }
    return m;
}

static void multiply(const matrix *m, const double *x, double *y)
{
    for (size_t i = 0; i < m->n; i++) y[i] = 0;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            y[m->row[p]] += m->values[p] * x[j];
}

static linear_system system_of(const matrix *m)
{
    return (linear_system){m->n, m->start, m->row, alloc_or_default(NULL)};
}

/* (L U)^-1 A x, in the caller's order. */
static void precondition(
    const incomplete *f, const matrix *m, const double *x, double *result)
{
    double b[POINTS], y[POINTS];
    multiply(m, x, b);
    for (size_t i = 0; i < m->n; i++) y[i] = b[f->old[i]];
    incomplete_solve(f, y);
    for (size_t i = 0; i < m->n; i++) result[f->old[i]] = y[i];
}

static void random_vector(double *x, size_t n, random_state *r)
{
    for (size_t i = 0; i < n; i++) x[i] = random_unit(r);
}

static void with_enough_fill_factors_are_exact(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 0.1);
    const linear_system s = system_of(m);
    incomplete f;
    random_state r = {1};
    double x[POINTS], y[POINTS], room[POINTS];
    int64_t before = 0;
    for (int level = 0; level <= 4 * SIDE; level += SIDE) {
        CHECK_STATUS(incomplete_init(&f, &s, level), DAE_OK);
        assert_true(incomplete_fill(&f) >= before);
        before = incomplete_fill(&f);
        if (level == 0) assert_int_equal(before, m->start[m->n]);
        assert_true(incomplete_factor(&f, m->values, room));
        random_vector(x, m->n, &r);
        precondition(&f, m, x, y);
        for (size_t i = 0; i < m->n && level >= 2 * SIDE; i++)
            CHECK_NEAR(y[i], x[i], 1e-12);
        incomplete_clear(&f);
    }
    free(m);
}

static void rows_of_an_m_matrix_keep_their_sums(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 1e-3);
    const linear_system s = system_of(m);
    incomplete f;
    double ones[POINTS], y[POINTS], room[POINTS];
    for (size_t i = 0; i < m->n; i++) ones[i] = 1;
    CHECK_STATUS(incomplete_init(&f, &s, 0), DAE_OK);
    assert_true(incomplete_factor(&f, m->values, room));
    precondition(&f, m, ones, y);
    for (size_t i = 0; i < m->n; i++) CHECK_NEAR(y[i], 1, 1e-10);
    /* with the other sign, too */
    for (int64_t p = 0; p < m->start[m->n]; p++) m->values[p] *= -1;
    assert_true(incomplete_factor(&f, m->values, room));
    precondition(&f, m, ones, y);
    for (size_t i = 0; i < m->n; i++) CHECK_NEAR(y[i], 1, 1e-10);
    incomplete_clear(&f);
    free(m);
}

static void check_application(matrix *m, int level, bool is_bare)
{
    const linear_system s = system_of(m);
    incomplete f;
    random_state r = {3};
    double x[POINTS], own[POINTS], y[POINTS], both[POINTS], room[POINTS];
    CHECK_STATUS(incomplete_init(&f, &s, level), DAE_OK);
    assert_true(f.is_bare == is_bare);
    assert_true(incomplete_factor(&f, m->values, room));
    random_vector(x, m->n, &r);
    precondition(&f, m, x, both);
    for (size_t i = 0; i < m->n; i++) own[i] = x[f.old[i]];
    incomplete_apply(&f, own, y);
    for (size_t i = 0; i < m->n; i++) CHECK_NEAR(y[i], both[f.old[i]], 1e-12);
    incomplete_clear(&f);
}

/* All four unknowns are connected with each other. */
static matrix *make_full(void)
{
    matrix *m = calloc(1, sizeof *m);
    int64_t at = 0;
    assert_non_null(m);
    m->n = 4;
    for (size_t j = 0; j < m->n; j++) {
        for (size_t i = 0; i < m->n; i++)
            put(m, &at, i, i == j ? 6 : 1 + (double)(i * j));
        m->start[j + 1] = at;
    }
    return m;
}

static void multiplied_and_solved_in_one_pass(void **state)
{
    (void)state;
    matrix *grid = make_grid(SIDE, 0.1), *full = make_full();
    for (int64_t p = 0; p < grid->start[grid->n]; p += 3)
        grid->values[p] *= 0.9; /* not symmetric */
    check_application(grid, 0, true);
    check_application(grid, 1, false);
    check_application(full, 0, false);
    free(grid);
    free(full);
}

static void rows_of_a_level_are_no_neighbours(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 0);
    const linear_system s = system_of(m);
    incomplete f;
    CHECK_STATUS(incomplete_init(&f, &s, 0), DAE_OK);
    /* diagonals of the square, from one corner to the other */
    for (size_t i = 1; i < m->n; i++) {
        const int32_t a = f.old[i - 1], b = f.old[i];
        assert_true(a % SIDE + a / SIDE <= b % SIDE + b / SIDE);
    }
    incomplete_clear(&f);
    free(m);
}

static void a_missing_diagonal_is_refused(void **state)
{
    (void)state;
    static const int64_t start[] = {0, 1, 2};
    static const int32_t row[] = {1, 0};
    linear *l;
    CHECK_STATUS(linear_create_gmres(2, start, row, NULL, &l), DAE_UNSUPPORTED);
    assert_null(l);
}

/* ---- solutions ------------------------------------------------------------------- */

static double weighted_length(
    const double *a, const double *b, const double *w, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += pow(w[i] * (a[i] - b[i]), 2);
    return sqrt(sum);
}

static void goals_are_met(void **state)
{
    (void)state;
    static double x[MOST], b[MOST], w[MOST];
    random_state r = {2};
    for (int k = 0; k < 6; k++) {
        matrix *m = make_grid(10 * (size_t)(k + 1), pow(10, -k));
        linear *l;
        int64_t few = 0, many = 0, fallbacks = 0;
        random_vector(x, m->n, &r);
        for (size_t i = 0; i < m->n; i++) w[i] = exp(2 * random_unit(&r));
        CHECK_STATUS(
            linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
        CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
        multiply(m, x, b);
        double zero[MOST] = {0};
        const double size = weighted_length(x, zero, w, m->n);
        const linear_goal goal = {w, size / 50, 0.01};
        CHECK_STATUS(linear_solve_within(l, b, &goal), DAE_OK);
        linear_take_counts(l, &few, &fallbacks);
        assert_true(weighted_length(b, x, w, m->n) < 3 * goal.enough);
        multiply(m, x, b);
        CHECK_STATUS(linear_solve(l, b), DAE_OK);
        linear_take_counts(l, &many, &fallbacks);
        assert_true(few < many);
        for (size_t i = 0; i < m->n; i++) CHECK_NEAR(b[i], x[i], 1e-8);
        assert_int_equal(fallbacks, 0);
        assert_string_equal(linear_name(l), "gmres");
        linear_free(l);
        free(m);
    }
}

static void released_factors_are_made_alike(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 0.1);
    linear *l;
    random_state r = {7};
    double b[POINTS], before[POINTS], after[POINTS];
    random_vector(b, m->n, &r);
    CHECK_STATUS(linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    memcpy(before, b, sizeof b);
    CHECK_STATUS(linear_solve(l, before), DAE_OK);
    linear_release(l);
    assert_int_equal(linear_fill(l), 0);
    memcpy(after, b, sizeof b);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    CHECK_STATUS(linear_solve(l, after), DAE_OK);
    assert_memory_equal(before, after, sizeof b);
    assert_string_equal(linear_name(l), "gmres");
    linear_free(l);
    free(m);
}

/* What is left of a correction that is small enough anyway, and of none. */
static void small_sides_take_no_iterations(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 1);
    linear *l;
    int64_t iterations = 0, fallbacks = 0;
    double b[POINTS] = {0}, w[POINTS];
    for (size_t i = 0; i < m->n; i++) w[i] = 1;
    const linear_goal goal = {w, 1, 0.01};
    CHECK_STATUS(linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    CHECK_STATUS(linear_solve(l, b), DAE_OK);
    for (size_t i = 0; i < m->n; i++) CHECK_NEAR(b[i], 0, 0);
    b[3] = 1e-3;
    CHECK_STATUS(linear_solve_within(l, b, &goal), DAE_OK);
    assert_true(b[3] > 0);
    linear_take_counts(l, &iterations, &fallbacks);
    assert_int_equal(iterations, 0);
    assert_int_equal(fallbacks, 0);
    linear_free(l);
    free(m);
}

/* ---- returns to a direct solver -------------------------------------------------- */

static void check_fallback(matrix *m, const char *why)
{
    linear *l;
    random_state r = {4};
    int64_t iterations = 0, fallbacks = 0;
    double x[POINTS], b[POINTS];
    random_vector(x, m->n, &r);
    CHECK_STATUS(linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
        multiply(m, x, b);
        CHECK_STATUS(linear_solve(l, b), DAE_OK);
        for (size_t i = 0; i < m->n; i++) CHECK_NEAR(b[i], x[i], 1e-8);
    }
    linear_take_counts(l, &iterations, &fallbacks);
    if (fallbacks != 1) print_error("%s\n", why);
    assert_int_equal(fallbacks, 1);
    assert_string_not_equal(linear_name(l), "gmres");
    linear_free(l);
    free(m);
}

static void pivots_of_0_end_it(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 0);
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            if (m->row[p] == (int32_t)j) m->values[p] = j % 2 ? 1 : 0;
    check_fallback(m, "a diagonal with zeros");
}

static void slow_iterations_end_it(void **state)
{
    (void)state;
    /* turns round: x1 from x2 from x3 ... from x1 */
    matrix *m = calloc(1, sizeof *m);
    int64_t at = 0;
    m->n = POINTS;
    for (size_t j = 0; j < m->n; j++) {
        const size_t next = (j + 1) % m->n;
        const double diagonal = 1e-3;
        if (next < j) put(m, &at, next, 1);
        put(m, &at, j, diagonal);
        if (next > j) put(m, &at, next, 1);
        m->start[j + 1] = at;
    }
    check_fallback(m, "a ring");
}

static void a_singular_matrix_is_told(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 0);
    linear *l;
    int64_t row, column, iterations = 0, fallbacks = 0;
    for (int64_t p = 0; p < m->start[m->n]; p++)
        if (m->row[p] == 5) m->values[p] = 0;
    CHECK_STATUS(linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
    CHECK_STATUS(linear_factor(l, m->values), DAE_NUMERIC);
    linear_singular_at(l, &row, &column);
    assert_int_equal(row, 5);
    linear_take_counts(l, &iterations, &fallbacks);
    assert_int_equal(fallbacks, 1);
    linear_free(l);
    free(m);
}

static void what_is_not_finite_is_no_failure_of_it(void **state)
{
    (void)state;
    matrix *m = make_grid(SIDE, 1);
    linear *l;
    double b[POINTS] = {0};
    int64_t iterations = 0, fallbacks = 0;
    CHECK_STATUS(linear_create_gmres(m->n, m->start, m->row, NULL, &l), DAE_OK);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    b[7] = (double)NAN;
    CHECK_STATUS(linear_solve(l, b), DAE_OK);
    assert_true(isnan(b[7]) != 0);
    b[7] = HUGE_VAL;
    CHECK_STATUS(linear_solve(l, b), DAE_OK);
    assert_true(isfinite(b[7]) == 0);
    linear_take_counts(l, &iterations, &fallbacks);
    assert_int_equal(fallbacks, 0);
    linear_free(l);
    free(m);
}

/* ---- memory and choice ------------------------------------------------------------ */

static dae_status retry(linear *l, failing_memory *memory, const matrix *m,
    double *b, const double *side)
{
    dae_status st;
    while (
        (st = linear_solve(l, memcpy(b, side, m->n * sizeof *b))) == DAE_MEMORY)
        memory->fail_from = SIZE_MAX;
    return st;
}

static void memory_runs_out(void **state)
{
    (void)state;
    matrix *grid = make_grid(SIDE, 0.1), *poor = make_grid(SIDE, 0.1);
    double side[POINTS], b[POINTS], right[2][POINTS];
    random_state r = {5};
    random_vector(side, POINTS, &r);
    for (int64_t p = 0; p < poor->start[POINTS]; p++)
        poor->values[p] = random_unit(&r);
    const matrix *both[] = {grid, poor};
    bool is_healthy = false;
    for (size_t k = 0; !is_healthy; k++) {
        failing_memory memory;
        linear *l;
        failing_init(&memory, k == 0 ? SIZE_MAX : k - 1);
        dae_status st = linear_create_gmres(
            POINTS, grid->start, grid->row, &memory.allocator, &l);
        if (st == DAE_MEMORY) continue;
        CHECK_STATUS(st, DAE_OK);
        for (int q = 0; q < 2; q++) {
            matrix *m = q ? poor : grid;
            while ((st = linear_factor(l, m->values)) == DAE_MEMORY)
                memory.fail_from = SIZE_MAX;
            CHECK_STATUS(st, DAE_OK);
            CHECK_STATUS(retry(l, &memory, both[q], b, side), DAE_OK);
            if (k == 0) memcpy(right[q], b, sizeof b);
            assert_memory_equal(right[q], b, sizeof b);
        }
        is_healthy = k > 0 && memory.fail_from != SIZE_MAX;
        linear_free(l);
        assert_int_equal(memory.live, 0);
    }
    free(grid);
    free(poor);
}

static bool is_preferred(const matrix *m)
{
    linear *l;
    CHECK_STATUS(
        linear_create(m->n, m->start, m->row, DAE_LINEAR_AUTO, NULL, &l),
        DAE_OK);
    const bool answer = linear_prefers_gmres(l);
    CHECK_STATUS(linear_iterate(l), DAE_OK);
    assert_int_equal(answer, linear_kind(l) == DAE_LINEAR_GMRES);
    linear_free(l);
    return answer;
}

static void it_is_chosen_where_elimination_fills_in(void **state)
{
    (void)state;
    matrix *small = make_grid(SIDE, 0), *chain = calloc(1, sizeof *chain);
    int64_t at = 0;
    chain->n = MOST;
    for (size_t j = 0; j < chain->n; j++) {
        if (j > 0) put(chain, &at, j - 1, -1);
        put(chain, &at, j, 2);
        if (j + 1 < chain->n) put(chain, &at, j + 1, -1);
        chain->start[j + 1] = at;
    }
    assert_false(is_preferred(small));
    assert_false(is_preferred(chain));
    free(small);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_enough_fill_factors_are_exact),
        cmocka_unit_test(rows_of_an_m_matrix_keep_their_sums),
        cmocka_unit_test(multiplied_and_solved_in_one_pass),
        cmocka_unit_test(rows_of_a_level_are_no_neighbours),
        cmocka_unit_test(a_missing_diagonal_is_refused),
        cmocka_unit_test(goals_are_met),
        cmocka_unit_test(released_factors_are_made_alike),
        cmocka_unit_test(small_sides_take_no_iterations),
        cmocka_unit_test(pivots_of_0_end_it),
        cmocka_unit_test(slow_iterations_end_it),
        cmocka_unit_test(a_singular_matrix_is_told),
        cmocka_unit_test(what_is_not_finite_is_no_failure_of_it),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(it_is_chosen_where_elimination_fills_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
