/* What a problem is, before it is solved: index, degrees of freedom, hidden
 * constraints and consistent values of a pendulum that is written by hand,
 * without a model and without names. Needs the solver alone:
 *
 *     cc analyse.c $(pkg-config --cflags --libs dae-solver)
 *
 *     x'' + F x = 0,  y'' + F y + g = 0,  x^2 + y^2 - 1 = 0
 *
 * Hidden constraints are derivatives of equations. They come from two functions
 * beside the residual: the equations along a curve that is given by its power
 * series, and their partial derivatives along it. */
#include <dae/analysis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81;
static const uint8_t order[] = {2, 2, 0}; /* x = (x, x', y, y', F) */

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[4] * x[0];
    res[1] = xp[1] + x[4] * x[2] + g;
    res[2] = x[0] * x[0] + x[2] * x[2] - 1;
    return DAE_OK;
}

/* By columns: x, x', y, y', F, then x'', y'', and nothing for F. */
static const int64_t column_start[] = {0, 2, 2, 4, 4, 6, 7, 8, 8};
static const int32_t row[] = {0, 2, 1, 2, 0, 1, 0, 1};
static const dae_pattern pattern = {column_start, row, NULL};

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double v[] = {x[4], 2 * x[0], x[4], 2 * x[2], x[0], x[2], 1, 1};
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    memcpy(values, v, sizeof v);
    return DAE_OK;
}

/* Coefficient k of a product of two series. */
static double product(const double *a, const double *b, size_t k)
{
    double sum = 0;
    for (size_t m = 0; m <= k; m++) sum += a[m] * b[k - m];
    return sum;
}

/* Coefficient k of x'' is (k + 1)*(k + 2) times coefficient k + 2 of x. */
static dae_status series(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *f)
{
    const double *x = curve, *y = curve + stride, *force = curve + 2 * stride;
    (void)self;
    (void)t0;
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

/* The entries of `jacobian` along the curve. */
static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *curve, size_t stride, double *values)
{
    const double *x = curve, *y = curve + stride, *force = curve + 2 * stride;
    const double *of[] = {force, x, force, y, x, y};
    const double factor[] = {1, 2, 1, 2, 1, 1};
    (void)self;
    (void)t0;
    for (size_t k = 0; k < terms; k++) {
        for (size_t p = 0; p < 6; p++)
            values[p * terms + k] = factor[p] * of[p][k];
        for (size_t p = 6; p < 8; p++) values[p * terms + k] = k == 0;
    }
    return DAE_OK;
}

static void print_analysis(const dae_analysis *a)
{
    printf("index %lld, %s; degrees of freedom: %lld\n", (long long)a->index,
        a->certificate == DAE_CERTIFIED ? "confirmed by numbers"
                                        : "by structure alone",
        (long long)a->degrees_of_freedom);
    for (size_t k = 0; k < a->hidden_count; k++) {
        const dae_hidden *h = &a->hidden[k];
        printf("equation %d, differentiated %d times, %s\n",
            (int)h->equation + 1, (int)h->differentiated,
            h->restricts_start ? "restricts the start"
                               : "determines an unknown");
    }
    for (size_t j = 0; j < 3 && a->start.values; j++) {
        const size_t first = a->start.value_first[j];
        for (size_t k = first; k < a->start.value_first[j + 1]; k++)
            printf("derivative %zu of unknown %zu: %.9g\n", k - first, j + 1,
                a->start.values[k]);
    }
}

static int print_text(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) != length;
}

/* By hand: y = 0.8, y' = -x*x'/y, F = x'^2 + y'^2 - g*y. */
static int is_right(const dae_analysis *a)
{
    const dae_start_findings *s = &a->start;
    if (a->index != 3 || a->degrees_of_freedom != 2 || a->hidden_count != 2
        || s->verdict != DAE_START_CONSISTENT)
        return 0;
    const double *y = s->values + s->value_first[1];
    const double *force = s->values + s->value_first[2];
    return fabs(y[0] - 0.8) < 1e-9 && fabs(y[1] + 0.75) < 1e-9
        && fabs(force[0] + 6.2855) < 1e-9;
}

int main(void)
{
    /* x and x' are given, the others are guesses */
    const double x[] = {0.6, 1, 1, 0, 0}, xp[] = {0, 0, 0};
    const uint8_t x_fixed[] = {1, 1, 0, 0, 0};
    const dae_start start = {.x = x, .xp = xp, .x_fixed = x_fixed};
    const dae_problem problem = {.unknown_count = 3,
        .order = order,
        .residual = residual,
        .jacobian = jacobian,
        .pattern = &pattern,
        .start = &start,
        .series = series,
        .series_jacobian = series_jacobian};
    dae_diagnostics *ds = NULL;
    dae_analysis *analysis = NULL;
    int is_fine = 0;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (!st) st = dae_analyse(&problem, NULL, NULL, ds, &analysis);
    if (!st) {
        print_analysis(analysis);
        is_fine = is_right(analysis);
    }
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (dae_diagnostic_render(
                dae_diagnostics_at(ds, i), 0, print_text, stderr))
            break;
    dae_analysis_free(analysis);
    dae_diagnostics_free(ds);
    return is_fine ? 0 : 1;
}
