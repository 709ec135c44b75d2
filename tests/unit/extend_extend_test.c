/* The extended problem of a pendulum whose rod grows, with its series written
 * by hand, against derivatives by hand and differences:
 *
 *     x'' + lam*x = 0,  y'' + lam*y = g,  x^2 + y^2 = (1 + t)^2 */
#include "extend/extend.h"
#include "support/check.h"

enum { N = 3, STATES = 5, ENTRIES = 8, MOST = 64, TERMS = 8 };
static const double G = 9.81;

typedef struct pendulum {
    dae_problem p;
    dae_start start;
    dae_scales scales;
    int bad_equation; /* its coefficients from bad_from on are NaN */
    size_t bad_from, asked_terms;
    int retries;        /* series answers DAE_RETRY */
    dae_name_kind kind; /* of the last place asked for */
    size_t index;
} pendulum;

/* ---- the problem ----------------------------------------------------------- */

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + x[4] * x[0];
    res[1] = xp[1] + x[4] * x[2] - G;
    res[2] = x[0] * x[0] + x[2] * x[2] - (1 + t) * (1 + t);
    return DAE_OK;
}

/* Columns x, x', y, y', lam; x'', y'', none. */
static const int64_t column_start[] = {0, 2, 2, 4, 4, 6, 7, 8, 8};
static const int32_t row[ENTRIES] = {0, 2, 1, 2, 0, 1, 0, 1};
static const uint8_t kind[ENTRIES] = {0, 0, 0, 0, 0, 0, 2, 2};
static const dae_pattern pattern = {column_start, row, kind};
static const uint8_t order[N] = {2, 2, 0};

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double v[ENTRIES] = {
        x[4], 2 * x[0], x[4], 2 * x[2], x[0], x[2], 1, 1};
    (void)self, (void)scope, (void)t, (void)xp;
    memcpy(values, v, sizeof v);
    return DAE_OK;
}

static double product(const double *a, const double *b, size_t k)
{
    double sum = 0;
    for (size_t m = 0; m <= k; m++) sum += a[m] * b[k - m];
    return sum;
}

static void spoil(const pendulum *m, size_t terms, int32_t i, double *f)
{
    for (size_t k = m->bad_from; i == m->bad_equation && k < terms; k++)
        f[k] = (double)NAN;
}

static dae_status series(void *self, size_t terms, double t0, const double *c,
    size_t stride, double *f)
{
    pendulum *m = self;
    const double *x = c, *y = c + stride, *lam = c + 2 * stride;
    const double rod[3] = {(1 + t0) * (1 + t0), 2 * (1 + t0), 1};
    if (stride < terms + 2) return DAE_ARGUMENT;
    if (m->retries) return DAE_RETRY;
    m->asked_terms = terms;
    for (size_t k = 0; k < terms; k++) {
        const double factor = (double)((k + 1) * (k + 2));
        f[k] = factor * x[k + 2] + product(lam, x, k);
        f[terms + k] = factor * y[k + 2] + product(lam, y, k)
            - (k == 0 ? G : 0);
        f[2 * terms + k] = product(x, x, k) + product(y, y, k)
            - (k < 3 ? rod[k] : 0);
    }
    for (int32_t i = 0; i < N; i++) spoil(m, terms, i, f + (size_t)i * terms);
    return DAE_OK;
}

static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *c, size_t stride, double *values)
{
    pendulum *m = self;
    const double *x = c, *y = c + stride, *lam = c + 2 * stride;
    const double *from[ENTRIES] = {lam, x, lam, y, x, y, NULL, NULL};
    const double factor[ENTRIES] = {1, 2, 1, 2, 1, 1, 1, 1};
    (void)t0;
    for (size_t p = 0; p < ENTRIES; p++) {
        for (size_t k = 0; k < terms; k++)
            values[p * terms + k] = from[p] ? factor[p] * from[p][k]
                                            : (k == 0 ? 1 : 0);
        spoil(m, terms, row[p], values + p * terms);
    }
    return DAE_OK;
}

static size_t series_explain(void *self, size_t equation, size_t terms,
    double t0, const double *c, size_t stride, char *text, size_t size)
{
    const pendulum *m = self;
    const int is_bad = (int)equation == m->bad_equation && terms > m->bad_from;
    (void)t0, (void)c, (void)stride;
    if (!is_bad && size > 0) text[0] = '\0';
    return is_bad
        ? (size_t)snprintf(text, size, "a kink in %zu, %zu", equation, terms)
        : 0;
}

