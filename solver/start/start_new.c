/* Prototype of the redesigned start: Dulmage-Mendelsohn once, block triangular order, per block one
 * bounded Gauss-Newton on a lexicographic rank-revealing QR (rates, then unstated values, then stated
 * guesses, then general ones), contraction as the only end; a block that fails: homotopy; no solution:
 * deletion filter with the same solver. */
#include "start/start_new.h"
#include "graph/match.h"
#include "start/account.h"
#include "start/explain.h"
#include "start/fences.h"
#include "start/homotopy.h"
#include "start/moment.h"
#include "start/order.h"
#include "start/record.h"
#include "start/scan.h"
#include "start/smallest.h"
#include "linalg/linear.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 120, HALVINGS = 24, POLISHES = 15, CLASSES = 3, DENSE_CELLS = 400000 };
static const double RANK_C = 16, NEAR = 1e-4;
double start_linear_zero;

bool start_is_new(void)
{
    static int is = -1;
    if (is < 0) { const char *e = getenv("DAE_START"); is = e && !strcmp(e, "new"); }
    return is;
}
static bool trace(void)
{
    static int is = -1;
    if (is < 0) is = getenv("DAE_START_TRACE") != NULL;
    return is;
}

typedef enum gn_end { GN_SOLVED, GN_STALLED, GN_BUDGET, GN_NO_VALUE } gn_end;

typedef struct gn {
    init_system *s;
    submatrix m;
    const double *slot_scale;
    size_t r, n;
    double *values, *A, *tau, *cs, *rs, *b, *d, *next, *from, *trial, *norm, *T, *w;
    int32_t *local, *perm;
    uint8_t *cls, *held;
    size_t upto[CLASSES + 1], first[CLASSES + 1]; /* ranks and column positions by class */
    size_t rank;
    double zero, theta, rho;
    bool is_linear, has_value, is_aside;
    int iterations;
} gn;

static bool gn_take(gn *g)
{
    arena *a = &g->s->arena;
    const size_t r = g->r, n = g->n, most = (r > n ? r : n) + 1;
    g->values = ARENA_ARRAY(a, double, g->m.entries + 1);
    g->A = ARENA_ARRAY(a, double, r * n + 1);
    g->T = ARENA_ARRAY(a, double, r * n + 1);
    g->tau = ARENA_ARRAY(a, double, most);
    g->cs = ARENA_ARRAY(a, double, most);
    g->rs = ARENA_ARRAY(a, double, most);
    g->b = ARENA_ARRAY(a, double, most);
    g->w = ARENA_ARRAY(a, double, most);
    g->d = ARENA_ARRAY(a, double, most);
    g->next = ARENA_ARRAY(a, double, most);
    g->from = ARENA_ARRAY(a, double, most);
    g->norm = ARENA_ARRAY(a, double, most);
    g->trial = ARENA_ARRAY(a, double, g->s->rows);
    g->local = ARENA_ARRAY(a, int32_t, g->s->rows);
    g->perm = ARENA_ARRAY(a, int32_t, most);
    g->cls = ARENA_ARRAY(a, uint8_t, most);
    g->held = ARENA_ARRAY(a, uint8_t, most);
    return g->values && g->A && g->T && g->tau && g->cs && g->rs && g->b && g->w && g->d && g->next
        && g->from && g->norm && g->trial && g->local && g->perm && g->cls && g->held;
}

/* Lexicographic pivoted QR of the scaled matrix, columns of class 0 first. */
static void factor(gn *g)
{
    const size_t r = g->r, n = g->n;
    memset(g->A, 0, r * n * sizeof *g->A);
    for (size_t i = 0; i < r; i++) g->rs[i] = 0;
    for (size_t j = 0; j < n; j++) g->cs[j] = g->slot_scale[g->m.slot_at[j]];
    for (size_t j = 0; j < n; j++)
        for (int64_t p = g->m.column_start[j]; p < g->m.column_start[j + 1]; p++)
            g->rs[g->m.row[p]] = fmax(g->rs[g->m.row[p]], fabs(g->values[p]) * g->cs[j]);
    for (size_t i = 0; i < r; i++)
        if (!(g->rs[i] > 0) || !isfinite(g->rs[i])) g->rs[i] = 1;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t p = g->m.column_start[j]; p < g->m.column_start[j + 1] && !g->held[j]; p++) {
            const double v = g->values[p] * g->cs[j] / g->rs[g->m.row[p]];
            g->A[j * r + (size_t)g->m.row[p]] = v;
            sum += v * v;
        }
        g->norm[j] = sqrt(sum);
    }
    /* a weak column (of no weight in any of its rows) is brought up: columns count by direction */
    for (size_t j = 0; j < n; j++)
        if (g->norm[j] > 0) {
            const double f = 1 / g->norm[j];
            if (g->norm[j] < 1e-3) {
                for (size_t i = 0; i < r; i++) g->A[j * r + i] *= f;
                g->cs[j] *= f;
                g->norm[j] = 1;
            }
        }
    size_t at = 0, k = 0;
    for (size_t j = 0; j < n; j++) g->perm[j] = -1;
    /* order columns by class */
    for (int c = 0; c < CLASSES; c++) {
        g->first[c] = at;
        for (size_t j = 0; j < n; j++)
            if (g->cls[j] == c) g->perm[at++] = (int32_t)j;
    }
    g->first[CLASSES] = at;
    double *tmp = g->T;
    for (size_t q = 0; q < n; q++) memcpy(tmp + q * r, g->A + (size_t)g->perm[q] * r, r * sizeof *tmp);
    memcpy(g->A, tmp, r * n * sizeof *tmp);
    for (int c = 0; c < CLASSES; c++) {
        size_t p = g->first[c]; /* position of the next pivot column */
        for (; p < g->first[c + 1] && k < r; p++, k++) {
            size_t best = p;
            double most = -1;
            for (size_t q = p; q < g->first[c + 1]; q++) {
                double sum = 0;
                const double *col = g->A + q * r;
                for (size_t i = k; i < r; i++) sum += col[i] * col[i];
                const double rel = sqrt(sum);
                const double own = g->norm[g->perm[q]];
                if (!(rel > g->zero * own)) continue;
                if (rel > most) { most = rel; best = q; }
            }
            if (!(most > 0)) break;
            if (best != p) {
                memcpy(tmp, g->A + p * r, r * sizeof *tmp);
                memcpy(g->A + p * r, g->A + best * r, r * sizeof *tmp);
                memcpy(g->A + best * r, tmp, r * sizeof *tmp);
                const int32_t t = g->perm[p]; g->perm[p] = g->perm[best]; g->perm[best] = t;
            }
            double *v = g->A + p * r;
            const double alpha = v[k] > 0 ? -most : most;
            const double v0 = v[k] - alpha;
            /* H = I - tau u u^T, u = [1, v[k+1..]/v0] */
            g->tau[k] = -v0 / alpha;
            for (size_t i = k + 1; i < r; i++) v[i] /= v0;
            v[k] = alpha;
            for (size_t q = p + 1; q < n; q++) {
                double *col = g->A + q * r, dot = col[k];
                for (size_t i = k + 1; i < r; i++) dot += v[i] * col[i];
                dot *= g->tau[k];
                col[k] -= dot;
                for (size_t i = k + 1; i < r; i++) col[i] -= dot * v[i];
            }
        }
        g->upto[c + 1] = k;
        /* leftover columns of this class are 0 below row k to rounding */
        for (size_t q = g->first[c] + (k - g->upto[c]); q < g->first[c + 1]; q++)
            for (size_t i = k; i < r; i++) g->A[q * r + i] = 0;
    }
    g->upto[0] = 0;
    g->rank = k;
}

