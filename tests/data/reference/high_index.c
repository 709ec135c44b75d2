/* References for the models of higher index, independent of the project's
 * solver: each problem as an ordinary differential equation in minimal
 * coordinates, or with its multipliers eliminated from the constraints
 * differentiated twice, integrated by extrapolation of the midpoint rule in
 * extended precision with a fixed macro step; the chained pendula by Taylor
 * series. Each line ends with the change that half the macro step makes.
 * Build and run: cc -O2 high_index.c -lm && ./a.out (an hour; the chain of 1000
 * links takes most of it) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
typedef void rhs(real t, const real *x, real *xp);
enum { COLUMNS = 9, BEADS = 10000, MOST = 4 * BEADS };
static const real G = 9.81L;
static int n; /* of states */

/* Gragg's midpoint rule with 2, 4, .. 2 COLUMNS substeps, extrapolated in h^2. */
static void macro_step(rhs *f, real t, real h, real *x)
{
    static real table[COLUMNS][MOST], a[MOST], b[MOST], c[MOST];
    for (int j = 0; j < COLUMNS; j++) {
        int m = 2 * (j + 1);
        real s = h / m;
        f(t, x, c);
        for (int i = 0; i < n; i++) {
            a[i] = x[i];
            b[i] = x[i] + s * c[i];
        }
        for (int k = 1; k < m; k++) {
            f(t + k * s, b, c);
            for (int i = 0; i < n; i++) {
                real next = a[i] + 2 * s * c[i];
                a[i] = b[i];
                b[i] = next;
            }
        }
        memcpy(table[j], b, n * sizeof *b);
        for (int k = j - 1; k >= 0; k--) {
            real ratio = (real)(j + 1) / (k + 1), w = 1 / (ratio * ratio - 1);
            for (int i = 0; i < n; i++)
                table[k][i] = table[k + 1][i]
                    + (table[k + 1][i] - table[k][i]) * w;
        }
    }
    memcpy(x, table[0], n * sizeof *x);
}

static void integrate(rhs *f, real t0, real t1, real h, real *x)
{
    long steps = lrintl(ceill((t1 - t0) / h - 1e-9L));
    for (long k = 0; k < steps; k++)
        macro_step(f, t0 + (t1 - t0) * k / steps, (t1 - t0) / steps, x);
}

/* Integrates from `start` and prints what `shown` makes of the states at the
 * given times. */
typedef int shown(real t, const real *x, real *out);
static void table(const char *name, rhs *f, shown *show, const real *start,
    int states, real h, const double *times, int count)
{
    static real fine[MOST], coarse[MOST];
    real out[2][64], t = 0;
    n = states;
    memcpy(fine, start, n * sizeof *fine);
    memcpy(coarse, start, n * sizeof *coarse);
    for (int k = 0; k < count; k++) {
        integrate(f, t, times[k], h, coarse);
        integrate(f, t, times[k], h / 2, fine);
        t = times[k];
        int m = show(t, fine, out[0]);
        show(t, coarse, out[1]);
        real change = 0;
        printf("%s %g", name, (double)t);
        for (int i = 0; i < m; i++) {
            printf(" %.17Lg", out[0][i]);
            change = fmaxl(change, fabsl(out[0][i] - out[1][i]));
        }
        printf("  +- %.1Le\n", change);
        fflush(stdout);
    }
}

/* Pendulum, angle below the horizontal: x y u v lam, where lam belongs to x^2 + y^2 = 1. */
static void pendulum(real t, const real *x, real *xp)
{
    (void)t;
    xp[0] = x[1];
    xp[1] = G * cosl(x[0]);
}
static int show_pendulum(real t, const real *x, real *out)
{
    (void)t;
    real s = sinl(x[0]), c = cosl(x[0]), w = x[1];
    out[0] = c, out[1] = s, out[2] = -w * s, out[3] = w * c,
    out[4] = (w * w + G * s) / 2;
    return 5;
}

