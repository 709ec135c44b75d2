/* What formulas need of a problem (step/one_step.h), checked one by one. */
#include "run/requirements.h"

#include "base/arena.h"
#include "base/report.h"
#include "graph/sets.h"
#include "index/generic_points.h"
#include "newton/direct.h"
#include "reduce/thresholds.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- places and velocities: w' = a(t, q), q' = Z(t, q) w ------------------------- */

/* No velocity may be in the slope of a velocity: the pattern tells what is in
 * which slope, and velocities are taken one after the other, of those first that
 * the equations call the derivative of another state, then of those that are in
 * few slopes, which leaves out all that this one shares a slope with. Where two
 * choices are alike, as in x' = v, v' = -sin(x) without its first equation, the
 * one declared later is the velocity, else the earlier one. Whether the slopes of
 * the rest are linear in the velocities, and 0 with them, is asked at a point beside
 * the start: of four times as many numbers at random as the form has. */
typedef struct candidate {
    int rank;
    size_t degree, tie, order, state;
} candidate;

/* Equations that share a highest derivative are solved together: a group, which has the
 * number of the first of them. The slope of a lower state s is the next one: group n + s. */
typedef struct roles {
    const run *run;
    const layout *l;
    const dae_pattern *p;
    uint8_t *is_velocity; /* N */
    uint8_t *is_named;    /* N: the derivative of another state */
    int32_t *root;        /* n: equations: their group */
    size_t *own;          /* N: the group that gives the slope, */
    size_t *start, *in;   /* N + 1: and those whose slopes it is in */
    size_t *touching;     /* groups: entries of states in them, */
    size_t *members;      /* and states whose slopes they give */
    uint8_t *is_touched, *has_member; /* groups: by a velocity; one */
    candidate *order;                 /* N */
    double *sum[4], *xp;              /* N: slopes of the probes; n */
    double *x;                        /* N */
} roles;

/* --- groups --- */

/* Of those that give the slope of unknown j's highest state. */
static size_t first_equation(const roles *v, size_t j)
{
    assert(j < v->l->unknowns);
    return (size_t)v->p->row[v->p->column_start[v->l->states + j]];
}

static void find_groups(roles *v)
{
    const int64_t *start = v->p->column_start + v->l->states;
    const int32_t n = (int32_t)v->l->unknowns;
    for (int32_t i = 0; i < n; i++) v->root[i] = i;
    for (int32_t j = 0; j < n; j++)
        for (int64_t k = start[j] + 1; k < start[j + 1]; k++) {
            const int32_t a = set_root(v->root, v->p->row[k]);
            const int32_t b = set_root(v->root, v->p->row[k - 1]);
            v->root[a > b ? a : b] = a < b ? a : b;
        }
    for (int32_t i = 0; i < n; i++) v->root[i] = set_root(v->root, i);
}

static void list_groups(const roles *v)
{
    const layout *l = v->l;
    const int64_t *column = v->p->column_start;
    size_t at = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
            const bool is_high = s + 1 == l->first[j + 1];
            v->own[s] = is_high ? (size_t)v->root[first_equation(v, j)]
                                : l->unknowns + s;
            v->members[v->own[s]]++;
            for (int64_t k = column[s]; k < column[s + 1]; k++)
                v->in[at++] = (size_t)v->root[v->p->row[k]];
            if (s > l->first[j]) v->in[at++] = l->unknowns + s - 1;
            v->start[s + 1] = at;
        }
    for (size_t k = 0; k < at; k++) v->touching[v->in[k]]++;
}

/* --- what may be a velocity --- */

static void name_equalities(const roles *v)
{
    const dae_problem *p = v->run->engine->problem;
    const layout *l = v->l;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j] + 1; s < l->first[j + 1]; s++)
            v->is_named[s] = 1;
    for (size_t k = 0; k < p->equality_count; k++) {
        const dae_slot a = p->equalities[k].first, b = p->equalities[k].second;
        const bool is_a = a.order == l->order[a.unknown];
        const bool is_b = b.order == l->order[b.unknown];
        const dae_slot of = is_a ? b : a;
        if (is_a != is_b)
            v->is_named[l->first[of.unknown] + (size_t)of.order] = 1;
    }
}

static int compare(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->degree != b->degree) return a->degree < b->degree ? -1 : 1;
    if (a->tie != b->tie) return a->tie < b->tie ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* All states but those that are in their own slope. The degree: in how many slopes one is,
 * and what is in its own. */
