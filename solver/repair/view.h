/* A problem as repairs present it (repair/plan.h): a dae_problem of its own,
 * whose structure can be analysed and certified like that of any other.
 * Partial derivatives are sums of entries of the extended problem's Jacobian
 * (extend/extend.h); one that cancels but for rounding is 0. */
#ifndef REPAIR_VIEW_H
#define REPAIR_VIEW_H

#include "extend/extend.h"
#include "linalg/layout.h"
#include "repair/plan.h"

/* Part of an entry: `weight` times an entry of the extended Jacobian. */
typedef struct view_part {
    int32_t entry;
    int32_t factor; /* of view.factor; -1: 1 */
    double weight;
} view_part;

/* An equation whose weights vary: its members' factors, and the entry of each
 * pivot (entries of the view: none). */
typedef struct view_varying {
    int32_t row;
    size_t first_factor;
    size_t *pivot;
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
    size_t entries;
    size_t *begin; /* entries + 1: of each entry, in parts */
    view_part *part;
    view_varying *varying;
    size_t varying_count, factor_count;
    int32_t *varying_of; /* equations: in `varying`, or -1 */
    /* at the point the view was moved to last */
    double *extended_x, *extended_res, *extended_values, *factor;
    /* for entries whose factors vary: the factors there, differences, and
     * what these are summed of; whether the factors depend on the slot */
    double *base, *slope, *size;
    uint8_t *moves;
    double *x, *xp;
    dae_start start;
} view;

/* `original` and `plan` are borrowed. The status is that of extended_create;
 * DAE_LIMIT also where weights that vary would take too long. */
dae_status view_create(const dae_problem *original, const layout *l,
    const plan *p, const dae_allocator *allocator, view **out) DAE_MUST_CHECK;
void view_free(view *v);

/* Brings the view to a point: values and Jacobian of the extended problem, and
 * the weights that vary. DAE_RETRY: these are not determined there, or there
 * are no values. */
dae_status view_move(
    view *v, double t, const double *x, const double *xp) DAE_MUST_CHECK;
/* The value of an equation there, and the sum of its terms' magnitudes. */
double view_value(const view *v, size_t row, double *magnitude);
/* What stands for derivative `order` of unknown j where its value is not known. */
double view_stray(const view *v, size_t j, size_t order);

#endif
