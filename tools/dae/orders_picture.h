/* What `dae orders` has found, as a picture: errors against the step, with
 * triangles of the orders, and errors against the work. */
#ifndef ORDERS_PICTURE_H
#define ORDERS_PICTURE_H

#include "orders_view.h"
#include "picture.h"

/* Fills an empty picture; memory that runs out is in it. */
void orders_picture_make(const orders_view *v, picture *p);

#endif
