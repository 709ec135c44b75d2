/* Which rows determine which slots at the start, by the pattern alone.
 *
 * The highest derivatives serve first: a row that they can satisfy leaves the
 * states at their values. Rows that compete for too few derivatives (those
 * without any among them) are constraints: they are for the states. Each of
 * the two sets falls into parts with too many rows, as many rows as slots,
 * and too few (Dulmage-Mendelsohn), solved in this order. */
#ifndef START_SPLIT_H
#define START_SPLIT_H

#include "start/system.h"

enum {
    SPLIT_STATES_OVER, /* constraints: more rows than slots */
    SPLIT_STATES_WELL,
    SPLIT_STATES_UNDER, /* states here keep near their guesses */
    SPLIT_RATES_WELL,   /* the others: highest derivatives */
    SPLIT_RATES_UNDER,
    SPLIT_PARTS
};

typedef struct split {
    subset part[SPLIT_PARTS];
    subset checks;    /* rows without a free slot */
    subset untouched; /* free states in no constraint */
    size_t missing;   /* states that nothing determines */
} split;

/* Memory from the system's arena; needs a Jacobian (for entries that stay
 * zero). */
dae_status split_init(split *sp, init_system *s) DAE_MUST_CHECK;
/* What of these rows and slots determines each other: as many of both. Memory
 * as above. */
dae_status split_well(
    subset *well, init_system *s, const subset *from) DAE_MUST_CHECK;

#endif
