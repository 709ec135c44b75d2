/* The same programs as in series.c, over planes. Where these give up, the
 * careful arithmetic computes everything: kinks, edges of domains and
 * values that are not finite are rare. */
#include "code/series_part.h"
#include "code/series.h"
#include "code/series_planes.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Results next to each other, of all planes in turn, that are requested. */
typedef struct plane_run {
    size_t begin, end;
} plane_run;

typedef struct series_part {
    series_plan plan;
    plane_space space;
    series_room room;
    size_t size; /* doubles of c->planes */
    ARRAY(plane_run) asked;
} series_part;

void series_part_free(const dae_allocator *a, struct series_part *part)
{
    if (!part) return;
    series_plan_free(a, &part->plan);
    ARRAY_FREE(a, &part->asked);
    alloc_free(a, part, 1, sizeof *part);
}

void series_part_release(compiled *c)
{
    alloc_free(c->allocator, c->planes, c->planes_size, sizeof *c->planes);
    c->planes = NULL;
    c->planes_size = 0;
}

/* ---- memory -------------------------------------------------------------------- */

static const uint8_t own_places[] = {AT_X, AT_XP, AT_DEF, AT_TIME, AT_JAC};
enum { OWN_PLACES = sizeof own_places };

static void set_sizes(const compiled *c, series_part *p)
{
    size_t *size = p->space.size;
    size[AT_X] = c->slots.total_states;
    size[AT_XP] = c->slots.total;
    size[AT_PARAM] = c->s->param_values.count;
    size[AT_DEF] = size[AT_OUT_DEF] = c->defs.count;
    size[AT_TIME] = 1;
    size[AT_HELD] = c->held_count + 1;
    size[AT_MAIN] = p->plan.results;
    size[AT_JAC] = c->temp_count;
}

static bool measure(const program *code, series_part *p)
{
    const size_t scratch = series_planes_scratch(code, &p->plan);
    size_t items = 0;
    for (size_t k = 0; k < OWN_PLACES; k++)
        if (!size_add(items, p->space.size[own_places[k]], &items))
            return false;
    return scratch > 0 && size_mul(items, p->plan.most, &p->size)
        && size_add(p->size, SERIES_TEMPS * (p->plan.most + 1), &p->size)
        && size_add(p->size, scratch, &p->size);
}

/* Scratch comes first: there stands a table of pointers. Results go where the
 * caller wants them. */
static void lay_out(
    const compiled *c, const program *code, series_part *p, double *results)
{
    double *memory = c->planes;
    plane_space *s = &p->space;
    s->scratch = memory;
    memory += series_planes_scratch(code, &p->plan);
    p->room.terms = p->plan.most;
    for (int k = 0; k < SERIES_TEMPS; k++, memory += p->plan.most + 1)
        p->room.temp[k] = memory;
    for (size_t k = 0; k < OWN_PLACES; k++) {
        s->at[own_places[k]] = memory;
        memory += p->plan.most * s->size[own_places[k]];
    }
    assert(memory == c->planes + p->size && p->size <= c->planes_size);
    s->at[AT_OUT_DEF] = s->at[AT_DEF];
    s->at[AT_MAIN] = results;
    s->at[AT_PARAM] = c->s->param_values.items;
    s->at[AT_HELD] = c->held;
    s->room = &p->room;
    program_places(code, c->work, s->at);
}

/* Equations and entries are never evaluated at the same time. */
static bool reserve(compiled *c, size_t size)
{
    if (size <= c->planes_size) return true;
    series_part_release(c);
    c->planes = alloc_zeroed(c->allocator, size, sizeof *c->planes);
    c->planes_size = c->planes ? size : 0;
    return c->planes != NULL;
}

/* false: no memory. */
static bool find_asked(const compiled *c, series_part *p)
{
    const size_t results = p->plan.results;
    for (size_t k = 0; k < p->plan.most; k++)
        for (size_t i = 0; i < results; i++) {
            const size_t at = k * results + i, count = p->asked.count;
            if (p->plan.need[i] <= k) continue;
            if (count > 0 && p->asked.items[count - 1].end == at)
                p->asked.items[count - 1].end++;
            else if (!ARRAY_PUSH(
                         c->allocator, &p->asked, (plane_run){at, at + 1}))
                return false;
        }
    return true;
}

