/* What a pattern of equations (rows) and unknowns (columns) says about them,
 * whatever the numbers are: integers only, usable without the language.
 * docs/structure.md has the algorithms.
 *
 * A matching gives each unknown at most one equation that is to determine it.
 * Where a largest one leaves equations or unknowns over, the
 * Dulmage-Mendelsohn parts say which ones are to blame. */
#ifndef DAE_STRUCTURE_H
#define DAE_STRUCTURE_H

#include <dae/memory.h>
#include <dae/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAE_UNMATCHED (-1)

/* Rows by columns, compressed by columns. The order within a column does not
 * matter, and an entry may occur twice. Borrowed. */
typedef struct dae_incidence {
    size_t rows, columns;        /* each below 2^31 - 1 */
    const int64_t *column_start; /* columns + 1, the first is 0 */
    const int32_t *row;          /* column_start[columns] */
} dae_incidence;

typedef enum dae_part {
    DAE_PART_WELL = 0, /* as many rows as columns, all matched */
    DAE_PART_OVER,     /* more rows than columns: too many equations */
    DAE_PART_UNDER,    /* more columns than rows: too few equations */
} dae_part;

/* A largest matching and the part of every row and column. The caller gives
 * all arrays. */
typedef struct dae_matching {
    int32_t *row_of;      /* columns: the partner or DAE_UNMATCHED */
    int32_t *column_of;   /* rows: the same */
    uint8_t *row_part;    /* rows: dae_part */
    uint8_t *column_part; /* columns: dae_part */
    size_t rank;          /* pairs */
} dae_matching;

/* Fills `m`. What row_of and column_of hold on entry is the matching to begin
 * from (all DAE_UNMATCHED for none). Time: at most entries times the root of
 * the size, linear for patterns near a matching. Rows of DAE_PART_OVER
 * have entries in columns of DAE_PART_OVER alone, columns of DAE_PART_UNDER in
 * rows of DAE_PART_UNDER alone. DAE_ARGUMENT: a row outside the pattern, or a
 * matching to begin from that is none; DAE_LIMIT: too large. */
DAE_API dae_status dae_structure_match(const dae_incidence *pattern,
    const dae_allocator *allocator, dae_matching *m) DAE_MUST_CHECK;

/* Some rows and columns, ascending. Room: rows and columns of the pattern. */
typedef struct dae_witness {
    int32_t *rows, *columns;
    size_t row_count, column_count;
} dae_witness;

/* A set of rows one larger than that of all the columns they have entries in:
 * they cannot all hold. No smaller set of them is one. Of the sets that the
 * unmatched rows give (the first 64 of them) the smallest, the first of
 * equal ones. Empty where every row is matched. */
DAE_API dae_status dae_structure_excess(const dae_incidence *pattern,
    const dae_matching *m, const dae_allocator *allocator,
    dae_witness *out) DAE_MUST_CHECK;
/* A set of columns one larger than that of all the rows with entries in them,
 * likewise. */
DAE_API dae_status dae_structure_shortage(const dae_incidence *pattern,
    const dae_matching *m, const dae_allocator *allocator,
    dae_witness *out) DAE_MUST_CHECK;

/* ---- derivatives: index, offsets, degrees of freedom ------------------------ */

/* The same with the highest derivative of each unknown in each equation.
 * Where an entry occurs twice, the larger order counts. Borrowed. */
typedef struct dae_signature {
    size_t rows, columns;        /* each below 2^31 - 1 */
    const int64_t *column_start; /* columns + 1, the first is 0 */
    const int32_t *row;          /* column_start[columns] */
    const int32_t *order;        /* the same: 0 for x, 1 for x', ... */
} dae_signature;

typedef struct dae_structure_options {
    dae_interrupt_fn *interrupt; /* NULL: never asked */
    void *interrupt_context;
} dae_structure_options;

/* Equations row_at[begin] .. row_at[end - 1] of a dae_structure and the same
 * range of column_at, and what the offsets are among them. */
typedef struct dae_block {
    int32_t begin, end;
    int64_t max_c; /* the most often an equation is differentiated */
    int64_t index; /* max_c, and 1 more if some d is 0 */
    int64_t degrees_of_freedom; /* sum of d less sum of c */
} dae_block;

/* What the signature method [Pry01] finds. Everything but the transversal
 * (row_of and column_of, and so which row stands where in its fine block) is
 * the same whatever the order of rows and columns, but for blocks that do not
 * need each other, whose order is free.
 *
 * Where no transversal exists (is_regular 0) the matching tells which rows and
 * columns are to blame, and all that follows it is empty or NULL. */
typedef struct dae_structure {
    int is_regular;        /* square, and every row matched */
    size_t rows, columns;  /* of the signature */
    dae_matching matching; /* a transversal of the highest value if regular */

    size_t n;                   /* rows and columns if regular */
    int64_t degrees_of_freedom; /* the transversal's value: sum d - sum c */
    int64_t index;              /* max c, and 1 more if some d is 0 */
    /* The smallest c >= 0 and d with d[j] - c[i] >= order of (i, j), equal on
     * the transversal: equation i is to be differentiated c[i] times, which
     * gives unknown j up to its derivative d[j]. */
    const int64_t *c; /* rows */
    const int64_t *d; /* columns */

    /* Order of evaluation: row_at[k] and column_at[k] are partners, the columns of
     * a fine block ascend. No row has an entry in a column of a later coarse
     * block; in its own coarse block none with d - c = order in a later fine
     * one. A fine block lies in one coarse block. */
    const int32_t *row_at;
    const int32_t *column_at;
    size_t coarse_count, fine_count;
    const dae_block *coarse; /* strong components of all entries */
    const dae_block *fine;   /* of the entries with d - c = order */
} dae_structure;

/* Steps: a largest matching, blocks, the transversal of the highest value and
 * the canonical offsets block by block, fine blocks. `options` may be NULL;
 * dae_structure_free frees *out, which is NULL on failure. No transversal is
 * no failure. DAE_ARGUMENT: a row outside the signature or an order below 0;
 * DAE_LIMIT: too large, or orders whose sum over all columns passes 2^60;
 * DAE_INTERRUPTED: `interrupt` said so. */
DAE_API dae_status dae_structure_analyse(const dae_signature *signature,
    const dae_structure_options *options, const dae_allocator *allocator,
    dae_structure **out) DAE_MUST_CHECK;
DAE_API void dae_structure_free(dae_structure *structure);

#ifdef __cplusplus
}
#endif
#endif