static size_t explain(void *self, dae_name_kind what, size_t equation, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    (void)self, (void)t, (void)xp;
    assert_int_equal(what, DAE_NAME_EQUATION);
    return (size_t)snprintf(text, size, "value %zu, lam %g", equation, x[4]);
}

static size_t name(
    void *self, dae_name_kind what, size_t index, char *text, size_t size)
{
    static const char *const equations[] = {"ex", "ey", "rod"};
    static const char *const unknowns[] = {"x", "T[1,2]", "lam"};
    (void)self;
    if (what == DAE_NAME_CONDITION)
        return (size_t)snprintf(text, size, "start");
    return (size_t)snprintf(text, size, "%s",
        what == DAE_NAME_EQUATION ? equations[index] : unknowns[index]);
}

static int place(void *self, dae_name_kind what, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    pendulum *m = self;
    m->kind = what;
    m->index = index;
    *source = NULL;
    *begin = *end = 0;
    return 1;
}

/* One condition: x*y' + y'' = 2. */
static dae_status condition(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = x[0] * x[3] + xp[1] - 2;
    return DAE_OK;
}

static dae_status condition_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    (void)self, (void)scope, (void)t, (void)xp;
    values[0] = x[3];
    values[1] = x[0];
    values[2] = 1;
    return DAE_OK;
}

static const int64_t condition_start[] = {0, 1, 1, 1, 2, 2, 2, 3, 3};
static const int32_t condition_row[3] = {0};

static void open_pendulum(pendulum *m)
{
    static const double x[STATES] = {0.6, 0.1, 0.8, NAN, 3}, xp[N] = {7, 8, 9};
    static const uint8_t x_fixed[STATES] = {1, 0, 0, 1, 0};
    static const uint8_t xp_fixed[N] = {0, 1, 1};
    static const double nominal[N] = {1, 2, 30}, least[N] = {-1, -2, 0};
    *m = (pendulum){.bad_equation = -1};
    m->start = (dae_start){.t0 = 0.5,
        .x = x,
        .xp = xp,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed,
        .condition_count = 1,
        .condition_residual = condition,
        .condition_jacobian = condition_jacobian,
        .condition_pattern = {condition_start, condition_row, NULL}};
    m->scales = (dae_scales){.nominal = nominal, .minimum = least};
    m->p = (dae_problem){.self = m,
        .unknown_count = N,
        .order = order,
        .residual = residual,
        .jacobian = jacobian,
        .pattern = &pattern,
        .start = &m->start,
        .scales = &m->scales,
        .name = name,
        .place = place,
        .explain = explain,
        .series = series,
        .series_jacobian = series_jacobian,
        .series_explain = series_explain};
}

static extended *extend(pendulum *m, int32_t c0, int32_t c1, int32_t c2)
{
    const int32_t c[N] = {c0, c1, c2};
    extended *e;
    CHECK_STATUS(extended_create(&m->p, c, NULL, 1000, NULL, &e), DAE_OK);
    return e;
}

/* ---- values ---------------------------------------------------------------- */

/* x .. x4, y .. y4, lam .. lam'' */
static const double at[13] = {
    0.3, -0.7, 1.1, 0.4, -2.3, 0.9, 0.2, -0.6, 1.7, 0.8, 2.1, -0.5, 1.3};

static void derivatives_are_those_by_hand(void **state)
{
    const double *x = at, *y = at + 5, *lam = at + 10, t = 0.25;
    double r[9];
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 2, 2, 2);
    assert_int_equal(e->rows, 9);
    assert_int_equal(e->columns, 13);
    assert_int_equal(e->problem.unknown_count, 13);
    CHECK_STATUS(e->problem.residual(e->problem.self, t, at, NULL, r), DAE_OK);
    assert_int_equal(m.asked_terms, 3);
    const double expected[9] = {x[2] + lam[0] * x[0],
        x[3] + lam[1] * x[0] + lam[0] * x[1],
        x[4] + lam[2] * x[0] + 2 * lam[1] * x[1] + lam[0] * x[2],
        y[2] + lam[0] * y[0] - G, y[3] + lam[1] * y[0] + lam[0] * y[1],
        y[4] + lam[2] * y[0] + 2 * lam[1] * y[1] + lam[0] * y[2],
        x[0] * x[0] + y[0] * y[0] - 1.25 * 1.25,
        2 * x[0] * x[1] + 2 * y[0] * y[1] - 2.5,
        2 * x[1] * x[1] + 2 * x[0] * x[2] + 2 * y[1] * y[1] + 2 * y[0] * y[2]
            - 2};
    for (int i = 0; i < 9; i++) CHECK_NEAR(r[i], expected[i], 1e-13);
    extended_free(e);
}

