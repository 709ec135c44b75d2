/* The analysis of problems written by hand: without names, texts or models, and
 * with this or that function missing. */
#include "support/check.h"
#include <dae/analysis.h>
#include <stdbool.h>

/* ---- the pendulum of examples/analyse.c --------------------------------------- */

static const double g = 9.81;
static const uint8_t order[] = {2, 2, 0};
static const int64_t column_start[] = {0, 2, 2, 4, 4, 6, 7, 8, 8};
static const int32_t row[] = {0, 2, 1, 2, 0, 1, 0, 1};
static const dae_pattern pattern = {column_start, row, NULL};

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[4] * x[0];
    res[1] = xp[1] + x[4] * x[2] + g;
    res[2] = x[0] * x[0] + x[2] * x[2] - 1;
    return DAE_OK;
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double v[] = {x[4], 2 * x[0], x[4], 2 * x[2], x[0], x[2], 1, 1};
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

static dae_status series(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *f)
{
    const double *x = curve, *y = curve + stride, *force = curve + 2 * stride;
    (void)self, (void)t0;
    for (size_t k = 0; k < terms; k++) {
        const double twice = (double)((k + 1) * (k + 2));
        f[k] = twice * x[k + 2] + product(force, x, k);
        f[terms + k] = twice * y[k + 2] + product(force, y, k)
            + (k == 0 ? g : 0);
        f[2 * terms + k] = product(x, x, k) + product(y, y, k)
            - (k == 0 ? 1 : 0);
    }
    return DAE_OK;
}

static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *values)
{
    const double *x = curve, *y = curve + stride, *force = curve + 2 * stride;
    const double *of[] = {force, x, force, y, x, y};
    const double factor[] = {1, 2, 1, 2, 1, 1};
    (void)self, (void)t0;
    for (size_t k = 0; k < terms; k++) {
        for (size_t p = 0; p < 6; p++)
            values[p * terms + k] = factor[p] * of[p][k];
        for (size_t p = 6; p < 8; p++) values[p * terms + k] = k == 0;
    }
    return DAE_OK;
}

/* x = (x, x', y, y', F) */
typedef struct pendulum {
    double x[5], xp[3];
    uint8_t fixed[5];
    dae_start start;
    dae_problem p;
} pendulum;

static void pendulum_init(pendulum *m)
{
    *m = (pendulum){.x = {0.6, 1, 1, 0, 0}, .fixed = {1, 1, 0, 0, 0}};
    m->start = (dae_start){.x = m->x, .xp = m->xp, .x_fixed = m->fixed};
    m->p = (dae_problem){.unknown_count = 3,
        .order = order,
        .residual = residual,
        .jacobian = jacobian,
        .pattern = &pattern,
        .start = &m->start,
        .series = series,
        .series_jacobian = series_jacobian};
}

/* ---- one analysis ---------------------------------------------------------------- */

typedef struct subject {
    dae_diagnostics *ds;
    dae_analysis *a;
} subject;

static void open_subject(
    subject *s, const dae_problem *p, const dae_analysis_options *options)
{
    CHECK_STATUS(dae_diagnostics_create(NULL, &s->ds), DAE_OK);
    CHECK_STATUS(dae_analyse(p, options, NULL, s->ds, &s->a), DAE_OK);
}

static void close_subject(subject *s)
{
    dae_analysis_free(s->a);
    dae_diagnostics_free(s->ds);
}

static void check_index(const dae_analysis *a, int64_t index, int64_t freedom,
    dae_certificate certificate)
{
    assert_int_equal(a->verdict, DAE_INDEX_FOUND);
    assert_int_equal(a->index, index);
    assert_int_equal(a->degrees_of_freedom, freedom);
    assert_int_equal(a->certificate, certificate);
}

static const dae_diagnostic *find(const dae_diagnostics *ds, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (strcmp(dae_diagnostics_at(ds, i)->code, code) == 0)
            return dae_diagnostics_at(ds, i);
    fail_msg("no %s", code);
    return NULL;
}

