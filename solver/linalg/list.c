/* Real systems by an operation list. */
#include "linalg/backend.h"
#include "linalg/operation_list.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define NUMBER double
#define OWN(name) name##_real
#define SIZE(a) fabs(a)
#define INVERSE(a) (1 / (a))
#define TIMES(a, b) ((a) * (b))
#define LESS(a, l, u) ((a) - (l) * (u))
#include "linalg/list_run.h"

typedef struct list {
    linear_system s;
    operation_list operations;
    double *values;      /* entries: what was factorized, */
    ARRAY(double) slots; /* its factors */
    double *largest;     /* n: entries of its rows */
    double *x;           /* n */
    bool has_any;        /* factors */
} list;

static size_t entry_count(const list *l)
{
    return (size_t)l->s.column_start[l->s.n];
}

static void list_free(void *state)
{
    list *l = state;
    if (!l) return;
    const dae_allocator *a = l->s.allocator;
    operation_list_clear(&l->operations);
    alloc_free(a, l->values, entry_count(l), sizeof *l->values);
    alloc_free(a, l->largest, l->s.n, sizeof *l->largest);
    alloc_free(a, l->x, l->s.n, sizeof *l->x);
    ARRAY_FREE(a, &l->slots);
    alloc_free(a, l, 1, sizeof *l);
}

static dae_status list_create(const linear_system *s, void **out)
{
    const dae_allocator *a = s->allocator;
    *out = NULL;
    list *l = alloc_zeroed(a, 1, sizeof *l);
    if (!l) return DAE_MEMORY;
    l->s = *s;
    dae_status st = operation_list_init(&l->operations, s);
    l->values = alloc_zeroed(a, entry_count(l), sizeof *l->values);
    l->largest = alloc_zeroed(a, s->n, sizeof *l->largest);
    l->x = alloc_zeroed(a, s->n, sizeof *l->x);
    if (!st && (!l->values || !l->largest || !l->x)) st = DAE_MEMORY;
    if (st) list_free(l);
    else *out = l;
    return st;
}

/* By the list that there is. False: its pivots do not suit the values. */
static bool run(list *l, double zero)
{
    const operation_list *o = &l->operations;
    list_load_real(o, l->values, l->slots.items, l->largest);
    return list_eliminate_real(o, l->values, l->slots.items, l->largest, zero);
}

static dae_status factor_fresh(list *l)
{
    const dae_status st = operation_list_find(
        &l->operations, l->values, NULL, 1);
    if (st) return st;
    if (!ARRAY_RESERVE(l->s.allocator, &l->slots, l->operations.slots)) {
        l->operations.is_found = false;
        return DAE_MEMORY;
    }
    return run(l, LU_PIVOT_ZERO) ? DAE_OK : DAE_NUMERIC;
}

static dae_status list_factor(void *state, const double *values)
{
    list *l = state;
    memcpy(l->values, values, entry_count(l) * sizeof *values);
    l->has_any = true;
    if (l->operations.is_found && run(l, VALUES_ERROR)) return DAE_OK;
    const dae_status st = factor_fresh(l);
    l->has_any = !st;
    return st;
}

static void list_release(void *state)
{
    list *l = state;
    const dae_allocator *a = l->s.allocator;
    l->has_any = l->operations.is_found = false;
    ARRAY_FREE(a, &l->operations.other);
    ARRAY_FREE(a, &l->operations.target);
    ARRAY_FREE(a, &l->slots);
}

static dae_status list_solve(void *state, double *b)
{
    list *l = state;
    if (!l->has_any) return DAE_NUMERIC;
    list_solve_real(&l->operations, l->slots.items, b, l->x);
    memcpy(b, l->x, l->s.n * sizeof *b);
    return DAE_OK;
}

static int64_t list_fill(const void *state)
{
    const list *l = state;
    return l->has_any ? (int64_t)l->operations.slots : 0;
}

/* As least_pivot_ratio has it. */
static double list_rcond(const void *state)
{
    const list *l = state;
    const operation_list *o = &l->operations;
    double least = l->has_any ? 1 : 0;
    for (size_t k = 0; k < l->s.n && least > 0; k++) {
        const list_pivot *p = &o->pivot[k];
        const double most = list_column_real(
            o, l->values, l->largest, p->column);
        const double inverse = fabs(l->slots.items[p->begin]);
        least = fmin(least, 1 / (inverse * l->largest[p->row] * most));
    }
    return least;
}

static int list_sign(const void *state)
{
    const list *l = state;
    int sign = l->has_any ? l->operations.parity : 0;
    for (size_t k = 0; k < l->s.n; k++)
        if (l->slots.items[l->operations.pivot[k].begin] < 0) sign = -sign;
    return sign;
}

const linear_backend list_backend = {"list", DAE_LINEAR_LIST, list_create,
    list_free, list_factor, list_release, list_solve, list_fill, list_rcond,
    list_sign, NULL};
