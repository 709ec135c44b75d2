/* Studies with Radau IIA: its orders by index, and as the reference of others:
 * the pendulum in four forms with BDF against a table. */
#include "base/long_math.h"
#include "check.h"
#include "json.h"
#include "study_bench.h"
#include <float.h>

static double order_of(dae_long at_h, dae_long at_half)
{
    return log2((double)(dae_long_abs(at_h) / dae_long_abs(at_half)));
}

static double observe(plant p, int stages, int unknown)
{
    bench *b = calloc(1, sizeof *b);
    dae_long times[POINTS_MOST], error[2], h = (dae_long)1 / 8;
    bench_make(b, p, false);
    for (int half = 0; half < 2; half++, h /= 2) {
        const size_t count = dae_study_grid(
            0, 2, h, NULL, 0, times, POINTS_MOST);
        dae_study s = bench_study(
            b, 2 * stages - 1, DAE_STUDY_LONG, times, count);
        s.method = DAE_STUDY_RADAU;
        CHECK_STATUS(dae_study_run(b->problem, &s, NULL, b->ds, NULL), DAE_OK);
        assert_int_equal(b->points, count);
        error[half] = b->end[unknown];
    }
    bench_clear(b);
    free(b);
    return order_of(error[0], error[1]);
}

/* [HLR89]: 2s - 1 for what has a derivative, s for what index 2 adds, s - 1 for
 * what index 3 adds. */
static void radau_has_its_orders_by_index(void **state)
{
    (void)state;
    for (int s = 1; s <= 5; s++) {
        CHECK_NEAR(observe(TANK1, s, 1), 2 * s - 1, 0.15);
        CHECK_NEAR(observe(TANK2, s, 0), s, 0.15);
        CHECK_NEAR(observe(CHAIN, s, 1), s, 0.15);
        if (s > 1) CHECK_NEAR(observe(CHAIN, s, 0), s - 1, 0.15);
    }
}

/* ---- models from a text --------------------------------------------------- */

enum { STATES = 8 };

typedef struct ride {
    dae_model *model;
    const dae_problem *problem;
    const dae_long *given; /* `width` numbers for each point */
    size_t width, points;
    dae_long x[POINTS_MOST][STATES], xp[STATES];
} ride;

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const ride *r = context;
    (void)t, (void)xp;
    memcpy(x, r->given + index * r->width, r->width * sizeof *x);
    return DAE_OK;
}

static dae_status take(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    ride *r = context;
    (void)t;
    memcpy(r->x[index], x, r->width * sizeof *x);
    memcpy(r->xp, xp, r->problem->unknown_count * sizeof *xp);
    r->points = index + 1;
    return DAE_OK;
}

static ride *ride_make(const char *text)
{
    ride *r = calloc(1, sizeof *r);
    assert_non_null(r);
    CHECK_STATUS(dae_model_parse(
                     "ride", text, strlen(text), NULL, NULL, NULL, &r->model),
        DAE_OK);
    r->problem = dae_model_problem(r->model);
    r->width = dae_problem_state_count(r->problem);
    assert_true(r->width <= STATES);
    return r;
}

static void ride_free(ride *r)
{
    dae_model_free(r->model);
    free(r);
}

static dae_study study_of(ride *r, int order, const dae_long *times,
    size_t count, const dae_long *given)
{
    dae_study s = dae_study_default();
    s.order = order;
    s.times = times;
    s.time_count = count;
    s.given = give;
    s.point = take;
    s.given_context = s.point_context = r;
    r->given = given;
    return s;
}

/* phi'' = g cos(phi) from rest, at the times k h, by steps far below what
 * matters; then positions, velocities and lambda. */