/* y = 0.8, y' = -x*x'/y, F = x'^2 + y'^2 - g*y, the rest from the equations. */
static void check_values(const dae_start_findings *s, double tolerance)
{
    const double f = 1 + 0.75 * 0.75 - g * 0.8;
    const double wanted[] = {0.6, 1, -0.6 * f, 0.8, -0.75, -0.8 * f - g, f};
    const size_t first[] = {0, 3, 6, 7};
    assert_int_equal(s->verdict, DAE_START_CONSISTENT);
    for (size_t j = 0; j < 4; j++)
        assert_int_equal(s->value_first[j], first[j]);
    for (size_t k = 0; k < 7; k++)
        CHECK_NEAR(s->values[k], wanted[k], tolerance);
}

static void check_hidden(const dae_analysis *a)
{
    assert_int_equal(a->hidden_count, 2);
    for (int32_t k = 0; k < 2; k++) {
        assert_int_equal(a->hidden[k].equation, 2);
        assert_int_equal(a->hidden[k].repair, -1);
        assert_int_equal(a->hidden[k].differentiated, k + 1);
        assert_int_equal(a->hidden[k].restricts_start != 0, k == 0);
    }
    assert_int_equal(a->hidden[1].determines.unknown, 2);
    assert_int_equal(a->hidden[1].determines.order, 0);
}

static void all_of_it_without_a_model(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    open_subject(&s, &m.p, NULL);
    check_index(s.a, 3, 2, DAE_CERTIFIED);
    assert_int_equal(s.a->structural_index, 3);
    assert_int_equal(s.a->structural_freedom, 2);
    assert_int_equal(s.a->repair_count, 0);
    assert_ptr_equal(s.a->repaired, s.a->structure);
    check_hidden(s.a);
    check_values(&s.a->start, 1e-9);
    assert_int_equal(s.a->start.given_count, 2);
    assert_int_equal(s.a->start.missing, 0);
    assert_true(s.a->start.residual <= 1);
    assert_int_equal(dae_diagnostics_count(s.ds), 0);
    close_subject(&s);
}

/* ---- what is missing ------------------------------------------------------------- */

/* Structure needs no derivatives; the start and the certificate do. */
static void without_series_structure_is_all_there_is(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.p.series = NULL;
    m.p.series_jacobian = NULL;
    open_subject(&s, &m.p, NULL);
    check_index(s.a, 3, 2, DAE_NOT_CERTIFIED);
    check_hidden(s.a);
    assert_int_equal(s.a->start.verdict, DAE_START_UNKNOWN);
    assert_int_equal(dae_diagnostics_error_count(s.ds), 0);
    close_subject(&s);
}

static void without_jacobians_differences_serve(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.p.jacobian = NULL;
    m.p.pattern = NULL;
    m.p.series_jacobian = NULL;
    open_subject(&s, &m.p, NULL);
    /* J and one solution with it are enough for the index (index/index_bound.c) */
    check_index(s.a, 3, 2, DAE_CERTIFIED);
    check_hidden(s.a);
    check_values(&s.a->start, 1e-6);
    close_subject(&s);
}

static void without_a_start_it_is_not_asked(void **state)
{
    (void)state;
    const dae_analysis_options skip = {.skip_start = 1};
    pendulum m;
    subject s;
    pendulum_init(&m);
    open_subject(&s, &m.p, &skip);
    check_index(s.a, 3, 2, DAE_CERTIFIED);
    assert_int_equal(s.a->start.verdict, DAE_START_UNKNOWN);
    assert_null(s.a->start.values);
    close_subject(&s);
    m.p.start = NULL;
    open_subject(&s, &m.p, NULL);
    check_index(s.a, 3, 2, DAE_CERTIFIED);
    assert_int_equal(s.a->start.verdict, DAE_START_UNKNOWN);
    close_subject(&s);
}

/* ---- starts that are none ---------------------------------------------------------- */

