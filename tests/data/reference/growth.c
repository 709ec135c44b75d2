/* What a problem makes of an error: the growth factors of
 * tests/support/accuracy_cases.c and tests/problems/higher_index_test.py,
 * measured apart from the project's solver.
 * At twenty instants each state in turn is displaced by a small multiple of a
 * tolerance (rtol (|y| + 1)); the equations, written here anew, are integrated
 * on by the classical Runge-Kutta method with a fixed step. The factor is the
 * largest ratio of the displacement at the end to that at its instant, both as
 * the weighted root mean square over all that the model has for unknowns.
 * Build and run: cc -O2 growth.c -lm && ./a.out
 * Beside each factor it prints how much half the step changes it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40, STEPS = 6000, INSTANTS = 20 };

typedef struct problem {
    const char *name;
    int states;   /* integrated */
    int unknowns; /* compared: states first or made of them */
    double end;
    void (*start)(double *x);
    void (*derivative)(const double *x, double *xp);
    void (*observe)(const double *x, double *y); /* NULL: the states */
} problem;

/* ---- vectors ---------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* A x = b by Cramer's rule, rows of A. */
static void solve3(double A[3][3], const double *b, double *x)
{
    double c[3][3];
    for (int i = 0; i < 3; i++) cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    double det = dot(A[0], c[0], 3);
    for (int j = 0; j < 3; j++) {
        x[j] = (b[0] * c[0][j] + b[1] * c[1][j] + b[2] * c[2][j]) / det;
    }
}

/* ---- spring networks: x, then velocities ------------------------------------ */

typedef struct spring {
    int a, b;
    double S, R0;
} spring;

static double tension(
    const spring *s, const double *x, int d, double *r, double *l)
{
    for (int j = 0; j < d; j++) r[j] = x[s->b * d + j] - x[s->a * d + j];
    *l = sqrt(dot(r, r, d));
    return s->S * (*l - s->R0);
}

static void network(const double *x, double *xp, int n, int d,
    const double *m, const spring *s, int count, double g)
{
    memcpy(xp, x + n * d, (size_t)(n * d) * sizeof *x);
    double *a = xp + n * d;
    for (int k = 0; k < n * d; k++) a[k] = k % d == d - 1 ? -g : 0;
    for (int e = 0; e < count; e++) {
        double r[3], l, T = tension(&s[e], x, d, r, &l);
        for (int j = 0; j < d; j++) {
            a[s[e].a * d + j] += T * r[j] / l / m[s[e].a];
            a[s[e].b * d + j] -= T * r[j] / l / m[s[e].b];
        }
    }
}

static void lengths(const double *x, double *y, int states, int d,
    const spring *s, int count)
{
    memcpy(y, x, (size_t)states * sizeof *x);
    for (int e = 0; e < count; e++) {
        double r[3];
        y[states + count + e] = tension(&s[e], x, d, r, &y[states + e]);
    }
}

static const spring triangle[] = {
    {0, 1, 50, 1}, {0, 2, 60, 1}, {1, 2, 80, 1.4142135623730951}};
static const spring tetrahedron[] = {{0, 1, 100, 1}, {0, 2, 80, 1},
    {0, 3, 120, 1}, {1, 2, 60, 1}, {1, 3, 90, 1}, {2, 3, 110, 1}};
static const spring four[] = {{0, 1, 40, 1}, {0, 2, 50, 1}, {0, 3, 60, 1.2},
    {1, 2, 70, 1}, {2, 3, 30, 1}};

