/* Prototype: one start solver, behind DAE_START=new. */
#ifndef START_START_NEW_H
#define START_START_NEW_H
#include "start/search.h"
bool start_is_new(void);
/* From a prepared search (point, Jacobian, scale). *is_regular: square, regular everywhere. */
dae_status start_new(search *a, bool *is_regular) DAE_MUST_CHECK;
extern double start_linear_zero; /* what the last solve leaves uncertain of a pivot; 0: nothing */
#endif
