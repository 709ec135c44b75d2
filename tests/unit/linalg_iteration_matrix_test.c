/* Iteration matrices of unknowns of orders 0 to 3 against the chain rule, and
 * differences against formulas. */
#include "check.h"
#include "linalg/iteration_matrix.h"
#include "linalg/naming.h"

/* Unknowns: a of order 2, b algebraic, c of order 1, d of order 3.
 * x = (a, a', b, c, d, d', d''), xp = (a'', -, c', d'''). */
enum { N = 4, STATES = 7, SLOTS = 11 };
static const uint8_t orders[N] = {2, 0, 1, 3};

typedef struct counted {
    int all, varying, residuals;
    double factor;     /* of the entry that only DAE_ALL may write */
    dae_status answer; /* of a Jacobian that fails */
} counted;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    counted *c = self;
    c->residuals++;
    res[0] = 2 * xp[0] + x[0] * x[1] - x[2];
    res[1] = x[2] * x[2] + sin(x[3]) - t;
    res[2] = c->factor * xp[2] + x[4] * x[1] + exp(x[5]);
    res[3] = xp[3] * x[6] + x[0] - x[2] + x[5];
    return DAE_OK;
}

/* dF/d(slot) by columns. */
static const int64_t start[SLOTS + 1] = {
    0, 2, 4, 7, 8, 9, 11, 12, 13, 13, 14, 15};
static const int32_t row[15] = {0, 3, 0, 2, 0, 1, 3, 1, 2, 2, 3, 3, 0, 2, 3};
static const uint8_t kinds[15] = {0, 2, 0, 0, 2, 0, 2, 0, 0, 0, 2, 0, 2, 1, 0};
static const dae_pattern pattern = {start, row, kinds};

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    counted *c = self;
    (void)t;
    if (scope == DAE_ALL) {
        c->all++;
        values[1] = 1;
        values[4] = values[6] = -1;
        values[10] = 1;
        values[12] = 2;
        values[13] = c->factor;
    } else {
        c->varying++;
    }
    values[0] = x[1];
    values[2] = x[0];
    values[3] = x[4];
    values[5] = 2 * x[2];
    values[7] = cos(x[3]);
    values[8] = x[1];
    values[9] = exp(x[5]);
    values[11] = xp[3];
    values[14] = x[6];
    return DAE_OK;
}

static const double x0[STATES] = {1, 2, 0.5, 0.3, -1, 0.2, 3};
static const double xp0[N] = {0.7, (double)NAN, -2, 1.5};

/* A(alpha) from the same values, entry by entry. */
static void expected(double factor, double alpha, double a[N][N])
{
    const double *x = x0, *xp = xp0;
    memset(a, 0, N * sizeof *a);
    a[0][0] = 2 * alpha + x[1] / alpha + x[0];
    a[0][1] = -1;
    a[1][1] = 2 * x[2];
    a[1][2] = cos(x[3]);
    a[2][0] = x[4];
    a[2][2] = factor * alpha;
    a[2][3] = x[1] / (alpha * alpha) + exp(x[5]) / alpha;
    a[3][0] = 1 / alpha;
    a[3][1] = -1;
    a[3][3] = x[6] * alpha + xp[3] + 1 / alpha;
}

static void check_matrix(
    iteration *it, double factor, double alpha, double tolerance)
{
    double a[N][N];
    expected(factor, alpha, a);
    CHECK_STATUS(iteration_factor(it, alpha), DAE_OK);
    for (int k = 0; k < N; k++) {
        double d[N] = {0};
        d[k] = 1;
        CHECK_STATUS(iteration_solve(it, d), DAE_OK);
        for (int i = 0; i < N; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < N; j++) {
                sum += a[i][j] * d[j];
                size += fabs(a[i][j] * d[j]);
            }
            CHECK_NEAR(sum, i == k, tolerance * (1 + size));
        }
    }
}

typedef struct fixture {
    counted c;
    dae_problem problem;
    layout l;
    iteration *it;
    double res[N], weights[STATES];
    int64_t residuals;
} fixture;

