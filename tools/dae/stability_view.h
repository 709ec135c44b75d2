/* What `dae stability` shows: methods chosen, eigenvalues at a point, and what
 * each method makes of them. */
#ifndef STABILITY_VIEW_H
#define STABILITY_VIEW_H

#include "args.h"
#include "phrase.h"
#include "picture.h"
#include "write_json.h"
#include <dae/stability.h>

enum { VIEW_METHODS = 32 };

typedef struct stability_view {
    const dae_method *methods[VIEW_METHODS];
    dae_stability_traits traits[VIEW_METHODS];
    size_t method_count;
    bool is_chosen;           /* by --methods */
    const dae_eigenvalues *e; /* NULL: no model */
    double t, step;           /* step: NaN where none is given */
} stability_view;

/* The methods of --methods, by name or family, in that order, or all. False: a
 * message about one that does not exist is on `errors`. */
bool stability_view_init(stability_view *v, const args *a, FILE *errors);
/* Of a pair the one above the real axis stands for both; others for themselves:
 * false for the one below. */
bool stability_view_stands(const stability_view *v, size_t k);
/* Eigenvalue k without parts that are rounding beside its modulus. */
dae_complex stability_view_value(const stability_view *v, size_t k);
dae_complex stability_view_scaled(const stability_view *v, size_t k);
bool stability_view_has_step(const stability_view *v);
/* What is seen, as a sentence or two. */
void stability_view_tell(const stability_view *v, phrase *p);
/* Makes the picture, which starts empty, a panel for each method.
 * Curves of a panel: the region in its window, its boundary, the wedge where its angle is
 * between 0 and 90 degrees, and with a step the h*lambda in the window that do not grow with
 * the method and those that do, where there are any. */
void stability_picture_make(
    const stability_view *v, const dae_allocator *allocator, picture *p);

#endif
