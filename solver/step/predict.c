#include "step/predict.h"

#include <assert.h>
#include <string.h>

enum { LANES = 8 };

/* Value, slope and d = 0 of states [s, s + LANES), summed locally so that the
 * compiler may use vector registers. */
static inline void predict_lanes(double *const *phi, const double *value,
    const double *slope, int k, double *x, double *xp, double *d, size_t s)
{
    double v[LANES] = {0}, p[LANES] = {0};
    for (int i = k; i >= 1; i--) {
        const double *row = phi[i] + s;
        for (int l = 0; l < LANES; l++) {
            v[l] += value[i] * row[l];
            p[l] += slope[i] * row[l];
        }
    }
    for (int l = 0; l < LANES; l++) v[l] += phi[0][s + (size_t)l];
    memcpy(x + s, v, sizeof v);
    memcpy(xp + s, p, sizeof p);
    memset(d + s, 0, sizeof v);
}

static inline void predict_rows(double *const *phi, const double *value,
    const double *slope, int k, const point *at, size_t n)
{
    double *x = at->x, *xp = at->slope, *d = at->d;
    size_t s = 0;
    for (; s + LANES <= n; s += LANES)
        predict_lanes(phi, value, slope, k, x, xp, d, s);
    for (; s < n; s++) {
        double v = 0, p = 0;
        for (int i = k; i >= 1; i--) {
            v += value[i] * phi[i][s];
            p += slope[i] * phi[i][s];
        }
        x[s] = phi[0][s] + v;
        xp[s] = p;
        d[s] = 0;
    }
}

static void predict_order(double *const *phi, const double *value,
    const double *slope, int k, point *p, size_t n)
{
    switch (k) {
    case 1: predict_rows(phi, value, slope, 1, p, n); break;
    case 2: predict_rows(phi, value, slope, 2, p, n); break;
    case 3: predict_rows(phi, value, slope, 3, p, n); break;
    case 4: predict_rows(phi, value, slope, 4, p, n); break;
    case 5: predict_rows(phi, value, slope, 5, p, n); break;
    default: predict_rows(phi, value, slope, k, p, n); break;
    }
}

/* The rows x_o' = x_(o+1): slope_o + alpha d_o = x_(o+1), from the highest
 * state of each unknown downwards. */
void predict_chains(const layout *l, point *p)
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
    for (int i = 0; i <= k; i++) slope[i] = g->sums[i] * g->beta[i];
    predict_order(hi->phi, g->beta, slope, k, p, hi->states);
    if (!l->is_first_order) predict_chains(l, p);
}
