/* Choosing dummy derivatives, stage by stage or from numbers alone, and how good a
 * choice still is. */
#include "reduce/pick.h"
#include "graph/sets.h"
#include "linalg/gauss_jordan.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include "linalg/wide_matrix.h"
#include "reduce/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Entries of a stage up to which it is looked at as a whole. */
enum { WHOLE_MOST = 2000 };

/* ---- by structure ---------------------------------------------------------------- */

int64_t pick_stages(const dae_structure *s, dae_block block)
{
    int64_t most = 0;
    for (int64_t k = block.begin; k < block.end; k++)
        if (s->c[s->row_at[k]] > most) most = s->c[s->row_at[k]];
    return most;
}

/* A stage of a fine block: the rows that are differentiated so often and the columns it
 * may choose from, numbered anew. */
typedef struct stage {
    wide_matrix matrix;
    wide_entry *entry; /* of the extended problem's as many as there may be */
    int32_t *row_of;   /* equations: number here, or -1 */
    int32_t *row;      /* back: the equation, */
    size_t *column;    /* and the place in the block */
    double *row_scale;
    int32_t *pivot;
    dae_block block;
    int64_t level;
} stage;

static dae_status stage_take(arena *a, const extended *e, stage *s)
{
    const size_t n = e->unknowns;
    if (!TAKE(a, s->row_of, n) || !TAKE(a, s->row, n) || !TAKE(a, s->column, n)
        || !TAKE(a, s->row_scale, n) || !TAKE(a, s->pivot, n)
        || !TAKE(a, s->entry, extended_entries(e)))
        return DAE_MEMORY;
    memset(s->row_of, 0xff, n * sizeof *s->row_of);
    return DAE_OK;
}

/* Rows differentiated at least `level` times, and of the columns with `in` set
 * those with as many derivatives; whether there is a choice. */
static bool stage_members(
    const dae_structure *of, int64_t level, const uint8_t *in, stage *s)
{
    size_t rows = 0, columns = 0;
    const size_t begin = (size_t)s->block.begin;
    const size_t size = (size_t)s->block.end - begin;
    s->level = level;
    for (size_t k = 0; k < size; k++) {
        const int32_t i = of->row_at[begin + k];
        const bool has_row = of->c[i] >= level;
        s->row_of[i] = has_row ? (int32_t)rows : -1;
        if (has_row) s->row[rows++] = i;
        if (in[k] && of->d[of->column_at[begin + k]] >= level)
            s->column[columns++] = k;
    }
    s->matrix = (wide_matrix){
        .rows = rows, .columns = columns, .zero = VALUES_ERROR};
    return columns > rows;
}

static void give_gauge(void *to, double entry)
{
    gauge_take(to, entry);
}

/* Columns in units of the unknowns' sizes, rows scaled. */
static void stage_load(
    const pick_request *q, bool with_taste, const uint8_t *allowed, stage *s)
{
    const dae_structure *of = q->structure;
    const dae_pattern *p = q->e->problem.pattern;
    size_t count = 0;
    for (size_t k = 0; k < s->matrix.columns; k++) {
        const int32_t j = of->column_at[(size_t)s->block.begin + s->column[k]];
        const size_t c = q->e->column_first[j] + (size_t)(of->d[j] - s->level);
        const bool is_dear = with_taste && q->is_preferred
            && q->is_preferred[j];
        const double unit = q->size[j] * (is_dear ? DIGIT : 1);
        for (int64_t at = p->column_start[c]; at < p->column_start[c + 1];
             at++) {
            const size_t row = (size_t)p->row[at];
            const int32_t i = q->e->row_equation[row];
            if (s->row_of[i] < 0
                || row != q->e->row_first[i] + (size_t)(of->c[i] - s->level))
                continue;
            s->entry[count++] = (wide_entry){
                s->row_of[i], (int32_t)k, q->values[at] * unit};
        }
    }
    wide_scale_rows(s->entry, count, s->matrix.rows, s->row_scale);
    s->matrix.entry = s->entry;
    s->matrix.count = count;
    s->matrix.is_allowed = allowed;
    s->matrix.take = allowed && q->gauge ? give_gauge : NULL;
    s->matrix.to = q->gauge;
}

