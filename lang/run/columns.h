/* The columns of a run: what it has values of at each time. */
#ifndef RUN_COLUMNS_H
#define RUN_COLUMNS_H

#include "run/solution.h"
#include <dae/names.h>

struct dae_columns {
    const dae_model *model;
    arena memory;
    dae_column *sources;
    size_t count;
    dae_name_buffer name;
    dae_columns *next, **link; /* of a list, and what leads to it there */
};

/* As dae_columns_create does, of a solution that has been set up. Clear in any case. */
dae_status columns_init(dae_columns *c, const solution *r, const char *list,
    const char *asker, dae_diagnostics *ds);
/* E0505: `asker` wants a name that is none of its columns; which one was meant. */
dae_status columns_refuse(dae_columns *c, const char *asker, const char *name,
    size_t length, dae_diagnostics *ds);
void columns_clear(dae_columns *c);
/* Puts it at the front of a list, from which dae_columns_free takes it. */
void columns_link(dae_columns *c, dae_columns **list);
/* The model of all of a list goes: they have no columns any more, and no list. */
void columns_forget(dae_columns **list);

#endif
