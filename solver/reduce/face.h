/* How a reduced problem shows itself: values, names, places. */
#ifndef REDUCE_FACE_H
#define REDUCE_FACE_H

#include "reduce/reduced.h"

/* Fills the callbacks of r->problem. */
void reduced_face(reduced *r);

#endif