/* One stage, large or small. */
static dae_status stage_solve(const pick_request *q, stage *s, double *leverage,
    size_t *lost, size_t *rank)
{
    if (s->matrix.rows * s->matrix.columns <= WHOLE_MOST)
        return exchange_wide(
            &s->matrix, q->allocator, s->pivot, leverage, lost, rank);
    return markowitz_eliminate(
        &s->matrix, q->allocator, s->pivot, leverage, lost, rank);
}

static dae_status stage_choose(
    const pick_request *q, uint8_t *in, stage *s, pick *out)
{
    assert(s->matrix.rows < s->matrix.columns);
    size_t lost = SIZE_MAX, rank;
    double ignored = 0;
    stage_load(q, true, NULL, s);
    const dae_status st = stage_solve(q, s, &ignored, &lost, &rank);
    if (st) return st;
    if (lost != SIZE_MAX) {
        out->lost = s->row[lost];
        out->lost_rank = (int32_t)rank;
        out->lost_rows = (int32_t)s->matrix.rows;
        return DAE_NUMERIC;
    }
    memset(in, 0, (size_t)(s->block.end - s->block.begin));
    for (size_t r = 0; r < s->matrix.rows; r++) in[s->column[s->pivot[r]]] = 1;
    return DAE_OK;
}

/* Without the taste, whose sizes are no sizes. */
static dae_status stage_measure(const pick_request *q, const uint8_t *chosen,
    arena *a, stage *s, double *leverage)
{
    size_t lost;
    uint8_t *allowed = ARENA_ARRAY(a, uint8_t, s->matrix.columns);
    if (!allowed) return DAE_MEMORY;
    for (size_t k = 0; k < s->matrix.columns; k++)
        allowed[k] = chosen[s->column[k]];
    stage_load(q, false, allowed, s);
    return stage_solve(q, s, leverage, &lost, NULL);
}

/* The highest derivative of unknown j that is a derivative in the pick. */
static int64_t chain_length(const pick_request *q, const pick *p, int32_t j)
{
    const size_t first = q->e->column_first[j];
    int64_t length = 0;
    while (length < q->structure->d[j] && p->is_state[first + (size_t)length])
        length++;
    return length;
}

/* Stage after stage: what a pick has chosen, or what is chosen here. */
typedef struct choice {
    const pick_request *q;
    arena *memory;
    const pick *known; /* NULL: chosen here, */
    pick *out;         /* where it says what is lost, */
    int32_t *order;    /* unknowns: and derivatives below this one are states */
    double leverage;
} choice;

/* What a stage has chosen is what the next one chooses from. */
static dae_status visit_block(choice *w, stage *s)
{
    arena *a = w->memory;
    const dae_structure *of = w->q->structure;
    const int32_t *unknown = of->column_at + s->block.begin;
    const size_t size = (size_t)(s->block.end - s->block.begin);
    uint8_t *in = ARENA_ARRAY(a, uint8_t, size);
    uint8_t *chosen = ARENA_ARRAY(a, uint8_t, size);
    const int64_t most = pick_stages(of, s->block);
    dae_status st = in && chosen ? DAE_OK : DAE_MEMORY;
    if (!st) memset(in, 1, size);
    for (int64_t level = 1; level <= most && !st; level++) {
        const arena_position mark = arena_mark(a);
        const bool has_choice = stage_members(of, level, in, s);
        for (size_t k = 0; k < size; k++) {
            const int64_t kept = w->known
                ? chain_length(w->q, w->known, unknown[k])
                : 0;
            chosen[k] = in[k] && of->d[unknown[k]] - kept >= level;
        }
        if (has_choice && !w->known) st = stage_choose(w->q, chosen, s, w->out);
        if (has_choice && !st)
            st = stage_measure(w->q, chosen, a, s, &w->leverage);
        for (size_t k = 0; k < size && w->order; k++)
            if (chosen[k]) w->order[unknown[k]]--;
        memcpy(in, chosen, size);
        arena_release(a, mark);
    }
    for (size_t k = 0; k < size; k++)
        s->row_of[of->row_at[(size_t)s->block.begin + k]] = -1;
    return st;
}

