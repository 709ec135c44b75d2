/* First by the tangent at the point. Where that leaves directions open, the
 * equations may still close them, to second order or a little aside: then
 * nothing is missing, but the point is singular. */
#include "start/count.h"
#include "linalg/basis.h"
#include "linalg/naming.h"
#include "linalg/rrqr.h"
#include "linalg/thresholds.h"
#include "start/moment.h"
#include "start/nearby.h"
#include "start/solve.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* What the tangent at the point says, by some idea of what is zero. */
typedef struct view {
    double rank_zero, part_zero;
    bool is_balanced;
    tangent t;
    uint8_t *is_redundant; /* conditions */
    double *open;          /* columns x directions */
    size_t directions;
    bool *is_open; /* columns: moved by `open` */
} view;

typedef struct tally {
    init_system *s;
    init_findings *out;
    int32_t *slot_at; /* columns: slots that exist */
    size_t columns;
    uint8_t *is_inner; /* columns */
    uint8_t *choice;   /* columns: may_be_given */
    view here;
    size_t missing;
} tally;

static bool is_feasible(size_t rows, size_t columns)
{
    const double r = (double)rows, c = (double)columns;
    return r * c * fmin(r, c) <= COUNT_WORK && c * c * c <= 4 * COUNT_WORK;
}

static int order_of(const init_system *s, size_t slot)
{
    int order;
    const uint8_t *own = s->request->stands_for;
    if (own && slot < s->states) return own[slot];
    (void)naming_unknown(s->request->layout, slot, &order);
    return order;
}

static dae_status fill_masks(tally *y)
{
    init_system *s = y->s;
    const init_request *r = s->request;
    y->is_inner = ARENA_ARRAY(&s->arena, uint8_t, y->columns);
    y->choice = ARENA_ARRAY(&s->arena, uint8_t, y->columns);
    if (!y->is_inner || !y->choice) return DAE_MEMORY;
    for (size_t j = 0; j < y->columns; j++) {
        const size_t k = (size_t)y->slot_at[j];
        y->is_inner[j] = r->is_inner ? r->is_inner[k] != 0 : k >= s->states;
        if (r->may_be_given) y->choice[j] = r->may_be_given[k];
        else if (!y->is_inner[j])
            y->choice[j] = (uint8_t)(1 + order_of(s, k) % UINT8_MAX);
        if (!s->is_free[k]) y->choice[j] = 0;
    }
    return DAE_OK;
}

/* How far column j's slot moves in the directions. */
static double movement(
    const double *open, size_t columns, size_t directions, size_t j)
{
    double sum = 0;
    for (size_t d = 0; d < directions; d++)
        sum += open[d * columns + j] * open[d * columns + j];
    return sqrt(sum);
}

static void mark_moved(const tally *y, const double *open, size_t directions,
    double zero, bool *is_moved)
{
    for (size_t j = 0; j < y->columns; j++)
        is_moved[j] = movement(open, y->columns, directions, j) > zero;
}

/* Of the directions, those that move inner slots alone: columns x *count. */
static dae_status find_inner(const tally *y, const double *open,
    size_t directions, double zero, double **inner, size_t *count)
{
    arena *a = &y->s->arena;
    const size_t columns = y->columns;
    double *parts;
    double *outer = ARENA_ARRAY(a, double, columns *directions);
    if (!outer) return DAE_MEMORY;
    for (size_t d = 0; d < directions; d++)
        for (size_t j = 0; j < columns; j++) {
            const double v = open[d * columns + j];
            if (!y->is_inner[j] && fabs(v) > zero) outer[d * columns + j] = v;
        }
    const dae_status st = rrqr_null_space(
        a, outer, columns, directions, zero, &parts, count);
    if (st) return st;
    *inner = ARENA_ARRAY(a, double, columns **count);
    if (!*inner) return DAE_MEMORY;
    for (size_t c = 0; c < *count; c++)
        for (size_t d = 0; d < directions; d++)
            for (size_t j = 0; j < columns; j++)
                (*inner)[c * columns + j] += parts[c * directions + d]
                    * open[d * columns + j];
    return DAE_OK;
}

