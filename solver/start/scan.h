/* One row along one slot, over many sizes: where its sign changes, and whether
 * a smallest value of it is one. */
#ifndef START_SCAN_H
#define START_SCAN_H

#include "start/system.h"

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
    bool is_between;  /* on both sides it is larger by half and more, or has no
                         value beside it, or there is a bound */
    bool is_constant; /* it is the same everywhere */
} scan_account;

typedef struct scan_bracket {
    double a, b, fa, fb; /* a < b; fa and fb of other signs, or fb 0 */
} scan_bracket;

/* Memory from the system's arena. `work` is what is still allowed of
 * SCAN_WORK. Afterwards s->z is as before. */
dae_status scan_init(scan *c, init_system *s, size_t row, size_t slot,
    double *work) DAE_MUST_CHECK;
/* The root nearest to the slot's value, bracketed to the last digit, from a
 * change of sign where the row is continuous. */
dae_status scan_root(scan *c, double *root, bool *is_found) DAE_MUST_CHECK;
/* The root in it, to neighbouring numbers; none at a pole or a jump. */
dae_status scan_narrow(
    scan *c, scan_bracket w, double *root, bool *is_found) DAE_MUST_CHECK;
/* Of two numbers a < b: of their digits, where sizes are far apart. */
double scan_middle(double a, double b);
/* The slot's value goes to the last one that the row has a value for, that way
 * (1 or -1), where that is near. */
dae_status scan_end(scan *c, double way) DAE_MUST_CHECK;
/* The row at the slot's value against all others. */
dae_status scan_judge(scan *c, scan_account *out) DAE_MUST_CHECK;
/* The row's value with `value` for the slot, also where others have none; NaN:
 * none, an infinity: too large. */
dae_status scan_evaluate(scan *c, double value, double *f) DAE_MUST_CHECK;

#endif
