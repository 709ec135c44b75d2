#include "code/names.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int text_buffer_write(void *buffer, const char *text, size_t length)
{
    text_buffer *b = buffer;
    for (size_t k = 0; k < length; k++, b->length++)
        if (b->length + 1 < b->size) b->text[b->length] = text[k];
    if (b->size) b->text[b->length < b->size ? b->length : b->size - 1] = '\0';
    return 0;
}

void text_buffer_printf(text_buffer *b, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length > 0) (void)text_buffer_write(b, text, strlen(text));
}

size_t names_unknown(const compiled *c, size_t unknown, char *text, size_t size)
{
    size_t n = c->slots.unknowns;
    if (unknown < n)
        return name_block_text(&c->s->unknowns, unknown, text, size);
    return definition_text(
        c->s, c->chains.borders.items[unknown - n], text, size);
}

static dae_status put(dae_write_fn *write, void *context, const char *text)
{
    return write(context, text, strlen(text)) ? DAE_IO : DAE_OK;
}

/* The leaves of a param expression are the elements. */
static dae_status write_element(void *names, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *context)
{
    const row_names *w = names;
    char text[200];
    (void)kind;
    (void)order;
    (void)name_block_text(&w->c->s->param_names, number, text, sizeof text);
    return put(write, context, text);
}

static dae_status write_param(
    row_names *w, node_id id, dae_write_fn *write, void *context)
{
    const shape_pool *pool = &w->c->s->params;
    const node *n = shape_node(pool, id);
    bool is_plain = n->op == NODE_HOLE
        || (n->op == NODE_CONST && !(n->value < 0));
    dae_status st = is_plain ? DAE_OK : put(write, context, "(");
    if (!st) st = shape_print(pool, id, 200, write_element, w, write, context);
    if (!st && !is_plain) st = put(write, context, ")");
    return st;
}

dae_status names_write_param(const compiled *c, node_id id, size_t limit,
    dae_write_fn *write, void *context)
{
    row_names names = {c, NULL};
    return shape_print(
        &c->s->params, id, limit, write_element, &names, write, context);
}

/* A sum or a part has a name of several words. */
static dae_status write_definition(
    const compiled *c, uint32_t id, dae_write_fn *write, void *context)
{
    char text[204] = "(";
    size_t length = definition_text(c->s, id, text + 1, sizeof text - 2);
    if (!strchr(text + 1, ' ')) return put(write, context, text + 1);
    if (length > sizeof text - 3) length = sizeof text - 3;
    memcpy(text + 1 + length, ")", 2);
    return put(write, context, text);
}

static dae_status write_number(
    leaf_kind kind, uint32_t number, dae_write_fn *write, void *context)
{
    static const char *const letter[] = {[LEAF_UNKNOWN] = "u",
        [LEAF_PARAM] = "p",
        [LEAF_DEFINITION] = "d",
        [LEAF_HELD] = "h"};
    char text[24];
    (void)snprintf(text, sizeof text, "%s%u", letter[kind], (unsigned)number);
    return put(write, context, text);
}

/* Only texts of the compiler's own have these (`dae show --jacobian`). */
static dae_status write_switch(
    const compiled *c, uint32_t object, dae_write_fn *write, void *context)
{
    char text[24];
    (void)snprintf(text, sizeof text, "held%u",
        (unsigned)(object - c->s->discrete_count + 1));
    return put(write, context, text);
}

dae_status names_write_leaf(void *names, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *context)
{
    row_names *w = names;
    char text[200];
    (void)order;
    const char *time = w->c->s->time_name;
    if (kind == LEAF_TIME) return put(write, context, time ? time : "t");
    if (!w->row) return write_number(kind, number, write, context);
    uint32_t object = w->row[1 + number];
    if (kind == LEAF_PARAM) return write_param(w, object, write, context);
    if (kind == LEAF_DEFINITION)
        return write_definition(w->c, object, write, context);
    if (kind == LEAF_HELD && object >= w->c->s->discrete_count)
        return write_switch(w->c, object, write, context);
    if (kind == LEAF_HELD) {
        (void)name_block_text(&w->c->s->discretes, object, text, sizeof text);
        return put(write, context, text);
    }
    if (object >= w->c->slots.unknowns)
        return write_definition(w->c,
            w->c->chains.borders.items[object - w->c->slots.unknowns], write,
            context);
    (void)names_unknown(w->c, object, text, sizeof text);
    return put(write, context, text);
}

dae_status names_write_shape(const compiled *c, node_id root,
    const uint32_t *row, size_t limit, dae_write_fn *write, void *context)
{
    row_names names = {c, row};
    return shape_print(
        &c->s->shapes, root, limit, names_write_leaf, &names, write, context);
}

void names_derivative(const char *name, unsigned order, char *text, size_t size)
{
    if (order <= 3)
        (void)snprintf(text, size, "%s%.*s", name, (int)order, "'''");
    else (void)snprintf(text, size, "der(%s, %u)", name, order);
}
