/* Room and private state of methods, and their curves: step/parts.h. */
#ifndef STEP_METHOD_H
#define STEP_METHOD_H

#include "base/arena.h"
#include "step/parts.h"

typedef struct method_memory {
    double **work;
    double **kept, **made; /* rows of N */
    double *numbers, *made_numbers;
    double *error;          /* N; NULL: the method has no estimate */
    double *slope;          /* N: slopes at the last point */
    int order, error_order; /* of the last attempt */
    double shorter; /* what it says of the next one (step/transition.h) */
    bool has_curve; /* the private state is of the last step */
    bool is_made;   /* the last attempt came to its end: `made`, `error` */
    bool is_cut;    /* the last step: step/cut.h. Until the next one the private
                       state is that of the whole, whose end was: */
    double end_t, end_h, *end; /* N; NULL: the method has no curve */
} method_memory;

typedef struct stepper stepper;
typedef struct carry_source carry_source;

/* DAE_MEMORY. Nothing for multistep formulas without parts. */
dae_status method_init(stepper *s, arena *a) DAE_MUST_CHECK;
/* Room for another formula with parts, beside one that has none. */
dae_status method_take_room(
    stepper *s, const formula *f, arena *a) DAE_MUST_CHECK;
/* The last point and the task of s->point, for an attempt with s->h. */
transition method_transition(stepper *s);
/* The private state at the history's point, which begins anew there with the slopes
 * of `point`. */
void method_begin(stepper *s);
/* Told after every accepted step. */
void method_keep(stepper *s);
/* The last step as the method's curve sees it; of one that was cut the whole. */
curve_step method_curve_step(const stepper *s);
/* Another set of states. */
void method_carry(stepper *to, const stepper *from, const carry_source *source);

#endif
