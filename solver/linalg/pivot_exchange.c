/* The rows of the matrix are kept as the pivots' rows in terms of all columns,
 * so an exchange is one elimination more. */
#include "linalg/pivot_exchange.h"
#include "linalg/gauss_jordan.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Entries for which no memory is asked. */
enum { FEW = 16 };

typedef struct dense {
    size_t rows, columns;
    double *g; /* by rows */
    double zero;
    const uint8_t *is_allowed;
    uint8_t *is_pivot; /* columns */
    uint8_t *is_done;  /* rows: have a pivot */
    int32_t *pivot;    /* rows; -1: none yet */
} dense;

/* Makes column j stand for row i. */
static void eliminate(dense *s, size_t i, size_t j)
{
    assert(i < s->rows && j < s->columns && !s->is_pivot[j]);
    jordan_eliminate(s->g, s->rows, s->columns, i, j, NULL);
    if (s->pivot[i] >= 0) s->is_pivot[s->pivot[i]] = 0;
    s->pivot[i] = (int32_t)j;
    s->is_pivot[j] = 1;
}

/* The largest entry outside the pivot columns, of rows without a pivot or of
 * those that have one. */
static double largest(const dense *s, bool of_done, size_t *i, size_t *j)
{
    double most = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if ((s->pivot[r] >= 0) != of_done) continue;
        const double *row = s->g + r * s->columns;
        for (size_t k = 0; k < s->columns; k++) {
            if (s->is_pivot[k] || !(fabs(row[k]) > most)) continue;
            most = fabs(row[k]), *i = r, *j = k;
        }
    }
    return most;
}

/* With no choice of columns rows are chosen for one after the other. */
static size_t take_pivots(dense *s)
{
    const size_t n = s->columns;
    size_t found = 0;
    double first = 0;
    for (size_t j = 0; j < n; j++) {
        if (!s->is_allowed[j]) continue;
        const size_t i = jordan_row(s->g, s->rows, n, j, s->is_done);
        if (i == s->rows) continue;
        const double size = fabs(s->g[i * n + j]);
        first = fmax(first, size);
        if (!(size > s->zero * first)) continue;
        s->is_done[i] = 1;
        eliminate(s, i, j);
        found++;
    }
    return found;
}

static size_t find_pivots(dense *s)
{
    size_t i = 0, j = 0;
    double first = 0;
    for (size_t done = 0; done < s->rows; done++) {
        const double size = largest(s, false, &i, &j);
        if (done == 0) first = size;
        if (!(size > s->zero * first)) return done;
        eliminate(s, i, j);
    }
    return s->rows;
}

static void exchange(dense *s)
{
    size_t i = 0, j = 0;
    /* each exchange enlarges the determinant, so none comes again */
    for (size_t k = 0;
         k < 4 * s->columns && largest(s, true, &i, &j) > EXCHANGE_GAIN; k++)
        eliminate(s, i, j);
}

/* In the order of the pivots' columns, whichever rows they are found in. */
static void give_entries(const dense *s, const wide_matrix *m)
{
    for (size_t j = 0; j < s->columns; j++)
        for (size_t r = 0; s->is_pivot[j] && r < s->rows; r++) {
            if (s->pivot[r] != (int32_t)j) continue;
            for (size_t k = 0; k < s->columns; k++)
                if (!s->is_pivot[k]) m->take(m->to, s->g[r * s->columns + k]);
        }
}

static double solve(dense *s, const wide_matrix *m, size_t *found)
{
    size_t i = 0, j = 0;
    for (size_t k = 0; k < m->count; k++)
        s->g[(size_t)m->entry[k].row * m->columns
            + (size_t)m->entry[k].column] += m->entry[k].value;
    memset(s->pivot, 0xff, m->rows * sizeof *s->pivot);
    *found = s->is_allowed ? take_pivots(s) : find_pivots(s);
    if (*found < m->rows) return HUGE_VAL;
    if (!s->is_allowed) exchange(s);
    if (m->take) give_entries(s, m);
    return largest(s, true, &i, &j);
}

dae_status exchange_wide(const wide_matrix *m, const dae_allocator *allocator,
    int32_t *pivot, double *leverage, size_t *lost, size_t *rank)
{
    const dae_allocator *a = alloc_or_default(allocator);
    dense s = {.rows = m->rows,
        .columns = m->columns,
        .zero = m->zero,
        .is_allowed = m->is_allowed,
        .pivot = pivot};
    double few[FEW] = {0};
    uint8_t some[2 * FEW] = {0};
    size_t room, found;
    if (!size_mul(m->rows, m->columns, &room)) return DAE_LIMIT;
    const size_t flags = m->columns + m->rows;
    const bool is_few = room <= FEW && flags <= 2 * FEW;
    s.g = is_few ? few : alloc_zeroed(a, room, sizeof *s.g);
    s.is_pivot = is_few ? some : alloc_zeroed(a, flags, 1);
    const bool has_memory = s.g && s.is_pivot;
    if (has_memory) {
        s.is_done = s.is_pivot + m->columns;
        *leverage = fmax(*leverage, solve(&s, m, &found));
        if (lost) *lost = SIZE_MAX;
        if (rank) *rank = found;
        for (size_t r = 0; lost && found < m->rows && r < m->rows; r++)
            if (pivot[r] < 0 && *lost == SIZE_MAX) *lost = r;
    }
    if (!is_few) {
        alloc_free(a, s.g, room, sizeof *s.g);
        alloc_free(a, s.is_pivot, flags, 1);
    }
    return has_memory ? DAE_OK : DAE_MEMORY;
}