/* Double pendulum, angles from the downward vertical: x1 y1 x2 y2 u1 v1 u2 v2 lam1 lam2. */
static void two_arms(real t, const real *x, real *xp)
{
    (void)t;
    real d = x[0] - x[1], c = cosl(d), s = sinl(d);
    real p = -s * x[3] * x[3] - 2 * G * sinl(x[0]),
         q = s * x[2] * x[2] - G * sinl(x[1]);
    real det = 2 - c * c;
    xp[0] = x[2], xp[1] = x[3];
    xp[2] = (p - c * q) / det, xp[3] = (2 * q - c * p) / det;
}
static int show_two_arms(real t, const real *x, real *out)
{
    real xp[4], s1 = sinl(x[0]), c1 = cosl(x[0]), s2 = sinl(x[1]),
                c2 = cosl(x[1]);
    two_arms(t, x, xp);
    real d = x[0] - x[1];
    real T2 = G * c2 + x[3] * x[3] + sinl(d) * xp[2] + cosl(d) * x[2] * x[2];
    real T1 = G * c1 + x[2] * x[2] + T2 * cosl(d);
    out[0] = s1, out[1] = c1, out[2] = s1 + s2, out[3] = c1 + c2;
    out[4] = c1 * x[2], out[5] = -s1 * x[2];
    out[6] = out[4] + c2 * x[3], out[7] = out[5] - s2 * x[3];
    out[8] = T1 / 2, out[9] = T2 / 2;
    return 10;
}

/* Distillation at constant overhead composition: x1 is constant, the reflux r follows from its balance. */
static const real Vb = 1, AL = 2.5L, YTOP = 0.8L;
static real reflux(real x0)
{
    real x1 = YTOP / (AL - (AL - 1) * YTOP), y0 = AL * x0 / (1 + (AL - 1) * x0);
    return (YTOP - y0) / (YTOP - x1);
}
static void distillation(real t, const real *x, real *xp)
{
    (void)t;
    real x1 = YTOP / (AL - (AL - 1) * YTOP),
         y0 = AL * x[1] / (1 + (AL - 1) * x[1]), r = reflux(x[1]);
    xp[0] = -Vb * (1 - r);
    xp[1] = Vb * (x[1] - y0 + r * (x1 - x[1])) / x[0];
}
static int show_distillation(real t, const real *x, real *out)
{
    (void)t;
    out[0] = x[0], out[1] = x[1], out[2] = reflux(x[1]);
    return 3;
}

/* Rigid body: quaternion s v, angular momentum constant; W from inertia(q) W = L. */
static void turned(const real *q, const real *b, real *x)
{
    const real *v = q + 1;
    real c[3] = {v[1] * b[2] - v[2] * b[1] + q[0] * b[0],
        v[2] * b[0] - v[0] * b[2] + q[0] * b[1],
        v[0] * b[1] - v[1] * b[0] + q[0] * b[2]};
    x[0] = b[0] + 2 * (v[1] * c[2] - v[2] * c[1]);
    x[1] = b[1] + 2 * (v[2] * c[0] - v[0] * c[2]);
    x[2] = b[2] + 2 * (v[0] * c[1] - v[1] * c[0]);
}
static void angular(const real *q, real *w)
{
    static const real mass[4] = {1, 2, 1.5L, 1}, L[3] = {0.2L, 0.5L, -0.3L};
    static const real at[4][3] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-0.5L, -0.5L, -0.2L}};
    real I[3][4] = {{0}}, x[3];
    for (int k = 0; k < 4; k++) {
        turned(q, at[k], x);
        real d = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                I[i][j] += mass[k] * ((i == j) * d - x[i] * x[j]);
    }
    for (int i = 0; i < 3; i++) I[i][3] = L[i];
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++)
            if (r != i) {
                real m = I[r][i] / I[i][i];
                for (int c = 0; c < 4; c++) I[r][c] -= m * I[i][c];
            }
    for (int i = 0; i < 3; i++) w[i] = I[i][3] / I[i][i];
}
static void spin(real t, const real *q, real *qp)
{
    (void)t;
    real w[3];
    const real *v = q + 1;
    angular(q, w);
    qp[0] = -(w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) / 2;
    qp[1] = (q[0] * w[0] + w[1] * v[2] - w[2] * v[1]) / 2;
    qp[2] = (q[0] * w[1] + w[2] * v[0] - w[0] * v[2]) / 2;
    qp[3] = (q[0] * w[2] + w[0] * v[1] - w[1] * v[0]) / 2;
}
static int show_spin(real t, const real *q, real *out)
{
    (void)t;
    memcpy(out, q, 4 * sizeof *q);
    angular(q, out + 4);
    return 7;
}

