#include "run/tape.h"
#include "base/report.h"
#include "run/global.h"
#include <dae/names.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Points: hundreds see every turn of what steps resolve; fewer of large models. */
enum { MOST_ROWS = 2000, LEAST_ROWS = 16, MOST_VALUES = 1 << 24 };

/* Rows to either side whose values count as nearby. */
enum { NEARBY = 8, NEARBY_PART = 50 };

/* Part of the times that may lie between an event of one run and the same event
 * of the other. */
static const double MOST_BETWEEN = 0.1;

/* ---- recording ---- */

static void copy_row(tape *k, size_t to, size_t from)
{
    k->times[to] = k->times[from];
    k->events[to] = k->events[from];
    memcpy(tape_row(k, to), tape_row(k, from), k->state_count * sizeof *k->x);
}

/* Every other row. */
static void thin_out(tape *k)
{
    size_t kept = 0;
    for (size_t p = 1; p < k->count; p += 2) copy_row(k, kept++, p);
    k->count = kept;
    k->stride *= 2;
}

static void put_row(tape *k, double t, const double *x)
{
    k->times[k->count] = t;
    k->events[k->count] = k->run->event_count;
    if (x != tape_row(k, k->count))
        memcpy(tape_row(k, k->count), x, k->state_count * sizeof *k->x);
    k->count++;
}

/* The last row is left for the end. */
static void note(tape *k, double t, const double *x)
{
    if (++k->passed < k->stride) return;
    k->passed = 0;
    if (k->count + 1 == k->room) thin_out(k);
    put_row(k, t, x);
}

static dae_status see_row(void *context, const dae_point *p)
{
    static const unsigned others = DAE_POINT_START | DAE_POINT_BEFORE
        | DAE_POINT_AFTER | DAE_POINT_END;
    if (!(p->why & others)) note(context, p->t, p->x);
    return DAE_OK;
}

static dae_status tape_mark(void *context, const dae_point *p)
{
    tape *k = context;
    if (k->count + 1 < k->room) put_row(k, p->t, p->x);
    return DAE_OK;
}

static bool make_room(tape *k, size_t rows)
{
    k->room = rows;
    k->times = ARENA_ARRAY(&k->memory, double, rows);
    k->events = ARENA_ARRAY(&k->memory, int64_t, rows);
    k->x = ARENA_ARRAY(&k->memory, double, rows * k->state_count);
    k->atol = ARENA_ARRAY(&k->memory, double, k->state_count);
    return k->times && k->events && k->x && k->atol;
}

