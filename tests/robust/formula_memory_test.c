/* Fixed steps and studies with an allocation that fails: the search for places
 * and velocities that the leapfrog schemes begin with, first points in closed
 * form, as the equations stand and of a reduced system, and studies in both
 * precisions. What was refused does what it was to do when it is asked again, to
 * the last bit. */
#include "support/memory_sweep.h"

#include <dae/model.h>
#include <dae/solver.h>
#include <dae/study.h>

static size_t swept;

enum { STATES_MOST = 8 };

static dae_model *compile(trial *t, const char *text)
{
    dae_model *m;
    trial_open(t);
    CHECK_STATUS(dae_model_parse("memory.dae", text, strlen(text), NULL,
                     &t->memory.allocator, t->ds, &m),
        DAE_OK);
    trial_arm(t);
    return m;
}

/* ---- runs at fixed steps ---- */

typedef struct course {
    const char *text, *method;
    int order;
    dae_reduce reduce;
    dae_exact_fn *exact;
} course;

static void step_through(trial *t, const void *what)
{
    const course *c = what;
    double x[STATES_MOST];
    dae_solver *s = NULL;
    dae_status st;
    dae_model *m = compile(t, c->text);
    const dae_problem *p = dae_model_problem(m);
    const size_t states = dae_problem_state_count(p);
    dae_options o = dae_options_default();
    assert_true(states <= STATES_MOST);
    o.t_end = 1;
    o.step = 0.125;
    o.method = c->method;
    o.max_order = c->order;
    o.reduce = c->reduce;
    o.start = c->exact ? DAE_START_EXACT : DAE_START_FINE;
    o.exact = c->exact;
    TRIAL(t, st, dae_solver_create(p, &o, &t->memory.allocator, t->ds, &s));
    CHECK_STATUS(st, DAE_OK);
    TRIAL(t, st, dae_solver_initialize(s));
    CHECK_STATUS(st, DAE_OK);
    TRIAL(t, st, dae_solver_advance(s, 1, x, NULL));
    CHECK_STATUS(st, DAE_OK);
    trial_values(t, x, states);
    dae_solver_free(s);
    dae_model_free(m);
}

/* Two places with velocities that turn as they go, and what pulls them back. */
static const char turning[] = "var p = 0.3, q = 0.2, u = 1, v = -1\n"
                              "p' = cos(q)*u - p*v\nq' = u + (1 + p^2)*v\n"
                              "u' = -sin(p)\nv' = -q*p\nsolve t in 0..1\n";

static void a_leapfrog_survives(void **state)
{
    (void)state;
    static const course three = {
        turning, "leapfrog-3", 0, DAE_REDUCE_AUTO, NULL};
    swept += memory_sweep("a leapfrog", step_through, &three);
}

/* Index 2: x is given, y is its slope, z follows from both. */
static const char given[] = "var x ~ 0, y ~ 1, z ~ 1\n"
                            "x' = y\nx = sin(t)\nz + z^3 = 2*y + x\n"
                            "solve t in 0..1\n";
/* A circle of index 3, in arcs of equal length: f = 1. */
static const char circle[] = "var x = 1, y ~ 0, u ~ 0, v = 1, f ~ 1\n"
                             "x' = u\ny' = v\nu' = -f*x\nv' = -f*y\n"
                             "x^2 + y^2 = 1\nsolve t in 0..1\n";

/* z is not known. */
static dae_status given_at(void *context, double t, double *x, double *xp)
{
    (void)context;
    x[0] = sin(t), x[1] = cos(t), x[2] = (double)NAN;
    xp[0] = cos(t), xp[1] = -sin(t), xp[2] = (double)NAN;
    return DAE_OK;
}

static dae_status circle_at(void *context, double t, double *x, double *xp)
{
    (void)context;
    const double point[] = {cos(t), sin(t), -sin(t), cos(t), (double)NAN};
    for (int i = 0; i < 5; i++) x[i] = point[i], xp[i] = (double)NAN;
    return DAE_OK;
}

static void first_points_in_closed_form_survive(void **state)
{
    (void)state;
    static const course courses[] = {
        {given, "bdf", 3, DAE_REDUCE_AUTO, given_at},
        {circle, "bdf", 2, DAE_REDUCE_AUTO, circle_at},
        {circle, "radau", 9, DAE_REDUCE_AUTO, circle_at},
        {circle, "radau", 5, DAE_REDUCE_NEVER, NULL},
    };
    for (size_t k = 0; k < sizeof courses / sizeof *courses; k++)
        swept += memory_sweep("exact points", step_through, &courses[k]);
}

/* ---- studies ---- */

typedef struct question {
    const char *text;
    dae_study_method method;
    dae_study_start start;
    dae_study_precision precision;
    int order;
    dae_linear linear;
} question;

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const size_t *unknowns = context;
    (void)index, (void)t;
    for (size_t j = 0; j < *unknowns; j++) x[j] = 1, xp[j] = 0;
    return DAE_OK;
}

/* The last point that was told. */
typedef struct end {
    size_t unknowns;
    double x[STATES_MOST];
} end;

static dae_status keep(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    end *e = context;
    (void)index, (void)t, (void)xp;
    for (size_t j = 0; j < e->unknowns; j++) e->x[j] = (double)x[j];
    return DAE_OK;
}

static void study(trial *t, const void *what)
{
    static const dae_long times[] = {0, 0.125L, 0.25L, 0.375L, 0.5L, 0.75L};
    const question *q = what;
    dae_model *m = compile(t, q->text);
    const dae_problem *p = dae_model_problem(m);
    end e = {.unknowns = p->unknown_count};
    dae_study s = dae_study_default();
    dae_status st;
    s.method = q->method;
    s.start = q->start;
    s.precision = q->precision;
    s.order = q->order;
    s.linear = q->linear;
    s.times = times;
    s.time_count = sizeof times / sizeof *times;
    s.given = give, s.given_context = &e.unknowns;
    s.point = keep, s.point_context = &e;
    TRIAL(t, st, dae_study_run(p, &s, &t->memory.allocator, t->ds, NULL));
    CHECK_STATUS(st, DAE_OK);
    trial_values(t, e.x, e.unknowns);
    dae_model_free(m);
}

static const char stiff[] = "var x = 1, y = 1, z ~ 1\n"
                            "x' = -x + y*z\ny' = -50*(y - x)\nz + z^3 = 2*x\n"
                            "solve t in 0..1\n";

static void studies_survive(void **state)
{
    (void)state;
    static const question questions[] = {
        {stiff, DAE_STUDY_BDF, DAE_STUDY_FINE, DAE_STUDY_LONG, 3,
            DAE_LINEAR_AUTO},
        {stiff, DAE_STUDY_BDF, DAE_STUDY_RAMP, DAE_STUDY_DOUBLE, 2,
            DAE_LINEAR_KLU},
        {stiff, DAE_STUDY_RADAU, DAE_STUDY_GIVEN, DAE_STUDY_LONG, 3,
            DAE_LINEAR_DENSE},
    };
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
        swept += memory_sweep("a study", study, &questions[k]);
}

static int count_swept(void **state)
{
    (void)state;
    print_message("%zu runs with a failing allocation\n", swept);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leapfrog_survives),
        cmocka_unit_test(first_points_in_closed_form_survive),
        cmocka_unit_test(studies_survive),
    };
    return cmocka_run_group_tests(tests, NULL, count_swept);
}
