/* Series of compiled systems: against residuals and Jacobians at points of the
 * same curve, and the derivative array against differences. */
#include "lang/compiled_support.h"

enum { TERMS = 5, WIDE = TERMS + ORDERS };

typedef struct curve {
    size_t count; /* unknowns, internal ones too */
    double t0, *x;
} curve;

static curve take_curve(const world *w, uint64_t *random)
{
    curve v = {.count = w->p->unknown_count};
    v.x = calloc(v.count * WIDE + 1, sizeof(double));
    assert_non_null(v.x);
    v.t0 = 0.25 + random_number(random) / 8;
    for (size_t j = 0; j < v.count; j++)
        for (unsigned k = 0; k < (unsigned)TERMS + w->p->order[j]; k++)
            v.x[j * WIDE + k] = (k == 0 ? 0.6 : 0) + random_number(random) / 4;
    return v;
}

/* The order-th derivative of an unknown at t0 + s. */
static double at(
    const world *w, const curve *v, size_t j, unsigned order, double s)
{
    double sum = 0;
    for (unsigned k = (unsigned)TERMS + w->p->order[j]; k-- > order;) {
        double factor = 1;
        for (unsigned o = 0; o < order; o++) factor *= k - o;
        sum = sum * s + factor * v->x[j * WIDE + k];
    }
    return sum;
}

static void go_to(world *w, const curve *v, double s)
{
    w->t = v->t0 + s;
    for (size_t j = 0; j < v->count; j++)
        for (unsigned o = 0; o <= w->p->order[j]; o++) {
            size_t index;
            bool in_xp;
            assert_true(compiled_slot(w->c, j, o, &index, &in_xp));
            *(in_xp ? &w->xp[index] : &w->x[index]) = at(w, v, j, o, s);
        }
}

static size_t nonzeros_of(const world *w)
{
    return (size_t)w->p->pattern
        ->column_start[dae_problem_state_count(w->p) + w->p->unknown_count];
}

/* ---- samples on the curve -------------------------------------------------- */

enum { NODES = 28 };
static const double radius = 0.125;

/* Values of `count` functions at Chebyshev's nodes of -radius .. radius. */
typedef struct samples {
    size_t count;
    double *value; /* count per node */
} samples;

static samples take_samples(world *w, const curve *v, bool of_jacobian)
{
    samples a = {.count = of_jacobian ? nonzeros_of(w) : v->count};
    a.value = calloc(NODES * a.count + 1, sizeof(double));
    assert_non_null(a.value);
    for (size_t n = 0; n < NODES; n++) {
        double *to = a.value + n * a.count;
        go_to(w, v, radius * cos(acos(-1.0) * ((double)n + 0.5) / NODES));
        if (of_jacobian)
            CHECK_STATUS(
                w->p->jacobian(w->p->self, DAE_ALL, w->t, w->x, w->xp, to),
                DAE_OK);
        else
            CHECK_STATUS(
                w->p->residual(w->p->self, w->t, w->x, w->xp, to), DAE_OK);
    }
    return a;
}

/* Power series of the interpolating polynomial of function i; false where it
 * has not come near the function. */
static bool expand(const samples *a, size_t i, double *terms, double *rest)
{
    double power[2][TERMS] = {{1}, {0, 1}}; /* of T_m, T_(m+1) in s/radius */
    double size = 0, last = 0;
    memset(terms, 0, TERMS * sizeof *terms);
    for (size_t m = 0; m < NODES; m++) {
        double c = 0;
        for (size_t n = 0; n < NODES; n++)
            c += a->value[n * a->count + i] * (m == 0 ? 1 : 2) / NODES
                * cos(acos(-1.0) * (double)m * ((double)n + 0.5) / NODES);
        if (!isfinite(c)) return false;
        if (fabs(c) > size) size = fabs(c);
        if (m >= NODES - 4 && fabs(c) > last) last = fabs(c);
        for (int k = 0; k < TERMS; k++)
            terms[k] += c * power[0][k] / pow(radius, k);
        for (int k = TERMS; k-- > 0;) {
            double next = (k > 0 ? 2 * power[1][k - 1] : 0) - power[0][k];
            power[0][k] = power[1][k];
            power[1][k] = next;
        }
    }
    *rest = last;
    return last <= 1e-13 * size;
}

