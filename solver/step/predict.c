#include "step/predict.h"

#include <assert.h>
#include <string.h>

/* One pass over the states; a constant k unrolls the inner loop. */
static inline void predict_rows(double *const *phi, const double *value,
    const double *slope, int k, double *restrict x, double *restrict xp,
    size_t n)
{
    for (size_t s = 0; s < n; s++) {
        double v = 0, p = 0;
        for (int i = k; i >= 1; i--) {
            v += value[i] * phi[i][s];
            p += slope[i] * phi[i][s];
        }
        x[s] = phi[0][s] + v;
        xp[s] = p;
    }
}

static void predict_order(double *const *phi, const double *value,
    const double *slope, int k, point *p, size_t n)
{
    double *x = p->x, *xp = p->slope;
    switch (k) {
    case 1: predict_rows(phi, value, slope, 1, x, xp, n); break;
    case 2: predict_rows(phi, value, slope, 2, x, xp, n); break;
    case 3: predict_rows(phi, value, slope, 3, x, xp, n); break;
    case 4: predict_rows(phi, value, slope, 4, x, xp, n); break;
    case 5: predict_rows(phi, value, slope, 5, x, xp, n); break;
    default: predict_rows(phi, value, slope, k, x, xp, n); break;
    }
}

/* The rows x_o' = x_(o+1): slope_o + alpha d_o = x_(o+1), from the highest
 * state of each unknown downwards. */
static void follow_chains(const layout *l, point *p)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t begin = l->first[j], high = l->first[j + 1] - 1;
        p->xp[j] = p->slope[high];
        for (size_t s = high; s > begin; s--) {
            double d = (p->x[s] - p->slope[s - 1]) / p->alpha;
            p->x[s - 1] += d;
            p->d[s - 1] = d;
        }
    }
}

void predict(const history *hi, const grid *g, int k, const layout *l, point *p)
{
    assert(k >= 1 && k < hi->count);
    double slope[HISTORY_ROWS];
    for (int i = 0; i <= k; i++) slope[i] = g->gamma[i] * g->beta[i];
    predict_order(hi->phi, g->beta, slope, k, p, hi->states);
    memset(p->d, 0, hi->states * sizeof *p->d);
    if (!l->is_first_order) follow_chains(l, p);
}