/* Chain of `beads` rigid links from the origin, masses and lengths 1/beads, y upward:
 * the multipliers from a tridiagonal system. States x, y, u, v. */
static int beads;
static real force[BEADS + 2];
static void forces(const real *X)
{
    static real a[BEADS], b[BEADS], r[BEADS];
    const real *x = X, *y = X + beads, *u = X + 2 * beads, *v = X + 3 * beads;
    real m = 1.0L / beads, ox = 0, oy = 0;
    for (int i = 0; i < beads; i++) {
        real dx = x[i] - (i ? x[i - 1] : 0), dy = y[i] - (i ? y[i - 1] : 0);
        real du = u[i] - (i ? u[i - 1] : 0), dv = v[i] - (i ? v[i - 1] : 0);
        b[i] = (i ? 2 : 1) * (dx * dx + dy * dy);
        a[i] = i ? -(dx * ox + dy * oy) : 0;
        r[i] = m * (du * du + dv * dv - (i ? 0 : G * dy));
        ox = dx, oy = dy;
    }
    for (int i = 1; i < beads; i++) {
        real w = a[i] / b[i - 1];
        b[i] -= w * a[i];
        r[i] -= w * r[i - 1];
    }
    force[beads] = 0;
    for (int i = beads - 1; i >= 0; i--)
        force[i] = (r[i] - (i + 1 < beads ? a[i + 1] * force[i + 1] : 0))
            / b[i];
}
static void links(real t, const real *X, real *Xp)
{
    (void)t;
    const real *x = X, *y = X + beads;
    forces(X);
    memcpy(Xp, X + 2 * beads, 2 * beads * sizeof *X);
    for (int i = 0; i < beads; i++) {
        real dx = x[i] - (i ? x[i - 1] : 0), dy = y[i] - (i ? y[i - 1] : 0);
        real ex = i + 1 < beads ? x[i + 1] - x[i] : 0,
             ey = i + 1 < beads ? y[i + 1] - y[i] : 0;
        Xp[2 * beads + i] = (force[i + 1] * ex - force[i] * dx) * beads;
        Xp[3 * beads + i] = (force[i + 1] * ey - force[i] * dy) * beads - G;
    }
}
static int show_links(real t, const real *X, real *out)
{
    (void)t;
    int mid = beads / 2 - 1, tip = beads - 1;
    forces(X);
    out[0] = X[mid], out[1] = X[beads + mid], out[2] = X[tip],
    out[3] = X[beads + tip];
    out[4] = X[2 * beads + tip], out[5] = X[3 * beads + tip], out[6] = force[0],
    out[7] = force[mid];
    return 8;
}

/* Chained pendula in polar coordinates, each radius 1 + 0.1 times the force of the one
 * before: Taylor series, two orders shorter for each pendulum. */
