/* A pick as a dae_problem: which chains there are, where every column of the
 * extended problem lives, and the pattern that follows. */
#include "reduce/reduced.h"
#include "newton/weights.h"
#include "reduce/face.h"
#include <math.h>
#include <string.h>

/* Where an unknown begins: the first state of a chain, or a slot of no chain. */
static bool is_head(const reduced *r, const pick *p, size_t column)
{
    const merge *m = &r->merge;
    if (p->is_frozen[column] || m->first[column] != (int32_t)column)
        return false;
    return m->before[column] < 0
        || stabilizer_cuts(r->stabilizer, (size_t)m->before[column]);
}

static size_t chain_length(const reduced *r, size_t head)
{
    const int32_t *next = r->merge.next;
    size_t length = 0;
    for (int32_t c = (int32_t)head; next[c] >= 0; c = next[c]) {
        length++;
        if (stabilizer_cuts(r->stabilizer, (size_t)c)) break;
    }
    return length;
}

static dae_status count_unknowns(reduced *r, const pick *k)
{
    const size_t extra = r->stabilizer ? r->stabilizer->count : 0;
    size_t count = extra;
    for (size_t p = 0; p < r->e->columns; p++) count += is_head(r, k, p);
    uint8_t *order = ARENA_ARRAY(&r->arena, uint8_t, count);
    if (!order) return DAE_MEMORY;
    memset(order, 0, count);
    for (size_t p = 0, j = 0; p < r->e->columns; p++) {
        if (!is_head(r, k, p)) continue;
        const size_t length = chain_length(r, p);
        if (length > UINT8_MAX) return DAE_LIMIT;
        order[j++] = (uint8_t)length;
    }
    r->problem.unknown_count = count;
    r->problem.order = order;
    return DAE_OK;
}

/* The slots of unknown j, whose first column is `column`. */
static void number_unknown(reduced *r, size_t j, int32_t column)
{
    const layout *l = &r->layout;
    int32_t last = -1;
    for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
        r->column_of[s] = column;
        r->slot_of[column] = (int32_t)s;
        last = column;
        column = r->merge.next[column];
    }
    if (column < 0) return;
    r->column_of[l->states + j] = column;
    if (stabilizer_cuts(r->stabilizer, (size_t)last))
        r->stabilizer->unknown[r->stabilizer->relation_of[last]] = (int32_t)j;
    else r->slot_of[column] = (int32_t)(l->states + j);
}

static dae_status number_slots(reduced *r, const pick *k)
{
    const layout *l = &r->layout;
    const size_t slots = l->states + l->unknowns, columns = r->e->columns;
    stabilizer *z = r->stabilizer;
    r->column_of = ARENA_ARRAY(&r->arena, int32_t, slots);
    r->slot_of = ARENA_ARRAY(&r->arena, int32_t, columns);
    if (!r->column_of || !r->slot_of) return DAE_MEMORY;
    memset(r->column_of, 0xff, slots * sizeof *r->column_of);
    memset(r->slot_of, 0xff, columns * sizeof *r->slot_of);
    for (size_t p = 0, j = 0; p < columns; p++)
        if (is_head(r, k, p)) number_unknown(r, j++, (int32_t)p);
    for (size_t p = 0; p < columns; p++)
        r->slot_of[p] = r->slot_of[r->merge.first[p]];
    for (size_t q = 0; z && q < z->relations; q++)
        z->next[q] = r->slot_of[r->merge.next[z->column[q]]];
    return DAE_OK;
}

/* Of the columns that are one, a name of the user's own comes before that of a
 * derivative. */
static dae_status choose_names(reduced *r)
{
    const extended *e = r->e;
    const layout *l = &r->layout;
    int32_t *unknown_at = ARENA_ARRAY(&r->arena, int32_t, l->states);
    r->name_of = ARENA_ARRAY(&r->arena, int32_t, l->unknowns);
    r->state_name = ARENA_ARRAY(&r->arena, int32_t, l->states);
    if (!r->name_of || !r->state_name || !unknown_at) return DAE_MEMORY;
    memset(unknown_at, 0xff, l->states * sizeof *unknown_at);
    memset(r->state_name, 0xff, l->states * sizeof *r->state_name);
    for (size_t j = 0; j < l->unknowns; j++) {
        r->name_of[j] = r->column_of[l->first[j]];
        unknown_at[l->first[j]] = (int32_t)j;
        for (size_t s = l->first[j]; l->order[j] > 0 && s < l->first[j + 1];
             s++)
            r->state_name[s] = r->column_of[s];
    }
    for (size_t u = e->unknowns; u-- > 0;) {
        const size_t column = e->column_first[u];
        const int32_t s = r->slot_of[column];
        if (s < 0 || (size_t)s >= l->states) continue;
        if (r->state_name[s] >= 0) r->state_name[s] = (int32_t)column;
        if (unknown_at[s] < 0) continue;
        r->name_of[unknown_at[s]] = (int32_t)column;
    }
    return DAE_OK;
}

