/* GMRES [SS86], restarted, preconditioned from the left by incomplete factors
 * (linalg/incomplete.h), so that its residual is in the units of the solution: it is
 * measured in the weighted norm of the goal, and iterations end where what Newton's
 * method needs is reached. Vectors are in the order of the factors and times their
 * weights, so that the norm is the plain one. Sums have one order. The basis is in the
 * room that is lent, and beyond that allocated vector by vector as it is needed. */
#include "linalg/backend.h"
#include "linalg/incomplete.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* A cycle is as long as a solution usually needs at most; one that does not halve what
 * is left is the last, and so is the fifth. */
enum { CYCLE = 30, CYCLES = 5 };

/* Where a second cycle starts from, behind the basis. */
enum { SOLUTION = CYCLE + 1 };
/* Beside the basis. */
enum { VECTORS = 2 };

typedef struct gmres {
    linear_system s;
    incomplete factors;
    int level;                /* of their fill */
    double *basis[CYCLE + 2]; /* NULL: not needed yet; the first `lent` are */
    int lent;                 /* the caller's */
    double *weight;           /* n; the first of VECTORS in a row */
    double *room;             /* n */
    /* H as reduced by rotations: column k has k + 1 entries */
    double column[CYCLE][CYCLE + 1];
    double cosine[CYCLE], sine[CYCLE], rest[CYCLE + 1];
    double by;          /* what the last vector is yet to be multiplied with */
    int64_t iterations; /* since they were requested */
} gmres;

static void drop_basis(gmres *g)
{
    for (int k = 0; k <= SOLUTION; k++) {
        if (k >= g->lent)
            alloc_free(g->s.allocator, g->basis[k], g->s.n, sizeof(double));
        g->basis[k] = NULL;
    }
    g->lent = 0;
}

/* The next factorization makes them again, alike. */
static void gmres_release(void *state)
{
    gmres *g = state;
    alloc_free(g->s.allocator, g->weight, VECTORS * g->s.n, sizeof *g->weight);
    g->weight = NULL;
    drop_basis(g);
    incomplete_clear(&g->factors);
}

void gmres_lend(void *state, double *room)
{
    gmres *g = state;
    const size_t n = g->s.n, count = (size_t)g->s.column_start[n] / n;
    if (g->lent && g->basis[0] == room) return;
    drop_basis(g);
    for (; g->lent <= CYCLE && (size_t)g->lent < count; g->lent++)
        g->basis[g->lent] = room + (size_t)g->lent * n;
}

static void gmres_free(void *state)
{
    gmres *g = state;
    if (!g) return;
    gmres_release(g);
    alloc_free(g->s.allocator, g, 1, sizeof *g);
}

/* Hardly any memory: what it may replace is still there. */
static dae_status gmres_create(const linear_system *s, void **out)
{
    *out = NULL;
    const dae_status st = incomplete_check(s);
    if (st) return st;
    gmres *g = alloc_zeroed(s->allocator, 1, sizeof *g);
    if (!g) return DAE_MEMORY;
    g->s = *s;
    *out = g;
    return DAE_OK;
}

/* For the first factorization, and the next one after a release. */
static dae_status take_room(gmres *g)
{
    const size_t n = g->s.n;
    if (!g->weight)
        g->weight = alloc_zeroed(
            g->s.allocator, VECTORS * n, sizeof *g->weight);
    if (!g->weight) return DAE_MEMORY;
    g->room = g->weight + n;
    return g->factors.memory.allocator
        ? DAE_OK
        : incomplete_init(&g->factors, &g->s, g->level);
}

/* The level of fill to which factors go where they were too poor without. */
enum { LEVEL_MOST = 1 };

void gmres_values(const void *state, double *values)
{
    const incomplete *f = &((const gmres *)state)->factors;
    for (int32_t p = 0; p < f->matrix.start[f->n]; p++)
        values[f->from[p]] = f->matrix.value[p];
}

/* Factors with more fill of the same values, for good. DAE_NUMERIC: there are none. On
 * failure all is as before. */
static dae_status deepen(gmres *g)
{
    incomplete deeper;
    const size_t entries = (size_t)g->s.column_start[g->s.n];
    if (g->level == LEVEL_MOST) return DAE_NUMERIC;
    double *values = alloc_zeroed(g->s.allocator, entries, sizeof *values);
    if (!values) return DAE_MEMORY;
    gmres_values(g, values);
    dae_status st = incomplete_init(&deeper, &g->s, g->level + 1);
    const bool is_made = !st && incomplete_factor(&deeper, values, g->room);
    alloc_free(g->s.allocator, values, entries, sizeof *values);
    if (st) return st == DAE_LIMIT ? DAE_NUMERIC : st;
    if (!is_made) {
        incomplete_clear(&deeper);
        return DAE_NUMERIC;
    }
    incomplete_clear(&g->factors);
    g->factors = deeper;
    g->level++;
    return DAE_OK;
}