enum { PENDULA = 24, ORDER = 34, TERMS = ORDER + 2 * PENDULA + 2 };
static void chained_step(
    int count, real h, real (*state)[2], real (*shown_here)[4])
{
    static real r[TERMS], f[TERMS], w[TERMS], s[TERMS], c[TERMS], lam[TERMS];
    memset(r, 0, sizeof r);
    r[0] = 1;
    for (int k = 0; k < count; k++) {
        int top = ORDER + 2 * (PENDULA - k);
        f[0] = state[k][0], w[0] = state[k][1], s[0] = sinl(f[0]),
        c[0] = cosl(f[0]);
        for (int j = 0; j < top; j++) {
            real q = c[j], p = 0, o = 0;
            for (int i = 0; i <= j; i++) q -= 2 * (i + 1) * r[i + 1] * w[j - i];
            for (int i = 1; i <= j; i++) q -= r[i] * (j - i + 1) * w[j - i + 1];
            w[j + 1] = q / ((j + 1) * r[0]);
            f[j + 1] = w[j] / (j + 1);
            for (int i = 0; i <= j; i++) {
                p += (i + 1) * f[i + 1] * c[j - i];
                o -= (i + 1) * f[i + 1] * s[j - i];
            }
            s[j + 1] = p / (j + 1), c[j + 1] = o / (j + 1);
        }
        for (int j = 0; j <= top - 2; j++) { /* lam r = sin f + r w^2 - r'' */
            real q = s[j] - (j + 1) * (j + 2) * r[j + 2];
            for (int i = 0; i <= j; i++)
                for (int l = 0; l <= j - i; l++)
                    q += r[i] * w[l] * w[j - i - l];
            for (int i = 1; i <= j; i++) q -= r[i] * lam[j - i];
            lam[j] = q / r[0];
        }
        if (shown_here) {
            shown_here[k][0] = r[0] * c[0], shown_here[k][1] = r[0] * s[0];
            shown_here[k][2] = lam[0], shown_here[k][3] = r[0];
        }
        real angle = 0, rate = 0;
        for (int j = ORDER; j >= 0; j--)
            angle = angle * h + f[j], rate = rate * h + w[j];
        state[k][0] = angle, state[k][1] = rate;
        for (int j = 0; j <= top - 2; j++) r[j] = (j == 0) + 0.1L * lam[j];
    }
}
static void chained(int count, real angle, real h)
{
    static real fine[PENDULA][2], coarse[PENDULA][2], a[PENDULA][4],
        b[PENDULA][4];
    static const double times[] = {0, 1, 2, 5, 10, 20};
    for (int k = 0; k < count; k++) {
        fine[k][0] = coarse[k][0] = angle;
        fine[k][1] = coarse[k][1] = 0;
    }
    for (int i = 0; i < 6; i++) {
        long steps = i ? lrintl((times[i] - times[i - 1]) / h) : 0;
        for (long k = 0; k < steps; k++) chained_step(count, h, coarse, NULL);
        for (long k = 0; k < 2 * steps; k++)
            chained_step(count, h / 2, fine, NULL);
        chained_step(count, 0, fine, a);
        chained_step(count, 0, coarse, b);
        for (int k = 0; k < count; k++) {
            real change = 0;
            for (int j = 0; j < 3; j++)
                change = fmaxl(change, fabsl(a[k][j] - b[k][j]));
            printf("chained %d, t %g, pendulum %d, x_y_lam %.17Lg %.17Lg "
                   "%.17Lg  +- %.1Le\n",
                count, times[i], k + 1, a[k][0], a[k][1], a[k][2], change);
        }
    }
}

static void chain(int count, real h, const double *times, int shown)
{
    static real start[MOST];
    beads = count;
    memset(start, 0, sizeof start);
    for (int k = 0; k < beads; k++) start[k] = (real)(k + 1) / beads;
    printf("%d ", count);
    table("links_xm_ym_xt_yt_ut_vt_f1_fm", links, show_links, start, 4 * beads,
        h, times, shown);
}

int main(void)
{
    static const double times[] = {0.5, 1, 2, 5, 10}, few[] = {0.2, 0.5, 1},
                        long_ago[] = {10, 100, 1000};
    table("pendulum_x_y_u_v_lam", pendulum, show_pendulum, (real[]){0.5L, 0}, 2,
        0.05L, times, 5);
    table("pendulum_turning", pendulum, show_pendulum, (real[]){0, 8}, 2, 0.05L,
        long_ago, 3);
    table("two_arms_x1_y1_x2_y2_u1_v1_u2_v2_l1_l2", two_arms, show_two_arms,
        (real[]){0.6L, 0.4L, 0, 0}, 4, 0.05L, times, 4);
    table("distillation_M_x0_r", distillation, show_distillation,
        (real[]){1, 0.5L}, 2, 0.02L, few, 3);
    table("quaternion_s_v_W", spin, show_spin, (real[]){1, 0, 0, 0}, 4, 0.1L,
        times, 5);
    chain(10, 0.01L, (double[]){0.02, 0.2, 0.5, 1}, 4);
    chain(1000, 1e-4L, (double[]){0.02, 0.2, 0.4, 0.5, 1}, 5);
    chain(10000, 2e-5L, (double[]){0.02}, 1);
    real middle = atan2l(0.8L, 0.6L), down = acosl(-1) / 2;
    chained(7, middle, 0.05L);
    chained(24, down - 1e-3L, 0.05L);
    return 0;
}
