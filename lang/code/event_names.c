#include "code/event_names.h"
#include "code/modes.h"
#include <stdio.h>

bool event_names_have(dae_name_kind kind)
{
    return kind == DAE_NAME_SWITCH || kind == DAE_NAME_EDGE
        || kind == DAE_NAME_DISCRETE || kind == DAE_NAME_WHEN
        || kind == DAE_NAME_ASSIGNMENT;
}

/* "x", "x'". */
static size_t target_text(
    const system_tables *s, const assignment *to, char *text, size_t size)
{
    size_t length = name_block_text(
        to->is_discrete ? &s->discretes : &s->unknowns, to->index, text, size);
    for (uint8_t k = 0; k < to->order; k++, length++) {
        if (length + 1 >= size) continue;
        text[length] = '\'';
        text[length + 1] = '\0';
    }
    return length;
}

size_t event_names_text(const compiled *c, dae_name_kind kind, size_t index,
    char *text, size_t size)
{
    const system_tables *s = c->s;
    if (size) text[0] = '\0';
    if (kind == DAE_NAME_SWITCH) return modes_text(c, index, text, size);
    if (kind == DAE_NAME_EDGE) return modes_edge_text(c, index, text, size);
    if (kind == DAE_NAME_DISCRETE && index < s->discrete_count)
        return name_block_text(&s->discretes, index, text, size);
    if (kind == DAE_NAME_WHEN && index < s->whens.count)
        return (size_t)snprintf(text, size, "%s", s->whens.items[index].name);
    if (kind == DAE_NAME_ASSIGNMENT && index < s->assignments.count)
        return target_text(s, &s->assignments.items[index], text, size);
    return 0;
}

bool event_names_span(
    const compiled *c, dae_name_kind kind, size_t index, text_span *span)
{
    const system_tables *s = c->s;
    *span = (text_span){0, 0};
    if (kind == DAE_NAME_SWITCH) return modes_span(c, index, span);
    if (kind == DAE_NAME_DISCRETE && index < s->discrete_count)
        *span = name_block_find(&s->discretes, index)->span;
    if (kind == DAE_NAME_WHEN && index < s->whens.count)
        *span = s->whens.items[index].span;
    if (kind == DAE_NAME_ASSIGNMENT && index < s->assignments.count)
        *span = s->assignments.items[index].span;
    return span->end > 0;
}
