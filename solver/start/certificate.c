/* The certificate of a start that was found: missing and redundant conditions,
 * by ranks at the solution; in a run, or where these would take too much work,
 * by the pattern and, unless the solution is regular, the rank of the Jacobian. */
#include "start/certificate.h"
#include "linalg/naming.h"
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
#include <string.h>

/* ---- by the pattern --------------------------------------------------------------- */

/* Which rows determine which slots, on integers alone. Rows are first matched
 * to highest derivatives; such a row leaves the states free. Rows of the
 * overdetermined part of this matching (and rows without derivatives) are
 * constraints, which are matched to states. */
typedef struct split {
    subset over;      /* constraints: more rows than slots */
    subset under;     /* fewer: states here keep near their guesses */
    subset checks;    /* rows without a free slot */
    subset untouched; /* free states in no constraint */
    size_t missing;   /* states that nothing determines */
} split;

/* Rows that have a free slot against free highest derivatives; the others
 * are checks. */
static dae_status split_rates(split *sp, init_system *s, subset *states)
{
    subset active;
    coarse c;
    uint8_t *mark = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!mark || subset_init(&active, s, s->rows, s->slots)
        || subset_init(&sp->checks, s, s->rows, 0))
        return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) (void)rows_mark(s, k, NULL, mark);
    for (size_t i = 0; i < s->rows; i++) {
        subset *to = mark[i] ? &active : &sp->checks;
        to->rows[to->row_count++] = (int32_t)i;
    }
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k] && s->is_rate[k])
            active.slots[active.slot_count++] = (int32_t)k;
    const dae_status st = coarse_init(&c, s, &active);
    *states = c.over;
    return st;
}

/* The constraints against the free states in them and their derivatives. */
static dae_status split_states(split *sp, init_system *s, const subset *states)
{
    subset all;
    coarse c;
    uint8_t *mark = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    uint8_t *is_left = ARENA_ARRAY(&s->arena, uint8_t, s->slots);
    if (!mark || !is_left || subset_init(&all, s, states->row_count, s->slots)
        || subset_init(&sp->untouched, s, 0, s->states))
        return DAE_MEMORY;
    for (size_t i = 0; i < states->row_count; i++) {
        all.rows[all.row_count++] = states->rows[i];
        mark[states->rows[i]] = 1;
    }
    for (size_t j = 0; j < states->slot_count; j++)
        is_left[states->slots[j]] = 1;
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || (s->is_rate[k] && !is_left[k])) continue;
        const bool is_in = is_left[k] || unknowns_is_in(s, k, mark);
        subset *to = is_in ? &all : &sp->untouched;
        to->slots[to->slot_count++] = (int32_t)k;
    }
    const dae_status st = coarse_init(&c, s, &all);
    sp->over = c.over;
    sp->under = c.under;
    sp->missing = sp->untouched.slot_count + all.slot_count - c.rank;
    return st;
}

static dae_status split_init(split *sp, init_system *s)
{
    subset states;
    *sp = (split){0};
    const dae_status st = split_rates(sp, s, &states);
    return st ? st : split_states(sp, s, &states);
}

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

static void mark_open(
    const double *v, size_t columns, double zero, uint8_t *is_open)
{
    double most = 0;
    for (size_t j = 0; j < columns; j++) most = fmax(most, fabs(v[j]));
    for (size_t j = 0; j < columns; j++)
        if (fabs(v[j]) > null_zero(zero) * most) is_open[j] = 1;
}