static void triangle_start(double *x)
{
    static const double x0[] = {
        0, 0, 1.1, 0, -0.05, 0.9, 0.3, 0, -0.2, 0.5, 0, -0.4};
    memcpy(x, x0, sizeof x0);
}
static void triangle_derivative(const double *x, double *xp)
{
    static const double m[] = {1, 2, 3};
    network(x, xp, 3, 2, m, triangle, 3, 0);
}
static void triangle_observe(const double *x, double *y)
{
    lengths(x, y, 12, 2, triangle, 3);
}
static void four_start(double *x)
{
    static const double x0[] = {0, 0, 0, 1, .1, 0, .4, .95, .05, -.3, .6, .9,
        .1, 0, 0, 0, -.2, 0, 0, 0, .3, -.1, .1, 0};
    memcpy(x, x0, sizeof x0);
}
static void four_derivative(const double *x, double *xp)
{
    static const double m[] = {1, 2, 1.5, 1};
    network(x, xp, 4, 3, m, four, 5, 0);
}
static void four_observe(const double *x, double *y)
{
    lengths(x, y, 24, 3, four, 5);
}
static void tetrahedron_start(double *x)
{
    static const double x0[] = {0, 0, 0, 1.05, 0, 0, .5, .9, 0, .5, .3, .8, 0,
        0, .5, 0, .3, 0, -.2, 0, 0, .4, -.6, .1};
    memcpy(x, x0, sizeof x0);
}
static void tetrahedron_derivative(const double *x, double *xp)
{
    static const double m[] = {1, 1, 2, 0.5};
    network(x, xp, 4, 3, m, tetrahedron, 6, 9.81);
}
static void tetrahedron_observe(const double *x, double *y)
{
    lengths(x, y, 24, 3, tetrahedron, 6);
}

/* Five masses on a mass that is held; five lengths, five tensions with dashpots. */
enum { LINKS = 5 };
static const double chain_mass = 0.1, chain_S = 1000, chain_D = 1,
                    chain_R0 = 0.2, chain_g = 9.81;

static double link_tension(
    const double *x, int e, double *r, double *l)
{
    double rate = 0;
    for (int j = 0; j < 2; j++) {
        r[j] = x[2 * e + j] - (e > 0 ? x[2 * (e - 1) + j] : 0);
    }
    *l = sqrt(dot(r, r, 2));
    const double *u = x + 2 * LINKS;
    for (int j = 0; j < 2; j++)
        rate += r[j] / *l * (u[2 * e + j] - (e > 0 ? u[2 * (e - 1) + j] : 0));
    return chain_S * (*l - chain_R0) + chain_D * rate;
}
static void chain5_start(double *x)
{
    memset(x, 0, 4 * LINKS * sizeof *x);
    for (int k = 0; k < LINKS; k++) x[2 * k] = chain_R0 * (k + 1);
}
static void chain5_derivative(const double *x, double *xp)
{
    memcpy(xp, x + 2 * LINKS, 2 * LINKS * sizeof *x);
    double *a = xp + 2 * LINKS;
    for (int k = 0; k < LINKS; k++) {
        a[2 * k] = 0;
        a[2 * k + 1] = -chain_g;
    }
    for (int e = 0; e < LINKS; e++) {
        double r[2], l, T = link_tension(x, e, r, &l);
        for (int j = 0; j < 2; j++) {
            a[2 * e + j] -= T * r[j] / l / chain_mass;
            if (e > 0) a[2 * (e - 1) + j] += T * r[j] / l / chain_mass;
        }
    }
}
static void chain5_observe(const double *x, double *y)
{
    memcpy(y, x, 4 * LINKS * sizeof *x);
    for (int e = 0; e < LINKS; e++) {
        double r[2];
        y[4 * LINKS + LINKS + e] = link_tension(x, e, r, &y[4 * LINKS + e]);
    }
}

/* ---- Lennard-Jones particles ------------------------------------------------- */

static void three_start(double *x)
{
    static const double x0[] = {
        0, 0, 1.12, 0, .6, 1, 0, 0, .2, .1, -.2, -.1};
    memcpy(x, x0, sizeof x0);
}
static void three_derivative(const double *x, double *xp)
{
    memcpy(xp, x + 6, 6 * sizeof *x);
    memset(xp + 6, 0, 6 * sizeof *x);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dx = x[2 * i] - x[2 * j], dy = x[2 * i + 1] - x[2 * j + 1];
            double r2 = dx * dx + dy * dy;
            if (i == j) continue;
            double f = (48 * pow(r2, -6) - 24 * pow(r2, -3)) / r2;
            xp[6 + 2 * i] += f * dx;
            xp[7 + 2 * i] += f * dy;
        }
    }
}

/* ---- rotation vector -------------------------------------------------------- */

