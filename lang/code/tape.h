/* What the switches of a shape look at, for one row after the other: a number
 * that tells the same expression of the same objects from others, and how it
 * changes between events. */
#ifndef CODE_TAPE_H
#define CODE_TAPE_H

#include "code/compile.h"
#include "code/held.h"

/* How a value changes between events. */
typedef enum tape_class {
    TAPE_FIXED,  /* not at all */
    TAPE_AFFINE, /* a straight line in t, as long as nothing turns */
    TAPE_PIECE,  /* the piece of a signal that such a line is in */
    TAPE_TIME,   /* with t alone */
    TAPE_POINT   /* with unknowns */
} tape_class;

/* An expression of objects: equal ones have equal keys, others almost
 * certainly different ones (128 bits). */
typedef struct tape_key {
    uint64_t first, second;
} tape_key;

typedef struct tape_note {
    tape_key key;
    uint8_t changes; /* tape_class */
} tape_note;

typedef struct tape {
    const shape_pool *pool;
    node_id *nodes; /* ascending */
    uint32_t (*operand)[3];
    size_t count;
    tape_note *notes; /* of the row that was run last */
} tape;

/* In `memory`. */
dae_status tape_make(const shape_pool *p, const node_id *roots,
    size_t root_count, arena *memory, tape *out) DAE_MUST_CHECK;
/* Runs it over a row; `changes` has the class of each definition; `is_held`:
 * what switches is held. */
void tape_run(tape *t, const system_tables *s, const uint32_t *row,
    const uint8_t *changes, bool is_held);
/* Of the root function of a node on the tape. */
tape_note tape_edge(const tape *t, node_id at);
static inline tape_class tape_class_of(const tape *t)
{
    return (tape_class)t->notes[t->count - 1].changes;
}

#endif
