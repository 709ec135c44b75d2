/* What `dae check` prints for people: the verdict in one line, then counts,
 * index with its reason, hidden constraints, start. */
#ifndef CHECK_TEXT_H
#define CHECK_TEXT_H

#include "check.h"

typedef struct check_view {
    const char *name; /* of the model */
    dae_status status;
    size_t errors;
    bool is_verbose;
} check_view;

/* False: memory ran out for a part of it. */
bool check_print(const check *k, const check_view *v, FILE *file);

#endif