static dae_status rank_dense(init_system *s, const submatrix *m,
    const double *values, size_t *rank, uint8_t *is_open)
{
    rrqr f;
    arena *a = &s->arena;
    const matrix_view all = view_of(m, values);
    double *row, *column, *v = ARENA_ARRAY(a, double, m->columns);
    if (!v || !rrqr_init(&f, a, m->rows, m->columns)
        || !find_scales(a, &all, &row, &column))
        return DAE_MEMORY;
    scale_to_dense(&all, row, column, f.a);
    rrqr_factor(&f, zero_of(s, m));
    *rank = f.rank;
    if (!is_open) return DAE_OK;
    rrqr_complete(&f);
    for (size_t k = 0; k < m->columns - f.rank; k++) {
        rrqr_null_vector(&f, k, v);
        mark_open(v, m->columns, zero_of(s, m), is_open);
    }
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
 * up to DENSE_CELLS_MOST, by linalg/wide_matrix.h above. `is_open` (columns)
 * may be NULL: set where the null space moves the column's slot, as the rows do
 * not determine it. DAE_LIMIT, DAE_NUMERIC: not known. */
static dae_status rank_numeric(
    init_system *s, const submatrix *m, size_t *rank, uint8_t *is_open)
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
        st = is_small ? rank_dense(s, m, values, rank, is_open)
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
    split split;
    subset all; /* rows with a free slot, and free slots */
} account;

/* The rank was too much work, or not to be relied upon. */
static bool is_unknown(dae_status st)
{
    return st == DAE_LIMIT || st == DAE_NUMERIC;
}

/* A derivative that follows from those below it: where it stays open, no
 * condition is missing. */
static bool is_inner(const init_system *s, size_t slot)
{
    const uint8_t *inner = s->request->is_inner;
    return inner ? inner[slot] != 0 : slot >= s->states;
}

/* By ranks: the number of missing conditions is the dimension of the null space
 * of the Jacobian, less that of its part in inner slots. `open` gets the states
 * that the null space moves. */
static dae_status count_by_rank(const account *a, size_t *missing,
    int64_t *redundant, subset *open, bool *is_known)
{
    init_system *s = a->s;
    const subset all = a->all;
    submatrix m;
    size_t rank, inner_rank, inner_count = 0;
    dae_status st;
    /* of a large part the count alone: each null vector is a solution */
    size_t cells;
    const bool is_small = size_mul(all.row_count, all.slot_count, &cells)
        && cells <= DENSE_CELLS_MOST;
    *is_known = false;
    uint8_t *is_open = ARENA_ARRAY(&s->arena, uint8_t, all.slot_count);
    int32_t *inner = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    open->slots = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    if (!is_open || !inner || !open->slots) return DAE_MEMORY;
    for (size_t k = 0; k < all.slot_count; k++)
        if (is_inner(s, (size_t)all.slots[k]))
            inner[inner_count++] = all.slots[k];
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots, all.slot_count))
        || (st = rank_numeric(s, &m, &rank, is_small ? is_open : NULL)))
        return is_unknown(st) ? DAE_OK : st;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, inner, inner_count))
        || (st = rank_numeric(s, &m, &inner_rank, NULL)))
        return is_unknown(st) ? DAE_OK : st;
    assert(inner_rank <= inner_count && rank <= all.slot_count);
    /* ranks that contradict each other say nothing */
    if (rank > inner_rank + (all.slot_count - inner_count)) return DAE_OK;
    for (size_t j = 0; j < all.slot_count; j++)
        if (is_open[j] && (size_t)all.slots[j] < s->states)
            open->slots[open->slot_count++] = all.slots[j];
    *missing = (all.slot_count - rank) - (inner_count - inner_rank);
    *redundant = (int64_t)(all.row_count - rank);
    *is_known = true;
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

static void fill_report(const account *a, int64_t missing, int64_t redundant,
    dae_start_report *report)
{
    const init_system *s = a->s;
    init_findings *f = s->request->findings;
    if (f && !f->is_by_rank) {
        f->missing = (size_t)missing;
        f->redundant_count = (size_t)(redundant > 0 ? redundant : 0);
    }
    if (!report) return;
    *report = (dae_start_report){.conditions = count_given(s),
        .degrees_missing = missing,
        .redundant = redundant,
        .iterations = a->found->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, tolerance_ratio(s, i));
}

