#include "signatures.h"
#include <math.h>
#include <stdlib.h>

/* ---- made of entries ---------------------------------------------------------- */

bool signature_make(made_signature *m, size_t rows, size_t columns,
    const signature_entry *entries, size_t count)
{
    m->start = calloc(columns + 2, sizeof *m->start);
    m->row = calloc(count + 1, sizeof *m->row);
    m->order = calloc(count + 1, sizeof *m->order);
    m->s = (dae_signature){rows, columns, m->start, m->row, m->order};
    if (!m->start || !m->row || !m->order) {
        signature_drop(m);
        return false;
    }
    int64_t *next = m->start + 1; /* start[j + 1] is where column j goes on */
    for (size_t k = 0; k < count; k++) next[entries[k].column + 1]++;
    for (size_t j = 0; j < columns; j++) next[j + 1] += next[j];
    for (size_t k = 0; k < count; k++) {
        const int64_t to = next[entries[k].column]++;
        m->row[to] = entries[k].row;
        m->order[to] = entries[k].order;
    }
    return true;
}

void signature_drop(made_signature *m)
{
    free(m->start);
    free(m->row);
    free(m->order);
    *m = (made_signature){0};
}

int32_t *random_permutation(random_state *r, size_t n)
{
    int32_t *p = malloc((n + 1) * sizeof *p);
    if (!p) return NULL;
    for (size_t k = 0; k < n; k++) {
        const size_t other = random_below(r, k + 1);
        p[k] = p[other];
        p[other] = (int32_t)k;
    }
    return p;
}

static bool permute(signature_entry *e, size_t count, size_t n, random_state *r)
{
    int32_t *rows = random_permutation(r, n);
    int32_t *columns = random_permutation(r, n);
    for (size_t k = 0; rows && columns && k < count; k++) {
        e[k].row = rows[e[k].row];
        e[k].column = columns[e[k].column];
    }
    const bool is_done = rows && columns;
    free(rows);
    free(columns);
    return is_done;
}

/* ---- families ------------------------------------------------------------------ */

static size_t add(
    signature_entry *to, size_t at, int32_t row, int32_t column, int32_t order)
{
    to[at] = (signature_entry){row, column, order};
    return at + 1;
}

/* x'' = -l x ; y'' = -l y - g ; x^2 + y^2 = L^2 */
static size_t pendulum(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t x = 3 * k, y = x + 1, l = x + 2;
    size_t at = 0;
    (void)parts;
    at = add(to, at, x, x, 2);
    at = add(to, at, x, l, 0);
    at = add(to, at, y, y, 2);
    at = add(to, at, y, l, 0);
    at = add(to, at, l, x, 0);
    return add(to, at, l, y, 0);
}

/* The length of each depends on the force in the one before. */
static size_t chained_pendulum(signature_entry *to, int32_t k, int32_t parts)
{
    const size_t at = pendulum(to, k, parts);
    return k > 0 ? add(to, at, 3 * k + 2, 3 * k - 1, 0) : at;
}

/* Each hangs from the one before: a chain of links. */
static size_t linked_pendulum(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t x = 3 * k, y = x + 1, l = x + 2;
    size_t at = pendulum(to, k, parts);
    for (int32_t c = x; k > 0 && c <= y; c++) {
        at = add(to, at, c, c - 3, 0);
        at = add(to, at, l, c - 3, 0);
    }
    for (int32_t c = x; k + 1 < parts && c <= y; c++) {
        at = add(to, at, c, c + 3, 0);
        at = add(to, at, c, l + 3, 0);
    }
    return at;
}

/* A ladder of resistors and capacitors: i_k = (v_(k-1) - v_k)/R ;
 * C v_k' = i_k - i_(k+1) */
static size_t rc_cell(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t i = 2 * k, v = i + 1;
    size_t at = 0;
    at = add(to, at, i, i, 0);
    at = add(to, at, i, v, 0);
    if (k > 0) at = add(to, at, i, v - 2, 0);
    at = add(to, at, v, v, 1);
    at = add(to, at, v, i, 0);
    return k + 1 < parts ? add(to, at, v, i + 2, 0) : at;
}

/* y_0 = f(t) ; y_k = y_(k-1)' */
static size_t differentiator(signature_entry *to, int32_t k, int32_t parts)
{
    (void)parts;
    const size_t at = add(to, 0, k, k, 0);
    return k > 0 ? add(to, at, k, k - 1, 1) : at;
}

