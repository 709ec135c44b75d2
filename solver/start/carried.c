/* Beside start/uncertain, which looks at all rows at once. There (x - 1) y = 1
 * with x^3 = 1 is a matrix without full rank, and rank decisions hide what the
 * last digits of x do to y; in blocks they show: x is certain, y is not. */
#include "start/carried.h"
#include "base/splitmix.h"
#include "start/least.h"
#include "start/moment.h"
#include "start/order.h"
#include "start/scan.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 64, HALVINGS = 60 };
/* A value that changes by this part of itself is not known. */
static const double LARGE = 0.25;
/* In units: below it the same of so many units. */
static const double SMALL = 10;
/* A change by this part is looked at again, without linearization. */
static const double SUSPECT = 1e-3;
/* Of a row's noise, which has room for sums: a few errors of a term. */
static const double ROUNDING = 0.125;
/* Newton's steps are worth it as long as they leave less than this part. */
static const double LESS = 0.9;
static const double PIVOT_ZERO = 1e-12;

typedef struct carrying {
    init_system *s;
    moment here;
    submatrix all;   /* the well-determined part */
    double *values;  /* its entries */
    int32_t *local;  /* rows of the system: local ones of `all`, or -1 */
    int32_t *number; /* the same, scratch */
    double *left;    /* local rows: what they have to make up for */
    int32_t *column; /* slots: local columns */
    double *d;       /* local columns */
    subset block;
} carrying;

double carried_unit(const init_system *s, size_t slot)
{
    const dae_start *from = s->request->problem->start;
    const bool is_state = slot < s->states;
    const double *values = !from ? NULL : is_state ? from->x : from->xp;
    const double unit = scan_unit(s, slot);
    if (!values) return unit;
    const double guess = fabs(values[is_state ? slot : slot - s->states]);
    return guess > unit ? guess : unit;
}

static double size_of(const carrying *w, size_t slot)
{
    return fmax(fabs(w->here.z[slot]), SMALL * carried_unit(w->s, slot));
}

static dae_status carrying_init(carrying *w, const subset *well)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    dae_status st = submatrix_init(
        &w->all, s, well->rows, well->row_count, well->slots, well->slot_count);
    if (!st) st = moment_take(&w->here, s);
    if (st) return st;
    w->values = ARENA_ARRAY(a, double, w->all.entries);
    w->local = ARENA_ARRAY(a, int32_t, s->rows);
    w->number = ARENA_ARRAY(a, int32_t, s->rows);
    w->left = ARENA_ARRAY(a, double, w->all.rows);
    w->column = ARENA_ARRAY(a, int32_t, s->slots);
    w->d = ARENA_ARRAY(a, double, w->all.columns);
    if (!w->values || !w->local || !w->number || !w->left || !w->column
        || !w->d)
        return DAE_MEMORY;
    submatrix_values(&w->all, s, w->local, w->values);
    for (size_t j = 0; j < w->all.columns; j++)
        w->column[w->all.slot_at[j]] = (int32_t)j;
    for (size_t i = 0; i < w->all.rows; i++)
        w->left[i] = s->res[w->all.row_at[i]];
    return DAE_OK;
}

/* The only entry of a block of one; of a column, by rows. */
static double pivot_of(const carrying *w)
{
    const int32_t j = w->column[w->block.slots[0]];
    const int32_t i = w->local[w->block.rows[0]];
    for (int64_t p = w->all.column_start[j]; p < w->all.column_start[j + 1];
         p++)
        if (w->all.row[p] == i) return w->values[p];
    return 0;
}

static dae_status solve_many(carrying *w)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    const subset *b = &w->block;
    const size_t n = b->row_count;
    submatrix m;
    size_t cells;
    if (!size_mul(n, n, &cells) || cells > LEAST_LIMIT) return DAE_OK;
    dae_status st = submatrix_init(&m, s, b->rows, n, b->slots, n);
    if (st) return st;
    double *values = ARENA_ARRAY(a, double, m.entries);
    double *scale = ARENA_ARRAY(a, double, n);
    double *r = ARENA_ARRAY(a, double, n), *d = ARENA_ARRAY(a, double, n);
    if (!values || !scale || !r || !d) return DAE_MEMORY;
    submatrix_values(&m, s, w->number, values);
    for (size_t i = 0; i < n; i++) r[i] = w->left[w->local[b->rows[i]]];
    for (size_t j = 0; j < n; j++) {
        const size_t k = (size_t)b->slots[j];
        scale[j] = fmax(s->scale[k], fabs(s->z[k]));
    }
    st = least_solve(a, &m, values, scale, r, fmax(PIVOT_ZERO, s->fuzz), d);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    for (size_t j = 0; j < n; j++) w->d[w->column[b->slots[j]]] = d[j];
    return DAE_OK;
}