/* The dense Jacobian; what is outside the pattern stays 0. */
static void dense_of(const extended *e, double t, const double *z, double *a)
{
    const dae_pattern *s = e->problem.pattern;
    double values[200];
    assert_true(s->column_start[2 * e->columns] <= 200);
    assert_true(s->column_start[2 * e->columns] == s->column_start[e->columns]);
    CHECK_STATUS(
        e->problem.jacobian(e->problem.self, DAE_ALL, t, z, NULL, values),
        DAE_OK);
    memset(a, 0, e->rows * e->columns * sizeof *a);
    for (size_t q = 0; q < e->columns; q++) {
        for (int64_t p = s->column_start[q]; p < s->column_start[q + 1]; p++) {
            assert_in_range(s->row[p], 0, e->rows - 1);
            if (p > s->column_start[q]) assert_true(s->row[p] > s->row[p - 1]);
            a[q * e->rows + (size_t)s->row[p]] = values[p];
        }
    }
}

/* The equations are of second degree: central differences are exact. */
static void check_differences(const extended *e, const double *z)
{
    double a[9 * 13], plus[9], minus[9], point[13];
    const double h = 0.125;
    dense_of(e, 0.25, z, a);
    for (size_t q = 0; q < e->columns; q++) {
        memcpy(point, z, e->columns * sizeof *z);
        point[q] = z[q] + h;
        CHECK_STATUS(
            e->problem.residual(e->problem.self, 0.25, point, NULL, plus),
            DAE_OK);
        point[q] = z[q] - h;
        CHECK_STATUS(
            e->problem.residual(e->problem.self, 0.25, point, NULL, minus),
            DAE_OK);
        for (size_t i = 0; i < e->rows; i++)
            CHECK_NEAR(
                a[q * e->rows + i], (plus[i] - minus[i]) / (2 * h), 1e-12);
    }
}

static void jacobians_are_those_by_hand_and_by_differences(void **state)
{
    double a[9 * 13];
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 2, 2, 2);
    check_differences(e, at);
    dense_of(e, 0.25, at, a);
    const double *x = at, *lam = at + 10;
    CHECK_NEAR(a[0 * 9 + 2], lam[2], 0);     /* ex'' by x */
    CHECK_NEAR(a[1 * 9 + 2], 2 * lam[1], 0); /* ex'' by x' */
    CHECK_NEAR(a[2 * 9 + 2], lam[0], 0);     /* ex'' by x'' */
    CHECK_NEAR(a[4 * 9 + 2], 1, 0);          /* ex'' by x4 */
    CHECK_NEAR(a[11 * 9 + 2], 2 * x[1], 0);  /* ex'' by lam' */
    CHECK_NEAR(a[1 * 9 + 8], 4 * x[1], 0);   /* rod'' by x' */
    CHECK_NEAR(a[2 * 9 + 8], 2 * x[0], 0);   /* rod'' by x'' */
    extended_free(e);
}

static void counts_follow_what_occurs(void **state)
{
    pendulum m;
    const int32_t c[N] = {0, 0, 2}, d[N] = {1, 5, 0};
    extended *e;
    (void)state;
    open_pendulum(&m);
    e = extend(&m, 0, 0, 2); /* d = 2, 2, 0 */
    assert_int_equal(e->rows, 5);
    assert_int_equal(e->columns, 7);
    check_differences(e, at);
    extended_free(e);
    CHECK_STATUS(extended_create(&m.p, c, d, 1000, NULL, &e), DAE_OK);
    assert_int_equal(e->columns, 10); /* d = 2, 5, 0 */
    assert_int_equal(e->column_first[1], 3);
    assert_int_equal(e->column_first[2], 9);
    check_differences(e, at);
    extended_free(e);
}

/* Constants are differentiated to nothing: ex'' has x4, x, x', x'' and not
 * x''' in it. */