static void light_start(double *x)
{
    static const double x0[] = {2, 0, 0, 0, 100, 0};
    memcpy(x, x0, sizeof x0);
}
static void light_derivative(const double *x, double *xp)
{
    static const double k[3] = {0, 0, 1};
    const double *P = x, *w = x + 3, J = 0.005;
    double s = dot(P, P, 3), a = sqrt(s), c = P[2];
    double g = a / 2 / tan(a / 2), h = (1 - g) / s;
    double Pw[3], PPw[3], Pk[3];
    cross(P, w, Pw);
    cross(P, Pw, PPw);
    cross(P, k, Pk);
    for (int i = 0; i < 3; i++) {
        xp[i] = w[i] - Pw[i] / 2 + h * PPw[i];
        xp[3 + i] =
            -((2 + 2 * c * c * h) * P[i] + 2 * c * (g * k[i] + Pk[i] / 2)) / J;
    }
}

/* ---- rigid bodies: L, then vectors that turn with W ------------------------- */

/* W from the sum of a_k (x x^T) and b_k (|x|^2 1 - x x^T) over the vectors. */
static void spin(const double *L, const double *x, int n, const double *a,
    double b, double *W)
{
    double I[3][3] = {{0}};
    for (int k = 0; k < n; k++) {
        const double *p = x + 3 * k;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) I[i][j] += (a[k] - b) * p[i] * p[j];
            I[i][i] += b * dot(p, p, 3);
        }
    }
    solve3(I, L, W);
}

static void turning(const double *x, double *xp, int n, const double *W)
{
    memset(xp, 0, 3 * sizeof *xp);
    for (int k = 1; k <= n; k++) cross(W, x + 3 * k, xp + 3 * k);
}

static const double none[6] = {0}, moments[3] = {1.3, 2.32, 2.98};

static void cloud_start(double *x)
{
    static const double x0[] = {1.3, 1.16, -0.894, 1, 0, 0, -1, 0, 0, 0, .7, 0,
        0, -.7, 0, 0, 0, .4, 0, 0, -.4};
    memcpy(x, x0, sizeof x0);
}
static void cloud_observe(const double *x, double *y)
{
    memcpy(y, x, 21 * sizeof *x);
    spin(x, x + 3, 6, none, 1, y + 21);
}
static void cloud_derivative(const double *x, double *xp)
{
    double W[3];
    spin(x, x + 3, 6, none, 1, W);
    turning(x, xp, 6, W);
}
static void axis_start(double *x)
{
    static const double x0[] = {
        1.3 * .02, 2.32 * 2, 2.98 * .01, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(x, x0, sizeof x0);
}
static void axis_observe(const double *x, double *y)
{
    memcpy(y, x, 12 * sizeof *x);
    spin(x, x + 3, 3, moments, 0, y + 12);
}
static void axis_derivative(const double *x, double *xp)
{
    double W[3];
    spin(x, x + 3, 3, moments, 0, W);
    turning(x, xp, 3, W);
}

/* Xc, Uc, L, then four masses; the spring pulls the first. */
static const double masses[] = {1, 2, 1.5, 1};

static void hung_spin(const double *x, double *W)
{
    double I[3][3] = {{0}};
    for (int k = 0; k < 4; k++) {
        const double *p = x + 9 + 3 * k;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) I[i][j] -= masses[k] * p[i] * p[j];
            I[i][i] += masses[k] * dot(p, p, 3);
        }
    }
    solve3(I, x + 6, W);
}
static void hung_start(double *x)
{
    static const double X[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -.5, -.5, -.2};
    static const double rest[] = {.1, 0, 0, .2, .5, -.3};
    for (int j = 0; j < 3; j++) {
        x[j] = (X[j] + 2 * X[3 + j] + 1.5 * X[6 + j] + X[9 + j]) / 5.5;
    }
    memcpy(x + 3, rest, sizeof rest);
    for (int k = 0; k < 12; k++) x[9 + k] = X[k] - x[k % 3];
}
static void hung_derivative(const double *x, double *xp)
{
    double W[3], r[3], moment[3] = {0};
    hung_spin(x, W);
    for (int j = 0; j < 3; j++) r[j] = (j == 2 ? 2 : 0) - x[j] - x[9 + j];
    double l = sqrt(dot(r, r, 3)), S = 20 * (l - 1) / l;
    for (int j = 0; j < 3; j++) {
        r[j] *= S;
        xp[j] = x[3 + j];
        xp[3 + j] = r[j] / 5.5 - (j == 2 ? 9.81 : 0);
        for (int k = 0; k < 4; k++) moment[j] += masses[k] * x[9 + 3 * k + j];
    }
    cross(x + 9, r, xp + 6);
    xp[6] -= 9.81 * moment[1];
    xp[7] += 9.81 * moment[0];
    for (int k = 3; k < 7; k++) cross(W, x + 3 * k, xp + 3 * k);
}
static void hung_observe(const double *x, double *y)
{
    memcpy(y, x, 21 * sizeof *x);
    hung_spin(x, y + 21);
}

