/* The second stage of an analysis, after the offsets of the structure. A block is
 * certified by one generic point where it is regular; it is singular only if it
 * is so at several, and is then repaired (repair/). The start is examined, too,
 * with points near it. */
#include "index/block_regularity.h"
#include "index/generic_points.h"
#include "index/system_jacobian.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/ranks.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { POINTS = 3, ASK_EVERY = 4096 };

/* "Beside" a point is at a distance of SHORT_SHARE. If a block is regular beside
 * a point only, its last pivot at the point is smaller by a digit or more. */

typedef struct tally {
    int32_t rank;              /* the largest */
    uint8_t seen, singular;    /* points */
    bool is_regular, is_mixed; /* ranks differ */
} tally;

typedef struct certifier {
    const blocks_request *q;
    sampler *s;
    bundle b;
    tally *tallies; /* fine_count */
    double error;   /* of entries that vary, at the sampler's point */
    size_t asked;
} certifier;

static void certifier_clear(certifier *w)
{
    bundle_clear(&w->b);
    sampler_free(w->s);
}

static dae_status certifier_init(certifier *w, const blocks_request *q)
{
    *w = (certifier){.q = q, .error = VALUES_ERROR};
    dae_status st = bundle_init(&w->b, q, false);
    if (!st) st = sampler_create(q->problem, q->layout, q->allocator, &w->s);
    if (st) return st;
    w->tallies = ARENA_ARRAY(&w->b.memory, tally, q->structure->fine_count);
    return w->tallies ? DAE_OK : DAE_MEMORY;
}

static dae_status ask(certifier *w, size_t size)
{
    const blocks_request *q = w->q;
    w->asked += size;
    if (w->asked < ASK_EVERY) return DAE_OK;
    w->asked = 0;
    return q->interrupt && q->interrupt(q->interrupt_context) ? DAE_INTERRUPTED
                                                              : DAE_OK;
}

/* ---- at one point ------------------------------------------------------------------- */

/* The least pivot of a regular block of size n. If no entry depends on the point, a
 * pivot far above rounding is enough. */
static double regular_from(const certifier *w, size_t n)
{
    return fmax(
        w->s->varies ? w->error : 0, TWO_DIGITS * ranks_zero(n, w->s->noise));
}

static dae_status find_pivots(bundle *b, const matrix_view *a)
{
    return ranks_pivots(a, b->r, b->c, &b->memory, b->pivot);
}

/* A matrix scaled by w->b.r and c. */
static dae_status judge(
    certifier *w, const matrix_view *a, ranks_verdict *found, int32_t *rank)
{
    const size_t n = a->rows;
    dae_status st;
    if (n > BLOCKS_RANK_SMALL) {
        double rcond;
        if ((st = bundle_condition(&w->b, a, &rcond))) return st;
        *found = rcond >= regular_from(w, n) ? RANKS_REGULAR : RANKS_DOUBTFUL;
        *rank = (int32_t)n;
        if (*found == RANKS_REGULAR || n > BLOCKS_RANK_LARGEST) return DAE_OK;
    }
    if ((st = find_pivots(&w->b, a))) return st;
    size_t above;
    *found = ranks_judge(
        w->b.pivot, n, ranks_zero(n, w->s->noise), regular_from(w, n), &above);
    *rank = (int32_t)above;
    return DAE_OK;
}

static dae_status judge_block(certifier *w, size_t block, const double *values,
    ranks_verdict *found, int32_t *rank)
{
    bundle *b = &w->b;
    if (bundle_size(b, block) == 1) {
        *rank = values[bundle_single(b, block)] != 0;
        *found = *rank ? RANKS_REGULAR : RANKS_SINGULAR;
        return DAE_OK;
    }
    const matrix_view a = bundle_load(b, block, values);
    scale_equilibrate(&a, b->r, b->c, b->work);
    return judge(w, &a, found, rank);
}

/* ---- generic points ----------------------------------------------------------------- */

/* Whether an entry of the block, which was judged last, may be 0 by underflow: then the
 * point does not show that the block is singular. */
static bool has_underflow(
    const certifier *w, size_t block, const double *values)
{
    const bundle *b = &w->b;
    const size_t n = bundle_size(b, block);
    if (!w->s->has_underflow) return false;
    if (n == 1) return values[bundle_single(b, block)] == 0;
    for (int64_t p = 0; p < b->column_start[n]; p++)
        if (b->values[p] == 0) return true;
    return false;
}