/* y (count) of least norm with T y = b; T: rank x count at g->A rows from..from+rank, columns first.. */
static bool least_norm(gn *g, size_t from, size_t rank, size_t first, size_t count, const double *b, double *y)
{
    const size_t r = g->r;
    if (count == rank) {
        for (size_t i = rank; i-- > 0;) {
            double v = b[i];
            for (size_t j = i + 1; j < rank; j++) v -= g->A[(first + j) * r + from + i] * y[j];
            y[i] = v / g->A[(first + i) * r + from + i];
        }
        return true;
    }
    /* rows orthonormalized twice: T = L Q */
    arena *a = &g->s->arena;
    const arena_position mark = arena_mark(a);
    double *Q = ARENA_ARRAY(a, double, rank * count + 1), *L = ARENA_ARRAY(a, double, rank * rank + 1);
    double *w = ARENA_ARRAY(a, double, rank + 1);
    if (!Q || !L || !w) return false;
    for (size_t i = 0; i < rank; i++) {
        double *q = Q + i * count;
        for (size_t j = 0; j < count; j++) q[j] = g->A[(first + j) * r + from + i];
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < i; k++) {
                double dot = 0;
                for (size_t j = 0; j < count; j++) dot += Q[k * count + j] * q[j];
                L[i * rank + k] += dot;
                for (size_t j = 0; j < count; j++) q[j] -= dot * Q[k * count + j];
            }
        double sum = 0;
        for (size_t j = 0; j < count; j++) sum += q[j] * q[j];
        L[i * rank + i] = sqrt(sum);
        for (size_t j = 0; j < count; j++) q[j] /= sqrt(sum);
    }
    for (size_t i = 0; i < rank; i++) {
        double v = b[i];
        for (size_t k = 0; k < i; k++) v -= L[i * rank + k] * w[k];
        w[i] = v / L[i * rank + i];
    }
    for (size_t j = 0; j < count; j++) {
        y[j] = 0;
        for (size_t i = 0; i < rank; i++) y[j] += w[i] * Q[i * count + j];
    }
    arena_release(a, mark);
    return true;
}

/* d for the rows' residuals `res`; with `deviation`, back towards the guesses as far as rows allow. */
static bool solve(gn *g, const double *res, bool is_back, double *d)
{
    const size_t r = g->r, n = g->n;
    double *b = g->b;
    for (size_t i = 0; i < r; i++) b[i] = -res[g->m.row_at[i]] / g->rs[i];
    if (is_back) /* b - J (guess - z), unfactored values */
        for (size_t j = 0; j < n; j++) {
            const size_t k = (size_t)g->m.slot_at[j];
            const double dev = g->s->guess[k] - g->s->z[k];
            for (int64_t p = g->m.column_start[j]; p < g->m.column_start[j + 1] && !g->held[j]; p++)
                b[g->m.row[p]] -= g->values[p] * dev / g->rs[g->m.row[p]];
        }
    size_t k = 0;
    for (int c = 0; c < CLASSES; c++)
        for (size_t p = g->first[c]; k < g->upto[c + 1]; p++, k++) {
            const double *v = g->A + p * r;
            double dot = b[k];
            for (size_t i = k + 1; i < r; i++) dot += v[i] * b[i];
            dot *= g->tau[k];
            b[k] -= dot;
            for (size_t i = k + 1; i < r; i++) b[i] -= dot * v[i];
        }
    for (int c = CLASSES; c-- > 0;) {
        const size_t from = g->upto[c], rank = g->upto[c + 1] - from, first = g->first[c];
        const size_t count = g->first[c + 1] - first;
        double *y = g->w;
        for (size_t j = 0; j < count; j++) y[j] = 0;
        if (rank && !least_norm(g, from, rank, first, count, b + from, y)) return false;
        for (size_t j = 0; j < count; j++) {
            for (size_t i = 0; i < from; i++) b[i] -= g->A[(first + j) * r + i] * y[j];
            const size_t q = (size_t)g->perm[first + j];
            const size_t slot = (size_t)g->m.slot_at[q];
            d[q] = y[j] * g->cs[q] + (is_back && !g->held[q] ? g->s->guess[slot] - g->s->z[slot] : 0);
            if (g->held[q]) d[q] = 0;
            if (!isfinite(d[q])) return false;
        }
    }
    return true;
}

static double merit(const gn *g, const double *res)
{
    double sum = 0;
    for (size_t i = 0; i < g->r; i++) {
        const double v = res[g->m.row_at[i]] / g->rs[i];
        sum += v * v;
    }
    return sqrt(sum);
}
static double step_size(const gn *g, const double *d)
{
    double most = 0;
    for (size_t j = 0; j < g->n; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double z = fmax(fabs(g->s->z[k]), fabs(g->s->z[k] + d[j]));
        most = fmax(most, fabs(d[j]) / fmax(g->s->request->rtol * z + g->s->atol[k], DBL_MIN));
    }
    return most;
}
static bool at_noise(const gn *g)
{
    for (size_t i = 0; i < g->r; i++) {
        const size_t row = (size_t)g->m.row_at[i];
        if (!(fabs(g->s->res[row]) <= g->s->noise[row])) return false;
    }
    return true;
}
static bool within(const gn *g)
{
    if (g->r == g->rank) { /* as many pivots as rows: nothing excuses a residual but rounding */
        for (size_t i = 0; i < g->r; i++) {
            const size_t row = (size_t)g->m.row_at[i];
            if (!(fabs(g->s->res[row]) <= 64 * g->s->noise[row])) return false;
        }
        return true;
    }
    for (size_t i = 0; i < g->r; i++)
        if (!(unknowns_ratio(g->s, (size_t)g->m.row_at[i]) <= 1)) return false;
    return true;
}
static void move(gn *g, double lambda)
{
    for (size_t j = 0; j < g->n; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        g->s->z[k] = fmin(fmax(g->from[j] + lambda * g->d[j], g->s->low[k]), g->s->high[k]);
    }
}
static void keep_from(gn *g)
{
    for (size_t j = 0; j < g->n; j++) g->from[j] = g->s->z[g->m.slot_at[j]];
}

/* Bounds: a slot at its bound that the step drives beyond it is held, others make up for it. */
static bool bounded_step(gn *g, bool is_back)
{
    const init_system *s = g->s;
    memset(g->held, 0, g->n);
    for (size_t turn = 0; turn <= g->n; turn++) {
        bool is_new = false;
        factor(g);
        if (!solve(g, s->res, is_back, g->d)) return false;
        for (size_t j = 0; j < g->n; j++) {
            const size_t k = (size_t)g->m.slot_at[j];
            if (g->held[j]) continue;
            if ((s->z[k] <= s->low[k] && g->d[j] < 0) || (s->z[k] >= s->high[k] && g->d[j] > 0))
                g->held[j] = is_new = true;
        }
        if (!is_new) return true;
    }
    return true;
}

