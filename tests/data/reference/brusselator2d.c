/* Reference for models/pde/brusselator2d.dae, independent of the project's
 * solver: the classical Runge-Kutta method in extended precision with steps h
 * and h/2, extrapolated. The difference of the two is printed as the error
 * bound. Build and run: cc -O2 brusselator2d.c -lm && ./a.out > brusselator2d.csv */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 21, M = N * N };
typedef long double real;
static const real A = 1, B = 3.4L, ALPHA = 2e-3L, END = 7.5L;

static int mirror(int i)
{
    return i < 0 ? -i : i >= N ? 2 * (N - 1) - i : i;
}

static real laplace(const real *w, int i, int j)
{
    const real scale = (real)(N - 1) * (N - 1);
    return (w[mirror(i - 1) * N + j] + w[mirror(i + 1) * N + j]
               + w[i * N + mirror(j - 1)] + w[i * N + mirror(j + 1)]
               - 4 * w[i * N + j])
        * scale;
}

static void derivative(const real *x, real *xp)
{
    const real *u = x, *v = x + M;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int k = i * N + j;
            real r = u[k] * u[k] * v[k];
            xp[k] = A + r - (B + 1) * u[k] + ALPHA * laplace(u, i, j);
            xp[M + k] = B * u[k] - r + ALPHA * laplace(v, i, j);
        }
    }
}

static void step(real *x, real h)
{
    static real k[4][2 * M], y[2 * M];
    static const real at[4] = {0, 0.5L, 0.5L, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2 * M; i++) {
            y[i] = s ? x[i] + h * at[s] * k[s - 1][i] : x[i];
        }
        derivative(y, k[s]);
    }
    for (int i = 0; i < 2 * M; i++) {
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void integrate(real *x, int steps)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            x[i * N + j] = 0.5L + (real)j / (N - 1);
            x[M + i * N + j] = 1 + 5 * (real)i / (N - 1);
        }
    }
    for (int s = 0; s < steps; s++) step(x, END / steps);
}

int main(void)
{
    static real coarse[2 * M], fine[2 * M];
    integrate(coarse, 12000);
    integrate(fine, 24000);
    real worst = 0;
    puts("name,7.5"); /* the time of the values */
    for (int k = 0; k < 2 * M; k++) {
        real d = (fine[k] - coarse[k]) / 15;
        if (fabsl(d) > worst) worst = fabsl(d);
        printf("\"%c[%d,%d]\",%.17Lg\n", k < M ? 'u' : 'v', k % M / N + 1,
            k % N + 1, fine[k] + d);
    }
    fprintf(stderr, "largest extrapolation %.2Le\n", worst);
    return 0;
}