/* 0.6^2 + 0.7^2 is 0.85; x = 0.6 asks for y = 0.8, y = 0.7 for the root of
 * 0.51. */
static void contradictions_have_numbers_for_names(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.x[2] = 0.7;
    m.fixed[2] = 1;
    open_subject(&s, &m.p, NULL);
    const dae_start_findings *f = &s.a->start;
    assert_int_equal(f->verdict, DAE_START_INCONSISTENT);
    assert_int_equal(f->conflict_count, 3);
    int seen = 0;
    for (size_t k = 0; k < 3; k++) {
        const dae_party *p = &f->conflicts[k];
        assert_int_equal(p->order, 0);
        if (p->kind == DAE_PARTY_EQUATION) {
            assert_int_equal(p->index, 2);
            CHECK_NEAR(p->residual, -0.15, 1e-12);
            seen |= 1;
        } else {
            assert_int_equal(p->kind, DAE_PARTY_VALUE);
            CHECK_NEAR(p->wanted, p->index ? 0.8 : sqrt(0.51), 1e-8);
            seen |= p->index ? 2 : 4;
        }
    }
    assert_int_equal(seen, 7);
    const dae_diagnostic *d = find(s.ds, "E0401");
    assert_non_null(strstr(d->message, "equation 3"));
    assert_non_null(strstr(d->message, "x[1]"));
    assert_int_equal(d->span_count, 0);
    close_subject(&s);
}

static void a_missing_value_is_proposed(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.fixed[1] = 0;
    open_subject(&s, &m.p, NULL);
    const dae_start_findings *f = &s.a->start;
    assert_int_equal(f->verdict, DAE_START_UNDERDETERMINED);
    assert_int_equal(f->missing, 1);
    /* one of the two velocities, which move with each other, or the force, which
     * tells the speed but for its sign */
    assert_int_equal(f->could_fix_count, 3);
    assert_int_equal(f->could_fix[2].unknown, 2);
    assert_int_equal(f->could_fix[2].order, 0);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(f->could_fix[k].order, 1);
        assert_int_equal(
            f->could_fix[k].unknown + f->could_fix[1 - k].unknown, 1);
    }
    close_subject(&s);
}

/* ---- what the user calls first ------------------------------------------------------ */

/* The last of three comes first, and so for the equations. */
static size_t backwards(void *self, dae_name_kind kind, size_t index)
{
    (void)self, (void)kind;
    return 2 - index;
}

static void check_slot(dae_slot s, int32_t unknown, int32_t derivative)
{
    assert_int_equal(s.unknown, unknown);
    assert_int_equal(s.order, derivative);
}

static void lists_go_by_positions(void **state)
{
    (void)state;
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.p.position = backwards;
    m.x[2] = 0.7;
    m.fixed[2] = 1;
    open_subject(&s, &m.p, NULL);
    const dae_start_findings *f = &s.a->start;
    assert_int_equal(f->given_count, 3);
    check_slot(f->given[0], 1, 0);
    check_slot(f->given[1], 0, 0);
    check_slot(f->given[2], 0, 1);
    assert_int_equal(f->conflict_count, 3);
    assert_int_equal(f->conflicts[0].kind, DAE_PARTY_EQUATION);
    assert_int_equal(f->conflicts[1].index, 1);
    assert_int_equal(f->conflicts[2].index, 0);
    const char *told = find(s.ds, "E0401")->message;
    assert_non_null(strstr(told, "x[2]"));
    assert_non_null(strstr(strstr(told, "x[2]"), "x[1]"));
    close_subject(&s);
}

