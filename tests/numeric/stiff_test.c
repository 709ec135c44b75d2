/* Classical stiff problems against reference values at the end of their
 * intervals, at four tolerances each: the error stays below 100 times the
 * tolerance rtol |x| + atol and falls with it.
 *
 * Problems and published values: Mazzia and Magherini, Test Set for Initial
 * Value Problem Solvers, release 2.4 (2008) [MM08]; Hairer and Wanner,
 * Solving Ordinary Differential Equations II (1996) [HW96]. Values marked
 * "computed" were made with RADAU5 at rtol 3e-14 and an independent code of
 * order 8 that agree to 12 digits or more. The Jacobian is left to coloured
 * differences but for one. */
#include "check.h"
#include <dae/solver.h>

typedef struct stiff_case {
    const char *name;
    size_t n;
    dae_residual_fn *residual;
    dae_jacobian_fn *jacobian; /* NULL: differences */
    const uint8_t *order;
    void (*start)(double *x, double *xp);
    double t_end;
    double atol_over_rtol;
    const double *reference;
} stiff_case;

enum { N_MAX = 8 };

/* Largest error at the end in units of the tolerance; counts to `stats`. */
static double error_at_end(const stiff_case *c, double rtol, dae_stats *stats)
{
    double x[N_MAX], xp[N_MAX], worst = 0;
    dae_problem p = {.unknown_count = c->n,
        .residual = c->residual,
        .jacobian = c->jacobian,
        .order = c->order};
    dae_options o = dae_options_default();
    dae_solver *solver;
    o.rtol = rtol;
    o.atol = c->atol_over_rtol * rtol;
    o.t_end = c->t_end;
    CHECK_STATUS(dae_solver_create(&p, &o, NULL, NULL, &solver), DAE_OK);
    c->start(x, xp);
    CHECK_STATUS(dae_solver_start(solver, 0, x, xp, 0), DAE_OK);
    CHECK_STATUS(dae_solver_advance(solver, c->t_end, x, NULL), DAE_OK);
    for (size_t i = 0; i < c->n; i++) {
        double size = fabs(c->reference[i]) + c->atol_over_rtol;
        worst = fmax(worst, fabs(x[i] - c->reference[i]) / (rtol * size));
    }
    *stats = *dae_solver_stats(solver);
    dae_solver_free(solver);
    return worst;
}

static void check_case(const stiff_case *c)
{
    double before = HUGE_VAL;
    for (double rtol = 1e-4; rtol > 0.9e-10; rtol /= 100) {
        dae_stats s;
        double units = error_at_end(c, rtol, &s);
        print_message("  %-14s rtol %.0e: error %6.2f tolerances, %6d steps, "
                      "%6d residuals, %4d Jacobians, %5d factorizations\n",
            c->name, rtol, units, (int)s.steps, (int)s.residual_evals,
            (int)s.jacobian_evals, (int)s.factorizations);
        assert_true(units < 100);
        assert_true(units * rtol < before);
        /* a run that is right by luck says nothing of the next one */
        before = fmax(units, 0.1) * rtol;
    }
}

/* --- Robertson's reaction: DAE with the mass balance, and ODE [HW96] --- */

static dae_status robertson_dae(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    /* The rates cancel to eight digits: summed first, they lose least. */
    res[0] = xp[0] - (-0.04 * x[0] + 1e4 * x[1] * x[2]);
    res[1] = xp[1] - (0.04 * x[0] - 1e4 * x[1] * x[2] - 3e7 * x[1] * x[1]);
    res[2] = x[0] + x[1] + x[2] - 1;
    return DAE_OK;
}

/* By columns: x, then xp. Differences cannot see values of 1e-16 beside a 1,
 * which the tight tolerances of this problem ask for. */
static dae_status robertson_dae_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double entries[18] = {0.04, -0.04, 1, -1e4 * x[2],
        1e4 * x[2] + 6e7 * x[1], 1, -1e4 * x[1], 1e4 * x[1], 1, 1, 0, 0, 0, 1,
        0, 0, 0, 0};
    (void)self, (void)scope, (void)t, (void)xp;
    memcpy(values, entries, sizeof entries);
    return DAE_OK;
}

static dae_status robertson_ode(
    void *self, double t, const double *x, const double *xp, double *res)
{
    double a = -0.04 * x[0] + 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
    (void)self, (void)t;
    res[0] = xp[0] - a;
    res[1] = xp[1] + a + c;
    res[2] = xp[2] - c;
    return DAE_OK;
}

static void robertson_start(double *x, double *xp)
{
    x[0] = 1, x[1] = x[2] = 0;
    xp[0] = -0.04, xp[1] = 0.04, xp[2] = 0;
}