/* At the last Jacobian. Conditions with first[c] != 0 (NULL: none) come before
 * the others. */
static dae_status view_init(view *v, tally *y, double rank_zero,
    double part_zero, bool is_balanced, const uint8_t *first)
{
    init_system *s = y->s;
    *v = (view){.rank_zero = fmax(rank_zero, s->fuzz),
        .part_zero = fmax(part_zero, ERROR_MARGIN * ERROR_MARGIN * s->fuzz),
        .is_balanced = is_balanced};
    dae_status st = tangent_init(
        &v->t, s, y->slot_at, y->columns, v->rank_zero, is_balanced);
    if (st) return st;
    v->is_redundant = ARENA_ARRAY(&s->arena, uint8_t, v->t.conditions);
    v->is_open = ARENA_ARRAY(&s->arena, bool, y->columns);
    if (!v->is_redundant || !v->is_open) return DAE_MEMORY;
    assert(v->t.columns == y->columns && v->t.freedom <= y->columns);
    if ((st = tangent_redundant(
             &v->t, s, first, v->part_zero, v->is_redundant)))
        return st;
    if ((st = tangent_open(&v->t, s, v->is_redundant, v->part_zero, &v->open,
             &v->directions)))
        return st;
    assert(v->directions <= v->t.freedom);
    mark_moved(y, v->open, v->directions, v->part_zero, v->is_open);
    return DAE_OK;
}

/* ---- slots one after the other --------------------------------------------------- */

static double length_of(const double *row, size_t width)
{
    double sum = 0;
    for (size_t k = 0; k < width; k++) sum += row[k] * row[k];
    return sqrt(sum);
}

/* The next condition: of the best choice the first slot that moves nearly as
 * much as the one that moves most. `rows`: what moves them still. columns: none
 * moves. */
static size_t choose_next(
    const tally *y, const uint8_t *choices, const double *rows)
{
    const size_t width = y->here.directions;
    size_t best = y->columns;
    double most = 0;
    uint8_t choice = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < y->columns; j++) {
            if (choices[j] == 0) continue;
            const double size = length_of(rows + j * width, width);
            if (!(size > y->here.part_zero)) continue;
            if (pass == 0) {
                const bool is_better = choice == 0 || choices[j] < choice;
                if (is_better || (choices[j] == choice && size > most))
                    most = size;
                if (is_better) choice = choices[j];
            } else if (choices[j] == choice && size >= DIGIT * most) {
                return j;
            }
        }
    }
    return best;
}

/* Slots as rows of the directions. */
static double *make_rows(const tally *y)
{
    double *rows = ARENA_ARRAY(
        &y->s->arena, double, y->columns * y->here.directions);
    for (size_t j = 0; rows && j < y->columns; j++)
        for (size_t d = 0; d < y->here.directions; d++)
            rows[j * y->here.directions + d] = y->here.open[d * y->columns + j];
    return rows;
}

/* Takes the direction in which slot j moves away from all of them. */
static void hold(const tally *y, row_basis *b, double *rows, size_t j)
{
    const size_t width = y->here.directions;
    if (!row_basis_add(b, rows + j * width, 0)) return;
    const double *q = b->q + (b->count - 1) * width;
    for (size_t i = 0; i < y->columns; i++) {
        double *row = rows + i * width, by = 0;
        for (size_t k = 0; k < width; k++) by += q[k] * row[k];
        for (size_t k = 0; k < width; k++) row[k] -= by * q[k];
    }
}

/* ---- a little aside ------------------------------------------------------------ */

/* The same where the equations are regular. */
typedef struct aside {
    bool is_known;
    view v;
    size_t missing;
} aside;

