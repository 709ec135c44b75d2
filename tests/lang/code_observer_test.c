/* Some observations alone: bit for bit those that are evaluated with all others, on
 * every model, at one point and at several. */
#include "check.h"
#include "model_folder.h"
#include <dae/model.h>

enum { POINTS = 3 };

static double somewhere(double x, size_t point, size_t slot)
{
    const double nudge = sin((double)(7 * slot + 3 * point + 1));
    return isfinite(x) ? x + 0.01 * nudge * (1 + fabs(x)) : nudge;
}

typedef struct points {
    size_t states, unknowns, observations;
    double t[POINTS];
    double *x, *xp, *all, *some; /* one point after the other */
} points;

static void take(const dae_model *m, points *p)
{
    const dae_problem *q = dae_model_problem(m);
    *p = (points){dae_problem_state_count(q), q->unknown_count,
        dae_model_observation_count(m), {0}, NULL, NULL, NULL, NULL};
    p->x = calloc(POINTS * p->states + 1, sizeof(double));
    p->xp = calloc(POINTS * p->unknowns + 1, sizeof(double));
    p->all = calloc(POINTS * p->observations + 1, sizeof(double));
    p->some = calloc(POINTS * p->observations + 1, sizeof(double));
    for (size_t k = 0; k < POINTS; k++) {
        p->t[k] = q->start->t0 + 0.3701 * (double)k;
        for (size_t s = 0; s < p->states; s++)
            p->x[k * p->states + s] = somewhere(q->start->x[s], k, s);
        for (size_t j = 0; j < p->unknowns; j++)
            p->xp[k * p->unknowns + j] = somewhere(
                q->start->xp[j], k, p->states + j);
    }
}

static void give(points *p)
{
    free(p->x);
    free(p->xp);
    free(p->all);
    free(p->some);
}

/* Each entry of `some` that was requested; the others are of another point. */
static void check_asked(const points *p, size_t k, const size_t *asked,
    size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = k * p->observations + asked[i];
        if (memcmp(&p->all[at], &p->some[at], sizeof p->all[at]) == 0) continue;
        fail_msg("%s: observation %zu is %a, and alone %a", path, asked[i],
            p->all[at], p->some[at]);
    }
}

/* What is not read may be anything. */
static void spoil_others(const dae_observer *o, points *p)
{
    size_t count;
    const size_t *slots = dae_observer_slots(o, &count);
    for (size_t s = 0; slots && s < p->states; s++) {
        const bool is_read = count > 0 && s == *slots;
        if (is_read) slots++, count--;
        for (size_t k = 0; k < POINTS && !is_read; k++)
            p->x[k * p->states + s] = (double)NAN;
    }
}

static void run_one_by_one(dae_observer *o, const points *p)
{
    for (size_t k = 0; k < POINTS; k++)
        CHECK_STATUS(
            dae_observer_run(o, p->t[k], p->x + k * p->states,
                dae_observer_reads_slopes(o) ? p->xp + k * p->unknowns : NULL,
                p->some + k * p->observations),
            DAE_OK);
}

/* Every `stride`-th. */
static void compare(dae_model *m, points *p, size_t stride, const char *path)
{
    double *x = p->x;
    p->x = calloc(POINTS * p->states + 1, sizeof *x);
    memcpy(p->x, x, POINTS * p->states * sizeof *x);
    dae_observer *o;
    size_t *asked = calloc(p->observations + 1, sizeof *asked), count = 0;
    for (size_t i = 0; i < p->observations; i += stride) asked[count++] = i;
    CHECK_STATUS(dae_observer_create(m, asked, count, &o), DAE_OK);
    spoil_others(o, p);
    for (int way = 0; way < 2; way++) {
        for (size_t k = 0; k < POINTS; k++) /* what reads params alone */
            memcpy(p->some + k * p->observations, p->all,
                p->observations * sizeof *p->all);
        if (way == 0) run_one_by_one(o, p);
        else if (dae_observer_reads_slopes(o))
            assert_int_equal(
                dae_observer_run_values(o, POINTS, p->t, p->x, p->some),
                DAE_UNSUPPORTED);
        else
            CHECK_STATUS(
                dae_observer_run_values(o, POINTS, p->t, p->x, p->some),
                DAE_OK);
        const bool is_run = way == 0 || !dae_observer_reads_slopes(o);
        for (size_t k = 0; k < POINTS && is_run; k++)
            check_asked(p, k, asked, count, path);
    }
    dae_observer_free(o);
    free(asked);
    free(p->x);
    p->x = x;
}

