#include "start/sequence.h"
#include "linalg/listing.h"
#include "linalg/naming.h"
#include <string.h>

static listed slot_key(const init_system *s, size_t slot)
{
    const init_request *r = s->request;
    int order;
    const size_t j = naming_unknown(r->layout, slot, &order);
    return (listed){
        .position = naming_position(r->problem, DAE_NAME_UNKNOWN, j),
        .order = (size_t)order};
}

static listed row_key(const init_system *s, size_t row)
{
    const bool is_f = row < s->equations;
    return (listed){.kind = !is_f,
        .position = naming_position(s->request->problem,
            is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION,
            is_f ? row : row - s->equations)};
}

size_t sequence_first_row(
    const init_system *s, const int32_t *rows, size_t count)
{
    size_t first = s->rows;
    listed least = {.kind = SIZE_MAX};
    for (size_t k = 0; k < count; k++) {
        const listed key = row_key(s, (size_t)rows[k]);
        const bool is_before = key.kind != least.kind
            ? key.kind < least.kind
            : key.position < least.position;
        if (!is_before) continue;
        least = key;
        first = (size_t)rows[k];
    }
    return first;
}

typedef listed key_fn(const init_system *s, size_t index);

/* A copy of a list in order. */
static dae_status arrange(init_system *s, const int32_t *from, size_t count,
    key_fn *key, int32_t **to)
{
    listing l;
    int32_t *list = ARENA_ARRAY(&s->arena, int32_t, count + 1);
    *to = list;
    if (!list) return DAE_MEMORY;
    if (count) memcpy(list, from, count * sizeof *list);
    if (!s->request->problem->position || count < 2) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    const dae_status st = listing_init(&l, &s->arena, count, sizeof *list);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = key(s, (size_t)list[k]);
    if (!st) listing_arrange(&l, list, count, sizeof *list);
    arena_release(&s->arena, mark);
    return st;
}

dae_status sequence_blame(init_system *s, blame *b)
{
    const dae_status st = arrange(s, b->rows, b->row_count, row_key, &b->rows);
    return st ? st : arrange(s, b->slots, b->slot_count, slot_key, &b->slots);
}

static dae_status arrange_slots(
    init_system *s, const int32_t **list, size_t count)
{
    int32_t *own;
    const dae_status st = arrange(s, *list, count, slot_key, &own);
    *list = own;
    return st;
}

/* Those that can be given together stay before the others. */
static dae_status arrange_could_fix(init_system *s, init_findings *f)
{
    const size_t all = f->could_fix_count;
    const size_t first = f->missing < all ? f->missing : all;
    int32_t *together, *others;
    int32_t *list = ARENA_ARRAY(&s->arena, int32_t, all + 1);
    if (!list) return DAE_MEMORY;
    if (all == 0) return DAE_OK;
    dae_status st = arrange(s, f->could_fix, first, slot_key, &together);
    if (!st)
        st = arrange(s, f->could_fix + first, all - first, slot_key, &others);
    if (st) return st;
    memcpy(list, together, first * sizeof *list);
    memcpy(list + first, others, (all - first) * sizeof *list);
    f->could_fix = list;
    return DAE_OK;
}

/* Values before conditions. */
static dae_status arrange_redundant(init_system *s, init_findings *f)
{
    listing l;
    const size_t count = f->redundant ? f->redundant_count : 0;
    if (!s->request->problem->position || count < 2) return DAE_OK;
    init_party *list = ARENA_ARRAY(&s->arena, init_party, count);
    if (!list) return DAE_MEMORY;
    memcpy(list, f->redundant, count * sizeof *list);
    f->redundant = list;
    const arena_position mark = arena_mark(&s->arena);
    const dae_status st = listing_init(&l, &s->arena, count, sizeof *list);
    for (size_t k = 0; !st && k < count; k++) {
        const bool is_value = list[k].kind == INIT_GIVEN;
        l.items[k] = is_value ? slot_key(s, list[k].index)
                              : row_key(s, s->equations + list[k].index);
    }
    if (!st) listing_arrange(&l, list, count, sizeof *list);
    arena_release(&s->arena, mark);
    return st;
}

dae_status sequence_findings(init_system *s, init_findings *told)
{
    dae_status st;
    *told = *s->request->findings;
    if ((st = arrange_could_fix(s, told))
        || (st = arrange_slots(s, &told->open, told->open_count))
        || (st = arrange_slots(s, &told->singular, told->singular_count)))
        return st;
    return arrange_redundant(s, told);
}
