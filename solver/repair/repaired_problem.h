/* A problem as repairs present it (repair/replacements.h): a dae_problem of its own,
 * whose structure can be analysed and certified like that of any other.
 * Partial derivatives are sums of entries of the extended problem's Jacobian
 * (extend/extend.h); one that cancels but for rounding is an honest zero. */
#ifndef REPAIR_REPAIRED_PROBLEM_H
#define REPAIR_REPAIRED_PROBLEM_H

#include "extend/extend.h"
#include "linalg/layout.h"
#include "repair/replacements.h"

/* Part of an entry: `weight` times an entry of the extended Jacobian. */
typedef struct view_part {
    int32_t entry;
    int32_t factor; /* of view.factor; -1: 1 */
    double weight;
} view_part;

typedef ARRAY(view_part) view_parts;

/* An entry by row, before it has a place in the pattern. */
typedef struct view_entry {
    int32_t row;
    dae_slot slot;
    uint8_t kind;
    size_t begin, end; /* in parts */
} view_entry;

/* A row whose weights vary. */
typedef struct view_varying {
    int32_t row;
    size_t first_factor;
    size_t entry_count;
    size_t *entry, *column;  /* of the pattern, all of the row */
    double *sum, *magnitude; /* entry_count: with the factors held */
    double *base, *value;    /* members: factors and values at the point */
    size_t *pivot_begin;     /* members * (members - 1) + 1: the parts of each
                            member's partial derivative by each pivot */
    view_part *pivot_part;
} view_varying;

typedef struct view {
    dae_problem problem; /* no names, no series */
    layout layout;
    /* the rest is the view's own */
    const dae_problem *original;
    const layout *original_layout;
    const plan *plan;
    extended *extended;
    const dae_allocator *allocator;
    arena arena;
    struct { /* entries of the extended Jacobian */
        int64_t *start;
        int32_t *entry, *column;
    } by_row;
    size_t entries;
    size_t *begin, *end; /* of each entry, in parts */
    view_parts parts;
    view_varying *varying;
    size_t varying_count, factor_count;
    bool lacks_factors; /* at the last point there were values, but weights that
                           vary were not determined */
    /* slots of all unknowns: those of the view, and others that occur in
     * derivatives of equations but cancel */
    size_t *slot_first; /* unknowns + 1 */
    double *slot, *stray;
    double *extended_x, *extended_res, *extended_values;
    double *factor, *moved; /* of the members of rows that vary */
    double *work, *x, *xp;
    dae_start start;
} view;

/* `original` and `plan` are borrowed. The status is that of extended_create;
 * DAE_LIMIT also where rows that vary would take too long. */
dae_status view_create(const dae_problem *original, const layout *l,
    const plan *p, const dae_allocator *allocator, view **out) DAE_MUST_CHECK;
void view_free(view *v);

/* Brings the view to a point: the extended problem's values, its Jacobian and
 * the factors there, as far as they are asked for. */
typedef enum view_want { VIEW_VALUES = 1, VIEW_JACOBIAN = 2 } view_want;
dae_status view_move(view *v, double t, const double *x, const double *xp,
    unsigned wanted) DAE_MUST_CHECK;

#endif
