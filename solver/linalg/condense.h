/* A matrix without its trivial unknowns. elimination_find says which unknowns of a
 * sparse matrix to eliminate before it is factorized: those with a pivot that is good for
 * all values of the other entries, and whose elimination adds no more entries than it
 * removes [Mar57]; symbolic. Its pivots split A into a smaller matrix S and the rows
 * that give the eliminated unknowns. A x = b has the same solution, up to
 * rounding. Values of A are written directly to their places in the elimination, so that
 * there is one copy of them. */
#ifndef LINALG_CONDENSE_H
#define LINALG_CONDENSE_H

#include "base/arena.h"
#include "linalg/linear.h"

/* Classes of entries by their values. */
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
    int64_t
        most; /* products of a pivot; below 0: no unknown is to be eliminated */
} elimination_source;

/* Rows and columns have numbers of so many bits. */
enum { ELIMINATION_BITS = 30 };

/* An entry of the matrix at any stage of the elimination: half a line of the cache. */
typedef struct elimination_entry {
    uint32_t row : ELIMINATION_BITS,
                   class : 2,
                   column : ELIMINATION_BITS,
                            level : 2;
    int32_t next_in_row, next_in_column; /* entries; -1: the last */
    union {
        int32_t before_in_row;
        uint32_t
            place; /* in the values of what is made of it, once it is done */
    };
    int32_t before_in_column;
    double value; /* where it is known */
} elimination_entry;

/* Entries are numbered: those of the source (`given`) row by row, then the fill, in order.
 * The lists of a row and of a column end with its elimination: they hold what it
 * had then beside the pivot. */
typedef struct elimination {
    size_t n, given;
    ARRAY(elimination_entry) entries;
    ARRAY(int32_t) pivots; /* entries, in order */
    /* What each pivot changes: for every entry of its column, for every entry
     * of its row, the entry where the product goes. */
    ARRAY(int32_t) targets;
    int32_t *row_first, *column_first;   /* n: entries; -1: none */
    int32_t *row_count, *column_count;   /* n */
    uint8_t *is_row_out, *is_column_out; /* n */
    bool has_more; /* pivots with more products than were required, perhaps */
    const dae_allocator *a;
} elimination;

/* Finds the pivots. On failure *out is cleared. DAE_MEMORY; DAE_LIMIT: more
 * entries than can be counted. */
dae_status elimination_find(const elimination_source *s,
    const dae_allocator *allocator, elimination *out) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void elimination_clear(elimination *e);

typedef struct condensed {
    size_t n;              /* of A */
    size_t count;          /* of S: rows and columns that stay */
    size_t pivots;         /* n - count */
    int64_t *column_start; /* count + 1: the pattern of S, rows ascending */
    int32_t *row;
    uint32_t kept;     /* its entries */
    int32_t *kept_row; /* count: those of A, aligned (linalg/row_matching.h) */
    int32_t *kept_column;              /* count: ascending */
    int32_t *pivot_row, *pivot_column; /* pivots */
    uint32_t *pivot_at; /* pivots + 1: each one's place in values; what stands
                           beside it in its row comes after it, */
    uint32_t *below_at; /* pivots: and from here on what is below it */
    int32_t *other;     /* for each of values after those of S: the column of
                           what is beside a pivot, the row of what is below one */
    uint32_t *target;   /* places in values: for every entry below a pivot, for
                           every one beside it, where their product goes */
    uint32_t *place;    /* of each entry of A (`given`): its place in values;
                           NULL: forgotten */
    double *values;     /* of S; then of the pivots; NULL: no room yet */
    size_t value_count, target_count, given;
    double *right, *left; /* pivots; count: right-hand sides */
    arena memory;
} condensed;

/* Nothing of `s` and `e` is borrowed; *e is of no other use then. On failure *c is
 * cleared. */
dae_status condensed_init(condensed *c, const elimination_source *s,
    elimination *e, const dae_allocator *allocator) DAE_MUST_CHECK;
/* For numbers: before the first of them, when what is not needed any more is gone. False:
 * no memory. */
bool condensed_take_room(condensed *c) DAE_MUST_CHECK;
/* `place`, for who has taken them over. */
void condensed_forget_places(condensed *c);
/* Fine on a zeroed one. */
void condensed_clear(condensed *c);

/* The cost (linear_cost) of condensation with factorization and so many solutions of S;
 * NaN: not known. */
double condensed_cost(const condensed *c, const linear *rest, double solves);
/* The least cost to save: below, the linear algebra is a small part of a step. */
enum { CONDENSED_LEAST = 1000 };
/* Does it save enough of the cost of A? By counts. */
bool condensed_saves(
    const condensed *c, const linear *whole, const linear *rest);

/* Weights of the unknowns that stay (count) from those of all (n): what an error of one
 * does to those that are eliminated counts with it. `room`: n. */
void condensed_weights(
    const condensed *c, const double *weights, double *room, double *kept);
/* `values` of A become those of S and of the elimination. False where a pivot
 * is 0: they then are neither. */
bool condensed_eliminate(condensed *c);
/* 1 or -1: whether the determinants of A and S have one sign, up to the order of rows
 * and columns, which stays. */
int condensed_sign(const condensed *c);
/* A right-hand side b of A (n), which is changed, to that of S in `left`. */
void condensed_reduce(condensed *c, double *b);
/* The solution x (n) of A from that of S in `left`. */
void condensed_expand(const condensed *c, double *x);
/* size[j] of each eliminated unknown j: the size of_row[i] (given) of the terms of the
 * equation i that determines it, divided by the pivot. Other elements of `size` (n) are
 * kept. */
void condensed_sizes(const condensed *c, const double *of_row, double *size);

#endif