/* An error in a sample, or in T_27's coefficient, is 28^k/k! times as large in
 * term k. */
static double error_bound(const double *terms, double rest, int k)
{
    static const double growth[TERMS] = {1, 28, 400, 3700, 26000};
    double size = 1;
    for (int l = 0; l < TERMS; l++)
        size = fmax(size, fabs(terms[l]) * pow(radius, l));
    return (4e-15 * size + 8 * rest) * growth[k] / pow(radius, k);
}

static void check_samples(world *w, const samples *a, const double *got)
{
    for (size_t i = 0; i < a->count; i++) {
        double terms[TERMS], rest;
        w->compared++;
        if (!expand(a, i, terms, &rest)) {
            w->skipped++;
            continue;
        }
        for (int k = 0; k < TERMS; k++)
            CHECK_NEAR(got[i * TERMS + (size_t)k], terms[k],
                error_bound(terms, rest, k));
    }
}

/* ---- checks of one system -------------------------------------------------- */

static double *series_of(world *w, const curve *v, bool of_jacobian)
{
    size_t count = of_jacobian ? nonzeros_of(w) : v->count;
    double *f = malloc((count * TERMS + 1) * sizeof *f);
    assert_non_null(f);
    memset(f, 0xFF, (count * TERMS + 1) * sizeof *f);
    dae_status st = of_jacobian
        ? w->p->series_jacobian(w->p->self, TERMS, v->t0, v->x, WIDE, f)
        : w->p->series(w->p->self, TERMS, v->t0, v->x, WIDE, f);
    bool is_whole = true; /* else an equation has no value here */
    for (size_t i = 0; i < count; i++)
        is_whole = is_whole && isfinite(f[i * TERMS]);
    CHECK_STATUS(st, is_whole ? DAE_OK : DAE_RETRY);
    return f;
}

static void check_curve(world *w, const curve *v)
{
    for (int of_jacobian = 0; of_jacobian < 2; of_jacobian++) {
        double *f = series_of(w, v, of_jacobian);
        samples a = take_samples(w, v, of_jacobian);
        check_samples(w, &a, f);
        free(a.value), free(f);
    }
}

/* What residual and Jacobian say at the point, up to the order in which block
 * code adds. */
static void check_first_terms(world *w, const curve *v)
{
    for (int of_jacobian = 0; of_jacobian < 2; of_jacobian++) {
        size_t count = of_jacobian ? nonzeros_of(w) : v->count;
        double *f = series_of(w, v, of_jacobian);
        double *now = calloc(count + 1, sizeof *now);
        go_to(w, v, 0);
        if (of_jacobian)
            CHECK_STATUS(
                w->p->jacobian(w->p->self, DAE_ALL, w->t, w->x, w->xp, now),
                DAE_OK);
        else
            CHECK_STATUS(
                w->p->residual(w->p->self, w->t, w->x, w->xp, now), DAE_OK);
        for (size_t i = 0; i < count; i++) {
            if (isfinite(now[i])) check_close(f[i * TERMS], now[i], 1e-15);
            else assert_true(isnan(f[i * TERMS]));
        }
        free(now), free(f);
    }
}

/* d(f_i,k)/d(x_j,l) by the formula in dae/problem.h, for all i and k. */
static void array_column(
    const world *w, const double *entries, size_t j, unsigned l, double *out)
{
    const dae_pattern *p = w->p->pattern;
    const size_t states = dae_problem_state_count(w->p);
    memset(out, 0, w->p->unknown_count * TERMS * sizeof *out);
    for (unsigned o = 0; o <= l && o <= w->p->order[j]; o++) {
        size_t index;
        bool in_xp;
        double factor = 1;
        for (unsigned k = l - o + 1; k <= l; k++) factor *= k;
        assert_true(compiled_slot(w->c, j, o, &index, &in_xp));
        if (in_xp) index += states;
        for (int64_t e = p->column_start[index]; e < p->column_start[index + 1];
             e++)
            for (size_t k = l - o; k < TERMS; k++)
                out[(size_t)p->row[e] * TERMS + k] += factor
                    * entries[(size_t)e * TERMS + k - (l - o)];
    }
}