static size_t find_candidates(const roles *v, bool is_later_first)
{
    const layout *l = v->l;
    size_t count = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
            const size_t at = naming_position(
                v->run->engine->problem, DAE_NAME_UNKNOWN, j);
            size_t degree = v->touching[v->own[s]];
            bool is_in_itself = false;
            for (size_t k = v->start[s]; k < v->start[s + 1]; k++) {
                degree += v->members[v->in[k]];
                is_in_itself = is_in_itself || v->in[k] == v->own[s];
            }
            if (is_in_itself) continue;
            v->order[count++] = (candidate){.rank = !v->is_named[s],
                .degree = degree,
                .tie = is_later_first ? l->unknowns - at : at,
                .order = s - l->first[j],
                .state = s};
        }
    qsort(v->order, count, sizeof *v->order, compare);
    return count;
}

/* Taken unless one is in the slope of a velocity, or has one in its own. */
static void choose(const roles *v, bool is_later_first)
{
    const size_t groups = v->l->unknowns + v->l->states;
    const size_t count = find_candidates(v, is_later_first);
    memset(v->is_velocity, 0, v->l->states);
    memset(v->is_touched, 0, groups);
    memset(v->has_member, 0, groups);
    for (size_t i = 0; i < count; i++) {
        const size_t s = v->order[i].state, end = v->start[s + 1];
        bool is_blocked = v->is_touched[v->own[s]];
        for (size_t k = v->start[s]; k < end; k++)
            is_blocked = is_blocked || v->has_member[v->in[k]];
        if (is_blocked) continue;
        v->is_velocity[s] = v->has_member[v->own[s]] = 1;
        for (size_t k = v->start[s]; k < end; k++) v->is_touched[v->in[k]] = 1;
    }
}

/* --- whether the slopes are as they should be --- */

enum { STREAM = 901 };

/* Slopes at places beside the start, by `share`, and velocities of the sets of
 * numbers in `sets`, a bit each. */
static newton_outcome probe(
    const roles *v, double t0, double share, unsigned sets, double *slope)
{
    const layout *l = v->l;
    const double *x0 = v->run->engine->stepper.point.x;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
            const double size = fabs(x0[s])
                + weights_nominal(v->run->engine->problem->scales, j);
            v->x[s] = x0[s] + share * size * points_number(STREAM, s);
            if (!v->is_velocity[s]) continue;
            v->x[s] = 0;
            for (unsigned k = 0; k < 2; k++)
                if (sets & 1u << k)
                    v->x[s] += size * points_number(STREAM + 1 + k, s);
        }
    memset(v->xp, 0, l->unknowns * sizeof *v->xp);
    transition at = {.layout = l, .newton = &v->run->engine->newton};
    at.task = (newton_task){.t = t0, .h = 1, .alpha = 1, .x = v->x};
    at.task.xp = v->xp;
    at.task.weights = &v->run->engine->weights;
    return one_step_slopes(&at, t0, slope);
}

/* The unknown whose slopes are furthest from being linear in the velocities;
 * SIZE_MAX: all are. */
static size_t worst_of(const roles *v)
{
    double *const *sum = v->sum, worst = VALUES_ERROR, largest = 0;
    size_t at = SIZE_MAX;
    for (size_t s = 0; s < v->l->states; s++)
        if (!v->is_velocity[s]) largest = fmax(largest, fabs(sum[3][s]));
    for (size_t j = 0; j < v->l->unknowns; j++)
        for (size_t s = v->l->first[j]; s < v->l->first[j + 1]; s++) {
            const double size = fabs(sum[1][s]) + fabs(sum[2][s])
                + VALUES_ERROR * largest + DBL_MIN;
            const double off = fabs(sum[3][s] - sum[1][s] - sum[2][s]);
            const double least = fabs(sum[0][s]);
            if (v->is_velocity[s] || !(off + least > worst * size)) continue;
            worst = (off + least) / size;
            at = j;
        }
    return at;
}

static dae_status test(const roles *v, double t0, size_t *equation)
{
    newton_outcome out = NEWTON_NONFINITE;
    *equation = 0;
    for (int k = 0; k < 2 && out == NEWTON_NONFINITE; k++) {
        const double share = k == 0 ? SHORT_SHARE : 0;
        out = NEWTON_CONVERGED;
        for (unsigned set = 0; set < 4 && out == NEWTON_CONVERGED; set++)
            out = probe(v, t0, share, set, v->sum[set]);
    }
    if (out == NEWTON_STOPPED) return v->run->engine->newton.status;
    if (out != NEWTON_CONVERGED) return DAE_OK;
    const size_t j = worst_of(v);
    *equation = j == SIZE_MAX ? SIZE_MAX : first_equation(v, j);
    return DAE_OK;
}

/* --- all of it --- */

