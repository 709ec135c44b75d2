/* Studies at given steps against errors that were computed with 40 digits: two
 * tanks and a chain of differentiators, BDF of every order, in double and in
 * extended precision. */
#include "base/long_math.h"
#include "check.h"
#include "json.h"
#include <dae/model.h>
#include <dae/study.h>
#include <float.h>

enum { POINTS_MOST = 2100, UNKNOWNS = 3 };

typedef enum plant { TANK1, TANK2, CHAIN } plant;
static const char *const bodies[] = {
    "var c1, c2 = 0.2\nc2' = 0.5*(c1 - c2)\nc1 = gamma\nsolve t in 0..2\n",
    "var c1, c2\nc2' = 0.5*(c1 - c2)\nc2 = gamma\nsolve t in 0..2\n",
    "var c1, c2, c3\nc2' = c1\nc3' = c2\nc3 = gamma\nsolve t in 0..2\n"};
enum { PLANTS = 3 };

typedef struct bench {
    plant plant;
    bool is_cosine;
    dae_model *model;
    dae_diagnostics *ds;
    const dae_problem *problem;
    /* of the study */
    int first_told;             /* the first point that is computed */
    dae_long delta[UNKNOWNS];   /* what is wrong with point 0 */
    size_t points;              /* told */
    dae_long end[UNKNOWNS];     /* errors of the last point */
    dae_long largest[UNKNOWNS]; /* of all computed ones */
    dae_long sizes[UNKNOWNS];   /* largest modulus of the solution */
    dae_long error[POINTS_MOST][UNKNOWNS];
} bench;

/* p(t) of the tank with a = 1/2: 1 + (a/2)(a sin t - cos t)/(a^2 + 1), or with
 * (a cos t + sin t). */
static dae_long particular(bool is_cosine, dae_long t)
{
    const dae_long s = LONG_F(sin)(t), c = LONG_F(cos)(t);
    const dae_long inner = is_cosine ? c / 2 + s : s / 2 - c;
    return 1 + inner / 5;
}

static void exact(const bench *b, dae_long t, dae_long *x)
{
    const dae_long s = LONG_F(sin)(t), c = LONG_F(cos)(t);
    const dae_long gamma = 1 + (b->is_cosine ? c : s) / 2;
    const dae_long first = (b->is_cosine ? -s : c) / 2;
    const dae_long second = (b->is_cosine ? -c : -s) / 2;
    if (b->plant == CHAIN) {
        x[0] = second, x[1] = first, x[2] = gamma;
    } else if (b->plant == TANK2) {
        x[0] = gamma + 2 * first, x[1] = gamma;
    } else {
        const dae_long start = (dae_long)1 / 5 - particular(b->is_cosine, 0);
        x[0] = gamma;
        x[1] = particular(b->is_cosine, t) + start * LONG_F(exp)(-t / 2);
    }
}

static size_t unknowns(const bench *b)
{
    return b->plant == CHAIN ? 3 : 2;
}

static void bench_make(bench *b, plant p, bool is_cosine)
{
    char text[400];
    memset(b, 0, sizeof *b);
    b->plant = p;
    b->is_cosine = is_cosine;
    snprintf(text, sizeof text, "input gamma = 1 + %s(t)/2\n%s",
        is_cosine ? "cos" : "sin", bodies[p]);
    CHECK_STATUS(dae_diagnostics_create(NULL, &b->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "plant", text, strlen(text), NULL, NULL, b->ds, &b->model),
        DAE_OK);
    b->problem = dae_model_problem(b->model);
    assert_non_null(b->problem->residual_long);
    assert_int_equal(dae_problem_state_count(b->problem), unknowns(b));
}

static void bench_clear(bench *b)
{
    dae_model_free(b->model);
    dae_diagnostics_free(b->ds);
}

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    bench *b = context;
    exact(b, t, x);
    for (size_t j = 0; j < unknowns(b); j++) {
        if (index == 0) x[j] += b->delta[j];
        xp[j] = 0;
    }
    return DAE_OK;
}

static dae_status take(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    bench *b = context;
    dae_long right[UNKNOWNS];
    (void)xp;
    assert_int_equal(index, b->points++);
    assert_true(index < POINTS_MOST);
    exact(b, t, right);
    for (size_t j = 0; j < unknowns(b); j++) {
        b->end[j] = x[j] - right[j];
        b->error[index][j] = b->end[j];
        if (dae_long_abs(right[j]) > b->sizes[j])
            b->sizes[j] = dae_long_abs(right[j]);
        if (index < (size_t)b->first_told) continue;
        if (dae_long_abs(b->end[j]) > b->largest[j])
            b->largest[j] = dae_long_abs(b->end[j]);
    }
    return DAE_OK;
}

static dae_study study_of(bench *b, int order, dae_study_precision precision,
    const dae_long *times, size_t count)
{
    dae_study s = dae_study_default();
    s.order = order;
    s.precision = precision;
    s.times = times;
    s.time_count = count;
    s.given = give;
    s.point = take;
    s.given_context = s.point_context = b;
    b->first_told = s.start == DAE_STUDY_GIVEN ? order : 1;
    b->points = 0;
    memset(b->largest, 0, sizeof b->largest);
    return s;
}