static void count_in(tally *t, ranks_verdict found, int32_t rank)
{
    assert(rank >= 0 && t->singular <= t->seen);
    if (t->seen && rank != t->rank) t->is_mixed = true;
    if (rank > t->rank) t->rank = rank;
    t->seen++;
    if (found == RANKS_SINGULAR) t->singular++;
    if (found == RANKS_REGULAR) t->is_regular = true;
}

/* Judges the blocks not certified yet, at the sampler's point. */
static dae_status judge_rest(certifier *w, bool *is_done)
{
    const double *values = sampler_values(w->s);
    *is_done = true;
    for (size_t f = 0; f < w->q->structure->fine_count; f++) {
        ranks_verdict found;
        int32_t rank;
        tally *t = &w->tallies[f];
        if (t->is_regular) continue;
        dae_status st = ask(w, bundle_size(&w->b, f));
        if (!st) st = judge_block(w, f, values, &found, &rank);
        if (st) return st;
        if (found == RANKS_SINGULAR && has_underflow(w, f, values))
            *is_done = false;
        else count_in(t, found, rank);
        if (!t->is_regular) *is_done = false;
    }
    return DAE_OK;
}

static dae_certificate verdict_of(const certifier *w, const tally *t)
{
    if (t->is_regular) return DAE_CERTIFIED;
    const int needed = w->s->varies ? 2 : 1;
    return t->seen >= needed && t->singular == t->seen && !t->is_mixed
        ? DAE_SINGULAR
        : DAE_NOT_CERTIFIED;
}

/* A block that is singular near the guesses may be so only there: one regular point
 * anywhere certifies it, and singular points elsewhere are ignored. The error is
 * larger, since products of two values of 10^4 that cancel leave 10^8 roundings. */
static dae_status look_elsewhere(certifier *w)
{
    const size_t count = w->q->structure->fine_count;
    dae_status st = DAE_OK;
    bool is_done = false;
    if (!w->s->varies) return DAE_OK;
    tally *kept = ARENA_ARRAY(&w->b.memory, tally, count);
    if (!kept) return DAE_MEMORY;
    memcpy(kept, w->tallies, count * sizeof *kept);
    w->error = START_RTOL;
    for (unsigned k = POINTS_ELSEWHERE;
         k < POINTS_ELSEWHERE_END && !is_done && !st; k++) {
        st = points_sample(w->s, k);
        if (!st) st = judge_rest(w, &is_done);
        if (st == DAE_RETRY) st = DAE_OK;
        for (size_t f = 0; f < count; f++)
            if (!w->tallies[f].is_regular) w->tallies[f] = kept[f];
    }
    return st;
}

/* The signature has been at the first. */
static dae_status visit_point(certifier *w, unsigned number)
{
    const signature *known = w->q->signature;
    return number == 0 && known->x
        ? sampler_evaluate_at(w->s, known->t, known->x, known->xp)
        : points_sample(w->s, number);
}

static dae_status visit_points(certifier *w)
{
    const unsigned points = w->s->varies ? POINTS : 1;
    bool is_done = false;
    for (unsigned k = 0; k < points && !is_done; k++) {
        dae_status st = ask(w, ASK_EVERY);
        if (!st) st = visit_point(w, k);
        if (!st) st = judge_rest(w, &is_done);
        if (st && st != DAE_RETRY) return st;
    }
    return is_done ? DAE_OK : look_elsewhere(w);
}

dae_status blocks_certify(
    const blocks_request *q, dae_certificate *certificates, int64_t *rank)
{
    certifier w;
    dae_status st = certifier_init(&w, q);
    if (!st) st = visit_points(&w);
    for (size_t f = 0; !st && f < q->structure->fine_count; f++) {
        const tally *t = &w.tallies[f];
        certificates[f] = verdict_of(&w, t);
        if (rank) rank[f] = t->seen ? t->rank : (int64_t)bundle_size(&w.b, f);
    }
    certifier_clear(&w);
    return st;
}

/* ---- at a point, and beside it -------------------------------------------------------- */

