/* Numbers have found that some equations, multiplied by factors that vary, add up
 * to one in which some slots (the request's independent ones) do not occur. Let p
 * be the highest derivatives among them. Where each equation is R_i + sum of
 * J_ip p, with J and R free of all p, the factors are a left null vector of J. Of m rows with rank m - 1 it is made of minors:
 * leave out one row after the other of m - 1 columns that are independent. These
 * are found without a division, and so are the same wherever the equations have
 * values; what is left is sum of w_i R_i.
 *
 * J and R come from the equations by putting in numbers for the p: affine is
 * what has the values at several of them that follow from its values at 0 and at
 * the unit vectors. Of all choices of columns the one with the shortest text is
 * taken, without the powers that are in all factors. */
#include "code/formula_varying.h"

#include <math.h>

/* DEPTH: sums in products in sums. */
enum { ROWS = 4, COLUMNS = 8, DEPTH = 3 };

typedef struct matrix {
    uint32_t rows, columns;
    bool is_partial; /* not of all that is to cancel */
    dae_slot pivot[COLUMNS];
    expr_id rest[ROWS], entry[ROWS][COLUMNS];
} matrix;

bool formula_varies(const formula_request *q)
{
    for (size_t k = 0; k < q->term_count; k++)
        if (isnan(q->terms[k].weight)) return true;
    return false;
}

/* ---- rows ------------------------------------------------------------------ */

/* Numbers for slots; NULL: 0. */
typedef struct insertion {
    const formula *f;
    const dae_slot *slots;
    size_t count;
    const double *values;
} insertion;

static expr_id with_number(void *context, algebra *a, expr_id id)
{
    const insertion *in = context;
    const expr *x = algebra_expr(a, id);
    const uint32_t unknown = formula_unknown(in->f->c, x);
    for (size_t k = 0; unknown != NONE && k < in->count; k++) {
        const dae_slot *s = &in->slots[k];
        if ((uint32_t)s->unknown == unknown && s->order == x->order)
            return algebra_number(a, in->values ? in->values[k] : 0);
    }
    return id;
}

static expr_id flat(formula *f, expr_id x)
{
    for (int k = 0; k < DEPTH; k++) x = algebra_flatten(&f->a, x);
    return x;
}

static expr_id value_at(
    formula *f, expr_id x, const matrix *m, const double *values)
{
    insertion in = {f, m->pivot, m->columns, values};
    return flat(f, algebra_replace(&f->a, x, with_number, &in));
}

/* Takes a row apart; false: it is not affine. */
static bool split(formula *f, expr_id x, const matrix *m, expr_id *rest,
    expr_id entry[COLUMNS])
{
    static const double unlike[COLUMNS] = {3, -5, 7, 11, -13, 17, -19, 23};
    algebra *a = &f->a;
    double values[COLUMNS] = {0};
    *rest = value_at(f, x, m, values);
    expr_id left = algebra_add(a, 1, value_at(f, x, m, unlike), -1, *rest);
    for (uint32_t k = 0; k < m->columns; k++) {
        values[k] = 1;
        entry[k] = algebra_add(a, 1, value_at(f, x, m, values), -1, *rest);
        values[k] = 0;
        left = algebra_add(a, 1, left, -unlike[k], entry[k]);
    }
    return !a->st && algebra_is_zero(a, left);
}

static expr_id term_of(formula *f, const dae_term *t)
{
    const sides s = formula_read(f, t->equation);
    const expr_id left = formula_rate(f, s.left, t->order);
    const expr_id right = formula_rate(f, s.right, t->order);
    return algebra_add(&f->a, 1, left, -1, right);
}

/* Whether terms before it are the same derivative of the same equation. */
static bool is_repeated(const formula_request *q, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (q->terms[i].equation == q->terms[k].equation
            && q->terms[i].order == q->terms[k].order)
            return true;
    return false;
}

/* A row for each term whose factor is not known, and one of the others. */
static bool read_rows(formula *f, expr_id row[ROWS], uint32_t *rows)
{
    const formula_request *q = f->q;
    expr_id known = algebra_number(&f->a, 0);
    *rows = 0;
    for (size_t k = 0; k < q->term_count; k++) {
        const dae_term *t = &q->terms[k];
        if (is_repeated(q, k)) return false;
        const expr_id x = term_of(f, t);
        if (!isnan(t->weight))
            known = algebra_add(&f->a, 1, known, t->weight, x);
        else if (*rows + 1 < ROWS) row[(*rows)++] = x;
        else return false;
    }
    row[(*rows)++] = known;
    return !f->is_cut && !f->a.st;
}