static void swing(dae_long h, size_t count, dae_long *exact)
{
    static const dae_long start[] = {0, 0};
    dae_long times[POINTS_MOST];
    ride *r = ride_make("var phi\nphi'' = 9.81*cos(phi)\nsolve t in 0..1\n");
    const dae_long g = dae_long_read("9.81", NULL);
    for (size_t i = 0; i < count; i++) times[i] = (dae_long)i * h;
    dae_study s = study_of(r, 9, times, count, start);
    s.method = DAE_STUDY_RADAU;
    s.substeps = 4;
    CHECK_STATUS(dae_study_run(r->problem, &s, NULL, NULL, NULL), DAE_OK);
    for (size_t i = 0; i < count; i++, exact += 5) {
        const dae_long phi = r->x[i][0], rate = r->x[i][1];
        exact[0] = LONG_F(cos)(phi);
        exact[1] = LONG_F(sin)(phi);
        exact[2] = -exact[1] * rate;
        exact[3] = exact[0] * rate;
        exact[4] = (rate * rate + g * exact[1]) / 2;
    }
    /* at t = 1, from an integration with 113 bits at tolerance 1e-26 */
    CHECK_NEAR((double)r->x[count - 1][0], 2.975823638319696, 4e-15);
    CHECK_NEAR((double)r->x[count - 1][1], 1.7993090169070787, 4e-15);
    ride_free(r);
}

typedef struct form {
    const char *name, *text;
} form;
static const form forms[] = {
    {"index3", "x' = u\ny' = v\nx^2 + y^2 = 1\n"},
    {"index2", "x' = u\ny' = v\nx*u + y*v = 0\n"},
    {"index1",
        "x' = u\ny' = v\n"
        "u^2 + v^2 + 9.81*y = 2*lambda*(x^2 + y^2)\n"},
    {"ggl",
        "x' = u - 2*mu*x\ny' = v - 2*mu*y\n"
        "x^2 + y^2 = 1\nx*u + y*v = 0\n"},
};
enum { FORMS = 4 };

static double distance(const dae_long *a, const dae_long *b, size_t count)
{
    dae_long sum = 0;
    for (size_t k = 0; k < count; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt((double)sum);
}

static void check_figure(const json_value *run, const char *key, size_t k,
    double value, double rounding, const char *name)
{
    const json_value *v = json_member(run, key);
    assert_non_null(v);
    v = v->first;
    for (; k > 0; k--) v = v->next;
    if (fabs(value - v->number) <= 1e-8 * v->number + rounding) return;
    print_error("%s %s: %.10g, expected %.10g\n", name, key, value, v->number);
    fail();
}

/* Exact values at 51, 101 and 201 times. */
enum { TIMES = 201 };
typedef dae_long solution[5 * TIMES];

static void check_form(
    const form *f, int order, const json_value *runs, solution *exact)
{
    dae_long start[6 * 6];
    char text[400], name[32];
    const bool has_mu = strcmp(f->name, "ggl") == 0;
    snprintf(name, sizeof name, "%s_bdf%d", f->name, order);
    snprintf(text, sizeof text,
        "var x, y, u, v, lambda%s\nu' = -2*lambda*x\nv' = 9.81 - 2*lambda*y\n"
        "%ssolve t in 0..1\n",
        has_mu ? ", mu" : "", f->text);
    const json_value *run = json_member(runs, name);
    ride *r = ride_make(text);
    size_t step = 0;
    for (size_t count = 51; count <= 201; count = 2 * count - 1, step++) {
        dae_long times[POINTS_MOST];
        const dae_long h = 1 / (dae_long)(count - 1);
        const double rounding = DBL_EPSILON / (double)(h * h);
        memset(start, 0, sizeof start);
        for (size_t i = 0; i < (size_t)order; i++)
            memcpy(
                start + i * r->width, exact[step] + 5 * i, 5 * sizeof *start);
        for (size_t i = 0; i < count; i++) times[i] = (dae_long)i * h;
        const dae_study s = study_of(r, order, times, count, start);
        CHECK_STATUS(dae_study_run(r->problem, &s, NULL, NULL, NULL), DAE_OK);
        const dae_long *x = r->x[count - 1];
        const dae_long *right = exact[step] + 5 * (count - 1);
        check_figure(
            run, "err_pos", step, distance(x, right, 2), rounding, name);
        check_figure(run, "err_vel", step, distance(x + 2, right + 2, 2),
            rounding, name);
        check_figure(run, "err_lambda", step, distance(x + 4, right + 4, 1),
            100 * rounding, name);
        check_figure(run, "pos_constraint", step,
            fabs((double)(x[0] * x[0] + x[1] * x[1] - 1)), rounding, name);
    }
    ride_free(r);
}

static void the_pendulum_in_four_forms_is_as_the_table_has_it(void **state)
{
    (void)state;
    static solution exact[3];
    json_value *root = json_read("tests/data/reference/fixed_steps.json");
    const json_value *runs = json_member(
        json_member(root, "pend_bdf_fixed_step_t1"), "runs");
    for (size_t k = 0, count = 51; k < 3; k++, count = 2 * count - 1)
        swing(1 / (dae_long)(count - 1), count, exact[k]);
    for (int f = 0; f < FORMS; f++)
        for (int order = 1; order <= 5; order++)
            check_form(&forms[f], order, runs, exact);
    json_free(root);
}

/* An unknown of order 2 and the same as two of order 1: x'' = -4 x. */
static void energy_is_gained_and_lost_as_the_table_has_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"var x\nx'' = -4*x\nsolve t in 0..10\n",
        "var x, v\nx' = v\nv' = -4*x\nsolve t in 0..10\n"};
    static const char *const steps[] = {"h=0.1", "h=0.01"};
    json_value *root = json_read("tests/data/reference/fixed_steps.json");
    for (int order = 1; order <= 5; order++)
        for (int k = 0; k < 2; k++) {
            dae_long times[POINTS_MOST], given[12], energy[2];
            char key[8];
            const dae_long h = dae_long_read(steps[k] + 2, NULL);
            const size_t count = dae_study_grid(
                0, 10, h, NULL, 0, times, POINTS_MOST);
            for (int i = 0; i < order; i++) {
                given[2 * i] = LONG_F(cos)(2 * times[i]);
                given[2 * i + 1] = -2 * LONG_F(sin)(2 * times[i]);
            }
            for (int shape = 0; shape < 2; shape++) {
                ride *r = ride_make(texts[shape]);
                const dae_study s = study_of(r, order, times, count, given);
                CHECK_STATUS(
                    dae_study_run(r->problem, &s, NULL, NULL, NULL), DAE_OK);
                const dae_long *x = r->x[count - 1];
                energy[shape] = x[0] * x[0] + x[1] * x[1] / 4;
                /* what is told as the slope satisfies the equation */
                const dae_long slope = r->xp[shape];
                CHECK_NEAR((double)(slope + 4 * x[0]), 0, 1e-28);
                ride_free(r);
            }
            snprintf(key, sizeof key, "BDF%d", order);
            const double wanted = json_number(
                json_member(
                    json_member(root, "oscillator_energy_ratio_t10"), steps[k]),
                order == 1 ? "BE" : key);
            CHECK_NEAR((double)energy[0], wanted, 1e-12 * wanted);
            CHECK_NEAR((double)(energy[0] - energy[1]), 0, 1e-28);
        }
    json_free(root);
}