static dae_status gmres_factor(void *state, const double *values)
{
    gmres *g = state;
    const dae_status st = take_room(g);
    if (st) return st;
    return incomplete_factor(&g->factors, values, g->room) ? DAE_OK : deepen(g);
}

/* ---- vectors --------------------------------------------------------------------- */

enum { LANES = 8 };

/* What the lanes have of the product so far; only the last part may have a length that
 * LANES does not divide. */
static void add_products(const double *restrict a, const double *restrict b,
    size_t n, double *restrict sum)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) sum[l] += a[i + l] * b[i + l];
    for (; i < n; i++) sum[0] += a[i] * b[i];
}

static double sum_lanes(const double *sum)
{
    return ((sum[0] + sum[1]) + (sum[2] + sum[3]))
        + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum[LANES] = {0};
    add_products(a, b, n, sum);
    return sum_lanes(sum);
}

static void add(
    double factor, const double *restrict a, double *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) b[i] += factor * a[i];
}

/* Two passes in one go piece by piece, while each is in the cache. */
enum { PIECE = 128 * LANES };

/* b += factor a; its product with c then, which may be b. */
static double add_and_multiply(
    double factor, const double *a, double *b, const double *c, size_t n)
{
    double sum[LANES] = {0};
    for (size_t at = 0; at < n; at += PIECE) {
        const size_t count = n - at < PIECE ? n - at : PIECE;
        add(factor, a + at, b + at, count);
        add_products(c + at, b + at, count, sum);
    }
    return sum_lanes(sum);
}

static double length(const double *a, size_t n)
{
    return sqrt(dot(a, a, n));
}

static void multiply_each(
    const double *restrict by, double *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] *= by[i];
}

/* a *= by, each; its product with c then. */
static double weigh_and_multiply(
    const double *by, double *a, const double *c, size_t n)
{
    double sum[LANES] = {0};
    for (size_t at = 0; at < n; at += PIECE) {
        const size_t count = n - at < PIECE ? n - at : PIECE;
        multiply_each(by + at, a + at, count);
        add_products(c + at, a + at, count, sum);
    }
    return sum_lanes(sum);
}

/* ---- one cycle ------------------------------------------------------------------- */

/* x *= by; y = M^-1 A W^-1 x, which is yet to be weighed. */
static void apply(gmres *g, double by, double *restrict x, double *restrict y)
{
    const double *restrict weight = g->weight;
    double *restrict room = g->room;
    for (size_t i = 0; i < g->s.n; i++) {
        x[i] *= by;
        room[i] = x[i] / weight[i];
    }
    incomplete_apply(&g->factors, room, y);
}

static bool take_vector(gmres *g, int k)
{
    if (!g->basis[k])
        g->basis[k] = alloc_zeroed(g->s.allocator, g->s.n, sizeof *g->basis[k]);
    return g->basis[k] != NULL;
}

/* Makes basis[k + 1] of basis[k], and column k of H; returns what remains of the
 * residual. */
static double extend(gmres *g, int k)
{
    const size_t n = g->s.n;
    double *h = g->column[k], *next = g->basis[k + 1];
    apply(g, g->by, g->basis[k], next);
    double product = weigh_and_multiply(g->weight, next, g->basis[0], n);
    for (int i = 0; i <= k; i++) {
        h[i] = product;
        product = add_and_multiply(
            -h[i], g->basis[i], next, i < k ? g->basis[i + 1] : next, n);
    }
    const double below = sqrt(product);
    for (int i = 0; i < k; i++) {
        const double upper = h[i], lower = h[i + 1];
        h[i] = g->cosine[i] * upper + g->sine[i] * lower;
        h[i + 1] = g->cosine[i] * lower - g->sine[i] * upper;
    }
    const double whole = hypot(h[k], below);
    g->cosine[k] = whole > 0 ? h[k] / whole : 1;
    g->sine[k] = whole > 0 ? below / whole : 0;
    h[k] = whole;
    g->rest[k + 1] = -g->sine[k] * g->rest[k];
    g->rest[k] *= g->cosine[k];
    g->by = below > 0 ? 1 / below : 1;
    g->iterations++;
    return fabs(g->rest[k + 1]);
}

/* to += basis y, with H y = rest. */
static void take_over(gmres *g, int count, double *to)
{
    double *y = g->rest;
    for (int i = count; i-- > 0;) {
        for (int j = i + 1; j < count; j++) y[i] -= g->column[j][i] * y[j];
        y[i] /= g->column[i][i];
    }
    for (int i = 0; i < count; i++) add(y[i], g->basis[i], to, g->s.n);
}

/* From the residual in basis[0], of length `*left`, down to `goal`; `*count` is the length
 * of the cycle. */
static dae_status run_cycle(gmres *g, double goal, double *left, int *count)
{
    int k = 0;
    g->by = 1 / *left;
    g->rest[0] = *left;
    while (k<CYCLE && * left> goal) {
        if (!take_vector(g, k + 1)) return DAE_MEMORY;
        *left = extend(g, k);
        if (!(g->column[k][k] > 0) || !isfinite(*left)) return DAE_NUMERIC;
        k++;
    }
    *count = k;
    return DAE_OK;
}

