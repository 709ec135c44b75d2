/* The mode of a start. With switches free a start is judged on the branches that the text
 * has at the guesses, of which no derivative exists at their thresholds. Where that comes
 * to nothing, or leaves the start singular, the modes are analysed one by one, each with
 * its switches held, until one is consistent: it has a start, and every switch is on its
 * side there or moves to it. */
#include "analysis/analysis.h"
#include "base/modes.h"
#include "base/region.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct start_modes {
    const analysis *first; /* with switches free */
    const dae_problem *problem;
    const dae_events *events;
    arena memory;
    modes of;
    size_t count, *index; /* of the switches that may change side */
    double *sides; /* switch_count: the mode at hand; NaN: has no value */
    double *held;  /* of the problem's events */
    double *x, *xp, *g, *beside, *noise;
    const dae_allocator *from;
    modes_outcome *tried;
    analysis *open;   /* the first whose switches are not all determined */
    bool is_thorough; /* by all that a start is looked for with */
} start_modes;

typedef enum mode_verdict {
    MODE_VIOLATED,
    MODE_OPEN,
    MODE_CONSISTENT
} mode_verdict;

/* Derivatives beyond those of the start by which a switch leaves its threshold: of an
 * acceleration that is 0, as where a block is about to lift off, the first. */
enum { FURTHER = 2 };
/* So many modes, which come to nothing, are tried once more with homotopy. */
enum { MODES_THOROUGH = 16 };

/* ---- whether there is anything to look for ---------------------------------------- */

static bool has_free_switch(const dae_problem *p)
{
    const dae_events *e = p->events;
    if (!e || !e->held || !e->roots || !e->root_series) return false;
    for (size_t k = 0; k < e->switch_count; k++)
        if (!isnan(e->held[e->discrete_count + k])) return false;
    return e->switch_count > 0;
}

/* A signal that is prescribed has no such derivative in any mode. */
static bool is_limited_by_time(const analysis *a)
{
    const uint8_t *limit = a->problem->smoothness_timed;
    for (size_t i = 0; limit && i < a->problem->unknown_count; i++)
        if (limit[i] != DAE_SMOOTH && a->plan.times[i] > limit[i]) return true;
    return false;
}

/* There is no regular start, and the branches may be the reason. */
static bool is_start_open(const analysis *a)
{
    const dae_start_verdict v = a->found.start.verdict;
    if (a->plan.kink_count > 0) return !is_limited_by_time(a);
    if (v == DAE_START_INCONSISTENT || v == DAE_START_UNSOLVED) return true;
    return a->is_consistent
        && (a->found.certificate == DAE_SINGULAR_HERE
            || a->found.start.onward == DAE_ONWARD_OPEN);
}

bool start_mode_may_differ(const analysis *a)
{
    return !a->options.skip_start && a->problem->start
        && has_free_switch(a->problem)
        && (a->is_consistent || is_start_open(a));
}

/* ---- sides at a point --------------------------------------------------------------- */

/* What the tolerance of a slot is there, to this side or that. */
static double tolerance_of(
    const start_modes *s, double value, size_t slot, unsigned turn)
{
    const dae_analysis_options *o = &s->first->options;
    const double off = o->rtol * fabs(value) + o->atol;
    return (slot * 7 + turn * 3) % 5 < 2 ? -off : off;
}

/* Root functions at x and xp, and what tolerances of these make of them. DAE_RETRY:
 * there are none. */
