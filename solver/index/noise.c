/* Used by signature.c only, for entries so small that they may be errors. Two
 * tests: errors change when the point is moved by next to nothing, and the
 * residual does not answer to a moved slot as an honest entry says. */
#include "index/noise.h"

#include <math.h>
#include <string.h>

/* Moving every slot by this part of its size changes an honest entry by about
 * as much, an error by all of itself. */
static const double NUDGE = 1e-9;
static const double CHANGED = 0.1;
/* Errors may be equal by chance, and are 0 often. */
enum { NUDGES = 6 };
/* What the residual may answer beside what the entry says. */
static const double ANSWER = 0.01;
/* Each costs two residuals: so many for small problems, fewer for large ones. */
static const double ASKED_MOST = 200, ASKED_UNKNOWNS = 4e6;

double noise_doubted(const sampler *s)
{
    return s->problem->jacobian ? 1e-9 : 1e-6;
}

typedef struct trial {
    sampler *s;
    const uint8_t *doubted;
    uint8_t *is_present;
    size_t entries;
    /* the point, and what was there */
    double t, *x, *xp, *res, *values;
    double *row_largest; /* n: entries */
    double *row_term;    /* n: entries times values */
} trial;

static void trial_clear(trial *w)
{
    const layout *l = w->s->layout;
    const dae_allocator *a = w->s->allocator;
    alloc_free(a, w->x, l->states, sizeof *w->x);
    alloc_free(a, w->xp, l->unknowns, sizeof *w->xp);
    alloc_free(a, w->res, l->unknowns, sizeof *w->res);
    alloc_free(a, w->row_largest, l->unknowns, sizeof *w->row_largest);
    alloc_free(a, w->row_term, l->unknowns, sizeof *w->row_term);
    alloc_free(a, w->values, w->entries, sizeof *w->values);
}

static void find_largest(trial *w)
{
    const layout *l = w->s->layout;
    const dae_pattern *pattern = sampler_pattern(w->s);
    for (size_t c = 0; c < l->states + l->unknowns; c++) {
        const double z = c < l->states ? w->x[c] : w->xp[c - l->states];
        const int64_t end = pattern->column_start[c + 1];
        for (int64_t k = pattern->column_start[c]; k < end; k++) {
            const size_t i = (size_t)pattern->row[k];
            const double size = fabs(w->values[k]);
            w->row_largest[i] = fmax(w->row_largest[i], size);
            w->row_term[i] = fmax(w->row_term[i], size * fabs(z));
        }
    }
}

static dae_status trial_init(trial *w)
{
    const sampler *s = w->s;
    const layout *l = s->layout;
    const dae_allocator *a = s->allocator;
    w->entries = sampler_entries(s);
    w->x = alloc_zeroed(a, l->states, sizeof *w->x);
    w->xp = alloc_zeroed(a, l->unknowns, sizeof *w->xp);
    w->res = alloc_zeroed(a, l->unknowns, sizeof *w->res);
    w->row_largest = alloc_zeroed(a, l->unknowns, sizeof *w->row_largest);
    w->values = alloc_zeroed(a, w->entries, sizeof *w->values);
    w->row_term = alloc_zeroed(a, l->unknowns, sizeof *w->row_term);
    if (!w->x || !w->xp || !w->res || !w->row_largest || !w->row_term
        || !w->values)
        return DAE_MEMORY;
    w->t = s->t;
    memcpy(w->x, s->x, l->states * sizeof *w->x);
    memcpy(w->xp, s->xp, l->unknowns * sizeof *w->xp);
    memcpy(w->res, s->res, l->unknowns * sizeof *w->res);
    memcpy(w->values, sampler_values(s), w->entries * sizeof *w->values);
    find_largest(w);
    return DAE_OK;
}

/* The first test, of all at once. */
static dae_status test_nudged(trial *w)
{
    for (unsigned k = 0; k < NUDGES; k++) {
        const dae_status st = sampler_evaluate_beside(
            w->s, w->t, w->x, w->xp, NUDGE, k);
        if (st == DAE_RETRY) continue;
        if (st) return st;
        const double *now = sampler_values(w->s);
        for (size_t p = 0; p < w->entries; p++) {
            const double a = w->values[p], b = now[p];
            if (w->doubted[p] && fabs(a - b) > CHANGED * fmax(fabs(a), fabs(b)))
                w->is_present[p] = 0;
        }
    }
    return DAE_OK;
}

/* What row i says when the slot is moved by `by`, less what it said. NaN: it
 * has no value there. */
static dae_status answer(
    trial *w, double *slot, double by, size_t i, double *change)
{
    const dae_problem *p = w->s->problem;
    const double from = *slot;
    *slot = from + by;
    const dae_status st = p->residual(
        p->self, w->t, w->s->x, w->s->xp, w->s->res);
    *slot = from;
    *change = (double)NAN;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    if (!is_overflow(w->s->res[i])) *change = w->s->res[i] - w->res[i];
    return DAE_OK;
}

/* The second, of an entry that is the same everywhere, so that its equation is
 * linear in the unknown: a move so large that the entry would count as much as
 * the others in its row. Sums that cancel exactly answer with errors of another
 * size each time. */
static dae_status test_answer(
    trial *w, size_t p, double *slot, double size, size_t i)
{
    static const double moves[] = {1.0, -1.37};
    const double c = w->values[p];
    const double alike = fmax(1, w->row_largest[i] / fabs(c)) * size;
    const double unit = fmax(alike, w->row_term[i] / fabs(c));
    bool is_honest = true, is_told = true;
    for (int k = 0; k < 2 && is_told; k++) {
        double change;
        const double by = moves[k] * unit;
        const dae_status st = answer(w, slot, by, i, &change);
        if (st) return st;
        is_told = isfinite(change) && isfinite(c * by);
        if (is_told && !(fabs(change - c * by) <= ANSWER * fabs(c * by)))
            is_honest = false;
    }
    if (is_told && !is_honest) w->is_present[p] = 0;
    return DAE_OK;
}

static dae_status test_answers(trial *w)
{
    sampler *s = w->s;
    const layout *l = s->layout;
    const dae_pattern *pattern = sampler_pattern(s);
    const double most = fmin(ASKED_MOST, ASKED_UNKNOWNS / (double)l->unknowns);
    double asked = 0;
    s->t = w->t;
    memcpy(s->x, w->x, l->states * sizeof *w->x);
    memcpy(s->xp, w->xp, l->unknowns * sizeof *w->xp);
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_top = o == l->order[j] && o > 0;
            const size_t c = is_top ? l->states + j : l->first[j] + o;
            const int64_t end = pattern->column_start[c + 1];
            for (int64_t k = pattern->column_start[c]; k < end; k++) {
                const size_t p = (size_t)k;
                if (!w->doubted[p] || !w->is_present[p]) continue;
                if (sampler_values(s)[p] != w->values[p]) continue;
                if (asked++ >= most) return DAE_OK;
                const dae_status st = test_answer(w, p, sampler_slot(s, j, o),
                    sampler_size(s, j, o), (size_t)pattern->row[p]);
                if (st) return st;
            }
        }
    }
    return DAE_OK;
}

dae_status noise_remove(sampler *s, const uint8_t *doubted, uint8_t *is_present)
{
    trial w = {.s = s, .doubted = doubted, .is_present = is_present};
    dae_status st = trial_init(&w);
    if (!st) st = test_nudged(&w);
    /* differences say no more than the residual itself */
    if (!st && s->problem->jacobian) st = test_answers(&w);
    trial_clear(&w);
    return st;
}