/* The right-hand side, preconditioned and weighted. */
static void load_side(gmres *g, const double *b, double *to)
{
    const int32_t *old = g->factors.old;
    for (size_t i = 0; i < g->s.n; i++) to[i] = b[old[i]];
    incomplete_solve(&g->factors, to);
    multiply_each(g->weight, to, g->s.n);
}

static dae_status find_residual(gmres *g, const double *b, double *left)
{
    const size_t n = g->s.n;
    double *v = g->basis[0], *side = g->basis[1];
    apply(g, 1, g->basis[SOLUTION], v);
    multiply_each(g->weight, v, n);
    load_side(g, b, side);
    for (size_t i = 0; i < n; i++) v[i] = side[i] - v[i];
    *left = length(v, n);
    return isfinite(*left) ? DAE_OK : DAE_NUMERIC;
}

/* From the side in basis[0], of length `left`, to the solution, in the room. DAE_NUMERIC: it
 * cannot be done, or takes too long; below `fine` what does not get less is rounding. */
static dae_status iterate(
    gmres *g, const double *b, double left, double goal, double fine)
{
    const size_t size = g->s.n * sizeof *g->room;
    for (int c = 0;; c++) {
        const double before = left;
        int count = 0;
        const dae_status st = run_cycle(g, goal, &left, &count);
        if (st) return st;
        if (c == 0) memset(g->room, 0, size);
        else memcpy(g->room, g->basis[SOLUTION], size);
        take_over(g, count, g->room);
        if (left <= goal) return DAE_OK;
        if (!(left <= HALVED * before))
            return left <= fine ? DAE_OK : DAE_NUMERIC;
        if (!take_vector(g, SOLUTION)) return DAE_MEMORY;
        memcpy(g->basis[SOLUTION], g->room, size);
        if (find_residual(g, b, &left)) return DAE_NUMERIC;
        if (left > goal && c + 1 < CYCLES) continue;
        memcpy(g->room, g->basis[SOLUTION], size);
        return left <= fine ? DAE_OK : DAE_NUMERIC;
    }
}

/* ---- a solution ------------------------------------------------------------------ */

/* Into basis[0]; the length. */
static double load(gmres *g, const double *b, const linear_goal *goal)
{
    const size_t n = g->s.n;
    const int32_t *old = g->factors.old;
    for (size_t i = 0; i < n; i++)
        g->weight[i] = goal ? goal->weights[old[i]] : 1;
    load_side(g, b, g->basis[0]);
    return length(g->basis[0], n);
}

static void store(const gmres *g, const double *x, double *b)
{
    for (size_t i = 0; i < g->s.n; i++)
        b[g->factors.old[i]] = x[i] / g->weight[i];
}

static bool is_finite(const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(b[i])) return false;
    return true;
}

static dae_status solve(gmres *g, double *b, const linear_goal *goal)
{
    const double first = load(g, b, goal);
    if (!isfinite(first)) {
        if (is_finite(b, g->s.n)) return DAE_NUMERIC;
        store(g, g->basis[0], b);
        return DAE_OK;
    }
    const double enough = goal ? fmax(goal->enough, goal->part * first)
                               : EXACT_SOLUTION * first;
    if (first <= enough) {
        store(g, g->basis[0], b);
        return DAE_OK;
    }
    const double fine = goal ? enough : HALF_DIGITS * first;
    const dae_status st = iterate(g, b, first, enough, fine);
    if (!st) store(g, g->room, b);
    return st;
}

/* b is left alone on failure. A side that is not finite has no finite solution, which
 * is the caller's to see. */
static dae_status gmres_solve_within(
    void *state, double *b, const linear_goal *goal)
{
    gmres *g = state;
    if (!take_vector(g, 0)) return DAE_MEMORY;
    dae_status st = solve(g, b, goal);
    if (st == DAE_NUMERIC && !(st = deepen(g))) st = solve(g, b, goal);
    return st;
}

static dae_status gmres_solve(void *state, double *b)
{
    return gmres_solve_within(state, b, NULL);
}

static int64_t gmres_fill(const void *state)
{
    const gmres *g = state;
    return g->factors.memory.allocator ? incomplete_fill(&g->factors) : 0;
}

/* Incomplete factors tell nothing about the matrix; that they have no pivot of 0 is
 * all that is asked. */
static double gmres_rcond(const void *state)
{
    (void)state;
    return 1;
}

int64_t gmres_take_iterations(void *state)
{
    gmres *g = state;
    const int64_t count = g->iterations;
    g->iterations = 0;
    return count;
}

const linear_backend gmres_backend = {"gmres", DAE_LINEAR_GMRES, gmres_create,
    gmres_free, gmres_factor, gmres_release, gmres_solve, gmres_fill,
    gmres_rcond, NULL, gmres_solve_within};