static dae_status visit_blocks(choice *w)
{
    stage s;
    const dae_structure *of = w->q->structure;
    const arena_position before = arena_mark(w->memory);
    dae_status st = stage_take(w->memory, w->q->e, &s);
    w->leverage = 0;
    for (size_t f = 0; f < of->fine_count && !st; f++) {
        const arena_position mark = arena_mark(w->memory);
        s.block = of->fine[f];
        if (pick_stages(of, s.block) > 0) st = visit_block(w, &s);
        arena_release(w->memory, mark);
    }
    arena_release(w->memory, before);
    return st;
}

/* States below `order`; nothing is known of what the structure does not speak
 * of. */
static void spread(const pick_request *q, const int32_t *order, pick *out)
{
    const extended *e = q->e;
    memset(out->is_out, 0, e->rows);
    for (size_t c = 0; c < e->columns; c++) {
        const dae_slot s = extended_slot(e, c);
        out->is_state[c] = s.order < order[s.unknown];
        out->is_frozen[c] = s.order > q->structure->d[s.unknown];
    }
}

static dae_status choose_by_structure(const pick_request *q, pick *out)
{
    arena memory;
    const size_t n = q->structure->n;
    arena_init(&memory, q->allocator, 0);
    choice w = {.q = q, .memory = &memory, .out = out};
    w.order = ARENA_ARRAY(&memory, int32_t, n);
    dae_status st = w.order ? DAE_OK : DAE_MEMORY;
    for (size_t j = 0; j < n && !st; j++)
        w.order[j] = (int32_t)q->structure->d[j];
    out->lost = -1;
    if (!st) st = visit_blocks(&w);
    if (!st) spread(q, w.order, out);
    out->leverage = w.leverage;
    arena_clear(&memory);
    return st;
}

static dae_status measure_by_structure(
    const pick_request *q, const pick *p, double *leverage)
{
    arena own;
    arena_init(&own, q->allocator, 0);
    choice w = {.q = q, .memory = q->scratch ? q->scratch : &own, .known = p};
    const dae_status st = visit_blocks(&w);
    *leverage = w.leverage;
    arena_clear(&own);
    return st;
}

/* ---- by numbers ------------------------------------------------------------------ */

/* Gauss-Jordan elimination by levels: of each column the level is how far its
 * order lies above (derivatives that only some derived equation contains) or
 * below the highest derivative of its unknown that counts. */

typedef struct table {
    size_t rows, columns;
    double *g;         /* by rows */
    int32_t *level;    /* columns */
    int32_t *pivot;    /* rows: -1 none */
    int32_t *pivot_of; /* columns: the row, -1 */
    int32_t top, bottom;
} table;

/* Rows to a largest entry of 1. */
static void scale_to_rows(table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        double *row = t->g + i * t->columns;
        const matrix_view m = {1, t->columns, NULL, NULL, row};
        double size;
        row_sizes(&m, NULL, NULL, &size);
        for (size_t k = 0; k < t->columns; k++) row[k] /= size;
    }
}

/* Rows and columns in units that the equations show (linalg/scale.h): those of
 * the sizes given are not those of the equations then. */
static dae_status scale_all(arena *a, table *t)
{
    double *row = ARENA_ARRAY(a, double, t->rows);
    double *column = ARENA_ARRAY(a, double, t->columns);
    double *work = ARENA_ARRAY(a, double, t->columns);
    if (!row || !column || !work) return DAE_MEMORY;
    /* by rows: what is a column here is a row there */
    const matrix_view m = {t->columns, t->rows, NULL, NULL, t->g};
    scale_equilibrate(&m, column, row, work);
    scale_by(&m, column, row, t->g);
    return DAE_OK;
}