/* What the user's equations differentiate stays continuous, also where the pick
 * has made an unknown without derivatives of it. */
static dae_status find_slopes(reduced *r)
{
    const extended *e = r->e;
    const layout *l = &r->layout;
    r->slope_slot = ARENA_ARRAY(&r->arena, int32_t, l->states);
    if (!r->slope_slot) return DAE_MEMORY;
    memset(r->slope_slot, 0xff, l->states * sizeof *r->slope_slot);
    for (size_t j = 0; j < e->unknowns; j++) {
        const size_t first = e->column_first[j];
        const size_t q = r->original->order ? r->original->order[j] : 1;
        for (size_t c = first; c < first + q; c++) {
            const int32_t s = r->slot_of[c];
            const bool has_slope = c + 1 < e->column_first[j + 1];
            if (s < 0 || (size_t)s >= l->states || !has_slope) continue;
            r->slope_slot[s] = r->slot_of[c + 1];
        }
    }
    for (size_t u = 0; u < l->unknowns; u++)
        for (size_t s = l->first[u]; l->order[u] > 0 && s < l->first[u + 1];
             s++)
            r->slope_slot[s] = -1;
    return DAE_OK;
}

static dae_status number_rows(reduced *r, int32_t *number)
{
    size_t count = 0;
    r->row_of = ARENA_ARRAY(&r->arena, int32_t, r->problem.unknown_count);
    if (!r->row_of) return DAE_MEMORY;
    for (size_t i = 0; i < r->e->rows; i++) {
        number[i] = -1;
        if (r->merge.is_dropped[i]) continue;
        if (count == r->problem.unknown_count) return DAE_UNSUPPORTED;
        r->row_of[count] = (int32_t)i;
        number[i] = (int32_t)count++;
    }
    r->row_count = count;
    count += r->stabilizer ? r->stabilizer->relations : 0;
    count += r->loose ? r->loose->rows : 0;
    if (count != r->problem.unknown_count) return DAE_UNSUPPORTED;
    for (size_t i = r->row_count; i < count; i++) r->row_of[i] = -1;
    return DAE_OK;
}

/* The columns of every slot: linked lists over the columns. */
typedef struct sharing {
    int32_t *head, *next; /* slots; columns */
} sharing;

static dae_status share_slots(reduced *r, size_t slots, sharing *s)
{
    s->head = ARENA_ARRAY(&r->arena, int32_t, slots);
    s->next = ARENA_ARRAY(&r->arena, int32_t, r->e->columns);
    if (!s->head || !s->next) return DAE_MEMORY;
    memset(s->head, 0xff, slots * sizeof *s->head);
    for (size_t p = r->e->columns; p-- > 0;) {
        const int32_t slot = r->slot_of[p];
        if (slot < 0) continue;
        s->next[p] = s->head[slot];
        s->head[slot] = (int32_t)p;
    }
    return DAE_OK;
}

typedef struct filling {
    int64_t *start;
    int32_t *row;
    uint8_t *kind;
    int64_t *place; /* rows: where its entry in this column is + 1 */
} filling;

/* One column from those that share its slot; their rows ascend, so that only
 * where there are several the rows have to be sorted. */
static int64_t fill_column(reduced *r, const sharing *s, size_t slot,
    const int32_t *number, filling *f, int64_t at)
{
    const dae_pattern *e = r->e->problem.pattern;
    const int64_t begin = at;
    for (int32_t c = s->head[slot]; c >= 0; c = s->next[c])
        for (int64_t k = e->column_start[c]; k < e->column_start[c + 1]; k++) {
            const int32_t i = number[e->row[k]];
            if (i < 0) continue;
            if (f->place[i] > begin) {
                f->kind[f->place[i] - 1] = DAE_ENTRY_VARYING;
                continue;
            }
            f->row[at] = i;
            f->kind[at] = e->kind ? e->kind[k] : DAE_ENTRY_VARYING;
            f->place[i] = ++at;
        }
    for (int64_t k = begin + 1; k < at; k++) {
        const int32_t row = f->row[k];
        const uint8_t kind = f->kind[k];
        int64_t to = k;
        for (; to > begin && f->row[to - 1] > row; to--) {
            f->row[to] = f->row[to - 1];
            f->kind[to] = f->kind[to - 1];
        }
        f->row[to] = row;
        f->kind[to] = kind;
    }
    for (int64_t k = begin; k < at; k++) f->place[f->row[k]] = k + 1;
    for (int32_t c = s->head[slot]; c >= 0; c = s->next[c])
        for (int64_t k = e->column_start[c]; k < e->column_start[c + 1]; k++) {
            const int32_t i = number[e->row[k]];
            r->target[k] = i < 0 ? -1 : f->place[i] - 1;
        }
    return at;
}