static void constants_leave_no_entries(void **state)
{
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 2, 0, 0);
    const dae_pattern *s = e->problem.pattern;
    assert_int_equal(s->column_start[4] - s->column_start[3], 1);
    assert_int_equal(s->row[s->column_start[3]], 1);
    assert_int_equal(s->kind[s->column_start[3]], DAE_ENTRY_CONSTANT);
    /* x'': 1 in ex, lam in ex'' */
    assert_int_equal(s->kind[s->column_start[2]], DAE_ENTRY_CONSTANT);
    assert_int_equal(s->row[s->column_start[2] + 1], 2);
    assert_int_equal(s->kind[s->column_start[2] + 1], DAE_ENTRY_VARYING);
    extended_free(e);
}

/* ---- no derivatives, no pattern -------------------------------------------- */

static void nothing_differentiated_needs_no_series(void **state)
{
    const double z[7] = {0.3, -0.7, 1.1, 0.9, 0.2, -0.6, 2.1};
    double r[3];
    pendulum m;
    (void)state;
    open_pendulum(&m);
    m.p.series = NULL;
    m.p.series_jacobian = NULL;
    extended *e = extend(&m, 0, 0, 0);
    CHECK_STATUS(e->problem.residual(e->problem.self, 1, z, NULL, r), DAE_OK);
    CHECK_NEAR(r[0], 1.1 + 2.1 * 0.3, 1e-15);
    CHECK_NEAR(r[1], -0.6 + 2.1 * 0.9 - G, 1e-15);
    CHECK_NEAR(r[2], 0.09 + 0.81 - 4, 1e-15);
    check_differences(e, z);
    extended_free(e);
}

static dae_status full_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    double v[ENTRIES];
    CHECK_STATUS(jacobian(self, scope, t, x, xp, v), DAE_OK);
    memset(values, 0, N * (STATES + N) * sizeof *values);
    for (size_t p = 0; p < STATES + N; p++)
        for (int64_t e = column_start[p]; e < column_start[p + 1]; e++)
            values[p * N + (size_t)row[e]] = v[e];
    return DAE_OK;
}

static void no_pattern_means_every_entry(void **state)
{
    const double z[7] = {0.3, -0.7, 1.1, 0.9, 0.2, -0.6, 2.1};
    const int32_t c[N] = {0};
    pendulum m;
    extended *e;
    (void)state;
    open_pendulum(&m);
    m.p.pattern = NULL;
    m.p.jacobian = full_jacobian;
    e = extend(&m, 0, 0, 0);
    check_differences(e, z);
    extended_free(e);
    CHECK_STATUS(extended_create(&m.p, c, NULL, 23, NULL, &e), DAE_LIMIT);
    assert_null(e);
}

static void what_is_too_much_is_refused(void **state)
{
    const int32_t few[N] = {0, 0, 1}, many[N] = {0, 0, DAE_SERIES_TERMS_MAX};
    pendulum m;
    extended *e;
    (void)state;
    open_pendulum(&m);
    /* 6 of ex and ey, rod by x and y in three terms each */
    CHECK_STATUS(extended_create(&m.p, few, NULL, 11, NULL, &e), DAE_LIMIT);
    CHECK_STATUS(extended_create(&m.p, few, NULL, 12, NULL, &e), DAE_OK);
    extended_free(e);
    CHECK_STATUS(
        extended_create(&m.p, many, NULL, 1u << 30, NULL, &e), DAE_LIMIT);
    m.p.series = NULL;
    CHECK_STATUS(
        extended_create(&m.p, few, NULL, 1000, NULL, &e), DAE_UNSUPPORTED);
    assert_null(e);
}

/* ---- what varies ----------------------------------------------------------- */

static dae_status no_value(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp, (void)res;
    return DAE_RETRY;
}

static dae_status no_series(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *f)
{
    (void)self, (void)terms, (void)t0, (void)x, (void)stride, (void)f;
    return DAE_RETRY;
}

/* x'^2 + x: the x' of its derivative 2*x'*x'' + x' has a 1 and a 2*x''. */
static void a_sum_varies_where_one_of_its_terms_does(void **state)
{
    static const int64_t start[] = {0, 1, 2};
    static const int32_t rows[] = {0, 0}, c[] = {1};
    static const uint8_t kinds[] = {DAE_ENTRY_CONSTANT, DAE_ENTRY_VARYING};
    static const dae_pattern given = {start, rows, kinds};
    const dae_problem p = {.unknown_count = 1,
        .residual = no_value,
        .pattern = &given,
        .series = no_series};
    extended *e;
    (void)state;
    CHECK_STATUS(extended_create(&p, c, NULL, 100, NULL, &e), DAE_OK);
    /* x: constant in the equation, in its derivative nothing; x': varies in
     * both; x'': varies */
    const dae_pattern *found = e->problem.pattern;
    assert_int_equal(e->columns, 3);
    const struct {
        int32_t row;
        uint8_t kind;
    } wanted[] = {{0, DAE_ENTRY_CONSTANT}, {0, DAE_ENTRY_VARYING},
        {1, DAE_ENTRY_VARYING}, {1, DAE_ENTRY_VARYING}};
    const int64_t begin[] = {0, 1, 3, 4};
    for (size_t q = 0; q < 4; q++) {
        assert_int_equal(found->column_start[q], begin[q]);
        assert_int_equal(found->row[q], wanted[q].row);
        assert_int_equal(found->kind[q], wanted[q].kind);
    }
    extended_free(e);
}

