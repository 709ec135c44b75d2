/* Reference for models/pde/brusselator1d.dae, independent of the project's
 * solver: the classical Runge-Kutta method in extended precision with steps h
 * and h/2, extrapolated. The difference of the two is printed as the error
 * bound. Build and run: cc -O2 brusselator1d.c -lm && ./a.out > brusselator1d.csv */
#include <math.h>
#include <stdio.h>

enum { N = 100 };
typedef long double real;
static const real A = 1, B = 3, ALPHA = 1 / 50.0L, END = 10;

static real laplace(const real *w, int i, real wall)
{
    real left = i > 0 ? w[i - 1] : wall;
    real right = i < N - 1 ? w[i + 1] : wall;
    return (left - 2 * w[i] + right) * (N + 1) * (N + 1);
}

static void derivative(const real *x, real *xp)
{
    const real *u = x, *v = x + N;
    for (int i = 0; i < N; i++) {
        real r = u[i] * u[i] * v[i];
        xp[i] = A + r - (B + 1) * u[i] + ALPHA * laplace(u, i, A);
        xp[N + i] = B * u[i] - r + ALPHA * laplace(v, i, B);
    }
}

static void step(real *x, real h)
{
    static real k[4][2 * N], y[2 * N];
    static const real at[4] = {0, 0.5L, 0.5L, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2 * N; i++) {
            y[i] = s ? x[i] + h * at[s] * k[s - 1][i] : x[i];
        }
        derivative(y, k[s]);
    }
    for (int i = 0; i < 2 * N; i++) {
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void integrate(real *x, int steps)
{
    const real pi = acosl(-1);
    for (int i = 0; i < N; i++) {
        x[i] = 1 + sinl(2 * pi * (i + 1) / (N + 1));
        x[N + i] = 3;
    }
    for (int s = 0; s < steps; s++) step(x, END / steps);
}

int main(void)
{
    static real coarse[2 * N], fine[2 * N];
    integrate(coarse, 20000);
    integrate(fine, 40000);
    real worst = 0;
    puts("name,10"); /* the time of the values */
    for (int k = 0; k < 2 * N; k++) {
        real d = (fine[k] - coarse[k]) / 15;
        if (fabsl(d) > worst) worst = fabsl(d);
        printf("\"%c[%d]\",%.17Lg\n", k < N ? 'u' : 'v', k % N + 1,
            fine[k] + d);
    }
    fprintf(stderr, "largest extrapolation %.2Le\n", worst);
    return 0;
}