/* Which slots stand alone in a relation. */
static dae_status place_relations(reduced *r, size_t slots, stabilizer_place *p)
{
    const stabilizer *z = r->stabilizer;
    *p = (stabilizer_place){.layout = &r->layout, .row = r->row_count};
    if (!z) return DAE_OK;
    p->relation_at = ARENA_ARRAY(&r->arena, int32_t, slots);
    if (!p->relation_at) return DAE_MEMORY;
    memset(p->relation_at, 0xff, slots * sizeof *p->relation_at);
    for (size_t q = 0; q < z->relations; q++) {
        p->relation_at[z->next[q]] = (int32_t)q;
        p->relation_at[r->layout.states + (size_t)z->unknown[q]] = (int32_t)q;
    }
    return DAE_OK;
}

/* The equations of loose unknowns are the last rows of their columns. */
static int64_t add_loose(reduced *r, size_t slot, filling *f, int64_t at)
{
    const loose *l = r->loose;
    for (size_t k = 0; l && k < l->count; k++) {
        if (r->slot_of[l->column[k]] != (int32_t)slot) continue;
        r->loose_entry[k] = at;
        for (size_t i = 0; i < l->rows; i++) {
            f->row[at] = (int32_t)(r->problem.unknown_count - l->rows + i);
            f->kind[at++] = DAE_ENTRY_VARYING;
        }
    }
    return at;
}

static dae_status make_pattern(reduced *r)
{
    const dae_pattern *e = r->e->problem.pattern;
    const size_t slots = r->layout.states + r->layout.unknowns;
    const size_t own = (size_t)e->column_start[r->e->columns];
    stabilizer *z = r->stabilizer;
    const size_t more = (z ? 2 * z->relations + z->start[z->count] : 0)
        + (r->loose ? r->loose->rows * r->loose->count : 0);
    const size_t most = own + more;
    arena *a = &r->arena;
    filling f = {.start = ARENA_ARRAY(a, int64_t, slots + 1),
        .row = ARENA_ARRAY(a, int32_t, most),
        .kind = ARENA_ARRAY(a, uint8_t, most),
        .place = ARENA_ARRAY(a, int64_t, r->problem.unknown_count)};
    int32_t *number = ARENA_ARRAY(a, int32_t, r->e->rows);
    sharing s;
    r->target = ARENA_ARRAY(a, int64_t, most);
    r->values = ARENA_ARRAY(a, double, most);
    r->loose_entry = ARENA_ARRAY(a, int64_t, r->loose ? r->loose->count : 0);
    r->columns = ARENA_ARRAY(a, double, r->e->columns);
    r->rows = ARENA_ARRAY(a, double, r->e->rows);
    if (!f.start || !f.row || !f.kind || !f.place || !number || !r->target
        || !r->values || !r->loose_entry || !r->columns || !r->rows)
        return DAE_MEMORY;
    dae_status st = number_rows(r, number);
    stabilizer_place place;
    if (st || (st = share_slots(r, slots, &s))
        || (st = place_relations(r, slots, &place)))
        return st;
    memset(r->target, 0xff, most * sizeof *r->target);
    int64_t at = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        f.start[slot] = at;
        at = fill_column(r, &s, slot, number, &f, at);
        if (z) at = stabilizer_fill(z, &place, slot, f.row, f.kind, at);
        at = add_loose(r, slot, &f, at);
    }
    f.start[slots] = at;
    r->pattern = (dae_pattern){f.start, f.row, f.kind};
    return DAE_OK;
}

/* Of the columns that are one state the smallest tolerance counts; a
 * derivative has its unknown's, unless it has a name of its own. */
static dae_status make_tolerances(reduced *r, double option)
{
    const dae_scales *s = r->original->scales;
    const size_t states = r->layout.states;
    double *atol = ARENA_ARRAY(&r->arena, double, states);
    uint8_t *is_named = ARENA_ARRAY(&r->arena, uint8_t, states);
    if (!atol || !is_named) return DAE_MEMORY;
    for (size_t k = 0; k < states; k++) atol[k] = HUGE_VAL;
    for (size_t p = 0; p < r->e->columns; p++) {
        const int32_t slot = r->slot_of[p];
        if (slot < 0 || (size_t)slot >= states) continue;
        const size_t j = (size_t)r->e->column_unknown[p];
        const bool is_name = p == r->e->column_first[j];
        if (is_named[slot] && !is_name) continue;
        const double own = weights_tolerance(s, j, option);
        const bool is_first = is_name && !is_named[slot];
        atol[slot] = is_first ? own : fmin(atol[slot], own);
        is_named[slot] = is_name;
    }
    /* a multiplier by a step is a change in units of the states' sizes */
    const stabilizer *z = r->stabilizer;
    for (size_t k = 0; z && k < z->count; k++) atol[states - 1 - k] = z->rtol;
    r->scales.state_atol = atol;
    r->problem.scales = &r->scales;
    return DAE_OK;
}

