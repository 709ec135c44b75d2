#include "names.h"
#include "memory.h"
#include "phrase.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are at least this long, so that nearly no name needs a second. */
enum { USUAL = 256, AFFIX = 24 }; /* "der(", ", 255)" */

typedef size_t name_fn(const dae_model *m, size_t i, char *text, size_t size);

static bool make_room(name_buffer *b, size_t room)
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
    const dae_model *model, size_t i, name_fn *ask, name_buffer *b)
{
    if (!make_room(b, USUAL + AFFIX)) return "?";
    size_t length = ask(model, i, b->text, USUAL);
    if (length < USUAL) return b->text;
    if (!make_room(b, length + 1 + AFFIX)) return "?";
    (void)ask(model, i, b->text, length + 1);
    return b->text;
}

const char *name_of(
    const dae_problem *problem, dae_name_kind kind, size_t i, name_buffer *b)
{
    if (!make_room(b, USUAL + AFFIX)) return "?";
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

const char *name_unknown(const dae_model *model, size_t j, name_buffer *b)
{
    return fill(model, j, dae_model_unknown_name, b);
}

const char *name_equation(const dae_model *model, size_t i, name_buffer *b)
{
    return fill(model, i, dae_model_equation_name, b);
}

const char *name_observation(const dae_model *model, size_t k, name_buffer *b)
{
    return fill(model, k, dae_model_observation_name, b);
}

const char *name_derivative(
    const dae_model *model, size_t j, int order, name_buffer *b)
{
    const char *name = name_unknown(model, j, b);
    if (name != b->text) return name;
    const size_t n = strlen(name);
    if (order <= PRIMES_MOST) {
        memset(b->text + n, '\'', (size_t)order);
        b->text[n + (size_t)order] = '\0';
        return name;
    }
    memmove(b->text + 4, b->text, n);
    memcpy(b->text, "der(", 4);
    (void)snprintf(b->text + 4 + n, AFFIX - 4, ", %d)", order);
    return name;
}

size_t *name_text_order(const dae_model *model)
{
    const size_t count = dae_model_unknown_count(model);
    size_t *at = memory_take(count + 1, sizeof *at);
    for (size_t j = 0; at && j < count; j++)
        at[dae_model_unknown_position(model, j)] = j;
    return at;
}

size_t name_text_place(const dae_problem *problem, dae_name_kind kind, size_t i)
{
    const struct dae_source *source;
    uint32_t begin, end;
    if (!problem->place
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

size_t name_text_next(const dae_problem *problem, dae_name_kind kind,
    const size_t *some, size_t count, size_t last)
{
    placed next = {SIZE_MAX, 0}, before = {last, 0};
    if (last != SIZE_MAX) before.place = name_text_place(problem, kind, last);
    for (size_t k = 0; k < count; k++) {
        const placed one = {some[k], name_text_place(problem, kind, some[k])};
        if (last != SIZE_MAX && compare_placed(&one, &before) <= 0) continue;
        if (next.number == SIZE_MAX || compare_placed(&one, &next) < 0)
            next = one;
    }
    return next.number;
}

size_t *name_text_order_of(
    const dae_problem *problem, dae_name_kind kind, size_t count)
{
    size_t *at = memory_take(count + 1, sizeof *at);
    placed *items = at ? memory_take(count + 1, sizeof *items) : NULL;
    for (size_t i = 0; items && i < count; i++)
        items[i] = (placed){i, name_text_place(problem, kind, i)};
    if (items) qsort(items, count, sizeof *items, compare_placed);
    for (size_t i = 0; items && i < count; i++) at[i] = items[i].number;
    if (!items) {
        memory_drop(at);
        return NULL;
    }
    memory_drop(items);
    return at;
}

bool name_done(name_buffer *b)
{
    bool is_fine = !b->failed;
    free(b->text);
    *b = (name_buffer){0};
    return is_fine;
}

size_t name_problem_unknown(
    const dae_model *model, const dae_problem *problem, size_t j)
{
    char mine[USUAL], other[USUAL];
    (void)dae_model_unknown_name(model, j, mine, sizeof mine);
    for (size_t i = j; i < problem->unknown_count; i++) {
        (void)problem->name(
            problem->self, DAE_NAME_UNKNOWN, i, other, sizeof other);
        if (strcmp(mine, other) == 0) return i;
    }
    return SIZE_MAX;
}

bool name_is_output(const dae_model *model, size_t k)
{
    dae_observed kind = dae_model_observation_kind(model, k);
    return kind == DAE_OBSERVED_LET || kind == DAE_OBSERVED_OUTPUT;
}

dae_status name_find_output(
    const dae_model *model, const char *name, size_t *found)
{
    name_buffer b = {0};
    size_t count = dae_model_observation_count(model);
    *found = SIZE_MAX;
    for (size_t k = 0; k < count && *found == SIZE_MAX; k++)
        if (name_is_output(model, k)
            && strcmp(name_observation(model, k, &b), name) == 0)
            *found = k;
    return name_done(&b) ? DAE_OK : DAE_MEMORY;
}

dae_status name_find_unknown(
    const dae_model *model, const char *name, size_t *found)
{
    name_buffer b = {0};
    size_t count = dae_model_unknown_count(model);
    *found = SIZE_MAX;
    for (size_t j = 0; j < count && *found == SIZE_MAX; j++)
        if (strcmp(name_unknown(model, j, &b), name) == 0) *found = j;
    return name_done(&b) ? DAE_OK : DAE_MEMORY;
}

dae_status name_find_discrete(
    const dae_problem *problem, const char *name, size_t *found)
{
    name_buffer b = {0};
    const size_t count = problem->events ? problem->events->discrete_count : 0;
    *found = SIZE_MAX;
    for (size_t d = 0; d < count && *found == SIZE_MAX; d++)
        if (strcmp(name_of(problem, DAE_NAME_DISCRETE, d, &b), name) == 0)
            *found = d;
    return name_done(&b) ? DAE_OK : DAE_MEMORY;
}