/* r is what rounding leaves of x, whatever x is. */
static void what_is_left_of_others_by_rounding_stops_nothing(void **state)
{
    (void)state;
    static const dae_long start[] = {1, 0, 0};
    dae_long times[41];
    ride *r = ride_make("var x = 1, r, s\nx' = -x + r + s/3\n"
                        "r = sin(x)^2 + cos(x)^2 - 1\n"
                        "s = (x + 1)^3 - (x^3 + 3*x^2 + 3*x + 1) + r\n"
                        "solve t in 0..4\n");
    for (int i = 0; i < 41; i++) times[i] = (dae_long)i / 10;
    for (int precision = 0; precision < 2; precision++) {
        dae_study s = study_of(r, 4, times, 41, start);
        s.precision = (dae_study_precision)precision;
        s.start = DAE_STUDY_RAMP;
        CHECK_STATUS(dae_study_run(r->problem, &s, NULL, NULL, NULL), DAE_OK);
        assert_int_equal(r->points, 41);
        CHECK_NEAR((double)r->x[40][0], exp(-4.0), 2e-3);
        CHECK_NEAR((double)r->x[40][1], 0, 1e-15);
    }
    ride_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau_has_its_orders_by_index),
        cmocka_unit_test(the_pendulum_in_four_forms_is_as_the_table_has_it),
        cmocka_unit_test(what_is_left_of_others_by_rounding_stops_nothing),
        cmocka_unit_test(energy_is_gained_and_lost_as_the_table_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