static void check_array(world *w, const curve *v)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    const double h = 2e-3;
    size_t count = v->count * TERMS;
    double *entries = series_of(w, v, true);
    double *column = calloc(count + 1, sizeof *column);
    double *slope = calloc(count + 1, sizeof *slope);
    for (size_t j = 0; j < v->count; j++)
        for (unsigned l = 0; l < (unsigned)TERMS + w->p->order[j]; l++) {
            double *number = &v->x[j * WIDE + l], keep = *number;
            memset(slope, 0, count * sizeof *slope);
            for (int k = 1; k <= 3; k++) {
                *number = keep + k * h;
                double *high = series_of(w, v, false);
                *number = keep - k * h;
                double *low = series_of(w, v, false);
                for (size_t i = 0; i < count; i++)
                    slope[i] += weight[k - 1] * (high[i] - low[i]) / h;
                free(high), free(low);
            }
            *number = keep;
            array_column(w, entries, j, l, column);
            for (size_t i = 0; i < count; i++)
                CHECK_NEAR(slope[i], column[i], 1e-8 * (1 + fabs(column[i])));
        }
    free(entries), free(column), free(slope);
}

/* ---- systems --------------------------------------------------------------- */

typedef dae_status build_fn(world *w);

static dae_status build_full_8(world *w)
{
    return build_full(w, 8);
}

/* So many rows that programs run over blocks, and sums are unknowns. */
static dae_status build_full_300(world *w)
{
    return build_full(w, 300);
}

static void open_world(world *w, build_fn *build)
{
    world_init(w, NULL);
    CHECK_STATUS(build(w), DAE_OK);
    CHECK_STATUS(finish(w), DAE_OK);
    take_point(w, 1);
}

static void built_systems_agree_along_curves(void **state)
{
    static build_fn *const builds[] = {
        build_oscillator, build_levels, build_full_8};
    uint64_t random = 3;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(builds); i++) {
        world w;
        open_world(&w, builds[i]);
        curve v = take_curve(&w, &random);
        check_first_terms(&w, &v);
        check_curve(&w, &v);
        check_array(&w, &v);
        assert_int_equal(w.skipped, 0);
        free(v.x);
        world_clear(&w);
    }
}

static void block_code_and_internal_unknowns_agree(void **state)
{
    uint64_t random = 4;
    world w;
    (void)state;
    open_world(&w, build_full_300);
    assert_true(w.p->unknown_count > 300);
    curve v = take_curve(&w, &random);
    check_first_terms(&w, &v);
    check_curve(&w, &v);
    assert_int_equal(w.skipped, 0);
    free(v.x);
    world_clear(&w);
}

static void random_systems_agree_along_curves(void **state)
{
    size_t compared = 0, skipped = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint64_t random = seed;
        world w;
        world_init(&w, NULL);
        CHECK_STATUS(build_random(&w, seed), DAE_OK);
        CHECK_STATUS(finish(&w), DAE_OK);
        take_point(&w, 1);
        curve v = take_curve(&w, &random);
        check_first_terms(&w, &v);
        check_curve(&w, &v);
        compared += w.compared;
        skipped += w.skipped;
        free(v.x);
        world_clear(&w);
    }
    assert_true(compared > 3000 && skipped < compared / 20);
}

/* The same bits whatever number of terms is asked, in whatever order. */
static void terms_do_not_depend_on_their_number(void **state)
{
    static const size_t counts[] = {3, 1, 5, 2, 3};
    uint64_t random = 6;
    world w;
    (void)state;
    open_world(&w, build_oscillator);
    curve v = take_curve(&w, &random);
    double *all = series_of(&w, &v, true), some[200];
    size_t count = nonzeros_of(&w);
    assert_true(count * TERMS <= COUNT_OF(some));
    for (size_t n = 0; n < COUNT_OF(counts); n++) {
        size_t terms = counts[n];
        CHECK_STATUS(
            w.p->series_jacobian(w.p->self, terms, v.t0, v.x, WIDE, some),
            DAE_OK);
        for (size_t e = 0; e < count; e++)
            assert_memory_equal(
                &some[e * terms], &all[e * TERMS], terms * sizeof *some);
    }
    free(all), free(v.x);
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_systems_agree_along_curves),
        cmocka_unit_test(block_code_and_internal_unknowns_agree),
        cmocka_unit_test(random_systems_agree_along_curves),
        cmocka_unit_test(terms_do_not_depend_on_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