static void compare_model(const dae_problem *q, const char *file, void *context)
{
    (void)q;
    dae_model *m;
    points p;
    char path[600];
    (void)snprintf(
        path, sizeof path, "%s/%s/%s", TEST_ROOT, (char *)context, file);
    CHECK_STATUS(dae_model_load(path, NULL, NULL, NULL, &m), DAE_OK);
    take(m, &p);
    for (size_t k = 0; k < POINTS; k++)
        CHECK_STATUS(dae_model_observe(m, p.t[k], p.x + k * p.states,
                         p.xp + k * p.unknowns, p.all + k * p.observations),
            DAE_OK);
    for (size_t stride = 1; stride < 4; stride++) compare(m, &p, stride, path);
    give(&p);
    dae_model_free(m);
}

static void every_model_is_observed_alike(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "chemistry", "circuits", "mechanics", "process", "limits"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char path[100];
        snprintf(path, sizeof path, "models/%s", folders[k]);
        assert_true(visit_models(path, compare_model, path) > 0);
    }
}

static dae_model *parse(const char *text)
{
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m", text, strlen(text), NULL, NULL, NULL, &m), DAE_OK);
    return m;
}

static void what_reads_no_slope_says_so(void **state)
{
    (void)state;
    static const size_t both[] = {0, 1};
    dae_model *m = parse("param a = 2\nvar x = 1\nlet s = x', v = x*x, w = a\n"
                         "x' = -x\nsolve t in 0..1\n");
    dae_observer *o;
    CHECK_STATUS(dae_observer_create(m, both, 1, &o), DAE_OK);
    assert_true(dae_observer_reads_slopes(o));
    dae_observer_free(o);
    CHECK_STATUS(dae_observer_create(m, both + 1, 1, &o), DAE_OK);
    assert_false(dae_observer_reads_slopes(o));
    size_t slots;
    assert_null(dae_observer_slots(o, &slots)); /* all there are */
    assert_int_equal(slots, 1);
    const double x[] = {3, 4}, t[] = {0, 1};
    double values[6] = {-1, -1, -1, -1, -1, -1};
    CHECK_STATUS(dae_observer_run_values(o, 2, t, x, values), DAE_OK);
    const double expected[] = {-1, 9, -1, -1, 16, -1};
    assert_memory_equal(values, expected, sizeof values);
    dae_observer_free(o);
    dae_model_free(m);
}

/* -0 and sums in their order, whatever else is evaluated. */
static void sums_are_those_of_all(void **state)
{
    (void)state;
    dae_model *m = parse(
        "var x[12] = 0.1\nlet total = sum(x[i] for i in 1..12)\n"
        "let one = -x[1], d = sum(x[i]' for i in 1..12)\n"
        "for i in 1..12\nx[i]' = -i*x[i]\nend\n"
        "solve t in 0..1\n");
    points p;
    take(m, &p);
    p.x[0] = 0;
    for (size_t k = 0; k < POINTS; k++)
        CHECK_STATUS(dae_model_observe(m, p.t[k], p.x + k * p.states,
                         p.xp + k * p.unknowns, p.all + k * p.observations),
            DAE_OK);
    for (size_t stride = 1; stride < 4; stride++)
        compare(m, &p, stride, "sums");
    give(&p);
    dae_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_observed_alike),
        cmocka_unit_test(what_reads_no_slope_says_so),
        cmocka_unit_test(sums_are_those_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
