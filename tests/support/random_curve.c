/* Solutions of the systems of random_dae.h as power series: the parts are
 * solved by inserting, which adds a coefficient each time, then the change of
 * variables is undone step by step. */
#include "random_maker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Puts the series `given` of z_j^(order) in; true: something changed. */
static bool insert(const maker *m, bool is_exact, int length, int j,
    const scalar *given, scalar *z)
{
    bool is_new = false;
    int order = m->order[j];
    for (int k = 0; k + order < length; k++) {
        scalar c = given[k];
        for (int i = k + 1; i <= k + order; i++)
            c = scalar_mul(
                is_exact, c, scalar_inverse(is_exact, scalar_of(is_exact, i)));
        if (memcmp(&z[k + order], &c, sizeof c) != 0) is_new = true;
        z[k + order] = c;
    }
    return is_new;
}

/* Along curves with `length` coefficients apart. */
static bool solve_parts(
    const maker *m, term_series *e, const scalar *initial, scalar *z)
{
    int length = e->length;
    memset(z, 0, (size_t)(m->n * length) * sizeof *z);
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k < m->order[j]; k++)
            z[j * length + k] = initial[2 * j + k];
    term_series_need(e, m->right, m->n);
    bool is_new = true;
    for (int sweep = 0; is_new && sweep < 500; sweep++) {
        is_new = false;
        term_series_evaluate(e, z);
        for (int j = 0; j < m->n; j++)
            if (insert(m, e->is_exact, length, j,
                    e->value + m->right[j] * length, z + j * length))
                is_new = true;
    }
    return !is_new;
}

static void undo_changes(const maker *m, term_series *e, scalar *x)
{
    int length = e->length;
    bool is_exact = e->is_exact;
    for (int k = m->step_count - 1; k >= 0; k--) {
        const maker_step *step = &m->steps[k];
        scalar per = scalar_inverse(is_exact, scalar_of(is_exact, step->scale));
        scalar minus = scalar_of(is_exact, -1);
        term_series_need(e, &step->term, 1);
        term_series_evaluate(e, x);
        for (int i = 0; i < length; i++) {
            scalar *to = &x[step->to * length + i];
            scalar less = e->value[step->term * length + i];
            *to = scalar_add(is_exact, *to, scalar_mul(is_exact, less, minus));
            *to = scalar_mul(is_exact, *to, per);
        }
    }
}

static bool spread(
    const maker *m, bool is_exact, int length, const scalar *from, scalar *to)
{
    bool is_usable = true;
    memset(to, 0, (size_t)m->n * TERMS_LENGTH * sizeof *to);
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k < length; k++) {
            scalar c = from[j * length + k];
            if (!is_exact && k < 4 && !(fabs(c.real) < 50)) is_usable = false;
            to[j * TERMS_LENGTH + k] = c;
        }
    return is_usable;
}

bool maker_solve(const maker *m, bool is_exact, int length, scalar t0,
    const scalar *initial, scalar *z, scalar *x)
{
    term_series e;
    scalar curve[MAKER_UNKNOWNS * TERMS_LENGTH];
    bool is_solved = false;
    if (term_series_create(&e, &m->s, is_exact, length, t0)) {
        is_solved = solve_parts(m, &e, initial, curve)
            && spread(m, is_exact, length, curve, z);
        if (is_solved) {
            undo_changes(m, &e, curve);
            is_solved = spread(m, is_exact, length, curve, x);
        }
    }
    term_series_free(&e);
    return is_solved;
}