static dae_status make(
    compiled *c, bool is_jacobian, const uint8_t *need, series_part *p)
{
    const task *what = is_jacobian ? &c->jacobian.all : &c->residual;
    dae_status st = series_plan_make(c, is_jacobian, need, &p->plan);
    if (st) return st;
    set_sizes(c, p);
    if (!find_asked(c, p)) return DAE_MEMORY;
    return measure(what->program, p) ? DAE_OK : DAE_LIMIT;
}

/* What was made for the same question, or anew. */
static dae_status find_part(
    compiled *c, bool is_jacobian, const uint8_t *need, series_part **out)
{
    series_part *p = c->parts[is_jacobian];
    *out = p;
    if (p && memcmp(p->plan.need, need, p->plan.results) == 0) return DAE_OK;
    series_part_free(c->allocator, p);
    c->parts[is_jacobian] = NULL;
    if (!(p = alloc_zeroed(c->allocator, 1, sizeof *p))) return DAE_MEMORY;
    const dae_status st = make(c, is_jacobian, need, p);
    if (st) series_part_free(c->allocator, p);
    else *out = c->parts[is_jacobian] = p;
    return st;
}

/* ---- running ------------------------------------------------------------------- */

/* Where coefficients of an item go, plane by plane. */
typedef struct planes {
    double *at;
    size_t width;
} planes;

static planes planes_of(const series_part *p, unsigned at)
{
    return (planes){p->space.at[at], p->space.size[at]};
}

/* The first `terms` coefficients of the order-th derivative of a curve x, for item
 * `index`. */
static inline void differentiate(const planes *to, size_t index,
    const double *restrict x, unsigned order, size_t terms)
{
    double *restrict out = to->at + index;
    for (size_t k = 0; k < terms; k++, out += to->width) {
        double factor = 1;
        for (unsigned o = 1; o <= order; o++) factor *= (double)(k + o);
        *out = factor * x[k + order];
    }
}

/* In most curves of one unknown the orders are constants here. */
static void read_curve(const compiled *c, const series_part *p, double t0,
    const double *x, size_t stride)
{
    const slot_tables *l = &c->slots;
    const uint8_t *state = p->plan.state, *slope = p->plan.slope;
    const planes values = planes_of(p, AT_X), slopes = planes_of(p, AT_XP);
    for (size_t j = 0; j < l->total; j++, x += stride) {
        const unsigned highest = l->order[j];
        const size_t s = l->first[j];
        differentiate(&values, s, x, 0, state[s]);
        if (highest > 1) differentiate(&values, s + 1, x, 1, state[s + 1]);
        for (unsigned o = 2; o < highest; o++)
            differentiate(&values, s + o, x, o, state[s + o]);
        if (highest == 1) differentiate(&slopes, j, x, 1, slope[j]);
        else if (highest == 2) differentiate(&slopes, j, x, 2, slope[j]);
        else if (highest > 0) differentiate(&slopes, j, x, highest, slope[j]);
    }
    for (size_t k = 0; k < p->plan.most; k++)
        p->space.at[AT_TIME][k] = k == 0 ? t0 : k == 1;
}

static void clear(const task *what, const series_part *p)
{
    static const uint8_t places[OUT_COUNT] = {
        [OUT_MAIN] = AT_MAIN, [OUT_DEF] = AT_OUT_DEF, [OUT_JAC] = AT_JAC};
    for (int o = 0; o < OUT_COUNT; o++)
        for (size_t q = 0; q < what->clear[o].count; q++) {
            const index_range range = what->clear[o].items[q];
            double *at = p->space.at[places[o]] + range.begin;
            for (size_t k = 0; k < p->plan.most; k++)
                memset(at + k * p->space.size[places[o]], 0,
                    (size_t)(range.end - range.begin) * sizeof *at);
        }
}

