/* Equations of which one follows from the others have a set of solutions as
 * large as their rank at one of them says. Where a line touches a circle the
 * rank says as much, a line, but there is one solution only: the rank is lost at
 * just that point, and the equations may determine all.
 *
 * Let w add up rows of the matrix A of partial derivatives to 0, and A v = 0. If
 * there is a curve of solutions z(s) with z' = v, twice differentiating
 * F(z(s)) = 0 gives w F''[v, v] + w A z'' = w F''[v, v] = 0. So where that is
 * not 0 for some v no such curve exists, and the rank is not that of the set.
 * What is flatter, as x + y = (x - y)^3 beside x + y = 0, is walked along: a
 * solution nearest to z + v is as near to it as its square, or back at z. */
#include "index/tangent.h"

#include "index/manifold.h"
#include "index/points.h"
#include "index/ranks.h"
#include "linalg/thresholds.h"
#include <math.h>
#include <string.h>

/* How far to walk, in units of what is typical for the unknown that moves most. */
#define WALK (DIGIT / 2)
enum { STEPS = 40 }; /* back to a solution */

typedef struct null_pair {
    double *left;  /* rows: weights of the equations */
    double *right; /* columns: a step of z */
} null_pair;

static void null_pair_clear(null_pair *p, const level *v)
{
    alloc_free(v->w->allocator, p->left, v->rows, sizeof *p->left);
    alloc_free(v->w->allocator, p->right, v->columns, sizeof *p->right);
}

/* Vectors at random of both null spaces, the step with a largest part of 1 in
 * units of what is typical. *is_some: it has one. */
static dae_status null_pair_make(null_pair *p, level *v, bool *is_some)
{
    const dae_allocator *a = v->w->allocator;
    double most = 0;
    *p = (null_pair){alloc_zeroed(a, v->rows, sizeof *p->left),
        alloc_zeroed(a, v->columns, sizeof *p->right)};
    if (!p->left || !p->right) return DAE_MEMORY;
    for (size_t i = 0; i < v->rows; i++) p->left[i] = points_number(211, i);
    for (size_t k = 0; k < v->columns; k++) p->right[k] = points_number(212, k);
    level_part(v, LEVEL_ALL);
    const dae_status st = ranks_null_parts(
        v->spent, v->rows, v->columns, v->doubt, a, p->left, p->right);
    for (size_t i = 0; i < v->rows; i++) p->left[i] *= v->row_scale[i];
    for (size_t k = 0; k < v->columns; k++) {
        p->right[k] *= v->column_scale[k];
        most = fmax(most, fabs(p->right[k]) / v->size[k]);
    }
    *is_some = most > 0;
    for (size_t k = 0; k < v->columns && *is_some; k++) p->right[k] /= most;
    return st;
}

/* The sum of the weighted rows times the step, at z and `part` of the step. Its
 * terms are added up in size->of_step, and in size->of_all what they would be
 * if every unknown moved by what is typical for it: where the step is 0, that
 * is what rounding leaves a part of. */
typedef struct sum_size {
    double of_step, of_all;
} sum_size;

static dae_status sum_at(
    level *v, const null_pair *p, double part, double *sum, sum_size *size)
{
    const dae_problem *q = &v->e->problem;
    const dae_pattern *s = q->pattern;
    for (size_t k = 0; k < v->columns; k++)
        v->step[k] = v->z[k] + part * p->right[k];
    const dae_status st = q->jacobian(
        q->self, DAE_ALL, v->t, v->step, NULL, v->beside);
    if (st) return st;
    *sum = 0;
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++) {
            if (v->is_void[e]) continue;
            const double weighted = p->left[s->row[e]] * v->beside[e];
            const double term = weighted * p->right[k];
            *sum += term;
            size->of_step += fabs(term);
            size->of_all += fabs(weighted) * v->size[k];
        }
    return isfinite(size->of_all) ? DAE_OK : DAE_RETRY;
}

static dae_status find_second(level *v, const null_pair *p, bool *is_false)
{
    double ahead = 0, back = 0;
    sum_size size = {0, 0};
    dae_status st = sum_at(v, p, DIFFERENCE_STEP, &ahead, &size);
    if (!st) st = sum_at(v, p, -DIFFERENCE_STEP, &back, &size);
    const double least = DIFFERENCE_STEP
        * fmax(null_zero(VALUES_ERROR), WEIGHT_ROUNDINGS * v->error);
    const double rounding = WEIGHT_ROUNDINGS * v->error * size.of_all;
    *is_false = !st && fabs(ahead - back) > least * size.of_step + rounding;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Where the walk alone leads. */
static void step_aside(level *there, const level *v, const null_pair *p)
{
    for (size_t k = 0; k < v->columns; k++)
        there->z[k] = v->z[k] + WALK * p->right[k];
}

/* One step toward where the rows hold on which the others depend at `v`, by
 * their derivatives there; how large it is, in units of what is typical. */
static dae_status step_back(level *there, level *v, double *length)
{
    const dae_problem *p = &there->e->problem;
    dae_status st = p->residual(p->self, there->t, there->z, NULL, v->step);
    if (st) return st;
    for (size_t i = 0; i < v->rows; i++) {
        if (!isfinite(v->step[i])) return DAE_RETRY;
        v->step[i] *= -v->row_scale[i];
    }
    level_part(v, LEVEL_ALL);
    st = ranks_solve(v->spent, v->rows, v->columns, v->step, v->w->allocator);
    *length = 0;
    for (size_t k = 0; k < v->columns && !st; k++) {
        const double part = v->step[k] * v->column_scale[k];
        *length = fmax(*length, fabs(part) / v->size[k]);
        there->z[k] += part;
    }
    return st;
}

/* Beside a set on which rows depend they are independent, by next to nothing:
 * what is left of them there would make a Gauss-Newton step as long as the walk,
 * and along the set. The rank at `v` knows better. Where its steps do not get
 * shorter `there` is where the walk alone leads. */
static dae_status come_near(level *there, level *v, const null_pair *p)
{
    double before = (double)INFINITY, length = 0;
    dae_status st = DAE_OK;
    step_aside(there, v, p);
    for (int k = 0; k < STEPS && !st; k++) {
        st = step_back(there, v, &length);
        if (st || !(length < SLOW_RATE * before)) break;
        before = length;
    }
    if (st || !(length <= EFFECT_ERROR)) step_aside(there, v, p);
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}

static dae_status walk(
    level *v, const null_pair *p, bool *is_false, bool *is_walked)
{
    level there = {0};
    bool is_found = false;
    double away = 0;
    dae_status st = level_open(&there, v->w, v->differentiated);
    if (!st) {
        level_take_level(&there, v);
        st = come_near(&there, v, p);
    }
    if (!st) st = manifold_reach(&there, false, &is_found);
    for (size_t k = 0; k < v->columns && is_found && !st; k++) {
        const double to = v->z[k] + WALK * p->right[k];
        away = fmax(away, fabs(there.z[k] - to) / v->size[k]);
    }
    *is_false = away > WALK / 2;
    *is_walked = is_found && !*is_false;
    level_close(&there);
    return st;
}

dae_status tangent_is_false(level *v, bool *is_false, bool *is_walked)
{
    null_pair p;
    bool is_some = false;
    *is_false = *is_walked = false;
    if (v->w->is_affine) return DAE_OK;
    dae_status st = null_pair_make(&p, v, &is_some);
    if (!st && is_some) st = find_second(v, &p, is_false);
    if (!st && is_some && !*is_false) st = walk(v, &p, is_false, is_walked);
    null_pair_clear(&p, v);
    return st;
}