/* To first order: what the block's values change by. */
static dae_status solve(carrying *w)
{
    if (w->block.row_count > 1) return solve_many(w);
    const double pivot = pivot_of(w);
    const double left = w->left[w->local[w->block.rows[0]]];
    double *d = &w->d[w->column[w->block.slots[0]]];
    /* what is more than itself is shortened from there */
    const double most = size_of(w, (size_t)w->block.slots[0]);
    *d = pivot == 0 ? 0 : -left / pivot;
    if (!(fabs(*d) <= most)) *d = copysign(most, *d);
    return DAE_OK;
}

/* The first of the block's slots that changes by `part` of its size. */
static size_t find_changed(const carrying *w, double part)
{
    for (size_t j = 0; j < w->block.slot_count; j++) {
        const size_t k = (size_t)w->block.slots[j];
        if (fabs(w->d[w->column[k]]) > part * size_of(w, k)) return k;
    }
    return w->s->slots;
}

/* Does a part of the change alter the block's rows no more than it is to? */
static dae_status is_as_linear(carrying *w, double part, bool *out)
{
    init_system *s = w->s;
    const subset *b = &w->block;
    *out = true;
    for (size_t j = 0; j < b->slot_count; j++) {
        const size_t k = (size_t)b->slots[j];
        const double to = w->here.z[k] + part * w->d[w->column[k]];
        s->z[k] = fmin(fmax(to, s->low[k]), s->high[k]);
    }
    const dae_status st = unknowns_residual(s, s->z, s->res);
    for (size_t i = 0; i < b->row_count && !st && *out; i++) {
        const size_t row = (size_t)b->rows[i];
        const double by = fabs(s->res[row] - w->here.res[row]);
        *out = by <= 2 * fabs(w->left[w->local[row]]) + w->here.noise[row];
    }
    moment_return(&w->here, s);
    if (st == DAE_RETRY) *out = false;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* A square at its root is steeper beside it: the change is less then. */
static dae_status shorten(carrying *w)
{
    const subset *b = &w->block;
    double part = 1;
    bool is_linear = false;
    dae_status st = DAE_OK;
    for (int k = 0; k < HALVINGS; k++, part /= 2) {
        if ((st = is_as_linear(w, part, &is_linear)) || is_linear) break;
        if ((st = is_as_linear(w, -part, &is_linear)) || is_linear) break;
    }
    for (size_t j = 0; j < b->slot_count && !st; j++)
        w->d[w->column[b->slots[j]]] *= part;
    return st;
}

/* The largest of what is left of the block's rows, in their noise. */
static double worst(const carrying *w)
{
    double most = 0;
    for (size_t i = 0; i < w->block.row_count; i++) {
        const size_t row = (size_t)w->block.rows[i];
        const double noise = fmax(w->here.noise[row], DBL_MIN);
        most = fmax(most, fabs(w->s->res[row]) / noise);
    }
    return most;
}

/* Newton's steps for a block of one; *slot where its value goes on and on. */
static dae_status pursue(carrying *w, size_t *slot)
{
    init_system *s = w->s;
    const size_t row = (size_t)w->block.rows[0];
    const size_t k = (size_t)w->block.slots[0];
    const int32_t j = w->column[k], i = w->local[row];
    dae_status st = DAE_OK;
    double best = worst(w);
    for (int step = 0; step < NEWTON_STEPS && best > 0; step++) {
        submatrix_values(&w->all, s, w->number, w->values);
        double pivot = 0;
        for (int64_t p = w->all.column_start[j]; p < w->all.column_start[j + 1];
             p++)
            if (w->all.row[p] == i) pivot = w->values[p];
        const double to = s->z[k] - s->res[row] / pivot;
        if (pivot == 0 || !(to >= s->low[k] && to <= s->high[k])) break;
        s->z[k] = to;
        if ((st = unknowns_residual(s, s->z, s->res))) break;
        const double now = worst(w);
        if (!(now < LESS * best)) break;
        best = now;
        if (fabs(to - w->here.z[k]) > LARGE * size_of(w, k)) {
            *slot = k;
            break;
        }
        if ((st = unknowns_jacobian(s))) break;
    }
    moment_return(&w->here, s);
    if (st && st != DAE_RETRY) return st;
    if ((st = unknowns_jacobian(s))) return st;
    submatrix_values(&w->all, s, w->number, w->values);
    return DAE_OK;
}

/* Rounding of the block's own rows, which never makes up for what they have
 * got from others. */
static void add_rounding(carrying *w)
{
    for (size_t i = 0; i < w->block.row_count; i++) {
        const size_t row = (size_t)w->block.rows[i];
        double *left = &w->left[w->local[row]];
        const double way = *left != 0 ? *left : splitmix(row) & 1 ? 1 : -1;
        *left += copysign(ROUNDING * w->here.noise[row], way);
    }
}

/* What the later rows get of the block's changes. */
static void carry(carrying *w)
{
    for (size_t q = 0; q < w->block.slot_count; q++) {
        const int32_t j = w->column[w->block.slots[q]];
        for (int64_t p = w->all.column_start[j]; p < w->all.column_start[j + 1];
             p++)
            w->left[w->all.row[p]] += w->values[p] * w->d[j];
    }
}

/* Do earlier values, moved by half of their changes, leave the pivot as it is?
 * One that they decide determines nothing: what stands there of usual size may
 * be right, as the speed of a rod through its end. */
static dae_status is_firm(carrying *w, bool *out)
{
    init_system *s = w->s;
    const size_t own = (size_t)w->column[w->block.slots[0]];
    const double before = pivot_of(w);
    for (size_t j = 0; j < w->all.columns; j++) {
        const size_t k = (size_t)w->all.slot_at[j];
        const double to = j == own ? s->z[k] : s->z[k] + w->d[j] / 2;
        s->z[k] = fmin(fmax(to, s->low[k]), s->high[k]);
    }
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) submatrix_values(&w->all, s, w->number, w->values);
    *out = !st && fabs(pivot_of(w) - before) <= fabs(before) / 2;
    moment_return(&w->here, s);
    if (st && st != DAE_RETRY) return st;
    if ((st = unknowns_jacobian(s))) return st;
    submatrix_values(&w->all, s, w->number, w->values);
    return DAE_OK;
}