static void fixture_init(
    fixture *f, bool has_jacobian, bool has_pattern, dae_linear choice)
{
    *f = (fixture){.c = {.factor = 4}};
    f->problem = (dae_problem){.self = &f->c,
        .unknown_count = N,
        .order = orders,
        .residual = residual,
        .jacobian = has_jacobian ? jacobian : NULL,
        .pattern = has_pattern ? &pattern : NULL};
    for (int k = 0; k < STATES; k++)
        f->weights[k] = 1 / (1e-6 * fabs(x0[k]) + 1e-8);
    CHECK_STATUS(layout_init(&f->l, &f->problem, NULL), DAE_OK);
    assert_int_equal(f->l.states, STATES);
    CHECK_STATUS(
        iteration_create(&f->problem, &f->l, choice, NULL, NULL, NULL, &f->it),
        DAE_OK);
    CHECK_STATUS(residual(&f->c, 0.1, x0, xp0, f->res), DAE_OK);
    f->c.residuals = 0;
}

static dae_status evaluate(fixture *f)
{
    return iteration_evaluate(
        f->it, 0.1, x0, xp0, f->res, f->weights, 0.01, &f->residuals);
}

static void fixture_clear(fixture *f)
{
    iteration_free(f->it);
    layout_clear(&f->l);
}

static void test_all_orders(void **state)
{
    (void)state;
    const dae_linear choices[] = {
        DAE_LINEAR_AUTO, DAE_LINEAR_DENSE, DAE_LINEAR_KLU};
    for (int k = 0; k < 3; k++) {
        fixture f;
        fixture_init(&f, true, true, choices[k]);
        CHECK_STATUS(evaluate(&f), DAE_OK);
        assert_int_equal(iteration_nonzeros(f.it), 10);
        check_matrix(f.it, 4, 10, 1e-13);
        check_matrix(f.it, 4, 1e3, 1e-12);
        check_matrix(f.it, 4, -0.3, 1e-13);
        assert_int_equal(f.c.residuals, 0);
        fixture_clear(&f);
    }
}

/* Constants are requested once, parameters again after a reset: a set that
 * differs from the one before is requested twice. */
static void test_scopes(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, true, true, DAE_LINEAR_AUTO);
    CHECK_STATUS(evaluate(&f), DAE_OK);
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 1);
    assert_int_equal(f.c.varying, 1);
    f.c.factor = 9;
    CHECK_STATUS(evaluate(&f), DAE_OK);
    check_matrix(f.it, 4, 10, 1e-13);
    iteration_reset(f.it);
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 3);
    check_matrix(f.it, 9, 10, 1e-13);
    iteration_reset(f.it);
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 4);
    fixture_clear(&f);
}

/* The set that is made at `wrong` has another parameter; later ones as well
 * where they are all to differ. */
typedef struct unsteady {
    counted c;
    int wrong;
    bool is_lasting;
} unsteady;

static dae_status unsteady_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    unsteady *u = self;
    const int all = u->c.all;
    const bool is_wrong = u->is_lasting ? all >= u->wrong : all == u->wrong;
    u->c.factor = is_wrong ? 5 + all : 4;
    return jacobian(&u->c, scope, t, x, xp, values);
}

static void test_what_never_changes_is_compared(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        fixture f;
        unsteady u = {.wrong = k < 2 ? k : 1, .is_lasting = k == 2};
        fixture_init(&f, true, true, DAE_LINEAR_AUTO);
        iteration_free(f.it);
        f.problem.self = &u;
        f.problem.jacobian = unsteady_jacobian;
        CHECK_STATUS(iteration_create(&f.problem, &f.l, DAE_LINEAR_AUTO, NULL,
                         NULL, NULL, &f.it),
            DAE_OK);
        CHECK_STATUS(evaluate(&f), DAE_OK);
        check_matrix(f.it, k == 0 ? 5 : 4, 10, 1e-13);
        iteration_reset(f.it);
        /* the third of three different sets is no more to be trusted */
        CHECK_STATUS(evaluate(&f), k == 2 ? DAE_RETRY : DAE_OK);
        assert_int_equal(u.c.all, 3);
        if (k < 2) check_matrix(f.it, 4, 10, 1e-13);
        fixture_clear(&f);
    }
}

