/* Rows whose partial derivatives depend everywhere are functions of each other:
 * the last is one of the rest. What their sum with weights that vary is at a point
 * where nothing holds says nothing of that function where the rest is 0, as
 * y = x^2 + 1 shows beside x = 0, y = 1. So points on the rest are looked for, and
 * the last row is asked there. */
#include "index/rest.h"

#include "index/manifold.h"
#include <math.h>

/* Points to begin from, and how many of them have to tell; rows that are asked,
 * since what is left without one of them may contradict itself. */
enum { TRIES = 6, ENOUGH = 2, ROWS = 4 };
/* Of the terms of the row: what rounding may leave of 0, and how much more than
 * the error of the point. */
static const double LEFT = 1e-8, MORE = 100;

/* The level's point, at which the rest holds. */
static dae_status misses(level *v, size_t row, bool *is_missed)
{
    const dae_problem *p = &v->e->problem;
    const dae_pattern *s = p->pattern;
    double size = 0;
    dae_status st = p->residual(p->self, v->t, v->z, NULL, v->residual);
    if (!st) st = p->jacobian(p->self, DAE_ALL, v->t, v->z, NULL, v->values);
    for (size_t k = 0; k < v->columns && !st; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            if ((size_t)s->row[e] == row)
                size += fabs(v->values[e]) * fmax(v->size[k], fabs(v->z[k]));
    const double least = fmax(LEFT, MORE * v->error) * size;
    *is_missed = !st && fabs(v->residual[row]) > least;
    return st;
}

/* One point; *has_told: the rest holds at it. */
static dae_status ask(level *v, size_t row, unsigned number,
    const array_findings *f, bool *has_told, bool *is_missed)
{
    bool is_found = false;
    dae_status st = dependency_evaluate_anywhere(v, number, has_told);
    if (st || !*has_told) return st;
    v->left_out = row + 1;
    st = manifold_reach(v, false, &is_found);
    v->left_out = 0;
    *has_told = !st && is_found && !level_has_grown(v, f);
    if (*has_told) st = misses(v, row, is_missed);
    if (!st && *has_told && *is_missed) {
        st = manifold_reach(v, false, &is_found);
        /* values beyond measure conceal what is left */
        *is_missed = !is_found || level_has_grown(v, f);
    }
    if (st == DAE_RETRY) *has_told = false;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* *is_missed: false once all rows hold somewhere. *told: points at which the row
 * misses. */
static dae_status ask_row(
    level *v, size_t row, const array_findings *f, bool *is_missed, int *told)
{
    dae_status st = DAE_OK;
    *told = 0;
    for (unsigned k = 0; k < TRIES && *is_missed && !st; k++) {
        bool has_told = false;
        st = ask(v, row, k, f, &has_told, is_missed);
        *told += has_told;
    }
    return st;
}

dae_status rest_contradicts(
    const level *v, const dependency *d, const array_findings *f, bool *is_so)
{
    level other = {0};
    const size_t last = dependency_last(v, d);
    int told = 0, asked = 1;
    bool is_missed = true;
    dae_status st = level_open(&other, v->w, v->differentiated);
    if (!st) st = ask_row(&other, last, f, &is_missed, &told);
    for (size_t r = d->rows; r-- > 0 && asked < ROWS && told < ENOUGH;) {
        if (st || !is_missed) break;
        if (r == last || d->weight[r] == 0) continue;
        st = ask_row(&other, r, f, &is_missed, &told);
        asked++;
    }
    *is_so = !st && is_missed && told >= ENOUGH;
    level_close(&other);
    return st;
}