static dae_status look_aside(tally *y, const view *here, aside *to)
{
    init_system *s = y->s;
    nearby w;
    double *inner;
    size_t inner_count;
    const size_t conditions = here->t.conditions;
    uint8_t *first = ARENA_ARRAY(&s->arena, uint8_t, conditions);
    if (!first) return DAE_MEMORY;
    for (size_t c = 0; c < conditions; c++) first[c] = !here->is_redundant[c];
    dae_status st = nearby_go(&w, s, &here->t, &to->is_known);
    if (st) return st;
    if (to->is_known) {
        st = view_init(&to->v, y, here->rank_zero, here->part_zero,
            here->is_balanced, first);
        if (!st)
            st = find_inner(y, to->v.open, to->v.directions, here->part_zero,
                &inner, &inner_count);
        if (!st) to->missing = to->v.directions - inner_count;
    }
    const dae_status back = nearby_return(&w, s);
    return st ? st : back;
}

/* Have the rows no more left than rounding, or than they had? */
static bool holds_as(const init_system *s, const double *res)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!(fabs(s->res[i])
                <= fmax(2 * fabs(res[i]), ROUNDING_OF_SUMS * s->noise[i])))
            return false;
    return true;
}

/* Goes to a solution with another value of the slot and all that is given, where
 * there is one. `res`: the residuals of the start. */
static dae_status try_move(
    init_system *s, size_t slot, double by, const double *res, bool *is_moved)
{
    moment here;
    solution found;
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = moment_take(&here, s);
    if (st) return st;
    s->z[slot] += by;
    s->is_free[slot] = 0;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) {
        unknowns_measure(s);
        st = solve_rows(s, NULL, true, &found);
    }
    *is_moved = !st && found.end == GAUSS_NEWTON_SOLVED && holds_as(s, res);
    if (!*is_moved) moment_return(&here, s);
    arena_release(&s->arena, mark);
    if (st == DAE_RETRY || (!st && !*is_moved)) st = unknowns_jacobian(s);
    return st;
}

/* What stays open without the directions of `closed`. */
static dae_status keep_open(tally *y, const row_basis *closed)
{
    arena *a = &y->s->arena;
    const size_t width = y->here.directions;
    size_t left;
    double *rest;
    double *rows = ARENA_ARRAY(a, double, closed->count *width);
    if (!rows) return DAE_MEMORY;
    for (size_t i = 0; i < closed->count; i++)
        for (size_t d = 0; d < width; d++)
            rows[d * closed->count + i] = closed->q[i * width + d];
    const dae_status st = rrqr_null_space(
        a, rows, closed->count, width, rank_zero(width), &rest, &left);
    if (st) return st;
    double *open = ARENA_ARRAY(a, double, y->columns *left);
    if (!open) return DAE_MEMORY;
    for (size_t k = 0; k < left; k++)
        for (size_t d = 0; d < width; d++)
            for (size_t j = 0; j < y->columns; j++)
                open[k * y->columns + j] += rest[k * width + d]
                    * y->here.open[d * y->columns + j];
    y->here.open = open;
    y->here.directions = left;
    return DAE_OK;
}

/* The directions along which no other solution is, as at a double root, are closed
 * here, too: slot after slot is moved, and stays there. */
static dae_status find_closed(tally *y, row_basis *closed)
{
    init_system *s = y->s;
    const size_t width = y->here.directions;
    arena *a = &s->arena;
    row_basis all;
    moment here;
    dae_status st = moment_take(&here, s);
    double *rows = make_rows(y);
    double *size = ARENA_ARRAY(a, double, y->columns);
    double *row = ARENA_ARRAY(a, double, width);
    uint8_t *was_free = ARENA_ARRAY(a, uint8_t, s->slots);
    uint8_t *choices = ARENA_ARRAY(a, uint8_t, y->columns);
    if (st || !rows || !size || !row || !was_free || !choices
        || !row_basis_init(&all, a, width, width))
        return DAE_MEMORY;
    memcpy(was_free, s->is_free, s->slots);
    for (size_t j = 0; j < y->columns; j++)
        if (s->is_free[y->slot_at[j]]) choices[j] = y->is_inner[j] ? 2 : 1;
    nearby_sizes(s, &y->here.t, size);
    while (!st && all.count < width) {
        bool is_moved = false;
        const size_t j = choose_next(y, choices, rows);
        if (j == y->columns) break;
        memcpy(row, rows + j * width, width * sizeof *row);
        hold(y, &all, rows, j);
        const size_t slot = (size_t)y->slot_at[j];
        const double by[] = {fmax(size[j], unknowns_unit(s, slot)), size[j]};
        for (int k = 0; k < 4 && !is_moved && !st; k++)
            st = try_move(s, slot, (k % 2 ? -ASIDE : ASIDE) * by[k / 2],
                here.res, &is_moved);
        if (!is_moved) (void)row_basis_add(closed, row, 0);
    }
    memcpy(s->is_free, was_free, s->slots);
    moment_return(&here, s);
    return st ? st : unknowns_jacobian(s);
}

