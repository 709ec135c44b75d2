/* The programs that make residual and Jacobian run once more in another
 * arithmetic; products of the chain rule are products of series. */
#include "code/series.h"
#include "code/series_run.h"

/* ---- memory -------------------------------------------------------------- */

/* What is kept in the store, in this order; sizes in series. */
typedef struct extent {
    size_t x, xp, definitions, temps, results, scratch;
} extent;

static const task *task_of(const compiled *c, series_kind kind)
{
    switch (kind) {
    case SERIES_ENTRIES: return &c->jacobian.all;
    case SERIES_ROOTS: return &c->root_task;
    default: return &c->residual;
    }
}

static size_t result_count(const compiled *c, series_kind kind)
{
    switch (kind) {
    case SERIES_ENTRIES: return c->jacobian.nonzeros;
    case SERIES_ROOTS: return c->switch_count;
    default: return c->slots.total;
    }
}

static extent extent_of(const compiled *c, series_kind kind)
{
    const task *what = task_of(c, kind);
    return (extent){
        .x = c->slots.total_states,
        .xp = c->slots.total,
        .definitions = c->defs.count,
        .temps = kind == SERIES_ENTRIES ? c->temp_count : 0,
        .results = result_count(c, kind),
        .scratch = what->program ? series_run_scratch(what->program) : 0,
    };
}

/* In doubles; false where that is too much. */
static bool size_of_extent(const extent *e, size_t width, size_t *size)
{
    size_t count = SERIES_TEMPS + 1; /* 1: time */
    return size_add(count, e->x, &count) && size_add(count, e->xp, &count)
        && size_add(count, e->definitions, &count)
        && size_add(count, e->temps, &count)
        && size_add(count, e->results, &count)
        && size_add(count, e->scratch, &count) && size_mul(count, width, size);
}

static double *cut(double **memory, size_t count, size_t width)
{
    double *part = *memory;
    *memory += count * width;
    return part;
}

static void lay_out(
    const extent *e, size_t terms, double *memory, series_space *space)
{
    const size_t width = terms + 1;
    space->room.terms = terms;
    for (int k = 0; k < SERIES_TEMPS; k++)
        space->room.temp[k] = cut(&memory, 1, width);
    space->time = cut(&memory, 1, width);
    space->x = cut(&memory, e->x, width);
    space->xp = cut(&memory, e->xp, width);
    space->definitions = cut(&memory, e->definitions, width);
    space->temps = cut(&memory, e->temps, width);
    space->results = cut(&memory, e->results, width);
    space->scratch = cut(&memory, e->scratch, width);
}

void series_free(const dae_allocator *a, series_store *store)
{
    alloc_free(a, store->memory, store->size, sizeof *store->memory);
    *store = (series_store){0};
}

/* The store for so many terms, made where it is not there yet. */
static dae_status take_space(
    compiled *c, series_kind kind, size_t terms, series_space *space)
{
    series_store *store = &c->series[kind];
    extent e = extent_of(c, kind);
    size_t size;
    if (!size_of_extent(&e, terms + 1, &size)) return DAE_LIMIT;
    bool is_new = store->terms != terms;
    if (is_new) {
        double *memory = alloc_zeroed(c->allocator, size, sizeof *memory);
        if (!memory) return DAE_MEMORY;
        series_free(c->allocator, store);
        *store = (series_store){terms, size, memory};
    }
    lay_out(&e, terms, store->memory, space);
    for (size_t k = 0; is_new && k < e.definitions; k++) /* some have no rows */
        series_set(&space->room, 0, space->definitions + k * (terms + 1));
    return DAE_OK;
}

/* ---- the curve ----------------------------------------------------------- */

/* The order-th derivative of a curve with the coefficients x. */
static void differentiate(
    const series_room *m, const double *x, unsigned order, double *out)
{
    for (size_t k = 0; k < m->terms; k++) {
        double factor = 1;
        for (unsigned o = 1; o <= order; o++) factor *= (double)(k + o);
        out[k] = factor * x[k + order];
    }
    out[m->terms] = (double)m->terms;
}

static void read_curve(const compiled *c, double t0, const double *x,
    size_t stride, series_space *space)
{
    const series_room *m = &space->room;
    const size_t width = m->terms + 1;
    for (size_t j = 0; j < c->slots.total; j++) {
        const unsigned highest = c->slots.order[j];
        double *state = space->x + c->slots.first[j] * width;
        for (unsigned o = 0; o < highest || o == 0; o++)
            differentiate(m, x + j * stride, o, state + o * width);
        if (highest > 0)
            differentiate(m, x + j * stride, highest, space->xp + j * width);
    }
    series_set(m, t0, space->time);
    if (m->terms > 1) space->time[1] = 1;
    series_close(m, (double)m->terms, space->time);
}

