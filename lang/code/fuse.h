/* Makes straight-line code of hash-consed values: equal expressions over equal
 * operands are computed once, pairs of sums and products become one
 * instruction, results go where they are wanted, slots are given by linear
 * scan. Fused sections are made of it over all their kernels and rows, block
 * code over one kernel (its slots are registers then). */
#ifndef CODE_FUSE_H
#define CODE_FUSE_H

#include "code/bytecode.h"

typedef enum store_mode {
    STORE_SET,
    STORE_NEG,
    STORE_ADD,
    STORE_SUB
} store_mode;

typedef struct fuse_value {
    uint8_t op;       /* opcode; OP_COUNT: it is in memory */
    uint8_t at;       /* place; AT_SLOT: computed */
    uint8_t how;      /* fuse_how */
    uint32_t a, b, c; /* operands: values; k in b */
    uint32_t index;   /* index in its place */
    uint32_t uses;
    uint32_t last;  /* position of the last use */
    uint32_t inner; /* value computed by the same instruction, or NO_INDEX */
    uint32_t hash_slot;
} fuse_value;

/* One thing that happens: a value is computed or stored. */
typedef struct fuse_event {
    uint32_t value;
    uint8_t is_store, is_scatter;
    uint8_t mode; /* store_mode */
    uint8_t at;   /* store: where to */
    uint32_t index;
} fuse_event;

typedef struct fuser {
    const dae_allocator *allocator;
    program *program; /* takes the constants */
    ARRAY(fuse_value) values;
    ARRAY(fuse_event) events;
    ARRAY(uint32_t) free_slots;
    uint32_t *table; /* open addressing over values + 1 */
    size_t table_size;
    uint32_t slots;
    uint32_t epoch; /* definitions read in different epochs may differ */
    bool def_written;
    bool failed; /* an allocation failed */
} fuser;

void fuse_init(fuser *f, program *p, const dae_allocator *allocator);
void fuse_clear(fuser *f);
/* Values; NO_INDEX after a failure. */
uint32_t fuse_load(fuser *f, place at, uint32_t index);
uint32_t fuse_const(fuser *f, double value);
uint32_t fuse_op(fuser *f, opcode op, uint32_t a, uint32_t b, uint32_t c);
/* A column that is read through a register (block code). */
uint32_t fuse_gather(fuser *f, uint32_t port);
/* Stores happen in the order they are requested. `is_scatter`: through a
 * SCATTER instruction (block code), else at[index] itself. */
void fuse_store(fuser *f, uint32_t value, place at, uint32_t index,
    store_mode mode, bool is_scatter);
/* Definitions stored up to here may be read from here on. */
void fuse_level(fuser *f);
/* Appends the code to program.scalar and starts again empty; `range` says
 * where, `slots` how many slots it needs. */
dae_status fuse_finish(
    fuser *f, code_range *range, uint32_t *slots) DAE_MUST_CHECK;

#endif
