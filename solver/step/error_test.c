#include "step/error_test.h"

#include "base/real.h"
#include "newton/norm.h"

#include <assert.h>
#include <math.h>

int error_test_can_rise(const history *hi, const formula *f, int k)
{
    return k < f->max_order && k + 3 <= hi->rows && hi->count > k + 1;
}

/* What one pass reads. `upper` and `lower` rows may be missing (NULL). */
typedef struct sources {
    const double *w, *d;
    const double *row[ESTIMATE_COUNT]; /* phi[k-1], phi[k], -, phi[k+1] */
    double beta[ESTIMATE_COUNT];
} sources;

/* Adds the squares of states [i, i + 8) to their lanes. */
static inline void add_lanes(
    const sources *s, size_t i, double lane[ESTIMATE_COUNT][8])
{
    double v[8];
    for (size_t l = 0; l < 8; l++) {
        v[l] = s->d[i + l];
        double y = s->w[i + l] * v[l];
        lane[SAME][l] += y * y;
    }
    if (s->row[HIGHER]) {
        for (size_t l = 0; l < 8; l++) {
            double y = s->w[i + l]
                * (v[l] - s->beta[HIGHER] * s->row[HIGHER][i + l]);
            lane[HIGHER][l] += y * y;
        }
    }
    for (int q = LOWER; q >= LOWER2 && s->row[q]; q--) {
        for (size_t l = 0; l < 8; l++) {
            v[l] += s->beta[q] * s->row[q][i + l];
            double y = s->w[i + l] * v[l];
            lane[q][l] += y * y;
        }
    }
}

static inline void add_one(
    const sources *s, size_t i, double lane[ESTIMATE_COUNT][8])
{
    double v = s->d[i], w = s->w[i], y = w * v;
    lane[SAME][i % 8] += y * y;
    if (s->row[HIGHER]) {
        y = w * (v - s->beta[HIGHER] * s->row[HIGHER][i]);
        lane[HIGHER][i % 8] += y * y;
    }
    for (int q = LOWER; q >= LOWER2 && s->row[q]; q--) {
        v += s->beta[q] * s->row[q][i];
        y = w * v;
        lane[q][i % 8] += y * y;
    }
}

/* Without lanes: for a few states their folding is most of the work. */
static void norms_of_few(
    const sources *s, size_t n, double norm[ESTIMATE_COUNT])
{
    const double *w = s->w, *d = s->d;
    const double *higher = s->row[HIGHER], *lower = s->row[LOWER];
    const double *lower2 = s->row[LOWER2];
    const double of_higher = s->beta[HIGHER], of_lower = s->beta[LOWER];
    const double of_lower2 = s->beta[LOWER2];
    double sum[ESTIMATE_COUNT] = {0};
    for (size_t i = 0; i < n; i++) {
        double v = d[i], y = w[i] * v;
        sum[SAME] += y * y;
        if (higher) {
            y = w[i] * (v - of_higher * higher[i]);
            sum[HIGHER] += y * y;
        }
        if (!lower) continue;
        v += of_lower * lower[i];
        y = w[i] * v;
        sum[LOWER] += y * y;
        if (!lower2) continue;
        y = w[i] * (v + of_lower2 * lower2[i]);
        sum[LOWER2] += y * y;
    }
    for (int q = 0; q < ESTIMATE_COUNT; q++) norm[q] = sqrt(sum[q] / (double)n);
}

enum { FEW = 16 };

/* Weighted norms of the differences named in `s`. */
static void norms(const sources *s, size_t n, double norm[ESTIMATE_COUNT])
{
    if (n < FEW) {
        norms_of_few(s, n, norm);
        return;
    }
    size_t blocks = norm_block_count(n);
    for (int q = 0; q < ESTIMATE_COUNT; q++) norm[q] = 0;
    for (size_t b = 0; b < blocks; b++) {
        double lane[ESTIMATE_COUNT][8] = {{0}};
        size_t begin = norm_block_begin(n, b);
        size_t end = norm_block_begin(n, b + 1), i = begin;
        for (; i + 8 <= end; i += 8) add_lanes(s, i, lane);
        for (; i < end; i++) add_one(s, i, lane);
        for (int q = 0; q < ESTIMATE_COUNT; q++) {
            double mean = norm_fold(lane[q]) / (double)(end - begin);
            if (!(mean <= norm[q])) norm[q] = mean;
        }
    }
    for (int q = 0; q < ESTIMATE_COUNT; q++) norm[q] = sqrt(norm[q]);
}

/* Past points that were moved to equal distances are values of the polynomial
 * through the true ones: |d| is smaller than equal steps would have it, and what
 * the formula leaves is this much of it. Exact in the first step of another
 * length, close to it until the true points lie as the moved ones do. */
static double constant_of_moved(
    const history *hi, const grid *g, const formula *f, int q)
{
    double c = f->extra[q] - formula_gamma(q);
    for (int i = 0; i <= q; i++) c += g->h / (g->h + hi->past[i]);
    return c;
}

/* An extra difference makes the error constant smaller and leaves the terms behind
 * it as they are. Differences that go on by the factor r from order to order have
 * r/(q + 2) of the next one, at right angles to the first where a motion oscillates
 * [HW96 V.1]; with r about 1, at h lambda near i, that is most of the error. The
 * plain formula's 1/(q + 1) is not exceeded: it has all of its terms. */
static void add_to_constants(
    const history *hi, const grid *g, const formula *f, estimates *e)
{
    const double r = e->term[SAME] / e->term[LOWER];
    for (int i = 0; i < ESTIMATE_COUNT; i++) {
        const int q = e->k + i - SAME;
        if (!e->has[i]) continue;
        const double plain = 1.0 / (q + 1), own = plain + f->extra[q];
        const double with_next = smaller(hypot(own, r / (q + 2)), plain);
        const double moved = constant_of_moved(hi, g, f, q);
        e->error[i] *= larger(1, larger(moved, with_next) / own);
    }
}

void error_test_measure(const history *hi, const grid *g, const formula *f,
    int k, const double *w, const double *d, int with_higher, estimates *e)
{
    assert(k >= 1 && k < hi->count);
    sources s = {.w = w, .d = d};
    if (k >= 2) s.row[LOWER] = hi->phi[k];
    if (k >= 3) s.row[LOWER2] = hi->phi[k - 1];
    if (k >= 2) s.beta[LOWER] = g->beta[k];
    if (k >= 3) s.beta[LOWER2] = g->beta[k - 1];
    if (with_higher && error_test_can_rise(hi, f, k)) {
        s.row[HIGHER] = hi->phi[k + 1];
        s.beta[HIGHER] = g->beta[k + 1];
    }
    double norm[ESTIMATE_COUNT];
    norms(&s, hi->states, norm);
    e->k = k;
    for (int i = 0; i < ESTIMATE_COUNT; i++) {
        int q = k + i - SAME;
        e->has[i] = i == SAME || s.row[i];
        if (!e->has[i]) continue;
        const double constant = f->error_constant(g->psi, g->sums, q);
        /* points that lie ahead of the new one are no past: nothing is known */
        e->error[i] = constant > 0 ? constant * norm[i] : HUGE_VAL;
        e->term[i] = g->uniform[q + 1] * norm[i];
    }
    if (f->extra && k >= 2) add_to_constants(hi, g, f, e);
}
