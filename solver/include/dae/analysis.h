/* What a problem is, before it is solved: its index and where that comes from,
 * how many initial values are free, which constraints are hidden in it, and
 * whether its start is consistent. Works on any dae_problem that has `series`
 * and `series_jacobian`; without them derivatives of equations are not known,
 * and what would need them is reported as not certified.
 * docs/structure.md explains the terms and the methods. */
#ifndef DAE_ANALYSIS_H
#define DAE_ANALYSIS_H

#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/status.h>
#include <dae/structure.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What numbers say of what structure says. */
typedef enum dae_certificate {
    DAE_CERTIFIED,     /* the numbers confirm it */
    DAE_NOT_CERTIFIED, /* not tested: too large, no derivatives, no values */
    DAE_SINGULAR_HERE, /* regular in general, singular at the start: a turning
                          point, a branch, redundant on the constraints */
    DAE_SINGULAR,      /* singular wherever the equations have values */
} dae_certificate;

typedef enum dae_index_verdict {
    DAE_INDEX_FOUND,         /* `index` is the differentiation index if
                              certified, else the structural one */
    DAE_INDEX_REDUNDANT,     /* none: an equation follows from the others, and
                              unknowns are not determined */
    DAE_INDEX_FLOATING,      /* none: the same number added to some unknowns
                              changes no equation */
    DAE_INDEX_NOT_UNIQUE,    /* none: not uniquely solvable for other reasons */
    DAE_INDEX_CONTRADICTORY, /* none: equations that depend on each other
                                contradict each other, now or later */
    DAE_INDEX_UNDEFINED,     /* no transversal, so no index */
} dae_index_verdict;

/* `weight` times derivative `order` of equation `equation`. */
typedef struct dae_term {
    int32_t equation, order;
    double weight;
} dae_term;

/* One step by which a structure that numbers refute was mended. `text` is a
 * sentence: "L12 - L13 contains no derivative, so it replaces L13: degrees
 * of freedom 2 become 1". */
typedef struct dae_repair {
    const char *text;
    const dae_term *terms; /* of the equation that is put in */
    size_t term_count;
    int32_t replaces;            /* this equation */
    const dae_slot *independent; /* what occurs in the terms and cancels */
    size_t independent_count;
    bool has_derivative; /* the sum of the terms contains one */
    /* steps of one round lower the degrees of freedom together: how many in the
       last of a round, 0 in the others */
    size_t round_steps;
    int64_t freedom_before, freedom_after; /* of the round */
} dae_repair;

/* A constraint that the text does not show: a derivative of an equation, or of
 * a combination of some. */
typedef struct dae_hidden {
    int32_t equation;       /* the one differentiated, or replaced */
    int32_t repair;         /* the combination: its repair; -1: the equation */
    int32_t differentiated; /* how often */
    int restricts_start;    /* it leaves fewer initial values free; else it
                               determines `determines` */
    int is_alone;           /* by itself, not with others of its block */
    dae_slot determines;    /* of what its block determines, an unknown without
                               derivatives if there is one; -1: none that is
                               the user's */
} dae_hidden;

/* A derivative of an unknown that occurs in an equation with a factor that is 0:
 * with another value of a parameter it would count. */
typedef struct dae_zero {
    int32_t equation;
    dae_slot slot;
    int varies; /* 0: the factor is a parameter's. Else it was 0 at all points,
                   because of a parameter or since terms cancel */
} dae_zero;

/* What takes part in a contradiction, or follows from the others. */
typedef enum dae_party_kind {
    DAE_PARTY_EQUATION,  /* derivative `order` of equation `index` */
    DAE_PARTY_CONDITION, /* general initial condition `index` */
    DAE_PARTY_VALUE,     /* the given value of derivative `order` of unknown
                            `index` */
    DAE_PARTY_MINIMUM,   /* bounds of unknown `index`: without them the other
                            parties of a conflict could hold */
    DAE_PARTY_MAXIMUM
} dae_party_kind;
typedef struct dae_party {
    dae_party_kind kind;
    int32_t index, order;
    double residual; /* of an equation or condition; a value's or a bound's is
                        its size */
    double wanted;   /* of a value in a conflict: what the others ask for where
                      it is left out; NaN: not known */
    double left, right; /* of an equation or condition in a conflict: its two
                           sides at the values found, as its text (or the
                           formula of its derivative) has them; the same where
                           it holds; NaN: not known */
} dae_party;

typedef enum dae_start_verdict {
    DAE_START_CONSISTENT,
    DAE_START_INCONSISTENT, /* no values satisfy `conflicts` (proved), or none
                                  were found from several starting points */
    DAE_START_UNDERDETERMINED, /* `missing` more are needed */
    DAE_START_UNSOLVED,        /* no consistent values were found */
    DAE_START_UNKNOWN,         /* not asked: no index, or no start is given */
} dae_start_verdict;

/* Whether a solution leaves consistent values. */
typedef enum dae_onward {
    DAE_ONWARD_SURE, /* one does: all blocks are regular there. Also where it was
                         not asked */
    DAE_ONWARD_OPEN, /* rank is lost there: not known */
} dae_onward;