/* ---- pendula ---------------------------------------------------------------- */

static const double g = 9.81;

/* A mass at the distance r from the origin, angle from the vertical: angle,
 * its rate, r, r r'. The rod held by its length has r = 1, by its first
 * derivative any constant r, by its second any constant r r'. */
static void rod_start(double *x)
{
    x[0] = acos(-1.0) / 2 - 0.5;
    x[1] = 0;
    x[2] = 1;
    x[3] = 0;
}

static void rod_motion(double *x, const double *given, int states)
{
    rod_start(x);
    memcpy(x, given, (size_t)states * sizeof *x);
}

static void rod_slopes(const double *given, double *xp, int states)
{
    double x[4];
    rod_motion(x, given, states);
    double rate = x[3] / x[2];
    double all[] = {x[1], (-g * sin(x[0]) - 2 * rate * x[1]) / x[2], rate, 0};
    memcpy(xp, all, (size_t)states * sizeof *xp);
}

/* x, y, u, v and the force per length. */
static void rod_values(const double *given, double *y, int states)
{
    double x[4];
    rod_motion(x, given, states);
    double s = sin(x[0]), c = cos(x[0]), r = x[2], rate = x[3] / r;
    y[0] = r * s;
    y[1] = r * c;
    y[2] = rate * s + r * c * x[1];
    y[3] = rate * c - r * s * x[1];
    y[4] = (g * c + r * x[1] * x[1] + rate * rate / r) / (2 * r);
}

static void length_derivative(const double *x, double *xp)
{
    rod_slopes(x, xp, 2);
}

static void length_observe(const double *x, double *y)
{
    rod_values(x, y, 2);
}

static void speed_derivative(const double *x, double *xp)
{
    rod_slopes(x, xp, 3);
}

static void speed_observe(const double *x, double *y)
{
    rod_values(x, y, 3);
}

static void force_derivative(const double *x, double *xp)
{
    rod_slopes(x, xp, 4);
}

static void force_observe(const double *x, double *y)
{
    rod_values(x, y, 4);
}

/* Two arms of length and mass 1: angles from the vertical, their rates. */
static void arms_start(double *x)
{
    x[0] = x[1] = acos(-1.0) / 2;
    x[2] = x[3] = 0;
}

static void arms_derivative(const double *x, double *xp)
{
    double s = sin(x[0] - x[1]), c = cos(x[0] - x[1]);
    double a = -s * x[3] * x[3] - 2 * g * sin(x[0]);
    double b = s * x[2] * x[2] - g * sin(x[1]);
    xp[0] = x[2];
    xp[1] = x[3];
    xp[2] = (a - c * b) / (2 - c * c);
    xp[3] = b - c * xp[2];
}

/* Both places, both speeds, both forces per length and half. */
static void arms_observe(const double *x, double *y)
{
    double xp[4];
    arms_derivative(x, xp);
    double s1 = sin(x[0]), c1 = cos(x[0]), s2 = sin(x[1]), c2 = cos(x[1]);
    double s = sin(x[0] - x[1]), c = cos(x[0] - x[1]);
    y[0] = s1;
    y[1] = c1;
    y[2] = s1 + s2;
    y[3] = c1 + c2;
    y[4] = c1 * x[2];
    y[5] = -s1 * x[2];
    y[6] = y[4] + c2 * x[3];
    y[7] = y[5] - s2 * x[3];
    double lower = g * c2 + x[3] * x[3] + xp[2] * s + x[2] * x[2] * c;
    y[8] = (g * c1 + x[2] * x[2] + lower * c) / 2;
    y[9] = lower / 2;
}