static double first_part(const gn *g)
{
    double part = 1;
    for (size_t j = 0; j < g->n && g->is_aside; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double size = fmax(scan_unit(g->s, k), fabs(g->s->guess[k]));
        if (fabs(g->d[j]) > size) part = fmin(part, size / fabs(g->d[j]));
    }
    return part;
}
/* Third differences along the step: what of the residuals is rounding [Mor11]. */
static dae_status measure_rounding(gn *g, bool *is_rounding)
{
    enum { POINTS = 8 };
    init_system *s = g->s;
    const arena_position mark = arena_mark(&s->arena);
    double *v = ARENA_ARRAY(&s->arena, double, POINTS * s->rows);
    dae_status st = DAE_OK;
    *is_rounding = false;
    if (!v) return DAE_MEMORY;
    keep_from(g);
    for (int k = 0; k < POINTS && !st; k++) {
        move(g, (k - POINTS / 2) / 8.0);
        st = unknowns_residual(s, s->z, v + (size_t)k * s->rows);
    }
    bool is = !st;
    for (size_t i = 0; i < g->r && is; i++) {
        const size_t row = (size_t)g->m.row_at[i];
        double most = 0;
        for (int k = 0; k + 3 < POINTS; k++) {
            const double *w = v + (size_t)k * s->rows + row;
            most = fmax(most, fabs(w[3 * s->rows] - 3 * w[2 * s->rows] + 3 * w[s->rows] - w[0]));
        }
        is = fabs(s->res[row]) <= fmax(4 * most, 64 * s->noise[row]);
    }
    *is_rounding = is;
    for (size_t j = 0; j < g->n; j++) s->z[g->m.slot_at[j]] = g->from[j];
    arena_release(&s->arena, mark);
    if (trace()) fprintf(stderr, "  rounding? %d\n", is);
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status gn_run(gn *g, bool is_back, gn_end *end)
{
    init_system *s = g->s;
    double last = DBL_MAX, left = 1;
    int linear = 0, falls = 0;
    bool contracts = true;
    size_t ranked = 0;
    double recent[4] = {1, 1, 1, 1};
    bool was_full = true;
    *end = GN_STALLED;
    g->is_linear = false;
    for (int k = 0; k < (is_back ? POLISHES : ITERATIONS); k++) {
        dae_status st = unknowns_interrupt(s);
        if (st) return st;
        st = unknowns_jacobian(s);
        if (st == DAE_RETRY) {
            if (k && within(g)) { *end = GN_SOLVED; g->has_value = false; return DAE_OK; }
            if (k && trace()) fprintf(stderr, "  no slope\n");
            if (k) { /* back from the edge of the domain */
                for (size_t j = 0; j < g->n; j++) {
                    double *z = &s->z[g->m.slot_at[j]];
                    *z += 0.1 * (g->from[j] - *z);
                }
                st = unknowns_residual(s, s->z, s->res);
                if (!st) st = unknowns_jacobian(s);
            }
            if (st == DAE_RETRY) { *end = k ? GN_STALLED : GN_NO_VALUE; return DAE_OK; }
        }
        if (st) return st;
        unknowns_measure(s);
        submatrix_values(&g->m, s, g->local, g->values);
        if (!is_back && contracts && at_noise(g)) { *end = GN_SOLVED; return DAE_OK; }
        s->stats->factorizations++;
        if (!bounded_step(g, is_back)) return DAE_OK;
        const double size = step_size(g, g->d), before = merit(g, s->res);
        if (k) { g->theta = size / last; }
        if (k == 0 || g->rank >= ranked) /* a pivot lost on the way shows nothing */
            contracts = size <= 0.9 * last || size <= NEAR || left <= 1e-3;
        ranked = g->rank;
        const bool has_halved = k == 0 || (was_full && size <= last / 2)
            || recent[0] * recent[1] * recent[2] * recent[3] <= 0.5;
        if (k && size > 0.3 * last && size < 0.9 * last) linear++; else linear = 0;
        if (linear >= 3) g->is_linear = true;
        else if (size < 0.1 * last) g->is_linear = false;
        if (is_back && size <= NEAR) { *end = GN_SOLVED; return DAE_OK; }
        keep_from(g);
        bool ok = false;
        double lambda = k ? 1 : first_part(g), after = before;
        if (linear >= 2) { /* a singular root: as far as the contraction says */
            move(g, 1 / (1 - g->theta));
            st = unknowns_residual(s, s->z, g->trial);
            if (st && st != DAE_RETRY) return st;
            if (!st) after = merit(g, g->trial);
            ok = !st && after < 0.02 * before;
            if (ok) g->is_linear = true;
        }
        for (int h = 0; h < HALVINGS && !ok; h++, lambda /= 2) {
            move(g, lambda);
            st = unknowns_residual(s, s->z, g->trial);
            if (st == DAE_RETRY) continue;
            if (st) return st;
            after = merit(g, g->trial);
            const double fall = 1 - lambda / 4;
            if (is_back) ok = after <= fmax(before, 1e-3);
            else ok = after <= fall * before;
            if (!ok && !is_back && g->rank == g->r) {
                ok = solve(g, g->trial, false, g->next) && step_size(g, g->next) <= fall * size
                    && after < 1e3 * before;
            }
            if (ok) break;
        }
        g->iterations++;
        s->stats->newton_iterations++;
        if (trace())
            fprintf(stderr, "  gn %zux%zu rank %zu it %d step %.3g merit %.3g -> %.3g lambda %g %s\n", g->r, g->n,
                g->rank, k, size, before, after, lambda, ok ? "" : "no");
        if (!ok) {
            for (size_t j = 0; j < g->n; j++) s->z[g->m.slot_at[j]] = g->from[j];
            st = unknowns_residual(s, s->z, s->res);
            if (st) return st;
            /* no step leads on: at rounding, or as near as what is given allows */
            if (g->r != g->rank) {
                if (size <= 1 && contracts && within(g)) *end = GN_SOLVED;
                return DAE_OK;
            }
            if ((size <= NEAR && has_halved) || within(g)) { *end = GN_SOLVED; return DAE_OK; }
            bool is_rounding;
            st = measure_rounding(g, &is_rounding);
            if (is_rounding) *end = GN_SOLVED;
            return st;
        }
        memcpy(s->res, g->trial, s->rows * sizeof *s->res);
        left = after / fmax(before, DBL_MIN);
        falls += left <= 0.5;
        (void)falls;
        /* the end: the step is small and halved what was left, or the last one had done so */
        recent[k % 4] = left;
        was_full = lambda == 1;
        if (!is_back && size <= NEAR && contracts
            && (g->r == g->rank ? has_halved || left <= 0.5 || within(g) : within(g))) {
            *end = GN_SOLVED;
            return DAE_OK;
        }
        if (!is_back && size <= 1 && last <= 1 && size > 0.9 * last && left > 0.9 && within(g)) {
            *end = GN_SOLVED;
            return DAE_OK;
        }
        last = size;
    }
    *end = is_back ? GN_SOLVED : GN_BUDGET;
    return DAE_OK;
}

/* Levenberg and Marquardt's descent: a root, or a point from which nothing leads down. */
static dae_status descend(gn *g)
{
    init_system *s = g->s;
    const size_t r = g->r, n = g->n;
    if (r > 80 || n > 80) return DAE_OK;
    double mu = 1e-3, *M = ARENA_ARRAY(&s->arena, double, n * n + 1), *y = ARENA_ARRAY(&s->arena, double, n + 1);
    double *J = ARENA_ARRAY(&s->arena, double, r * n + 1);
    if (!M || !y || !J) return DAE_MEMORY;
    for (int k = 0; k < 100; k++) {
        dae_status st = unknowns_jacobian(s);
        if (st) return st == DAE_RETRY ? DAE_OK : st;
        unknowns_measure(s);
        submatrix_values(&g->m, s, g->local, g->values);
        memset(g->held, 0, n);
        factor(g); /* for the scales */
        memset(J, 0, r * n * sizeof *J);
        for (size_t j = 0; j < n; j++)
            for (int64_t p = g->m.column_start[j]; p < g->m.column_start[j + 1]; p++)
                J[j * r + (size_t)g->m.row[p]] = g->values[p] * g->cs[j] / g->rs[g->m.row[p]];
        const double before = merit(g, s->res);
        if (!(before > 0)) return DAE_OK;
        keep_from(g);
        bool ok = false;
        double after = before;
        for (int h = 0; h < 30 && !ok; h++) {
            for (size_t a = 0; a < n; a++) {
                y[a] = 0;
                for (size_t i = 0; i < r; i++) y[a] -= J[a * r + i] * s->res[g->m.row_at[i]] / g->rs[i];
                for (size_t b = 0; b < n; b++) {
                    double v = a == b ? mu : 0;
                    for (size_t i = 0; i < r; i++) v += J[a * r + i] * J[b * r + i];
                    M[a * n + b] = v;
                }
            }
            bool is_pos = true;
            for (size_t a = 0; a < n && is_pos; a++) { /* Cholesky in place */
                for (size_t b = 0; b <= a; b++) {
                    double v = M[a * n + b];
                    for (size_t c = 0; c < b; c++) v -= M[a * n + c] * M[b * n + c];
                    if (a == b) { is_pos = v > 0; M[a * n + a] = sqrt(fmax(v, DBL_MIN)); }
                    else M[a * n + b] = v / M[b * n + b];
                }
            }
            for (size_t a = 0; a < n; a++) {
                for (size_t c = 0; c < a; c++) y[a] -= M[a * n + c] * y[c];
                y[a] /= M[a * n + a];
            }
            for (size_t a = n; a-- > 0;) {
                for (size_t c = a + 1; c < n; c++) y[a] -= M[c * n + a] * y[c];
                y[a] /= M[a * n + a];
            }
            for (size_t j = 0; j < n; j++) g->d[j] = y[j] * g->cs[j];
            move(g, 1);
            st = is_pos ? unknowns_residual(s, s->z, g->trial) : DAE_RETRY;
            if (st && st != DAE_RETRY) return st;
            if (!st) after = merit(g, g->trial);
            ok = !st && after < before * (1 - 1e-10);
            mu = ok ? fmax(mu / 9, 1e-14) : mu * 7;
        }
        g->iterations++;
        if (!ok) {
            for (size_t j = 0; j < n; j++) s->z[g->m.slot_at[j]] = g->from[j];
            return unknowns_residual(s, s->z, s->res);
        }
        memcpy(s->res, g->trial, s->rows * sizeof *s->res);
        if (at_noise(g)) return DAE_OK;
    }
    return DAE_OK;
}

static uint8_t class_of(const init_system *s, size_t k)
{
    const uint8_t *order = s->request->stands_for;
    if (s->is_stated[k]) return 2;
    if (s->is_rate[k]) return 0;
    return order && k < s->states && order[k] > 0 ? 0 : 1;
}

/* One block from s->z. */
static dae_status gn_block_at(init_system *s, const double *scale, const subset *p, gn_end *end, bool *is_linear,
    int *iterations, bool is_here)
{
    const arena_position mark = arena_mark(&s->arena);
    gn g = {.s = s, .slot_scale = scale, .r = p->row_count, .n = p->slot_count, .has_value = true};
    *end = GN_SOLVED;
    *is_linear = false;
    if (!p->row_count) return DAE_OK;
    dae_status st = submatrix_init(&g.m, s, p->rows, p->row_count, p->slots, p->slot_count);
    if (st) return st;
    if (g.r * g.n > DENSE_CELLS) { /* sparse: today's */
        damped_result result;
        st = damped_solve(s, &g.m, scale, &result);
        *end = result.outcome == DAMPED_SOLVED ? GN_SOLVED : GN_STALLED;
        return st;
    }
    if (!gn_take(&g)) return DAE_MEMORY;
    for (size_t j = 0; j < g.n; j++) g.cls[j] = class_of(s, (size_t)p->slots[j]);
    g.zero = fmax(RANK_C * (double)(g.r > g.n ? g.r : g.n) * DBL_EPSILON, s->fuzz > 1e-10 ? s->fuzz : 0);
    double *entry = ARENA_ARRAY(&s->arena, double, g.n), *stalled = ARENA_ARRAY(&s->arena, double, g.n);
    double *best = ARENA_ARRAY(&s->arena, double, g.n);
    if (!entry || !stalled || !best) return DAE_MEMORY;
    keep_from(&g);
    memcpy(entry, g.from, g.n * sizeof *entry);
    st = gn_run(&g, false, end);
    if (!st && !is_here && *end != GN_SOLVED && *end != GN_NO_VALUE) { /* from a little aside: J may lose rank just there */
        keep_from(&g);
        memcpy(stalled, g.from, g.n * sizeof *entry);
        for (size_t j = 0; j < g.n; j++) {
            const size_t k = (size_t)p->slots[j];
            const double by = s->scale[k] * (0.01 - 0.0005 * (double)(j % 11));
            const double up = fmin(entry[j] + by, s->high[k]);
            s->z[k] = up > entry[j] ? up : fmax(entry[j] - by, s->low[k]);
        }
        st = unknowns_residual(s, s->z, s->res);
        g.is_aside = true;
        if (!st) st = gn_run(&g, false, end);
        g.is_aside = false;
        if (st == DAE_RETRY) { *end = GN_STALLED; st = DAE_OK; }
        if (!st && *end != GN_SOLVED) { /* down, from where it began */
            for (size_t j = 0; j < g.n; j++) s->z[p->slots[j]] = entry[j];
            st = unknowns_residual(s, s->z, s->res);
            if (!st) st = descend(&g);
            keep_from(&g);
            memcpy(stalled, g.from, g.n * sizeof *entry);
            if (!st) st = gn_run(&g, false, end);
            if (!st && *end != GN_SOLVED) {
                for (size_t j = 0; j < g.n; j++) s->z[p->slots[j]] = stalled[j];
                st = unknowns_residual(s, s->z, s->res);
            }
            if (st == DAE_RETRY) st = DAE_OK;
        }
        if (*end == GN_NO_VALUE) *end = GN_STALLED;
    }
    *is_linear = g.is_linear;
    if (!st && *end == GN_SOLVED && !is_here && g.n > g.rank && g.iterations) { /* nearest to the guesses */
        gn_end polished;
        keep_from(&g);
        memcpy(best, g.from, g.n * sizeof *best);
        st = gn_run(&g, true, &polished);
        gn_end again = GN_STALLED;
        if (!st) st = gn_run(&g, false, &again);
        if (st == DAE_RETRY || (!st && again != GN_SOLVED)) {
            for (size_t j = 0; j < g.n; j++) s->z[p->slots[j]] = best[j];
            st = unknowns_residual(s, s->z, s->res);
        }
    }
    *iterations += g.iterations;
    if (*is_linear && *end == GN_SOLVED) start_linear_zero = 1;
    arena_release(&s->arena, mark);
    return st;
}

static dae_status gn_block(init_system *s, const double *scale, const subset *p, gn_end *end, bool *is_linear,
    int *iterations)
{
    return gn_block_at(s, scale, p, end, is_linear, iterations, false);
}
static dae_status gn_block_from(init_system *s, const double *scale, const subset *p, gn_end *end, bool *is_linear,
    int *iterations)
{
    return gn_block_at(s, scale, p, end, is_linear, iterations, true);
}

/* ---- a set of rows and free slots ------------------------------------------------ */

typedef struct plan {
    subset over, well, under, checks;
    block_order order;
    bool is_loose; /* a free slot stands in no row */
} plan;

static dae_status plan_init(plan *pl, init_system *s, const uint8_t *is_in)
{
    arena *a = &s->arena;
    subset all = {ARENA_ARRAY(a, int32_t, s->rows), ARENA_ARRAY(a, int32_t, s->slots), 0, 0};
    uint8_t *mark = ARENA_ARRAY(a, uint8_t, s->rows);
    *pl = (plan){.order = {.count = 0}};
    pl->checks.rows = ARENA_ARRAY(a, int32_t, s->rows);
    if (!all.rows || !all.slots || !mark || !pl->checks.rows) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        bool is_any = false;
        const int count = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t i = (size_t)e[q].row[p] + e[q].offset;
                if (!entry_is_present(&e[q], p) || (is_in && !is_in[i])) continue;
                mark[i] = 1;
                is_any = true;
            }
        if (is_any) all.slots[all.slot_count++] = (int32_t)k;
        else if (count) pl->is_loose = true;
    }
    for (size_t i = 0; i < s->rows; i++) {
        if (is_in && !is_in[i]) continue;
        subset *to = mark[i] ? &all : &pl->checks;
        to->rows[to->row_count++] = (int32_t)i;
    }
    const size_t r = all.row_count, n = all.slot_count;
    submatrix m;
    dae_status st = submatrix_init(&m, s, all.rows, r, all.slots, n);
    if (st) return st;
    int32_t *row_of = ARENA_ARRAY(a, int32_t, n + 1), *column_of = ARENA_ARRAY(a, int32_t, r + 1);
    uint8_t *rp = ARENA_ARRAY(a, uint8_t, r + 1), *cp = ARENA_ARRAY(a, uint8_t, n + 1);
    if (!row_of || !column_of || !rp || !cp) return DAE_MEMORY;
    size_t rank;
    for (size_t j = 0; j < n; j++) row_of[j] = MATCH_NONE;
    for (size_t i = 0; i < r; i++) column_of[i] = MATCH_NONE;
    st = match_maximum(r, n, m.column_start, m.row, s->request->allocator, row_of, column_of, &rank);
    if (!st) st = match_parts(r, n, m.column_start, m.row, row_of, column_of, s->request->allocator, rp, cp);
    if (st) return st;
    subset *to[3] = {&pl->well, &pl->over, &pl->under};
    for (int c = 0; c < 3; c++) {
        to[c]->rows = ARENA_ARRAY(a, int32_t, r + 1);
        to[c]->slots = ARENA_ARRAY(a, int32_t, n + 1);
        if (!to[c]->rows || !to[c]->slots) return DAE_MEMORY;
    }
    for (size_t i = 0; i < r; i++) to[rp[i]]->rows[to[rp[i]]->row_count++] = all.rows[i];
    for (size_t j = 0; j < n; j++) to[cp[j]]->slots[to[cp[j]]->slot_count++] = all.slots[j];
    return order_init(&pl->order, s, &pl->well);
}

