#include "code/structural.h"
#include <dae/structure.h>
#include <stdlib.h>
#include <string.h>

/* Rows: equations, then definitions as g(...) - v = 0. Columns: unknowns,
 * then definitions. Derivatives of a definition are the definition itself, as
 * those of an unknown are. */
typedef struct incidence {
    compiled *c;
    dae_incidence p;
    dae_matching m;
    int64_t *start;
    int32_t *row;
    uint32_t *number; /* definition -> place among those used, or NONE */
    uint32_t *used;   /* definitions used */
    size_t used_count;
} incidence;

static uint32_t base_definition(const compiled *c, uint32_t id)
{
    const definition *items = c->s->definitions.items;
    while (items[id].kind == DEFINITION_DERIVATIVE) id = items[id].of;
    return id;
}

static void visit(incidence *s, uint32_t id)
{
    id = base_definition(s->c, id);
    if (s->number[id] != NONE) return;
    s->number[id] = (uint32_t)s->used_count;
    s->used[s->used_count++] = id;
}

/* What a row uses, by one of its holes. */
static bool hole_column(
    const incidence *s, const leaf *l, const uint32_t *row, size_t *column)
{
    const uint32_t object = row[1 + l->hole];
    if (l->kind == LEAF_UNKNOWN) *column = object;
    else if (l->kind == LEAF_DEFINITION)
        *column = s->c->slots.unknowns
            + s->number[base_definition(s->c, object)];
    else return false;
    return true;
}

static void visit_row(incidence *s, const row_set *set, const uint32_t *row)
{
    for (uint32_t l = 0; l < set->leaf_count; l++)
        if (set->leaves[l].kind == LEAF_DEFINITION)
            visit(s, row[1 + set->leaves[l].hole]);
}

static const uint32_t *definition_row(
    const compiled *c, uint32_t id, uint32_t r, const row_set **set)
{
    const definition *d = &c->s->definitions.items[id];
    const row_ref ref = c->s->row_refs.items[d->first_row + r];
    *set = ref_set(c, ref);
    return set_row(*set, ref.row);
}

/* The definitions below the equations, each once. */
static dae_status find_used(incidence *s)
{
    compiled *c = s->c;
    const size_t count = c->defs.count;
    s->number = ARENA_ARRAY(&c->scratch, uint32_t, count);
    s->used = ARENA_ARRAY(&c->scratch, uint32_t, count);
    if (!s->number || !s->used) return DAE_MEMORY;
    if (count) memset(s->number, 0xFF, count * sizeof *s->number);
    for (size_t k = 0; count && k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (size_t r = 0; r < set->count; r++)
            visit_row(s, set, set_row(set, r));
    }
    for (size_t k = 0; k < s->used_count; k++) {
        const uint32_t id = s->used[k];
        const row_set *set;
        for (uint32_t r = 0; r < c->s->definitions.items[id].row_count; r++) {
            const uint32_t *row = definition_row(c, id, r, &set);
            visit_row(s, set, row);
        }
    }
    return DAE_OK;
}

/* One row's entries: counted while `row` is NULL. */
static void put_row(
    incidence *s, const row_set *set, const uint32_t *row, size_t target)
{
    for (uint32_t l = 0; l < set->leaf_count; l++) {
        size_t column;
        if (!hole_column(s, &set->leaves[l], row, &column)) continue;
        const int64_t at = s->start[column + 1]++;
        if (s->row) s->row[at] = (int32_t)target;
    }
}

static void put_all(incidence *s)
{
    const compiled *c = s->c;
    const size_t m = c->s->equation_count, n = c->slots.unknowns;
    for (size_t k = 0; k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (size_t r = 0; r < set->count; r++)
            put_row(s, set, set_row(set, r), set_row(set, r)[0]);
    }
    for (size_t k = 0; k < s->used_count; k++) {
        const uint32_t id = s->used[k];
        const row_set *set;
        const int64_t at = s->start[n + k + 1]++;
        if (s->row) s->row[at] = (int32_t)(m + k);
        for (uint32_t r = 0; r < c->s->definitions.items[id].row_count; r++) {
            const uint32_t *row = definition_row(c, id, r, &set);
            put_row(s, set, row, m + k);
        }
    }
}