static dae_status table_make(
    const pick_request *q, pick_scaling scaling, arena *a, table *t)
{
    const extended *e = q->e;
    const dae_pattern *p = e->problem.pattern;
    const double work = (double)e->rows * (double)e->rows * (double)e->columns;
    if (work > WORK_OF_SECOND / 10) return DAE_UNSUPPORTED;
    *t = (table){.rows = e->rows, .columns = e->columns};
    if (!TAKE(a, t->g, e->rows * e->columns) || !TAKE(a, t->level, e->columns)
        || !TAKE(a, t->pivot, e->rows) || !TAKE(a, t->pivot_of, e->columns))
        return DAE_MEMORY;
    for (size_t c = 0; c < t->columns; c++) {
        const dae_slot s = extended_slot(e, c);
        t->level[c] = s.order - q->highest[s.unknown];
        if (t->level[c] > t->top) t->top = t->level[c];
        if (t->level[c] < t->bottom) t->bottom = t->level[c];
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            t->g[(size_t)p->row[k] * t->columns + c] = q->values[k]
                * q->size[s.unknown];
    }
    memset(t->pivot, 0xff, t->rows * sizeof *t->pivot);
    memset(t->pivot_of, 0xff, t->columns * sizeof *t->pivot_of);
    if (scaling == PICK_BY_UNITS) return scale_all(a, t);
    scale_to_rows(t);
    return DAE_OK;
}

static void eliminate(table *t, size_t i, size_t j)
{
    assert(t->pivot[i] < 0 && t->pivot_of[j] < 0);
    jordan_eliminate(t->g, t->rows, t->columns, i, j, NULL);
    t->pivot[i] = (int32_t)j;
    t->pivot_of[j] = (int32_t)i;
}

/* Whether the derivative of column c is not determined. */
static bool is_above_free(const pick_request *q, const table *t, size_t c)
{
    const size_t j = (size_t)q->e->column_unknown[c];
    return c + 1 < q->e->column_first[j + 1] && t->pivot_of[c + 1] < 0;
}

/* The best pivot of a level among derivatives, or among what is none; not in
 * columns that are barred (NULL: none is). 0: there is none. */
static double find_pivot(const pick_request *q, const table *t, int32_t level,
    bool of_derivatives, const uint8_t *barred, size_t *i, size_t *j)
{
    double best = 0;
    for (size_t c = 0; c < t->columns; c++) {
        if (t->level[c] != level || t->pivot_of[c] >= 0) continue;
        if (barred && barred[c]) continue;
        const dae_slot s = extended_slot(q->e, c);
        if ((s.order > 0) != of_derivatives) continue;
        const bool is_dear = q->is_preferred && q->is_preferred[s.unknown];
        /* a slot whose derivative is a state: where there is no other choice */
        const double taste = (is_above_free(q, t, c) ? 1 / THREE_DIGITS : 1)
            * (is_dear ? DIGIT : 1);
        for (size_t r = 0; r < t->rows; r++) {
            const double size = fabs(t->g[r * t->columns + c]);
            if (t->pivot[r] >= 0 || !(size > VALUES_ERROR)
                || !(size * taste > best))
                continue;
            best = size * taste, *i = r, *j = c;
        }
    }
    return best;
}

/* Of one level derivatives come first: where an equation has one beside an
 * algebraic unknown, it is the equation of the derivative, however small its
 * coefficient. */
static void reduce(const pick_request *q, table *t, const uint8_t *barred)
{
    size_t i, j;
    for (int32_t level = t->top; level >= t->bottom; level--)
        for (int of_derivatives = 1; of_derivatives >= 0; of_derivatives--)
            while (find_pivot(q, t, level, of_derivatives, barred, &i, &j) > 0)
                eliminate(t, i, j);
}

/* What is determined by states of its own level, in units of sizes. */
static double leverage_of(const table *t, const uint8_t *is_state, gauge *g)
{
    double most = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const int32_t r = t->pivot_of[c];
        if (r < 0 || t->level[c] > 0) continue;
        for (size_t k = 0; k < t->columns; k++) {
            if (!is_state[k] || t->level[k] != t->level[c]) continue;
            const double entry = t->g[(size_t)r * t->columns + k];
            if (g) gauge_take(g, entry);
            most = fmax(most, fabs(entry));
        }
    }
    return most;
}

/* Whether slot c is determined, by nothing that is frozen, or a state. */
static bool is_known(const table *t, const pick *p, size_t c)
{
    const int32_t r = t->pivot_of[c];
    if (r < 0) return p->is_state[c];
    for (size_t k = 0; k < t->columns; k++)
        if (p->is_frozen[k]
            && fabs(t->g[(size_t)r * t->columns + k]) > START_RTOL)
            return false;
    return true;
}