/* ---- where there is no value ----------------------------------------------- */

static void missing_coefficients_are_explained(void **state)
{
    double r[9], values[200];
    char text[80];
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 1, 1, 2);
    void *self = e->problem.self;
    m.bad_equation = 2;
    m.bad_from = 2; /* rod'' */
    CHECK_STATUS(e->problem.residual(self, 0, at, NULL, r), DAE_RETRY);
    assert_true(isfinite(r[5]) && isnan(r[6]));
    CHECK_STATUS(
        e->problem.jacobian(self, DAE_ALL, 0, at, NULL, values), DAE_RETRY);
    e->problem.explain(
        self, DAE_NAME_EQUATION, 6, 0, at, NULL, text, sizeof text);
    assert_string_equal(text, "a kink in 2, 3");
    e->problem.explain(
        self, DAE_NAME_EQUATION, 5, 0, at, NULL, text, sizeof text);
    assert_string_equal(text, "value 2, lam 1.7");
    m.bad_equation = 0; /* beyond what is asked of it */
    CHECK_STATUS(e->problem.residual(self, 0, at, NULL, r), DAE_OK);
    m.retries = 1;
    CHECK_STATUS(e->problem.residual(self, 0, at, NULL, r), DAE_RETRY);
    extended_free(e);
}

/* ---- names, places, start, scales ------------------------------------------- */

static void check_name(
    const extended *e, dae_name_kind what, size_t index, const char *expected)
{
    char text[40], little[4];
    size_t length = e->problem.name(
        e->problem.self, what, index, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    length = e->problem.name(
        e->problem.self, what, index, little, sizeof little);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(strncmp(little, expected, 3), 0);
    assert_int_equal(e->problem.name(e->problem.self, what, index, NULL, 0),
        strlen(expected));
}

static void names_have_primes(void **state)
{
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 2, 2, 2);
    check_name(e, DAE_NAME_EQUATION, 6, "rod");
    check_name(e, DAE_NAME_EQUATION, 8, "rod''");
    check_name(e, DAE_NAME_UNKNOWN, 0, "x");
    check_name(e, DAE_NAME_UNKNOWN, 6, "T[1,2]'");
    check_name(e, DAE_NAME_UNKNOWN, 8, "T[1,2]'''");
    check_name(e, DAE_NAME_UNKNOWN, 4, "der(x, 4)");
    check_name(e, DAE_NAME_CONDITION, 0, "start");
    extended_free(e);
    m.p.name = NULL;
    e = extend(&m, 0, 0, 1);
    check_name(e, DAE_NAME_EQUATION, 3, "equation 3'");
    check_name(e, DAE_NAME_UNKNOWN, 5, "x[2]''");
    check_name(e, DAE_NAME_CONDITION, 0, "condition 1");
    extended_free(e);
}

static void check_place(pendulum *m, const extended *e, dae_name_kind what,
    size_t index, int has_place, size_t expected)
{
    const struct dae_source *source;
    uint32_t begin, end;
    assert_int_equal(
        e->problem.place(e->problem.self, what, index, &source, &begin, &end),
        has_place);
    if (!has_place) return;
    assert_int_equal(m->kind, what);
    assert_int_equal(m->index, expected);
}