/* Values of the blocks' entries at the point and at two beside it. */
typedef struct neighbours {
    double *here, *beside[2];
    double *error; /* n: of each row at the point, with its rounding */
    double
        *share; /* n: the largest error of a value in the row, of its distance
                      at the points beside */
    bool has[2];
} neighbours;

static dae_status keep(certifier *w, double **out)
{
    const size_t entries = sampler_entries(w->s);
    *out = ARENA_ARRAY(&w->b.memory, double, entries);
    if (!*out) return DAE_MEMORY;
    memcpy(*out, sampler_values(w->s), entries * sizeof **out);
    return DAE_OK;
}

/* The residual of each row at the sampler's point, plus its rounding, and errors of the
 * values in it. */
static dae_status find_errors(certifier *w, neighbours *v)
{
    const sampler *s = w->s;
    const layout *l = s->layout;
    const dae_pattern *p = sampler_pattern(s);
    v->error = ARENA_ARRAY(&w->b.memory, double, l->unknowns);
    v->share = ARENA_ARRAY(&w->b.memory, double, l->unknowns);
    if (!v->error || !v->share) return DAE_MEMORY;
    for (size_t i = 0; i < l->unknowns; i++) v->error[i] = fabs(s->res[i]);
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t c = layout_column(l, j, o);
            const double z = c < l->states ? s->x[c] : s->xp[c - l->states];
            const double size = sampler_size(s, j, o);
            const double share = DIGIT
                * (VALUES_ERROR * fabs(z) + NEGLIGIBLE * START_ATOL)
                / (SHORT_SHARE * fmax(size, fabs(z)));
            for (int64_t k = p->column_start[c]; k < p->column_start[c + 1];
                 k++) {
                const int32_t i = p->row[k];
                v->error[i] += s->noise * fabs(v->here[k] * z);
                v->share[i] = fmax(v->share[i], share);
            }
        }
    return DAE_OK;
}

/* DAE_RETRY: there are no values at the point. */
static dae_status neighbours_init(
    neighbours *v, certifier *w, double t, const double *x, const double *xp)
{
    dae_status st = sampler_evaluate_at(w->s, t, x, xp);
    if (!st) st = keep(w, &v->here);
    if (!st) st = find_errors(w, v);
    for (unsigned k = 0; !st && w->s->varies && k < 2; k++) {
        /* at the boundary of a domain only one side has values */
        st = sampler_evaluate_beside(w->s, t, x, xp, SHORT_SHARE, k);
        if (st == DAE_RETRY)
            st = sampler_evaluate_beside(w->s, t, x, xp, -SHORT_SHARE, k);
        v->has[k] = !st;
        if (!st) st = keep(w, &v->beside[k]);
        if (st == DAE_RETRY) st = DAE_OK;
    }
    return st;
}

/* *last: the last pivot (or condition) beside the point, 0 if that may be rounding or
 * an error of values; keeps the scales in w->b. */
static dae_status measure_beside(
    certifier *w, size_t block, const double *values, double *last)
{
    bundle *b = &w->b;
    dae_status st;
    const matrix_view a = bundle_load(b, block, values);
    scale_equilibrate(&a, b->r, b->c, b->work);
    if (a.rows > BLOCKS_RANK_SMALL) {
        st = bundle_condition(b, &a, last);
    } else {
        st = find_pivots(b, &a);
        *last = b->pivot[a.rows - 1];
    }
    if (*last < regular_from(w, a.rows)) *last = 0;
    return st;
}

/* The rank at the point of a block that is `last` regular beside it. */
static dae_status rank_here(
    certifier *w, size_t block, const neighbours *v, double last, int32_t *rank)
{
    bundle *b = &w->b;
    const matrix_view a = bundle_load(b, block, v->here);
    const size_t n = a.rows;
    dae_status st = DAE_OK;
    *rank = (int32_t)n;
    if (n > BLOCKS_RANK_SMALL) {
        double rcond;
        if ((st = bundle_condition(b, &a, &rcond))) return st;
        if (rcond > DIGIT * last) return DAE_OK;
        /* at least one is lost; the number is found for smaller blocks only */
        *rank = (int32_t)n - 1;
        if (n > BLOCKS_RANK_LARGEST) return DAE_OK;
    }
    if ((st = find_pivots(b, &a))) return st;
    const int32_t found = (int32_t)ranks_above(b->pivot, n, DIGIT * last);
    *rank = n > BLOCKS_RANK_SMALL && found > *rank ? *rank : found;
    return DAE_OK;
}