/* Newton on the well part as a whole, as long as every step halves the one before; *is_done, or as before. */
static dae_status newton_whole(init_system *s, const subset *p, bool *is_done, bool *is_firm, int64_t *iterations)
{
    enum { MOST = 12 };
    submatrix m;
    linear *l = NULL;
    const arena_position mark = arena_mark(&s->arena);
    const size_t n = p->slot_count;
    *is_done = n == 0;
    if (n == 0) return DAE_OK;
    double *from = ARENA_ARRAY(&s->arena, double, n), *res = ARENA_ARRAY(&s->arena, double, s->rows);
    double *b = ARENA_ARRAY(&s->arena, double, n);
    int32_t *local = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    dae_status st = submatrix_init(&m, s, p->rows, n, p->slots, n);
    double *values = ARENA_ARRAY(&s->arena, double, m.entries + 1);
    if (!from || !res || !b || !local || !values) return DAE_MEMORY;
    if (!st) st = linear_create(n, m.column_start, m.row, DAE_LINEAR_AUTO, s->request->allocator, &l);
    if (st) return st;
    for (size_t j = 0; j < n; j++) from[j] = s->z[p->slots[j]];
    memcpy(res, s->res, s->rows * sizeof *res);
    double last = DBL_MAX, before = DBL_MAX;
    for (int k = 0; k < MOST && !*is_done; k++) {
        if (k && (st = unknowns_jacobian(s))) break;
        unknowns_measure(s);
        bool is_noise = true;
        for (size_t i = 0; i < n && is_noise; i++)
            is_noise = fabs(s->res[p->rows[i]]) <= s->noise[p->rows[i]];
        submatrix_values(&m, s, local, values);
        s->stats->factorizations++;
        if ((st = linear_factor(l, values)) || !(linear_rcond(l) > RANK_C * (double)n * DBL_EPSILON)) break;
        *is_firm = linear_rcond(l) > 1e-9; /* else the bound of the certificate says */
        if (is_noise) { *is_done = true; break; }
        for (size_t i = 0; i < n; i++) b[i] = s->res[p->rows[i]];
        if ((st = linear_solve(l, b))) break;
        double size = 0;
        bool is_out = false;
        for (size_t j = 0; j < n; j++) {
            const size_t q = (size_t)p->slots[j];
            const double to = s->z[q] - b[j];
            if (!isfinite(to) || to < s->low[q] || to > s->high[q]) is_out = true;
            const double z = fmax(fabs(s->z[q]), fabs(to));
            size = fmax(size, fabs(b[j]) / fmax(s->request->rtol * z + s->atol[q], DBL_MIN));
            s->z[q] = to;
        }
        if (is_out || (size > NEAR && !(size <= last / 2))) break;
        if ((st = unknowns_residual(s, s->z, s->res))) break;
        (*iterations)++;
        s->stats->newton_iterations++;
        double after = 0;
        for (size_t i = 0; i < n; i++)
            after = fmax(after, fabs(s->res[p->rows[i]]) / fmax(s->noise[p->rows[i]], DBL_MIN));
        if (size <= NEAR) { *is_done = after <= fmax(64, before / 2); break; }
        before = after;
        /* rows are often linear in what is sought: one step, one check */
        bool is_there = true;
        for (size_t i = 0; i < n && is_there; i++)
            is_there = fabs(s->res[p->rows[i]]) <= 4 * s->noise[p->rows[i]];
        if (is_there && unknowns_are_constant(s)) *is_done = true;
        last = size;
    }
    linear_free(l);
    if (!*is_done) {
        for (size_t j = 0; j < n; j++) s->z[p->slots[j]] = from[j];
        memcpy(s->res, res, s->rows * sizeof *res);
        if (!st || st == DAE_NUMERIC || st == DAE_RETRY) st = unknowns_residual(s, s->z, s->res);
        if (!st) st = unknowns_jacobian(s);
        if (!st) unknowns_measure(s);
    }
    arena_release(&s->arena, mark);
    return st;
}