/* Answers as it is told to before anything is written. */
static dae_status failing_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    counted *c = self;
    if (!c->answer) return jacobian(self, scope, t, x, xp, values);
    *(scope == DAE_ALL ? &c->all : &c->varying) += 1;
    return c->answer;
}

/* Constants are requested again until they were made, and after a failure for
 * good, which may have left anything; not after one that asks for another
 * point. */
static void test_scopes_after_failures(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, true, true, DAE_LINEAR_AUTO);
    iteration_free(f.it);
    f.problem.jacobian = failing_jacobian;
    CHECK_STATUS(iteration_create(&f.problem, &f.l, DAE_LINEAR_AUTO, NULL, NULL,
                     NULL, &f.it),
        DAE_OK);
    f.c.answer = DAE_RETRY;
    CHECK_STATUS(evaluate(&f), DAE_RETRY);
    f.c.answer = DAE_OK;
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 2);
    check_matrix(f.it, 4, 10, 1e-13);
    f.c.answer = DAE_RETRY;
    CHECK_STATUS(evaluate(&f), DAE_RETRY);
    f.c.answer = DAE_OK;
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 2);
    assert_int_equal(f.c.varying, 2);
    f.c.answer = DAE_NUMERIC;
    CHECK_STATUS(evaluate(&f), DAE_NUMERIC);
    f.c.answer = DAE_OK;
    CHECK_STATUS(evaluate(&f), DAE_OK);
    assert_int_equal(f.c.all, 3);
    fixture_clear(&f);
}

static void test_differences(void **state)
{
    (void)state;
    for (int has_pattern = 0; has_pattern < 2; has_pattern++) {
        fixture f;
        fixture_init(&f, false, has_pattern, DAE_LINEAR_AUTO);
        CHECK_STATUS(evaluate(&f), DAE_OK);
        assert_int_equal(f.residuals, f.c.residuals);
        if (has_pattern) assert_true(f.residuals <= 5);
        else /* the derivative of an algebraic unknown is left out */
            assert_int_equal(f.residuals, SLOTS - 1);
        check_matrix(f.it, 4, 10, 1e-5);
        check_matrix(f.it, 4, 300, 1e-5);
        fixture_clear(&f);
    }
}

/* sqrt at the edge of its domain: the difference goes inward. */
static dae_status root(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + sqrt(2 - x[0]);
    return x[0] > 2 ? DAE_RETRY : DAE_OK;
}

static void test_edge_of_the_domain(void **state)
{
    (void)state;
    layout l;
    iteration *it;
    int64_t residuals = 0;
    const dae_problem p = {.unknown_count = 1, .residual = root};
    const double x = 2, xp = 0, res = 0, w = 1e4;
    double d = 1;
    CHECK_STATUS(layout_init(&l, &p, NULL), DAE_OK);
    CHECK_STATUS(
        iteration_create(&p, &l, DAE_LINEAR_AUTO, NULL, NULL, NULL, &it),
        DAE_OK);
    CHECK_STATUS(
        iteration_evaluate(it, 0, &x, &xp, &res, &w, 1, &residuals), DAE_OK);
    assert_int_equal(residuals, 3);
    CHECK_STATUS(iteration_factor(it, 1), DAE_OK);
    CHECK_STATUS(iteration_solve(it, &d), DAE_OK);
    assert_true(d < 0); /* -1/sqrt(increment) outweighs 1 */
    iteration_free(it);
    layout_clear(&l);
}

static dae_status bad_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const dae_status st = jacobian(self, scope, t, x, xp, values);
    values[8] = (double)INFINITY;
    values[11] = (double)NAN;
    return st;
}

static void test_not_finite(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, true, true, DAE_LINEAR_AUTO);
    assert_int_equal(iteration_overflow_row(f.it), -1);
    iteration_free(f.it);
    f.problem.jacobian = bad_jacobian;
    CHECK_STATUS(iteration_create(&f.problem, &f.l, DAE_LINEAR_AUTO, NULL, NULL,
                     NULL, &f.it),
        DAE_OK);
    CHECK_STATUS(evaluate(&f), DAE_RETRY);
    assert_int_equal(iteration_overflow_row(f.it), 2);
    CHECK_STATUS(iteration_factor(f.it, 1), DAE_RETRY);
    fixture_clear(&f);
}

