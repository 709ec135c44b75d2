/* Studies at given steps: a problem integrated with one formula of one order
 * on a grid of times, in double or in extended precision, so that what is
 * measured is the formula and neither a controller nor rounding.
 *
 * Nothing is controlled: no step is chosen, repeated or left out, there is no
 * error test, and Newton's iteration goes on until corrections stop falling.
 * The equations are those of the problem as they stand, whatever their index.
 * In extended precision (<dae/long.h>) `residual_long` is evaluated, history,
 * corrections and sums are kept in dae_long, and only the matrix, factorized in double,
 * is not: it serves as in iterative refinement [Wil63]. The double mode is the
 * same code in double throughout. docs/numerics.md ("Studies at given steps")
 * has the formulas and what was measured.
 *
 * Vectors are those of <dae/problem.h>: x of N = dae_problem_state_count
 * states, xp of unknown_count highest derivatives. Both precisions take and
 * give dae_long; in double mode each value is a double. */
#ifndef DAE_STUDY_H
#define DAE_STUDY_H

#include <dae/diag.h>
#include <dae/long.h>
#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/solver.h>
#include <dae/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dae_study_method {
    DAE_STUDY_BDF,   /* orders 1 to 6, with the coefficients of the grid as it
                        is [BCP96 5.2.2]: the slope at the new point of the
                        polynomial through it and the k points before it */
    DAE_STUDY_RADAU, /* collocation at the points of Radau IIA [HW96 IV.5],
                        1 to 5 stages, orders 1, 3, 5, 7, 9: one-step, the end
                        of a step satisfies the equations. The reference where
                        there is no exact solution */
} dae_study_method;

typedef enum dae_study_precision {
    DAE_STUDY_LONG,   /* the problem must have `residual_long` */
    DAE_STUDY_DOUBLE, /* `residual`; each time of the grid is rounded */
} dae_study_precision;

/* Where the first k points of order k come from. */
typedef enum dae_study_start {
    DAE_STUDY_GIVEN, /* `given` supplies points 0 .. k - 1 */
    DAE_STUDY_FINE,  /* for point 0; the others by Radau IIA of 5 stages, with
                        `substeps` steps from each time to the next */
    DAE_STUDY_RAMP,  /* for point 0; point i by BDF of order i */
} dae_study_start;

/* Start values: fills x (N) and xp (unknown_count) of point `index` at time t.
 * What counts is x of unknowns with derivatives; where Newton's iteration begins
 * is told by xp and by x of the others. Another status than DAE_OK
 * stops the study with it; the callback says why. Inconsistent values are
 * taken as they are: what becomes of them is what a study may ask. */
typedef dae_status dae_study_given_fn(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp);

/* Told every point of the grid in its order, start values too; another status
 * than DAE_OK stops the study with it. xp is the slope by the formula of the
 * highest state of unknowns with derivatives, 0 of the others. */
typedef dae_status dae_study_point_fn(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp);

/* What to do. Start from dae_study_default(). All is borrowed. */
typedef struct dae_study {
    dae_study_method method;       /* BDF */
    int order;                     /* 1 */
    dae_study_precision precision; /* LONG */
    dae_study_start start;         /* GIVEN; of BDF: Radau needs point 0 only */
    const dae_long *times;         /* ascending or descending, strictly */
    size_t time_count; /* BDF with GIVEN: more than `order`; else 2 or more */
    /* Steps of Radau IIA from one time to the next; 0: 1 for the method, 4 for
     * the fine start. */
    int substeps;
    dae_study_given_fn *given;
    void *given_context;
    dae_study_point_fn *point; /* NULL: nobody */
    void *point_context;
    dae_linear linear; /* AUTO */
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} dae_study;

DAE_API dae_study dae_study_default(void);

/* What a study cost. Added to; begin with zeros. */
typedef struct dae_study_counts {
    int64_t steps; /* of the method asked for, sub-steps too, start left out */
    int64_t residual_evals, jacobian_evals, factorizations;
    int64_t newton_iterations;
} dae_study_counts;

/* Runs it. `ds` and `counts` may be NULL. Points told before a failure stand.
 *
 * DAE_ARGUMENT: times that do not go one way, too few of them, an order the
 * method does not have, no `given`; DAE_UNSUPPORTED (E0505): extended precision
 * of a problem without `residual_long`; DAE_NUMERIC: at a step Newton's
 * iteration does not converge (E0512), the matrix is singular (E0502), a value
 * is not finite (E0503), each with the time, the equation and the unknown;
 * DAE_INTERRUPTED (E0005); DAE_MEMORY (E0003); what a callback answered. */
DAE_API dae_status dae_study_run(const dae_problem *problem,
    const dae_study *study, const dae_allocator *allocator, dae_diagnostics *ds,
    dae_study_counts *counts) DAE_MUST_CHECK;

/* The grid t0, t0 + h p_0, t0 + h (p_0 + p_1), ... up to `t_end`, with the
 * pattern (all positive; NULL: equal steps) repeated. Times are not summed up
 * but made one by one, so that they are right to a rounding; where a multiple
 * of h (`step` > 0) comes within 1e-9 h of t_end the last time is t_end, else
 * the last step is shorter. Writes at most `room` times and returns how many
 * there are, `times` may be NULL where room is 0; 0 where an argument is not
 * as it should be or there are more than 2^30. */
DAE_API size_t dae_study_grid(dae_long t0, dae_long t_end, dae_long step,
    const double *pattern, size_t pattern_count, dae_long *times, size_t room);

#ifdef __cplusplus
}
#endif
#endif