static bool is_highest(const formula_request *q, const dae_slot *s)
{
    for (size_t k = 0; k < q->independent_count; k++)
        if (q->independent[k].unknown == s->unknown
            && q->independent[k].order > s->order)
            return false;
    return true;
}

/* Of what is to cancel the highest of each unknown, from derivative `least` on. */
static bool take_pivots(const formula_request *q, int least, matrix *m)
{
    m->columns = 0;
    for (size_t k = 0; k < q->independent_count; k++) {
        const dae_slot *s = &q->independent[k];
        if (s->order < least || !is_highest(q, s)) continue;
        if (m->columns == COLUMNS) return false;
        m->pivot[m->columns++] = *s;
    }
    return true;
}

static bool split_all(formula *f, const expr_id row[ROWS], matrix *m)
{
    for (uint32_t i = 0; i < m->rows; i++)
        if (!split(f, row[i], m, &m->rest[i], m->entry[i])) return false;
    return true;
}

/* Those in which all rows are affine. */
static bool keep_affine(formula *f, const expr_id row[ROWS], matrix *m)
{
    matrix one = {.rows = m->rows, .columns = 1};
    uint32_t kept = 0;
    for (uint32_t k = 0; k < m->columns && !f->a.st; k++) {
        one.pivot[0] = m->pivot[k];
        if (split_all(f, row, &one)) m->pivot[kept++] = m->pivot[k];
    }
    m->columns = kept;
    m->is_partial = true;
    return kept > 0;
}

static bool make_matrix(formula *f, matrix *m)
{
    expr_id row[ROWS];
    if (!read_rows(f, row, &m->rows)) return false;
    for (int least = 0; least <= 1; least++) {
        const bool is_affine = take_pivots(f->q, least, m)
            && split_all(f, row, m);
        if (is_affine || f->a.st) return is_affine;
    }
    return take_pivots(f->q, 0, m) && keep_affine(f, row, m)
        && split_all(f, row, m);
}

/* ---- factors --------------------------------------------------------------- */

/* a*d - b*c. */
static expr_id cross(algebra *a, expr_id w, expr_id x, expr_id y, expr_id z)
{
    return algebra_add(
        a, 1, algebra_expand(a, w, z), -1, algebra_expand(a, x, y));
}

/* The determinant of `n` columns of all rows but one. */
static expr_id minor(
    algebra *a, const matrix *m, const uint32_t *column, uint32_t without)
{
    const expr_id *r[ROWS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->rows; i++)
        if (i != without) r[n++] = m->entry[i];
    const uint32_t p = column[0], q = column[1], s = column[2];
    if (n == 1) return r[0][p];
    if (n == 2) return cross(a, r[0][p], r[0][q], r[1][p], r[1][q]);
    expr_id sum = algebra_number(a, 0);
    const uint32_t turn[3][3] = {{p, q, s}, {q, s, p}, {s, p, q}};
    for (int k = 0; k < 3; k++) {
        const uint32_t *c = turn[k];
        const expr_id two = cross(
            a, r[1][c[1]], r[1][c[2]], r[2][c[1]], r[2][c[2]]);
        sum = algebra_add(a, 1, sum, 1, algebra_expand(a, r[0][c[0]], two));
    }
    return sum;
}

/* The power of `base` in each term of x, at least; 0 where one has none. */
static int32_t power_in(const algebra *a, expr_id x, expr_id base)
{
    const expr *e = algebra_expr(a, x);
    int32_t least = INT32_MAX;
    if (x == base) return 1;
    if (e->op != EXPR_SUM) return 0;
    for (uint32_t k = 0; k < e->count; k++) {
        int32_t power = 0;
        for (uint32_t i = 0; i < e->terms[k].count; i++)
            if (e->terms[k].factors[i].base == base)
                power = e->terms[k].factors[i].exponent;
        if (power < least) least = power;
    }
    return least;
}

/* x times a power of `base` that is in each of its terms. */
static expr_id times_power(algebra *a, expr_id x, expr_id base, int32_t power)
{
    return algebra_expand(a, x, algebra_power(a, base, power));
}