static dae_status make_bounds(reduced *r)
{
    const dae_scales *s = r->original->scales;
    const size_t n = r->problem.unknown_count;
    double *low = ARENA_ARRAY(&r->arena, double, n);
    double *high = ARENA_ARRAY(&r->arena, double, n);
    if (!low || !high) return DAE_MEMORY;
    for (size_t u = 0; u < n; u++) {
        const int32_t column = r->name_of[u];
        low[u] = -HUGE_VAL, high[u] = HUGE_VAL;
        if (column < 0) continue;
        const size_t j = (size_t)r->e->column_unknown[column];
        const bool is_own = (size_t)column == r->e->column_first[j];
        low[u] = is_own && s && s->minimum ? s->minimum[j] : -HUGE_VAL;
        high[u] = is_own && s && s->maximum ? s->maximum[j] : HUGE_VAL;
    }
    r->scales.minimum = low;
    r->scales.maximum = high;
    return DAE_OK;
}

/* What is tested: states, and unknowns of the user's that constraints
 * determine. Neither derivatives that the user's equations do not contain, nor
 * what only the last derivatives of the constraints determine: its error is
 * that of the states divided by the step. */
static dae_status make_groups(reduced *r, const uint8_t *follows)
{
    enum { TESTED = 1, BY_STEP = 2, FOLLOWS = 254 };
    const dae_problem *p = r->original;
    const extended *e = r->e;
    const size_t n = r->problem.unknown_count;
    uint8_t *group = ARENA_ARRAY(&r->arena, uint8_t, n);
    if (!group) return DAE_MEMORY;
    for (size_t u = 0; u < n; u++) {
        group[u] = BY_STEP;
        if (r->name_of[u] < 0) continue;
        const size_t column = (size_t)r->name_of[u];
        const size_t j = (size_t)e->column_unknown[column];
        const size_t order = column - e->column_first[j];
        const size_t q = p->order ? p->order[j] : 1;
        const bool is_internal = p->index_group && p->index_group[j] == 255;
        const bool is_derived = order > 0 && order >= q;
        group[u] = is_internal || is_derived || follows[j] ? FOLLOWS : TESTED;
    }
    r->problem.index_group = group;
    return DAE_OK;
}

static dae_status make(reduced *r, const pick *p, const uint8_t *follows,
    double atol, const stabilize_request *q)
{
    r->held = ARENA_ARRAY(&r->arena, double, r->e->columns);
    if (!r->held) return DAE_MEMORY;
    dae_status st = merge_slots(r->original, r->e, p, &r->arena, &r->merge);
    if (!st && q)
        st = stabilizer_create(q, r->e, &r->merge, &r->arena, &r->stabilizer);
    if (!st)
        st = loose_create(r->e, p->is_loose, p->is_free, &r->arena, &r->loose);
    if (st || (st = count_unknowns(r, p))) return st;
    st = layout_init(&r->layout, &r->problem, r->arena.allocator);
    if (st || (st = number_slots(r, p)) || (st = choose_names(r))
        || (st = find_slopes(r)) || (st = make_pattern(r))
        || (st = make_tolerances(r, atol)) || (st = make_bounds(r))
        || (st = make_groups(r, follows)))
        return st;
    reduced_face(r);
    return DAE_OK;
}

dae_status reduced_create(const dae_problem *original, const extended *e,
    const pick *p, const uint8_t *follows, double atol,
    const dae_allocator *allocator, reduced **out)
{
    return reduced_create_stabilized(
        original, e, p, follows, atol, NULL, allocator, out);
}

dae_status reduced_create_stabilized(const dae_problem *original,
    const extended *e, const pick *p, const uint8_t *follows, double atol,
    const stabilize_request *q, const dae_allocator *allocator, reduced **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    reduced *r = alloc_zeroed(a, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->e = e;
    r->original = original;
    arena_init(&r->arena, a, 0);
    const dae_status st = make(r, p, follows, atol, q);
    if (st) reduced_free(r);
    else *out = r;
    return st;
}

void reduced_free(reduced *r)
{
    if (!r) return;
    const dae_allocator *a = r->arena.allocator;
    layout_clear(&r->layout);
    arena_clear(&r->arena);
    alloc_free(a, r, 1, sizeof *r);
}
