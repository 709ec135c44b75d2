/* After a solved start with conditions missing: least changes spread over all
 * that is free, so near guesses are held one by one, each solved again, as
 * long as that takes the place of a missing condition and moves nothing else.
 * */
#include "analysis/restore.h"
#include <math.h>
#include <string.h>

/* A value this near to its guess, as part of it, was meant to be the guess. */
static const double NEAR = 1e-6;
/* What follows from putting guesses back is as little. */
static const double FOLLOWS = 1e-4;
/* So many values are tried, each with the ranks of all equations. */
enum { TRIALS = 24, LARGEST = 300 };

typedef struct restoring {
    examination *x;
    size_t states;
    double *z;                 /* states: the solution so far */
    uint8_t *held;             /* states: given, or put back */
    size_t missing, redundant; /* with these held */
    double residual;
    bool has_changed;
} restoring;

static double guess_of(const restoring *r, size_t k)
{
    const dae_start *s = r->x->problem->start;
    return s && s->x ? s->x[k] : (double)NAN;
}

static bool is_near(const restoring *r, size_t k)
{
    const double guess = guess_of(r, k);
    const double most = guess != 0 ? NEAR * fabs(guess) : r->x->atol[k];
    return fabs(r->z[k] - guess) <= most;
}

static bool follows_closely(const restoring *r)
{
    for (size_t k = 0; k < r->states; k++) {
        const double moved = fabs(r->x->x[k] - r->z[k]);
        const double least = r->x->atol[k] / r->x->a->options.rtol;
        if (!(moved <= FOLLOWS * fmax(fabs(r->z[k]), least))) return false;
    }
    return true;
}

/* Held as well, slot k has to take one of the missing conditions' place. */
static dae_status try_slot(restoring *r, size_t k)
{
    examination *x = r->x;
    init_findings g = {.z = NULL};
    init_request q = examination_request(x);
    r->held[k] = 1;
    q.x_fixed = r->held;
    q.findings = &g;
    q.is_brief = true;
    memcpy(x->x, r->z, r->states * sizeof *r->z);
    x->x[k] = guess_of(r, k);
    const bool is_moved = x->x[k] != r->z[k];
    dae_status st = init_consistent(&q, x->x, x->xp, NULL, NULL);
    const bool is_kept = !st && g.is_by_rank && g.missing + 1 == r->missing
        && g.redundant_count == r->redundant
        && g.residual <= fmax(r->residual, 1e-3) && follows_closely(r);
    if (is_kept) {
        r->missing = g.missing;
        r->residual = g.residual;
        r->has_changed = r->has_changed || is_moved;
        memcpy(r->z, x->x, r->states * sizeof *r->z);
    } else {
        r->held[k] = 0;
    }
    init_findings_clear(&g);
    return st == DAE_INCONSISTENT || st == DAE_NUMERIC ? DAE_OK : st;
}

/* Those that are where they were guessed to be first, or they would move. */
static dae_status try_all(restoring *r, const init_findings *g)
{
    int trials = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < g->could_fix_count; c++) {
            const size_t k = (size_t)g->could_fix[c];
            if (k >= r->states || r->held[k] || !is_near(r, k)) continue;
            if (r->x->is_inner[k]) continue; /* it follows from others */
            if ((r->z[k] == guess_of(r, k)) != (pass == 0)) continue;
            if (r->missing == 0 || trials++ == TRIALS) return DAE_OK;
            const dae_status st = try_slot(r, k);
            if (st) return st;
        }
    }
    return DAE_OK;
}

static bool is_any_moved(const restoring *r, const init_findings *g)
{
    for (size_t c = 0; c < g->could_fix_count; c++) {
        const size_t k = (size_t)g->could_fix[c];
        if (k < r->states && r->z[k] != guess_of(r, k) && is_near(r, k))
            return true;
    }
    return false;
}

/* Only where all unknowns are states: the extended system. */
static bool is_asked(const examination *x)
{
    const init_findings *g = &x->a->last.findings;
    return x->e && x->slots <= 2 * LARGEST && g->z && g->is_by_rank
        && g->outcome == INIT_CONSISTENT && g->missing > 0;
}

dae_status start_restore(examination *x)
{
    analysis *a = x->a;
    init_findings *g = &a->last.findings;
    const size_t n = x->layout.states;
    restoring r = {.x = x,
        .states = n,
        .missing = g->missing,
        .redundant = g->redundant_count,
        .residual = g->residual};
    if (!is_asked(x)) return DAE_OK;
    r.z = ARENA_ARRAY(&a->memory, double, n);
    r.held = ARENA_ARRAY(&a->memory, uint8_t, n);
    if (!r.z || !r.held) return DAE_MEMORY;
    memcpy(r.z, g->z, n * sizeof *r.z);
    memcpy(r.held, x->x_fixed, n);
    if (!is_any_moved(&r, g)) return DAE_OK;
    const dae_status st = try_all(&r, g);
    if (st || !r.has_changed) return st;
    memcpy(g->z, r.z, n * sizeof *r.z);
    g->residual = r.residual;
    return DAE_OK;
}
