/* The two roots of a square lie on both sides of a guess that does not choose, 0 as
 * a rule, as for a speed that is known by its square: so the second search begins
 * with other signs, of all such values, of velocities, then of one value after
 * the other. What leads nowhere says nothing. */
#include "analysis/twin.h"
#include "linalg/naming.h"
#include <math.h>
#include <string.h>

/* Searches take the time of the first; a run asks, too. */
enum { SLOTS_MOST = 120, TRIALS = 4 };
/* Values differ by more than this part, and than so many tolerances. */
static const double APART = 1e-3, TOLERANCES = 10;
/* Distances from the guesses that differ by less are equal. */
static const double AS_NEAR = 1e-2;

typedef struct search_on {
    analysis *a;
    examination *x;
    const double *z; /* slots: the start */
    init_findings other;
    bool is_found;
} search_on;

static double guess_of(const search_on *w, size_t k)
{
    const dae_start *s = w->x->problem->start;
    const size_t states = w->x->layout.states;
    const double *from = k < states ? s->x : s->xp;
    const double v = !from ? 0 : from[k < states ? k : k - states];
    return isfinite(v) ? v : 0;
}

static double size_of(const search_on *w, size_t k)
{
    const dae_scales *s = w->a->problem->scales;
    const size_t j = (size_t)examination_slot(w->x, k).unknown;
    const bool is_known = s && s->nominal && s->nominal[j] > 0;
    return fmax(fabs(w->z[k]), is_known ? s->nominal[j] : 0);
}

static bool is_free(const search_on *w, size_t k)
{
    return examination_has(w->x, k) && !examination_is_given(w->x, k);
}

/* Whether the guess leaves the sign open, or has the other one. */
static bool has_side(const search_on *w, size_t k)
{
    return is_free(w, k) && w->z[k] != 0 && !(guess_of(w, k) * w->z[k] > 0);
}

/* What a search turns: all, odd derivatives, or one slot. */
enum { TURN_ALL = -1, TURN_ODD = -2 };

static bool is_turned(const search_on *w, size_t k, int which)
{
    if (!has_side(w, k)) return false;
    if (which == TURN_ODD) return examination_slot(w->x, k).order % 2 != 0;
    return which == TURN_ALL || (size_t)which == k;
}

static bool is_apart(const search_on *w, size_t k)
{
    const layout *l = &w->x->layout;
    const size_t state = k < l->states ? k : l->first[k - l->states + 1] - 1;
    const double least = fmax(
        APART * size_of(w, k), TOLERANCES * w->x->atol[state]);
    return fabs(w->other.z[k] - w->z[k]) > least;
}

/* Values that somebody may see and guess: those that the equations have. */
static bool is_shown(const search_on *w, size_t k)
{
    if (!is_free(w, k)) return false;
    const dae_slot s = examination_slot(w->x, k);
    const size_t j = (size_t)s.unknown;
    return is_visible(w->a->problem, j) && s.order <= w->a->layout.order[j];
}

/* The first in the order of derivatives, then of the text; x->slots: none. */
static size_t first_apart(const search_on *w)
{
    const dae_problem *p = w->a->problem;
    size_t best = w->x->slots;
    for (size_t k = 0; k < w->x->slots; k++) {
        if (!is_shown(w, k) || !is_apart(w, k)) continue;
        const dae_slot s = examination_slot(w->x, k);
        const dae_slot b = best < w->x->slots ? examination_slot(w->x, best)
                                              : s;
        const bool is_first = best == w->x->slots || s.order < b.order
            || (s.order == b.order
                && naming_position(p, DAE_NAME_UNKNOWN, (size_t)s.unknown)
                    < naming_position(p, DAE_NAME_UNKNOWN, (size_t)b.unknown));
        if (is_first) best = k;
    }
    return best;
}

/* From the start, some of it with the other sign. */
static dae_status search(search_on *w, int which)
{
    examination *x = w->x;
    const size_t states = x->layout.states;
    init_request q = examination_request(x);
    init_findings_clear(&w->other);
    q.findings = &w->other;
    q.is_brief = true;
    q.is_homotopy_first = false;
    for (size_t k = 0; k < x->slots; k++) {
        const double v = is_turned(w, k, which) ? -w->z[k] : w->z[k];
        if (is_free(w, k)) *(k < states ? &x->x[k] : &x->xp[k - states]) = v;
    }
    dae_status st = init_consistent(&q, x->x, x->xp, NULL, NULL);
    if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) return DAE_OK;
    const init_findings *g = &w->other;
    w->is_found = !st && g->outcome == INIT_CONSISTENT && g->z && g->is_by_rank
        && !g->missing && !g->singular_count && first_apart(w) < x->slots;
    return st;
}

static dae_status search_all(search_on *w)
{
    bool is_any = false;
    int trials = 0;
    for (size_t k = 0; k < w->x->slots; k++) is_any = is_any || has_side(w, k);
    if (!is_any) return DAE_OK;
    dae_status st = search(w, TURN_ALL);
    if (!st && !w->is_found) st = search(w, TURN_ODD);
    for (size_t k = 0; k < w->x->slots && !w->is_found && !st; k++) {
        if (!is_shown(w, k) || !has_side(w, k)) continue;
        if (examination_slot(w->x, k).order > 1) continue;
        if (trials++ == TRIALS) break;
        st = search(w, (int)k);
    }
    return st;
}

/* Squares, in sizes, of what can be guessed; `is_stated`: where a guess says
 * something. */
static double distance(const search_on *w, const double *z, bool is_stated)
{
    double sum = 0;
    for (size_t k = 0; k < w->x->slots; k++) {
        if (!is_shown(w, k) || w->x->is_inner[k]) continue;
        const double size = size_of(w, k), guess = guess_of(w, k);
        if (!(size > 0) || (is_stated && guess == 0)) continue;
        sum += (z[k] - guess) * (z[k] - guess) / (size * size);
    }
    return sum;
}

/* -1, 0, 1: the start is nearer than the other one, as near, farther. */
static int compare(const search_on *w, bool is_stated)
{
    const double own = distance(w, w->z, is_stated);
    const double other = distance(w, w->other.z, is_stated);
    if (fabs(own - other) <= AS_NEAR * fmax(own, other)) return 0;
    return own < other ? -1 : 1;
}

static void note(const search_on *w)
{
    const size_t k = first_apart(w);
    w->a->twin = (start_twin){.is_found = true,
        .slot = examination_slot(w->x, k),
        .guess = guess_of(w, k),
        .taken = w->z[k],
        .other = w->other.z[k],
        .compared = compare(w, false)};
}

static bool is_asked(const examination *x)
{
    const init_findings *g = &x->a->last.findings;
    return g->outcome == INIT_CONSISTENT && g->z && g->is_by_rank && !g->missing
        && !g->singular_count && !g->open_count && x->slots <= SLOTS_MOST
        && x->problem->start;
}

dae_status twin_choose(examination *x)
{
    init_findings *g = &x->a->last.findings;
    search_on w = {.a = x->a, .x = x, .z = g->z};
    x->a->twin = (start_twin){.is_found = false};
    if (!is_asked(x)) return DAE_OK;
    const dae_status st = search_all(&w);
    const int by_guesses = !st && w.is_found ? compare(&w, true) : -1;
    if (by_guesses == 0) note(&w);
    if (by_guesses > 0) {
        memcpy(g->z, w.other.z, x->slots * sizeof *g->z);
        g->residual = w.other.residual;
    }
    init_findings_clear(&w.other);
    examination_load(x);
    return st;
}