static dae_status see(start_modes *s, const double *x, const double *xp)
{
    const size_t states = s->first->layout.states;
    const size_t n = s->problem->unknown_count, count = s->events->switch_count;
    void *self = s->problem->self;
    const double t = s->first->t0;
    dae_status st = s->events->roots(self, t, x, xp, s->g);
    memset(s->noise, 0, count * sizeof *s->noise);
    for (unsigned turn = 0; turn < 2 && !st; turn++) {
        for (size_t k = 0; k < states; k++)
            s->x[k] = x[k] + tolerance_of(s, x[k], k, turn);
        for (size_t j = 0; j < n; j++)
            s->xp[j] = xp[j] + tolerance_of(s, xp[j], states + j, turn);
        st = s->events->roots(self, t, s->x, s->xp, s->beside);
        for (size_t k = 0; k < count && !st; k++)
            s->noise[k] = fmax(s->noise[k], fabs(s->beside[k] - s->g[k]));
    }
    return st;
}

/* Sides by g at the values that the analysis with free switches has ended at. One of more
 * than two sides, as floor, stays free. */
static dae_status take_first(start_modes *s)
{
    const dae_events *e = s->events;
    const dae_status st = see(s, s->first->x, s->first->xp);
    for (size_t k = 0; k < e->switch_count && !st; k++) {
        const dae_switch *of = &e->switches[k];
        s->sides[k] = region_value(of->kind, s->g[k]);
        if (of->is_kink && s->sides[k] == 0 && of->kind == DAE_SWITCH_SIGN)
            s->sides[k] = 1; /* of abs: either */
        const bool may_flip = of->domain == DAE_DOMAIN_POINT
            && !isnan(modes_other_side(of->kind, s->sides[k]));
        if (may_flip) s->index[s->count++] = k;
        else if (of->domain == DAE_DOMAIN_POINT) s->sides[k] = (double)NAN;
    }
    return st;
}

/* ---- along the flow ----------------------------------------------------------------- */

/* The values of an unknown and its derivatives that the analysis has found; *count: up
 * to the first that is not determined. */
static const double *chain_of(const analysis *a, size_t j, size_t *count)
{
    const dae_start_findings *f = &a->found.start;
    const double *v = f->values + f->value_first[j];
    const size_t told = f->value_first[j + 1] - f->value_first[j];
    for (*count = 0; *count < told && isfinite(v[*count]); ++*count) {}
    return v;
}

/* The unknowns' power series; with `turn` all values are off by what a start may be off.
 * Coefficients that are not known are NaN. */
static void write_curve(const start_modes *s, const analysis *a, size_t stride,
    unsigned turn, double *curve)
{
    for (size_t j = 0; j < a->layout.unknowns; j++) {
        size_t count;
        const double *v = chain_of(a, j, &count);
        double factorial = 1;
        for (size_t o = 0; o < stride; o++) {
            factorial *= o > 1 ? (double)o : 1;
            double value = o < count ? v[o] : (double)NAN;
            if (turn > 0)
                value += NEGLIGIBLE * tolerance_of(s, value, 5 * j + o, turn);
            curve[j * stride + o] = value / factorial;
        }
    }
}

/* The sign of the first coefficient of each root function beyond what the errors of a
 * start make of it, from order 1 on; 0: it is not determined. Into s->beside. */
static void take_signs(
    start_modes *s, size_t terms, const double *own, const double *other)
{
    for (size_t k = 0; k < s->events->switch_count; k++) {
        s->beside[k] = 0;
        for (size_t o = 1; o < terms && s->beside[k] == 0; o++) {
            const double c = own[k * terms + o];
            const double off = fabs(other[k * terms + o] - c);
            if (!isfinite(c) || !isfinite(off)) break;
            if (fabs(c) > off) s->beside[k] = c > 0 ? 1 : -1;
        }
    }
}

