#include "run/run_object.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static dae_status set_in(
    override_list *list, arena *texts, const char *name, const char *value)
{
    dae_override o = {NULL, arena_copy(texts, value, strlen(value))};
    if (!o.value) return DAE_MEMORY;
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k].name, name) == 0) {
            list->items[k].value = o.value;
            return DAE_OK;
        }
    o.name = arena_copy(texts, name, strlen(name));
    if (!o.name || !ARRAY_PUSH(texts->allocator, list, o)) return DAE_MEMORY;
    return DAE_OK;
}

dae_status model_source_set(
    model_source *s, const char *name, const char *value)
{
    return set_in(&s->values, &s->texts, name, value);
}

dae_status model_source_note(
    model_source *s, const char *name, const char *value)
{
    const dae_status st = model_source_set(s, name, value);
    return st ? st : set_in(&s->good, &s->texts, name, value);
}

dae_status model_source_keep(model_source *s, const char *name,
    const char *text, size_t length, const dae_model_options *options,
    const dae_allocator *a)
{
    *s = (model_source){.length = length};
    arena_init(&s->texts, a, 0);
    if (options) s->options = *options;
    s->name = arena_copy(&s->texts, name, strlen(name));
    if (text) s->text = arena_copy(&s->texts, text, length);
    if (!s->name || (text && !s->text)) return DAE_MEMORY;
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < s->options.override_count; k++)
        st = model_source_set(
            s, s->options.overrides[k].name, s->options.overrides[k].value);
    return st;
}

void model_source_clear(model_source *s)
{
    if (!s->texts.allocator) return;
    ARRAY_FREE(s->texts.allocator, &s->values);
    ARRAY_FREE(s->texts.allocator, &s->good);
    arena_clear(&s->texts);
}

/* There is room for them. */
static void copy_list(override_list *to, const override_list *from)
{
    assert(to->capacity >= from->count);
    if (from->count)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    to->count = from->count;
}

dae_status model_source_compile(model_source *s, double from, double to,
    dae_diagnostics *ds, dae_model **out)
{
    const dae_allocator *a = s->texts.allocator;
    dae_model_options o = s->options;
    *out = NULL;
    if (!ARRAY_RESERVE(a, &s->good, s->values.count)) return DAE_MEMORY;
    o.overrides = s->values.items;
    o.override_count = s->values.count;
    if (!isnan(from)) o.has_start = 1, o.start = from;
    if (!isnan(to)) o.has_end = 1, o.end = to;
    const dae_status st = s->text
        ? dae_model_parse(s->name, s->text, s->length, &o, a, ds, out)
        : dae_model_load(s->name, &o, a, ds, out);
    s->options.singular = NULL; /* the caller's, of the first time */
    if (!st) copy_list(&s->good, &s->values);
    if (st == DAE_MODEL) copy_list(&s->values, &s->good);
    return st;
}
