/* The certificate of a start that was found: missing and redundant conditions. None
 * where the solution is regular; else by start/condition_account.h, or in a run, or
 * where that would take too much work, by ranks of the Jacobian alone. */
#include "start/certificate.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include "linalg/wide_matrix.h"
#include "start/block_order.h"
#include "start/condition_account.h"
#include "start/record_findings.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>

/* ---- by rank ------------------------------------------------------------------------ */

static double zero_of(const init_system *s, const submatrix *m)
{
    const size_t longer = m->rows > m->columns ? m->rows : m->columns;
    return rank_zero_of(longer, s->fuzz);
}

/* The factors that scale a matrix; false: no memory. */
static bool find_scales(
    arena *a, const matrix_view *m, double **row, double **column)
{
    *row = ARENA_ARRAY(a, double, m->rows);
    *column = ARENA_ARRAY(a, double, m->columns);
    if (!*row || !*column) return false;
    scale_rows(m, NULL, *row);
    scale_columns(m, *row, *column);
    return true;
}

static matrix_view view_of(const submatrix *m, const double *values)
{
    return (matrix_view){m->rows, m->columns, m->column_start, m->row, values};
}

static dae_status rank_dense(
    init_system *s, const submatrix *m, const double *values, size_t *rank)
{
    rrqr f;
    arena *a = &s->arena;
    const matrix_view all = view_of(m, values);
    double *row, *column;
    if (!rrqr_init(&f, a, m->rows, m->columns)
        || !find_scales(a, &all, &row, &column))
        return DAE_MEMORY;
    scale_to_dense(&all, row, column, f.a);
    rrqr_factor(&f, zero_of(s, m));
    *rank = f.rank;
    return DAE_OK;
}

static dae_status rank_sparse(
    init_system *s, const submatrix *m, double *values, size_t *rank)
{
    const matrix_view all = view_of(m, values);
    double *row, *column;
    if (!find_scales(&s->arena, &all, &row, &column)) return DAE_MEMORY;
    scale_by(&all, row, column, values);
    return sparse_rank(&all, zero_of(s, m), s->request->allocator, rank);
}

/* Rank of `m` at the last Jacobian, rows and columns scaled: by linalg/rank_revealing_qr.h
 * up to DENSE_CELLS_MOST, by linalg/wide_matrix.h above. DAE_LIMIT, DAE_NUMERIC: not
 * known. */
static dae_status rank_numeric(init_system *s, const submatrix *m, size_t *rank)
{
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = DAE_MEMORY;
    size_t cells;
    *rank = 0;
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    if (values) {
        submatrix_values(m, s, values);
        const bool is_small = size_mul(m->rows, m->columns, &cells)
            && cells <= DENSE_CELLS_MOST;
        st = is_small ? rank_dense(s, m, values, rank)
                      : rank_sparse(s, m, values, rank);
    }
    arena_release(&s->arena, mark);
    return st;
}

/* ---- the count ------------------------------------------------------------- */

/* The start whose conditions are counted. */
typedef struct account {
    init_system *s;
    const solution *found;
    subset all;    /* rows with a free slot, and free slots */
    subset checks; /* rows without one */
    bool is_known; /* ranks are those of the numbers */
    size_t missing, redundant;
} account;

/* A derivative that follows from those below it: where it stays open, no
 * condition is missing. */
static bool is_inner(const init_system *s, size_t slot)
{
    const uint8_t *inner = s->request->is_inner;
    return inner ? inner[slot] != 0 : slot >= s->states;
}

static dae_status take_all(account *a)
{
    init_system *s = a->s;
    uint8_t *is_met = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!is_met || subset_init(&a->all, s, s->rows, s->slots)
        || subset_init(&a->checks, s, s->rows, 0))
        return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k]) continue;
        (void)rows_mark(s, k, NULL, is_met);
        a->all.slots[a->all.slot_count++] = (int32_t)k;
    }
    for (size_t i = 0; i < s->rows; i++) {
        subset *to = is_met[i] ? &a->all : &a->checks;
        to->rows[to->row_count++] = (int32_t)i;
    }
    return DAE_OK;
}

/* Of all rows in some slots: by the numbers, or by the pattern, which bounds it. */
static dae_status find_rank(account *a, const subset *of, size_t *rank)
{
    submatrix m;
    coarse c;
    dae_status st;
    if (!a->is_known) {
        st = coarse_init(&c, a->s, of);
        *rank = c.rank;
        return st;
    }
    st = submatrix_init(
        &m, a->s, of->rows, of->row_count, of->slots, of->slot_count);
    if (!st) st = rank_numeric(a->s, &m, rank);
    if (st != DAE_LIMIT && st != DAE_NUMERIC) return st;
    a->is_known = false;
    return DAE_OK;
}

static dae_status find_ranks(
    account *a, const subset *inner, size_t *rank, size_t *inner_rank)
{
    const dae_status st = find_rank(a, &a->all, rank);
    return st ? st : find_rank(a, inner, inner_rank);
}