static void test_bad_patterns(void **state)
{
    (void)state;
    const int32_t outside[] = {0, 2}, twice[] = {1, 1};
    const int64_t two[] = {0, 2, 2, 2, 2}, back[] = {0, 2, 1, 2, 2};
    const dae_pattern bad[] = {
        {two, outside, NULL}, {two, twice, NULL}, {back, outside, NULL}};
    for (int k = 0; k < 3; k++) {
        layout l;
        iteration *it;
        const dae_problem p = {
            .unknown_count = 2, .residual = residual, .pattern = &bad[k]};
        CHECK_STATUS(layout_init(&l, &p, NULL), DAE_OK);
        CHECK_STATUS(
            iteration_create(&p, &l, DAE_LINEAR_AUTO, NULL, NULL, NULL, &it),
            DAE_ARGUMENT);
        assert_null(it);
        layout_clear(&l);
    }
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int has_jacobian = 0; has_jacobian < 2; has_jacobian++) {
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st == DAE_MEMORY; n++) {
            failing_memory memory;
            counted c = {.factor = 1};
            const dae_problem p = {.self = &c,
                .unknown_count = N,
                .order = orders,
                .residual = residual,
                .jacobian = has_jacobian ? jacobian : NULL,
                .pattern = &pattern};
            layout l;
            iteration *it = NULL;
            failing_init(&memory, n);
            st = layout_init(&l, &p, &memory.allocator);
            if (!st)
                st = iteration_create(&p, &l, DAE_LINEAR_AUTO, NULL,
                    &memory.allocator, NULL, &it);
            assert_true(st == DAE_OK || st == DAE_MEMORY);
            iteration_free(it);
            layout_clear(&l);
            assert_int_equal(memory.live, 0);
        }
    }
}

static size_t long_name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    (void)self;
    (void)kind;
    (void)index;
    return (size_t)snprintf(text, size,
        "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
}

static void test_names(void **state)
{
    (void)state;
    fixture f;
    char text[NAMING_SIZE];
    fixture_init(&f, true, true, DAE_LINEAR_AUTO);
    assert_string_equal(
        naming_slot(&f.problem, &f.l, 1, text, sizeof text), "x[1]'");
    assert_string_equal(
        naming_slot(&f.problem, &f.l, 2, text, sizeof text), "x[2]");
    assert_string_equal(
        naming_slot(&f.problem, &f.l, 7, text, sizeof text), "x[1]''");
    assert_string_equal(
        naming_slot(&f.problem, &f.l, 10, text, sizeof text), "x[4]'''");
    assert_string_equal(
        naming_text(&f.problem, DAE_NAME_EQUATION, 2, text, sizeof text),
        "equation 3");
    f.problem.name = long_name;
    assert_string_equal(naming_text(&f.problem, DAE_NAME_EQUATION, 2, text, 12),
        "a\xc3\xa4\xc3\xa4\xc3\xa4...");
    fixture_clear(&f);
}

/* --- growth --- */

/* x_j' = rate_j x_j of three, and y = x_1 + x_2. */
static const double rates[] = {3, 1, -5};
static const int64_t growth_start[] = {0, 2, 4, 5, 6, 7, 8, 9, 9};
static const int32_t growth_row[] = {0, 3, 1, 3, 2, 3, 0, 1, 2};
static const dae_pattern growth_pattern = {growth_start, growth_row, NULL};

static dae_status growth_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    for (int j = 0; j < 3; j++) res[j] = xp[j] - rates[j] * x[j];
    res[3] = x[3] - x[0] - x[1];
    return DAE_OK;
}

static dae_status growth_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double all[] = {-3, -1, -1, -1, 5, 1, 1, 1, 1};
    (void)self, (void)scope, (void)t, (void)x, (void)xp;
    memcpy(values, all, sizeof all);
    return DAE_OK;
}

