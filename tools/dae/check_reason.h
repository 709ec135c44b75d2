/* Where an index comes from, in words. */
#ifndef CHECK_REASON_H
#define CHECK_REASON_H

#include "check_names.h"

/* "`rod` is differentiated twice before `lam` is determined" */
void check_put_reason(const check *k, phrase *p);
/* "once", "twice", "3 times". */
void check_put_times(int64_t count, phrase *p);

#endif