/* Takes what all factors have in common out of them. */
static void reduce(algebra *a, expr_id *weight, uint32_t rows)
{
    uint32_t at = 0;
    while (at < rows && algebra_is_zero(a, weight[at])) at++;
    if (at == rows || a->st) return;
    const expr first = *algebra_expr(a, weight[at]);
    const uint32_t count = first.op != EXPR_SUM ? 1
        : first.count > 0                       ? first.terms[0].count
                                                : 0;
    for (uint32_t k = 0; k < count && !a->st; k++) {
        const expr_id base = first.op != EXPR_SUM
            ? weight[at]
            : first.terms[0].factors[k].base;
        int32_t least = INT32_MAX;
        for (uint32_t i = 0; i < rows; i++) {
            if (algebra_is_zero(a, weight[i])) continue;
            const int32_t power = power_in(a, weight[i], base);
            if (power < least) least = power;
        }
        for (uint32_t i = 0; i < rows && least != 0; i++)
            weight[i] = times_power(a, weight[i], base, -least);
    }
}

/* ---- the sum --------------------------------------------------------------- */

/* What else is to cancel does so whatever it is, so it may be 0; where rows
 * depend on it in other ways that has to be seen. */
static expr_id without_others(formula *f, const matrix *m, expr_id x)
{
    insertion in = {f, f->q->independent, f->q->independent_count, NULL};
    const expr_id all = flat(f, x);
    const expr_id left = flat(f, algebra_replace(&f->a, all, with_number, &in));
    return m->is_partial && left != all ? EXPR_NONE : left;
}

static expr_id sum_with(formula *f, const matrix *m, const uint32_t *column)
{
    algebra *a = &f->a;
    expr_id weight[ROWS], sum = algebra_number(a, 0);
    for (uint32_t i = 0; i < m->rows && !a->st; i++) {
        const expr_id w = minor(a, m, column, i);
        /* the last row with a plus */
        const double sign = (m->rows - 1 - i) % 2 ? -1 : 1;
        weight[i] = algebra_add(a, sign, w, 0, w);
    }
    /* the combination is one of all rows, or it would have fewer */
    for (uint32_t i = 0; i < m->rows && !a->st; i++)
        if (algebra_is_zero(a, weight[i])) return EXPR_NONE;
    if (!a->st) reduce(a, weight, m->rows);
    for (uint32_t i = 0; i < m->rows && !a->st; i++)
        sum = algebra_add(
            a, 1, sum, 1, algebra_expand(a, weight[i], m->rest[i]));
    if (!a->st) sum = without_others(f, m, sum);
    return a->st ? EXPR_NONE : sum;
}

static int count_bytes(void *context, const char *text, size_t length)
{
    (void)text;
    *(size_t *)context += length;
    return 0;
}

static dae_status count_leaf(void *context, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *write_context)
{
    (void)context, (void)kind, (void)number, (void)order;
    return write(write_context, "x", 1) ? DAE_IO : DAE_OK;
}

static size_t length_of(formula *f, expr_id x)
{
    size_t length = 0;
    const dae_status st = algebra_print(
        &f->a, x, 0, count_leaf, NULL, count_bytes, &length);
    return st ? SIZE_MAX : length;
}

/* The next choice of `n` of `count` columns, ascending; false: there is none. */
static bool advance(uint32_t *column, uint32_t n, uint32_t count)
{
    uint32_t k = n;
    while (k > 0 && column[k - 1] == count - n + k - 1) k--;
    if (k == 0) return false;
    column[k - 1]++;
    for (; k < n; k++) column[k] = column[k - 1] + 1;
    return true;
}

static expr_id find_shortest(formula *f, const matrix *m)
{
    const uint32_t n = m->rows - 1;
    uint32_t column[ROWS] = {0, 1, 2};
    expr_id best = EXPR_NONE;
    size_t least = SIZE_MAX;
    if (n > m->columns) return EXPR_NONE;
    do {
        const expr_id sum = sum_with(f, m, column);
        if (f->a.st) break;
        if (sum == EXPR_NONE || algebra_is_zero(&f->a, sum)) continue;
        const size_t length = length_of(f, sum);
        if (length < least) best = sum;
        if (length < least) least = length;
    } while (advance(column, n, m->columns));
    return best;
}

sides formula_varying(formula *f)
{
    matrix m = {0};
    expr_id sum = EXPR_NONE;
    if (make_matrix(f, &m)) sum = find_shortest(f, &m);
    if (sum == EXPR_NONE) algebra_fail(&f->a, DAE_UNSUPPORTED);
    return (sides){formula_rate(f, sum, f->q->order), algebra_number(&f->a, 0)};
}