/* Nothing that is computed goes by them. */
static void positions_change_no_numbers(void **state)
{
    (void)state;
    pendulum m;
    subject by_number, by_position;
    pendulum_init(&m);
    m.fixed[0] = m.fixed[1] = 0;
    open_subject(&by_number, &m.p, NULL);
    m.p.position = backwards;
    open_subject(&by_position, &m.p, NULL);
    const dae_start_findings *one = &by_number.a->start;
    const dae_start_findings *other = &by_position.a->start;
    assert_int_equal(one->missing, 2);
    assert_int_equal(other->missing, 2);
    assert_memory_equal(one->values, other->values, 7 * sizeof *one->values);
    assert_int_equal(one->could_fix_count, other->could_fix_count);
    /* a place and a speed, those of x or of y */
    for (size_t k = 0; k < 2; k++) {
        const dae_slot *s = &other->could_fix[k];
        size_t found = 0;
        for (size_t i = 0; i < 2; i++)
            found += memcmp(s, &one->could_fix[i], sizeof *s) == 0;
        assert_int_equal(found, 1);
    }
    const dae_slot *first = other->could_fix, *second = first + 1;
    assert_true(first->unknown > second->unknown
        || (first->unknown == second->unknown && first->order < second->order));
    close_subject(&by_number);
    close_subject(&by_position);
}

/* ---- verdicts ------------------------------------------------------------------------ */

static void kinks_need_no_text_to_be_told(void **state)
{
    (void)state;
    const uint8_t smoothness[] = {DAE_SMOOTH, DAE_SMOOTH, 1};
    pendulum m;
    subject s;
    pendulum_init(&m);
    m.p.smoothness = smoothness;
    open_subject(&s, &m.p, NULL);
    const dae_diagnostic *d = find(s.ds, "E0303");
    assert_non_null(
        strstr(d->message, "x[3] needs") || strstr(d->message, "`x[3]` needs")
            ? d->message
            : NULL);
    assert_non_null(strstr(d->message, "equation 3''"));
    assert_int_equal(s.a->start.verdict, DAE_START_UNKNOWN);
    close_subject(&s);
}

/* F = A x - b, all algebraic, without a pattern. */
typedef struct linear {
    double a[2][2], b[2];
} linear;

static dae_status linear_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const linear *l = self;
    (void)t, (void)xp;
    for (size_t i = 0; i < 2; i++)
        res[i] = l->a[i][0] * x[0] + l->a[i][1] * x[1] - l->b[i];
    return DAE_OK;
}

static dae_status linear_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const linear *l = self;
    (void)scope, (void)t, (void)x, (void)xp;
    memset(values, 0, 8 * sizeof *values); /* by columns: x, then x' */
    for (size_t j = 0; j < 2; j++)
        for (size_t i = 0; i < 2; i++) values[2 * j + i] = l->a[i][j];
    return DAE_OK;
}

static dae_status linear_series(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *f)
{
    const linear *l = self;
    (void)t0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < terms; k++)
            f[i * terms + k] = l->a[i][0] * curve[k]
                + l->a[i][1] * curve[stride + k] - (k == 0 ? l->b[i] : 0);
    return DAE_OK;
}

static dae_status linear_series_jacobian(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *values)
{
    double first[8];
    (void)stride;
    const dae_status st = linear_jacobian(
        self, DAE_ALL, t0, curve, curve, first);
    memset(values, 0, 8 * terms * sizeof *values);
    for (size_t p = 0; p < 8; p++) values[p * terms] = first[p];
    return st;
}

static void open_linear(subject *s, linear *l, bool has_series)
{
    static const uint8_t algebraic[] = {0, 0};
    static const double zeros[] = {0, 0};
    static const dae_start start = {.x = zeros, .xp = zeros};
    const dae_problem p = {.self = l,
        .unknown_count = 2,
        .order = algebraic,
        .residual = linear_residual,
        .jacobian = linear_jacobian,
        .start = &start,
        .series = has_series ? linear_series : NULL,
        .series_jacobian = has_series ? linear_series_jacobian : NULL};
    open_subject(s, &p, NULL);
    assert_int_equal(s->a->index, s->a->verdict == DAE_INDEX_FOUND ? 1 : -1);
}

