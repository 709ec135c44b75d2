/* A pendulum of index 3, by hand: m x'' = -lam x, m y'' = -lam y - 1,
 * 0 = x^2 + y^2 - 1, with its Jacobian. `self` is the mass; NULL: 1. */
#ifndef SUPPORT_PENDULUM_H
#define SUPPORT_PENDULUM_H

#include <dae/problem.h>

static inline double pendulum_mass(const void *self)
{
    return self ? *(const double *)self : 1;
}

static inline dae_status pendulum(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double m = pendulum_mass(self);
    (void)t;
    res[0] = m * xp[0] + x[4] * x[0];
    res[1] = m * xp[1] + x[4] * x[2] + 1;
    res[2] = x[0] * x[0] + x[2] * x[2] - 1;
    return DAE_OK;
}

static inline dae_status pendulum_jacobian(void *self, dae_scope scope,
    double t, const double *x, const double *xp, double *v)
{
    (void)t;
    (void)xp;
    v[0] = x[4];
    v[1] = 2 * x[0];
    v[2] = x[4];
    v[3] = 2 * x[2];
    v[4] = x[0];
    v[5] = x[2];
    if (scope == DAE_VARYING) return DAE_OK;
    v[6] = v[7] = pendulum_mass(self);
    return DAE_OK;
}

static const int64_t pendulum_start[] = {0, 2, 2, 4, 4, 6, 7, 8, 8};
static const int32_t pendulum_row[] = {0, 2, 1, 2, 0, 1, 0, 1};
static const uint8_t pendulum_kind[] = {
    0, 0, 0, 0, 0, 0, DAE_ENTRY_PARAMETER, DAE_ENTRY_PARAMETER};
static const dae_pattern pendulum_pattern = {
    pendulum_start, pendulum_row, pendulum_kind};
static const uint8_t pendulum_order[] = {2, 2, 0};

#endif