static bool has_room(roles *v, arena *a)
{
    const size_t states = v->l->states, n = v->l->unknowns, all = states + n;
    for (int k = 0; k < 4; k++)
        if (!TAKE(a, v->sum[k], states)) return false;
    return TAKE(a, v->is_named, states) && TAKE(a, v->root, n)
        && TAKE(a, v->own, states) && TAKE(a, v->start, states)
        && TAKE(a, v->in, (size_t)v->p->column_start[states] + states)
        && TAKE(a, v->touching, all) && TAKE(a, v->members, all)
        && TAKE(a, v->is_touched, all) && TAKE(a, v->has_member, all)
        && TAKE(a, v->order, states) && TAKE(a, v->x, states)
        && TAKE(a, v->xp, n);
}

/* Says of every state of the engine's problem, whose unknowns all have slopes,
 * whether it is a velocity: stepper.is_velocity (N). Its start is t0 and the
 * values in stepper.point. `*equation`: one that keeps the problem from being of
 * that form; SIZE_MAX: it is. DAE_MEMORY, or what a callback answers. */
static dae_status roles_find(const run *r, double t0, size_t *equation)
{
    engine *e = r->engine;
    roles v = {.run = r, .l = &e->layout, .p = iteration_pattern(e->matrix)};
    arena room;
    size_t other = 0;
    dae_status st = DAE_MEMORY;
    arena_init(&room, r->allocator, 0);
    v.is_velocity = e->stepper.is_velocity;
    if (has_room(&v, &room)) {
        find_groups(&v);
        list_groups(&v);
        name_equalities(&v);
        choose(&v, true);
        st = test(&v, t0, equation);
        if (!st && *equation != SIZE_MAX) {
            choose(&v, false);
            st = test(&v, t0, &other);
        }
        if (!st && other == SIZE_MAX) *equation = other;
    }
    arena_clear(&room);
    return st;
}

/* ---- requirements ------------------------------------------------------------------- */

/* E0505 at the place of what does not fit. */
static dae_status refuse(const run *r, dae_name_kind kind, size_t index,
    const char *why, const char *help)
{
    const named_place at = naming_of(r->engine->problem, kind, index);
    report(r->ds, DIAG_E0505, at.source, at.span, "`%s` does not fit: %s `%s`",
        r->formula->name, why, at.text);
    report_help(r->ds, "%s", help);
    return DAE_ARGUMENT;
}

static const char implicit_ones[] =
    "an explicit method wants x' from x alone: use an implicit one, such as "
    "bdf, trapezoid or euler-linear";
static const char motion_alone[] =
    "the method is for equations of motion: write x'' = a(x) with one unknown "
    "and its second derivative, or use rk4";

static dae_status check_ode(const run *r)
{
    const layout *l = &r->engine->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0)
            return refuse(r, DAE_NAME_UNKNOWN, j,
                "the equations have no derivative of", implicit_ones);
    for (size_t i = 0; i < l->unknowns; i++)
        if (!r->engine->newton.is_slope_row[i])
            return refuse(r, DAE_NAME_EQUATION, i,
                "a highest derivative does not occur in equation",
                implicit_ones);
    return DAE_OK;
}

static dae_status check_second_order(const run *r)
{
    const layout *l = &r->engine->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] != 2)
            return refuse(r, DAE_NAME_UNKNOWN, j,
                "there is no second derivative of", motion_alone);
    return DAE_OK;
}

/* No entry of a velocity. */
static dae_status check_at_rest(const run *r)
{
    const layout *l = &r->engine->layout;
    const dae_pattern *p = iteration_pattern(r->engine->matrix);
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t velocity = l->first[j] + 1;
        const int64_t k = p->column_start[velocity];
        if (k == p->column_start[velocity + 1]) continue;
        return refuse(r, DAE_NAME_EQUATION, (size_t)p->row[k],
            "a velocity occurs in equation",
            "the half kicks want an acceleration that depends on places alone: "
            "use symplectic-euler, or rk4");
    }
    return DAE_OK;
}

/* Places and velocities. */
static dae_status check_turning(const run *r, double t0)
{
    size_t equation;
    const dae_status st = roles_find(r, t0, &equation);
    if (st || equation == SIZE_MAX) return st;
    return refuse(r, DAE_NAME_EQUATION, equation,
        "neither w' = a(q) nor q' = Z(q) w is equation",
        "unknowns have to be places q and velocities w: slopes of velocities "
        "depend on places alone, those of places are linear in velocities; use "
        "rk4, or for x'' = a(x, x') symplectic-euler");
}

dae_status requirements_check(const run *r, double t0)
{
    assert(r->engine && r->formula);
    const one_step *o = r->formula->one_step;
    dae_status st = DAE_OK;
    if (!o) return DAE_OK;
    if (o->needs & ONE_STEP_ODE) st = check_ode(r);
    if (!st && o->needs & ONE_STEP_SECOND_ORDER) st = check_second_order(r);
    if (!st && o->needs & ONE_STEP_AT_REST) st = check_at_rest(r);
    if (!st && o->needs & ONE_STEP_TURNING) st = check_turning(r, t0);
    return st;
}