/* Of Reissig, Martinson and Barton (2000): true index 1. */
static size_t rmb_pair(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t x = 2 * k;
    size_t at = add(to, 0, x, x, 0);
    if (k + 1 == parts) return at;
    for (int32_t c = x + 1; c <= x + 2; c++) {
        at = add(to, at, x, c, 1);
        at = add(to, at, x + 1, c, 1);
    }
    return at;
}

/* Heat on a square whose side is the largest that the parts fill; the rest is
 * a tail of the last one. */
static size_t grid_node(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t side = (int32_t)sqrt((double)parts);
    const bool is_tail = k >= side * side;
    size_t at = add(to, 0, k, k, 1);
    if (k > 0 && (is_tail || k % side > 0)) at = add(to, at, k, k - 1, 0);
    if (k + 1 < parts && (k + 1 >= side * side || (k + 1) % side > 0))
        at = add(to, at, k, k + 1, 0);
    if (is_tail) return at;
    if (k >= side) at = add(to, at, k, k - side, 0);
    return k + side < side * side ? add(to, at, k, k + side, 0) : at;
}

/* What does not expand, along a line: u_k' = p_k - p_(k+1) ; u_k = u_(k-1).
 * Every u is to be matched with another row than its highest derivative's. */
static size_t flow_cell(signature_entry *to, int32_t k, int32_t parts)
{
    const int32_t u = 2 * k, p = u + 1;
    size_t at = 0;
    at = add(to, at, u, u, 1);
    at = add(to, at, u, p, 0);
    if (k + 1 < parts) at = add(to, at, u, p + 2, 0);
    at = add(to, at, p, u, 0);
    return k > 0 ? add(to, at, p, u - 2, 0) : at;
}

const signature_family signature_families[SIGNATURE_FAMILIES] = {
    {"pendula", 3, pendulum, 0, 3, 2, 0, 1, 0, 1, 0},
    {"rc ladder", 2, rc_cell, 0, 1, 1, 0, 0, 1, 2, 0},
    {"chained pendula", 3, chained_pendulum, 2, 1, 2, 0, 1, 0, 1, 0},
    {"chain", 1, differentiator, 1, 0, 0, 0, 1, 0, 1, 0},
    {"grid", 1, grid_node, 0, 0, 1, 0, 0, 1, 1, 0},
    {"linked pendula", 3, linked_pendulum, 0, 3, 2, 0, 0, 1, 0, 1},
    {"flow", 2, flow_cell, 0, 2, 0, 0, 2, 0, 2, 0},
    {"rmb", 2, rmb_pair, 1, 0, 1, -1, 2, -1, 2, -1},
};

bool signature_member(made_signature *m, const signature_family *f, size_t n,
    random_state *r, size_t *parts)
{
    const bool is_rmb = f->part == rmb_pair; /* the last part is half a one */
    *parts = n / f->unknowns + (is_rmb ? 1 : 0);
    const size_t size = *parts * f->unknowns - (is_rmb ? 1 : 0);
    signature_entry *e = malloc((16 * *parts + 1) * sizeof *e);
    size_t count = 0;
    *m = (made_signature){0};
    if (!e) return false;
    for (size_t k = 0; k < *parts; k++)
        count += f->part(e + count, (int32_t)k, (int32_t)*parts);
    const bool is_done = (!r || permute(e, count, size, r))
        && signature_make(m, size, size, e, count);
    free(e);
    return is_done;
}

const char *signature_wrong(
    const signature_family *f, size_t parts, const dae_structure *found)
{
    const int64_t n = (int64_t)parts;
    if (!found->is_regular) return "not regular";
    if (found->index != f->index_each * n + f->index) return "index";
    if (found->degrees_of_freedom != f->dof_each * n + f->dof)
        return "degrees of freedom";
    if ((int64_t)found->coarse_count != f->coarse_each * n + f->coarse)
        return "coarse blocks";
    if ((int64_t)found->fine_count != f->fine_each * n + f->fine)
        return "fine blocks";
    return NULL;
}

bool signature_random(
    made_signature *m, random_state *r, size_t n, size_t more, size_t highest)
{
    const size_t count = n * (more + 2);
    signature_entry *e = malloc((count + 1) * sizeof *e);
    size_t at = 0;
    *m = (made_signature){0};
    if (!e) return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < more + 2; k++) {
            const size_t j = k == 0 ? i
                : k == 1            ? (i + 1) % n
                                    : random_below(r, n);
            const size_t order = random_below(r, highest + 1);
            at = add(e, at, (int32_t)i, (int32_t)j, (int32_t)order);
        }
    }
    const bool is_done = permute(e, count, n, r)
        && signature_make(m, n, n, e, count);
    free(e);
    return is_done;
}
