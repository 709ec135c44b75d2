#include "study_bench.h"

#include "base/long_math.h"
#include "check.h"

static const char *const bodies[] = {
    "var c1, c2 = 0.2\nc2' = 0.5*(c1 - c2)\nc1 = gamma\nsolve t in 0..2\n",
    "var c1, c2\nc2' = 0.5*(c1 - c2)\nc2 = gamma\nsolve t in 0..2\n",
    "var c1, c2, c3\nc2' = c1\nc3' = c2\nc3 = gamma\nsolve t in 0..2\n"};

/* p(t) of the tank with a = 1/2: 1 + (a/2)(a sin t - cos t)/(a^2 + 1), or with
 * (a cos t + sin t). */
static dae_long particular(bool is_cosine, dae_long t)
{
    const dae_long s = LONG_F(sin)(t), c = LONG_F(cos)(t);
    const dae_long inner = is_cosine ? c / 2 + s : s / 2 - c;
    return 1 + inner / 5;
}

void bench_exact(const bench *b, dae_long t, dae_long *x)
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

size_t bench_unknowns(const bench *b)
{
    return b->plant == CHAIN ? 3 : 2;
}

void bench_make(bench *b, plant p, bool is_cosine)
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
    assert_int_equal(dae_problem_state_count(b->problem), bench_unknowns(b));
}

void bench_clear(bench *b)
{
    dae_model_free(b->model);
    dae_diagnostics_free(b->ds);
}

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    bench *b = context;
    bench_exact(b, t, x);
    for (size_t j = 0; j < bench_unknowns(b); j++) {
        if (index == 0) x[j] += b->delta[j];
        if (b->is_rounded) x[j] = (dae_long)(double)x[j];
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
    bench_exact(b, t, right);
    for (size_t j = 0; j < bench_unknowns(b); j++) {
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

dae_study bench_study(bench *b, int order, dae_study_precision precision,
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

void bench_run(bench *b, int order, dae_study_precision precision,
    const dae_long *times, size_t count)
{
    const dae_study s = bench_study(b, order, precision, times, count);
    CHECK_STATUS(dae_study_run(b->problem, &s, NULL, b->ds, NULL), DAE_OK);
    assert_int_equal(b->points, count);
}
