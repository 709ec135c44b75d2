/* What a method may bring beside what formula.h or one_step.h asks of it. Each part
 * is optional; what is left out is 0. The machine does the rest: it finds the room,
 * tests the error, chooses the step, keeps what was made of an accepted step and
 * forgets what was made of another. */
#ifndef STEP_PARTS_H
#define STEP_PARTS_H

#include "step/one_step.h"

/* The last step as a curve of the method's own sees it: from t - h to t. */
typedef struct curve_step {
    double t, h;
    const double *x;           /* N, at t */
    const double *const *kept; /* made by that step */
    const double *numbers;
} curve_step;

typedef struct method_parts {
    int work; /* vectors of room in an attempt; of a one-step method without
                 parts ONE_STEP_WORK */
    /* Private state: vectors with a value of every state, and single numbers.
     * `begin` fills s->made and s->made_numbers from t, x and slope (algebraic
     * unknowns have 0, not known) wherever a history begins: at a start, after
     * a jump, at a point that is given. Every accepted step puts `made` in the
     * place of `kept`. Where states change, values go with their states, those of
     * new states are `begin`'s or, if they are slopes of old ones, carry_slope's; numbers
     * stay, of methods with a curve if all values do. */
    int kept, numbers;
    void (*begin)(const transition *s);
    /* What is kept of a state that is the slope of `state` of the step, for each of `kept`
     * vectors. NULL: as begin says. */
    void (*carry_slope)(const curve_step *s, size_t state, double *value);
    /* Correctors after the first of a multistep formula, whose point is the
     * task's: they move task.x, task.xp and task.d (x less the prediction) to
     * the one that counts. Order and error are the formula's. */
    newton_outcome (*correct)(transition *s);
    /* What a corrector may leave, in tolerances; 0: as for multistep formulas,
     * 0.14. Less where the error is much smaller than its estimate. */
    double remainder;
    /* What is tested: the attempt fills s->error, a term of h^(error_order + 1)
     * in x, error_order <= 7, and the machine accepts a step whose weighted norm of it is 1 at most.
     * One-step methods choose their steps by it; of a multistep formula it takes
     * the place of the error of the order at hand, k (error_order is then
     * any number above 0), on the scale of formula.error_constant. 0: none. */
    int error_order;
    /* Of a one-step method: the length of the next step is this part of what would
     * meet the tolerance, by the errors of the last two steps [HW96 IV.8 (8.25)]. 0: a step
     * that would have a quarter of the error, by that of the last. */
    double safety;
    /* Between the ends of the last step, `share` of it after its beginning: x and
     * slopes of states [begin, end), written from x[0], slope[0]; either may
     * be NULL. It must meet both ends, which are not asked for. NULL: the
     * machine's polynomial, for one-step methods the cubic of both ends. */
    void (*curve)(const curve_step *s, double share, size_t begin, size_t end,
        double *x, double *slope);
    /* For x'' and above: a change of a state changes the one below by chain/alpha,
     * the slope by alpha. 0: 1, as where a state's slope is the state above by the
     * method's own formula. */
    double chain;
} method_parts;

/* Whether its steps may be chosen by the error. */
static inline bool method_estimates(const formula *f)
{
    return !f->one_step || (f->parts && f->parts->error_order > 0);
}

#endif