/* The largest change of an entry to the points beside. */
static double change_beside(const neighbours *v, int64_t entry)
{
    double most = 0;
    for (int k = 0; k < 2; k++)
        if (v->has[k])
            most = fmax(most, fabs(v->beside[k][entry] - v->here[entry]));
    return most;
}

/* What changes of the unknowns by `part` of the distance beside make of the rows of the
 * scaled block, to `bound`. */
static void bound_changes(const certifier *w, size_t block, const neighbours *v,
    double part, double *bound)
{
    const bundle *b = &w->b;
    const size_t n = bundle_size(b, block);
    const int64_t from = b->start[b->blocks[block].begin];
    for (size_t i = 0; i < n; i++) bound[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (int64_t p = b->column_start[j]; p < b->column_start[j + 1]; p++)
            bound[b->row[p]] += b->r[b->row[p]] * b->c[j] * part
                * change_beside(v, b->cells[from + p].entry);
}

/* Errors of the block's unknowns, |A^-1| (|residual| + rounding), as a part of the
 * distance of the points beside, and those of others in its rows. */
static dae_status error_part(certifier *w, size_t block, const neighbours *v,
    rrqr *f, double *bound, double *part)
{
    const dae_structure *s = w->q->structure;
    const size_t n = bundle_size(&w->b, block),
                 at = (size_t)s->fine[block].begin;
    double *error = ARENA_ARRAY(&w->b.memory, double, n);
    if (!error) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++)
        bound[i] = w->b.r[i] * v->error[s->row_at[at + i]];
    const dae_status st = rrqr_forward_error(f, &w->b.memory, bound, error);
    *part = 0;
    for (size_t i = 0; i < n; i++)
        *part = fmax(*part, v->share[s->row_at[at + i]]);
    for (size_t k = 0; k < n && !st; k++) {
        const size_t j = (size_t)s->column_at[at + k];
        const size_t order = (size_t)(s->d[j] - s->c[s->matching.row_of[j]]);
        const double z = fabs(*sampler_slot(w->s, j, order));
        const double size = fmax(sampler_size(w->s, j, order), z);
        *part = fmax(*part, w->b.c[k] * error[k] / (SHORT_SHARE * size));
    }
    return st;
}

/* Entries may be small compared with nearby values and yet the block regular: a small
 * current in v = r i + s i^2, concentrations of 1e-7 without a nominal size, x near 1 in
 * (x - 1)^2 = e. It is if no change E of it by the errors of the unknowns, at the rate
 * at which entries change near the point, can make it singular: |A^-1| |E| < 1, to a
 * digit. */
static dae_status withstand_errors(
    certifier *w, size_t block, const neighbours *v, bool *is_regular)
{
    bundle *b = &w->b;
    const size_t n = bundle_size(b, block);
    const arena_position mark = arena_mark(&b->memory);
    rrqr f;
    double part;
    double *bound = ARENA_ARRAY(&b->memory, double, n);
    double *error = ARENA_ARRAY(&b->memory, double, n);
    *is_regular = false;
    if (!bound || !error || !rrqr_init(&f, &b->memory, n, n)) return DAE_MEMORY;
    const matrix_view a = bundle_load(b, block, v->here);
    scale_rows(&a, NULL, b->r); /* exp(-274) is to count as nothing */
    scale_columns(&a, b->r, b->c);
    scale_to_dense(&a, b->r, b->c, f.a);
    const double zero = ranks_zero(n, w->s->noise);
    rrqr_factor_scaled(&f, zero);
    rrqr_complete(&f);
    dae_status st = DAE_OK;
    const bool is_clear = f.rank == n && f.least >= TWO_DIGITS * zero;
    if (is_clear) st = error_part(w, block, v, &f, bound, &part);
    if (is_clear && !st) {
        bound_changes(w, block, v, part, bound);
        st = rrqr_forward_error(&f, &b->memory, bound, error);
        *is_regular = !st;
        for (size_t k = 0; k < n; k++)
            if (!(error[k] <= DIGIT)) *is_regular = false;
    }
    arena_release(&b->memory, mark);
    return st;
}