typedef struct outcome {
    gn_end end;
    subset part, failed; /* where it ended */
    bool is_regular;
} outcome;

static dae_status solve_one(search *a, const subset *p, const subset *part, bool is_trial, outcome *o)
{
    init_system *s = &a->s;
    bool is_linear;
    int its = 0;
    dae_status st = gn_block(s, s->scale, p, &o->end, &is_linear, &its);
    a->iterations += its;
    if (is_linear) o->is_regular = false;
    if (st || o->end == GN_SOLVED) return st;
    o->failed = *p;
    o->part = *part;
    return DAE_OK;
}

static dae_status solve_parts(search *a, const uint8_t *is_in, bool is_trial, plan *pl, outcome *o);
static bool join(init_system *s, const plan *pl, subset *all);

/* |J^+| (|r| + noise) of all slots together: is every one known to a digit at least? */
static dae_status certify(search *a, const plan *pl, bool *is_certain)
{
    init_system *s = &a->s;
    const arena_position mark = arena_mark(&s->arena);
    subset all = {.row_count = 0};
    *is_certain = true;
    if (!join(s, pl, &all)) return DAE_MEMORY;
    if (!all.row_count || all.row_count * all.slot_count > 40000) return DAE_OK;
    gn g = {.s = s, .slot_scale = s->scale, .r = all.row_count, .n = all.slot_count};
    dae_status st = submatrix_init(&g.m, s, all.rows, g.r, all.slots, g.n);
    if (st) return st;
    if (!gn_take(&g)) return DAE_MEMORY;
    double *res = ARENA_ARRAY(&s->arena, double, s->rows), *bound = ARENA_ARRAY(&s->arena, double, g.n);
    if (!res || !bound) return DAE_MEMORY;
    g.zero = RANK_C * (double)(g.r > g.n ? g.r : g.n) * DBL_EPSILON;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st) { arena_release(&s->arena, mark); return st == DAE_RETRY ? DAE_OK : st; }
    unknowns_measure(s);
    submatrix_values(&g.m, s, g.local, g.values);
    factor(&g);
    for (size_t i = 0; i < g.r; i++) {
        const size_t row = (size_t)all.rows[i];
        res[row] = fabs(s->res[row]) > 64 * s->noise[row] && g.r > g.rank ? s->noise[row]
            : fmax(fabs(s->res[row]), s->noise[row] / 16);
        if (!solve(&g, res, false, g.d)) break;
        for (size_t j = 0; j < g.n; j++) bound[j] += fabs(g.d[j]);
        res[row] = 0;
    }
    for (size_t j = 0; j < g.n; j++) {
        const size_t k = (size_t)all.slots[j];
        const double size = fmax(fabs(s->z[k]), s->scale[k]);
        if (bound[j] > 0.1 * size) *is_certain = false;
        if (bound[j] > 0.1 * size && trace()) fprintf(stderr, "uncertain slot %zu %g +- %g\n", k, s->z[k], bound[j]);
    }
    arena_release(&s->arena, mark);
    return DAE_OK;
}