static size_t rows_for(size_t state_count)
{
    const size_t rows = MOST_VALUES / (state_count + 1);
    if (rows > MOST_ROWS) return MOST_ROWS;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static void note_tolerances(tape *k, const solution *r)
{
    const uint8_t *order = r->problem.order;
    size_t s = 0;
    k->rtol = solution_rtol(r);
    for (size_t j = 0; j < r->unknown_count; j++) {
        const int states = order && order[j] > 1 ? order[j] : 1;
        const bool is_internal = dae_group_is_internal(&r->problem, j);
        const double atol = is_internal ? (double)INFINITY
                                        : solution_atol(r, j);
        for (int q = 0; q < states; q++) k->atol[s++] = atol;
    }
}

static dae_status begin(tape *k, const solution *r, size_t rows)
{
    *k = (tape){.run = r, .state_count = r->state_count, .stride = 1};
    arena_init(&k->memory, r->request->allocator, 0);
    if (!make_room(k, rows)) return DAE_MEMORY;
    note_tolerances(k, r);
    return DAE_OK;
}

/* The same of one that others watch, too: at so many times, evenly in the interval, which are
 * ends of steps where these are near enough. */
static dae_status tape_follow(tape *k, solution *r, size_t rows)
{
    const dae_status st = begin(k, r, rows + 2);
    k->apart = fabs(r->t1 - r->t0) / (double)rows;
    if (!st) r->tape = k;
    return st;
}

/* Before the run starts: it is to be recorded at the times of `like`, whose tape
 * outlives the run, or (NULL) at times of its own. */
static dae_status tape_attach(tape *k, solution *r, const tape *like)
{
    const dae_status st = begin(
        k, r, like ? like->count : rows_for(r->state_count));
    if (st) return st;
    r->grid = (grid){.kind = GRID_DENSE, .t0 = r->t0, .t1 = r->t1};
    r->context = k;
    r->see = like ? tape_mark : see_row;
    r->wants = like ? DAE_POINT_MARK : DAE_POINT_STEP | DAE_POINT_ROW;
    r->marks = like ? like->times : NULL;
    r->mark_count = like ? like->count - 1 : 0;
    return DAE_OK;
}

/* The run has come to its end, which is the last time. */
static void tape_end(tape *k, const solution *r)
{
    put_row(k, r->t, r->x);
    k->is_stopped = r->is_stopped;
    k->ends_at_event = solution_ends_at_event(r);
    k->run = NULL;
}

dae_status tape_record(tape *k, solution *r, const tape *like)
{
    dae_status st = tape_attach(k, r, like);
    if (!st) st = solution_start(r);
    if (!st) st = solution_steps(r);
    if (!st) tape_end(k, r);
    return st;
}

void tape_clear(tape *k)
{
    arena_clear(&k->memory);
    memset(k, 0, sizeof *k);
}

/* The last time, or where the step began, which is far from it after an event. */
static double last_time(const tape *k, const solution *r)
{
    const double last = k->count > 0 ? k->times[k->count - 1] : r->t0;
    return fabs(r->t - last) < k->apart ? last : r->t;
}

/* What lies in the step up to `end`; the next is the end of a step, if it can be. */
static dae_status take_inside(tape *k, const solution *r, double end)
{
    const double apart = r->t1 < r->t0 ? -k->apart : k->apart;
    double last = last_time(k, r);
    dae_status st = DAE_OK;
    while (!st && fabs(end - last) >= 2 * k->apart && k->count + 1 < k->room) {
        double *x = tape_row(k, k->count);
        last += apart;
        st = dae_solver_interpolate(r->solver, last, x, NULL);
        if (!st) put_row(k, last, x);
    }
    return st;
}

dae_status tape_step(tape *k, const solution *r)
{
    const double end = r->step_end;
    const dae_status st = take_inside(k, r, end);
    const double last = last_time(k, r);
    const bool is_inner = fabs(end - r->t1) > 0
        && !dae_solver_stands_at_event(r->solver);
    if (!st && is_inner && fabs(end - last) >= k->apart
        && k->count + 1 < k->room)
        put_row(k, end, dae_solver_x(r->solver));
    return st;
}

/* ---- names ---- */

/* The unknown that a state is one of, and its name with a prime for each derivative;
 * false: memory ran out for it. */
static size_t tape_unknown(const solution *r, size_t state, size_t *derivative)
{
    const uint8_t *order = r->problem.order;
    size_t j = 0;
    for (; j < r->unknown_count; j++) {
        const size_t states = order && order[j] > 1 ? order[j] : 1;
        if (state < states) break;
        state -= states;
    }
    *derivative = state;
    return j;
}

bool tape_state_name(const solution *r, size_t state, char name[TAPE_NAME_SIZE])
{
    static const char *const primes[] = {"", "'", "''"};
    dae_name_buffer buffer = {0};
    size_t derivative;
    const size_t j = tape_unknown(r, state, &derivative);
    const char *text = j < r->unknown_count
        ? dae_name_of(&r->problem, DAE_NAME_UNKNOWN, j, &buffer)
        : "?";
    (void)snprintf(name, TAPE_NAME_SIZE, "%.40s%s", text,
        primes[derivative < 2 ? derivative : 2]);
    return dae_name_done(&buffer);
}

/* ---- two of them ---- */

/* Of the rows of a large model, which are few, the same part, but one. */
static size_t rows_nearby(const tape *k)
{
    const size_t part = k->count / NEARBY_PART;
    return part < 1 ? 1 : part < NEARBY ? part : NEARBY;
}

static double size_nearby(const tape *k, size_t p, size_t s)
{
    const size_t rows = rows_nearby(k), first = p < rows ? 0 : p - rows;
    double size = 0;
    for (size_t q = first; q < k->count && q <= p + rows; q++)
        size = fmax(size, fabs(tape_row(k, q)[s]));
    return size;
}

static void compare_rows(
    const tape *a, size_t p, const tape *b, size_t q, tape_gap *gap)
{
    const double *x = tape_row(a, p), *y = tape_row(b, q);
    for (size_t s = 0; s < a->state_count; s++) {
        const double off = fabs(x[s] - y[s]);
        if (!(off > gap->size * b->atol[s])) continue;
        const double size = off / (b->rtol * size_nearby(b, q, s) + b->atol[s]);
        if (size > gap->size)
            *gap = (tape_gap){.size = size,
                .state = s,
                .t = b->times[q],
                .values = {x[s], y[s]}};
    }
}

/* One more is no other one where it is so near to the end of the interval that
 * the other run may have it still ahead. */
static bool have_same_events(const tape *a, const tape *b)
{
    const int64_t of_a = a->events[a->count - 1],
                  of_b = b->events[b->count - 1];
    if (a->is_stopped != b->is_stopped) return false;
    if (of_a == of_b || a->is_stopped) return of_a == of_b;
    return of_a > of_b ? a->ends_at_event : b->ends_at_event;
}

/* The first rows of both. */
static tape_gap compare_first(const tape *a, const tape *b, size_t count)
{
    size_t between = 0;
    tape_gap gap = {.size = 0};
    for (size_t p = 0; p < count; p++)
        if (a->events[p] != b->events[p]) between++;
        else compare_rows(a, p, b, p, &gap);
    gap.has_events = (double)between > MOST_BETWEEN * (double)count;
    return gap;
}

/* Where the run of `b` has failed, and has no end. */
static tape_gap tape_compare_part(const tape *a, const tape *b)
{
    const size_t inner = a->count > 0 ? a->count - 1 : 0;
    return compare_first(a, b, inner < b->count ? inner : b->count);
}

tape_gap tape_compare(const tape *a, const tape *b)
{
    tape_gap gap = compare_first(
        a, b, (a->count < b->count ? a->count : b->count) - 1);
    if (!(gap.size > 0)) gap.t = b->times[b->count - 1];
    gap.has_events = gap.has_events || !have_same_events(a, b);
    if (gap.has_events) return gap;
    if (a->events[a->count - 1] == b->events[b->count - 1])
        compare_rows(a, a->count - 1, b, b->count - 1, &gap);
    return gap;
}

/* ---- the error at the end ---- */

static double value_of(const solution *r, size_t j)
{
    return dae_model_unknown_value(r->model, j, 0, r->x, r->xp);
}

/* Both have the same events behind them, as far as can be told. */
static bool are_alike(const solution *r, const solution *finer)
{
    if (r->is_stopped != finer->is_stopped) return false;
    if (r->event_count == finer->event_count) return true;
    return !solution_ends_at_event(
        r->event_count > finer->event_count ? r : finer);
}

static dae_status compare(
    dae_estimate *e, const solution *r, const solution *finer, arena *memory)
{
    double sum = 0;
    e->has_sides = !are_alike(r, finer);
    e->last_events[0] = r->event_count ? r->last_event : (double)NAN;
    e->last_events[1] = finer->event_count ? finer->last_event : (double)NAN;
    e->end = r->t - finer->t;
    if (e->has_sides) return DAE_OK;
    e->count = dae_model_unknown_count(r->model);
    double *differences = ARENA_ARRAY(memory, double, e->count);
    e->differences = differences;
    if (!differences) return DAE_MEMORY;
    for (size_t j = 0; j < e->count; j++) {
        double d = value_of(r, j) - value_of(finer, j);
        double weight = solution_rtol(r) * fabs(value_of(finer, j))
            + solution_atol(r, j);
        differences[j] = d;
        if (fabs(d) > 0) sum += (d / weight) * (d / weight);
    }
    e->norm = e->count ? sqrt(sum / (double)e->count) : 0;
    e->is_known = true;
    return DAE_OK;
}

dae_status estimate_make(
    dae_estimate *e, const solution *r, dae_diagnostics *ds, arena *memory)
{
    solution finer;
    *e = (dae_estimate){.count = 0};
    const tolerance_factors tenth = {
        0.1 * r->factors.rtol, 0.1 * r->factors.atol};
    dae_status st = solution_init(&finer, r->request, tenth, true, ds);
    if (!st) st = solution_start(&finer);
    if (!st) st = solution_steps(&finer);
    if (!st) st = compare(e, r, &finer, memory);
    solution_clear(&finer);
    return st;
}

dae_status estimate_try(dae_estimate *e, const solution *r, arena *memory)
{
    const text_span none = {0, 0};
    dae_diagnostics *quiet;
    if (dae_diagnostics_create(r->request->allocator, &quiet))
        return DAE_MEMORY;
    dae_status st = estimate_make(e, r, quiet, memory);
    if (st && st != DAE_MEMORY && st != DAE_INTERRUPTED) {
        const char *why = solution_last_error(quiet);
        if (dae_diagnostics_lost(quiet)) report_lost(r->ds);
        report(r->ds, DIAG_W0531, NULL, none,
            "the error at the end is not estimated by a run at a tenth of the "
            "tolerances: %s",
            why ? why : "it failed");
        st = DAE_OK;
    }
    dae_diagnostics_free(quiet);
    return st;
}

/* ---- what absolute tolerances hide ---- */

/* An unknown is low where its absolute tolerance is so many times what the relative one
 * allows: an error there that is kept by what it grows to is as many tolerances then, and
 * that of ten steps is what is told. */
static const double LOW = 100;

/* Passages through 0 and starts from it are shorter, as a part of the interval. Of 52 wrong
 * runs 51 have 0.057 of it and more, of 228 models with tight tolerances 27. */
static const double LEAST_SHARE = 0.05;

/* It grows back where it is so many times as large later. */
static const double BACK = 10;

/* What is told, in tolerances: half of what nobody shall meet unwarned, of which a sample
 * of times sees a part. */
static const double TOLD = 500;

/* The absolute tolerances of the second run; what lies below them is no better known by
 * it. With a thousandth 50 of the 52 runs differ from it, with this all do. */
static const double PART = 1e-6;

/* Its steps: so many times those of the first, and some; 1.4 times is usual, 2.8 seldom. */
enum { MOST_STEPS = 2, MORE_STEPS = 1000 };

/* Its work, in values of integrated states that its steps compute, 500 to 3000 instructions
 * each; equations with long sums cost more. */
enum { MOST_WORK = 5 << 16 };

/* So many steps are enough for it, wherever the first took more: these are what small
 * errors cost. */
enum { ENOUGH_STEPS = 1 << 16 };

/* Times at which the two are compared, about: a narrow peak between them is not seen. */
enum { ROWS = 256 };

static double steps_for(const solution *r)
{
    return MOST_WORK / (double)dae_solver_stats(r->solver)->unknowns;
}

dae_status atol_check_begin(tape *k, solution *r)
{
    const run_request *q = r->request;
    const bool is_wanted = settings_choice(
                               &q->settings, r->model, SETTING_CHECK_ATOL)
        == 0;
    const bool has_tolerances = r->options.rtol > 0 && !(r->options.step > 0);
    if (!is_wanted || !has_tolerances || global_is_asked(q)) return DAE_OK;
    return steps_for(r) >= MORE_STEPS ? tape_follow(k, r, ROWS) : DAE_OK;
}

/* ---- is there a reason? ---- */

static double low_of(const tape *k, size_t s)
{
    return k->atol[s] / (LOW * k->rtol);
}

/* How long, as a part of the interval, a state was low before it grew back; 1: always. */
static double low_share(const tape *k, size_t s)
{
    const double low = low_of(k, s);
    const double least = PART * k->atol[s];
    double largest = 0, time = 0;
    for (size_t p = k->count; p-- > 0;) {
        const double size = fabs(tape_row(k, p)[s]);
        if (size < low && size > least && largest > BACK * size)
            time += fabs(k->times[p + 1] - k->times[p]);
        largest = fmax(largest, size);
    }
    if (largest < low) return largest > least ? 1 : 0;
    return time / fabs(k->times[k->count - 1] - k->times[0]);
}

/* The state that was low for longest; SIZE_MAX: none was for long. And all that were. */
static size_t find_low(const tape *k, bool *is_low)
{
    double most = LEAST_SHARE;
    size_t found = SIZE_MAX;
    for (size_t s = 0; s < k->state_count; s++) {
        const double share = isfinite(k->atol[s]) ? low_share(k, s) : 0;
        is_low[s] = share > LEAST_SHARE;
        if (share > most) {
            most = share;
            found = s;
        }
    }
    return found;
}

/* ---- the second run ---- */

/* A let or an output is compared with what it would be if the low states alone had the
 * values of the first run: another difference is none of their doing. */
typedef struct finer_run {
    solution run;
    tape second;
    const tape *first;
    const bool *is_low; /* of each state */
    double *x, *mixed;  /* the states, and all observations with them */
    size_t output;      /* farthest from there, SIZE_MAX: none; */
    tape_gap gap;       /* state: that of which it is not */
} finer_run;

/* What the low states of the first run make of the second one's; false: none is. */
static bool mix(finer_run *f, const dae_point *p)
{
    const tape *first = f->first;
    const double *coarse = tape_row(first, f->second.count);
    bool is_any = false;
    if (first->events[f->second.count] != f->run.event_count) return false;
    for (size_t s = 0; s < first->state_count; s++) {
        const bool is_mixed = f->is_low[s] && fabs(p->x[s]) < low_of(first, s);
        f->x[s] = is_mixed ? coarse[s] : p->x[s];
        is_any |= is_mixed;
    }
    return is_any;
}

static void compare_outputs(finer_run *f, const dae_point *p)
{
    const solution *r = &f->run;
    const double atol = r->options.atol / r->factors.atol;
    for (size_t k = 0; k < r->observation_count; k++) {
        const double x = f->mixed[k], y = p->observed[k];
        const double size = fabs(x - y) / (f->first->rtol * fabs(y) + atol);
        if (!(size > f->gap.size) || !solution_is_output(r, k)) continue;
        f->output = k;
        f->gap = (tape_gap){.size = size, .t = p->t, .values = {x, y}};
    }
}

static dae_status see_finer(void *context, const dae_point *p)
{
    finer_run *f = context;
    dae_status st = DAE_OK;
    if (mix(f, p)) {
        st = dae_model_observe(f->run.model, p->t, f->x, p->xp, f->mixed);
        if (!st) compare_outputs(f, p);
    }
    return st ? st : tape_mark(&f->second, p);
}

static dae_status begin_finer(
    finer_run *f, const solution *r, const tape *k, dae_diagnostics *quiet)
{
    const tolerance_factors part = {r->factors.rtol, PART * r->factors.atol};
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    const double most = fmin(MOST_STEPS * steps + MORE_STEPS, steps_for(r));
    solution *finer = &f->run;
    dae_status st = solution_init(finer, r->request, part, true, quiet);
    finer->options = r->options; /* as the caller may have left them */
    finer->options.atol *= PART;
    finer->options.event_context = finer;
    if (st) return st;
    f->x = ARENA_ARRAY(&finer->memory, double, finer->state_count);
    f->mixed = ARENA_ARRAY(&finer->memory, double, finer->observation_count);
    if (!f->x || !f->mixed) return DAE_MEMORY;
    solution_limit_steps(finer, most);
    st = tape_attach(&f->second, finer, k);
    finer->context = f;
    finer->see = see_finer;
    return st;
}

static dae_status compare_runs(dae_atol_check *c, const solution *r,
    const tape *k, const bool *is_low, dae_diagnostics *quiet, tape_gap *gap,
    size_t *output)
{
    finer_run f = {.first = k, .is_low = is_low, .output = SIZE_MAX};
    dae_status st = begin_finer(&f, r, k, quiet);
    if (!st) st = solution_start(&f.run);
    if (!st) st = solution_steps(&f.run);
    if (!st) tape_end(&f.second, &f.run);
    if (!st) *gap = tape_compare(k, &f.second);
    else if (st == DAE_NUMERIC) *gap = tape_compare_part(k, &f.second);
    const bool is_compared = !st || st == DAE_NUMERIC;
    const bool is_output = is_compared && !(gap->size > TOLD)
        && f.gap.size > TOLD;
    *output = is_output ? f.output : SIZE_MAX;
    if (is_output) *gap = f.gap;
    gap->ended = st == DAE_NUMERIC ? f.run.t : (double)NAN;
    c->is_known = !st && (gap->size > TOLD || !gap->has_events);
    if (f.run.solver) c->steps = dae_solver_stats(f.run.solver)->steps;
    if (c->is_known) c->difference = gap->size;
    tape_clear(&f.second);
    solution_clear(&f.run);
    /* the first run is whole, so what the second one fails by is none of its own */
    return st == DAE_NUMERIC || st == DAE_LIMIT || st == DAE_INCONSISTENT
        ? DAE_OK
        : st;
}

/* ---- what is told ---- */

static bool has_own_tolerances(const solution *r)
{
    const dae_scales *s = r->problem.scales;
    return s && (s->atol || s->nominal);
}

static bool output_name(
    const solution *r, size_t output, char name[TAPE_NAME_SIZE])
{
    dae_name_buffer buffer = {0};
    (void)snprintf(name, TAPE_NAME_SIZE, "%.40s",
        dae_name_observation(r->model, output, &buffer));
    return dae_name_done(&buffer);
}

/* Of a let or an output (SIZE_MAX: of a state) the place is that of the low state. */
static void tell(
    const solution *r, const tape_gap *gap, size_t low, size_t output)
{
    const dae_problem *p = &r->problem;
    const struct dae_source *source = NULL;
    char differs[TAPE_NAME_SIZE], is_low[TAPE_NAME_SIZE];
    size_t derivative;
    uint32_t begin = 0, end = 0;
    const bool is_state = output == SIZE_MAX;
    const bool has_first = is_state ? tape_state_name(r, gap->state, differs)
                                    : output_name(r, output, differs);
    if (!tape_state_name(r, low, is_low) || !has_first) report_lost(r->ds);
    if (p->place)
        p->place(p->self, DAE_NAME_UNKNOWN,
            tape_unknown(r, is_state ? gap->state : low, &derivative), &source,
            &begin, &end);
    report(r->ds, DIAG_W0533, source, (text_span){begin, end},
        "the absolute tolerance decides about `%s`: %.6g at t = %.6g, and %.6g "
        "with a millionth of it, %.2g tolerances apart",
        differs, gap->values[0], gap->t, gap->values[1], gap->size);
    if (!isnan(gap->ended))
        report_help(r->ds,
            "`%s` is small beside it, and the run with a millionth of it fails "
            "at t = %.6g: try still smaller ones, or the logarithm of `%s` as "
            "the unknown",
            is_low, gap->ended, is_low);
    else if (has_own_tolerances(r))
        report_help(r->ds,
            "`%s` is small beside its own: try smaller ones of all, down to a "
            "millionth",
            is_low);
    else
        report_help(r->ds, "`%s` is small beside it: try `%satol %.3g`", is_low,
            r->request->prefix, PART * solution_atol(r, 0));
}

/* The model's discrete variables and switches are afterwards what the first left. */
static dae_status make(dae_atol_check *c, solution *r, const tape *k,
    const bool *are_low, size_t low)
{
    const dae_events *e = r->problem.events;
    const size_t count = e ? e->discrete_count + e->switch_count : 0;
    const dae_allocator *a = r->request->allocator;
    dae_diagnostics *quiet;
    tape_gap gap = {.size = 0};
    size_t output;
    if (dae_diagnostics_create(a, &quiet)) return DAE_MEMORY;
    double *held = alloc_zeroed(a, count, sizeof *held);
    dae_status st = held ? DAE_OK : DAE_MEMORY;
    if (!st && count) memcpy(held, e->held, count * sizeof *held);
    if (!st) st = compare_runs(c, r, k, are_low, quiet, &gap, &output);
    if (held && count) memcpy(e->held, held, count * sizeof *held);
    if (!st && gap.size > TOLD) tell(r, &gap, low, output);
    alloc_free(a, held, count, sizeof *held);
    dae_diagnostics_free(quiet);
    return st;
}

dae_status atol_check_make(dae_atol_check *c, solution *r, tape *k)
{
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    if (steps_for(r) < fmin(2 * steps, ENOUGH_STEPS)) return DAE_OK;
    tape_end(k, r);
    const dae_allocator *a = r->request->allocator;
    bool *are_low = alloc_zeroed(a, k->state_count, sizeof *are_low);
    if (!are_low) return DAE_MEMORY;
    const size_t low = find_low(k, are_low);
    dae_status st = DAE_OK;
    if (low != SIZE_MAX) {
        *c = (dae_atol_check){.is_made = 1, .difference = (double)NAN};
        st = make(c, r, k, are_low, low);
    }
    alloc_free(a, are_low, k->state_count, sizeof *are_low);
    return st;
}
