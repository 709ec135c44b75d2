/* The results of a search for a start, as data: rows and slots by number, values
 * at the last point. start/report.h makes messages of them. Slot k is x[k], or
 * xp[k - N]. */
#ifndef START_FINDINGS_H
#define START_FINDINGS_H

#include "base/arena.h"

typedef enum init_outcome {
    INIT_UNSOLVED,      /* no consistent values found, also if a function has no
                           value, or if the equations alone contradict */
    INIT_CONSISTENT,    /* solved, perhaps with conditions missing */
    INIT_CONTRADICTORY, /* given values are inconsistent; see `conflicts` */
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
    double residual;  /* of a row; else the given value or the bound */
    double sides[2];  /* left and right, of a row in a conflict: the same where
                         it holds; NaN: not known */
    double tolerance; /* of a row: a smaller residual counts as 0; 0: not
                         known */
    bool holds;       /* of a row: within its tolerance */
    bool is_freed;    /* of a given value: a start was found with it free, and
                         all others as they are */
} init_party;

/* Inconsistent rows, given values and bounds. */
typedef struct init_conflict {
    init_party *parties; /* rows first, then given values, then bounds */
    size_t count;
    init_party worst; /* the row that is named first */
    size_t similar;   /* further failing rows of its equation */
    bool is_searched; /* searches from several points have failed on it */
    bool is_minimal;  /* and solved it without any one of its members */
    bool is_proved;   /* proved inconsistent: rows affine in the free slots;
                         else no values were found */
} init_conflict;

enum { INIT_STALLED_MOST = 100, INIT_SETS_MOST = 3 };

/* A slot of the block in which a search ended: its guess, and a bound at which
 * it stands (NaN: none). */
typedef struct init_stalled {
    size_t slot;
    double guess, low, high;
} init_stalled;

typedef enum init_failure_kind {
    INIT_NO_FAILURE,
    INIT_BEYOND_BOUNDS, /* `slots`: given values that their bounds exclude */
    INIT_NO_ROW_VALUE,  /* `rows`: at most one: has no value at the point, is
                           too large, or (`is_slope`) its derivative: `value` */
    INIT_NO_SLOT_VALUE, /* `slots`: one, whose value is not finite or too large
                         */
    INIT_IN_CONFLICT,   /* `sets` are inconsistent */
    INIT_STALLED,       /* `rows`: the worst of the block in which the search
                           ended, worst first */
    INIT_UNCERTAIN,     /* all rows are satisfied, but the error bound of a slot
                           is too large: `rows`: one that reads it, `slots` */
} init_failure_kind;

typedef struct init_failure {
    init_failure_kind kind;
    const init_party *rows;
    size_t row_count;
    const int32_t *slots;
    size_t slot_count;
    double value;
    bool is_slope;
    bool is_reached;                /* the row reads slots of other parts */
    size_t block_rows, block_slots; /* STALLED: of the block */
    bool is_singular;               /* and its matrix */
    int64_t iterations;             /* and of its search */
    /* All of the block: rows that do not hold, and its slots, of each the first
     * INIT_STALLED_MOST. */
    const init_party *left;
    size_t left_count;
    const init_stalled *stalled;
    size_t stalled_count;
    init_conflict *sets; /* the smallest one is also `conflicts` */
    size_t set_count;
} init_failure;

/* A guess that was moved inside its bounds. */
typedef struct init_change {
    size_t slot;
    double value; /* the guess */
} init_change;

/* Lists live in `arena`. */
typedef struct init_findings {
    init_outcome outcome;
    /* start/certificate.c has counted; otherwise (in a run, or too large) the
     * lists may be shorter. */
    bool is_by_rank;
    init_failure failure;
    /* A set that cannot be satisfied: with any one member removed the others
     * can, as searches have shown or, in large systems, to first order. Of
     * several recorded sets one with the fewest members. Rows first, bounds
     * last. Empty if none is known; also filled where UNSOLVED, for equations
     * that contradict each other whatever the given values are. */
    const init_party *conflicts;
    size_t conflict_count;
    /* Conditions (INIT_GIVEN, INIT_CONDITION) that follow from the equations
     * and the conditions before them: values by slot, then conditions. */
    const init_party *redundant;
    size_t redundant_count; /* by rank: also the length of the list */
    size_t missing;         /* conditions; inner slots do not count */
    bool is_uncounted;      /* too large: `missing` is 0 and not known */
    /* Slots: `missing` that can be given together (fewer where too few may be
     * given), then the others that can be given instead of one of them. */
    const int32_t *could_fix;
    size_t could_fix_count;
    /* Slots that stay open when `missing` conditions are added: only inner
     * ones leave such a direction. */
    const int32_t *undetermined;
    size_t undetermined_count;
    /* Slots that stay open because conditions are missing (some of them also for
     * the reason above). By structure: states. */
    const int32_t *open;
    size_t open_count;
    /* Slots that the rows determine nearby but not (to first order) here: a
     * double root, a turning point. Two solutions may coincide here. */
    const int32_t *singular;
    size_t singular_count;
    const init_change *moved;
    size_t moved_count;
    /* Rows whose values are all given. */
    const int32_t *checks;
    size_t check_count;
    double *z; /* slots: the consistent values, or the last ones; NULL: none */
    size_t slot_count;
    struct
    { /* number of slots found by homotopy from the guesses; one of them */
        size_t count, slot;
        double guess;
    } homotopy;
    double residual; /* the largest where the search ended, weighted: at most 1
                     where solved; `z` may be better; NaN: none */
    int64_t iterations;
    arena arena;
} init_findings;

void init_findings_clear(init_findings *f);
/* An empty list's memory and the outcome INIT_UNSOLVED. */
void init_findings_init(init_findings *f, const dae_allocator *allocator);

#endif