static void forget(carrying *w)
{
    for (size_t j = 0; j < w->block.slot_count; j++)
        w->d[w->column[w->block.slots[j]]] = 0;
}

/* A slot of usual size is only given up where its own row is sure of it. */
static dae_status doubt(carrying *w, size_t *slot)
{
    bool is_certain = false;
    dae_status st = DAE_OK;
    const double unit = SMALL * carried_unit(w->s, *slot);
    if (fabs(w->here.z[*slot]) > unit) return DAE_OK;
    if (w->block.row_count == 1) st = is_firm(w, &is_certain);
    if (st || is_certain) return st;
    forget(w);
    *slot = w->s->slots;
    return DAE_OK;
}

/* Is there anything but what the block's own rows round? Where there is not, a
 * value given for all digits is as good as it can be. */
static bool has_left(const carrying *w)
{
    for (size_t i = 0; i < w->block.row_count; i++)
        if (w->left[w->local[w->block.rows[i]]] != 0) return true;
    return false;
}

static dae_status judge_block(carrying *w, size_t *slot)
{
    init_system *s = w->s;
    const bool is_carried = has_left(w);
    add_rounding(w);
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = solve(w);
    arena_release(&s->arena, mark);
    if (st || find_changed(w, SUSPECT) == s->slots) return st;
    if ((st = shorten(w))) return st;
    *slot = find_changed(w, LARGE);
    if (*slot < s->slots && !is_carried) {
        forget(w);
        *slot = s->slots;
        return DAE_OK;
    }
    if (*slot < s->slots) return doubt(w, slot);
    if (w->block.row_count == 1) st = pursue(w, slot);
    return st;
}

static dae_status find(init_system *s, const subset *from, size_t *slot)
{
    carrying w = {.s = s};
    subset well;
    block_order o;
    dae_status st = split_well(&well, s, from);
    if (!st) st = order_init(&o, s, &well);
    if (st || !o.count || (st = carrying_init(&w, &well))) return st;
    for (size_t b = 0; b < o.count && !st && *slot == s->slots; b++) {
        w.block = order_block(&o, b);
        st = judge_block(&w, slot);
        if (!st) carry(&w);
    }
    return st;
}

dae_status carried_find(init_system *s, const submatrix *m, size_t *slot)
{
    *slot = s->slots;
    if (!m->rows || !m->columns) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    subset from = {.rows = ARENA_ARRAY(&s->arena, int32_t, m->rows),
        .slots = ARENA_ARRAY(&s->arena, int32_t, m->columns),
        .row_count = m->rows,
        .slot_count = m->columns};
    dae_status st = DAE_MEMORY;
    if (from.rows && from.slots) {
        memcpy(from.rows, m->row_at, m->rows * sizeof *from.rows);
        memcpy(from.slots, m->slot_at, m->columns * sizeof *from.slots);
        st = find(s, &from, slot);
    }
    arena_release(&s->arena, mark);
    return st == DAE_RETRY ? DAE_OK : st;
}
