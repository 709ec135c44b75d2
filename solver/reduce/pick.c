/* Choosing dummy derivatives, and how good a choice still is. The constraints
 * of a stage, G dx = ..., are brought to the form dx_D = -W dx_S by Gauss-Jordan
 * elimination with complete pivoting; single exchanges then go on until no
 * entry of W says that another choice would have a larger determinant by more
 * than a little [Knu85], which bounds every entry of W. */
#include "reduce/pick.h"
#include <math.h>
#include <string.h>

/* A pivot below this share of the first one is rounding: values at a start
 * hold to a tolerance only. */
static const double ZERO_PIVOT = 1e-9;
/* An exchange has to enlarge the determinant by this much, so that equals stay
 * with what comes first. */
static const double GAIN = 1.05;
/* Unknowns that are to stay states are chosen as if they were so much
 * smaller. */
static const double PREFERENCE = 1e-3;
/* Entries of a stage beyond which it is too large to be looked at as a whole. */
enum { DENSE_MOST = 4000000 };

/* A stage as a dense matrix, rows x columns, by rows. */
typedef struct stage {
    size_t rows, columns;
    int32_t *row_of;       /* size of the block: number here, -1: not in it */
    int32_t *column_of;    /* the same */
    int32_t *row, *column; /* back */
    double *g;             /* rows * columns */
    int32_t *pivot;        /* rows: the column that stands for it, -1 */
    uint8_t *is_pivot;     /* columns */
} stage;

static dae_status stage_take(arena *a, size_t size, stage *s)
{
    s->row_of = ARENA_ARRAY(a, int32_t, size);
    s->column_of = ARENA_ARRAY(a, int32_t, size);
    s->row = ARENA_ARRAY(a, int32_t, size);
    s->column = ARENA_ARRAY(a, int32_t, size);
    s->pivot = ARENA_ARRAY(a, int32_t, size);
    s->is_pivot = ARENA_ARRAY(a, uint8_t, size);
    const bool has_all = s->row_of && s->column_of && s->row && s->column
        && s->pivot && s->is_pivot;
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* Rows differentiated at least `level` times, and of the columns with `in` set
 * those with as many derivatives. */
static void stage_members(
    const stage_block *b, int64_t level, const uint8_t *in, stage *s)
{
    s->rows = s->columns = 0;
    for (size_t k = 0; k < b->size; k++) {
        const bool has_row = b->c[k] >= level,
                   has_column = in[k] && b->d[k] >= level;
        s->row_of[k] = has_row ? (int32_t)s->rows : -1;
        s->column_of[k] = has_column ? (int32_t)s->columns : -1;
        if (has_row) s->row[s->rows++] = (int32_t)k;
        if (has_column) s->column[s->columns++] = (int32_t)k;
    }
}

/* Columns in units of the unknowns' sizes, rows to a largest entry of 1. */
static dae_status stage_load(const pick_request *q, const stage_block *b,
    bool with_taste, arena *a, stage *s)
{
    if (s->rows * s->columns > DENSE_MOST) return DAE_LIMIT;
    s->g = ARENA_ARRAY(a, double, s->rows * s->columns);
    if (!s->g) return DAE_MEMORY;
    for (size_t e = 0; e < b->entry_count; e++) {
        const stage_entry *t = &b->entry[e];
        const int32_t i = s->row_of[t->row], j = s->column_of[t->column];
        if (i < 0 || j < 0) continue;
        const int32_t u = b->unknown[t->column];
        double unit = q->size[u];
        if (with_taste && q->is_preferred && q->is_preferred[u])
            unit *= PREFERENCE;
        s->g[(size_t)i * s->columns + (size_t)j] += q->values[t->at] * unit;
    }
    for (size_t i = 0; i < s->rows; i++) {
        double *row = s->g + i * s->columns, most = 0;
        for (size_t j = 0; j < s->columns; j++) most = fmax(most, fabs(row[j]));
        if (!(most > 0) || !isfinite(most)) continue;
        for (size_t j = 0; j < s->columns; j++) row[j] /= most;
    }
    memset(s->pivot, 0xff, s->rows * sizeof *s->pivot);
    memset(s->is_pivot, 0, s->columns);
    return DAE_OK;
}

/* Makes column j stand for row i. */
static void eliminate(stage *s, size_t i, size_t j)
{
    const size_t n = s->columns;
    double *pivot = s->g + i * n;
    const double scale = 1 / pivot[j];
    for (size_t k = 0; k < n; k++) pivot[k] *= scale;
    pivot[j] = 1;
    for (size_t r = 0; r < s->rows; r++) {
        double *row = s->g + r * n;
        const double factor = row[j];
        if (r == i || factor == 0) continue;
        for (size_t k = 0; k < n; k++) row[k] -= factor * pivot[k];
        row[j] = 0;
    }
    if (s->pivot[i] >= 0) s->is_pivot[s->pivot[i]] = 0;
    s->pivot[i] = (int32_t)j;
    s->is_pivot[j] = 1;
}

/* The largest entry outside the pivot columns, of rows that have a pivot or of
 * those that have none. */
static double largest(const stage *s, bool of_done, size_t *i, size_t *j)
{
    double most = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if ((s->pivot[r] >= 0) != of_done) continue;
        const double *row = s->g + r * s->columns;
        for (size_t k = 0; k < s->columns; k++) {
            const double size = fabs(row[k]);
            if (s->is_pivot[k] || !(size > most)) continue;
            most = size, *i = r, *j = k;
        }
    }
    return most;
}

