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
};

/* As dae_columns_create does, of a solution that has been set up. Clear in any case. */
dae_status columns_init(dae_columns *c, const solution *r, const char *list,
    const char *asker, dae_diagnostics *ds);
void columns_clear(dae_columns *c);

#endif
