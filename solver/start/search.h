/* The search for a start, part by part (start/split.h): at once, in blocks, by
 * homotopy, and where all that fails an account of why. */
#ifndef START_SEARCH_H
#define START_SEARCH_H

#include "start/proportion.h"
#include "start/split.h"

typedef struct search {
    init_system s;
    split split;
    double *scale;     /* slots: sizes for least changes */
    bool is_open;      /* derivatives are left open */
    bool is_uncertain; /* counts by pattern may be wrong */
    double found_at;   /* largest residual where the search ended */
    proportion usual;  /* with findings */
    int64_t iterations;
} search;

/* All rows that have a free slot, and all free slots; in the arena of `s`. */
dae_status search_all(search *a, subset *all) DAE_MUST_CHECK;
/* Whether a state that is no derivative is free. */
bool search_has_states(const init_system *s);
/* Solves the parts in their order. DAE_INCONSISTENT, DAE_NUMERIC: said. */
dae_status search_parts(search *a) DAE_MUST_CHECK;

#endif
