#include <dae/names.h>

#include "base/alloc.h"
#include "base/intern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are at least this long, so that nearly no name needs a second. */
enum { USUAL = 256, AFFIX = 24 }; /* "der(", ", 255)" */

typedef size_t name_fn(const dae_model *m, size_t i, char *text, size_t size);

const char *dae_name_nearest(
    const char *word, const char *const *names, size_t count)
{
    return word && names ? nearest_name(word, names, count) : NULL;
}

static bool make_room(dae_name_buffer *b, size_t room)
{
    if (room <= b->room) return true;
    char *text = realloc(b->text, room);
    if (!text) {
        b->failed = true;
        return false;
    }
    b->text = text;
    b->room = room;
    return true;
}

static const char *fill(
    const dae_model *model, size_t i, name_fn *ask, dae_name_buffer *b)
{
    if (!b || !make_room(b, USUAL + AFFIX)) return "?";
    size_t length = ask(model, i, b->text, USUAL);
    if (length < USUAL) return b->text;
    if (!make_room(b, length + 1 + AFFIX)) return "?";
    (void)ask(model, i, b->text, length + 1);
    return b->text;
}

const char *dae_name_of(const dae_problem *problem, dae_name_kind kind,
    size_t i, dae_name_buffer *b)
{
    if (!problem || !problem->name || !b || !make_room(b, USUAL + AFFIX))
        return "?";
    size_t length = problem->name(problem->self, kind, i, b->text, USUAL);
    /* memory ran out for the text of a switch, which is put together */
    if (length == 0 || length == SIZE_MAX) {
        b->failed = true;
        return "?";
    }
    if (length < USUAL) return b->text;
    if (!make_room(b, length + 1 + AFFIX)) return "?";
    (void)problem->name(problem->self, kind, i, b->text, length + 1);
    return b->text;
}

const char *dae_name_unknown(
    const dae_model *model, size_t j, dae_name_buffer *b)
{
    return fill(model, j, dae_model_unknown_name, b);
}

const char *dae_name_equation(
    const dae_model *model, size_t i, dae_name_buffer *b)
{
    return fill(model, i, dae_model_equation_name, b);
}

const char *dae_name_observation(
    const dae_model *model, size_t k, dae_name_buffer *b)
{
    return fill(model, k, dae_model_observation_name, b);
}

/* Derivative `order` of what the buffer names. */
static const char *derive(const char *name, int order, dae_name_buffer *b)
{
    if (!b || name != b->text || order < 0) return name;
    const size_t n = strlen(name);
    if (order <= DAE_PRIMES_MOST) {
        memset(b->text + n, '\'', (size_t)order);
        b->text[n + (size_t)order] = '\0';
        return name;
    }
    memmove(b->text + 4, b->text, n);
    memcpy(b->text, "der(", 4);
    (void)snprintf(b->text + 4 + n, AFFIX - 4, ", %d)", order);
    return name;
}

const char *dae_name_derivative(
    const dae_model *model, size_t j, int order, dae_name_buffer *b)
{
    return derive(dae_name_unknown(model, j, b), order, b);
}

const char *dae_name_equation_derivative(
    const dae_model *model, size_t i, int order, dae_name_buffer *b)
{
    return derive(dae_name_equation(model, i, b), order, b);
}

const char *dae_name_party(
    const dae_model *model, const dae_party *party, dae_name_buffer *b)
{
    if (!party) return "?";
    const size_t index = (size_t)party->index;
    switch (party->kind) {
    case DAE_PARTY_EQUATION:
        return dae_name_equation_derivative(model, index, party->order, b);
    case DAE_PARTY_CONDITION:
        return dae_name_of(
            dae_model_problem(model), DAE_NAME_CONDITION, index, b);
    default: return dae_name_derivative(model, index, party->order, b);
    }
}

uint32_t dae_party_line(const dae_model *model, const dae_party *party)
{
    if (!model || !party) return 0;
    const size_t index = (size_t)party->index;
    const uint32_t line = dae_model_unknown_line(model, index);
    uint32_t own = 0;
    switch (party->kind) {
    case DAE_PARTY_EQUATION: return dae_model_equation_line(model, index);
    case DAE_PARTY_CONDITION: return dae_model_condition_line(model, index);
    case DAE_PARTY_VALUE:
        own = dae_model_start_line(model, index, party->order);
        return own ? own : line;
    default: return line;
    }
}

void dae_text_order_unknowns(const dae_model *model, size_t *at)
{
    const size_t count = at ? dae_model_unknown_count(model) : 0;
    for (size_t j = 0; j < count; j++)
        at[dae_model_unknown_position(model, j)] = j;
}

size_t dae_text_place(const dae_problem *problem, dae_name_kind kind, size_t i)
{
    const struct dae_source *source;
    uint32_t begin, end;
    if (!problem || !problem->place
        || !problem->place(problem->self, kind, i, &source, &begin, &end))
        return SIZE_MAX;
    return begin;
}

typedef struct placed {
    size_t number, place;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

size_t dae_text_next(const dae_problem *problem, dae_name_kind kind,
    const size_t *some, size_t count, size_t last)
{
    placed next = {SIZE_MAX, 0}, before = {last, 0};
    if (!problem || !some) return SIZE_MAX;
    if (last != SIZE_MAX) before.place = dae_text_place(problem, kind, last);
    for (size_t k = 0; k < count; k++) {
        const placed one = {some[k], dae_text_place(problem, kind, some[k])};
        if (last != SIZE_MAX && compare_placed(&one, &before) <= 0) continue;
        if (next.number == SIZE_MAX || compare_placed(&one, &next) < 0)
            next = one;
    }
    return next.number;
}

dae_status dae_text_order(const dae_problem *problem, dae_name_kind kind,
    size_t count, const dae_allocator *allocator, size_t *at)
{
    if (!problem || !at) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    placed *items = alloc_zeroed(a, count, sizeof *items);
    if (!items) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++)
        items[i] = (placed){i, dae_text_place(problem, kind, i)};
    qsort(items, count, sizeof *items, compare_placed);
    for (size_t i = 0; i < count; i++) at[i] = items[i].number;
    alloc_free(a, items, count, sizeof *items);
    return DAE_OK;
}

int dae_name_done(dae_name_buffer *b)
{
    if (!b) return 1;
    bool is_fine = !b->failed;
    free(b->text);
    *b = (dae_name_buffer){0};
    return is_fine;
}