/* The number of missing conditions is the dimension of the null space of the
 * Jacobian, less that of its part in inner slots. */
static dae_status count_by_rank(account *a)
{
    init_system *s = a->s;
    subset inner = a->all;
    size_t rank, inner_rank;
    dae_status st;
    inner.slot_count = 0;
    inner.slots = ARENA_ARRAY(&s->arena, int32_t, a->all.slot_count);
    if (!inner.slots) return DAE_MEMORY;
    for (size_t k = 0; k < a->all.slot_count; k++)
        if (is_inner(s, (size_t)a->all.slots[k]))
            inner.slots[inner.slot_count++] = a->all.slots[k];
    a->is_known = true;
    if ((st = find_ranks(a, &inner, &rank, &inner_rank))) return st;
    /* ranks that contradict each other say nothing */
    if (rank > inner_rank + (a->all.slot_count - inner.slot_count))
        a->is_known = false;
    if (!a->is_known && (st = find_ranks(a, &inner, &rank, &inner_rank)))
        return st;
    assert(inner_rank <= inner.slot_count && rank <= a->all.slot_count);
    const size_t open = a->all.slot_count - rank;
    const size_t open_inner = inner.slot_count - inner_rank;
    assert(open >= open_inner);
    a->missing = open - open_inner;
    a->redundant = a->all.row_count - rank;
    return DAE_OK;
}

static int64_t count_given(const init_system *s)
{
    const init_request *r = s->request;
    int64_t count = (int64_t)(s->rows - s->equations);
    for (size_t k = 0; k < s->states; k++) count += r->x_fixed[k] != 0;
    for (size_t j = 0; j < s->n; j++)
        count += r->layout->order[j] > 0 && r->xp_fixed[j];
    return count;
}

/* If constraints may have been missed: at most as many as degrees of freedom. */
static size_t bounded(const init_system *s, size_t missing)
{
    const init_request *r = s->request;
    return r->is_count_bound && missing > r->freedom ? r->freedom : missing;
}

/* By rank where that is possible. */
static dae_status account_findings(init_system *s, bool *is_done)
{
    init_findings *f = s->request->findings;
    *is_done = false;
    if (!f || !s->request->is_thorough) return DAE_OK;
    dae_status st = count_conditions(s, f);
    *is_done = f->is_by_rank;
    if (!st && *is_done) f->missing = bounded(s, f->missing);
    return st;
}

static void fill_report(const account *a, size_t missing, size_t redundant,
    dae_start_report *report)
{
    const init_system *s = a->s;
    if (!report) return;
    *report = (dae_start_report){.conditions = count_given(s),
        .degrees_missing = (int64_t)missing,
        .redundant = (int64_t)redundant,
        .iterations = a->found->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, tolerance_ratio(s, i));
}

/* Rows whose values are all given, and states that the pattern leaves open. */
static dae_status list_findings(const account *a, init_findings *f)
{
    coarse c;
    init_system *s = a->s;
    const dae_status st = coarse_init(&c, s, &a->all);
    if (st) return st;
    int32_t *list = ARENA_ARRAY(&f->arena, int32_t, c.under.slot_count + 1);
    if (!list) return DAE_MEMORY;
    f->open = list;
    f->open_count = 0;
    for (size_t k = 0; k < c.under.slot_count; k++)
        if ((size_t)c.under.slots[k] < s->states)
            list[f->open_count++] = c.under.slots[k];
    f->check_count = a->checks.row_count;
    return record_slots(s, a->checks.rows, f->check_count, &f->checks);
}

static dae_status fill_findings(account *a, init_findings *f)
{
    /* a pattern cannot tell which of the open slots are inner ones */
    if (!a->is_known && a->missing > 0 && a->s->request->is_inner) {
        f->is_uncounted = true;
        a->missing = 0;
    }
    f->missing = a->missing;
    f->redundant_count = a->redundant;
    return list_findings(a, f);
}

/* By ranks, if the solution is not regular. */
static dae_status count_all(account *a, dae_start_report *report)
{
    init_findings *f = a->s->request->findings;
    dae_status st = take_all(a);
    if (!st && !a->found->is_regular) st = count_by_rank(a);
    if (st) return st;
    a->missing = bounded(a->s, a->missing);
    a->redundant += a->checks.row_count;
    if (f && (st = fill_findings(a, f))) return st;
    fill_report(a, a->missing, a->redundant, report);
    return DAE_OK;
}

dae_status certificate_make(
    init_system *s, const solution *found, dae_start_report *report)
{
    account a = {.s = s, .found = found, .is_known = true};
    init_findings *f = s->request->findings;
    bool is_done = found->is_regular && !found->checks;
    if (is_done && f) f->is_by_rank = true;
    const dae_status st = is_done ? DAE_OK : account_findings(s, &is_done);
    if (st) return st;
    if (!is_done) return count_all(&a, report);
    fill_report(&a, f ? f->missing : 0, f ? f->redundant_count : 0, report);
    return DAE_OK;
}
