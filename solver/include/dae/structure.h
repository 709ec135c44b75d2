/* What a pattern of equations (rows) and unknowns (columns) says about them,
 * whatever the numbers are: integers only, usable without the language.
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

#ifdef __cplusplus
}
#endif
#endif