static void run_links(const series_part *p, const chain_link *links,
    size_t count, unsigned at, const uint8_t *need)
{
    const double *temps = p->space.at[AT_JAC];
    const size_t width = p->space.size[AT_JAC], size = p->space.size[at];
    for (size_t q = 0; q < count; q++) {
        const double *a = temps + links[q].factor;
        const double *b = temps + links[q].gradient;
        double *target = p->space.at[at] + links[q].target;
        const size_t terms = need[links[q].target];
        if (terms > 0) target[0] += a[0] * b[0];
        for (size_t k = 1; k < terms; k++) {
            double sum = 0;
            for (size_t j = 0; j <= k; j++)
                sum += a[j * width] * b[(k - j) * width];
            target[k * size] += sum;
        }
    }
}

static bool run(const compiled *c, bool is_jacobian, const series_part *p)
{
    const task *what = is_jacobian ? &c->jacobian.all : &c->residual;
    const jacobian *j = &c->jacobian;
    clear(what, p);
    if (!series_planes_run(what->program, &p->plan, &p->space)) return false;
    if (!is_jacobian) return true;
    run_links(p, j->inner.items, j->inner.count, AT_JAC, p->plan.temp);
    run_links(p, j->outer.items, j->outer.count, AT_MAIN, p->plan.need);
    return true;
}

/* Products with 0 are 0 or NaN: in lanes, at the speed of addition. */
static bool are_finite(const series_part *p)
{
    const double *f = p->space.at[AT_MAIN];
    double lost[4] = {0};
    for (size_t r = 0; r < p->asked.count; r++) {
        size_t i = p->asked.items[r].begin;
        const size_t end = p->asked.items[r].end;
        for (; i + 4 <= end; i += 4)
            for (size_t lane = 0; lane < 4; lane++)
                lost[lane] += 0 * f[i + lane];
        for (; i < end; i++) lost[0] += 0 * f[i];
    }
    return lost[0] + lost[1] + lost[2] + lost[3] == 0;
}

/* ---- callbacks ------------------------------------------------------------------ */

/* *is_done: false where the careful arithmetic is to be asked. */
static dae_status evaluate(compiled *c, bool is_jacobian, const uint8_t *need,
    size_t terms, double t0, const double *x, size_t stride, double *f,
    bool *is_done)
{
    const task *what = is_jacobian ? &c->jacobian.all : &c->residual;
    series_part *p;
    *is_done = false;
    if (!what->program || !series_is_long_enough(c, terms, stride))
        return DAE_OK;
    const dae_status st = find_part(c, is_jacobian, need, &p);
    if (st) return st;
    if (p->plan.most > terms) return DAE_ARGUMENT;
    if (p->plan.most == 0) return DAE_OK;
    if (!reserve(c, p->size)) return DAE_MEMORY;
    lay_out(c, what->program, p, f);
    read_curve(c, p, t0, x, stride);
    *is_done = run(c, is_jacobian, p) && are_finite(p);
    return DAE_OK;
}

/* By the careful arithmetic, whose coefficients of an item stand together. */
static dae_status evaluate_carefully(compiled *c, bool is_jacobian,
    size_t terms, double t0, const double *x, size_t stride, double *f)
{
    const size_t count = series_results(c, is_jacobian);
    dae_series_fn *careful = is_jacobian ? series_entries : series_values;
    size_t size;
    if (!size_mul(count, terms, &size)) return DAE_LIMIT;
    double *all = alloc_zeroed(c->allocator, size, sizeof *all);
    if (!all) return DAE_MEMORY;
    const dae_status st = careful(c, terms, t0, x, stride, all);
    for (size_t k = 0; k < terms && (!st || st == DAE_RETRY); k++)
        for (size_t i = 0; i < count; i++)
            f[k * count + i] = all[i * terms + k];
    alloc_free(c->allocator, all, size, sizeof *all);
    return st;
}

dae_status series_part_values(void *self, const uint8_t *need, size_t terms,
    double t0, const double *x, size_t stride, double *f)
{
    bool is_done;
    const dae_status st = evaluate(
        self, false, need, terms, t0, x, stride, f, &is_done);
    if (st || is_done) return st;
    return evaluate_carefully(self, false, terms, t0, x, stride, f);
}

dae_status series_part_entries(void *self, const uint8_t *need, size_t terms,
    double t0, const double *x, size_t stride, double *values)
{
    bool is_done;
    const dae_status st = evaluate(
        self, true, need, terms, t0, x, stride, values, &is_done);
    if (st || is_done) return st;
    return evaluate_carefully(self, true, terms, t0, x, stride, values);
}