/* A large block may be ill-conditioned because of its size, as that of a straight
 * chain of links, and less so beside the point, where the chain is bent. It is regular
 * if one factorization, with the scales found beside the point, gives a reciprocal
 * condition above the error of values at a double root (if the block is too large for
 * a count of its rank: above that of other values), or if even one factorization
 * takes too much work. */
static dae_status is_plainly_regular(
    certifier *w, size_t block, const neighbours *v, bool *is_regular)
{
    bundle *b = &w->b;
    const size_t n = bundle_size(b, block);
    const double least = n > BLOCKS_RANK_LARGEST ? VALUES_ERROR : START_RTOL;
    const int k = v->has[0] ? 0 : 1;
    double rcond;
    *is_regular = false;
    assert(n > BLOCKS_RANK_SMALL);
    if (!v->has[k]) return DAE_OK;
    matrix_view a = bundle_load(b, block, v->beside[k]);
    scale_equilibrate(&a, b->r, b->c, b->work);
    a = bundle_load(b, block, v->here);
    const dae_status st = bundle_condition(b, &a, &rcond);
    *is_regular = !st
        && !(rcond < fmax(least, TWO_DIGITS * ranks_zero(n, w->s->noise)));
    return st;
}

/* The rank at the point, by comparison with points beside it. If the block is singular
 * there, too: by its pivots at the point alone, and less than full if there were values
 * beside it or the pivots are in doubt. */
static dae_status compare_block(
    certifier *w, size_t block, const neighbours *v, int32_t *rank)
{
    double last[2] = {0, 0};
    dae_status st = DAE_OK;
    ranks_verdict found = RANKS_DOUBTFUL;
    bool is_regular;
    *rank = (int32_t)bundle_size(&w->b, block);
    if (bundle_size(&w->b, block) <= BLOCKS_RANK_SMALL)
        st = withstand_errors(w, block, v, &is_regular);
    else st = is_plainly_regular(w, block, v, &is_regular);
    if (st || is_regular) return st;
    for (int k = 0; k < 2; k++) {
        if (!v->has[k]) continue;
        st = measure_beside(w, block, v->beside[k], &last[k]);
        if (st) return st;
    }
    const int best = last[1] > last[0];
    if (last[best] == 0) {
        const bool has_some = v->has[0] || v->has[1];
        st = judge_block(w, block, v->here, &found, rank);
        const int32_t below = (int32_t)bundle_size(&w->b, block) - 1;
        if ((has_some || found == RANKS_DOUBTFUL) && *rank > below)
            *rank = below;
        return st;
    }
    /* recomputes the scales at the better point */
    if (best == 0 && v->has[1])
        st = measure_beside(w, block, v->beside[0], &last[0]);
    return st ? st : rank_here(w, block, v, last[best], rank);
}

static dae_status decide(certifier *w, size_t block, const neighbours *v,
    dae_certificate *certificate, int64_t *rank)
{
    int32_t here;
    const int32_t n = (int32_t)bundle_size(&w->b, block);
    dae_status st = ask(w, (size_t)n);
    if (!st && !w->s->varies && *certificate == DAE_CERTIFIED) {
        if (rank) *rank = n;
        return DAE_OK; /* the same at every point */
    }
    if (!st) st = compare_block(w, block, v, &here);
    if (st) return st;
    if (rank) *rank = here;
    if (here < n && *certificate == DAE_CERTIFIED)
        *certificate = DAE_SINGULAR_HERE;
    if (here == n && *certificate == DAE_NOT_CERTIFIED)
        *certificate = DAE_CERTIFIED;
    return DAE_OK;
}

dae_status blocks_certify_at(const blocks_request *q, double t, const double *x,
    const double *xp, dae_certificate *certificates, int64_t *rank)
{
    certifier w;
    neighbours v = {0};
    dae_status st = certifier_init(&w, q);
    if (!st) st = neighbours_init(&v, &w, t, x, xp);
    for (size_t f = 0; !st && f < q->structure->fine_count; f++)
        st = decide(&w, f, &v, &certificates[f], rank ? &rank[f] : NULL);
    certifier_clear(&w);
    return st == DAE_RETRY ? DAE_OK : st;
}
