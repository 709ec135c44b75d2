#include "linalg/naming.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static void shorten(char *text, size_t size, size_t full)
{
    size_t end = size - 4;
    if (full < size || size < 8) return;
    /* not in the middle of a UTF-8 sequence */
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
    memcpy(text + end, "...", 4);
}

const char *naming_text(const dae_problem *problem, dae_name_kind kind,
    size_t index, char *text, size_t size)
{
    if (problem->name) {
        const size_t full = problem->name(
            problem->self, kind, index, text, size);
        shorten(text, size, full);
        return text;
    }
    switch (kind) {
    case DAE_NAME_EQUATION:
        snprintf(text, size, "equation %zu", index + 1);
        break;
    case DAE_NAME_UNKNOWN: snprintf(text, size, "x[%zu]", index + 1); break;
    case DAE_NAME_CONDITION:
        snprintf(text, size, "condition %zu", index + 1);
        break;
    case DAE_NAME_START:
        snprintf(text, size, "start value %zu", index + 1);
        break;
    case DAE_NAME_SWITCH: snprintf(text, size, "switch %zu", index + 1); break;
    case DAE_NAME_EDGE: snprintf(text, size, "%s", ""); break;
    case DAE_NAME_WHEN: snprintf(text, size, "event %zu", index + 1); break;
    case DAE_NAME_DISCRETE:
        snprintf(text, size, "discrete %zu", index + 1);
        break;
    case DAE_NAME_ASSIGNMENT:
        snprintf(text, size, "assignment %zu", index + 1);
        break;
    case DAE_NAME_DENOMINATOR:
        snprintf(text, size, "denominator %zu", index + 1);
        break;
    case DAE_NAME_KINK:
    case DAE_NAME_KINKED: snprintf(text, size, "%s", ""); break;
    }
    return text;
}

size_t naming_unknown(const layout *l, size_t slot, int *order)
{
    if (slot >= l->states) {
        const size_t j = slot - l->states;
        *order = l->order[j];
        return j;
    }
    *order = 0;
    if (l->is_first_order) return slot;
    size_t low = 0, high = l->unknowns; /* first[low] <= slot < first[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (l->first[middle] <= slot) low = middle;
        else high = middle;
    }
    assert(slot >= l->first[low] && slot < l->first[low + 1]);
    *order = (int)(slot - l->first[low]);
    return low;
}

const char *naming_derived(const dae_problem *problem, dae_name_kind kind,
    size_t index, int order, char *text, size_t size)
{
    char name[NAMING_SIZE];
    naming_text(problem, kind, index, name, sizeof name);
    if (order <= 3) snprintf(text, size, "%s%.*s", name, order, "'''");
    else snprintf(text, size, "der(%s, %d)", name, order);
    return text;
}

const char *naming_slot(const dae_problem *problem, const layout *l,
    size_t slot, char *text, size_t size)
{
    int order;
    const size_t j = naming_unknown(l, slot, &order);
    return naming_derived(problem, DAE_NAME_UNKNOWN, j, order, text, size);
}

void naming_modes(const dae_problem *problem, const modes_outcome *tried,
    char text[NAMING_MODES_SIZE])
{
    char edge[NAMING_SIZE] = "";
    const int length = snprintf(
        text, NAMING_MODES_SIZE, "%zu modes were tried", tried->tried);
    if (tried->nearest != SIZE_MAX)
        naming_text(problem, DAE_NAME_EDGE, tried->nearest, edge, sizeof edge);
    if (!edge[0]) return;
    text += length;
    const size_t left = NAMING_MODES_SIZE - (size_t)length;
    if (tried->g == 0)
        snprintf(text, left,
            ", in the nearest `%s` goes from 0 to the wrong side", edge);
    else
        snprintf(text, left, ", the nearest has `%s` = %.6g on the wrong side",
            edge, tried->g);
}

void naming_place(const dae_problem *problem, dae_name_kind kind, size_t index,
    const dae_source **source, text_span *span)
{
    uint32_t begin = 0, end = 0;
    *source = NULL;
    *span = (text_span){0, 0};
    if (!problem->place) return;
    problem->place(problem->self, kind, index, source, &begin, &end);
    if (*source) *span = (text_span){begin, end};
}

size_t naming_position(
    const dae_problem *problem, dae_name_kind kind, size_t index)
{
    return problem->position ? problem->position(problem->self, kind, index)
                             : index;
}

void naming_slot_place(const dae_problem *problem, const layout *l, size_t slot,
    const dae_source **source, text_span *span)
{
    int order;
    naming_place(problem, DAE_NAME_UNKNOWN, naming_unknown(l, slot, &order),
        source, span);
}

named_place naming_of(
    const dae_problem *problem, dae_name_kind kind, size_t index)
{
    named_place n = {.source = NULL};
    naming_text(problem, kind, index, n.text, sizeof n.text);
    naming_place(problem, kind, index, &n.source, &n.span);
    return n;
}

named_place naming_of_slot(
    const dae_problem *problem, const layout *l, size_t slot)
{
    named_place n = {.source = NULL};
    naming_slot(problem, l, slot, n.text, sizeof n.text);
    naming_slot_place(problem, l, slot, &n.source, &n.span);
    return n;
}
