/* Data shared by the files behind <dae/analysis.h>: the analysis in progress and all
 * that its results refer to, freed as a whole. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "base/arena.h"
#include "extend/extend.h"
#include "index/block_regularity.h"
#include "index/derivative_array.h"
#include "index/signature.h"
#include "linalg/naming.h"
#include "repair/repair.h"
#include "start/init.h"

typedef struct component component; /* components.h */

/* A coefficient that is rounding error, and counts as nonzero. */
typedef struct rounded_entry {
    int32_t equation;
    dae_slot slot;
    double value;
} rounded_entry;

/* The problem whose start is searched, with its vectors: the given problem, or,
 * if equations have to be differentiated, its extended system
 * (extend/extend.h). */
typedef struct examination {
    struct analysis *a;
    extended *e; /* NULL: the problem itself */
    const dae_problem *problem;
    layout layout;
    size_t slots;                     /* of `layout` */
    double *x, *xp, *atol;            /* xp: slots - states */
    uint8_t *x_fixed, *xp_fixed;      /* likewise */
    uint8_t *may_be_given, *is_inner; /* slots */
    uint8_t *stands_for;              /* states: orders of derivatives */
} examination;

typedef struct examined_start {
    examination x;
    init_findings findings;
} examined_start;

/* How often each equation is differentiated for the start, and the highest order of
 * each unknown in the structure. */
typedef struct differentiation {
    int32_t *times, *highest; /* unknown_count */
    /* Offsets that reach what is written, or those of the structure. */
    const int64_t *raised_c, *raised_d;
    bool is_even; /* `times` is the same for all of a part: not by structure */
    size_t kink_count; /* equations that cannot be differentiated so often */
} differentiation;

typedef struct analysis {
    dae_analysis found; /* first: what the caller sees */
    const dae_allocator *base;
    dae_allocator guarded;          /* `base`, which allocates nothing after the
                              interrupt's first stop */
    const dae_allocator *allocator; /* `guarded` */
    const dae_problem *problem;
    const struct analysis
        *known;          /* of the same equations at another start: what
                             does not depend on the start is borrowed from it */
    dae_problem in_mode; /* that, where switches are held */
    dae_analysis_options options; /* with an interrupt of their own */
    dae_interrupt_fn *interrupt;  /* the caller's; may be NULL */
    void *interrupt_context;
    bool is_stopped;     /* the interrupt has stopped the analysis */
    arena memory;        /* lists and texts of `found` */
    dae_diagnostics *ds; /* for the report, after everything else */
    /* Signature, structure, ranks of its blocks, repairs. */
    layout layout;
    signature *signature;
    dae_structure *structure;
    dae_certificate *certificates; /* of `structure` */
    dae_certificate *generic;      /* the same, before those at the start */
    repair_findings repair;
    rounded_entry *rounded; /* coefficients that are rounding error */
    size_t rounded_count;
    /* What has nothing to do with each other. */
    component *components;
    size_t component_count;
    int32_t *component_of; /* each equation's */
    /* The start. */
    differentiation plan;
    int32_t further; /* all equations are differentiated so many times more */
    examined_start last; /* the search that found.start is from */
    double t0, *x, *xp;  /* the consistent values, or the guesses */
    bool is_consistent;  /* they are consistent */
    modes_outcome modes; /* that have no start, where they were tried */
    bool is_count_bound; /* of missing conditions: no more than counted */
} analysis;

/* An unknown or equation of the user, not internal: counted and shown. */
static inline bool is_visible(const dae_problem *p, size_t j)
{
    return !dae_group_is_internal(p, j);
}

/* What an index is of: all but internal unknowns that stand for expressions. */
static inline bool is_counted(const dae_problem *p, size_t j)
{
    return !dae_group_is_expression(p, j);
}

/* The structure that numbers confirm best: after the repairs, if there are. */
static inline const dae_structure *best_structure(const analysis *a)
{
    return a->repair.structure ? a->repair.structure : a->structure;
}

/* The blocks of the structure as it stands, to be certified. */
blocks_request analysis_blocks(const analysis *a);

/* The stages, in their order (analyse.c). Each fills its part of the record.
 *
 * vanishing_entries.c: found.zeros and a->rounded. */
dae_status coefficients_list(analysis *a) DAE_MUST_CHECK;

/* differentiations.c, before the repairs: offsets that reach all that is written. */
dae_status plan_init(analysis *a) DAE_MUST_CHECK;
/* a->plan by structure and repairs. */
void plan_by_structure(analysis *a);
/* The same in components where ranks replace the structure; false: there are none. */
bool plan_by_ranks(analysis *a);
/* Equations that cannot be differentiated as often as planned. */
size_t plan_kinks(const analysis *a);

/* start.c: found.start, a->last, a->x, a->xp; by a->plan. */
dae_status start_examine(analysis *a) DAE_MUST_CHECK;
void examined_clear(examined_start *e);
/* The request that was made of start/init.h, without findings. */
init_request examination_request(const examination *x);

/* index.c: index, degrees of freedom and how far they are certified, component
 * by component. After the start, near which the ranks are taken. */
dae_status index_decide(analysis *a) DAE_MUST_CHECK;

/* start_mode.c: whether the start with switches free may be no verdict, and the analysis
 * in a mode that has a consistent one; *out NULL: there is none, or nothing to find. Then
 * *tried says of what. */
bool start_mode_may_differ(const analysis *a);
dae_status start_mode_find(const analysis *first, const dae_allocator *from,
    modes_outcome *tried, analysis **out) DAE_MUST_CHECK;
/* analyse.c: the analysis of the same problem with its switches held as they are now, its
 * start with so many `further` derivatives; `is_trial` as in the options. *out is to be freed whatever the status,
 * unless NULL. */
dae_status analysis_in_mode(const analysis *first, int32_t further,
    bool is_trial, const dae_allocator *from, analysis **out) DAE_MUST_CHECK;

/* analyse.c: as dae_analyse, of equations that `known`, which outlives *out, is of, at
 * another start; NULL: nothing is known. */
dae_status analysis_create(const dae_problem *problem,
    const dae_analysis_options *options, const dae_analysis *known,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_analysis **out) DAE_MUST_CHECK;
/* Whether another start of the same equations can be examined with what is known of
 * this one: its structure is confirmed, near a consistent start and as it stands. */
bool analysis_is_lasting(const dae_analysis *found);

/* hidden_constraints.c: the constraints that differentiation adds. */
dae_status hidden_list(analysis *a) DAE_MUST_CHECK;

/* text_order.c: sorts lists of `found` by position in the text. */
dae_status sort_findings(analysis *a) DAE_MUST_CHECK;

/* The start that was found, as input of a reduction: values of the
 * columns of the extended problem (extend/extend.h) that has its equations
 * differentiated as found->differentiated says, `count` of them; borrowed. NULL:
 * none are known. Reported values of unknowns are equal to these. */
const double *analysis_columns(const dae_analysis *found, size_t count);

#endif
