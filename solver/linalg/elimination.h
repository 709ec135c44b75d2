/* Which unknowns of a sparse matrix are worth taking out before it is
 * factorized: those whose pivot is known to be good whatever the other entries
 * come to, and whose elimination leaves no more entries than it removes
 * [Mar57]. Symbolic: which pivots, in which order, and which entries that
 * makes; the numbers are linalg/condense.h's. */
#ifndef LINALG_ELIMINATION_H
#define LINALG_ELIMINATION_H

#include "base/alloc.h"
#include <dae/status.h>

/* What is known of an entry. */
typedef enum entry_class {
    ENTRY_VARIES,
    ENTRY_POWER, /* a constant by a power of alpha */
    ENTRY_KNOWN, /* a constant that is not 0 */
} entry_class;

/* A square pattern, rows ascending in each column; borrowed. */
typedef struct elimination_source {
    size_t n;
    const int64_t *column_start; /* n + 1 */
    const int32_t *row;
    const uint8_t *class; /* entry_class of each entry */
    const double *value;  /* of those that are known */
    const uint8_t *level; /* see linalg/row_matching.h */
} elimination_source;

/* An entry of the matrix at any stage of the elimination. */
typedef struct elimination_entry {
    int32_t row, column;
    int32_t next_in_row, next_in_column; /* entries; -1: the last */
    int32_t before_in_row, before_in_column;
    uint8_t class, level;
    double value; /* where it is known */
} elimination_entry;

/* Entries are numbered: those of the source, then what is made, in order. The
 * lists of a row and of a column end with its elimination: they hold what it
 * had then beside the pivot. */
typedef struct elimination {
    size_t n;
    ARRAY(elimination_entry) entries;
    ARRAY(int32_t) pivots; /* entries, in order */
    /* What each pivot changes: for every entry of its column, for every entry
     * of its row, the entry where the product goes. */
    ARRAY(int32_t) targets;
    int32_t *row_first, *column_first;   /* n: entries; -1: none */
    int32_t *row_count, *column_count;   /* n */
    uint8_t *is_row_out, *is_column_out; /* n */
    const dae_allocator *a;
} elimination;

/* Finds the pivots. On failure *out is cleared. DAE_MEMORY; DAE_LIMIT: more
 * entries than can be counted. */
dae_status elimination_find(const elimination_source *s,
    const dae_allocator *allocator, elimination *out) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void elimination_clear(elimination *e);

#endif
