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

typedef struct split_part {
    int32_t *rows, *slots; /* ascending */
    size_t row_count, slot_count;
} split_part;

enum {
    SPLIT_STATES_OVER, /* constraints: more rows than slots */
    SPLIT_STATES_WELL,
    SPLIT_STATES_UNDER, /* states here keep near their guesses */
    SPLIT_RATES_WELL,   /* the others: highest derivatives */
    SPLIT_RATES_UNDER,
    SPLIT_PARTS
};

typedef struct split {
    split_part part[SPLIT_PARTS];
    split_part checks;    /* rows without a free slot */
    split_part untouched; /* free states in no constraint */
    size_t missing;       /* states that nothing determines */
} split;

/* Memory from the system's arena; needs a Jacobian (for entries that stay
 * zero). */
dae_status split_init(split *sp, init_system *s) DAE_MUST_CHECK;
/* What of these rows and slots determines each other: as many of both. Memory
 * as above. */
dae_status split_well(
    split_part *well, init_system *s, const split_part *from) DAE_MUST_CHECK;

#endif