static bool join(init_system *s, const plan *pl, subset *all)
{
    const subset *p[3] = {&pl->over, &pl->well, &pl->under};
    all->rows = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    all->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    if (!all->rows || !all->slots) return false;
    for (int c = 0; c < 3; c++) {
        for (size_t i = 0; i < p[c]->row_count; i++) all->rows[all->row_count++] = p[c]->rows[i];
        for (size_t j = 0; j < p[c]->slot_count; j++) all->slots[all->slot_count++] = p[c]->slots[j];
    }
    return true;
}

static int by_number(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

/* Blocks; then, where one fails, all together; then homotopy of that block and what comes after it. */
static dae_status solve_set(search *a, const uint8_t *is_in, bool is_trial, outcome *o)
{
    init_system *s = &a->s;
    plan pl;
    moment before;
    dae_status st = moment_take(&before, s);
    if (!st) st = solve_parts(a, is_in, is_trial, &pl, o);
    if (!st && o->end == GN_SOLVED && !o->is_regular && s->request->findings) {
        bool is_certain;
        st = certify(a, &pl, &is_certain);
        if (!is_certain) {
            o->end = GN_STALLED;
            o->failed = (subset){.row_count = 0};
            if (!join(s, &pl, &o->failed)) return DAE_MEMORY;
            o->part = o->failed;
        }
    }
    if (st || o->end == GN_SOLVED || !o->failed.slot_count) return st;
    subset all = {.row_count = 0};
    if (!join(s, &pl, &all)) return DAE_MEMORY;
    qsort(all.rows, all.row_count, sizeof *all.rows, by_number);
    qsort(all.slots, all.slot_count, sizeof *all.slots, by_number);
    if (all.row_count > o->failed.row_count && all.row_count * all.slot_count <= DENSE_CELLS) {
        moment failed;
        bool is_linear;
        int its = 0;
        gn_end end;
        if ((st = moment_take(&failed, s))) return st;
        moment_return(&before, s);
        if ((st = unknowns_jacobian(s))) return st;
        if (trace()) fprintf(stderr, " together\n");
        st = gn_block(s, s->scale, &all, &end, &is_linear, &its);
        a->iterations += its;
        o->is_regular = false;
        if (st) return st;
        bool is_certain = true;
        if (end == GN_SOLVED && s->request->findings && (st = certify(a, &pl, &is_certain))) return st;
        if (end == GN_SOLVED && is_certain) { o->end = end; return DAE_OK; }
        moment_return(&failed, s);
    }
    if (!s->request->findings || (is_trial && all.slot_count > 30)) return DAE_OK;
    const subset *which[2] = {&o->failed, &all};
    for (int turn = 0; turn < 2; turn++) {
        damped_result result = {.outcome = DAMPED_STALLED};
        moment failed;
        const size_t count = s->homotopy_count, slot = s->homotopy_slot;
        const subset *p = which[turn];
        if (turn && all.row_count == o->failed.row_count) break;
        if ((st = moment_take(&failed, s))) return st;
        for (size_t j = 0; j < p->slot_count; j++) s->z[p->slots[j]] = s->guess[p->slots[j]];
        st = unknowns_residual(s, s->z, s->res);
        if (trace()) fprintf(stderr, " homotopy\n");
        if (!st) st = homotopy_first(s, a->scale, p, &result);
        if (st == DAE_RETRY) st = DAE_OK;
        if (st) return st;
        if (result.outcome == DAMPED_SOLVED) {
            gn_end end;
            bool is_linear;
            int its = 0;
            if ((st = unknowns_jacobian(s))) return st == DAE_RETRY ? DAE_OK : st;
            st = gn_block_from(s, s->scale, p, &end, &is_linear, &its);
            if (st) return st;
            if (end != GN_SOLVED) result.outcome = DAMPED_STALLED;
        }
        if (result.outcome == DAMPED_SOLVED && !turn) { /* and what comes after it */
            outcome again;
            plan next;
            if ((st = unknowns_jacobian(s))) return st == DAE_RETRY ? DAE_OK : st;
            st = solve_parts(a, is_in, is_trial, &next, &again);
            if (st) return st;
            if (again.end != GN_SOLVED) result.outcome = DAMPED_STALLED;
        }
        if (result.outcome == DAMPED_SOLVED) {
            bool is_certain;
            if ((st = certify(a, &pl, &is_certain))) return st;
            if (!is_certain) result.outcome = DAMPED_STALLED;
        }
        if (result.outcome == DAMPED_SOLVED) {
            o->end = GN_SOLVED;
            o->is_regular = false;
            if (is_trial) { s->homotopy_count = count; s->homotopy_slot = slot; }
            return DAE_OK;
        }
        moment_return(&failed, s);
    }
    return DAE_OK;
}

/* All rows (is_in NULL), or some, from s->z. */
static dae_status solve_parts(search *a, const uint8_t *is_in, bool is_trial, plan *plp, outcome *o)
{
    init_system *s = &a->s;
    bool is_done;
    *o = (outcome){.end = GN_SOLVED, .is_regular = true};
    dae_status st = plan_init(plp, s, is_in);
    if (st) return st;
    const plan pl = *plp;
    for (size_t k = 0; k < pl.checks.row_count; k++)
        if (!(unknowns_ratio(s, (size_t)pl.checks.rows[k]) <= 1)) {
            o->end = GN_STALLED;
            o->part = o->failed = (subset){.rows = pl.checks.rows + k, .row_count = 1};
            return DAE_OK;
        }
    o->is_regular = !pl.over.row_count && !pl.under.row_count && !pl.under.slot_count && !pl.checks.row_count
        && !pl.is_loose;
    if ((st = solve_one(a, &pl.over, &pl.over, is_trial, o)) || o->end != GN_SOLVED) return st;
    if (a->s.request->is_homotopy_first && pl.well.row_count && !is_trial) {
        damped_result result;
        st = homotopy_first(s, a->scale, &pl.well, &result);
        is_done = !st && result.outcome == DAMPED_SOLVED;
        if (is_done) o->is_regular = false;
    } else {
        bool is_firm = true;
        st = newton_whole(s, &pl.well, &is_done, &is_firm, &a->iterations);
        if (!is_firm) o->is_regular = false;
    }
    if (st) return st;
    if (!is_done) {
        o->is_regular = false;
        if (pl.well.row_count && !pl.order.count) {
            if ((st = solve_one(a, &pl.well, &pl.well, is_trial, o)) || o->end != GN_SOLVED) return st;
        }
        for (size_t k = 0; k < pl.order.count; k++) {
            const subset b = order_block(&pl.order, k);
            if ((st = solve_one(a, &b, &pl.well, is_trial, o)) || o->end != GN_SOLVED) return st;
        }
    }
    return solve_one(a, &pl.under, &pl.under, is_trial, o);
}

/* ---- no solution: a smallest set ------------------------------------------------- */

typedef struct member { uint8_t kind; int32_t index; bool is_in; } member; /* 0 row 1 given 2 low 3 high */

typedef struct quarrel {
    search *a;
    member *of;
    size_t count;
    uint8_t *is_in, *is_free;
    double *low, *high, *z0, *z1;
    int asked;
    double work;
} quarrel;

static dae_status ask(quarrel *q, bool *holds)
{
    init_system *s = &q->a->s;
    outcome o;
    dae_status st = DAE_OK;
    *holds = false;
    memset(q->is_in, 0, s->rows);
    memcpy(s->is_free, q->is_free, s->slots);
    for (size_t k = 0; k < s->slots; k++) {
        s->low[k] = -(double)INFINITY;
        s->high[k] = (double)INFINITY;
        if (!q->is_free[k]) s->is_free[k] = k < s->states || s->request->layout->order[k - s->states] > 0;
    }
    for (size_t i = 0; i < q->count; i++) {
        const member *m = &q->of[i];
        if (!m->is_in) continue;
        if (m->kind == 0) q->is_in[m->index] = 1;
        if (m->kind == 1) s->is_free[m->index] = 0;
        if (m->kind == 2) s->low[m->index] = q->low[m->index];
        if (m->kind == 3) s->high[m->index] = q->high[m->index];
    }
    for (int turn = 0; turn < 3 && !*holds && !st; turn++) {
        const arena_position mark = arena_mark(&s->arena);
        const double *z = turn ? q->z1 : q->z0;
        for (size_t k = 0; k < s->slots; k++)
            s->z[k] = !s->is_free[k] ? q->z0[k] : turn < 2 ? z[k] : -z[k];
        for (size_t k = 0; k < s->slots; k++) s->z[k] = fmin(fmax(s->z[k], s->low[k]), s->high[k]);
        q->asked++;
        st = unknowns_residual(s, s->z, s->res);
        if (!st) st = unknowns_jacobian(s);
        if (!st) { unknowns_measure(s); st = solve_set(q->a, q->is_in, true, &o); }
        if (!st) *holds = o.end == GN_SOLVED;
        if (st == DAE_RETRY || st == DAE_NUMERIC) st = DAE_OK;
        arena_release(&s->arena, mark);
    }
    return st;
}

/* One row that a free slot of it does not change, here nor a little aside: nothing is proved. */
static dae_status is_plateau(init_system *s, const blame *b, bool *is_proof)
{
    if (b->row_count != 1) return DAE_OK;
    const size_t row = (size_t)b->rows[0];
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!res) return DAE_MEMORY;
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        bool is_in = false;
        const int count = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                is_in = is_in || ((size_t)e[q].row[p] + e[q].offset == row && entry_is_present(&e[q], p));
        bool is_less = false, is_near_same = false, has_far = false;
        for (int q = 0; q < 10 && is_in; q++) {
            const double z = s->z[k], by = s->scale[k] * pow(10, -2 + 2 * (q / 2));
            s->z[k] = z + (q % 2 ? -by : by);
            if (s->z[k] < s->low[k] || s->z[k] > s->high[k]) { s->z[k] = z; continue; }
            st = unknowns_residual(s, s->z, res);
            s->z[k] = z;
            if (st == DAE_RETRY) continue;
            if (st) return st;
            const double a = fabs(res[row]), b0 = fabs(s->res[row]);
            if (a < b0 * (1 - 1e-9)) is_less = true;
            else if (a <= b0 * (1 + 1e-12)) is_near_same = true;
            else has_far = true;
        }
        if (is_less || (is_near_same && has_far)) *is_proof = false;
    }
    return DAE_OK;
}