static void robertson(void **state)
{
    (void)state;
    /* computed */
    static const double at_40[3] = {7.1582706871940508694e-01,
        9.1855347645577639421e-06, 2.8416374574583035530e-01};
    static const double at_4e10[3] = {5.2083451767992389819e-08,
        2.0833381779254889915e-13, 9.9999994791633989819e-01};
    static const double at_1e11[3] = {/* [MM08] */
        0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
    static const uint8_t marked[3] = {1, 1, 0};
    const stiff_case cases[] = {
        {"robertson40", 3, robertson_dae, robertson_dae_jacobian, NULL,
            robertson_start, 40, 1e-5, at_40},
        {"robertson40 q0", 3, robertson_dae, robertson_dae_jacobian, marked,
            robertson_start, 40, 1e-5, at_40},
        {"robertson4e10", 3, robertson_dae, robertson_dae_jacobian, NULL,
            robertson_start, 4e10, 1e-8, at_4e10},
        {"robertson1e11", 3, robertson_ode, NULL, NULL, robertson_start, 1e11,
            1e-8, at_1e11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* --- HIRES [MM08] --- */

static dae_status hires_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    double b = 280 * x[5] * x[7] - 1.81 * x[6];
    res[0] = xp[0] + 1.71 * x[0] - 0.43 * x[1] - 8.32 * x[2] - 0.0007;
    res[1] = xp[1] - 1.71 * x[0] + 8.75 * x[1];
    res[2] = xp[2] + 10.03 * x[2] - 0.43 * x[3] - 0.035 * x[4];
    res[3] = xp[3] - 8.32 * x[1] - 1.71 * x[2] + 1.12 * x[3];
    res[4] = xp[4] + 1.745 * x[4] - 0.43 * (x[5] + x[6]);
    res[5] = xp[5] + 280 * x[5] * x[7] - 0.69 * x[3] - 1.71 * x[4] + 0.43 * x[5]
        - 0.69 * x[6];
    res[6] = xp[6] - b;
    res[7] = xp[7] + b;
    return DAE_OK;
}

/* Slopes of a residual of the form x' - f(x): xp = -F(0, x, 0). */
static void slopes_of(dae_residual_fn *f, size_t n, double *x, double *xp)
{
    double zero[N_MAX] = {0}, res[N_MAX];
    CHECK_STATUS(f(NULL, 0, x, zero, res), DAE_OK);
    for (size_t i = 0; i < n; i++) xp[i] = -res[i];
}

static void hires_start(double *x, double *xp)
{
    memset(x, 0, 8 * sizeof *x);
    x[0] = 1, x[7] = 0.0057;
    slopes_of(hires_residual, 8, x, xp);
}

static void hires(void **state)
{
    (void)state;
    static const double end[8] = {0.7371312573325668e-3, 0.1442485726316185e-3,
        0.5888729740967575e-4, 0.1175651343283149e-2, 0.2386356198831331e-2,
        0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
    const stiff_case c = {"hires", 8, hires_residual, NULL, NULL, hires_start,
        321.8122, 1e-2, end};
    check_case(&c);
}

/* --- chemical Akzo Nobel, index 1 [MM08] --- */

static dae_status akzo_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    if (x[1] < 0) return DAE_RETRY;
    double q = sqrt(x[1]), x2 = x[0] * x[0];
    double r1 = 18.7 * x2 * x2 * q, r2 = 0.58 * x[2] * x[3];
    double r3 = 0.58 / 34.4 * x[0] * x[4], r4 = 0.09 * x[0] * x[3] * x[3];
    double r5 = 0.42 * x[5] * x[5] * q, in = 3.3 * (0.9 / 737 - x[1]);
    res[0] = xp[0] + 2 * r1 - r2 + r3 + r4;
    res[1] = xp[1] + 0.5 * r1 + r4 + 0.5 * r5 - in;
    res[2] = xp[2] - r1 + r2 - r3;
    res[3] = xp[3] + r2 - r3 + 2 * r4;
    res[4] = xp[4] - r2 + r3 - r5;
    res[5] = 115.83 * x[0] * x[3] - x[5];
    return DAE_OK;
}

static void akzo_start(double *x, double *xp)
{
    x[0] = 0.444, x[1] = 0.00123, x[2] = 0, x[3] = 0.007, x[4] = 0;
    x[5] = 115.83 * x[0] * x[3];
    slopes_of(akzo_residual, 6, x, xp);
    xp[5] = 115.83 * (xp[0] * x[3] + x[0] * xp[3]);
}

static void chemical_akzo(void **state)
{
    (void)state;
    static const double end[6] = {0.1150794920661702, 0.1203831471567715e-2,
        0.1611562887407974, 0.3656156421249283e-3, 0.1708010885264404e-1,
        0.4873531310307455e-2};
    static const uint8_t marked[6] = {1, 1, 1, 1, 1, 0};
    stiff_case c = {
        "chemakzo", 6, akzo_residual, NULL, NULL, akzo_start, 180, 1, end};
    check_case(&c);
    c.name = "chemakzo q0", c.order = marked;
    check_case(&c);
}

/* --- van der Pol: scaled, and mu = 1000; Oregonator [HW96] --- */

static dae_status vdpol_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] - ((1 - x[0] * x[0]) * x[1] - x[0]) * 1e6;
    return DAE_OK;
}

static dae_status vdpol_mu_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - x[1];
    res[1] = xp[1] - 1000 * (1 - x[0] * x[0]) * x[1] + x[0];
    return DAE_OK;
}

