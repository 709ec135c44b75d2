#include "newton/ageing.h"

#include "base/real.h"

#include <math.h>

/* First guesses, and what is never believed to be less or more. Measured on 29
 * models above index 1: the growth guessed from 0.02 to 0.1 the residuals are
 * the same within 1.5 %. */
static const double fresh_start = 0.02, fresh_min = 0.01;
static const double growth_start = 0.03, growth_min = 0.001, growth_max = 0.5;
static const double good_news = 0.15;
/* Staleness from which on a rate says something about the leverage. */
static const double stale_seen = 0.05;
/* Steps with one iteration in a row, after which a second one tells whether
 * the expectation still holds. Costs 1 % of the residuals. */
enum { trusted_max = 25 };

void ageing_start(ageing *a)
{
    a->fresh = fresh_start;
    a->growth = growth_start;
    a->reach = 0;
    a->trusted = trusted_max; /* a guess is not relied on */
}

double ageing_rate(const ageing *a, int64_t age, double norm)
{
    double further = a->reach > 0 ? larger(norm / a->reach, 1) : 1;
    return (a->fresh + a->growth * (double)age) * further;
}

/* Rates are so much larger than the mean now and then. Without this, slopes of
 * a turning pendulum are left off by 14 tolerances, not 7. */
static const double doubt = 1.75;

double ageing_expected(const ageing *a, int64_t age, double norm, double stale)
{
    return doubt * (ageing_rate(a, age, norm) + stale);
}

bool ageing_is_due(ageing *a, int64_t age)
{
    if (age > 0) a->trusted++;
    return a->reach <= 0 || (age > 0 && a->trusted > trusted_max);
}

/* A rate does not tell which of the terms it is due to: all are corrected by
 * the same factor, so each by as much as it had a part in what was expected. */
void ageing_learn(ageing *a, const measured_rate *m, double *leverage)
{
    double share = *leverage * m->stale;
    double ratio = m->rate / (a->fresh + a->growth * (double)m->age + share);
    double by = ratio > 1 ? ratio : 1 + good_news * (ratio - 1);
    a->reach = m->first;
    if (m->age == 0) {
        a->fresh = smaller(larger(a->fresh * by, fresh_min), growth_max);
    } else {
        a->growth = smaller(larger(a->growth * by, growth_min), growth_max);
        a->trusted = 0;
    }
    if (m->stale > stale_seen) *leverage = larger(*leverage * by, 1);
}