/* As many conditions that say nothing to first order are needed after all. */
static dae_status close_singular(tally *y, const aside *to)
{
    view *here = &y->here;
    row_basis closed;
    if (!row_basis_init(
            &closed, &y->s->arena, here->directions, here->directions))
        return DAE_MEMORY;
    const dae_status st = find_closed(y, &closed);
    if (st) return st;
    size_t left = closed.count;
    for (size_t c = 0; c < here->t.conditions && left; c++) {
        if (!here->is_redundant[c] || to->v.is_redundant[c]) continue;
        here->is_redundant[c] = 0;
        left--;
    }
    return keep_open(y, &closed);
}

static dae_status list_columns(
    tally *y, const bool *which, const int32_t **list, size_t *count)
{
    int32_t *to = ARENA_ARRAY(&y->out->arena, int32_t, y->columns);
    *count = 0;
    *list = to;
    if (!to) return DAE_MEMORY;
    for (size_t j = 0; j < y->columns; j++)
        if (which[j]) to[(*count)++] = y->slot_at[j];
    return DAE_OK;
}

/* Those open here and not aside, inner ones only where there are no others;
 * where there are none, those that second order closes; all that are open
 * where two families cross. */
static dae_status list_singular(tally *y, const view *here, const view *there)
{
    bool is_any = false, is_outer = false;
    bool is_closed = false;
    bool *is_singular = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    bool *is_moved = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    if (!is_singular || !is_moved) return DAE_MEMORY;
    mark_moved(y, here->open, here->directions, here->part_zero, is_moved);
    for (size_t j = 0; j < y->columns; j++) {
        is_any = is_any || (here->is_open[j] && !there->is_open[j]);
        is_closed = is_closed || (here->is_open[j] && !is_moved[j]);
    }
    for (size_t j = 0; j < y->columns; j++) {
        is_singular[j] = here->is_open[j] && !(is_any && there->is_open[j])
            && (is_any || !is_closed || !is_moved[j]);
        is_outer = is_outer || (is_singular[j] && !y->is_inner[j]);
    }
    for (size_t j = 0; j < y->columns; j++)
        if (is_outer && y->is_inner[j]) is_singular[j] = false;
    return list_columns(
        y, is_singular, &y->out->singular, &y->out->singular_count);
}

/* Is more open here than aside? */
static dae_status find_singular(tally *y)
{
    aside to = {.is_known = false};
    dae_status st = look_aside(y, &y->here, &to);
    if (st || !to.is_known || to.v.directions >= y->here.directions) return st;
    if ((st = close_singular(y, &to))) return st;
    return list_singular(y, &y->here, &to.v);
}

/* What is nearly open here and not aside is only told. */
static dae_status find_nearly_singular(tally *y)
{
    view nearly;
    aside to = {.is_known = false};
    dae_status st = view_init(
        &nearly, y, EFFECT_ERROR, EFFECT_ERROR, false, NULL);
    if (st || nearly.directions <= y->here.directions) return st;
    st = look_aside(y, &nearly, &to);
    if (st || !to.is_known || to.v.directions >= nearly.directions) return st;
    return list_singular(y, &nearly, &to.v);
}

/* ---- what could be given ------------------------------------------------------- */

