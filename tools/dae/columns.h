/* What a run has values of at each time: unknowns, discrete variables, lets and outputs,
 * in the order of the text; all of them, or those that a list of names asks for. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "messages.h"
#include "names.h"
#include "run.h"

/* Where a value stands. */
typedef struct run_source {
    enum { SOURCE_TIME, SOURCE_UNKNOWN, SOURCE_DISCRETE, SOURCE_OBSERVED } kind;
    size_t number;
} run_source;

typedef struct run_columns {
    const run *run;
    run_source *sources;
    size_t count;
    name_buffer name;
} run_columns;

/* `list` is "A,B[2],C", where the name of an array asks for all of its elements; NULL:
 * all there are. DAE_ARGUMENT: E0505 says which name there is not, of `option`. Clear in
 * any case. */
dae_status columns_init(run_columns *c, const run *r, const char *list,
    const char *option, messages *m);
/* Valid until the next call. */
const char *columns_name(run_columns *c, size_t k);
double source_value(const dae_model *model, run_source s, const point *p);
/* False where memory ran out for a name. */
bool columns_clear(run_columns *c);

#endif
