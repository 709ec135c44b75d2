#include "start/report_names.h"
#include "linalg/listing.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(text *t, const char *format, ...)
{
    va_list args;
    const size_t room = sizeof t->s - 3 - t->length;
    if (t->is_full) return;
    va_start(args, format);
    const int n = vsnprintf(t->s + t->length, room, format, args);
    va_end(args);
    t->is_full = n < 0 || (size_t)n >= room;
    if (t->is_full) memcpy(t->s + t->length, "...", 4);
    else t->length += (size_t)n;
}

/* ---- names and places -------------------------------------------------------- */

const char *slot_name(
    const init_request *q, size_t slot, char name[NAMING_SIZE])
{
    assert(slot < q->layout->slots);
    return naming_slot(q->problem, q->layout, slot, name, NAMING_SIZE);
}

static dae_name_kind row_kind(const init_party *p)
{
    return p->kind == INIT_EQUATION ? DAE_NAME_EQUATION : DAE_NAME_CONDITION;
}

static bool is_row(const init_party *p)
{
    return p->kind == INIT_EQUATION || p->kind == INIT_CONDITION;
}

const char *party_name(
    const init_request *q, const init_party *p, char name[NAMING_SIZE])
{
    if (!is_row(p)) return slot_name(q, p->index, name);
    return naming_text(q->problem, row_kind(p), p->index, name, NAMING_SIZE);
}

static place unknown_place(const init_request *q, size_t slot)
{
    place at;
    naming_slot_place(q->problem, q->layout, slot, &at.source, &at.span);
    return at;
}

place slot_place(const init_request *q, size_t slot)
{
    place at;
    naming_place(q->problem, DAE_NAME_START, slot, &at.source, &at.span);
    return at.source ? at : unknown_place(q, slot);
}

place party_place(const init_request *q, const init_party *p)
{
    place at;
    if (p->kind == INIT_GIVEN) return slot_place(q, p->index);
    if (!is_row(p)) return unknown_place(q, p->index);
    naming_place(q->problem, row_kind(p), p->index, &at.source, &at.span);
    return at;
}

bool is_same_place(place a, place b)
{
    return a.source && a.source == b.source && a.span.begin == b.span.begin
        && a.span.end == b.span.end;
}

/* 0 for a value within its tolerance of 0 and within rounding relative to the
 * largest value. */
static double without_noise(const init_request *q, const double *z, size_t slot)
{
    const layout *l = q->layout;
    const size_t states = l->states;
    const double atol =
        q->atol[slot < states ? slot : l->first[slot - states + 1] - 1];
    double largest = 0;
    for (size_t k = 0; k < l->slots; k++) largest = fmax(largest, fabs(z[k]));
    return fabs(z[slot]) < fmin(atol, rounding_of(128) * largest) ? 0 : z[slot];
}

bool places_add(places *used, place at)
{
    for (size_t k = 0; k < used->count; k++)
        if (is_same_place(at, used->at[k])) return false;
    if (!at.source || used->count == PLACES_MOST) return false;
    used->at[used->count++] = at;
    return true;
}

void list_slots(const init_request *q, const int32_t *slots, size_t count,
    size_t most, const double *z, text *out)
{
    char name[NAMING_SIZE];
    for (size_t k = 0; k < count && k < most; k++) {
        const size_t slot = (size_t)slots[k];
        text_add(out, "%s`%s`", k ? ", " : "", slot_name(q, slot, name));
        if (z) text_add(out, " = %g", without_noise(q, z, slot));
    }
    if (count > most) text_add(out, " and %zu more", count - most);
}

/* ---- order ------------------------------------------------------------------- */

static listed slot_key(const init_request *q, size_t slot)
{
    int order;
    const size_t j = naming_unknown(q->layout, slot, &order);
    return (listed){
        .position = naming_position(q->problem, DAE_NAME_UNKNOWN, j),
        .order = (size_t)order};
}

static listed party_key(const init_request *q, const init_party *p)
{
    enum { EQUATIONS, VALUES, CONDITIONS, BOUNDS };
    listed key = {.kind = BOUNDS};
    if (p->kind == INIT_GIVEN) {
        key = slot_key(q, p->index);
        key.kind = VALUES;
    } else if (is_row(p)) {
        key.kind = p->kind == INIT_EQUATION ? EQUATIONS : CONDITIONS;
        key.position = naming_position(q->problem, row_kind(p), p->index);
    }
    return key;
}

dae_status sort_parties(
    const init_request *q, init_party *parties, size_t count, arena *scratch)
{
    listing l;
    if (!q->problem->position || count < 2) return DAE_OK;
    const arena_position mark = arena_mark(scratch);
    const dae_status st = listing_init(&l, scratch, count, sizeof *parties);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = party_key(q, &parties[k]);
    if (!st) listing_arrange(&l, parties, count, sizeof *parties);
    arena_release(scratch, mark);
    return st;
}

dae_status sort_slots(
    const init_request *q, int32_t *slots, size_t count, arena *scratch)
{
    listing l;
    if (!q->problem->position || count < 2) return DAE_OK;
    const arena_position mark = arena_mark(scratch);
    const dae_status st = listing_init(&l, scratch, count, sizeof *slots);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = slot_key(q, (size_t)slots[k]);
    if (!st) listing_arrange(&l, slots, count, sizeof *slots);
    arena_release(scratch, mark);
    return st;
}

dae_status copy_sorted(const init_request *q, const int32_t *slots,
    size_t count, arena *scratch, int32_t **out)
{
    *out = ARENA_ARRAY(scratch, int32_t, count + 1);
    if (!*out) return DAE_MEMORY;
    if (count) memcpy(*out, slots, count * sizeof **out);
    return sort_slots(q, *out, count, scratch);
}

void explain_value(const init_request *q, const init_findings *f,
    dae_name_kind kind, size_t index, char *why, size_t size,
    dae_diagnostics *ds)
{
    const dae_problem *p = q->problem;
    why[0] = '\0';
    if (!p->explain) return;
    const layout *l = q->layout;
    const double *xp = f->z + (l->slots - l->unknowns); /* as unknowns_xp */
    const size_t length = p->explain(
        p->self, kind, index, q->t0, f->z, xp, why, size);
    if (length == SIZE_MAX) report_lost(ds);
}

void explain_row(const init_request *q, const init_findings *f,
    const init_party *row, char *why, size_t size, dae_diagnostics *ds)
{
    const dae_name_kind kind = row->kind == INIT_EQUATION ? DAE_NAME_EQUATION
                                                          : DAE_NAME_CONDITION;
    explain_value(q, f, kind, row->index, why, size, ds);
}