static bool may_be_loose(const pick_request *q, size_t c)
{
    const dae_slot s = extended_slot(q->e, c);
    return q->may_be_loose && q->may_be_loose[s.unknown] && s.order == 0;
}

static dae_status check(const pick_request *q, const table *t, const pick *p)
{
    const extended *e = q->e;
    int64_t states = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const dae_slot s = extended_slot(e, c);
        const bool is_needed = s.order <= q->needed[s.unknown]
            && !p->is_loose[c];
        if (is_needed && !is_known(t, p, c)) return DAE_UNSUPPORTED;
        if (!p->is_state[c]) continue;
        states++;
        if (c + 1 == e->column_first[s.unknown + 1] || !is_known(t, p, c + 1))
            return DAE_UNSUPPORTED;
    }
    return q->freedom < 0 || states == q->freedom ? DAE_OK : DAE_UNSUPPORTED;
}

/* From a table that is eliminated. */
static dae_status take(const pick_request *q, const table *t, pick *out)
{
    for (size_t c = 0; c < t->columns; c++) {
        const bool is_free = t->pivot_of[c] < 0;
        out->is_loose[c] = may_be_loose(q, c) && t->level[c] == 0;
        out->is_free[c] = is_free && out->is_loose[c];
        out->is_state[c] = is_free && !out->is_free[c] && t->level[c] <= 0;
        out->is_frozen[c] = is_free && t->level[c] > 0;
    }
    for (size_t r = 0; r < t->rows; r++) out->is_out[r] = t->pivot[r] < 0;
    out->leverage = leverage_of(t, out->is_state, NULL);
    return check(q, t, out);
}

/* Where the sizes do not tell what is independent, because units are further
 * apart than that, those do that the equations show. */
static dae_status choose_by_numbers(const pick_request *q, pick *out)
{
    assert(q->highest && q->needed);
    dae_status st = DAE_UNSUPPORTED;
    out->lost = -1;
    for (int k = 0; k < 2 && st == DAE_UNSUPPORTED; k++) {
        arena memory;
        table t;
        arena_init(&memory, q->allocator, 0);
        out->scaling = k == 0 ? PICK_BY_SIZES : PICK_BY_UNITS;
        st = table_make(q, out->scaling, &memory, &t);
        if (!st) {
            reduce(q, &t, NULL);
            st = take(q, &t, out);
        }
        arena_clear(&memory);
    }
    return st;
}

static dae_status measure_by_numbers(
    const pick_request *q, const pick *p, double *leverage)
{
    assert(q->highest);
    arena memory;
    table t;
    arena_init(&memory, q->allocator, 0);
    dae_status st = table_make(q, p->scaling, &memory, &t);
    uint8_t *barred = ARENA_ARRAY(&memory, uint8_t, q->e->columns);
    if (!st && !barred) st = DAE_MEMORY;
    if (!st) {
        for (size_t c = 0; c < t.columns; c++)
            barred[c] = p->is_state[c] || p->is_frozen[c] || p->is_free[c];
        for (size_t r = 0; r < t.rows; r++)
            if (p->is_out[r])
                memset(t.g + r * t.columns, 0, t.columns * sizeof *t.g);
        reduce(q, &t, barred);
        *leverage = leverage_of(&t, p->is_state, q->gauge);
        for (size_t r = 0; r < t.rows; r++)
            if (!p->is_out[r] && t.pivot[r] < 0) *leverage = HUGE_VAL;
    }
    arena_clear(&memory);
    return st;
}

/* ---- picks ------------------------------------------------------------------------ */

dae_status pick_choose(const pick_request *q, pick *out)
{
    assert(q->e && q->values && q->size);
    return q->is_by_numbers ? choose_by_numbers(q, out)
                            : choose_by_structure(q, out);
}

dae_status pick_measure(const pick_request *q, const pick *p, double *leverage)
{
    assert(q->e && q->values && q->size && p->is_state);
    return q->is_by_numbers ? measure_by_numbers(q, p, leverage)
                            : measure_by_structure(q, p, leverage);
}