static void run(bench *b, int order, dae_study_precision precision,
    const dae_long *times, size_t count)
{
    const dae_study s = study_of(b, order, precision, times, count);
    CHECK_STATUS(dae_study_run(b->problem, &s, NULL, b->ds, NULL), DAE_OK);
    assert_int_equal(b->points, count);
}

/* ---- every error of the table -------------------------------------------- */

/* What the table has for an unknown of a plant, and that unknown's index. */
typedef struct quantity {
    const char *name;
    plant plant;
    int unknown, index;
} quantity;
static const quantity quantities[] = {{"tank1_c2", TANK1, 1, 1},
    {"tank2_c1", TANK2, 0, 2}, {"chain_c2", CHAIN, 1, 2},
    {"chain_c1", CHAIN, 0, 3}};
enum { QUANTITIES = 4, STEPS = 4 };

typedef struct comparison {
    dae_study_precision precision;
    size_t count, wrong;
    const char *table;
} comparison;

static const json_value *item(const json_value *array, size_t k)
{
    const json_value *v = array ? array->first : NULL;
    for (; v && k > 0; k--) v = v->next;
    return v;
}

static void compare(comparison *c, const json_value *part, const quantity *q,
    const bench *b, const dae_long *values, dae_long h, int order, size_t step)
{
    const json_value *row = json_member(part, q->name);
    if (!row) return;
    const char *text = item(json_member(row, "err"), step)->text;
    const dae_long wanted = dae_long_read(text, NULL);
    dae_long allowed = dae_long_abs(wanted) * (dae_long)1e-6;
    dae_long rounding = 100 * (dae_long)DBL_EPSILON * b->sizes[q->unknown];
    for (int i = 1; i < q->index; i++) rounding /= h;
    if (c->precision == DAE_STUDY_DOUBLE && rounding > allowed)
        allowed = rounding;
    const dae_long value = values[q->unknown];
    c->count++;
    if (dae_long_abs(value - wanted) <= allowed) return;
    c->wrong++;
    print_error("%s %s of order %d, h = %g: %.17Lg, expected %s within %.3g\n",
        c->table, q->name, order, (double)h, (long double)value, text,
        (double)allowed);
}

/* One step to T from exact history, and a run from 0 to T. */
static void check_step(
    comparison *c, bench *b, const json_value *part, int order, size_t step)
{
    dae_long times[POINTS_MOST];
    const char *text = item(json_member(part, "h"), step)->text;
    const dae_long h = dae_long_read(text, NULL);
    const json_value *one = json_member(part, "one_step_exact_history");
    for (int i = 0; i <= order; i++) times[i] = 2 - (dae_long)(order - i) * h;
    run(b, order, c->precision, times, (size_t)order + 1);
    for (int q = 0; q < QUANTITIES; q++)
        if (quantities[q].plant == b->plant)
            compare(c, one, &quantities[q], b, b->end, h, order, step);
    const size_t count = dae_study_grid(0, 2, h, NULL, 0, times, POINTS_MOST);
    run(b, order, c->precision, times, count);
    for (int q = 0; q < QUANTITIES; q++) {
        if (quantities[q].plant != b->plant) continue;
        compare(c, json_member(part, "end_of_run_exact_start"), &quantities[q],
            b, b->end, h, order, step);
        compare(c, json_member(part, "max_over_run_exact_start"),
            &quantities[q], b, b->largest, h, order, step);
    }
}

static void check_table(
    const char *name, bool is_cosine, dae_study_precision precision)
{
    json_value *root = json_read("tests/data/reference/bdf_orders.json");
    assert_non_null(root);
    const json_value *runs = json_member(json_member(root, name), "runs");
    comparison c = {.precision = precision, .table = name};
    for (int p = 0; p < PLANTS; p++) {
        bench *b = malloc(sizeof *b);
        bench_make(b, (plant)p, is_cosine);
        for (int order = 1; order <= 6; order++) {
            char key[16];
            snprintf(key, sizeof key, "bdf%d", order);
            for (size_t step = 0; step < STEPS; step++)
                check_step(&c, b, json_member(runs, key), order, step);
        }
        bench_clear(b);
        free(b);
    }
    json_free(root);
    /* 6 orders, 4 steps: 4 errors of one step, 4 at the end, 3 of the run */
    assert_int_equal(c.count, 6 * 4 * 11);
    assert_int_equal(c.wrong, 0);
}

static void every_error_of_gamma_sine_in_extended_precision(void **state)
{
    (void)state;
    check_table("tanks_bdf_sin", false, DAE_STUDY_LONG);
}

static void every_error_of_gamma_cosine_in_extended_precision(void **state)
{
    (void)state;
    check_table("tanks_bdf_cos", true, DAE_STUDY_LONG);
}

static void every_error_of_gamma_sine_in_double(void **state)
{
    (void)state;
    check_table("tanks_bdf_sin", false, DAE_STUDY_DOUBLE);
}

static void every_error_of_gamma_cosine_in_double(void **state)
{
    (void)state;
    check_table("tanks_bdf_cos", true, DAE_STUDY_DOUBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_of_gamma_sine_in_extended_precision),
        cmocka_unit_test(every_error_of_gamma_cosine_in_extended_precision),
        cmocka_unit_test(every_error_of_gamma_sine_in_double),
        cmocka_unit_test(every_error_of_gamma_cosine_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
