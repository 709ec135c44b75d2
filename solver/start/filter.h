/* A set of rows and given values that was found to contradict itself to first
 * order, made one that does so altogether, and of which no member can be left
 * out. */
#ifndef START_FILTER_H
#define START_FILTER_H

#include "start/blame.h"

typedef enum filter_outcome {
    FILTER_NONE,     /* not asked, the system being too large */
    FILTER_SET,      /* the set is one that no search solves */
    FILTER_DOUBTFUL, /* searches disagree: nothing is known */
    FILTER_HOLDS,    /* all rows hold with all that is given, at s->z */
} filter_outcome;

/* What became of it, and where: at held_at[i] (slots; NULL: not known) the set
 * holds but for row i. */
typedef struct filter_account {
    filter_outcome outcome;
    bool is_minimal;  /* no member can be left out; not known of FILTER_SET
                         where the work was too much */
    double **held_at; /* rows; NULL unless the outcome is FILTER_SET */
} filter_account;

/* At a point where `b` was found, with residuals and measured Jacobian and all
 * given slots at their values. Searches from several places have to fail on the
 * set; if one does not, another set is taken from all rows and given values
 * by leaving out one after the other (the deletion filter, [Chi08 6]); each
 * of the sets without one member has been solved at the end, unless the work
 * was too much, and none of the points where that was so leads to one where the
 * whole set holds. No rows in `b`: nothing is suspected yet. Except with
 * FILTER_HOLDS the point is as before. The set is then one of the fewest members
 * (start/fewest.h), of those in `b` where `is_within`, unless there are too many
 * of them or the work was too much. With FILTER_SET b->fences are the bounds without which
 * it would hold. */
dae_status filter_settle(init_system *s, blame *b, bool is_within,
    filter_account *out) DAE_MUST_CHECK;

#endif