enum { DAE_STALLED_MOST = 100 };

/* An unknown of the block in which a search ended. */
typedef struct dae_stalled {
    dae_slot slot;
    double guess, value;     /* where it began, and the last one */
    double minimum, maximum; /* a bound at which it stands; NaN: none */
} dae_stalled;

typedef struct dae_start_findings {
    dae_start_verdict verdict;
    dae_onward onward;
    /* Lists here and below are in the order of dae_problem.position. */
    const dae_slot *given;               /* values given */
    size_t given_count, condition_count; /* and general conditions */
    const dae_party *redundant; /* conditions that follow from the others */
    size_t redundant_count;
    const dae_party *conflicts;
    size_t conflict_count;
    int conflict_is_proved; /* no values satisfy them; else none were found */
    /* Of a search that ended without a solution, and nothing was found that
     * cannot hold together: the block in which it ended, its equations and
     * conditions that do not hold at the last values and its unknowns, of many
     * the first DAE_STALLED_MOST. */
    const dae_party *left;
    size_t left_count;
    const dae_stalled *stalled;
    size_t stalled_count;
    size_t missing;
    const dae_slot *could_fix; /* `missing` that can be given together,
                                  then others that could be given instead */
    size_t could_fix_count;
    /* The consistent values, or the last ones: slot k of unknown j is
     * values[value_first[j] + k], k = 0 .. value_first[j+1] - value_first[j] - 1.
     * Values that the equations do not determine are NaN. NULL: none. */
    const double *values;
    const size_t *value_first; /* unknowns + 1 */
    const dae_slot
        *undetermined; /* that neither equations nor conditions fix */
    size_t undetermined_count;
    /* So many values were found by homotopy from the guesses, since the search
     * had failed, or because it was requested: one of them, its guess and value. */
    size_t homotopy_count;
    dae_slot homotopy_slot;
    double homotopy_guess, homotopy_value;
    double residual; /* weighted: at most 1 where solved */
    int64_t iterations;
    int is_too_large; /* CONSISTENT: `missing` was too much to count, and is 0.
                         UNKNOWN because the index asks for derivatives of
                         DAE_SERIES_TERMS_MAX orders or more, or for more of
                         them than can be looked at together */
} dae_start_findings;

/* Read only; freed as a whole. */
typedef struct dae_analysis {
    /* What was analysed: the problem as it is given, or with its switches held at
     * `sides` (switch_count), where the branches that the text has at the guesses have
     * no regular start and these have one; else NULL. */
    const struct dae_problem *problem;
    const double *sides;
    const dae_structure *structure; /* of the equations as they stand */
    const dae_structure *repaired;  /* after the repairs; the same where there
                                       are none */
    const dae_signature *signature; /* of the equations as they stand */
    /* What is 0 now and would change index or degrees of freedom by structure if
     * it were not; where there is no transversal, all there is. */
    const dae_zero *zeros;
    size_t zero_count;
    dae_index_verdict verdict;
    int is_wrong; /* no start helps: E0302, E0303 or E0304 says why */
    dae_certificate certificate;
    int64_t structural_index, structural_freedom; /* as they stand */
    int64_t index, degrees_of_freedom;            /* -1: none */
    int is_index_bound; /* start_only: whether the index is lower was not asked */
    const dae_certificate *blocks; /* repaired->fine_count */
    const dae_repair *repairs;
    size_t repair_count;
    const dae_hidden *hidden; /* by position of the equation, then by order */
    size_t hidden_count;
    const dae_slot *loose; /* REDUNDANT, FLOATING, NOT_UNIQUE: the unknowns that
                              nothing determines */
    size_t loose_count;
    const dae_party *dependent; /* and equations that depend on each other */
    size_t dependent_count;
    /* What the start was looked for with: how often each equation is
     * differentiated, and the highest derivative of each unknown that counts
     * then. */
    const int32_t *differentiated, *highest; /* unknowns; NULL: no start */
    dae_start_findings start;
} dae_analysis;

typedef struct dae_analysis_options {
    double rtol, atol; /* of the start; 0: 1e-6, 1e-9 */
    int skip_start;    /* do not look at the initial conditions */
    int homotopy;      /* the start by homotopy from the guesses first */
    /* No more than a run needs: where all blocks are regular at the start it
     * finds, degrees of freedom are those of structure, and the index is left
     * at its bound, not asked whether it is lower; `hidden` is not listed. The
     * start is the same. */
    int start_only;
    /* One of many: of a start that is not found no reason is looked for, and there is
     * no homotopy but where it is requested. */
    int is_trial;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} dae_analysis_options;

/* Analyses `problem` at problem->start. DAE_OK whenever there is something to
 * report, whatever the verdicts are: errors and warnings about the problem are
 * in `ds`, named. Other status: memory, an interrupt, a callback's.
 * The same problem gives the same analysis. `options` may be NULL. */
DAE_API dae_status dae_analyse(const dae_problem *problem,
    const dae_analysis_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_analysis **out) DAE_MUST_CHECK;
DAE_API void dae_analysis_free(dae_analysis *analysis);

#ifdef __cplusplus
}
#endif
#endif