static dae_status see_flow(start_modes *s, const analysis *a)
{
    const layout *l = &a->layout;
    size_t longest = 0, highest = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t count;
        (void)chain_of(a, j, &count);
        if (count > longest) longest = count;
        if (l->order[j] > highest) highest = l->order[j];
    }
    const size_t terms = longest > 1 ? longest : 2, stride = terms + highest;
    const size_t size = l->unknowns * stride
        + 2 * s->events->switch_count * terms;
    double *curve = alloc_zeroed(s->from, size, sizeof *curve);
    dae_status st = curve ? DAE_OK : DAE_MEMORY;
    double *g = curve + l->unknowns * stride;
    for (unsigned turn = 0; turn < 2 && !st; turn++) {
        write_curve(s, a, stride, turn, curve);
        st = s->events->root_series(s->problem->self, terms, a->t0, curve,
            stride, g + turn * s->events->switch_count * terms);
    }
    if (!st) take_signs(s, terms, g, g + s->events->switch_count * terms);
    alloc_free(s->from, curve, size, sizeof *curve);
    return st;
}

/* ---- one mode --------------------------------------------------------------------------- */

/* A min, max or abs on its threshold: its side is where it moves to. */
static bool is_near(const start_modes *s, size_t k)
{
    return s->events->switches[k].is_kink && fabs(s->g[k]) <= s->noise[k];
}

static bool has_near(const start_modes *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_near(s, s->index[i])) return true;
    return false;
}

/* s->beside by an analysis with further derivatives; by `a` where there is none. */
static dae_status see_further(start_modes *s, const analysis *a)
{
    analysis *b = NULL;
    if (!has_near(s)) return DAE_OK;
    dae_status st = analysis_in_mode(s->first, FURTHER, true, s->from, &b);
    const bool has_start = !st && b->is_consistent;
    if (!st) st = see_flow(s, has_start ? b : a);
    if (b) dae_analysis_free(&b->found);
    return st;
}

/* Where its values or its first movements put a switch; what it moves within the errors
 * of a start is not determined. */
static double side_at(const start_modes *s, size_t k, bool *is_open)
{
    const uint8_t kind = s->events->switches[k].kind;
    if (!is_near(s, k)) return region_value(kind, s->g[k]);
    const int way = s->beside[k] > 0 ? 1 : -1;
    *is_open = s->beside[k] == 0;
    return *is_open ? s->held[k] : region_beside(kind, 0, way);
}

/* Of an analysis in the mode that is held. What it violates is proposed. */
static dae_status judge(start_modes *s, const analysis *a, mode_verdict *out)
{
    bool is_open = false;
    dae_status st = see(s, a->x, a->xp);
    if (!st) st = see_further(s, a);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    size_t first;
    *out = MODE_CONSISTENT;
    s->of.has_proposal = true;
    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->index[i];
        const double side = side_at(s, k, &is_open);
        s->of.proposal[i] = side != s->sides[k];
        if (is_open && *out == MODE_CONSISTENT) *out = MODE_OPEN;
        if (side != s->held[k]) *out = MODE_VIOLATED;
    }
    if (*out == MODE_VIOLATED && modes_is_nearer(&s->of, &first)) {
        const size_t k = s->index[first];
        s->tried->nearest = is_near(s, k) ? SIZE_MAX : k;
        s->tried->g = s->g[k];
    }
    return DAE_OK;
}

static void hold(start_modes *s)
{
    const dae_events *e = s->events;
    assert(s->count <= e->switch_count && s->of.count == s->count);
    memcpy(s->held, s->sides, e->switch_count * sizeof *s->sides);
    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->index[i];
        if (s->of.mode[i])
            s->held[k] = modes_other_side(e->switches[k].kind, s->sides[k]);
    }
}

/* The sides of the mode that is held, for whoever runs it. */
static dae_status keep_sides(const start_modes *s, analysis *a)
{
    assert(a->is_consistent && a->found.problem == &a->in_mode);
    const size_t switches = s->events->switch_count;
    double *sides = ARENA_ARRAY(&a->memory, double, switches);
    if (!sides) return DAE_MEMORY;
    memcpy(sides, s->held, switches * sizeof *sides);
    a->found.sides = sides;
    return DAE_OK;
}

