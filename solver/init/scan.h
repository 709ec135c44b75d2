/* One row along one slot, over many sizes: where its sign changes, and whether
 * a smallest value of it is one. */
#ifndef INIT_SCAN_H
#define INIT_SCAN_H

#include "init/system.h"

/* Residuals of the whole system that a scan may ask for, in all `rows`. */
#define SCAN_WORK 3e8

typedef struct scan {
    init_system *s;
    size_t row, slot;
    double *res; /* rows: scratch */
    double *at,
        *f; /* the points by size, and the row's values there; NaN: none */
    size_t count;
    double *work; /* residuals still allowed, times rows */
} scan;

/* What the points around 0 and around the slot's guess say of the value `at`
 * where the row has its smallest size. */
typedef struct scan_account {
    bool is_least;    /* no other sign, nothing smaller was found */
    bool is_between;  /* it is larger by half and more on both sides */
    bool is_constant; /* it is the same everywhere */
} scan_account;

/* Memory from the system's arena. `work` is what is still allowed of
 * SCAN_WORK. Afterwards s->z is as before. */
dae_status scan_init(scan *c, init_system *s, size_t row, size_t slot,
    double *work) DAE_MUST_CHECK;
/* The root nearest to the slot's value, bracketed to the last digit, from a
 * change of sign where the row is continuous. */
dae_status scan_root(scan *c, double *root, bool *is_found) DAE_MUST_CHECK;
/* The row at the slot's value against all others. */
dae_status scan_judge(scan *c, scan_account *out) DAE_MUST_CHECK;
/* The size of the slot where nothing is known of its value: the nominal one,
 * or 1. */
double scan_unit(const init_system *s, size_t slot);
/* The row's value with `value` for the slot, also where others have none; NaN:
 * none, an infinity: too large. */
dae_status scan_evaluate(scan *c, double value, double *f) DAE_MUST_CHECK;

#endif