/* det A(alpha) is (alpha - 3) (alpha - 1) (alpha + 5). */
static void test_growth(void **state)
{
    (void)state;
    const double zeros[4] = {0}, alphas[] = {10, 2, 2.9, 3.1, 0.5, 2};
    const bool outgrown[] = {false, true, true, false, false, true};
    const uint8_t order[] = {1, 1, 1, 0};
    const dae_linear choices[] = {
        DAE_LINEAR_AUTO, DAE_LINEAR_DENSE, DAE_LINEAR_KLU, DAE_LINEAR_LIST};
    const dae_problem p = {.unknown_count = 4,
        .order = order,
        .residual = growth_residual,
        .jacobian = growth_jacobian,
        .pattern = &growth_pattern};
    for (int q = 0; q < 8; q++) {
        layout l;
        iteration *it;
        int64_t residuals = 0;
        CHECK_STATUS(layout_init(&l, &p, NULL), DAE_OK);
        CHECK_STATUS(
            iteration_create(&p, &l, choices[q / 2], NULL, NULL, NULL, &it),
            DAE_OK);
        CHECK_STATUS(iteration_evaluate(
                         it, 0, zeros, zeros, zeros, zeros, 1, &residuals),
            DAE_OK);
        for (int k = 0; k < 6; k++) {
            bool is_outgrown, is_other;
            CHECK_STATUS(q % 2 ? iteration_factor_condensed(it, alphas[k])
                               : iteration_factor(it, alphas[k]),
                DAE_OK);
            CHECK_STATUS(
                iteration_is_outgrown(it, &is_outgrown, &is_other), DAE_OK);
            assert_int_equal(is_outgrown, outgrown[k]);
            assert_int_equal(is_other, outgrown[k]);
        }
        iteration_free(it);
        layout_clear(&l);
    }
}

/* --- condensed --- */

/* T[k-1] - 4 T[k] + T[k+1] = b[k] between two values that are given. What is
 * constant of a row is its middle, or its end: then all but one unknown follow
 * from those before them, which magnifies errors 3.7 times each. */
enum { POINTS = 241, ROD_ENTRIES = 3 * POINTS - 4 };
typedef struct rod {
    int64_t start[2 * POINTS + 1];
    int32_t row[ROD_ENTRIES];
    uint8_t kind[ROD_ENTRIES], order[POINTS];
    double value[ROD_ENTRIES];
    dae_pattern pattern;
    dae_problem problem;
    layout l;
    iteration *it;
} rod;

static dae_status rod_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp;
    memset(res, 0, POINTS * sizeof *res);
    return DAE_OK;
}

static dae_status rod_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const rod *r = self;
    (void)scope, (void)t, (void)x, (void)xp;
    memcpy(values, r->value, sizeof r->value);
    return DAE_OK;
}

static void rod_fill(rod *r, bool is_end_constant)
{
    size_t at = 0;
    for (int j = 0; j < POINTS; j++) {
        for (int i = j - 1; i <= j + 1; i++) {
            const bool is_inside = i > 0 && i < POINTS - 1;
            if (i < 0 || i >= POINTS || (!is_inside && i != j)) continue;
            const bool is_constant = is_inside
                && (is_end_constant ? j == i + 1 : j == i);
            r->row[at] = i;
            r->kind[at] = is_constant ? DAE_ENTRY_CONSTANT : DAE_ENTRY_VARYING;
            r->value[at++] = !is_inside || i != j ? 1 : -4;
        }
        r->start[j + 1] = (int64_t)at;
    }
    assert_int_equal(at, ROD_ENTRIES);
    for (int j = 0; j < POINTS; j++) r->start[POINTS + j + 1] = (int64_t)at;
}

static dae_status rod_open(
    rod *r, bool is_end_constant, const dae_allocator *a, dae_linear choice)
{
    const double zeros[POINTS] = {0};
    int64_t residuals = 0;
    *r = (rod){.it = NULL};
    rod_fill(r, is_end_constant);
    r->pattern = (dae_pattern){r->start, r->row, r->kind};
    r->problem = (dae_problem){.self = r,
        .unknown_count = POINTS,
        .order = r->order,
        .residual = rod_residual,
        .jacobian = rod_jacobian,
        .pattern = &r->pattern};
    dae_status st = layout_init(&r->l, &r->problem, a);
    if (!st)
        st = iteration_create(
            &r->problem, &r->l, choice, NULL, a, NULL, &r->it);
    if (!st)
        st = iteration_evaluate(
            r->it, 0, zeros, zeros, zeros, zeros, 1, &residuals);
    return st;
}