/* ---- the measurement -------------------------------------------------------- */

/* The steps from number `first` up to `last`, of `steps` in all. */
static void integrate(
    const problem *p, double *x, int first, int last, int steps)
{
    static const double at[4] = {0, 0.5, 0.5, 1};
    double h = p->end / steps, k[4][MOST], y[MOST];
    for (int n = first; n < last; n++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < p->states; i++) {
                y[i] = s ? x[i] + h * at[s] * k[s - 1][i] : x[i];
            }
            p->derivative(y, k[s]);
        }
        for (int i = 0; i < p->states; i++) {
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

static const problem problems[] = {
    {"net2d_conservative", 12, 12, 5, triangle_start, triangle_derivative, NULL},
    {"net2d_conservative_tensions", 12, 18, 5, triangle_start,
        triangle_derivative, triangle_observe},
    {"net3d_gravity_tensions", 24, 36, 2, tetrahedron_start,
        tetrahedron_derivative, tetrahedron_observe},
    {"chain5_rates to 0.25", 20, 20, 0.25, chain5_start, chain5_derivative, NULL},
    {"chain5_rates to 0.5", 20, 20, 0.5, chain5_start, chain5_derivative, NULL},
    {"chain5_rates", 20, 20, 1, chain5_start, chain5_derivative, NULL},
    {"chain5_rates, tensions", 20, 30, 1, chain5_start, chain5_derivative,
        chain5_observe},
    {"net4_tensions", 24, 34, 3, four_start, four_derivative, four_observe},
    {"lennard_jones", 12, 12, 10, three_start, three_derivative, NULL},
    {"rotation_vector_fast", 6, 6, 1, light_start, light_derivative, NULL},
    {"rigid_body", 21, 24, 10, cloud_start, cloud_derivative, cloud_observe},
    {"rigid_body_middle_axis", 12, 15, 20, axis_start, axis_derivative,
        axis_observe},
    {"rigid_body_spring", 21, 24, 2, hung_start, hung_derivative,
        hung_observe},
    {"pendulum", 2, 5, 10, rod_start, length_derivative, length_observe},
    {"pendulum_velocity", 3, 5, 10, rod_start, speed_derivative, speed_observe},
    {"pendulum_acceleration", 4, 5, 10, rod_start, force_derivative,
        force_observe},
    {"double_pendulum_level", 4, 10, 3, arms_start, arms_derivative,
        arms_observe},
};

/* Of x - base, in tolerances. */
static double norm(const problem *p, const double *x, const double *base)
{
    double a[MOST], b[MOST], sum = 0;
    memcpy(a, x, sizeof a);
    memcpy(b, base, sizeof b);
    if (p->observe) p->observe(x, a);
    if (p->observe) p->observe(base, b);
    for (int i = 0; i < p->unknowns; i++) {
        double off = (a[i] - b[i]) / (fabs(b[i]) + 1);
        sum += off * off;
    }
    return sqrt(sum / p->unknowns);
}

/* Displaced at the INSTANTS in turn, evenly spaced from the start on. */
static double growth(const problem *p, int steps)
{
    double now[MOST] = {0}, end[MOST] = {0}, worst = 0;
    p->start(now);
    memcpy(end, now, sizeof end);
    integrate(p, end, 0, steps, steps);
    for (int n = 0; n < INSTANTS; n++) {
        int first = n * (steps / INSTANTS);
        for (int i = 0; i < p->states; i++) {
            double x[MOST];
            memcpy(x, now, sizeof x);
            x[i] += 1e-7 * (fabs(x[i]) + 1);
            double before = norm(p, x, now);
            integrate(p, x, first, steps, steps);
            worst = fmax(worst, norm(p, x, end) / before);
        }
        integrate(p, now, first, first + steps / INSTANTS, steps);
    }
    return worst;
}

int main(void)
{
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const problem *p = &problems[k];
        double coarse = growth(p, STEPS), fine = growth(p, 2 * STEPS);
        printf("%-24s %10.4g  (%+.1e)\n", p->name, fine, fine / coarse - 1);
        fflush(stdout);
    }
    return 0;
}
