/* Goes up the levels from a consistent point until the array determines all
 * its targets. Beside structure it is the second opinion, for systems small
 * enough; a point proves nothing by itself, so another one has to say the
 * same. */
#include "index/array.h"

#include "index/dependency.h"
#include "index/level.h"
#include "index/manifold.h"
#include "index/points.h"
#include "index/ranks.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    LARGEST = 600, /* rows */
    /* cubes of rows, over all levels: some seconds' worth of ranks */
    WORK_MOST = 400000000,
    /* A level that determines no more than the one before is, for constant
     * coefficients, followed by others like it alone [BIT12]. Where rows depend
     * as well, so many in succession are taken for the end: identically, or at
     * the point. */
    SETTLED = 2,
    SETTLED_HERE = 3
};

/* Where to begin. */
typedef enum attempt_kind { AT_POINT, NEAR_POINT, ANYWHERE } attempt_kind;
typedef struct attempt {
    attempt_kind kind;
    unsigned number; /* which of these */
    double size;     /* how near */
} attempt;

/* One way up the levels. */
typedef struct climb {
    const array_work *w;
    attempt from;
    int most;
    level level; /* the last one that was reached */
    int failed;  /* no point of this level was found; -1 */
    bool has_kink;
    bool has_dependency, is_dependent; /* of rows: here; everywhere */
    size_t open;                       /* targets not determined */
    int64_t freedom;                   /* and values below them */
    int settled;
} climb;

void array_findings_clear(array_findings *f, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    alloc_free(a, f->loose, f->loose_room, sizeof *f->loose);
    alloc_free(a, f->dependent, f->dependent_room, sizeof *f->dependent);
    *f = (array_findings){.outcome = ARRAY_TOO_LARGE};
}

static dae_status begin(const climb *c, level *first)
{
    bool has_values;
    const array_work *w = c->w;
    if (c->from.kind == ANYWHERE)
        return dependency_evaluate_anywhere(first, c->from.number, &has_values);
    level_take_vectors(first, w->t, w->x, w->xp);
    return DAE_OK;
}

static dae_status reach(climb *c, int differentiated, bool *is_found)
{
    level next = {0};
    const array_work *w = c->w;
    dae_status st = level_open(&next, w, differentiated);
    *is_found = false;
    if (st) goto done;
    if (differentiated > 0) level_take_level(&next, &c->level);
    else if ((st = begin(c, &next))) goto done;
    if (c->from.kind != AT_POINT)
        manifold_shake(&next, c->from.number, c->from.size, differentiated > 0);
    /* What satisfies the levels below stays where it is if it can: moved with
     * the new derivatives, it slides to places where none are needed, such as
     * the double root at the end of a circle. */
    const bool hold_states = differentiated > 0
        || (c->from.kind == AT_POINT && w->q->is_consistent);
    if ((st = manifold_reach(&next, hold_states, is_found))) goto done;
    if (*is_found && differentiated > 0 && manifold_leaves(&next, &c->level))
        *is_found = false;
    else if (*is_found) {
        level_close(&c->level);
        c->level = next;
        next = (level){0};
    } else if (differentiated > 0) {
        st = level_evaluate(&next);
        c->has_kink = st == DAE_RETRY;
        if (c->has_kink) st = DAE_OK;
    }
done:
    level_close(&next);
    return st;
}

/* An equation that nothing moves at its zero, as y^2 = 0: a double root. What it
 * says of its unknowns no rank shows. */
static bool has_flat_row(const level *v)
{
    for (size_t i = 0; i < v->rows; i++) {
        size_t k = 0;
        while (k < v->columns && v->a[k * v->rows + i] == 0) k++;
        if (k == v->columns) return true;
    }
    return false;
}

/* Ranks at the level reached: the index is its number where all targets are
 * there and everything that moves one of them moves an equation. */
