/* Where a run's own model comes from, so that it can be compiled again with other values. */
#ifndef RUN_MODEL_SOURCE_H
#define RUN_MODEL_SOURCE_H

#include "base/arena.h"
#include <dae/model.h>

typedef ARRAY(dae_override) override_list;

typedef struct model_source {
    arena texts;
    const char *name; /* NULL: the model is the caller's */
    const char *text; /* NULL: `name` is a path */
    size_t length;
    dae_model_options options;
    override_list values; /* those of the options, and later ones */
    override_list good;   /* those that the model has */
} model_source;

/* Copies all but what `options` borrows for compiling. DAE_MEMORY. */
dae_status model_source_keep(model_source *s, const char *name,
    const char *text, size_t length, const dae_model_options *options,
    const dae_allocator *a);
void model_source_clear(model_source *s);
/* In place of what the same name had before. DAE_MEMORY. */
dae_status model_source_set(
    model_source *s, const char *name, const char *value);
/* The same of one that the model has already, without compiling. */
dae_status model_source_note(
    model_source *s, const char *name, const char *value);
/* From `from` to `to`, NaN: what options or text say. Of DAE_MODEL the values are again
 * those that the model has; after another failure it can be tried again. */
dae_status model_source_compile(model_source *s, double from, double to,
    dae_diagnostics *ds, dae_model **out);

#endif
