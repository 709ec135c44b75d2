/* Shapes whose branches are held: every place that switches has a hole for the
 * number that the solver holds (dae/events.h), and its value is
 *
 *     free where that is NaN, else what it is with the number.
 *
 * So abs(a) becomes `if h != h then abs(a) else h*a`, with h the sign of a.
 * Where all is free a value has the same bits as before. The root function of a
 * place is a shape over the same holes; it looks through places that are held. */
#ifndef CODE_HELD_H
#define CODE_HELD_H

#include "base/arena.h"
#include "ir/shape.h"

typedef struct held_place {
    node_id at;   /* in the text's shape: the first that asks */
    node_id root; /* its root function, over the holes of the new shape */
    uint8_t kind; /* dae_switch_kind */
    bool is_kink; /* all that ask are continuous where it turns */
} held_place;

typedef struct held_shape {
    node_id text; /* its root in the text */
    uint32_t first_hole;
    uint32_t count;
    held_place *places; /* place k has hole first_hole + k */
} held_shape;

/* Whether a node's value is made of what it does at its switches. */
bool held_is_switch(const shape_pool *p, node_id id);
/* What a place looks at: its operands, and of which kind it is. The root
 * function is a of SIGN, FLOOR and CEIL, a/b of mod, else a - b. */
typedef struct held_edge {
    node_id a, b; /* b: NODE_NONE where it looks at a alone */
    uint8_t kind;
    bool is_ratio, is_kink;
} held_edge;
held_edge held_edge_of(const shape_pool *p, node_id id);

/* Finds the places of a shape; `root` becomes the one with holes, which is the
 * one that was given where nothing switches. Places lie in `memory`. */
dae_status held_rewrite(shape_pool *p, node_id text, uint32_t first_hole,
    arena *memory, held_shape *out, node_id *root) DAE_MUST_CHECK;
/* Holds the places of a shape in others over its holes: partial derivatives of
 * the text's shape become those of the frozen branches. */
dae_status held_rewrite_others(shape_pool *p, const held_shape *s,
    arena *scratch, node_id *roots, size_t count) DAE_MUST_CHECK;
/* A root function over holes that are numbered from 0: `holes` gets the old
 * numbers, *count of them. */
dae_status held_compact(shape_pool *p, node_id root, arena *memory,
    node_id *compact, uint32_t **holes, uint32_t *count) DAE_MUST_CHECK;

#endif