static dae_status stage_choose(const stage_block *b, stage *s, pick *out)
{
    size_t i = 0, j = 0;
    double first = 0;
    for (size_t done = 0; done < s->rows; done++) {
        const double size = largest(s, false, &i, &j);
        if (done == 0) first = size;
        if (!(size > ZERO_PIVOT * first)) {
            size_t r = 0;
            while (s->pivot[r] >= 0) r++;
            out->lost = b->equation[s->row[r]];
            out->lost_rank = (int32_t)done;
            out->lost_rows = (int32_t)s->rows;
            return DAE_NUMERIC;
        }
        eliminate(s, i, j);
    }
    /* each exchange enlarges the determinant, so none comes again */
    for (size_t k = 0; k < 4 * s->columns && largest(s, true, &i, &j) > GAIN;
         k++)
        eliminate(s, i, j);
    return DAE_OK;
}

/* Without the taste, whose sizes are no sizes. */
static dae_status stage_leverage(const pick_request *q, const stage_block *b,
    const uint8_t *chosen, arena *a, stage *s, double *leverage)
{
    size_t i = 0, j = 0;
    const dae_status st = stage_load(q, b, false, a, s);
    if (st) return st;
    for (size_t done = 0; done < s->rows; done++) {
        double most = 0;
        for (size_t r = 0; r < s->rows; r++)
            for (size_t k = 0; s->pivot[r] < 0 && k < s->columns; k++) {
                const double size = fabs(s->g[r * s->columns + k]);
                if (!chosen[s->column[k]] || s->is_pivot[k] || !(size > most))
                    continue;
                most = size, i = r, j = k;
            }
        if (!(most > 0)) {
            *leverage = HUGE_VAL;
            return DAE_OK;
        }
        eliminate(s, i, j);
    }
    const double most = largest(s, true, &i, &j);
    if (most > *leverage) *leverage = most;
    return DAE_OK;
}

/* What a stage has chosen is what the next one chooses from. */
static void keep_chosen(const stage *s, size_t size, uint8_t *in)
{
    memset(in, 0, size);
    for (size_t r = 0; r < s->rows; r++) in[s->column[s->pivot[r]]] = 1;
}

static dae_status choose_block(
    const pick_request *q, const stage_block *b, arena *a, pick *out)
{
    stage s = {.rows = 0};
    uint8_t *in = ARENA_ARRAY(a, uint8_t, b->size);
    uint8_t *before = ARENA_ARRAY(a, uint8_t, b->size);
    if (!in || !before) return DAE_MEMORY;
    dae_status st = stage_take(a, b->size, &s);
    memset(in, 1, b->size);
    for (int64_t level = 1; level <= b->most && !st; level++) {
        const arena_position mark = arena_mark(a);
        stage_members(b, level, in, &s);
        const bool has_choice = s.columns > s.rows;
        if (has_choice) {
            if ((st = stage_load(q, b, true, a, &s))
                || (st = stage_choose(b, &s, out)))
                return st;
            keep_chosen(&s, b->size, before);
            st = stage_leverage(q, b, before, a, &s, &out->leverage);
            memcpy(in, before, b->size);
        }
        for (size_t k = 0; k < b->size; k++)
            if (in[k] && b->d[k] >= level) out->order[b->unknown[k]]--;
            else in[k] = 0;
        arena_release(a, mark);
    }
    return st;
}

dae_status pick_choose(const pick_request *q, pick *out)
{
    arena memory;
    dae_status st = DAE_OK;
    out->leverage = 0;
    out->lost = -1;
    for (size_t j = 0; j < q->structure->n; j++)
        out->order[j] = (int32_t)q->structure->d[j];
    arena_init(&memory, q->allocator, 0);
    for (size_t b = 0; b < q->stages->block_count && !st; b++) {
        const arena_position mark = arena_mark(&memory);
        st = choose_block(q, &q->stages->block[b], &memory, out);
        arena_release(&memory, mark);
    }
    arena_clear(&memory);
    return st;
}

static dae_status measure_block(const pick_request *q, const stage_block *b,
    const pick *p, arena *a, double *leverage)
{
    stage s = {.rows = 0};
    uint8_t *in = ARENA_ARRAY(a, uint8_t, b->size);
    uint8_t *chosen = ARENA_ARRAY(a, uint8_t, b->size);
    if (!in || !chosen) return DAE_MEMORY;
    dae_status st = stage_take(a, b->size, &s);
    memset(in, 1, b->size);
    for (int64_t level = 1; level <= b->most && !st; level++) {
        const arena_position mark = arena_mark(a);
        stage_members(b, level, in, &s);
        for (size_t k = 0; k < b->size; k++)
            chosen[k] = in[k] && b->d[k] - p->order[b->unknown[k]] >= level;
        if (s.columns > s.rows)
            st = stage_leverage(q, b, chosen, a, &s, leverage);
        memcpy(in, chosen, b->size);
        arena_release(a, mark);
    }
    return st;
}

dae_status pick_measure(const pick_request *q, const pick *p, double *leverage)
{
    arena memory;
    dae_status st = DAE_OK;
    *leverage = 0;
    arena_init(&memory, q->allocator, 0);
    for (size_t b = 0; b < q->stages->block_count && !st; b++) {
        const arena_position mark = arena_mark(&memory);
        st = measure_block(q, &q->stages->block[b], p, &memory, leverage);
        arena_release(&memory, mark);
    }
    arena_clear(&memory);
    return st;
}