/* All flags are one piece of memory. */
static size_t flags_of(const extended *e)
{
    return 4 * e->columns + e->rows;
}

dae_status pick_take(pick *p, const extended *e, arena *a)
{
    if (!TAKE(a, p->is_state, flags_of(e))) return DAE_MEMORY;
    p->is_frozen = p->is_state + e->columns;
    p->is_loose = p->is_frozen + e->columns;
    p->is_free = p->is_loose + e->columns;
    p->is_out = p->is_free + e->columns;
    return DAE_OK;
}

void pick_copy(pick *to, const pick *from, const extended *e)
{
    memcpy(to->is_state, from->is_state, flags_of(e));
    to->leverage = from->leverage;
    to->scaling = from->scaling;
}

bool pick_is_same(const pick *a, const pick *b, const extended *e)
{
    return memcmp(a->is_state, b->is_state, flags_of(e)) == 0;
}

bool pick_has_bounds(const dae_scales *s, size_t j)
{
    return s
        && ((s->minimum && s->minimum[j] > -HUGE_VAL)
            || (s->maximum && s->maximum[j] < HUGE_VAL));
}

/* ---- everything a state, but for what is another state's name ------------------ */

/* Whether the equality makes `name`, with all its derivatives, a name of
 * derivatives of `other`. */
static bool is_name(const dae_problem *p, const dae_structure *s,
    int32_t equation, dae_slot name, dae_slot other)
{
    const int64_t c = s->c[equation];
    return c > 0 && name.order == 0 && s->d[name.unknown] == c
        && other.order + c <= s->d[other.unknown]
        && !pick_has_bounds(p->scales, (size_t)name.unknown)
        && !pick_has_bounds(p->scales, (size_t)other.unknown);
}

/* No chain of names may end in itself. `of`: which unknown each stands for. */
static bool try_name(const extended *e, const dae_structure *s,
    int32_t equation, dae_slot name, dae_slot other, int32_t *of, pick *out)
{
    if (of[name.unknown] != name.unknown) return false;
    if (set_root(of, other.unknown) == name.unknown) return false;
    of[name.unknown] = other.unknown;
    const size_t first = e->column_first[name.unknown];
    const size_t row = e->row_first[equation];
    for (int64_t k = 0; k <= s->d[name.unknown]; k++) {
        out->is_state[first + (size_t)k] = 0;
        out->is_out[row + (size_t)k] = 0;
    }
    return true;
}

static void spread_all(const extended *e, const dae_structure *s,
    bool keeps_constraints, pick *out)
{
    for (size_t p = 0; p < e->columns; p++) {
        const dae_slot at = extended_slot(e, p);
        out->is_state[p] = at.order < s->d[at.unknown];
        out->is_frozen[p] = at.order > s->d[at.unknown];
    }
    for (size_t i = 0; i < e->rows; i++) {
        const size_t q = (size_t)e->row_equation[i];
        const int64_t k = (int64_t)(i - e->row_first[q]);
        out->is_out[i] = !keeps_constraints && k < s->c[q];
    }
    memset(out->is_loose, 0, e->columns);
    memset(out->is_free, 0, e->columns);
    out->leverage = 0;
    out->lost = -1;
}

dae_status pick_all(const dae_problem *original, const extended *e,
    const dae_structure *s, bool keeps_constraints,
    const dae_allocator *allocator, pick *out)
{
    assert(s->n == e->unknowns);
    arena memory;
    arena_init(&memory, allocator, 0);
    int32_t *of = ARENA_ARRAY(&memory, int32_t, s->n);
    if (of) {
        for (size_t j = 0; j < s->n; j++) of[j] = (int32_t)j;
        spread_all(e, s, keeps_constraints, out);
        for (size_t k = 0; k < original->equality_count; k++) {
            const dae_equality *q = &original->equalities[k];
            if (is_name(original, s, q->equation, q->first, q->second)
                && try_name(e, s, q->equation, q->first, q->second, of, out))
                continue;
            if (is_name(original, s, q->equation, q->second, q->first))
                (void)try_name(e, s, q->equation, q->second, q->first, of, out);
        }
    }
    arena_clear(&memory);
    return of ? DAE_OK : DAE_MEMORY;
}
