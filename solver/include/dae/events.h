/* Events: the part of a problem that changes while it runs.
 *
 * A *switch* is a place where an equation has a branch: it looks at one number,
 * its root function g(t, x, xp), and gives the equation one value out of a few.
 * Between events every switch is *held* at its value, so that the equations are
 * smooth along a step; where g has truly passed an edge (a zero; for FLOOR and
 * CEIL a whole number) the step ends and the switch turns. A *discrete* variable
 * is held likewise, and changes by assignments alone.
 *
 * The vector `held` has the discrete variables first, then one number for each
 * switch. The solver writes it, every function of the problem reads it. A NaN in
 * the place of a switch means that it is free: it has the value of its g at the
 * point that is evaluated. So all switches are free while a start is looked for,
 * and a problem whose events are not looked at is the problem as it is written. */
#ifndef DAE_EVENTS_H
#define DAE_EVENTS_H

#include <dae/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which value a switch has at g. Beside an edge it has the value of that side, as
 * the run has come to it: BELOW and NOT_ABOVE differ at g = 0 alone. */
typedef enum dae_switch_kind {
    DAE_SWITCH_BELOW,     /* 1 where g < 0, else 0: of a < b, g = a - b; of
                             max(a, b) too, and of min(b, a) */
    DAE_SWITCH_NOT_ABOVE, /* 1 where g <= 0, else 0: of a <= b */
    DAE_SWITCH_SIGN,      /* -1, 0, 1: sign(g); of abs, == and != as well.
                             0 only where g stays at 0 */
    DAE_SWITCH_FLOOR,     /* the whole number at or below g */
    DAE_SWITCH_CEIL,      /* the whole number at or above g */
} dae_switch_kind;

/* What g depends on, beside values that are held. */
typedef enum dae_switch_domain {
    DAE_DOMAIN_POINT, /* unknowns or their derivatives: found on the step */
    DAE_DOMAIN_TIME,  /* t alone, in any way: found likewise, but g is exact at
                         every t whatever the step */
    DAE_DOMAIN_BREAK, /* t alone, and every turn is told by next_break; just
                         after it the value is that of g at the middle between
                         it and the next break */
} dae_switch_domain;

/* What a root function is computed of, bits; 0: not known. */
enum {
    DAE_READS_TIME = 1,
    DAE_READS_STATES = 2,   /* slots of x below the highest derivatives */
    DAE_READS_REST = 4,     /* highest derivatives, and unknowns without one */
    DAE_READS_SWITCHES = 8, /* the values of others: it looks through them */
    DAE_READS_HELD = 16     /* discrete variables, or params alone */
};

/* Of the two switches of a sign e that may slide: 1 where e > 0, and where e < 0.
 * They are neighbours; where both are 0, e = 0 holds. */
enum { DAE_WEIGHT_NONE, DAE_WEIGHT_ABOVE, DAE_WEIGHT_BELOW };

typedef struct dae_switch {
    uint8_t kind, domain;
    /* Whether what it switches is continuous where it turns, whatever the point:
     * of abs, min and max. */
    uint8_t is_kink;
    uint8_t reads;  /* DAE_READS_... */
    uint8_t weight; /* DAE_WEIGHT_... */
} dae_switch;

/* `x := ...`: of a discrete variable, or of derivative `order` of an unknown. */
typedef struct dae_assignment {
    uint8_t is_discrete;
    uint8_t order;
    uint8_t
        reads_itself; /* the right side has what is assigned: `n := n + 1` */
    int32_t index;
} dae_assignment;

/* What is done where a condition turns true, from false. */
typedef struct dae_when {
    size_t assignment; /* the first of its assignments, */
    size_t assignment_count;
    const char *stop; /* the text of `stop`; "" without one; NULL: goes on */
    const char *const *prints;
    size_t print_count;
    uint8_t at_start; /* also at the consistent start, whatever its condition */
} dae_when;

/* Writes root_count numbers; otherwise as a dae_residual_fn. Values that are
 * not finite belong to functions that have none there. Switches that g itself
 * looks through have the value that is held. */
typedef dae_status dae_roots_fn(
    void *self, double t, const double *x, const double *xp, double *g);
/* The partial derivatives of g[k] by the slots of x and xp and by t, dense: dx of
 * N, dxp of unknown_count numbers. */
typedef dae_status dae_root_gradient_fn(void *self, size_t k, double t,
    const double *x, const double *xp, double *dx, double *dxp, double *dt);
/* Power series of the root functions along a curve, as dae_series_fn has them of
 * equations (dae/problem.h): g[k*terms + i] is the coefficient of s^i in
 * g_k(t0 + s), by what is held; NaN from the first that does not exist. Never
 * DAE_RETRY. */
typedef dae_status dae_root_series_fn(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *g);
/* Who looks at what is held, in the branches that the others put in force: bits;
 * DIRECTLY: equations by themselves, not through root functions alone. */
enum {
    DAE_NEEDED_EQUATIONS = 1,
    DAE_NEEDED_EVENTS = 2,
    DAE_NEEDED_DIRECTLY = 4
};
/* Of each held number, needed[held count]: whether equations look at it, or conditions and
 * right sides of whens, by themselves or through root functions of other switches that
 * they look at. What stands in a branch that is not taken, or beside what decides an `and`
 * or `or`, is not needed; where a free switch decides, both branches count. With
 * `is_always` only what is needed whatever is held. DAE_MEMORY. */
typedef dae_status dae_needed_fn(void *self, int is_always, uint8_t *needed);
/* The next time, strictly after t in the direction +1 or -1, at which a switch
 * of DAE_DOMAIN_BREAK may turn or data ask for the end of a step; +-HUGE_VAL
 * where there is none. Depends on `held` and parameters. */
typedef dae_status dae_break_fn(
    void *self, double t, int direction, double *next);

typedef struct dae_events {
    size_t discrete_count, switch_count, when_count, assignment_count;
    double *held;                 /* discrete_count + switch_count */
    const double *discrete_start; /* discrete_count */
    const dae_switch *switches;
    const dae_when *whens;
    const dae_assignment *assignments;
    dae_roots_fn *roots;      /* switch_count values */
    dae_roots_fn *conditions; /* when_count: true where not 0, by `held` */
    dae_roots_fn *assigned;   /* assignment_count: right sides; what has no
                                       value is NaN. Free switches as in `held` */
    dae_break_fn *next_break; /* NULL: there are none */
    dae_root_gradient_fn *gradient;  /* NULL: not available */
    dae_root_series_fn *root_series; /* NULL: not available */
    dae_needed_fn *needed;           /* NULL: all count */
    int slides; /* signs and choices that can slide do, by their weights */
    /* when_count: whether their conditions were true just before the start, so that
     * those that are true there and were not fire; NULL: nothing was before it */
    const uint8_t *truth_start;
} dae_events;

#ifdef __cplusplus
}
#endif
#endif
