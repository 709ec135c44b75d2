/* Elimination and solution by an operation list, for one kind of number. Included by
 * list.c (real) and complex_linear.c with the macros NUMBER, OWN(name), and ZERO, SIZE(a),
 * INVERSE(a), TIMES(a, b), LESS(a, l, u): a - l u. No include guard on purpose. */

/* The values of A into the slots; `largest`: of every row. */
static void OWN(list_load)(const operation_list *o,
    const NUMBER *restrict values, NUMBER *restrict slot,
    double *restrict largest)
{
    const size_t entries = (size_t)o->s.column_start[o->s.n];
    const uint16_t *restrict place = o->place;
    const int32_t *restrict row = o->s.row;
    memset(slot, 0, o->slots * sizeof *slot);
    memset(largest, 0, o->s.n * sizeof *largest);
    for (size_t p = 0; p < entries; p++) {
        const double size = SIZE(values[p]), most = largest[row[p]];
        slot[place[p]] = values[p];
        largest[row[p]] = most > size ? most : size;
    }
}

/* The largest entry of a column of A, rows scaled to a largest entry of 1. */
static double OWN(list_column)(const operation_list *o,
    const NUMBER *restrict values, const double *restrict largest,
    size_t column)
{
    const int64_t *start = o->s.column_start + column;
    double most = 0;
    for (int64_t e = start[0]; e < start[1]; e++)
        most = fmax(most, SIZE(values[e]) / largest[o->s.row[e]]);
    return most;
}

/* Eliminates in the slots, pivots become their inverses; false where a multiplier, rows
 * scaled, is above 10, or a pivot not above `zero` of its column of A. As
 * entries of these are at most 1, few have to be looked at. */
static bool OWN(list_eliminate)(const operation_list *o, const NUMBER *values,
    NUMBER *slot, const double *largest, double zero)
{
    const uint16_t *target = o->target.items, *other = o->other.items;
    const list_pivot *last = o->pivot + o->s.n;
    for (const list_pivot *p = o->pivot; p < last; p++) {
        const size_t begin = p->begin, below = p->below, end = p[1].begin;
        const double most = largest[p->row], size = SIZE(slot[begin]);
        if (!(size > zero * most)
            && !(size > zero * OWN(list_column)(o, values, largest, p->column)
                    * most))
            return false;
        const NUMBER inverse = INVERSE(slot[begin]);
        const double unit = most * DIGIT;
        slot[begin] = inverse;
        for (size_t l = below; l < end; l++) {
            const NUMBER by = TIMES(slot[l], inverse);
            if (!(SIZE(by) * unit <= largest[other[l]])) return false;
            slot[l] = by;
            for (size_t u = begin + 1; u < below; u++, target++)
                slot[*target] = LESS(slot[*target], by, slot[u]);
        }
    }
    return true;
}

/* The solution `x` for the right side `b`, which is changed. */
static void OWN(list_solve)(const operation_list *o,
    const NUMBER *restrict slot, NUMBER *restrict b, NUMBER *restrict x)
{
    const uint16_t *restrict other = o->other.items;
    const list_pivot *last = o->pivot + o->s.n;
    for (const list_pivot *p = o->pivot; p < last; p++) {
        const size_t below = p->below, end = p[1].begin;
        if (below == end) continue;
        const NUMBER from = b[p->row];
        for (size_t l = below; l < end; l++)
            b[other[l]] = LESS(b[other[l]], slot[l], from);
    }
    for (const list_pivot *p = last; p-- > o->pivot;) {
        NUMBER sum = b[p->row];
        for (size_t u = p->begin + 1U; u < p->below; u++)
            sum = LESS(sum, slot[u], x[other[u]]);
        x[p->column] = TIMES(sum, slot[p->begin]);
    }
}
