/* A step of Levenberg's and Marquardt's method for equations that may be fewer
 * than their unknowns, or more. */
#ifndef SUPPORT_DAMPED_STEP_H
#define SUPPORT_DAMPED_STEP_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct matrix {
    size_t rows, columns;
    double *g; /* by rows */
} matrix;

/* (J J^T + mu) y = r by elimination; d = -J^T y. False: singular. */
static inline bool damped_step(
    const matrix *m, const double *r, double mu, double *d)
{
    const size_t n = m->rows;
    double *a = calloc(n * (n + 1) + 1, sizeof *a);
    bool is_fine = a;
    for (size_t i = 0; i < n && is_fine; i++) {
        for (size_t k = 0; k < n; k++)
            for (size_t c = 0; c < m->columns; c++)
                a[i * (n + 1) + k] += m->g[i * m->columns + c]
                    * m->g[k * m->columns + c];
        a[i * (n + 1) + i] += mu;
        a[i * (n + 1) + n] = r[i];
    }
    for (size_t i = 0; i < n && is_fine; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < n; k++)
            if (fabs(a[k * (n + 1) + i]) > fabs(a[best * (n + 1) + i]))
                best = k;
        is_fine = fabs(a[best * (n + 1) + i]) > 0;
        for (size_t k = 0; k <= n; k++) {
            const double other = a[i * (n + 1) + k];
            a[i * (n + 1) + k] = a[best * (n + 1) + k];
            a[best * (n + 1) + k] = other;
        }
        for (size_t k = 0; k < n && is_fine; k++) {
            if (k == i) continue;
            const double by = a[k * (n + 1) + i] / a[i * (n + 1) + i];
            for (size_t c = i; c <= n; c++)
                a[k * (n + 1) + c] -= by * a[i * (n + 1) + c];
        }
    }
    for (size_t c = 0; c < m->columns; c++) {
        d[c] = 0;
        for (size_t i = 0; i < n && is_fine; i++)
            d[c] -= m->g[i * m->columns + c] * a[i * (n + 1) + n]
                / a[i * (n + 1) + i];
    }
    free(a);
    return is_fine;
}

static inline double square(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

#endif