static void places_are_those_of_the_original(void **state)
{
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 1, 1, 2); /* x..x3, y..y3, lam, lam' */
    check_place(&m, e, DAE_NAME_EQUATION, 5, 1, 2);
    check_place(&m, e, DAE_NAME_UNKNOWN, 6, 1, 1);
    check_place(&m, e, DAE_NAME_CONDITION, 0, 1, 0);
    check_place(&m, e, DAE_NAME_KINK, 5, 1, 2);
    check_place(&m, e, DAE_NAME_START, 1, 1, 1); /* x' */
    check_place(&m, e, DAE_NAME_START, 2, 1, 5); /* x'' */
    check_place(&m, e, DAE_NAME_START, 3, 0, 0); /* x''' */
    check_place(&m, e, DAE_NAME_START, 4, 1, 2); /* y */
    check_place(&m, e, DAE_NAME_START, 8, 1, 4); /* lam */
    check_place(&m, e, DAE_NAME_START, 9, 0, 0); /* lam' */
    check_place(&m, e, DAE_NAME_START, 10, 0, 0);
    extended_free(e);
}

static void the_start_is_the_originals(void **state)
{
    /* what is not a number stays that: it is given */
    static const double x[10] = {0.6, 0.1, 7, 0, 0.8, NAN, 8, 0, 3, 0};
    static const uint8_t fixed[10] = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0};
    double r[1], values[3];
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 1, 1, 2);
    const dae_start *s = e->problem.start;
    CHECK_NEAR(s->t0, 0.5, 0);
    for (size_t q = 0; q < 10; q++) {
        if (isnan(x[q])) assert_true(isnan(s->x[q]));
        else CHECK_NEAR(s->x[q], x[q], 0);
        assert_int_equal(s->x_fixed[q], fixed[q]);
        assert_int_equal(s->xp_fixed[q], 0);
    }
    assert_int_equal(s->condition_count, 1);
    CHECK_STATUS(
        s->condition_residual(e->problem.self, 0, at, NULL, r), DAE_OK);
    /* at: x 0.3, y -2.3, y' 0.9, y'' 0.2 */
    CHECK_NEAR(r[0], 0.3 * 0.9 + 0.2 - 2, 1e-15);
    CHECK_STATUS(
        s->condition_jacobian(e->problem.self, DAE_ALL, 0, at, NULL, values),
        DAE_OK);
    assert_int_equal(s->condition_pattern.column_start[20], 3);
    const size_t column[3] = {0, 5, 6};
    const double expected[3] = {0.9, 0.3, 1};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(
            s->condition_pattern.column_start[column[k]], (int64_t)k);
        assert_int_equal(
            s->condition_pattern.column_start[column[k] + 1], (int64_t)k + 1);
        CHECK_NEAR(values[k], expected[k], 0);
    }
    extended_free(e);
}

static void scales_are_the_originals_bounds_but_for_derivatives(void **state)
{
    pendulum m;
    (void)state;
    open_pendulum(&m);
    extended *e = extend(&m, 1, 1, 2);
    const dae_scales *s = e->problem.scales;
    CHECK_NEAR(s->nominal[3], 1, 0);
    CHECK_NEAR(s->nominal[7], 2, 0);
    CHECK_NEAR(s->nominal[9], 30, 0);
    CHECK_NEAR(s->minimum[4], -2, 0);
    assert_true(isinf(s->minimum[5]) && s->minimum[5] < 0);
    assert_null(s->maximum);
    assert_null(s->atol);
    extended_free(e);
}

static void failing_memory_leaves_nothing(void **state)
{
    const int32_t c[N] = {1, 1, 2};
    dae_status st = DAE_MEMORY;
    pendulum m;
    (void)state;
    open_pendulum(&m);
    for (size_t k = 0; st; k++) {
        failing_memory memory;
        extended *e;
        failing_init(&memory, k);
        st = extended_create(&m.p, c, NULL, 1000, &memory.allocator, &e);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        if (st) assert_null(e);
        else extended_free(e);
        assert_int_equal(memory.live, 0);
        assert_true(k < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_by_hand),
        cmocka_unit_test(jacobians_are_those_by_hand_and_by_differences),
        cmocka_unit_test(counts_follow_what_occurs),
        cmocka_unit_test(constants_leave_no_entries),
        cmocka_unit_test(nothing_differentiated_needs_no_series),
        cmocka_unit_test(no_pattern_means_every_entry),
        cmocka_unit_test(what_is_too_much_is_refused),
        cmocka_unit_test(a_sum_varies_where_one_of_its_terms_does),
        cmocka_unit_test(missing_coefficients_are_explained),
        cmocka_unit_test(names_have_primes),
        cmocka_unit_test(places_are_those_of_the_original),
        cmocka_unit_test(the_start_is_the_originals),
        cmocka_unit_test(scales_are_the_originals_bounds_but_for_derivatives),
        cmocka_unit_test(failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
