/* The step machine: predict, correct, test, choose. Knows no formula by name
 * and no reason to stop other than failure; who does what when is control's. */
#ifndef STEP_STEP_H
#define STEP_STEP_H

#include "newton/newton.h"
#include "step/error_test.h"
#include "step/history.h"
#include "step/method.h"
#include "step/mode.h"
#include "step/pole.h"
#include "step/predict.h"
#include "step/select.h"

/* Why a step was given up. */
typedef enum step_failure {
    STEP_FINE,
    STEP_TOO_SMALL_ERROR,       /* error tests failed */
    STEP_TOO_SMALL_CONVERGENCE, /* the corrector failed */
    STEP_NONFINITE,
    STEP_SINGULAR,
    STEP_AT_BOUND, /* the equations push an unknown out of its bounds */
    STEP_CHATTERS, /* the solution switches to and fro without getting on */
    STEP_NO_ROOM,  /* the steps allowed vanish beside t */
    STEP_UNSOLVED, /* see stepper.asks; called again it goes on */
    STEP_STOPPED,  /* a callback or an allocation said so */
} step_failure;

/* Counters at the beginning of the window in which progress is judged. */
typedef struct progress {
    double t;
    int64_t steps, rejected, low; /* low: steps of order 1 and 2 */
    int windows;                  /* in a row that got nowhere */
} progress;

/* The tolerance that rounding in the equations raised most, of the run. */
typedef struct rounding {
    double ratio; /* tolerance kept / tolerance asked for; 0: none raised */
    size_t state; /* in x */
    double t;
} rounding;

/* Steps within which disturbances grow, since these states are stepped. */
typedef struct growth {
    int64_t shortened; /* attempts, for that */
    int64_t passed;    /* steps from a point from which they grow as fast */
    double t;          /* of the first of these, */
    size_t state;      /* in x: what grows most in its tolerances */
} growth;

/* What a step has tried. One that was stopped is gone on with from there. */
typedef struct tries {
    int failures[8];   /* attempts, by how they ended */
    int failed;        /* how the last one ended */
    bool has_least;    /* the shortest step there is was tried */
    bool is_repairing; /* the error may be one of the point before */
    bool is_crossing;  /* a jump, after the last attempt */
    bool is_judging;   /* why the last attempt failed */
    bool is_asking;    /* STEP_UNSOLVED was the answer */
    bool is_let_go;    /* whatever grows within the step */
    bool is_stopped;
    int tested_order; /* and error of the last test that failed; 0: none */
    double tested_error;
} tries;

/* xp of unknowns without derivative at a consistent point, by the derivative of the
 * equations, which are asked at t, t + delta and t + 2 delta. Else than DAE_OK: it is
 * not known, and xp as it was. */
typedef dae_status step_slopes_fn(
    void *self, double t, double delta, const double *x, double *xp);

/* See step/starter.h; `formula` is NULL where there is none. While it works the
 * stepper's formula is it, and the multistep formula is `main`. */
typedef struct starter {
    const formula *formula, *main;
    step_slopes_fn *slopes; /* NULL: it is of no use where there are such */
    void *self;
    int left;        /* steps it has still to make; 0: it does not work */
    double constant; /* of Newton's method, with the main formula */
    double longest;  /* of the step behind it, > 0 */
    double awaited; /* its first step, which memory ran out for; 0: it is not */
    double share;   /* learned: of that, what its first step may have */
} starter;

/* How the first steps after an event come about. */
typedef enum resumed {
    RESUMED_NOT,
    RESUMED_KEPT, /* order and step go on; where the first one fails anew from its
                     value and slope */
    RESUMED_ANEW, /* from value and slope */
} resumed;

/* Changes x of a corrected point, and d with it, before its error is tested;
 * DAE_RETRY: there is no such point. */
typedef dae_status step_adjust_fn(void *self, point *p, const weights *w);

/* Values (x: N) and slopes (xp: n) at t of a solution that is known otherwise. */
typedef dae_status step_given_fn(void *self, double t, double *x, double *xp);

/* Steps of one length and one order, whatever their error: step/fixed.c. */
typedef struct fixed_steps {
    double length; /* 0: the error chooses */
    int order;
    step_given_fn *given; /* points before the order is reached; NULL: they come
                             from lower orders */
    void *giver;
    double h;        /* signed */
    int64_t done;    /* points of the grid t_start + i h since the start */
    int64_t since;   /* steps since the history began: at the start, or after a
                        jump */
    bool is_off;     /* the last step ended between two points of the grid */
    int64_t whole;   /* of full length, up to t_end; INT64_MAX: no end */
    double rest;     /* length of the one that is left then; 0: none */
    int64_t alike;   /* steps in a row with the same states */
    bool has_middle; /* of the first step, by a one-step method */
} fixed_steps;

