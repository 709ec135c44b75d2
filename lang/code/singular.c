#include "code/singular.h"
#include "code/names.h"
#include <string.h>

/* The facts and what they lie in. */
typedef struct singular {
    dae_singular found; /* first: what the caller sees */
    arena memory;
    const dae_allocator *allocator;
} singular;

void dae_singular_free(dae_singular *found)
{
    if (!found) return;
    singular *s = (singular *)found;
    const dae_allocator *a = s->allocator;
    arena_clear(&s->memory);
    alloc_free(a, s, 1, sizeof *s);
}

static uint32_t line_of(const system_tables *s, text_span span)
{
    uint32_t line = 0, column;
    if (s->source && span.end > span.begin)
        source_position(s->source, span.begin, &line, &column);
    return line;
}

static size_t name_of(
    const compiled *c, bool is_equation, size_t index, char *text, size_t size)
{
    const system_tables *s = c->s;
    return is_equation ? equation_block_text(&s->equations, index, text, size)
                       : name_block_text(&s->unknowns, index, text, size);
}

/* Copies a name of any length. */
static const char *copy_name(
    const compiled *c, bool is_equation, size_t index, arena *a)
{
    char text[128];
    const size_t length = name_of(c, is_equation, index, text, sizeof text);
    if (length < sizeof text) return arena_copy(a, text, length);
    char *name = arena_take(a, length + 1, 1);
    if (name) (void)name_of(c, is_equation, index, name, length + 1);
    return name;
}

/* Elements of one text follow each other: its line is looked up once. */
static dae_status fill(const compiled *c, bool is_equation,
    const uint32_t *list, size_t count, arena *a, const dae_named **out)
{
    const system_tables *s = c->s;
    dae_named *named = ARENA_ARRAY(a, dae_named, count + 1);
    text_span last = {0, 0};
    uint32_t line = 0;
    if (!named) return DAE_MEMORY;
    *out = named;
    for (size_t k = 0; k < count; k++) {
        text_span span = {0, 0};
        if (is_equation) {
            const equation_block *b = equation_block_find(
                &s->equations, list[k]);
            if (b) span = b->span;
        } else {
            const name_block *b = name_block_find(&s->unknowns, list[k]);
            if (b) span = b->span;
        }
        if (k == 0 || span.begin != last.begin || span.end != last.end)
            line = line_of(s, span);
        last = span;
        named[k].line = line;
        named[k].name = copy_name(c, is_equation, list[k], a);
        if (!named[k].name) return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status fill_part(const compiled *c, const structural_side *side,
    arena *a, dae_singular_part *part)
{
    part->equation_count = side->equation_all;
    part->unknown_count = side->unknown_all;
    part->equation_witness = side->equation_count;
    part->unknown_witness = side->unknown_count;
    dae_status st = fill(
        c, true, side->equations, side->equation_all, a, &part->equations);
    if (st) return st;
    return fill(
        c, false, side->unknowns, side->unknown_all, a, &part->unknowns);
}

dae_status singular_note(
    const compiled *c, const structural *found, const singular_request *q)
{
    singular *s = alloc_zeroed(q->allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    s->allocator = q->allocator;
    arena_init(&s->memory, q->allocator, 0);
    s->found.equations = c->s->equation_count;
    s->found.unknowns = c->s->unknown_count;
    dae_status st = fill_part(c, &found->excess, &s->memory, &s->found.over);
    if (!st) st = fill_part(c, &found->shortage, &s->memory, &s->found.under);
    if (st) dae_singular_free(&s->found);
    else *q->out = &s->found;
    return st;
}