/* The first algebraic unknown of a part; SIZE_MAX: none. */
static size_t find_algebraic(const init_system *s, const subset *p)
{
    for (size_t k = 0; k < p->slot_count; k++) {
        int own;
        const size_t slot = (size_t)p->slots[k];
        const size_t j = naming_unknown(s->request->layout, slot, &own);
        if (s->request->layout->order[j] == 0) return slot;
    }
    return SIZE_MAX;
}

/* Rows whose values are all given, and states that stand in for missing
 * conditions: those that structure leaves open, or where it leaves none, `open`
 * by the numbers. */
static dae_status list_findings(const account *a, const subset *open)
{
    init_findings *f = a->s->request->findings;
    const subset *under = &a->split.under;
    const subset *untouched = &a->split.untouched;
    const subset *parts[] = {under, untouched, open};
    const bool is_any = under->slot_count + untouched->slot_count > 0;
    const size_t first = is_any ? 0 : 2, end = is_any ? 2 : 3;
    size_t count = 0;
    if (!f) return DAE_OK;
    for (size_t p = first; p < end; p++) count += parts[p]->slot_count;
    int32_t *list = ARENA_ARRAY(&f->arena, int32_t, count + 1);
    if (!list) return DAE_MEMORY;
    f->open = list;
    f->open_count = 0;
    for (size_t p = first; p < end; p++)
        for (size_t k = 0; k < parts[p]->slot_count; k++)
            if ((size_t)parts[p]->slots[k] < a->s->states)
                list[f->open_count++] = parts[p]->slots[k];
    f->suspect = find_algebraic(a->s, is_any ? untouched : open);
    f->check_count = a->split.checks.row_count;
    return record_slots(a->s, a->split.checks.rows, f->check_count, &f->checks);
}

/* Rows with a free slot, and the free slots. */
static dae_status take_all(account *a)
{
    init_system *s = a->s;
    uint8_t *is_check = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    a->all = (subset){.rows = ARENA_ARRAY(&s->arena, int32_t, s->rows),
        .slots = ARENA_ARRAY(&s->arena, int32_t, s->slots)};
    if (!is_check || !a->all.rows || !a->all.slots) return DAE_MEMORY;
    for (size_t k = 0; k < a->split.checks.row_count; k++)
        is_check[a->split.checks.rows[k]] = 1;
    for (size_t i = 0; i < s->rows; i++)
        if (!is_check[i]) a->all.rows[a->all.row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) a->all.slots[a->all.slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* By the pattern; by ranks of the Jacobian if the solution is not regular. */
static dae_status account_by_pattern(account *a, dae_start_report *report)
{
    init_system *s = a->s;
    dae_status st = split_init(&a->split, s);
    if (!st) st = take_all(a);
    if (st) return st;
    const subset *over = &a->split.over;
    size_t missing = a->split.missing;
    int64_t redundant = (int64_t)(over->row_count - over->slot_count);
    subset open = {0};
    bool is_known = a->found->is_regular;
    init_findings *f = s->request->findings;
    assert(!is_known || (missing == 0 && redundant == 0));
    if (!is_known
        && (st = count_by_rank(a, &missing, &redundant, &open, &is_known)))
        return st;
    /* a pattern cannot tell which of the open slots are inner ones */
    if (!is_known && missing > 0 && f && s->request->is_inner) {
        f->is_uncounted = true;
        missing = 0;
    }
    missing = bounded(s, missing);
    redundant += (int64_t)a->split.checks.row_count;
    if ((st = list_findings(a, &open))) return st;
    fill_report(a, (int64_t)missing, redundant, report);
    return DAE_OK;
}

dae_status certificate_make(
    init_system *s, const solution *found, dae_start_report *report)
{
    account a = {.s = s, .found = found};
    init_findings *f = s->request->findings;
    bool is_done = found->is_regular && !found->checks;
    if (is_done && f) f->is_by_rank = true;
    const dae_status st = is_done ? DAE_OK : account_findings(s, &is_done);
    if (st) return st;
    if (!is_done) return account_by_pattern(&a, report);
    fill_report(&a, f ? (int64_t)f->missing : 0,
        f ? (int64_t)f->redundant_count : 0, report);
    return DAE_OK;
}
