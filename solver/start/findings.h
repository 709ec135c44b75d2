/* What was found out about a start, for callers that report it themselves:
 * the same as the diagnostics say, by slots and rows. Slot k is x[k], or
 * xp[k - N]; what is listed is told by numbers at the last point. */
#ifndef START_FINDINGS_H
#define START_FINDINGS_H

#include "base/arena.h"

typedef enum init_outcome {
    INIT_UNSOLVED,      /* no consistent values found; also: no values at all */
    INIT_CONSISTENT,    /* solved, perhaps with conditions missing */
    INIT_CONTRADICTORY, /* what is given does not fit; see `conflicts` */
} init_outcome;

typedef enum init_party_kind {
    INIT_EQUATION,  /* row `index` of the equations */
    INIT_CONDITION, /* general initial condition `index` */
    INIT_GIVEN,     /* the given value of slot `index` */
    INIT_MINIMUM,   /* the bounds of slot `index` */
    INIT_MAXIMUM,
} init_party_kind;

typedef struct init_party {
    init_party_kind kind;
    size_t index;
    double residual; /* of a row; of a given value or a bound: that */
    double sides[2]; /* left and right, of a row in a conflict: the same where
                        it holds; NaN: not known */
} init_party;

enum { INIT_STALLED_MOST = 100 };

/* Lists live in `arena`. */
typedef struct init_findings {
    init_outcome outcome;
    bool is_by_rank; /* what follows from ranks is known; otherwise (too large)
                        `missing` and `redundant_count` are structure's, the
                        lists may be shorter */
    /* A set that cannot hold together: without any one member the others can,
     * as searches found or, where these would have been too much work, to
     * first order; of several such sets one of the fewest members, but for
     * systems too large to look for it. Rows first, bounds last: those without
     * which the rest could hold.
     * None where it is not known; also filled where UNSOLVED, for equations
     * that contradict each other whatever is given. */
    const init_party *conflicts;
    size_t conflict_count;
    /* The block in which a search ended, where E0402 tells that: rows that do
     * not hold, and its slots with guesses; INIT_STALLED_MOST of each. */
    const init_party *left;
    size_t left_count;
    const int32_t *stalled;
    const double *stalled_guess, *stalled_low, *stalled_high;
    size_t stalled_count;
    /* Conditions (INIT_GIVEN, INIT_CONDITION) that follow from the equations
     * and the conditions before them: values by slot, then conditions. */
    const init_party *redundant;
    size_t redundant_count; /* by rank: also the length of the list */
    size_t missing;         /* conditions; inner slots do not count */
    /* Slots: `missing` that can be given together (fewer where too few may be
     * given), then the others that can be given instead of one of them. */
    const int32_t *could_fix;
    size_t could_fix_count;
    /* Slots that stay open when `missing` conditions are added: only inner
     * ones leave such a direction. */
    const int32_t *undetermined;
    size_t undetermined_count;
    /* Slots that stay open for lack of conditions, or for both reasons. */
    const int32_t *open;
    size_t open_count;
    /* Slots that the rows determine nearby but not (to first order) here: a
     * double root, a turning point. A solved start may be one of two that
     * meet here. */
    const int32_t *singular;
    size_t singular_count;
    double *z; /* slots: the consistent values, or the last ones; NULL: none */
    size_t slot_count;
    /* Slots that homotopy from the guesses has found, one of them, its guess. */
    size_t homotopy_count, homotopy_slot;
    double homotopy_guess;
    double residual; /* the largest where the search ended, weighted: at most 1
                     where solved; `z` may be better; NaN: none */
    int64_t iterations;
    arena arena;
} init_findings;

void init_findings_clear(init_findings *f);
/* An empty list's memory and the outcome INIT_UNSOLVED. */
void init_findings_init(init_findings *f, const dae_allocator *allocator);

#endif
