/* The corrector: modified Newton for F(t, x, xp) = 0 on the condensed unknown
 * of linalg/layout.h, the change of each unknown's highest state. Keeps
 * dF/dx and dF/dxp (inside `iteration`) over many steps, refactorizes when
 * alpha has moved too far, and learns how fast it converges.
 *
 * With alpha = r alpha_0, alpha_0 that of the factors, residuals of equations
 * with derivatives are scaled by 2/(1 + r): the iteration then contracts by
 * at most |r-1|/(r+1) for linear problems, stiff or not [HBGLSSW05]. Those
 * without derivatives do not know alpha: they keep the factor 1, and linear
 * constraints hold after one iteration. */
#ifndef NEWTON_NEWTON_H
#define NEWTON_NEWTON_H

#include "linalg/iteration_matrix.h"
#include "newton/ageing.h"
#include "newton/beside.h"
#include "newton/bounds.h"
#include "newton/climb.h"
#include "newton/weights.h"
#include <dae/solver.h>

typedef enum newton_outcome {
    NEWTON_CONVERGED,
    NEWTON_DIVERGED,  /* slow, growing, or out of iterations */
    NEWTON_HOPELESS,  /* converging, but the error test will fail */
    NEWTON_NONFINITE, /* F, the Jacobian or a correction overflows here */
    NEWTON_SINGULAR,
    NEWTON_STOPPED, /* see newton.status */
} newton_outcome;

/* One corrector problem. The vectors hold the predicted point and are moved
 * to the solution. For a first-order layout N == n. */
typedef struct newton_task {
    double t, alpha, h;
    double *x;  /* N */
    double *xp; /* n */
    double *d;  /* N, change of x */
    const weights *weights;
    double error_constant; /* of the error test: |d| times this <= 1 */
    double part; /* the remainder allowed, of what usually is; 0: all of it */
} newton_task;

typedef struct newton {
    const dae_problem *problem;
    const layout *layout;
    iteration *matrix;
    dae_stats *stats;
    bounds bounds;
    beside_point beside;
    climb climb;
    double *delta;          /* n: residual, then correction */
    double *unit;           /* n: scratch of newton_off, newton_noise */
    uint8_t *is_slope_row;  /* n: equation has a derivative in it */
    double *steepness;      /* n: see is_steeper; of this Jacobian */
    double *steepness_old;  /* n: of the last that served a step; 0: none */
    int64_t age_old;        /* from which age on rho_old counts, steps */
    double rho_old;         /* learned rate above which an old one is renewed */
    double stale_most;      /* staleness of alpha above which it factorizes */
    double constant;        /* share of the error test that may remain */
    double chain;           /* see newton_chain */
    double alpha;           /* of the factors; 0: none */
    double alpha_evaluated; /* when the Jacobian was evaluated */
    double rho;             /* learned rate beyond that of a stale alpha */
    double reach;     /* first correction for which it was learned; 0: none */
    double rho_age;   /* age of the Jacobian then, steps */
    ageing ageing;    /* in place of rho, its age and reach, where watched */
    double leverage;  /* learned rate per unit of staleness, >= 1 */
    double rate;      /* measured in the last solve; 0: not measured */
    int owed;         /* iterations that the alpha of the factors has cost */
    int64_t age;      /* steps accepted since the Jacobian was evaluated */
    bool is_constant; /* the Jacobian never changes */
    bool has_jacobian;
    bool
        is_proven; /* a rate was measured with these factors, or both are new */
    bool is_fresh; /* evaluated at the prediction of this very attempt */
    bool wants_jacobian;
    bool wants_all; /* of the Jacobian, also what never changes */
    bool is_tight;  /* see newton_tighten */
    size_t lost; /* of the last NEWTON_NONFINITE: the unknown whose correction
                    overflowed; SIZE_MAX: something else did */
    dae_status status; /* with NEWTON_STOPPED */
} newton;

/* `matrix`, `stats` are borrowed; vectors come from `a`. DAE_MEMORY. */
dae_status newton_init(newton *nw, const dae_problem *problem, const layout *l,
    iteration *matrix, dae_stats *stats, arena *a) DAE_MUST_CHECK;

/* Renews the Jacobian as soon as it costs iterations: for problems whose
 * derivatives of constraints multiply what is stale by the leading coefficient. */
void newton_stay_fresh(newton *nw);

/* The same, and learns how fast Jacobians age (newton/ageing.h). Not where the
 * equations hold gradients of the last Jacobian: each new one changes them. */
void newton_watch_age(newton *nw);

/* Factorizes for nearly every other step length: for equations of index 3, in
 * which alpha counts with its square. */
void newton_follow_alpha(newton *nw);

/* A change v of a state changes the state below by chain/alpha v, its slope by alpha
 * v: for methods whose formula for x from x' is not that for x' from x''. 1
 * without. For the whole life; chain > 0. */
void newton_chain(newton *nw, double chain);

/* Iterates until rounding is all that corrections are, whatever the tolerances,
 * with factors of the very alpha: for studies of what formulas do. */
void newton_tighten(newton *nw);

/* Renews it at the next prediction. */
void newton_renew(newton *nw);

/* Forgets Jacobian and rates: another problem state or another mode. */
void newton_reset(newton *nw);

newton_outcome newton_solve(newton *nw, newton_task *task);

/* See iteration_is_outgrown: of the factors at hand, which may be gone then. */
dae_status newton_is_outgrown(newton *nw, bool *is_outgrown) DAE_MUST_CHECK;
/* After NEWTON_STOPPED: as `before`, a copy from before the solve, but for what
 * the matrix no longer holds. The same solve then does the same again. */
void newton_rewind(newton *nw, const newton *before);

/* How far rounding in F may move each state at the task's point: noise (N) is
 * about A^-1 (eps |dF| |x|), by the factors at hand; all 0 where there are
 * none. What an ill-conditioned matrix makes of it is cut, unless a longer step
 * had less (newton/noise.c); the factors are then those of another alpha. Moves
 * nothing. */
void newton_noise(newton *nw, const newton_task *task, double *noise);
/* Noise of states x (N) is no larger, but for what a short step adds. */
double newton_noise_most(const layout *l, const double *x);

/* How far the equations are from holding at the task's point, in tolerances
 * of the values in them; 0 where that is not known. At a prediction a few
 * units in the last place of t further it tells whether they jump there: what
 * is continuous in time is not off. Moves nothing. */
double newton_off(newton *nw, const newton_task *task);

/* Told after every accepted step. */
void newton_accepted(newton *nw);

#endif