/* By columns: counts, sums, entries. start[j + 1] moves from the begin of
 * column j to its end meanwhile. */
static dae_status fill(incidence *s)
{
    arena *a = &s->c->scratch;
    const size_t columns = s->p.columns;
    int64_t sum = 0;
    s->start = ARENA_ARRAY(a, int64_t, columns + 1);
    if (!s->start) return DAE_MEMORY;
    put_all(s);
    for (size_t j = 0; j < columns; j++) {
        const int64_t count = s->start[j + 1];
        s->start[j + 1] = sum;
        sum += count;
    }
    s->row = ARENA_ARRAY(a, int32_t, (size_t)sum);
    if (!s->row) return DAE_MEMORY;
    put_all(s);
    s->p.column_start = s->start;
    s->p.row = s->row;
    return DAE_OK;
}

static void match_pair(incidence *s, size_t row, size_t column)
{
    if (s->m.row_of[column] != DAE_UNMATCHED) return;
    if (s->m.column_of[row] != DAE_UNMATCHED) return;
    s->m.row_of[column] = (int32_t)row;
    s->m.column_of[row] = (int32_t)column;
}

/* A first matching, which for most models is the last: definitions with
 * themselves, equations with a highest derivative. */
static void match_likely(incidence *s)
{
    const compiled *c = s->c;
    const slot_tables *t = &c->slots;
    for (size_t k = 0; k < s->used_count; k++)
        match_pair(s, c->s->equation_count + k, t->unknowns + k);
    for (size_t k = 0; k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (uint32_t l = 0; l < set->leaf_count; l++) {
            const leaf *hole = &set->leaves[l];
            if (hole->kind != LEAF_UNKNOWN || hole->order == 0) continue;
            for (size_t r = 0; r < set->count; r++) {
                const uint32_t *row = set_row(set, r);
                const uint32_t j = row[1 + hole->hole];
                if (t->order[j] == hole->order) match_pair(s, row[0], j);
            }
        }
    }
}

static dae_status match(incidence *s)
{
    arena *a = &s->c->scratch;
    s->m = (dae_matching){.row_of = ARENA_ARRAY(a, int32_t, s->p.columns),
        .column_of = ARENA_ARRAY(a, int32_t, s->p.rows),
        .row_part = ARENA_ARRAY(a, uint8_t, s->p.rows),
        .column_part = ARENA_ARRAY(a, uint8_t, s->p.columns)};
    if (!s->m.row_of || !s->m.column_of || !s->m.row_part || !s->m.column_part)
        return DAE_MEMORY;
    for (size_t j = 0; j < s->p.columns; j++) s->m.row_of[j] = DAE_UNMATCHED;
    for (size_t i = 0; i < s->p.rows; i++) s->m.column_of[i] = DAE_UNMATCHED;
    match_likely(s);
    return dae_structure_match(&s->p, s->c->allocator, &s->m);
}

/* The members of a set below `count`, then those of the part that are not
 * among them. Both ascend. */
static void list_members(const int32_t *set, size_t set_count,
    const uint8_t *part, uint8_t which, size_t count, uint32_t *to,
    size_t *witness, size_t *all)
{
    size_t k = 0;
    *witness = 0;
    for (size_t i = 0; i < set_count && (size_t)set[i] < count; i++)
        to[(*witness)++] = (uint32_t)set[i];
    *all = *witness;
    for (size_t i = 0; i < count; i++) {
        if (part[i] != which) continue;
        while (k < *witness && to[k] < i) k++;
        if (k < *witness && to[k] == i) continue;
        to[(*all)++] = (uint32_t)i;
    }
}

typedef struct in_text {
    size_t position;
    uint32_t number;
} in_text;