static void vdpol_start(double *x, double *xp)
{
    x[0] = 2, x[1] = 0;
    slopes_of(vdpol_residual, 2, x, xp);
}

static void vdpol_mu_start(double *x, double *xp)
{
    x[0] = 2, x[1] = 0;
    slopes_of(vdpol_mu_residual, 2, x, xp);
}

static dae_status orego_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] - 77.27 * (x[1] + x[0] * (1 - 8.375e-6 * x[0] - x[1]));
    res[1] = xp[1] - (x[2] - (1 + x[0]) * x[1]) / 77.27;
    res[2] = xp[2] - 0.161 * (x[0] - x[2]);
    return DAE_OK;
}

static void orego_start(double *x, double *xp)
{
    x[0] = 1, x[1] = 2, x[2] = 3;
    slopes_of(orego_residual, 3, x, xp);
}

static void relaxation_oscillators(void **state)
{
    (void)state;
    static const double vdpol_end[2] = {
        1.7061677321704650084374e+00, -8.9280970102481654781487e-01};
    static const double mu_end[2] = {
        0.1706167732170469e1, -0.8928097010248125e-3};
    static const double orego_end[3] = {
        0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3};
    const stiff_case cases[] = {
        {"vdpol", 2, vdpol_residual, NULL, NULL, vdpol_start, 2, 1, vdpol_end},
        {"vdpol mu=1000", 2, vdpol_mu_residual, NULL, NULL, vdpol_mu_start,
            2000, 1e-2, mu_end},
        {"oregonator", 3, orego_residual, NULL, NULL, orego_start, 360, 1,
            orego_end},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* --- transistor amplifier: index 1, singular mass matrix [MM08] --- */

static dae_status transistor_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double pi = 3.14159265358979323846, ub = 6, r = 9000;
    double e1 = (x[1] - x[2]) / 0.026, e2 = (x[4] - x[5]) / 0.026;
    (void)self;
    if (e1 > 300 || e2 > 300) return DAE_RETRY;
    double g1 = 1e-6 * expm1(e1), g2 = 1e-6 * expm1(e2);
    double ue = 0.1 * sin(200 * pi * t);
    double c1 = 1e-6 * (xp[0] - xp[1]), c3 = 3e-6 * (xp[3] - xp[4]);
    double c5 = 5e-6 * (xp[6] - xp[7]);
    res[0] = c1 + (x[0] - ue) / 1000;
    res[1] = -c1 + x[1] / r + (x[1] - ub) / r + 0.01 * g1;
    res[2] = 2e-6 * xp[2] + x[2] / r - g1;
    res[3] = c3 + (x[3] - ub) / r + 0.99 * g1;
    res[4] = -c3 + x[4] / r + (x[4] - ub) / r + 0.01 * g2;
    res[5] = 4e-6 * xp[5] + x[5] / r - g2;
    res[6] = c5 + (x[6] - ub) / r + 0.99 * g2;
    res[7] = -c5 + x[7] / r;
    return DAE_OK;
}

/* Slopes from the derivatives of the three equations without x'. */
static void transistor_start(double *x, double *xp)
{
    const double pi = 3.14159265358979323846, r = 9000, d = 1e-6 / 0.026;
    double rate = 0.1 * 200 * pi, a = 2 / r + 0.01 * d;
    x[0] = x[7] = 0;
    x[1] = x[2] = x[4] = x[5] = 3;
    x[3] = x[6] = 6;
    xp[2] = -x[2] / (r * 2e-6);
    xp[5] = -x[5] / (r * 4e-6);
    xp[0] = xp[1] = (rate / 1000 + 0.01 * d * xp[2]) / (1e-3 + a);
    xp[3] = xp[4] = (-0.99 * d * (xp[1] - xp[2]) + 0.01 * d * xp[5])
        / (1 / r + a);
    xp[6] = xp[7] = -0.99 * d * (xp[4] - xp[5]) / (2 / r);
}

static void transistor_amplifier(void **state)
{
    (void)state;
    static const double end[8] = {-0.5562145012262709e-2, 0.3006522471903042e1,
        0.2849958788608128e1, 0.2926422536206241e1, 0.2704617865010554e1,
        0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1};
    const stiff_case c = {"transistor", 8, transistor_residual, NULL, NULL,
        transistor_start, 0.2, 1, end};
    check_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robertson),
        cmocka_unit_test(hires),
        cmocka_unit_test(chemical_akzo),
        cmocka_unit_test(relaxation_oscillators),
        cmocka_unit_test(transistor_amplifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