/* *out: the analysis, if the mode is consistent; NULL: it is not. */
static dae_status try_mode(start_modes *s, analysis **out)
{
    analysis *a = NULL;
    mode_verdict verdict = MODE_VIOLATED;
    hold(s);
    dae_status st = analysis_in_mode(s->first, 0, !s->is_thorough, s->from, &a);
    const bool has_start = !st && a->is_consistent && !a->found.is_wrong
        && a->found.start.onward == DAE_ONWARD_SURE;
    if (has_start) st = judge(s, a, &verdict);
    const bool is_kept = verdict == MODE_CONSISTENT
        || (verdict == MODE_OPEN && !s->open);
    if (!st && is_kept) st = keep_sides(s, a);
    if (!st && is_kept) {
        *(verdict == MODE_OPEN ? &s->open : out) = a;
        return DAE_OK;
    }
    if (a) dae_analysis_free(&a->found);
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}

/* ---- all --------------------------------------------------------------------------------- */

static bool take_room(start_modes *s)
{
    const size_t switches = s->events->switch_count;
    arena *a = &s->memory;
    s->index = ARENA_ARRAY(a, size_t, switches + 1);
    s->sides = ARENA_ARRAY(a, double, switches);
    s->x = ARENA_ARRAY(a, double, s->first->layout.states);
    s->xp = ARENA_ARRAY(a, double, s->problem->unknown_count);
    s->g = ARENA_ARRAY(a, double, switches);
    s->beside = ARENA_ARRAY(a, double, switches);
    s->noise = ARENA_ARRAY(a, double, switches);
    return s->index && s->sides && s->x && s->xp && s->g && s->beside
        && s->noise;
}

/* Why there is none in the first mode, where the branches of the text have no derivative
 * that a start needs: of the model that is the lesser fault. */
static dae_status explain(start_modes *s, analysis **out)
{
    analysis *a = NULL;
    if (*out || s->open || s->first->plan.kink_count == 0) return DAE_OK;
    memset(s->of.mode, 0, s->count);
    hold(s);
    const dae_status st = analysis_in_mode(s->first, 0, false, s->from, &a);
    if (!st && a->plan.kink_count == 0) *out = a;
    else if (a) dae_analysis_free(&a->found);
    return st;
}

static dae_status search(start_modes *s, analysis **out)
{
    const double most = WORK_OF_SECOND / 10000
        / (double)s->problem->unknown_count;
    dae_status st = take_room(s) ? take_first(s) : DAE_MEMORY;
    if (st == DAE_RETRY || s->count == 0) return st == DAE_RETRY ? DAE_OK : st;
    if (!is_start_open(s->first) && !has_near(s)) return st;
    if (!st) st = modes_init(&s->of, s->count, 0, &s->memory);
    if (st) return st;
    if ((double)s->of.most > most) s->of.most = (size_t)most;
    for (int pass = 0; pass < 2 && !st && !*out && !s->open; pass++) {
        s->is_thorough = pass > 0;
        if (s->is_thorough && s->of.tried_count > MODES_THOROUGH) break;
        modes_begin(&s->of, false);
        while (!st && !*out && modes_next(&s->of)) st = try_mode(s, out);
        s->tried->tried = s->of.tried_count;
    }
    return st ? st : explain(s, out);
}

dae_status start_mode_find(const analysis *first, const dae_allocator *from,
    modes_outcome *tried, analysis **out)
{
    const dae_events *e = first->problem->events;
    start_modes s = {.first = first,
        .problem = first->problem,
        .events = e,
        .from = from,
        .tried = tried};
    *out = NULL;
    *tried = (modes_outcome){.nearest = SIZE_MAX};
    s.held = e->held + e->discrete_count;
    arena_init(&s.memory, first->allocator, 0);
    const dae_status st = search(&s, out);
    if (!st && !*out) *out = s.open;
    else if (s.open) dae_analysis_free(&s.open->found);
    for (size_t k = 0; k < e->switch_count; k++) s.held[k] = (double)NAN;
    arena_clear(&s.memory);
    return st;
}
