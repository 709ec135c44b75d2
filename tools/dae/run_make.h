/* A run of a model as the command line asks for it. */
#ifndef RUN_MAKE_H
#define RUN_MAKE_H

#include "limits.h"
#include "messages.h"
#include <dae/run.h>

/* A run with the settings of the command line; what happens is told in `m`. It is prepared
 * (dae_run_prepare) for what the command does. *out is NULL where there is no run; free
 * also after failure. */
dae_status run_make(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model);
/* The same before it is prepared. */
dae_status run_set_up(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model);

#endif