static dae_status look(climb *c, array_findings *out, bool *is_index)
{
    const array_work *w = c->w;
    level *v = &c->level;
    size_t all, derivatives, others, present = 0;
    bool is_sure = !has_flat_row(v);
    dae_status st;
    if ((st = level_rank(v, LEVEL_ALL, &all, &is_sure))
        || (st = level_rank(
                v, LEVEL_TARGET | LEVEL_REST, &derivatives, &is_sure))
        || (st = level_rank(v, LEVEL_REST, &others, &is_sure)))
        return st;
    for (size_t k = 0; k < v->columns; k++)
        present += v->role[k] == LEVEL_TARGET;
    out->outcome = is_sure ? ARRAY_FOUND : ARRAY_UNSURE;
    out->index = v->differentiated;
    out->degrees_of_freedom = (int64_t)w->states - (int64_t)(all - derivatives);
    *is_index = present == w->targets && derivatives == w->targets + others;
    const size_t open = w->targets + others - derivatives;
    /* a chain of unknowns is determined one after the other: new constraints
     * for a long time, the last one's derivative at the end */
    const bool is_same = open == c->open
        && out->degrees_of_freedom == c->freedom;
    c->settled = is_same ? c->settled + 1 : 0;
    c->open = open;
    c->freedom = out->degrees_of_freedom;
    c->has_dependency = all < v->rows;
    if (*is_index || !c->has_dependency || c->is_dependent) return DAE_OK;
    level anywhere = {0};
    st = level_open(&anywhere, w, v->differentiated);
    if (!st) st = dependency_is_everywhere(&anywhere, &c->is_dependent);
    level_close(&anywhere);
    return st;
}

/* ---- up the levels --------------------------------------------------------------- */

static bool is_too_large(const climb *c, int differentiated)
{
    const array_request *q = c->w->q;
    const size_t largest = q->largest > 0 ? (size_t)q->largest : LARGEST;
    const size_t n = c->w->layout.unknowns;
    return n > largest || ((size_t)differentiated + 1) * n > largest
        || differentiated >= DAE_SERIES_TERMS_MAX
        || (differentiated > 0 && !q->problem->series);
}

/* What the levels up to the expected index take. */
static bool is_out_of_reach(const array_request *q)
{
    const double n = (double)q->problem->unknown_count;
    const double largest = q->largest > 0 ? q->largest : LARGEST;
    double work = 0;
    if ((double)(q->expected + 1) * n > largest) return true;
    for (int64_t k = 0; k <= q->expected; k++) {
        const double rows = (double)(k + 1) * n;
        work += rows * rows * rows;
    }
    return work > WORK_MOST;
}

static dae_status climb_up(climb *c, array_findings *out)
{
    dae_status st;
    assert(c->most >= 0 && c->w->states > 0);
    out->outcome = ARRAY_TOO_LARGE;
    for (int k = 0; k <= c->most; k++) {
        bool is_found, is_index;
        if (is_too_large(c, k)) {
            out->outcome = ARRAY_TOO_LARGE;
            return c->is_dependent ? dependency_report(&c->level, true, out)
                                   : DAE_OK;
        }
        if ((st = reach(c, k, &is_found))) return st;
        if (!is_found) {
            c->failed = k;
            out->outcome = c->has_kink ? ARRAY_TOO_LARGE : ARRAY_NO_POINT;
            return DAE_OK;
        }
        if ((st = look(c, out, &is_index))) return st;
        if (is_index || out->outcome == ARRAY_UNSURE) return DAE_OK;
        if (c->settled >= (c->is_dependent ? SETTLED : SETTLED_HERE)
            && c->has_dependency)
            break;
    }
    if ((st = dependency_loose(&c->level, out))) return st;
    return dependency_report(&c->level, true, out);
}

static dae_status try_from(
    const array_work *w, attempt from, array_findings *out, int *failed)
{
    const array_request *q = w->q;
    climb c = {.w = w, .from = from, .failed = -1, .open = SIZE_MAX};
    /* variables of the first-order form, and one more */
    size_t most = 1;
    for (size_t j = 0; j < w->layout.unknowns; j++)
        most += w->layout.order[j] > 1 ? w->layout.order[j] : 1;
    if (q->most > 0) most = (size_t)q->most;
    c.most = most < DAE_SERIES_TERMS_MAX ? (int)most : DAE_SERIES_TERMS_MAX;
    array_findings_clear(out, w->allocator);
    dae_status st = climb_up(&c, out);
    if (st == DAE_LIMIT || st == DAE_UNSUPPORTED) {
        out->outcome = ARRAY_TOO_LARGE;
        st = DAE_OK;
    }
    if (st) array_findings_clear(out, w->allocator);
    *failed = c.failed;
    level_close(&c.level);
    return st;
}

/* No consistent point was found: perhaps there is none, as equations depend on
 * each other and contradict. What they leave open shows some levels higher. */
