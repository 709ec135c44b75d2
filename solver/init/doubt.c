/* One value at a time: it is set free, with those found needless before and
 * the slots that change the rows; where the rows can be solved then, it stays.
 * A free slot that does not change the rows to first order is held likewise,
 * and where it must be, the rows that determine it take part. */
#include "init/doubt.h"
#include "init/damped.h"
#include <math.h>
#include <string.h>

enum { DOUBTS = 24, STARTS = 2 };
/* A slot whose own size changes a row by less of the largest such change does
 * not change it. */
static const double LEAST = 1e-6;

typedef struct doubt {
    init_system *s;
    blame *b;
    uint8_t *occurs;    /* slots: in one of the rows */
    uint8_t *moves;     /* slots: free, and changes one of the rows */
    uint8_t *is_member; /* slots: in b->slots */
    uint8_t *is_row;    /* rows: in b->rows */
    int32_t *slots;     /* those set free, ascending */
    size_t slot_count;
    int32_t *held; /* free slots that must keep their values */
    size_t held_count;
    uint8_t *is_needless; /* slots */
    int doubts;
    double *z, *res; /* to go back to */
} doubt;

/* Whether and how a slot is in the rows; `largest` (rows) of what its own size
 * changes them by, or with that known, whether it counts. */
static void look_at(doubt *d, size_t slot, double *largest, bool is_known)
{
    const init_system *s = d->s;
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t row = (size_t)e[q].row[p] + e[q].offset;
            if (!d->is_row[row] || !entry_is_present(&e[q], p)) continue;
            const double change = fabs(entry_value(&e[q], p))
                * fmax(s->scale[slot], fabs(s->z[slot]));
            d->occurs[slot] = 1;
            if (!is_known) largest[row] = fmax(largest[row], change);
            else if (s->is_free[slot] && change > LEAST * largest[row])
                d->moves[slot] = 1;
        }
    }
}

static dae_status mark_slots(doubt *d)
{
    init_system *s = d->s;
    arena *a = &s->arena;
    d->is_row = ARENA_ARRAY(a, uint8_t, s->rows);
    d->occurs = ARENA_ARRAY(a, uint8_t, s->slots);
    d->moves = ARENA_ARRAY(a, uint8_t, s->slots);
    d->is_member = ARENA_ARRAY(a, uint8_t, s->slots);
    d->is_needless = ARENA_ARRAY(a, uint8_t, s->slots);
    d->slots = ARENA_ARRAY(a, int32_t, s->slots);
    d->z = ARENA_ARRAY(a, double, s->slots);
    d->res = ARENA_ARRAY(a, double, s->rows);
    d->held = ARENA_ARRAY(a, int32_t, s->slots);
    double *largest = ARENA_ARRAY(a, double, s->rows);
    if (!largest || !d->held || !d->is_needless || !d->is_row || !d->occurs
        || !d->moves || !d->is_member || !d->slots || !d->z || !d->res)
        return DAE_MEMORY;
    for (size_t k = 0; k < d->b->row_count; k++) d->is_row[d->b->rows[k]] = 1;
    for (size_t k = 0; k < d->b->slot_count; k++)
        d->is_member[d->b->slots[k]] = 1;
    for (size_t k = 0; k < s->slots; k++) look_at(d, k, largest, false);
    for (size_t k = 0; k < s->slots; k++) look_at(d, k, largest, true);
    memcpy(d->z, s->z, s->slots * sizeof *s->z);
    memcpy(d->res, s->res, s->rows * sizeof *s->res);
    return DAE_OK;
}

/* The slots that the rows may be solved for. */
static void list_free(doubt *d, size_t candidate)
{
    d->slot_count = 0;
    for (size_t k = 0; k < d->s->slots; k++) {
        if (!d->occurs[k]) continue;
        if (d->moves[k] || d->is_needless[k] || k == candidate)
            d->slots[d->slot_count++] = (int32_t)k;
    }
}

static dae_status try_start(doubt *d, int start, bool *is_solved)
{
    init_system *s = d->s;
    submatrix m;
    damped_result result;
    memcpy(s->z, d->z, s->slots * sizeof *s->z);
    for (size_t j = 0; j < d->slot_count; j++) {
        const size_t k = (size_t)d->slots[j];
        const double size = fmax(s->scale[k], 1) * (start ? -0.3 : 0.1);
        const double to = s->z[k] + size * (1 - 0.05 * (double)(j % 13));
        s->z[k] = fmin(fmax(to, s->low[k]), s->high[k]);
    }
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st)
        st = submatrix_init(
            &m, s, d->b->rows, d->b->row_count, d->slots, d->slot_count);
    if (!st) st = damped_solve(s, &m, s->scale, &result);
    if (!st && result.outcome == DAMPED_SOLVED) *is_solved = true;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Ascending lists of what is marked. */
static dae_status list_members(doubt *d)
{
    init_system *s = d->s;
    blame *b = d->b;
    b->rows = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    b->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    b->row_count = b->slot_count = 0;
    if (!b->rows || !b->slots) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++)
        if (d->is_row[i]) b->rows[b->row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (d->is_member[k]) b->slots[b->slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* Can the rows be solved once this slot is free, too? Then it takes part. */
static dae_status try_slot(doubt *d, size_t slot)
{
    bool is_solved = false;
    dae_status st = DAE_OK;
    if (d->doubts++ >= DOUBTS) return DAE_OK;
    list_free(d, slot);
    for (int start = 0; start < STARTS && !st && !is_solved; start++)
        st = try_start(d, start, &is_solved);
    if (!is_solved) d->is_needless[slot] = 1;
    else if (d->s->is_free[slot]) d->held[d->held_count++] = (int32_t)slot;
    else d->is_member[slot] = 1;
    return st;
}

/* Free slots first: what holds them may hold given values, too. */
static dae_status go_through(doubt *d)
{
    const init_system *s = d->s;
    dae_status st = DAE_OK;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < s->slots && !st; k++)
            if (d->occurs[k] && !d->moves[k] && !d->is_member[k]
                && (s->is_free[k] != 0) == (pass == 0))
                st = try_slot(d, k);
    return st;
}

/* The rows that keep a free slot where it is. None: it can move, so there is
 * no contradiction. */
static dae_status add_keepers(doubt *d, size_t slot, bool *is_kept)
{
    blame why;
    const dae_status st = blame_determine(d->s, slot, &why);
    *is_kept = why.row_count > 0;
    for (size_t k = 0; k < why.row_count; k++) d->is_row[why.rows[k]] = 1;
    for (size_t k = 0; k < why.slot_count; k++) d->is_member[why.slots[k]] = 1;
    return st;
}

dae_status doubt_settle(init_system *s, blame *b)
{
    doubt d = {.s = s, .b = b};
    bool is_kept = true;
    dae_status st = mark_slots(&d);
    if (st) return st;
    st = go_through(&d);
    memcpy(s->z, d.z, s->slots * sizeof *s->z);
    memcpy(s->res, d.res, s->rows * sizeof *s->res);
    if (st || (st = unknowns_jacobian(s))) return st;
    unknowns_measure(s);
    for (size_t k = 0; k < d.held_count && is_kept; k++)
        if ((st = add_keepers(&d, (size_t)d.held[k], &is_kept))) return st;
    if (is_kept) return list_members(&d);
    b->row_count = b->slot_count = 0;
    return DAE_OK;
}
