/* Computations use numbers of rows and slots; lists that are shown are sorted by
 * position in the text. */
#include "analysis/analysis.h"
#include "linalg/listing.h"
#include "linalg/naming.h"
#include <assert.h>

typedef listed key_fn(const analysis *a, const void *item);

/* The lists are in the analysis' own arena. */
static dae_status arrange(
    analysis *a, const void *items, size_t count, size_t size, key_fn *key)
{
    listing l;
    if (count < 2) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    const dae_status st = listing_init(&l, &a->memory, count, size);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = key(a, (const char *)items + k * size);
    if (!st) listing_arrange(&l, (void *)(uintptr_t)items, count, size);
    arena_release(&a->memory, mark);
    return st;
}

static listed slot_key(const analysis *a, const void *item)
{
    const dae_slot *s = item;
    return (listed){.position = naming_position(
                        a->problem, DAE_NAME_UNKNOWN, (size_t)s->unknown),
        .order = (size_t)s->order};
}

static listed stalled_key(const analysis *a, const void *item)
{
    return slot_key(a, &((const dae_stalled *)item)->slot);
}

/* Equations, conditions, given values, bounds. */
static listed party_key(const analysis *a, const void *item)
{
    static const dae_name_kind names[] = {
        [DAE_PARTY_EQUATION] = DAE_NAME_EQUATION,
        [DAE_PARTY_CONDITION] = DAE_NAME_CONDITION,
        [DAE_PARTY_VALUE] = DAE_NAME_UNKNOWN,
        [DAE_PARTY_MINIMUM] = DAE_NAME_UNKNOWN,
        [DAE_PARTY_MAXIMUM] = DAE_NAME_UNKNOWN};
    const dae_party *p = item;
    assert(p->kind <= DAE_PARTY_MAXIMUM);
    return (listed){.kind = (size_t)p->kind,
        .position = naming_position(
            a->problem, names[p->kind], (size_t)p->index),
        .order = (size_t)p->order};
}

/* In the other order: given values before equations. */
static listed redundant_key(const analysis *a, const void *item)
{
    listed key = party_key(a, item);
    key.kind = (size_t)DAE_PARTY_MAXIMUM - key.kind;
    return key;
}

static listed zero_key(const analysis *a, const void *item)
{
    const dae_zero *z = item;
    return (listed){.position = naming_position(
                        a->problem, DAE_NAME_EQUATION, (size_t)z->equation),
        .order = naming_position(
            a->problem, DAE_NAME_UNKNOWN, (size_t)z->slot.unknown)};
}

static listed hidden_key(const analysis *a, const void *item)
{
    const dae_hidden *h = item;
    return (listed){.position = naming_position(
                        a->problem, DAE_NAME_EQUATION, (size_t)h->equation),
        .order = (size_t)h->differentiated};
}

dae_status sort_findings(analysis *a)
{
    const dae_analysis *f = &a->found;
    const dae_start_findings *s = &f->start;
    /* those that can be given together stay before the others */
    const size_t all = s->could_fix_count;
    const size_t first = s->missing < all ? s->missing : all;
    const struct {
        const void *items;
        size_t count, size;
        key_fn *key;
    } lists[] = {{f->zeros, f->zero_count, sizeof *f->zeros, zero_key},
        {f->loose, f->loose_count, sizeof *f->loose, slot_key},
        {f->dependent, f->dependent_count, sizeof *f->dependent, party_key},
        {s->given, s->given_count, sizeof *s->given, slot_key},
        {s->redundant, s->redundant_count, sizeof *s->redundant, redundant_key},
        {s->conflicts, s->conflict_count, sizeof *s->conflicts, party_key},
        {s->left, s->left_count, sizeof *s->left, party_key},
        {s->stalled, s->stalled_count, sizeof *s->stalled, stalled_key},
        {s->could_fix, first, sizeof *s->could_fix, slot_key},
        {first < all ? s->could_fix + first : NULL, all - first,
            sizeof *s->could_fix, slot_key},
        {s->undetermined, s->undetermined_count, sizeof *s->undetermined,
            slot_key},
        {f->hidden, f->hidden_count, sizeof *f->hidden, hidden_key}};
    dae_status st = DAE_OK;
    if (!a->problem->position) return DAE_OK;
    for (size_t k = 0; !st && k < sizeof lists / sizeof *lists; k++)
        st = arrange(
            a, lists[k].items, lists[k].count, lists[k].size, lists[k].key);
    return st;
}