bool series_is_long_enough(const compiled *c, size_t terms, size_t stride)
{
    const uint8_t *order = c->slots.order;
    uint8_t highest = 0;
    for (size_t j = 0; j < c->slots.total; j++)
        highest = order[j] > highest ? order[j] : highest;
    return stride >= terms + (size_t)highest;
}

/* ---- running ------------------------------------------------------------- */

static void clear(
    const task *what, double *const outs[OUT_COUNT], const series_room *m)
{
    for (int o = 0; o < OUT_COUNT; o++)
        for (size_t k = 0; k < what->clear[o].count; k++) {
            index_range range = what->clear[o].items[k];
            for (uint32_t i = range.begin; i < range.end; i++)
                series_set(m, 0, outs[o] + i * (m->terms + 1));
        }
}

static void run(const compiled *c, const task *what, const series_space *space)
{
    double *const outs[OUT_COUNT] = {
        [OUT_MAIN] = space->results,
        [OUT_DEF] = space->definitions,
        [OUT_JAC] = space->temps,
    };
    double *const at[AT_COUNT] = {
        [AT_X] = space->x,
        [AT_XP] = space->xp,
        [AT_PARAM] = c->s->param_values.items,
        [AT_DEF] = space->definitions,
        [AT_TIME] = space->time,
        [AT_HELD] = c->held,
        [AT_MAIN] = space->results,
        [AT_OUT_DEF] = space->definitions,
        [AT_JAC] = space->temps,
        [AT_SLOT] = space->scratch,
    };
    if (!what->program) return;
    clear(what, outs, &space->room);
    series_run(&space->room, what->program, at);
}

static void run_links(const series_space *space, const chain_link *links,
    size_t count, double *out)
{
    const size_t width = space->room.terms + 1;
    for (size_t k = 0; k < count; k++)
        series_add_product(&space->room, space->temps + links[k].factor * width,
            space->temps + links[k].gradient * width,
            out + links[k].target * width);
}

dae_status series_evaluate(compiled *c, series_kind kind, size_t terms,
    double t0, const double *x, size_t stride, series_space *space)
{
    const jacobian *j = &c->jacobian;
    if (terms == 0 || terms > DAE_SERIES_TERMS_MAX
        || !series_is_long_enough(c, terms, stride))
        return DAE_ARGUMENT;
    dae_status st = take_space(c, kind, terms, space);
    if (st) return st;
    read_curve(c, t0, x, stride, space);
    run(c, task_of(c, kind), space);
    if (kind == SERIES_ENTRIES) {
        run_links(space, j->inner.items, j->inner.count, space->temps);
        run_links(space, j->outer.items, j->outer.count, space->results);
    }
    return DAE_OK;
}

/* Coefficients for the caller: NaN from the first that is missing or too
 * large. */
static dae_status write_results(
    const series_space *space, size_t count, double *out)
{
    const size_t terms = space->room.terms;
    dae_status st = DAE_OK;
    for (size_t i = 0; i < count; i++) {
        const double *from = space->results + i * (terms + 1);
        size_t known = series_known(&space->room, from), k = 0;
        double *to = out + i * terms;
        for (; k < terms && (k == 0 || k < known) && isfinite(from[k]); k++)
            to[k] = from[k];
        if (k == 0) st = DAE_RETRY;
        for (; k < terms; k++) to[k] = (double)NAN;
    }
    return st;
}

static dae_status evaluate(compiled *c, series_kind kind, size_t terms,
    double t0, const double *x, size_t stride, double *f)
{
    series_space space;
    const dae_status st = series_evaluate(
        c, kind, terms, t0, x, stride, &space);
    return st ? st : write_results(&space, result_count(c, kind), f);
}

dae_status series_values(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *f)
{
    return evaluate(self, SERIES_EQUATIONS, terms, t0, x, stride, f);
}

dae_status series_entries(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *values)
{
    return evaluate(self, SERIES_ENTRIES, terms, t0, x, stride, values);
}

/* Switches have values where others have none. */
dae_status series_roots(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *g)
{
    const dae_status st = evaluate(self, SERIES_ROOTS, terms, t0, x, stride, g);
    return st == DAE_RETRY ? DAE_OK : st;
}