/* Rows that share free slots with those marked, until no more do: of the parts before. */
static dae_status filter(search *a, const outcome *o, blame *b, bool *is_found, bool *is_solved)
{
    init_system *s = &a->s;
    arena *ar = &s->arena;
    quarrel q = {.a = a};
    q.of = ARENA_ARRAY(ar, member, s->rows + 3 * s->slots);
    q.is_in = ARENA_ARRAY(ar, uint8_t, s->rows);
    q.is_free = ARENA_ARRAY(ar, uint8_t, s->slots);
    q.low = ARENA_ARRAY(ar, double, s->slots);
    q.high = ARENA_ARRAY(ar, double, s->slots);
    q.z0 = ARENA_ARRAY(ar, double, s->slots);
    q.z1 = ARENA_ARRAY(ar, double, s->slots);
    double *u = ARENA_ARRAY(ar, double, s->rows);
    uint8_t *near = ARENA_ARRAY(ar, uint8_t, s->rows);
    b->rows = ARENA_ARRAY(ar, int32_t, s->rows);
    b->slots = ARENA_ARRAY(ar, int32_t, s->slots);
    int32_t *fences = ARENA_ARRAY(ar, int32_t, 2 * s->slots);
    if (!q.of || !q.is_in || !q.is_free || !q.low || !q.high || !q.z0 || !q.z1 || !u || !near || !b->rows
        || !b->slots || !fences)
        return DAE_MEMORY;
    *is_found = *is_solved = false;
    memcpy(q.is_free, s->is_free, s->slots);
    memcpy(q.low, s->low, s->slots * sizeof *q.low);
    memcpy(q.high, s->high, s->slots * sizeof *q.high);
    memcpy(q.z0, s->guess, s->slots * sizeof *q.z0);
    for (size_t k = 0; k < s->slots; k++) { /* not from where it has run away to */
        const bool is_away = fabs(s->z[k]) > 1e6 * fmax(s->scale[k], fabs(s->guess[k]));
        q.z1[k] = is_away ? s->guess[k] : s->z[k];
    }
    /* suspects: what is left where no step leads on is a left null vector, u = D^2 r */
    dae_status st = unknowns_jacobian(s);
    if (st && st != DAE_RETRY) return st;
    unknowns_measure(s);
    for (size_t i = 0; i < o->failed.row_count; i++) {
        const size_t row = (size_t)o->failed.rows[i];
        near[row] = unknowns_ratio(s, row) > 1;
    }
    uint8_t *suspect = ARENA_ARRAY(ar, uint8_t, s->slots);
    if (!suspect) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int count = unknowns_column(s, k, e);
        for (int w = 0; w < count; w++)
            for (int64_t p = e[w].begin; p < e[w].end; p++)
                if (near[(size_t)e[w].row[p] + e[w].offset] && entry_is_present(&e[w], p)) suspect[k] = 1;
    }
    uint8_t *reach = ARENA_ARRAY(ar, uint8_t, s->rows);
    uint8_t *touched = ARENA_ARRAY(ar, uint8_t, s->slots);
    if (!reach || !touched) return DAE_MEMORY;
    for (size_t i = 0; i < o->failed.row_count; i++) reach[o->failed.rows[i]] = 1;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (size_t k = 0; k < s->slots; k++) {
            entry_range e[2];
            bool is_any = false;
            const int count = unknowns_column(s, k, e);
            for (int pass = 0; pass < 2; pass++)
                for (int w = 0; w < count; w++)
                    for (int64_t p = e[w].begin; p < e[w].end; p++) {
                        const size_t i = (size_t)e[w].row[p] + e[w].offset;
                        if (!entry_is_present(&e[w], p)) continue;
                        if (pass == 0) { is_any = is_any || reach[i]; touched[k] |= reach[i]; }
                        else if (is_any && s->is_free[k] && !reach[i]) reach[i] = is_more = true;
                    }
        }
    }
    size_t reached = 0;
    for (size_t i = 0; i < s->rows; i++) reached += reach[i];
    if (reached > 300) return DAE_OK;
    /* members, in the order to leave them out: bounds, values and conditions last of all; no suspects first */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < s->slots; k++) {
            if (touched[k] && isfinite(q.low[k]) && suspect[k] == pass) q.of[q.count++] = (member){2, (int32_t)k, true};
            if (touched[k] && isfinite(q.high[k]) && suspect[k] == pass) q.of[q.count++] = (member){3, (int32_t)k, true};
        }
        for (size_t i = 0; i < s->rows; i++)
            if (near[i] == pass && reach[i]) q.of[q.count++] = (member){0, (int32_t)i, true};
        for (size_t k = 0; k < s->slots; k++)
            if (!q.is_free[k] && (k < s->states || s->request->layout->order[k - s->states] > 0)
                && suspect[k] == pass && touched[k])
                q.of[q.count++] = (member){1, (int32_t)k, true};
    }
    bool holds;
    if ((st = ask(&q, &holds))) goto out;
    if (holds) {
        *is_solved = true;
        memcpy(q.z1, s->z, s->slots * sizeof *q.z1);
        goto out;
    }
    /* halves, quarters, ..., single ones */
    for (size_t chunk = q.count; chunk >= 1; chunk /= 2) {
        for (size_t at = 0; at < q.count; at += chunk) {
            size_t in = 0;
            bool was[4096];
            const size_t to = at + chunk < q.count ? at + chunk : q.count;
            if (to - at > 4096) break;
            for (size_t i = at; i < to; i++) { was[i - at] = q.of[i].is_in; in += q.of[i].is_in; q.of[i].is_in = false; }
            if (!in) continue;
            if ((st = ask(&q, &holds))) goto out;
            if (holds) for (size_t i = at; i < to; i++) q.of[i].is_in = was[i - at];
        }
        if (chunk == 1) break;
    }
    *is_found = true;
    if (trace())
        for (size_t i = 0; i < q.count; i++) {
            if (!q.of[i].is_in || q.of[i].kind != 1) continue;
            bool kept[4096];
            for (size_t j = 0; j < q.count && j < 4096; j++) { kept[j] = q.of[j].is_in; q.of[j].is_in = j != i; }
            if ((st = ask(&q, &holds))) goto out;
            fprintf(stderr, "without value of slot %d all holds: %d\n", q.of[i].index, holds);
            for (size_t j = 0; j < q.count && j < 4096; j++) q.of[j].is_in = kept[j];
        }
