#include "thin.h"
#include "memory.h"
#include <math.h>

/* After halving there still are two groups for each point across a picture. */
enum { GROUPS_MOST = 2048 };

/* The first and last place and those of the extremes, of `count` points. */
static void mark_kept(
    const double *x, const double *y, int count, bool *is_kept)
{
    int at[4] = {0, 0, 0, 0};
    for (int k = 0; k < count; k++) {
        is_kept[k] = k == 0 || k == count - 1;
        if (x[k] < x[at[0]]) at[0] = k;
        if (x[k] > x[at[1]]) at[1] = k;
        if (y[k] < y[at[2]]) at[2] = k;
        if (y[k] > y[at[3]]) at[3] = k;
    }
    for (int k = 0; k < 4; k++) is_kept[at[k]] = true;
}

/* `a` followed by `b`. */
static thin_group join(const thin_group *a, const thin_group *b)
{
    double x[2 * THIN_KEPT], y[2 * THIN_KEPT];
    bool is_kept[2 * THIN_KEPT];
    int count = 0;
    for (int k = 0; k < a->count; k++) x[count] = a->x[k], y[count++] = a->y[k];
    for (int k = 0; k < b->count; k++) x[count] = b->x[k], y[count++] = b->y[k];
    thin_group both = {.is_broken = a->is_broken || b->is_broken};
    if (count == 0) return both;
    mark_kept(x, y, count, is_kept);
    for (int k = 0; k < count; k++)
        if (is_kept[k]) {
            both.x[both.count] = x[k];
            both.y[both.count++] = y[k];
        }
    return both;
}

/* Neighbours become one group; across a break only where `crosses`. */
static void join_pairs(thin *t, bool crosses)
{
    size_t n = 0;
    for (size_t k = 0; k < t->count; n++) {
        const bool joins = k + 1 < t->count
            && (crosses || !t->groups[k].is_broken);
        t->groups[n] = joins ? join(&t->groups[k], &t->groups[k + 1])
                             : t->groups[k];
        k += joins ? 2 : 1;
    }
    t->count = n;
}

/* Both sides of a break stay, unless it is one of very many. */
static void halve(thin *t)
{
    join_pairs(t, false);
    if (t->count > GROUPS_MOST * 3 / 4) join_pairs(t, true);
    t->group_size *= 2;
}

static bool push(thin *t)
{
    thin_group *groups = memory_grow(
        t->groups, t->count, &t->capacity, sizeof *groups);
    if (!groups) return false;
    t->groups = groups;
    t->groups[t->count++] = t->pending;
    t->pending = (thin_group){.count = 0};
    t->pending_count = 0;
    if (t->count == GROUPS_MOST) halve(t);
    return true;
}

/* A group ends where the curve breaks. */
static bool add_break(thin *t)
{
    if (t->pending.count) {
        t->pending.is_broken = true;
        return push(t);
    }
    if (t->count) t->groups[t->count - 1].is_broken = true;
    return true;
}

bool thin_add(thin *t, double x, double y)
{
    thin_group one = {.count = 1};
    one.x[0] = x;
    one.y[0] = y;
    if (t->group_size == 0) t->group_size = 1;
    if (!isfinite(x) || !isfinite(y)) return add_break(t);
    t->pending = join(&t->pending, &one);
    if (++t->pending_count < t->group_size) return true;
    return push(t);
}

static void put_group(const thin_group *g, picture_curve *curve)
{
    for (int k = 0; k < g->count; k++) curve_add(curve, g->x[k], g->y[k]);
    if (g->is_broken) curve_break(curve);
}

void thin_put(const thin *t, picture_curve *curve)
{
    for (size_t k = 0; k < t->count; k++) put_group(&t->groups[k], curve);
    put_group(&t->pending, curve);
}
