/* The first step of every start, on integers: what is solved with what, and
 * what contradicts or lacks by count alone. */
#include "start/split.h"
#include "graph/match.h"

/* A submatrix with its coarse parts. */
typedef struct coarse {
    submatrix m;
    size_t rank;
    uint8_t *row_part, *column_part;
} coarse;

static dae_status coarse_init(coarse *c, init_system *s, const subset *from)
{
    arena *a = &s->arena;
    const size_t rows = from->row_count, columns = from->slot_count;
    dae_status st = submatrix_init(
        &c->m, s, from->rows, rows, from->slots, columns);
    if (st) return st;
    int32_t *row_of = ARENA_ARRAY(a, int32_t, columns);
    int32_t *column_of = ARENA_ARRAY(a, int32_t, rows);
    c->row_part = ARENA_ARRAY(a, uint8_t, rows);
    c->column_part = ARENA_ARRAY(a, uint8_t, columns);
    if (!row_of || !column_of || !c->row_part || !c->column_part)
        return DAE_MEMORY;
    for (size_t j = 0; j < columns; j++) row_of[j] = MATCH_NONE;
    for (size_t i = 0; i < rows; i++) column_of[i] = MATCH_NONE;
    st = match_maximum(rows, columns, c->m.column_start, c->m.row,
        s->request->allocator, row_of, column_of, &c->rank);
    if (st) return st;
    return match_parts(rows, columns, c->m.column_start, c->m.row, row_of,
        column_of, s->request->allocator, c->row_part, c->column_part);
}

static bool part_init(subset *p, init_system *s, size_t rows, size_t slots)
{
    *p = (subset){.rows = ARENA_ARRAY(&s->arena, int32_t, rows),
        .slots = ARENA_ARRAY(&s->arena, int32_t, slots)};
    return p->rows && p->slots;
}

/* What of `c` is in part `which`. */
static bool take_part(subset *p, init_system *s, const coarse *c, uint8_t which)
{
    if (!part_init(p, s, c->m.rows, c->m.columns)) return false;
    for (size_t i = 0; i < c->m.rows; i++)
        if (c->row_part[i] == which) p->rows[p->row_count++] = c->m.row_at[i];
    for (size_t j = 0; j < c->m.columns; j++)
        if (c->column_part[j] == which)
            p->slots[p->slot_count++] = c->m.slot_at[j];
    return true;
}

/* Marks the rows that have a present entry in slots [from, to) that are
 * free. */
static void mark_rows(
    const init_system *s, size_t from, size_t to, uint8_t *mark)
{
    for (size_t k = from; k < to; k++) {
        entry_range e[2];
        if (!s->is_free[k]) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                if (entry_is_present(&e[q], p))
                    mark[(size_t)e[q].row[p] + e[q].offset] = 1;
    }
}

static bool has_marked_row(
    const init_system *s, size_t slot, const uint8_t *mark)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if (mark[(size_t)e[q].row[p] + e[q].offset]
                && entry_is_present(&e[q], p))
                return true;
    return false;
}

/* Rows that have a free slot against free highest derivatives; the others
 * are checks. */
static dae_status split_rates(split *sp, init_system *s, subset *states)
{
    subset active;
    coarse c;
    dae_status st;
    uint8_t *mark = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!mark || !part_init(&active, s, s->rows, s->slots)
        || !part_init(&sp->checks, s, s->rows, 0))
        return DAE_MEMORY;
    mark_rows(s, 0, s->slots, mark);
    for (size_t i = 0; i < s->rows; i++) {
        subset *to = mark[i] ? &active : &sp->checks;
        to->rows[to->row_count++] = (int32_t)i;
    }
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k] && s->is_rate[k])
            active.slots[active.slot_count++] = (int32_t)k;
    if ((st = coarse_init(&c, s, &active))) return st;
    if (!take_part(states, s, &c, MATCH_OVER)
        || !take_part(&sp->part[SPLIT_RATES_WELL], s, &c, MATCH_WELL)
        || !take_part(&sp->part[SPLIT_RATES_UNDER], s, &c, MATCH_UNDER))
        return DAE_MEMORY;
    return DAE_OK;
}

/* The constraints against the free states in them and their derivatives. */
static dae_status split_states(split *sp, init_system *s, const subset *states)
{
    subset all;
    coarse c;
    dae_status st;
    uint8_t *mark = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    uint8_t *is_left = ARENA_ARRAY(&s->arena, uint8_t, s->slots);
    if (!mark || !is_left || !part_init(&all, s, states->row_count, s->slots)
        || !part_init(&sp->untouched, s, 0, s->states))
        return DAE_MEMORY;
    for (size_t i = 0; i < states->row_count; i++) {
        all.rows[all.row_count++] = states->rows[i];
        mark[states->rows[i]] = 1;
    }
    for (size_t j = 0; j < states->slot_count; j++)
        is_left[states->slots[j]] = 1;
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || (s->is_rate[k] && !is_left[k])) continue;
        const bool is_in = is_left[k] || has_marked_row(s, k, mark);
        subset *to = is_in ? &all : &sp->untouched;
        to->slots[to->slot_count++] = (int32_t)k;
    }
    if ((st = coarse_init(&c, s, &all))) return st;
    sp->missing = sp->untouched.slot_count + c.m.columns - c.rank;
    if (!take_part(&sp->part[SPLIT_STATES_OVER], s, &c, MATCH_OVER)
        || !take_part(&sp->part[SPLIT_STATES_WELL], s, &c, MATCH_WELL)
        || !take_part(&sp->part[SPLIT_STATES_UNDER], s, &c, MATCH_UNDER))
        return DAE_MEMORY;
    return DAE_OK;
}

dae_status split_init(split *sp, init_system *s)
{
    subset states;
    *sp = (split){0};
    const dae_status st = split_rates(sp, s, &states);
    return st ? st : split_states(sp, s, &states);
}

dae_status split_well(subset *well, init_system *s, const subset *from)
{
    coarse c;
    const dae_status st = coarse_init(&c, s, from);
    if (st) return st;
    return take_part(well, s, &c, MATCH_WELL) ? DAE_OK : DAE_MEMORY;
}