static void rod_close(rod *r)
{
    iteration_free(r->it);
    layout_clear(&r->l);
}

/* The residual of what is solved for, and whether all is right. */
static void check_rod(rod *r, double tolerance)
{
    double d[POINTS];
    for (int k = 0; k < POINTS; k++) d[k] = 1 + k % 3;
    CHECK_STATUS(iteration_solve(r->it, d), DAE_OK);
    CHECK_NEAR(d[0], 1, tolerance);
    CHECK_NEAR(d[POINTS - 1], 1, tolerance);
    for (int k = 1; k < POINTS - 1; k++)
        CHECK_NEAR(d[k - 1] - 4 * d[k] + d[k + 1], 1 + k % 3, tolerance);
}

static void test_condensed(void **state)
{
    (void)state;
    const dae_linear choices[] = {
        DAE_LINEAR_AUTO, DAE_LINEAR_KLU, DAE_LINEAR_DENSE,
#ifdef DAE_HAVE_UMFPACK
        DAE_LINEAR_UMFPACK
#endif
    };
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        rod r;
        double rcond;
        CHECK_STATUS(rod_open(&r, false, NULL, choices[k]), DAE_OK);
        assert_false(iteration_sizes(r.it).is_condensed);
        CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
        const iteration_size z = iteration_sizes(r.it);
        assert_true(z.is_condensed);
        assert_int_equal(z.columns, POINTS);
        assert_int_equal(z.entries, ROD_ENTRIES);
        /* both ends and every second point go at least */
        assert_true(z.condensed_columns <= POINTS / 2);
        assert_true(z.condensed_entries < z.entries);
        size_t i, j, count = 0;
        while (iteration_taken(r.it, count, &i, &j)) {
            assert_true(i < POINTS && j < POINTS);
            count++;
        }
        assert_int_equal(count, z.columns - z.condensed_columns);
        check_rod(&r, 1e-13);
        check_rod(&r, 1e-13);
        CHECK_STATUS(iteration_rcond(r.it, &rcond), DAE_OK);
        CHECK_NEAR(rcond, 0.5, 0.5);
        check_rod(&r, 1e-13); /* with the whole */
        CHECK_STATUS(iteration_factor_condensed(r.it, 2), DAE_OK);
        assert_true(iteration_sizes(r.it).is_condensed);
        check_rod(&r, 1e-13);
        rod_close(&r);
    }
}

/* What was given back is made again, with what it needs of the whole. */
static void test_condensed_after_a_rest(void **state)
{
    (void)state;
    rod r;
    CHECK_STATUS(rod_open(&r, false, NULL, DAE_LINEAR_AUTO), DAE_OK);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    const iteration_size z = iteration_sizes(r.it);
    iteration_rest(r.it);
    assert_int_equal(
        iteration_sizes(r.it).condensed_entries, z.condensed_entries);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    assert_true(iteration_sizes(r.it).is_condensed);
    check_rod(&r, 1e-13);
    rod_close(&r);
}

/* A matrix that takes the place of a condensed one is condensed alike, without any
 * counts of the whole, which it makes where it is needed. */
static void test_condensed_like_another(void **state)
{
    (void)state;
    const double zeros[POINTS] = {0};
    int64_t residuals = 0;
    double rcond;
    rod r;
    iteration *first;
    CHECK_STATUS(rod_open(&r, false, NULL, DAE_LINEAR_AUTO), DAE_OK);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    const iteration_size z = iteration_sizes(r.it);
    first = r.it;
    CHECK_STATUS(iteration_create(&r.problem, &r.l, DAE_LINEAR_AUTO, first,
                     NULL, NULL, &r.it),
        DAE_OK);
    iteration_free(first);
    CHECK_STATUS(
        iteration_evaluate(r.it, 0, zeros, zeros, zeros, zeros, 1, &residuals),
        DAE_OK);
    assert_null(iteration_linear(r.it));
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    const iteration_size own = iteration_sizes(r.it);
    assert_true(own.is_condensed);
    assert_int_equal(own.condensed_entries, z.condensed_entries);
    assert_int_equal(own.fill, z.fill);
    check_rod(&r, 1e-13);
    CHECK_STATUS(iteration_rcond(r.it, &rcond), DAE_OK);
    CHECK_NEAR(rcond, 0.5, 0.5);
    check_rod(&r, 1e-13);
    rod_close(&r);
}

