/* What a Jacobian's age does to Newton's method. The matrix is off by what it
 * has changed since it was evaluated, which is by about as much in every step:
 * so the rate is a little with a Jacobian of the point itself and grows by the
 * step. Both are learned, and with them how much of a measured rate is due to
 * another alpha. For equations whose Jacobian never stands still, as those of
 * mechanisms; where it does for long and then jumps, age says little. */
#ifndef NEWTON_AGEING_H
#define NEWTON_AGEING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ageing {
    bool is_watched;
    double fresh;  /* rate with a Jacobian of the point itself */
    double growth; /* of the rate, a step */
    double reach;  /* first correction when it was measured last; 0: never */
    int trusted;   /* first iterations with an older Jacobian since then */
} ageing;

/* One measured rate, of the second correction to the first one. */
typedef struct measured_rate {
    double rate, first; /* the first correction, in tolerances */
    double stale;       /* |r-1|/(r+1), r the ratio of both alphas */
    int64_t age;        /* of the Jacobian, steps */
} measured_rate;

/* Forgets what was learned. */
void ageing_start(ageing *a);

/* The rate to expect of a Jacobian of this age, for a first correction of
 * `norm` tolerances (0: not known yet), without the share of alpha. */
double ageing_rate(const ageing *a, int64_t age, double norm);

/* The rate by which a first correction is judged, `stale` of it due to alpha:
 * more than the mean. */
double ageing_expected(const ageing *a, int64_t age, double norm, double stale);

/* Whether expectation was relied on for long enough: a rate is measured. */
bool ageing_is_due(ageing *a, int64_t age);

/* Learns from a rate: bad news at once, good news in part. *leverage is the
 * rate per unit of staleness, at least 1. */
void ageing_learn(ageing *a, const measured_rate *m, double *leverage);

#endif
