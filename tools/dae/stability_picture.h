/* A picture of what `dae stability` shows: a panel for each method, with the
 * part of its stability region in a window, the wedge, and a model's h*lambda.
 */
#ifndef STABILITY_PICTURE_H
#define STABILITY_PICTURE_H

#include "picture.h"
#include "stability_view.h"

/* The square that shows the region of method i: the whole locus with some room
 * around, more to the left, where solutions decay. With a step it is one about
 * 0 for all methods, just wide enough for every h*lambda that is not far from
 * all loci: marks stand at the same places in all panels. */
dae_window stability_picture_window(const stability_view *v, size_t i);

/* Makes the picture, which starts empty; it may be incomplete. Curves of a
 * panel: the region, its boundary, the wedge where its angle is between 0 and
 * 90 degrees, and with a step the h*lambda in the window that do not grow with
 * the method and those that do, where there are any. */
void stability_picture_make(
    const stability_view *v, const dae_allocator *allocator, picture *p);

#endif