static void test_condensing_that_loses_digits(void **state)
{
    (void)state;
    rod r;
    CHECK_STATUS(rod_open(&r, true, NULL, DAE_LINEAR_AUTO), DAE_OK);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    assert_true(iteration_sizes(r.it).is_condensed);
    check_rod(&r, 1e-13);
    assert_false(iteration_sizes(r.it).is_condensed);
    CHECK_STATUS(iteration_factor_condensed(r.it, 2), DAE_OK);
    assert_false(iteration_sizes(r.it).is_condensed);
    check_rod(&r, 1e-13);
    rod_close(&r);
}

static void test_condensing_is_left_alone(void **state)
{
    (void)state;
    rod r;
    CHECK_STATUS(rod_open(&r, false, NULL, DAE_LINEAR_AUTO), DAE_OK);
    iteration_keep_whole(r.it);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    assert_false(iteration_sizes(r.it).is_condensed);
    assert_int_equal(iteration_sizes(r.it).condensed_columns, POINTS);
    check_rod(&r, 1e-13);
    rod_close(&r);
}

/* Row and column are those of the whole: an equation that was taken out says
 * nothing any more. */
static void test_condensed_and_singular(void **state)
{
    (void)state;
    rod r;
    int64_t i, j, residuals = 0;
    const double zeros[POINTS] = {0};
    CHECK_STATUS(rod_open(&r, false, NULL, DAE_LINEAR_AUTO), DAE_OK);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
    assert_true(iteration_sizes(r.it).is_condensed);
    check_rod(&r, 1e-13);
    r.value[0] = 0;
    iteration_reset(r.it);
    CHECK_STATUS(
        iteration_evaluate(r.it, 0, zeros, zeros, zeros, zeros, 1, &residuals),
        DAE_OK);
    CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_NUMERIC);
    assert_false(iteration_sizes(r.it).is_condensed);
    linear_singular_at(iteration_linear(r.it), &i, &j);
    assert_int_equal(i, 0);
    assert_in_range(j, 0, POINTS - 1);
    rod_close(&r);
}

/* Whatever fails can be asked for again. */
static void test_memory_runs_out_condensing(void **state)
{
    (void)state;
    for (int is_end_constant = 0; is_end_constant < 2; is_end_constant++) {
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st == DAE_MEMORY; n++) {
            failing_memory memory;
            rod r;
            double d[POINTS] = {1}, rcond;
            failing_init(&memory, SIZE_MAX);
            CHECK_STATUS(rod_open(&r, is_end_constant, &memory.allocator,
                             DAE_LINEAR_AUTO),
                DAE_OK);
            memory.fail_from = memory.allocations + n;
            st = iteration_factor_condensed(r.it, 1);
            if (!st) st = iteration_solve(r.it, d);
            if (!st) st = iteration_rcond(r.it, &rcond);
            assert_true(st == DAE_OK || st == DAE_MEMORY);
            memory.fail_from = SIZE_MAX;
            if (iteration_sizes(r.it).is_condensed) check_rod(&r, 1e-13);
            CHECK_STATUS(iteration_factor_condensed(r.it, 1), DAE_OK);
            check_rod(&r, 1e-13);
            CHECK_STATUS(iteration_rcond(r.it, &rcond), DAE_OK);
            CHECK_NEAR(rcond, 0.5, 0.5);
            rod_close(&r);
            assert_int_equal(memory.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_what_never_changes_is_compared),
        cmocka_unit_test(test_scopes_after_failures),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_edge_of_the_domain),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_patterns),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_condensed),
        cmocka_unit_test(test_condensed_after_a_rest),
        cmocka_unit_test(test_condensed_like_another),
        cmocka_unit_test(test_condensing_that_loses_digits),
        cmocka_unit_test(test_condensing_is_left_alone),
        cmocka_unit_test(test_condensed_and_singular),
        cmocka_unit_test(test_memory_runs_out_condensing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
