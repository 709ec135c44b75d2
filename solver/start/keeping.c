/* Before a part with more slots than rows is solved by least changes, which
 * weigh by sizes and know no rank among guesses. Rows that cannot be met
 * without stated guesses get all of theirs back, so that they share the
 * change. */
#include "start/keeping.h"
#include "graph/match.h"

/* Times that rows get guesses back: each costs a matching. */
enum { ROUNDS = 20 };

typedef struct keeping {
    init_system *s;
    const subset *part;
    uint8_t *is_kept; /* slots */
    uint8_t *is_over; /* rows */
} keeping;

static void list_rest(const keeping *w, subset *rest)
{
    rest->slot_count = 0;
    for (size_t j = 0; j < w->part->slot_count; j++) {
        const int32_t k = w->part->slots[j];
        if (!w->is_kept[k]) rest->slots[rest->slot_count++] = k;
    }
}

/* Marks the rows that the slots left are too few for. */
static dae_status mark_over(
    const keeping *w, const subset *rest, bool *is_any)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    const size_t rows = rest->row_count, columns = rest->slot_count;
    submatrix m;
    size_t rank;
    dae_status st = submatrix_init(
        &m, s, rest->rows, rows, rest->slots, columns);
    if (st) return st;
    int32_t *row_of = ARENA_ARRAY(a, int32_t, columns);
    int32_t *column_of = ARENA_ARRAY(a, int32_t, rows);
    uint8_t *row_part = ARENA_ARRAY(a, uint8_t, rows);
    uint8_t *column_part = ARENA_ARRAY(a, uint8_t, columns);
    if (!row_of || !column_of || !row_part || !column_part) return DAE_MEMORY;
    for (size_t j = 0; j < columns; j++) row_of[j] = MATCH_NONE;
    for (size_t i = 0; i < rows; i++) column_of[i] = MATCH_NONE;
    const dae_allocator *from = s->request->allocator;
    st = match_maximum(
        rows, columns, m.column_start, m.row, from, row_of, column_of, &rank);
    if (!st)
        st = match_parts(rows, columns, m.column_start, m.row, row_of,
            column_of, from, row_part, column_part);
    *is_any = false;
    for (size_t i = 0; i < rows && !st; i++) {
        w->is_over[rest->rows[i]] = row_part[i] == MATCH_OVER;
        *is_any = *is_any || row_part[i] == MATCH_OVER;
    }
    return st;
}

static bool is_needed(const keeping *w, size_t slot)
{
    entry_range e[2];
    const int count = unknowns_column(w->s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if (w->is_over[(size_t)e[q].row[p] + e[q].offset]
                && entry_is_present(&e[q], p))
                return true;
    return false;
}

/* Kept guesses that the marked rows need may move; so many stay. */
static size_t give_back(const keeping *w)
{
    size_t kept = 0;
    for (size_t j = 0; j < w->part->slot_count; j++) {
        const size_t k = (size_t)w->part->slots[j];
        if (w->is_kept[k] && is_needed(w, k)) w->is_kept[k] = 0;
        kept += w->is_kept[k];
    }
    return kept;
}

dae_status keeping_rest(
    init_system *s, const subset *part, subset *rest, bool *is_any)
{
    arena *a = &s->arena;
    keeping w = {.s = s,
        .part = part,
        .is_kept = ARENA_ARRAY(a, uint8_t, s->slots),
        .is_over = ARENA_ARRAY(a, uint8_t, s->rows)};
    *rest = (subset){.rows = part->rows,
        .row_count = part->row_count,
        .slots = ARENA_ARRAY(a, int32_t, part->slot_count)};
    *is_any = false;
    if (!w.is_kept || !w.is_over || !rest->slots) return DAE_MEMORY;
    size_t kept = 0;
    for (size_t j = 0; j < part->slot_count; j++)
        kept += w.is_kept[part->slots[j]] = s->is_stated[part->slots[j]];
    bool is_over = true;
    for (int k = 0; k < ROUNDS && kept && is_over; k++) {
        const arena_position mark = arena_mark(a);
        list_rest(&w, rest);
        const dae_status st = mark_over(&w, rest, &is_over);
        arena_release(a, mark);
        if (st) return st;
        if (is_over) kept = give_back(&w);
    }
    *is_any = kept > 0 && !is_over;
    return DAE_OK;
}