static void algebra_has_its_verdicts(void **state)
{
    (void)state;
    linear regular = {{{1, 2}, {3, 4}}, {1, 1}};
    linear twice = {{{1, 2}, {2, 4}}, {1, 2}};
    linear floating = {{{1, -1}, {-2, 2}}, {1, -2}};
    linear empty = {{{1, 0}, {2, 0}}, {1, 1}};
    subject s;
    open_linear(&s, &regular, true);
    check_index(s.a, 1, 0, DAE_CERTIFIED);
    assert_int_equal(s.a->start.verdict, DAE_START_CONSISTENT);
    CHECK_NEAR(s.a->start.values[0], -1, 1e-9);
    CHECK_NEAR(s.a->start.values[1], 1, 1e-9);
    close_subject(&s);
    open_linear(&s, &twice, true);
    assert_int_equal(s.a->verdict, DAE_INDEX_REDUNDANT);
    assert_int_equal(s.a->dependent_count, 2);
    assert_int_equal(s.a->loose_count, 2);
    (void)find(s.ds, "W0305");
    close_subject(&s);
    /* derivatives might determine something, for all that is known then */
    open_linear(&s, &twice, false);
    assert_int_equal(s.a->verdict, DAE_INDEX_REDUNDANT);
    assert_int_equal(s.a->dependent_count, 2);
    assert_int_equal(s.a->loose_count, 0);
    close_subject(&s);
    open_linear(&s, &floating, true);
    assert_int_equal(s.a->verdict, DAE_INDEX_FLOATING);
    (void)find(s.ds, "E0304");
    close_subject(&s);
    open_linear(&s, &empty, true);
    assert_int_equal(s.a->verdict, DAE_INDEX_UNDEFINED);
    assert_int_equal(s.a->hidden_count, 0);
    const dae_diagnostic *d = find(s.ds, "E0302");
    assert_non_null(strstr(d->message, "equation 1"));
    close_subject(&s);
}

/* ---- equations that nobody wrote ----------------------------------------------------- */

/* x' = u and w = t, where w stands for x: u = 1 is found with two derivatives, of
 * which the one of w = x is not to be listed. */
static dae_status internal_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] - x[1];
    res[1] = x[2] - t;
    res[2] = x[2] - x[0];
    return DAE_OK;
}

static dae_status internal_series(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *f)
{
    const double *x = curve, *u = curve + stride, *w = curve + 2 * stride;
    (void)self;
    for (size_t k = 0; k < terms; k++) {
        f[k] = (double)(k + 1) * x[k + 1] - u[k];
        f[terms + k] = w[k] - (k == 0 ? t0 : k == 1 ? 1 : 0);
        f[2 * terms + k] = w[k] - x[k];
    }
    return DAE_OK;
}

static void internal_equations_are_not_listed(void **state)
{
    (void)state;
    static const uint8_t orders[] = {1, 0, 0}, group[] = {0, 0, 255};
    const double x[3] = {0, 0, 0}, xp[3] = {0, 0, 0};
    const dae_start start = {.t0 = 2, .x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 3,
        .order = orders,
        .residual = internal_residual,
        .start = &start,
        .index_group = group,
        .series = internal_series};
    subject s;
    open_subject(&s, &p, NULL);
    assert_int_equal(s.a->index, 2);
    assert_int_equal(s.a->degrees_of_freedom, 0);
    assert_int_equal(s.a->structure->c[2], 1);
    assert_int_equal(s.a->hidden_count, 1);
    assert_int_equal(s.a->hidden[0].equation, 1);
    assert_int_equal(s.a->hidden[0].differentiated, 1);
    assert_int_equal(s.a->start.verdict, DAE_START_CONSISTENT);
    CHECK_NEAR(s.a->start.values[s.a->start.value_first[0]], 2, 1e-9);
    CHECK_NEAR(s.a->start.values[s.a->start.value_first[1]], 1, 1e-9);
    close_subject(&s);
}

/* ---- what ends it ---------------------------------------------------------------------- */