out:
    memcpy(s->is_free, q.is_free, s->slots);
    memcpy(s->low, q.low, s->slots * sizeof *q.low);
    memcpy(s->high, q.high, s->slots * sizeof *q.high);
    memcpy(s->z, q.z1, s->slots * sizeof *q.z1);
    if (st) return st;
    for (size_t i = 0; i < q.count && *is_found; i++)
        if (q.of[i].is_in) {
            const member *m = &q.of[i];
            if (m->kind == 0) b->rows[b->row_count++] = m->index;
            if (m->kind == 1) b->slots[b->slot_count++] = m->index;
            if (m->kind >= 2) fences[b->fence_count++] = fence_of((size_t)m->index, m->kind == 3);
        }
    b->fences = fences;
    for (size_t i = 1; i < b->row_count; i++)
        for (size_t j = i; j > 0 && b->rows[j - 1] > b->rows[j]; j--) {
            const int32_t t = b->rows[j]; b->rows[j] = b->rows[j - 1]; b->rows[j - 1] = t;
        }
    for (size_t i = 1; i < b->slot_count; i++)
        for (size_t j = i; j > 0 && b->slots[j - 1] > b->slots[j]; j--) {
            const int32_t t = b->slots[j]; b->slots[j] = b->slots[j - 1]; b->slots[j - 1] = t;
        }
    if (!b->row_count) *is_found = false;
    if (*is_found && (st = is_plateau(s, b, is_found))) return st;
    if (trace()) fprintf(stderr, "filter: %d asked, %zu rows %zu values %zu bounds\n", q.asked, b->row_count, b->slot_count, b->fence_count);
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status start_new(search *a, bool *is_regular)
{
    init_system *s = &a->s;
    outcome o;
    blame b = {0};
    bool is_found = false;
    start_linear_zero = 0;
    dae_status st = solve_set(a, NULL, false, &o);
    *is_regular = false;
    if (st) return st;
    *is_regular = o.is_regular;
    a->is_open = a->is_uncertain = !o.is_regular;
    if (o.end == GN_SOLVED) return DAE_OK;
    if (s->request->is_brief) return DAE_NUMERIC;
    if (o.end == GN_NO_VALUE) return explain_no_value(s);
    if (s->request->findings) {
        start_linear_zero = 0;
        bool is_solved;
        if ((st = filter(a, &o, &b, &is_found, &is_solved))) return st;
        if (is_solved) return DAE_OK;
        if (is_found) return smallest_of_set(s, &b);
    }
    if (!o.failed.slot_count) return explain_checks(s, &o.failed);
    damped_result result = {.outcome = DAMPED_STALLED};
    return explain_no_start(s, &o.failed, &result);
}
