/* What is computed goes by numbers; lists of it that are shown are sorted as the
 * text has their items. */
#include "analysis/analysis.h"
#include "linalg/listing.h"
#include "linalg/naming.h"
#include <assert.h>

static size_t unknown_position(const analysis *a, int32_t j)
{
    return naming_position(a->problem, DAE_NAME_UNKNOWN, (size_t)j);
}

/* The lists are in the analysis' own arena. */
static dae_status order_slots(analysis *a, const dae_slot *slots, size_t count)
{
    listing l;
    const arena_position mark = arena_mark(&a->memory);
    dae_status st = listing_init(&l, &a->memory, count, sizeof *slots);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = (listed){.position = unknown_position(a, slots[k].unknown),
            .order = (size_t)slots[k].order};
    if (!st) listing_arrange(&l, (dae_slot *)slots, count, sizeof *slots);
    arena_release(&a->memory, mark);
    return st;
}

/* Equations, conditions, given values, bounds; or (`is_reverse`) the other way. */
static listed party_key(const analysis *a, const dae_party *p, bool is_reverse)
{
    static const dae_name_kind names[] = {
        [DAE_PARTY_EQUATION] = DAE_NAME_EQUATION,
        [DAE_PARTY_CONDITION] = DAE_NAME_CONDITION,
        [DAE_PARTY_VALUE] = DAE_NAME_UNKNOWN,
        [DAE_PARTY_MINIMUM] = DAE_NAME_UNKNOWN,
        [DAE_PARTY_MAXIMUM] = DAE_NAME_UNKNOWN};
    assert(p->kind <= DAE_PARTY_MAXIMUM);
    const size_t kind = (size_t)p->kind, last = (size_t)DAE_PARTY_MAXIMUM;
    return (listed){.kind = is_reverse ? last - kind : kind,
        .position = naming_position(
            a->problem, names[p->kind], (size_t)p->index),
        .order = (size_t)p->order};
}

static dae_status order_parties(
    analysis *a, const dae_party *parties, size_t count, bool is_reverse)
{
    listing l;
    const arena_position mark = arena_mark(&a->memory);
    dae_status st = listing_init(&l, &a->memory, count, sizeof *parties);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = party_key(a, &parties[k], is_reverse);
    if (!st) listing_arrange(&l, (dae_party *)parties, count, sizeof *parties);
    arena_release(&a->memory, mark);
    return st;
}

/* Those that can be given together stay before the others. */
static dae_status order_could_fix(analysis *a)
{
    const dae_start_findings *f = &a->found.start;
    const size_t all = f->could_fix_count;
    const size_t first = f->missing < all ? f->missing : all;
    if (all == 0) return DAE_OK;
    const dae_status st = order_slots(a, f->could_fix, first);
    return st ? st : order_slots(a, f->could_fix + first, all - first);
}

static dae_status order_stalled(
    analysis *a, const dae_stalled *stalled, size_t count)
{
    listing l;
    if (count < 2) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    dae_status st = listing_init(&l, &a->memory, count, sizeof *stalled);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = (listed){
            .position = unknown_position(a, stalled[k].slot.unknown),
            .order = (size_t)stalled[k].slot.order};
    if (!st)
        listing_arrange(&l, (dae_stalled *)stalled, count, sizeof *stalled);
    arena_release(&a->memory, mark);
    return st;
}

dae_status sort_findings(analysis *a)
{
    const dae_analysis *f = &a->found;
    const dae_start_findings *s = &f->start;
    dae_status st;
    if (!a->problem->position) return DAE_OK;
    if ((st = order_slots(a, f->loose, f->loose_count))
        || (st = order_parties(a, f->dependent, f->dependent_count, false))
        || (st = order_slots(a, s->given, s->given_count))
        || (st = order_parties(a, s->redundant, s->redundant_count, true))
        || (st = order_parties(a, s->conflicts, s->conflict_count, false))
        || (st = order_parties(a, s->left, s->left_count, false))
        || (st = order_stalled(a, s->stalled, s->stalled_count))
        || (st = order_could_fix(a)))
        return st;
    return order_slots(a, s->undetermined, s->undetermined_count);
}

dae_status sort_hidden(analysis *a)
{
    const dae_analysis *f = &a->found;
    listing l;
    if (!a->problem->position || !f->hidden_count) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    dae_status st = listing_init(
        &l, &a->memory, f->hidden_count, sizeof *f->hidden);
    for (size_t k = 0; !st && k < f->hidden_count; k++)
        l.items[k] = (listed){
            .position = naming_position(
                a->problem, DAE_NAME_EQUATION, (size_t)f->hidden[k].equation),
            .order = (size_t)f->hidden[k].differentiated};
    if (!st)
        listing_arrange(
            &l, (dae_hidden *)f->hidden, f->hidden_count, sizeof *f->hidden);
    arena_release(&a->memory, mark);
    return st;
}
