/* --estimate-error: a second run at a tenth of the tolerances, and how far
 * the first one is from it. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "run.h"
#include "write_json.h"

typedef struct estimate {
    bool is_known;
    bool
        has_sides; /* the runs are at different sides of an event, and nothing is
                       known */
    double last_events[2]; /* times, of the two runs */
    double end; /* of runs that a `stop` ended: what their ends differ by */
    double *differences; /* of each unknown, first run minus second */
    size_t count;
    /* root of the mean square of difference / (rtol |x| + atol), with the
     * first run's tolerances: 1 means an error as large as the tolerance */
    double norm;
} estimate;

/* `r` has reached its end. What the second run says, failures too, is in `m`. */
dae_status estimate_make(estimate *e, const run *r, messages *m);
/* The same of a run whose tolerances nobody has written: where a tenth of them is
 * too small, that is a warning among the run's messages, and DAE_OK. */
dae_status estimate_try(estimate *e, const run *r);
void estimate_clear(estimate *e);
void estimate_print(const estimate *e, const run *r, FILE *file);
void estimate_json(const estimate *e, const run *r, json *j);

#endif
