#include "code/series_signal.h"

/* The number of a piece as a series says no more than which piece it is: off the
 * knots it counts as a constant. */
static void piece(
    const series_room *m, const node *n, const double *a, double *out)
{
    const double value = node_apply(n, a[0], 0, 0);
    const bool is_constant = series_is_constant(m, a);
    const bool is_knot = !is_constant && value == floor(value);
    series_set(m, value, out);
    if (is_constant) return;
    series_close(m, is_knot ? 1 : (double)series_known(m, a), out);
}

/* out = out*by + constant, as far as `count` terms. */
static void horner_step(const series_room *m, const double *by, double constant,
    size_t count, double *out)
{
    double *product = m->temp[1];
    for (size_t k = 0; k < count; k++) product[k] = series_convolve(out, by, k);
    for (size_t k = 0; k < count; k++) out[k] = product[k];
    out[0] += constant;
}

/* The polynomial of the piece, about a[0], of what a moves from there. */
static void compose(const series_room *m, const node *n, const double *a,
    const double *b, size_t count, double *out)
{
    double c[SIGNAL_DEGREE_MOST + 1], *moved = m->temp[0];
    signal_taylor(n->table, n->order, a[0], b[0], c);
    for (size_t k = 0; k < count; k++) moved[k] = k ? a[k] : 0;
    for (size_t k = 0; k < count; k++) out[k] = 0;
    for (unsigned j = signal_degree(n->table) + 1; j-- > 0;)
        horner_step(m, moved, c[j], count, out);
}

static void table(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    const double value = node_apply(n, a[0], b[0], 0);
    size_t count = series_known(m, a);
    if (series_is_constant(m, a) && series_is_constant(m, b)) {
        series_set(m, value, out);
        return;
    }
    if (!n->table || !isfinite(value)) count = series_least(count, 1);
    if (series_known(m, b) < m->terms) { /* at a knot */
        const size_t common = signal_degree(n->table) - n->order;
        count = series_least(count, series_known(m, b) ? common : 0);
    }
    if (count > 1) compose(m, n, a, b, count, out);
    out[0] = value;
    series_close(m, (double)count, out);
}

void series_signal(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    if (n->op == NODE_PIECE) piece(m, n, a, out);
    else table(m, n, a, b, out);
}
