#include "run/model_source.h"
#include <math.h>
#include <string.h>

dae_status model_source_set(
    model_source *s, const char *name, const char *value)
{
    dae_override o = {NULL, arena_copy(&s->texts, value, strlen(value))};
    if (!o.value) return DAE_MEMORY;
    for (size_t k = 0; k < s->values.count; k++)
        if (strcmp(s->values.items[k].name, name) == 0) {
            s->values.items[k].value = o.value;
            return DAE_OK;
        }
    o.name = arena_copy(&s->texts, name, strlen(name));
    if (!o.name || !ARRAY_PUSH(s->texts.allocator, &s->values, o))
        return DAE_MEMORY;
    return DAE_OK;
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

static bool copy_list(
    const dae_allocator *a, override_list *to, const override_list *from)
{
    to->count = 0;
    if (!ARRAY_RESERVE(a, to, from->count)) return false;
    if (from->count)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    to->count = from->count;
    return true;
}

dae_status model_source_compile(model_source *s, double from, double to,
    dae_diagnostics *ds, dae_model **out)
{
    const dae_allocator *a = s->texts.allocator;
    dae_model_options o = s->options;
    o.overrides = s->values.items;
    o.override_count = s->values.count;
    if (!isnan(from)) o.has_start = 1, o.start = from;
    if (!isnan(to)) o.has_end = 1, o.end = to;
    const dae_status st = s->text
        ? dae_model_parse(s->name, s->text, s->length, &o, a, ds, out)
        : dae_model_load(s->name, &o, a, ds, out);
    s->options.singular = NULL; /* the caller's, of the first time */
    const bool is_kept = st ? copy_list(a, &s->values, &s->good)
                            : copy_list(a, &s->good, &s->values);
    return is_kept || st ? st : DAE_MEMORY;
}