static int compare_positions(const void *left, const void *right)
{
    const in_text *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

/* Part of a list in the order of the text. */
static dae_status sort_by_text(
    compiled *c, bool is_equations, uint32_t *list, size_t count)
{
    const system_tables *s = c->s;
    in_text *at = ARENA_ARRAY(&c->scratch, in_text, count + 1);
    if (!at) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++)
        at[k] = (in_text){is_equations
                ? equation_block_position(&s->equations, list[k])
                : name_block_position(&s->unknowns, list[k]),
            list[k]};
    if (count) qsort(at, count, sizeof *at, compare_positions);
    for (size_t k = 0; k < count; k++) list[k] = at[k].number;
    return DAE_OK;
}

static dae_status sort_side(compiled *c, structural_side *side)
{
    const size_t equations = side->equation_count;
    const size_t unknowns = side->unknown_count;
    dae_status st = sort_by_text(c, true, side->equations, equations);
    if (!st)
        st = sort_by_text(c, true, side->equations + equations,
            side->equation_all - equations);
    if (!st) st = sort_by_text(c, false, side->unknowns, unknowns);
    if (!st)
        st = sort_by_text(
            c, false, side->unknowns + unknowns, side->unknown_all - unknowns);
    return st;
}

/* The definitions in `set` (from `base`) that are not in `other` (from
 * `other_base`). */
static void list_definitions(const incidence *s, const int32_t *set,
    size_t count, size_t base, const int32_t *other, size_t other_count,
    size_t other_base, structural_side *to)
{
    size_t k = 0;
    for (size_t i = 0; i < count; i++) {
        if ((size_t)set[i] < base) continue;
        const size_t d = (size_t)set[i] - base;
        while (k < other_count
            && ((size_t)other[k] < other_base
                || (size_t)other[k] - other_base < d))
            k++;
        if (k < other_count && (size_t)other[k] - other_base == d) continue;
        to->definitions[to->definition_count++] = s->used[d];
    }
}

static dae_status take_side(
    incidence *s, bool is_excess, dae_witness *w, structural_side *to)
{
    compiled *c = s->c;
    const size_t m = c->s->equation_count, n = c->slots.unknowns;
    const uint8_t part = is_excess ? DAE_PART_OVER : DAE_PART_UNDER;
    *to = (structural_side){.equations = ARENA_ARRAY(&c->scratch, uint32_t, m),
        .unknowns = ARENA_ARRAY(&c->scratch, uint32_t, n),
        .definitions = ARENA_ARRAY(&c->scratch, uint32_t, s->used_count)};
    if (!to->equations || !to->unknowns || !to->definitions) return DAE_MEMORY;
    const dae_status st = is_excess
        ? dae_structure_excess(&s->p, &s->m, c->allocator, w)
        : dae_structure_shortage(&s->p, &s->m, c->allocator, w);
    if (st) return st;
    list_members(w->rows, w->row_count, s->m.row_part, part, m, to->equations,
        &to->equation_count, &to->equation_all);
    list_members(w->columns, w->column_count, s->m.column_part, part, n,
        to->unknowns, &to->unknown_count, &to->unknown_all);
    if (is_excess)
        list_definitions(
            s, w->columns, w->column_count, n, w->rows, w->row_count, m, to);
    else
        list_definitions(
            s, w->rows, w->row_count, m, w->columns, w->column_count, n, to);
    return sort_side(c, to);
}

dae_status structural_find(compiled *c, structural *out)
{
    incidence s = {.c = c};
    *out = (structural){0};
    dae_status st = find_used(&s);
    if (st) return st;
    s.p.rows = c->s->equation_count + s.used_count;
    s.p.columns = c->slots.unknowns + s.used_count;
    if ((st = fill(&s)) || (st = match(&s))) return st;
    out->is_regular = s.m.rank == s.p.rows && s.m.rank == s.p.columns;
    if (out->is_regular) return DAE_OK;
    dae_witness w = {.rows = ARENA_ARRAY(&c->scratch, int32_t, s.p.rows),
        .columns = ARENA_ARRAY(&c->scratch, int32_t, s.p.columns)};
    if (!w.rows || !w.columns) return DAE_MEMORY;
    if ((st = take_side(&s, true, &w, &out->excess))) return st;
    return take_side(&s, false, &w, &out->shortage);
}