static int stop(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

static dae_status refuse(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp, (void)res;
    return DAE_IO;
}

static void what_cannot_be_looked_at_gives_no_analysis(void **state)
{
    (void)state;
    dae_analysis *a = NULL;
    pendulum m;
    pendulum_init(&m);
    CHECK_STATUS(dae_analyse(NULL, NULL, NULL, NULL, &a), DAE_ARGUMENT);
    CHECK_STATUS(dae_analyse(&m.p, NULL, NULL, NULL, NULL), DAE_ARGUMENT);
    m.p.unknown_count = 0;
    CHECK_STATUS(dae_analyse(&m.p, NULL, NULL, NULL, &a), DAE_ARGUMENT);
    m.p.unknown_count = 3;
    for (int k = 0; k < 3; k++) {
        int left = k;
        const dae_analysis_options options = {
            .interrupt = stop, .interrupt_context = &left};
        CHECK_STATUS(
            dae_analyse(&m.p, &options, NULL, NULL, &a), DAE_INTERRUPTED);
        assert_null(a);
    }
    m.p.residual = refuse;
    CHECK_STATUS(dae_analyse(&m.p, NULL, NULL, NULL, &a), DAE_IO);
    assert_null(a);
    dae_analysis_free(NULL);
}

/* Below the pivot, where x*x' + y*y' = 0 has y' = 0: a speed of 1e-11 that is written down
 * contradicts it, one at which a run stands is 0 to its tolerance of 1e-9. */
static void values_of_a_run_count_to_their_tolerance(void **state)
{
    (void)state;
    for (int is_of_run = 0; is_of_run < 2; is_of_run++) {
        dae_analysis *a = NULL;
        pendulum m;
        pendulum_init(&m);
        memcpy(m.x, (double[]){0, 0, -1, 1e-11, 0}, sizeof m.x);
        memset(m.fixed, 1, 4);
        m.start.is_of_run = is_of_run;
        CHECK_STATUS(dae_analyse(&m.p, NULL, NULL, NULL, &a), DAE_OK);
        assert_int_equal(a->start.verdict,
            is_of_run ? DAE_START_CONSISTENT : DAE_START_INCONSISTENT);
        dae_analysis_free(a);
    }
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    dae_analysis *a = NULL;
    pendulum m;
    pendulum_init(&m);
    m.fixed[2] = 1; /* y = 1 */
    CHECK_STATUS(dae_analyse(&m.p, NULL, NULL, NULL, &a), DAE_OK);
    assert_int_equal(a->start.verdict, DAE_START_INCONSISTENT);
    dae_analysis_free(a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    pendulum m;
    pendulum_init(&m);
    m.p.position = backwards;
    m.x[2] = 0.7;
    m.fixed[2] = 1;
    size_t n = 0;
    for (; n < 20000 && st; n++) {
        failing_memory memory;
        dae_analysis *a = NULL;
        failing_init(&memory, n);
        st = dae_analyse(&m.p, NULL, &memory.allocator, NULL, &a);
        if (st) {
            CHECK_STATUS(st, DAE_MEMORY);
            assert_null(a);
        } else {
            assert_int_equal(a->start.verdict, DAE_START_INCONSISTENT);
        }
        dae_analysis_free(a);
        assert_int_equal(memory.live, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_without_a_model),
        cmocka_unit_test(without_series_structure_is_all_there_is),
        cmocka_unit_test(without_jacobians_differences_serve),
        cmocka_unit_test(without_a_start_it_is_not_asked),
        cmocka_unit_test(contradictions_have_numbers_for_names),
        cmocka_unit_test(a_missing_value_is_proposed),
        cmocka_unit_test(lists_go_by_positions),
        cmocka_unit_test(positions_change_no_numbers),
        cmocka_unit_test(kinks_need_no_text_to_be_told),
        cmocka_unit_test(algebra_has_its_verdicts),
        cmocka_unit_test(internal_equations_are_not_listed),
        cmocka_unit_test(what_cannot_be_looked_at_gives_no_analysis),
        cmocka_unit_test(values_of_a_run_count_to_their_tolerance),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