static dae_status propose(tally *y)
{
    init_findings *out = y->out;
    arena *a = &y->s->arena;
    row_basis b;
    dae_status st;
    double *rows = make_rows(y);
    bool *is_listed = ARENA_ARRAY(a, bool, y->columns);
    int32_t *list = ARENA_ARRAY(&out->arena, int32_t, y->columns);
    if (!rows || !is_listed || !list
        || !row_basis_init(&b, a, y->here.directions, y->here.directions))
        return DAE_MEMORY;
    out->could_fix = list;
    while (out->could_fix_count < y->missing) {
        const size_t j = choose_next(y, y->choice, rows);
        if (j == y->columns) break;
        if ((st = unknowns_interrupt(y->s))) return st;
        hold(y, &b, rows, j);
        is_listed[j] = true;
        list[out->could_fix_count++] = y->slot_at[j];
    }
    if (y->missing == 0) return DAE_OK;
    for (size_t j = 0; j < y->columns; j++) {
        const double size = movement(
            y->here.open, y->columns, y->here.directions, j);
        if (y->choice[j] && !is_listed[j] && size > y->here.part_zero)
            list[out->could_fix_count++] = y->slot_at[j];
    }
    return DAE_OK;
}

/* ---- all of it ------------------------------------------------------------------ */

static dae_status list_redundant(tally *y)
{
    init_system *s = y->s;
    init_findings *out = y->out;
    init_party *list = ARENA_ARRAY(
        &out->arena, init_party, y->here.t.conditions);
    size_t c = 0;
    if (!list) return DAE_MEMORY;
    out->redundant = list;
    out->redundant_count = 0;
    for (size_t j = 0; j < y->columns; j++) {
        const size_t k = (size_t)y->slot_at[j];
        if (s->is_free[k]) continue;
        if (y->here.is_redundant[c++])
            list[out->redundant_count++] = (init_party){.kind = INIT_GIVEN,
                .index = k,
                .residual = s->z[k],
                .sides = {(double)NAN, (double)NAN}};
    }
    for (size_t i = s->equations; i < s->rows; i++)
        if (y->here.is_redundant[c++])
            list[out->redundant_count++] = (init_party){.kind = INIT_CONDITION,
                .index = i - s->equations,
                .residual = s->res[i],
                .sides = {(double)NAN, (double)NAN}};
    assert(c == y->here.t.conditions);
    return DAE_OK;
}

static dae_status list_open(tally *y)
{
    init_findings *out = y->out;
    const view *here = &y->here;
    bool *is_moved = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    double *inner;
    size_t inner_count;
    dae_status st;
    if (!is_moved) return DAE_MEMORY;
    mark_moved(y, here->open, here->directions, here->part_zero, is_moved);
    if ((st = list_columns(y, is_moved, &out->open, &out->open_count)))
        return st;
    if ((st = find_inner(y, here->open, here->directions, here->part_zero,
             &inner, &inner_count)))
        return st;
    if (y->missing > here->directions - inner_count)
        y->missing = here->directions - inner_count;
    mark_moved(y, inner, inner_count, here->part_zero, is_moved);
    /* given, they would take a direction that no condition is missing for */
    for (size_t j = 0; j < y->columns; j++)
        if (is_moved[j]) y->choice[j] = 0;
    return list_columns(
        y, is_moved, &out->undetermined, &out->undetermined_count);
}

static dae_status tally_run(tally *y)
{
    dae_status st;
    if ((st = fill_masks(y))) return st;
    const bool is_constant = unknowns_are_constant(y->s);
    const double least = is_constant ? 0 : 1;
    if ((st = view_init(&y->here, y, least * CIRCUIT_ZERO, least * HALF_DIGITS,
             true, NULL)))
        return st;
    y->missing = y->here.directions;
    if (y->here.directions && (st = find_singular(y))) return st;
    if (!y->out->singular && !is_constant && (st = find_nearly_singular(y)))
        return st;
    if ((st = list_open(y)) || (st = propose(y))) return st;
    assert(y->missing <= y->here.directions);
    assert(y->out->could_fix_count <= y->columns);
    y->out->missing = y->missing;
    y->out->is_by_rank = true;
    return list_redundant(y);
}

dae_status count_conditions(init_system *s, init_findings *out)
{
    tally y = {.s = s, .out = out};
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = slots_list(s, &y.slot_at, &y.columns);
    if (!st && is_feasible(s->rows, y.columns)) st = tally_run(&y);
    arena_release(&s->arena, mark);
    return st;
}