typedef struct stepper {
    const formula *formula;
    const layout *layout;
    weights *weights;
    newton *newton;
    newton before; /* as the corrector of the attempt at hand found it */
    dae_stats *stats;
    history history;
    selector selector;
    grid grid;   /* of the attempt at hand */
    point point; /* of the attempt at hand, then the accepted one */
    struct {
        double t, *x, *xp;
    } aside; /* of a failed attempt: stepper_set_aside; after an event the point
                that its first step is made from: stepper_resume */
    double *noise; /* N: room */
    double *
        lifted_size; /* N: |x| where noise was measured; is_lifted: it has been */
    estimates estimates;
    double h;     /* next step, signed */
    double h_max; /* > 0; HUGE_VAL: none */
    double t_end; /* never evaluated beyond; +-HUGE_VAL: none */
    double
        t_stop; /* likewise, where it lies ahead: a step ends there exactly, and
                      the run goes on. Else it counts for nothing; NAN: none */
    double wish;   /* > 0: what t_stop made shorter */
    double last_h; /* 0 before the first step */
    double t_start;
    double interval; /* its length as given at the start; 0: unknown */
    int last_order;
    bool is_first; /* no step accepted since the start */
    bool
        asks; /* a corrector that fails with a new Jacobian is told as STEP_UNSOLVED:
                      with other states it may not; not in a first step, whose states
                      are of where it begins; cleared by the caller */
    bool has_line; /* the last step was such a first one: stepper_has_line */
    bool is_cut;   /* the last step ended at an event inside it: step/cut.h */
    bool is_converged; /* the corrector of the last attempt */
    int shortened;     /* accepted steps in a row that shortened the next */
    size_t bound;      /* with STEP_AT_BOUND: index in newton.bounds */
    step_adjust_fn *adjust; /* NULL: points are taken as they are */
    void *adjuster;
    /* N: of a state without derivative in this problem that has one in the
     * user's, the slot of (x, xp) with that derivative, else -1: such values
     * do not jump. NULL: there are none. Borrowed. */
    const int32_t *slope_slot;
    tries tries;
    resumed resumed;
    starter starter;
    progress progress;
    rounding rounding;
    growth growth;
    double longest;  /* step since the start or a restart */
    double lifted_h; /* > 0: the step with which tolerances were lifted to it */
    bool is_lifted;
    mode_watch watch;
    pole_watch poles;
    fixed_steps fixed;
    history between; /* of the last step, where it was given: step/between.h */
    int between_degree; /* 0: there is no room for any */
    bool is_between;    /* the last step was */
    int asked_order; /* of a method that has several: to be held; 0: its choice */
    method_memory memory;
    uint8_t *is_velocity; /* N, of methods that ask for it (step/one_step.h) */
} stepper;

/* Everything borrowed but the vectors, which come from `a`. */
dae_status stepper_init(stepper *s, const formula *f, const layout *l,
    weights *w, newton *nw, dae_stats *stats, int max_order,
    arena *a) DAE_MUST_CHECK;

/* Begins at t with x (N) and xp (n); `direction` +1 or -1; first step
 * `first` (> 0) or chosen for an interval of length `interval` (0: unknown). */
void stepper_start(stepper *s, double t, const double *x, const double *xp,
    double direction, double first, double interval);

/* One accepted step: STEP_FINE, or the reason. After a failure time and
 * solution are those of the last accepted step, while `grid` and `point`
 * still describe the last attempt (see stepper_restore). After STEP_STOPPED
 * the next call goes on with the attempt that was stopped, and the step comes
 * out as if nothing had happened. */
step_failure stepper_step(stepper *s);

/* Sets `point` back to the last accepted solution. */
void stepper_restore(stepper *s);
/* The same, and the time and the values of the failed attempt are kept, of which
 * something is to be said later; and back to these. */
void stepper_set_aside(stepper *s);
void stepper_take_up(stepper *s);

/* Dense output: values (x: N) and highest derivatives (xp: n) at time t of the
 * last step; either may be NULL. */
void stepper_at(const stepper *s, double t, double *x, double *xp);
/* Its x at several times; false: it is not the machine's polynomial, ask for each. */
bool stepper_values(const stepper *s, const history_places *at, double *x);
/* The slopes of all states (N) there. */
void stepper_slopes(const stepper *s, double t, double *slope);
/* Whether that is a curve of the method's own, and no polynomial of the history. */
bool stepper_has_curve(const stepper *s, double t);
/* Whether that is a line at t for what has no derivative, which begins without a
 * slope: one whose error no test has seen. */
bool stepper_has_line(const stepper *s, double t);
/* Whether it is one of these, or where a step with a curve of its own was cut. */
bool stepper_is_between(const stepper *s, double t);

#endif
