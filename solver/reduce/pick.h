/* A pick of states: which derivatives stay derivatives and which become
 * unknowns of their own, dummy derivatives [MS93]. Slots are the columns of the
 * extended problem.
 *
 * By structure they are chosen for every fine block and every stage s = 1, 2, ... from
 * the partial derivatives of the equations that are differentiated at least s times by the
 * highest derivatives of the unknowns that have as many,
 *
 *     G_s = dF_i^(c_i - s)/dx_j^(d_j - s),   c_i >= s,  d_j >= s,
 *
 * which are those of F_i by x_j^(d_j - c_i), too [Pry01 Lemma 3.7]. */
#ifndef REDUCE_PICK_H
#define REDUCE_PICK_H

#include "extend/extend.h"
#include "reduce/gauge.h"
#include <dae/structure.h>

/* What numbers go by where they decide what is independent. */
typedef enum pick_scaling {
    PICK_BY_SIZES, /* unknowns in units of their sizes */
    PICK_BY_UNITS, /* in such that all entries are as alike as can be */
} pick_scaling;

typedef struct pick {
    uint8_t *is_state;  /* columns: x_j^(l) for which x_j^(l)' = x_j^(l+1) is
                           kept */
    uint8_t *is_frozen; /* columns: nothing depends on their values */
    uint8_t *is_out;    /* rows that follow from the others */
    /* columns that equations determine only together with others, and of them
     * those whose number is that of what is missing: see reduce/reduced.h */
    uint8_t *is_loose, *is_free;
    /* How far the constraints carry an error of the states into what they
     * determine: the largest entry of (what is determined) by (what could be
     * determined in its place), in units of the unknowns' sizes. About 1
     * where the choice is good, without bound where it becomes impossible. */
    double leverage;
    pick_scaling scaling;
    /* An equation that has nothing to determine where there is no choice;
     * -1: none. */
    int32_t lost;
    int32_t lost_rank, lost_rows; /* of its stage */
} pick;

/* How many stages a fine block has: its largest c. */
int64_t pick_stages(const dae_structure *s, dae_block block);
/* Room from `a`. */
dae_status pick_take(pick *p, const extended *e, arena *a) DAE_MUST_CHECK;
void pick_copy(pick *to, const pick *from, const extended *e);
bool pick_is_same(const pick *a, const pick *b, const extended *e);

typedef struct pick_request {
    const extended *e;
    const double *values; /* its Jacobian at the point */
    const double *size;   /* unknowns: > 0, typical sizes */
    const uint8_t
        *is_preferred; /* unknowns that are to stay states; NULL: none */
    const dae_allocator *allocator;
    gauge *gauge; /* pick_measure's; NULL: none */
    bool is_by_numbers;
    const dae_structure *structure; /* by structure: `e` is by its offsets */
    arena *scratch; /* pick_measure's, left as it was; NULL: one of its own */
    /* by numbers */
    const int32_t *highest; /* unknowns: up to this derivative slots count */
    const int32_t *needed;  /* unknowns: up to this one they must not be free */
    const uint8_t *may_be_loose; /* unknowns without derivatives that need not
                                    be determined; NULL: none */
    int64_t freedom;             /* states there are to be; -1: not known */
} pick_request;

/* By structure: fills `out`, in which of each unknown the lowest derivatives are
 * states: stage after stage, each from what the one before has chosen; by
 * linalg/wide_matrix.h. DAE_NUMERIC: the constraints of a stage have not full rank
 * at the point; `lost` says where.
 *
 * By numbers, for systems whose structure does not show which constraints are hidden
 * in them: of all equations and derivatives of the extended problem as many as are
 * independent at the point, and of all slots as many as they determine, the highest
 * derivatives first. Slots that are not determined are states; derivatives above what
 * the user's equations speak of may stay undetermined, too, where nothing else depends
 * on them [KM06 ch. 6]. Dense. DAE_UNSUPPORTED: the states that are left are not
 * `freedom`, or something has no derivative among the slots, or the system is too
 * large for it. */
dae_status pick_choose(const pick_request *q, pick *out) DAE_MUST_CHECK;
/* The leverage of a pick at another point: HUGE_VAL where it is impossible
 * there. */
dae_status pick_measure(
    const pick_request *q, const pick *p, double *leverage) DAE_MUST_CHECK;
/* The pick in which every derivative below the highest is a state: the
 * underlying system of index 1, in which constraints are first integrals. What
 * an equation such as x' = v makes one slot is one state. `s`: the structure that
 * `e` extends `original` by. With `keeps_constraints` all F_i^(k), k <= c_i, stay
 * equations, else only the last of each but for equalities. DAE_MEMORY. */
dae_status pick_all(const dae_problem *original, const extended *e,
    const dae_structure *s, bool keeps_constraints,
    const dae_allocator *allocator, pick *out) DAE_MUST_CHECK;
/* Whether unknown j has bounds (`s` may be NULL): its slots stay what they are. */
bool pick_has_bounds(const dae_scales *s, size_t j);

#endif
