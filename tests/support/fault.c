#include "support/fault.h"

#include "linalg/linear.h"
#include "linalg/small.h"
#include <string.h>

/* ---- damage ----------------------------------------------------------------- */

/* Whether this call is to go wrong. */
static bool counts_down(faulty *f, fault_place place)
{
    size_t call = f->calls[place]++;
    if (f->fault.place != place || call < f->fault.call) return false;
    return f->fault.is_lasting || call == f->fault.call;
}

static void damage(faulty *f, double *values, size_t at)
{
    values[at] = f->fault.value;
    f->is_hit = true;
}

static dae_status faulty_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    faulty *f = self;
    const dae_problem *p = f->inner;
    if (f->is_hit) f->residuals_after++;
    dae_status st = p->residual(p->self, t, x, xp, res);
    f->condition = SIZE_MAX;
    if (!counts_down(f, FAULT_RESIDUAL)) return st;
    size_t conditions = p->start ? p->start->condition_count : 0;
    size_t at = f->fault.entry % (p->unknown_count + conditions);
    if (at < p->unknown_count) damage(f, res, at);
    else f->condition = at - p->unknown_count;
    return st;
}

static dae_status condition_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    faulty *f = self;
    const dae_problem *p = f->inner;
    dae_status st = p->start->condition_residual(p->self, t, x, xp, res);
    if (f->condition != SIZE_MAX) damage(f, res, f->condition);
    f->condition = SIZE_MAX;
    return st;
}

/* The entry meant, or the next one that this call has written. */
static bool find_entry(const faulty *f, dae_scope scope, size_t *at)
{
    const dae_problem *p = f->inner;
    const dae_pattern *pattern = p->pattern;
    size_t columns = dae_problem_state_count(p) + p->unknown_count;
    size_t count = (size_t)pattern->column_start[columns];
    for (size_t k = 0; k < count; k++) {
        *at = (f->fault.entry + k) % count;
        if (scope == DAE_ALL || !pattern->kind
            || pattern->kind[*at] == DAE_ENTRY_VARYING)
            return true;
    }
    return false;
}

static dae_status faulty_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    faulty *f = self;
    size_t at;
    dae_status st = f->inner->jacobian(f->inner->self, scope, t, x, xp, values);
    if (counts_down(f, FAULT_JACOBIAN) && find_entry(f, scope, &at))
        damage(f, values, at);
    return st;
}

/* ---- what is only handed on --------------------------------------------------- */

static dae_status condition_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const dae_problem *p = ((faulty *)self)->inner;
    return p->start->condition_jacobian(p->self, scope, t, x, xp, values);
}

static size_t name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const dae_problem *p = ((faulty *)self)->inner;
    return p->name(p->self, kind, index, text, size);
}

static int place(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const dae_problem *p = ((faulty *)self)->inner;
    return p->place(p->self, kind, index, source, begin, end);
}

static size_t explain(void *self, dae_name_kind kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    const dae_problem *p = ((faulty *)self)->inner;
    return p->explain(p->self, kind, index, t, x, xp, text, size);
}

/* ---- solves ----------------------------------------------------------------- */

/* A linear system does not tell its size: those alive are remembered. */
enum { SYSTEMS = 16 };
static struct {
    const void *system;
    size_t n;
} systems[SYSTEMS];

static faulty *current;

static void remember(const void *l, size_t n)
{
    for (int k = 0; k < SYSTEMS; k++) {
        if (systems[k].system) continue;
        systems[k].system = l;
        systems[k].n = n;
        return;
    }
}

static size_t size_of(const void *l)
{
    for (int k = 0; k < SYSTEMS; k++)
        if (systems[k].system == l) return systems[k].n;
    return 1;
}

static void forget(const void *l)
{
    for (int k = 0; l && k < SYSTEMS; k++)
        if (systems[k].system == l) systems[k].system = NULL;
}

static void damage_solution(const void *l, double *b)
{
    if (current && counts_down(current, FAULT_SOLVE))
        damage(current, b, current->fault.entry % size_of(l));
}

/* The linker gives calls of NAME to __wrap_NAME and __real_NAME to NAME. */
dae_status __real_linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out);
dae_status __wrap_linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out);
dae_status __real_linear_create_aligned(size_t n, const int64_t *column_start,
    const int32_t *row, const uint8_t *level, dae_linear choice,
    const dae_allocator *allocator, linear **out);
dae_status __wrap_linear_create_aligned(size_t n, const int64_t *column_start,
    const int32_t *row, const uint8_t *level, dae_linear choice,
    const dae_allocator *allocator, linear **out);
void __real_linear_free(linear *l);
void __wrap_linear_free(linear *l);
dae_status __real_linear_solve(linear *l, double *b);
dae_status __wrap_linear_solve(linear *l, double *b);

dae_status __wrap_linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out)
{
    dae_status st = __real_linear_create(
        n, column_start, row, choice, allocator, out);
    if (!st) remember(*out, n);
    return st;
}

dae_status __wrap_linear_create_aligned(size_t n, const int64_t *column_start,
    const int32_t *row, const uint8_t *level, dae_linear choice,
    const dae_allocator *allocator, linear **out)
{
    dae_status st = __real_linear_create_aligned(
        n, column_start, row, level, choice, allocator, out);
    if (!st) remember(*out, n);
    return st;
}

void __wrap_linear_free(linear *l)
{
    forget(l);
    __real_linear_free(l);
}

dae_status __wrap_linear_solve(linear *l, double *b)
{
    dae_status st = __real_linear_solve(l, b);
    damage_solution(l, b);
    return st;
}

dae_status __real_small_create(size_t n, int count, int pairs,
    const dae_allocator *allocator, small **out);
dae_status __wrap_small_create(size_t n, int count, int pairs,
    const dae_allocator *allocator, small **out);
void __real_small_free(small *s);
void __wrap_small_free(small *s);
void __real_small_solve(const small *s, double *b);
void __wrap_small_solve(const small *s, double *b);

dae_status __wrap_small_create(
    size_t n, int count, int pairs, const dae_allocator *allocator, small **out)
{
    const dae_status st = __real_small_create(n, count, pairs, allocator, out);
    if (!st) remember(*out, n);
    return st;
}

void __wrap_small_free(small *s)
{
    forget(s);
    __real_small_free(s);
}

void __wrap_small_solve(const small *s, double *b)
{
    __real_small_solve(s, b);
    damage_solution(s, b);
}

/* ---- opening ---------------------------------------------------------------- */

void faulty_open(faulty *f, const dae_problem *inner, const fault *meant)
{
    *f = (faulty){.problem = *inner,
        .inner = inner,
        .fault = *meant,
        .condition = SIZE_MAX};
    dae_problem *p = &f->problem;
    p->self = f;
    p->sides = NULL; /* those of the problem without the fault */
    p->position = NULL;
    p->release = NULL; /* it would get `f` as its own, */
    p->derive = NULL;  /* and so would this */
    p->denominators = NULL;
    p->series = NULL;
    p->series_jacobian = NULL;
    p->series_explain = NULL;
    p->residual = faulty_residual;
    p->residuals = NULL; /* one by one */
    p->jacobian = faulty_jacobian;
    if (inner->name) p->name = name;
    if (inner->place) p->place = place;
    if (inner->explain) p->explain = explain;
    if (inner->start) {
        f->start = *inner->start;
        if (f->start.condition_count) {
            f->start.condition_residual = condition_residual;
            f->start.condition_jacobian = condition_jacobian;
        }
        p->start = &f->start;
    }
    current = f;
}

void faulty_close(faulty *f)
{
    if (current == f) current = NULL;
}
