/* Sums over stages for WIDTH states at a time, VALUE the type of as many numbers. Included
 * by stages.c with these and the macros OWN(name) and SIZE(value), once for each width; s, the
 * number of stages, is known where they are called (base/unrolled.h). No include guard on
 * purpose. */

UNROLLED VALUE OWN(load)(const double *from)
{
    VALUE v;
    memcpy(&v, from, sizeof v);
    return v;
}

UNROLLED void OWN(store)(double *to, VALUE v)
{
    memcpy(to, &v, sizeof v);
}

UNROLLED void OWN(take)(const int s, const double *rows, size_t step, size_t v,
    VALUE at[STAGES_MOST])
{
    for (int k = 0; k < s; k++) at[k] = OWN(load)(rows + (size_t)k * step + v);
}

/* sum of weight_k at_k */
UNROLLED VALUE OWN(sum)(
    const int s, const double *weight, const VALUE at[STAGES_MOST])
{
    VALUE sum = weight[0] * at[0];
    for (int k = 1; k < s; k++) sum += weight[k] * at[k];
    return sum;
}

/* out = base + sum of weight_k rows_k / h */
UNROLLED void OWN(combine)(const int s, const double *weight,
    const double *rows, size_t step, const double *base, double h, size_t v,
    double *out)
{
    VALUE at[STAGES_MOST];
    OWN(take)(s, rows, step, v, at);
    OWN(store)(out + v, OWN(load)(base + v) + OWN(sum)(s, weight, at) / h);
}

/* to_i = sum of m_ik rows_k; what all sizes in rows add up to. */
UNROLLED double OWN(transform)(const int s, const double *m, const double *rows,
    size_t step, size_t v, double *to)
{
    VALUE at[STAGES_MOST], all;
    double size[WIDTH], total = 0;
    OWN(take)(s, rows, step, v, at);
    all = SIZE(at[0]);
    for (int k = 1; k < s; k++) all += SIZE(at[k]);
    for (int i = 0; i < s; i++)
        OWN(store)(to + (size_t)i * step + v, OWN(sum)(s, m + i * s, at));
    OWN(store)(size, all);
    for (int l = 0; l < WIDTH; l++) total += size[l];
    return total;
}

/* to_i -= sum of m_ik rows_k, m NULL: rows_i; `total` and the squares of that,
 * weighted. */
UNROLLED double OWN(subtract)(const int s, const double *m, const double *rows,
    size_t step, const double *weight, size_t v, double *to, double total)
{
    VALUE at[STAGES_MOST], squares = {0};
    const VALUE w = OWN(load)(weight + v);
    double part[WIDTH];
    OWN(take)(s, rows, step, v, at);
    for (int i = 0; i < s; i++) {
        const VALUE change = m ? OWN(sum)(s, m + i * s, at) : at[i];
        double *row = to + (size_t)i * step + v;
        OWN(store)(row, OWN(load)(row) - change);
        squares += change * change;
    }
    OWN(store)(part, squares * (w * w));
    for (int l = 0; l < WIDTH; l++) total += part[l];
    return total;
}

/* Values and slopes at the stages from `first` on, rows of x and xp. `share`: A^-1/h. */
UNROLLED void OWN(points)(const int s, const int first, const double *share,
    const double *rows, size_t step, const double *base, size_t v, double *x,
    double *xp)
{
    VALUE at[STAGES_MOST];
    const VALUE from = OWN(load)(base + v);
    OWN(take)(s, rows, step, v, at);
    for (int i = first; i < s; i++) {
        const size_t to = (size_t)(i - first) * step + v;
        OWN(store)(xp + to, OWN(sum)(s, share + i * s, at));
        OWN(store)(x + to, from + at[i]);
    }
}
