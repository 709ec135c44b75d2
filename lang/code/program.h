/* Programs: straight-line code for shapes, run over all their rows.
 *
 * The caller describes *kernels*: one or more root nodes (outputs), the leaves
 * they read as columns of indices into spaces, and where each row's results
 * go. The builder makes one program of them: kernels with many rows run block
 * by block (each instruction over up to PROGRAM_BLOCK rows, operands in
 * registers that are blocks); kernels with few rows are fused, level by level,
 * into straight-line scalar code with common subexpressions shared across
 * kernels. Every program is verified once after it is built, so running it
 * checks nothing, allocates nothing and cannot fail.
 *
 * Order of evaluation: levels ascend; inside a level kernels in the order
 * given, rows ascending; so sums are the same bits every time. A kernel of many
 * rows that only stores may run earlier in its level, block by block with another
 * of as many rows whose subexpressions it shares: where a kernel stores, nothing
 * before it in its level may write. (In a kernel of
 * more than PROGRAM_FUSE_ROWS rows the outputs are written one after the other
 * for each block of rows, which matters only where two of its outputs add to
 * one target.) */
#ifndef CODE_PROGRAM_H
#define CODE_PROGRAM_H

#include "base/alloc.h"
#include "ir/shape.h"
#include <dae/diag.h>

/* Entries [begin, end) of an array. */
typedef struct index_range {
    uint32_t begin, end;
} index_range;
typedef ARRAY(index_range) index_ranges;

#define PROGRAM_BLOCK 128
#define PROGRAM_FUSE_ROWS 8 /* kernels with at most so many rows are fused */

/* Arrays a program reads. All are doubles. */
typedef enum program_space {
    SPACE_X,     /* state slots */
    SPACE_XP,    /* highest derivatives */
    SPACE_PARAM, /* param table */
    SPACE_DEF,   /* definitions' values */
    SPACE_TIME,  /* one value */
    SPACE_HELD,  /* what changes at events alone (dae/events.h) */
    SPACE_COUNT
} program_space;

/* Arrays a program writes; what they mean is the caller's. A program may read
 * SPACE_DEF that an earlier level wrote as OUT_DEF (the same array). */
typedef enum program_out {
    OUT_MAIN, /* residual, conditions, observations */
    OUT_DEF,  /* definitions' values: the array of SPACE_DEF */
    OUT_JAC,  /* Jacobian entries and chain factors */
    OUT_COUNT
} program_out;

typedef struct kernel_column {
    node_id leaf; /* the HOLE node */
    program_space space;
    const uint32_t *index; /* row_count indices into the space */
} kernel_column;

typedef struct kernel_output {
    node_id root;
    program_out out;
    bool add;               /* out[target] += value, else = value */
    bool minus;             /* the value is negated first */
    const uint32_t *target; /* row_count indices into the out array */
} kernel_output;

typedef struct kernel {
    uint32_t level;
    size_t row_count;
    const kernel_column *columns; /* every HOLE below the roots, once each */
    size_t column_count;
    const kernel_output *outputs;
    size_t output_count;
} kernel;

/* Sizes of the arrays, for the verifier. */
typedef struct program_sizes {
    size_t space[SPACE_COUNT];
    size_t out[OUT_COUNT];
} program_sizes;

typedef struct program program;

/* Builds and verifies. DAE_ARGUMENT: an index or a target outside its array, a
 * hole without a column, a column twice. Everything is copied (index columns too: affine runs
 * are found and stored as base and stride, columns that are the same in every
 * row as one number), but for the numbers of signals, which the program reads
 * where they are. The pool is needed only during the build. */
dae_status program_build(const shape_pool *pool, const kernel *kernels,
    size_t count, const program_sizes *sizes, const dae_allocator *allocator,
    program **out) DAE_MUST_CHECK;
void program_free(program *p);

/* Bytes of scratch (block registers) that a run needs; the caller owns it, one
 * per thread, aligned to 64 or as malloc gives. */
size_t program_scratch(const program *p);
/* Runs. spaces[SPACE_X..], outs[OUT_..]; unused ones may be NULL. Outputs
 * marked `add` add to what is there: the caller clears. */
void program_run(const program *p, const double *const spaces[SPACE_COUNT],
    double *const outs[OUT_COUNT], void *scratch);

/* Machine code for a program that is run often (code/native.h): none before it is
 * allowed. Whoever owns the program counts its runs; a count may translate, which
 * changes no value, and no other run of the program may go on meanwhile. */
void program_native(program *p, bool is_allowed); /* p may be NULL */
void program_count_runs(program *p, uint32_t count);

/* The listing of `dae show --bytecode`. */
dae_status program_show(
    const program *p, dae_write_fn *write, void *context) DAE_MUST_CHECK;
/* How it was made, for tests and listings. */
typedef struct program_counts {
    size_t kernels, fused_kernels, instructions, fused_instructions, rows;
} program_counts;
program_counts program_count(const program *p);

#endif