static dae_status blame_dependency(
    const array_work *w, int failed, array_findings *out)
{
    const climb c = {.w = w};
    bool has_values = false;
    dae_status st = DAE_OK;
    for (int k = failed + SETTLED; k >= failed && !has_values && !st; k--) {
        level v = {0};
        bool is_everywhere = false;
        if (is_too_large(&c, k)) continue;
        st = level_open(&v, w, k);
        if (!st) st = dependency_is_everywhere(&v, &is_everywhere);
        if (!st && is_everywhere)
            st = dependency_evaluate_anywhere(&v, 0, &has_values);
        if (!st && has_values) st = dependency_loose(&v, out);
        if (!st && has_values) st = dependency_report(&v, false, out);
        level_close(&v);
    }
    return st == DAE_LIMIT ? DAE_OK : st;
}

static bool is_settled(array_outcome outcome)
{
    return outcome == ARRAY_FOUND || outcome == ARRAY_NO_INDEX;
}

static bool has_guess(const array_work *w)
{
    for (size_t k = 0; k < w->layout.states; k++)
        if (w->x[k] != 0) return true;
    return false;
}

/* Another point has to say the same: one near it, but where nothing is known of
 * the start, any. */
static dae_status confirm(
    const array_work *w, attempt from, array_findings *out)
{
    array_findings other = {0};
    int failed;
    if (w->q->is_consistent || has_guess(w)) from.number += MANIFOLD_CONFIRMS;
    else
        from = (attempt){
            ANYWHERE, from.kind == ANYWHERE ? MANIFOLD_CONFIRMS : 0, 0.1};
    const dae_status st = try_from(w, from, &other, &failed);
    const bool is_other = out->outcome == ARRAY_FOUND
        && (other.index != out->index
            || other.degrees_of_freedom != out->degrees_of_freedom);
    const bool is_settled_there = is_settled(other.outcome)
        && (other.outcome != out->outcome || is_other);
    /* ranks that are in doubt there may be certain here by being too small */
    const bool differs = !st
        && (is_settled_there || other.outcome == ARRAY_UNSURE);
    array_findings_clear(&other, w->allocator);
    if (differs) out->outcome = ARRAY_UNSURE;
    return st;
}

/* Points near the given one, then others: until one tells. */
static dae_status try_others(
    const array_work *w, array_findings *out, int *failed)
{
    static const attempt list[] = {
        {NEAR_POINT, 1, DIGIT}, {ANYWHERE, 0, DIGIT}, {ANYWHERE, 1, DIGIT}};
    const size_t count = sizeof list / sizeof *list;
    for (size_t k = 0; k < count; k++) {
        const dae_status st = try_from(w, list[k], out, failed);
        if (st) return st;
        if (is_settled(out->outcome)) return confirm(w, list[k], out);
        if (out->outcome == ARRAY_TOO_LARGE && *failed < 0) return DAE_OK;
    }
    return DAE_OK;
}

static dae_status examine(const array_work *w, array_findings *out)
{
    const array_request *q = w->q;
    int failed = -1;
    dae_status st = DAE_OK;
    if (!q->is_generic) {
        st = try_from(w, (attempt){AT_POINT, 0, 0}, out, &failed);
        if (st || q->is_consistent || is_settled(out->outcome)) return st;
    }
    if ((st = try_others(w, out, &failed))) return st;
    if (out->outcome == ARRAY_NO_POINT && failed >= 0)
        st = blame_dependency(w, failed, out);
    return st;
}

dae_status array_examine(const array_request *q, array_findings *out)
{
    array_work w;
    *out = (array_findings){.outcome = ARRAY_TOO_LARGE};
    const size_t largest = q->largest > 0 ? (size_t)q->largest : LARGEST;
    if (q->problem->unknown_count > largest || is_out_of_reach(q))
        return DAE_OK;
    dae_status st = array_work_init(&w, q);
    if (!st) st = examine(&w, out);
    if (st) array_findings_clear(out, alloc_or_default(q->allocator));
    assert(out->loose_count <= out->loose_room);
    assert(out->dependent_count <= out->dependent_room);
    assert(out->outcome != ARRAY_FOUND || out->index >= 0);
    if (out->outcome != ARRAY_FOUND) out->index = out->degrees_of_freedom = -1;
    array_work_clear(&w);
    return st;
}
