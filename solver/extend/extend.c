/* Puts the extended problem together: orders, numbering of rows and columns,
 * pattern (expand.c), then what others see of it (face.c). */
#include "extend/extend.h"
#include "extend/expand.h"
#include "extend/face.h"
#include <assert.h>
#include <limits.h>

void extended_free(extended *e)
{
    if (!e) return;
    extension *x = (extension *)e; /* `e` is its first field */
    extended_end_programs(x);
    alloc_free(x->allocator, x->room, x->room_size, sizeof *x->room);
    layout_clear(&x->layout);
    arena_clear(&x->arena);
    alloc_free(x->allocator, x, 1, sizeof *x);
}

static dae_status take_orders(extension *x, const int32_t *c, const int32_t *d)
{
    const size_t n = x->layout.unknowns;
    int32_t largest = 0;
    x->c = ARENA_ARRAY(&x->arena, int32_t, n);
    x->d = ARENA_ARRAY(&x->arena, int32_t, n);
    if (!x->c || !x->d) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) {
        assert(c[i] >= 0);
        x->c[i] = c[i];
        if (d) x->d[i] = d[i];
        if (c[i] > largest) largest = c[i];
    }
    if (largest >= DAE_SERIES_TERMS_MAX) return DAE_LIMIT;
    if (largest > 0 && !x->problem->series) return DAE_UNSUPPORTED;
    x->terms = (size_t)largest + 1;
    x->stride = x->terms;
    for (size_t j = 0; j < n; j++)
        if (x->stride < x->terms + x->layout.order[j])
            x->stride = x->terms + x->layout.order[j];
    return DAE_OK;
}

/* Where each equation's or unknown's derivatives begin, and back. */
static dae_status number(extension *x, const int32_t *top, const size_t **first,
    int32_t **owner, size_t *count)
{
    const size_t n = x->layout.unknowns;
    size_t *begin = ARENA_ARRAY(&x->arena, size_t, n + 1);
    if (!begin) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (!size_add(begin[i], (size_t)top[i] + 1, &begin[i + 1]))
            return DAE_LIMIT;
    if (begin[n] >= INT32_MAX / 2) return DAE_LIMIT;
    *owner = ARENA_ARRAY(&x->arena, int32_t, begin[n]);
    if (!*owner) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = begin[i]; k < begin[i + 1]; k++)
            (*owner)[k] = (int32_t)i;
    *first = begin;
    *count = begin[n];
    return DAE_OK;
}

/* How many coefficients are requested; all below DAE_SERIES_TERMS_MAX. */
static dae_status take_needs(extension *x)
{
    const layout *l = &x->layout;
    const size_t entries = x->source_entries;
    x->need = ARENA_ARRAY(&x->arena, uint8_t, l->unknowns);
    x->entry_need = ARENA_ARRAY(&x->arena, uint8_t, entries);
    if (!x->need || !x->entry_need) return DAE_MEMORY;
    for (size_t i = 0; i < l->unknowns; i++)
        x->need[i] = (uint8_t)(x->c[i] + 1);
    for (size_t e = 0; e < entries; e++) {
        const bool varies = !x->source->kind
            || x->source->kind[e] == DAE_ENTRY_VARYING;
        x->entry_need[e] = varies ? x->need[x->source->row[e]] : 1;
    }
    return DAE_OK;
}

static dae_status assume_full(extension *x, size_t entry_limit)
{
    const size_t columns = x->layout.states + x->layout.unknowns;
    if (columns > 0 && x->layout.unknowns > entry_limit / columns)
        return DAE_LIMIT;
    return expand_full(x, x->layout.unknowns, &x->full);
}

static dae_status build(
    extension *x, const int32_t *c, const int32_t *d, size_t entry_limit)
{
    const dae_problem *p = x->problem;
    dae_status st;
    if ((st = layout_init(&x->layout, p, x->allocator))) return st;
    if ((st = take_orders(x, c, d))) return st;
    x->source = p->pattern ? p->pattern : &x->full;
    if (!p->pattern && (st = assume_full(x, entry_limit))) return st;
    x->source_entries =
        (size_t)x->source->column_start[x->layout.states + x->layout.unknowns];
    expand_orders(x);
    x->e.unknowns = p->unknown_count;
    st = number(x, x->c, &x->e.row_first, &x->e.row_equation, &x->e.rows);
    if (st) return st;
    st = number(
        x, x->d, &x->e.column_first, &x->e.column_unknown, &x->e.columns);
    if (st) return st;
    if ((st = expand_pattern(x, entry_limit))) return st;
    if ((st = take_needs(x))) return st;
    if (!extended_take_room(x)) return DAE_MEMORY;
    return face_make(x);
}

dae_status extended_create(const dae_problem *problem, const int32_t *c,
    const int32_t *d, size_t entry_limit, const dae_allocator *allocator,
    extended **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    extension *x = alloc_zeroed(a, 1, sizeof *x);
    if (!x) return DAE_MEMORY;
    x->problem = problem;
    x->allocator = a;
    arena_init(&x->arena, a, 0);
    const dae_status st = build(x, c, d, entry_limit);
    if (st) extended_free(&x->e);
    else *out = &x->e;
    return st;
}
