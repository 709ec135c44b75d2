/* The public model: nothing but delegation. A model owns one arena (text,
 * names, tree), the lowered tables and what was compiled from them. */
#include <dae/model.h>

#include "base/report.h"
#include "code/formula.h"
#include "code/observer.h"
#include "code/problem.h"
#include "sema/lower.h"
#include "syntax/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* with addresses of 32 bits all that there is */
#define DEFAULT_MEMORY_LIMIT                                                   \
    (SIZE_MAX > UINT32_MAX ? (size_t)(UINT64_C(4) << 30) : SIZE_MAX)

/* Each stage takes memory as it goes on, in blocks of this size or larger
 * where the model is large: there the caller is asked whether to stop. */
#define OFTEN_ENOUGH ((size_t)1 << 16)

/* Everything a model allocates is counted against its limit here. */
typedef struct budget {
    const dae_allocator *base;
    size_t taken, limit;
    bool was_reached;
    dae_interrupt_fn *interrupt; /* NULL once the model is made */
    void *interrupt_context;
    bool was_interrupted;
} budget;

struct dae_model {
    budget budget;
    dae_allocator allocator; /* counts, then asks the caller's */
    arena arena;
    intern_table names;
    dae_source source;
    const char *name;
    lowered lowered;
    bool is_lowered, is_file, is_kept;
    const void *taker;
    compiled *compiled;
};

static void *budget_resize(
    void *context, void *block, size_t old_size, size_t size)
{
    budget *b = context;
    size_t others = b->taken - old_size;
    if (size >= OFTEN_ENOUGH && b->interrupt
        && b->interrupt(b->interrupt_context)) {
        b->was_interrupted = true;
        return NULL;
    }
    if (size > 0 && (size > b->limit || others > b->limit - size)) {
        b->was_reached = true;
        return NULL;
    }
    void *result = b->base->resize(b->base->context, block, old_size, size);
    if (result || size == 0) b->taken = others + size;
    return result;
}

/* ---- making ------------------------------------------------------------------ */

/* The file's name without folder and ending. */
static const char *short_name(dae_model *m, const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++) {
        if (*p == '/') base = p + 1;
    }
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".dae") == 0) length -= 4;
    return arena_copy(&m->arena, base, length);
}

static dae_status model_create(const dae_model_options *options,
    const dae_allocator *allocator, dae_model **out)
{
    const dae_allocator *base = alloc_or_default(allocator);
    dae_model *m = alloc_zeroed(base, 1, sizeof *m);
    *out = m;
    if (options && options->singular) *options->singular = NULL;
    if (!m) return DAE_MEMORY;
    m->budget.base = base;
    m->budget.limit = options && options->memory_limit ? options->memory_limit
                                                       : DEFAULT_MEMORY_LIMIT;
    if (options) {
        m->budget.interrupt = options->interrupt;
        m->budget.interrupt_context = options->interrupt_context;
    }
    m->allocator = (dae_allocator){budget_resize, &m->budget};
    arena_init(&m->arena, &m->allocator, 0);
    intern_init(&m->names, &m->arena);
    return DAE_OK;
}

void dae_model_free(dae_model *m)
{
    if (!m) return;
    const dae_allocator *base = m->budget.base;
    compiled_free(m->compiled);
    if (m->is_lowered) lowered_clear(&m->lowered);
    intern_clear(&m->names);
    arena_clear(&m->arena);
    alloc_free(base, m, 1, sizeof *m);
}

/* One side of --set name=value as a text of its own, for its messages. */
static dae_status parse_side(dae_model *m, const char *text,
    dae_diagnostics *ds, const dae_source **source, const ast_expr **out)
{
    dae_source *s = ARENA_NEW(&m->arena, dae_source);
    if (!s) return DAE_MEMORY;
    dae_status st = source_init(s, &m->arena, "--set", text, strlen(text));
    if (st) return st;
    ast_expr *e;
    st = parse_expression(s, &m->arena, &m->names, ds, &e);
    *source = s;
    *out = e;
    return st;
}

static dae_status parse_overrides(dae_model *m,
    const dae_model_options *options, dae_diagnostics *ds, lower_override **out,
    size_t *count)
{
    *count = options ? options->override_count : 0;
    *out = ARENA_ARRAY(&m->arena, lower_override, *count + 1);
    if (!*out) return DAE_MEMORY;
    for (size_t k = 0; k < *count; k++) {
        lower_override *o = &(*out)[k];
        const dae_override *given = &options->overrides[k];
        const dae_source *source;
        dae_status st = parse_side(m, given->name, ds, &source, &o->target);
        if (!st) st = parse_side(m, given->value, ds, &o->source, &o->value);
        if (st) return st;
        o->target_source = source;
    }
    return DAE_OK;
}

static bool must_stop(const dae_model_options *options)
{
    return options && options->interrupt
        && options->interrupt(options->interrupt_context);
}

/* Errors are told as a reader meets them, from the first line on. */
static dae_status lower_by_lines(
    dae_model *m, lower_request *request, report_position from)
{
    ast_file *file = NULL;
    report_rewind(request->ds, from);
    lowered_clear(&m->lowered);
    dae_status st = parse_file(
        &m->source, &m->arena, &m->names, request->ds, &file);
    if (st) return st;
    request->file = file;
    request->is_canonical = false;
    for (size_t k = 0; k < request->override_count; k++)
        request->overrides[k].is_used = false;
    return lower_model(request, &m->lowered);
}

static dae_status lower(dae_model *m, lower_request *request)
{
    const report_position from = report_mark(request->ds);
    m->is_lowered = true;
    dae_status st = lower_model(request, &m->lowered);
    if (st == DAE_MODEL && request->is_canonical)
        st = lower_by_lines(m, request, from);
    return st;
}

static dae_status compile(
    dae_model *m, const dae_model_options *options, dae_diagnostics *ds)
{
    ast_file *file = NULL;
    lower_request request = {
        .arena = &m->arena, .allocator = &m->allocator, .ds = ds};
    if (options) {
        request.has_start = options->has_start != 0;
        request.start = options->start;
        request.has_end = options->has_end != 0;
        request.end = options->end;
        request.is_canonical = options->canonical != 0;
        request.is_sealed = options->sealed != 0;
        request.read = options->read;
        request.read_context = options->read_context;
        request.interrupt = options->interrupt;
        request.interrupt_context = options->interrupt_context;
    }
    dae_status st = parse_file(&m->source, &m->arena, &m->names, ds, &file);
    if (!st) {
        st = parse_overrides(
            m, options, ds, &request.overrides, &request.override_count);
    }
    if (st) return st;
    request.file = file;
    st = lower(m, &request);
    if (!st && must_stop(options)) st = DAE_INTERRUPTED;
    if (st) return st;
    st = compiled_create_or_explain(&m->lowered.system, m->lowered.settings.t0,
        ds, options ? options->singular : NULL, m->budget.base, &m->compiled);
    if (!st) compiled_native(m->compiled, !options || !options->interpreted);
    return st;
}

/* Errors decide, so they are counted also for a caller who wants none told. */
static dae_status compile_untold(dae_model *m, const dae_model_options *options)
{
    dae_diagnostics *ds;
    dae_status st = dae_diagnostics_create(&m->allocator, &ds);
    if (!st) st = compile(m, options, ds);
    dae_diagnostics_free(ds);
    return st;
}

static dae_status tell_memory(dae_diagnostics *ds, dae_status st)
{
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0}, "out of memory");
    return st;
}

/* A limit reached while compiling says so, instead of "out of memory". */
static dae_status explain_memory(
    dae_model *m, dae_diagnostics *ds, dae_status st)
{
    if (st == DAE_MEMORY && m->budget.was_interrupted) return DAE_INTERRUPTED;
    if (st != DAE_MEMORY || !m->budget.was_reached) return tell_memory(ds, st);
    text_span at = m->lowered.stopped;
    report(ds, DIAG_E0004, at.end > 0 ? &m->source : NULL, at,
        "the model needs more than %zu MiB", m->budget.limit >> 20);
    report_help(ds, "make it smaller, or raise --memory-limit");
    return DAE_LIMIT;
}

static dae_status finish(dae_model *m, const dae_model_options *options,
    dae_diagnostics *ds, dae_status st, dae_model **out)
{
    if (!st) st = ds ? compile(m, options, ds) : compile_untold(m, options);
    st = explain_memory(m, ds, st);
    m->budget.interrupt = NULL;
    if (st) {
        dae_model_free(m);
        m = NULL;
    }
    *out = m;
    return st;
}

static bool is_usable(const dae_model_options *options)
{
    return !options
        || ((!options->has_start || isfinite(options->start))
            && (!options->has_end || isfinite(options->end)));
}

dae_status dae_model_load(const char *path, const dae_model_options *options,
    const dae_allocator *allocator, dae_diagnostics *ds, dae_model **out)
{
    if (out) *out = NULL;
    if (!out || !path || !is_usable(options)) return DAE_ARGUMENT;
    dae_model *m;
    dae_status st = model_create(options, allocator, &m);
    if (st) return tell_memory(ds, st);
    m->is_file = true;
    m->name = short_name(m, path);
    st = m->name ? source_read(&m->source, &m->arena, path, ds) : DAE_MEMORY;
    return finish(m, options, ds, st, out);
}

dae_status dae_model_parse(const char *file_name, const char *text,
    size_t length, const dae_model_options *options,
    const dae_allocator *allocator, dae_diagnostics *ds, dae_model **out)
{
    if (out) *out = NULL;
    if (!out || !file_name || (!text && length) || !is_usable(options))
        return DAE_ARGUMENT;
    dae_model *m;
    dae_status st = model_create(options, allocator, &m);
    if (st) return tell_memory(ds, st);
    m->name = short_name(m, file_name);
    st = m->name ? source_init(&m->source, &m->arena, file_name, text, length)
                 : DAE_MEMORY;
    return finish(m, options, ds, st, out);
}

/* ---- what a caller may ask wrongly ---------------------------------------------- */

static bool has_unknown(const dae_model *m, size_t j)
{
    return m && j < m->lowered.system.unknown_count;
}

static bool has_discrete(const dae_model *m, size_t k)
{
    return m && k < m->lowered.system.discrete_count;
}

static size_t no_text(char *text, size_t size)
{
    if (text && size) *text = '\0';
    return 0;
}

/* ---- questions ------------------------------------------------------------------ */

const char *dae_model_title(const dae_model *m)
{
    if (!m) return "";
    return m->lowered.title;
}

const char *dae_model_name(const dae_model *m)
{
    if (!m) return "";
    return m->name;
}

const char *dae_model_file(const dae_model *m, size_t k)
{
    if (!m) return NULL;
    if (m->is_file && k == 0) return m->source.name;
    k -= m->is_file;
    return k < m->lowered.files.count ? m->lowered.files.items[k] : NULL;
}

const dae_problem *dae_model_problem(const dae_model *m)
{
    if (!m) return NULL;
    return compiled_problem(m->compiled);
}

size_t dae_model_unknown_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.system.unknown_count;
}

size_t dae_model_equation_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.system.equation_count;
}

size_t dae_model_unknown_name(
    const dae_model *m, size_t j, char *text, size_t size)
{
    if (!m || (!text && size)) return no_text(text, size);
    return name_block_text(&m->lowered.system.unknowns, j, text, size);
}

size_t dae_model_equation_name(
    const dae_model *m, size_t i, char *text, size_t size)
{
    if (!m || (!text && size)) return no_text(text, size);
    const dae_problem *p = dae_model_problem(m);
    return p->name(p->self, DAE_NAME_EQUATION, i, text, size);
}

size_t dae_model_unknown_position(const dae_model *m, size_t j)
{
    if (!m) return j;
    return name_block_position(&m->lowered.system.unknowns, j);
}

size_t dae_model_equation_position(const dae_model *m, size_t i)
{
    if (!m) return i;
    return equation_block_position(&m->lowered.system.equations, i);
}

size_t dae_model_condition_position(const dae_model *m, size_t c)
{
    if (!m) return c;
    return equation_block_position(&m->lowered.system.conditions, c);
}

static uint32_t line_of(const dae_model *m, dae_name_kind kind, size_t index)
{
    const dae_problem *p = dae_model_problem(m);
    const dae_source *source;
    uint32_t begin, end, line, column;
    if (!p->place(p->self, kind, index, &source, &begin, &end)) return 0;
    source_position(source, begin, &line, &column);
    return line;
}

uint32_t dae_model_equation_line(const dae_model *m, size_t i)
{
    if (!m) return 0;
    return line_of(m, DAE_NAME_EQUATION, i);
}

uint32_t dae_model_unknown_line(const dae_model *m, size_t j)
{
    if (!m) return 0;
    return line_of(m, DAE_NAME_UNKNOWN, j);
}

uint32_t dae_model_condition_line(const dae_model *m, size_t c)
{
    if (!m) return 0;
    return line_of(m, DAE_NAME_CONDITION, c);
}

/* Each run of blanks and line ends is one blank. */
static size_t text_in_one_line(
    const dae_model *m, text_span span, char *text, size_t size)
{
    size_t length = 0;
    bool is_blank = false;
    for (uint32_t at = span.begin; at < span.end; at++) {
        const char here = m->source.text[at];
        const bool was_blank = is_blank;
        is_blank = here == ' ' || here == '\t' || here == '\n' || here == '\r';
        if (is_blank && was_blank) continue;
        if (length + 1 < size) text[length] = is_blank ? ' ' : here;
        length++;
    }
    if (size) text[length < size ? length : size - 1] = '\0';
    return length;
}

size_t dae_model_condition_text(
    const dae_model *m, size_t c, char *text, size_t size)
{
    if (!m || (!text && size)) return no_text(text, size);
    const dae_problem *p = dae_model_problem(m);
    const dae_source *source;
    uint32_t begin = 0, end = 0;
    if (!p->place(p->self, DAE_NAME_CONDITION, c, &source, &begin, &end))
        end = begin;
    return text_in_one_line(m, (text_span){begin, end}, text, size);
}

int dae_model_unknown_order(const dae_model *m, size_t j)
{
    if (!has_unknown(m, j)) return 0;
    return (int)compiled_order(m->compiled, j);
}

double dae_model_unknown_value(
    const dae_model *m, size_t j, int order, const double *x, const double *xp)
{
    if (!has_unknown(m, j) || !x) return (double)NAN;
    size_t index;
    bool in_xp;
    bool is_slot = order >= 0
        && compiled_slot(m->compiled, j, (unsigned)order, &index, &in_xp);
    if (!is_slot) return (double)NAN;
    return in_xp ? xp[index] : x[index];
}

uint32_t dae_model_start_line(const dae_model *m, size_t j, int order)
{
    if (!has_unknown(m, j)) return 0;
    const dae_problem *p = compiled_problem(m->compiled);
    const dae_source *source;
    uint32_t begin, end, line = 0, column;
    size_t index;
    bool in_xp;
    if (order < 0
        || !compiled_slot(m->compiled, j, (unsigned)order, &index, &in_xp))
        return 0;
    if (in_xp) index += dae_problem_state_count(p);
    if (p->place(p->self, DAE_NAME_START, index, &source, &begin, &end))
        source_position(source, begin, &line, &column);
    return line;
}

const char *dae_model_unknown_unit(const dae_model *m, size_t j)
{
    if (!has_unknown(m, j)) return "";
    return name_block_find(&m->lowered.system.unknowns, j)->unit;
}

const char *dae_model_unknown_doc(const dae_model *m, size_t j)
{
    if (!has_unknown(m, j)) return "";
    return name_block_find(&m->lowered.system.unknowns, j)->doc;
}

dae_given dae_model_unknown_given(const dae_model *m, size_t j)
{
    if (!has_unknown(m, j)) return DAE_GIVEN_NOTHING;
    return (dae_given)m->lowered.given[j];
}

size_t dae_model_discrete_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.system.discrete_count;
}

size_t dae_model_discrete_name(
    const dae_model *m, size_t k, char *text, size_t size)
{
    if (!m || (!text && size)) return no_text(text, size);
    return name_block_text(&m->lowered.system.discretes, k, text, size);
}

static uint32_t line_at(const dae_model *m, uint32_t offset)
{
    uint32_t line, column;
    source_position(&m->source, offset, &line, &column);
    return line;
}

uint32_t dae_model_discrete_line(const dae_model *m, size_t k)
{
    if (!has_discrete(m, k)) return 0;
    return line_at(
        m, name_block_find(&m->lowered.system.discretes, k)->span.begin);
}

const char *dae_model_discrete_unit(const dae_model *m, size_t k)
{
    if (!has_discrete(m, k)) return "";
    return name_block_find(&m->lowered.system.discretes, k)->unit;
}

const char *dae_model_discrete_doc(const dae_model *m, size_t k)
{
    if (!has_discrete(m, k)) return "";
    return name_block_find(&m->lowered.system.discretes, k)->doc;
}

double dae_model_discrete_value(const dae_model *m, size_t k)
{
    if (!has_discrete(m, k)) return (double)NAN;
    return compiled_problem(m->compiled)->events->held[k];
}

size_t dae_model_when_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.system.whens.count;
}

size_t dae_model_when_name(
    const dae_model *m, size_t w, char *text, size_t size)
{
    if (!m || (!text && size) || w >= m->lowered.system.whens.count)
        return no_text(text, size);
    return (size_t)snprintf(
        text, size, "%s", m->lowered.system.whens.items[w].name);
}

uint32_t dae_model_when_line(const dae_model *m, size_t w)
{
    if (!m || w >= m->lowered.system.whens.count) return 0;
    return line_at(m, m->lowered.system.whens.items[w].span.begin);
}

size_t dae_model_when_text(
    const dae_model *m, size_t w, char *text, size_t size)
{
    if (!m || (!text && size) || w >= m->lowered.system.whens.count)
        return no_text(text, size);
    return text_in_one_line(
        m, m->lowered.system.whens.items[w].span, text, size);
}

size_t dae_model_assignment_name(
    const dae_model *m, size_t a, char *text, size_t size)
{
    if (!m || (!text && size)) return no_text(text, size);
    const dae_problem *p = dae_model_problem(m);
    return p->name(p->self, DAE_NAME_ASSIGNMENT, a, text, size);
}

size_t dae_model_observation_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.observations.count;
}

dae_observed dae_model_observation_kind(const dae_model *m, size_t k)
{
    if (!m || k >= m->lowered.observations.count) return DAE_OBSERVED_LET;
    return m->lowered.observations.items[k].kind;
}

size_t dae_model_observation_name(
    const dae_model *m, size_t k, char *text, size_t size)
{
    if (!m || (!text && size) || k >= m->lowered.observations.count)
        return no_text(text, size);
    const lowered_observation *o = &m->lowered.observations.items[k];
    name_block b = {.name = o->name, .count = 1, .rank = o->rank};
    for (uint32_t d = 0; d < o->rank; d++) {
        b.lower[d] = o->indices[d];
        b.extent[d] = 1;
    }
    name_blocks one = {.items = &b, .count = 1, .capacity = 1};
    return name_block_text(&one, 0, text, size);
}

const char *dae_model_observation_unit(const dae_model *m, size_t k)
{
    if (!m || k >= m->lowered.observations.count) return "";
    const char *unit = m->lowered.observations.items[k].unit;
    return unit ? unit : "";
}

dae_status dae_model_observe(
    dae_model *m, double t, const double *x, const double *xp, double *values)
{
    if (!m || !x || !xp || !values) return DAE_ARGUMENT;
    return compiled_observe(m->compiled, t, x, xp, values);
}

dae_status dae_observer_create(
    dae_model *m, const size_t *observations, size_t count, dae_observer **out)
{
    if (out) *out = NULL;
    if (!m || !out || (!observations && count)) return DAE_ARGUMENT;
    for (size_t k = 0; k < count; k++)
        if (observations[k] >= m->lowered.observations.count)
            return DAE_ARGUMENT;
    return observer_create(m->compiled, observations, count, out);
}

void dae_observer_free(dae_observer *o)
{
    observer_free(o);
}

int dae_observer_reads_slopes(const dae_observer *o)
{
    if (!o) return 0;
    return observer_reads_slopes(o);
}

const size_t *dae_observer_slots(const dae_observer *o, size_t *count)
{
    if (count) *count = 0;
    if (!o || !count) return NULL;
    return observer_slots(o, count);
}

dae_status dae_observer_run(dae_observer *o, double t, const double *x,
    const double *xp, double *values)
{
    if (!o || !x || !values) return DAE_ARGUMENT;
    if (!xp && observer_reads_slopes(o)) return DAE_ARGUMENT;
    return observer_run(o, t, x, xp, values);
}

dae_status dae_observer_run_values(dae_observer *o, size_t count,
    const double *t, const double *x, double *values)
{
    if (!o || !t || !x || !values) return DAE_ARGUMENT;
    return observer_run_values(o, count, t, x, values);
}

dae_status dae_model_observe_long(dae_model *m, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values)
{
    if (!m || !x || !xp || !values) return DAE_ARGUMENT;
    return compiled_observe_long(m->compiled, t, x, xp, values);
}

dae_status dae_model_set_start(
    dae_model *m, double t, const double *x, const double *xp)
{
    if (!m || !x || !xp) return DAE_ARGUMENT;
    return compiled_set_start(m->compiled, t, x, xp);
}

dae_status dae_model_note_switches(const dae_model *m, dae_diagnostics *ds)
{
    if (!m) return DAE_ARGUMENT;
    return compiled_note_switches(m->compiled, ds);
}

dae_status dae_model_formula(const dae_model *m, const dae_term *terms,
    size_t term_count, const dae_slot *independent, size_t independent_count,
    int order, int substitute, size_t limit, dae_write_fn *write, void *context)
{
    if (!m || !write || (!terms && term_count)
        || (!independent && independent_count))
        return DAE_ARGUMENT;
    const formula_request q = {.terms = terms,
        .term_count = term_count,
        .independent = independent,
        .independent_count = independent_count,
        .order = order,
        .substitute = substitute != 0,
        .limit = limit};
    return formula_write(m->compiled, &q, write, context);
}

dae_status dae_model_formula_slot(
    const dae_model *m, int32_t equation, int times, dae_slot *slot)
{
    if (!m || !slot) return DAE_ARGUMENT;
    return formula_slot(m->compiled, equation, times, slot);
}

size_t dae_model_plot_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.plots.count;
}

dae_plot dae_model_plot(const dae_model *m, size_t k)
{
    if (!m || k >= m->lowered.plots.count)
        return (dae_plot){0, SIZE_MAX, SIZE_MAX};
    return m->lowered.plots.items[k];
}

size_t dae_model_expect_count(const dae_model *m)
{
    if (!m) return 0;
    return m->lowered.expects.count;
}

const dae_expect *dae_model_expect_at(const dae_model *m, size_t k)
{
    if (!m || k >= m->lowered.expects.count) return NULL;
    return &m->lowered.expects.items[k];
}

const dae_settings *dae_model_settings(const dae_model *m)
{
    if (!m) return NULL;
    return &m->lowered.settings;
}

/* ---- params ---------------------------------------------------------------------- */

static bool has_param(const dae_model *m, size_t k)
{
    return m && k < system_param_count(&m->lowered.system);
}

size_t dae_model_param_count(const dae_model *m)
{
    return m ? system_param_count(&m->lowered.system) : 0;
}

size_t dae_model_param_name(
    const dae_model *m, size_t k, char *text, size_t size)
{
    if (!has_param(m, k)) return no_text(text, size);
    return name_block_text(&m->lowered.system.param_names, k, text, size);
}

double dae_model_param_value(const dae_model *m, size_t k)
{
    return has_param(m, k) ? system_param_value(&m->lowered.system, k)
                           : (double)NAN;
}

int dae_model_param_is_free(const dae_model *m, size_t k)
{
    return has_param(m, k) && system_param_is_free(&m->lowered.system, k);
}

const char *dae_model_param_unit(const dae_model *m, size_t k)
{
    if (!has_param(m, k)) return "";
    return name_block_find(&m->lowered.system.param_names, k)->unit;
}

const char *dae_model_param_doc(const dae_model *m, size_t k)
{
    if (!has_param(m, k)) return "";
    return name_block_find(&m->lowered.system.param_names, k)->doc;
}

size_t dae_model_param_find(const dae_model *m, const char *name)
{
    for (size_t k = 0; name && k < dae_model_param_count(m); k++) {
        char text[256];
        (void)dae_model_param_name(m, k, text, sizeof text);
        if (strcmp(text, name) == 0) return k;
    }
    return SIZE_MAX;
}

dae_status dae_model_set_param(dae_model *m, const char *name, double value)
{
    const size_t k = dae_model_param_find(m, name);
    if (k == SIZE_MAX) return DAE_ARGUMENT;
    if (!dae_model_param_is_free(m, k)) return DAE_UNSUPPORTED;
    m->lowered.system.param_inputs.items[k] = value;
    return compiled_params_changed(m->compiled);
}

dae_status dae_model_take(dae_model *m, const void *taker, int keeps)
{
    if (!m || !taker) return DAE_ARGUMENT;
    if (m->is_kept && m->taker != taker) return DAE_ARGUMENT;
    m->is_kept = m->is_kept || keeps;
    m->taker = taker;
    return DAE_OK;
}

void dae_model_give_back(dae_model *m)
{
    if (!m) return;
    m->is_kept = false;
    m->taker = NULL;
}

const void *dae_model_taker(const dae_model *m)
{
    return m ? m->taker : NULL;
}

/* ---- listings ---------------------------------------------------------------------- */

dae_status dae_model_show(
    const dae_model *m, dae_show what, dae_write_fn *write, void *context)
{
    if (!m || !write) return DAE_ARGUMENT;
    switch (what) {
    case DAE_SHOW_EQUATIONS:
        return compiled_show_equations(m->compiled, write, context);
    case DAE_SHOW_JACOBIAN:
        return compiled_show_jacobian(m->compiled, write, context);
    case DAE_SHOW_BYTECODE:
        return compiled_show_bytecode(m->compiled, write, context);
    default: return DAE_ARGUMENT;
    }
}

/* A text with an arena and names around it, for work without a model. */
typedef struct bare_text {
    arena arena;
    intern_table names;
    dae_source source;
} bare_text;

static dae_status bare_open(bare_text *b, const char *file_name,
    const char *text, size_t length, const dae_allocator *allocator)
{
    arena_init(&b->arena, alloc_or_default(allocator), 0);
    intern_init(&b->names, &b->arena);
    if (!file_name || (!text && length)) return DAE_ARGUMENT;
    return source_init(&b->source, &b->arena, file_name, text, length);
}

static void bare_close(bare_text *b)
{
    intern_clear(&b->names);
    arena_clear(&b->arena);
}

dae_status dae_show_text(const char *file_name, const char *text, size_t length,
    dae_show what, const dae_allocator *allocator, dae_diagnostics *ds,
    dae_write_fn *write, void *context)
{
    if (!write) return DAE_ARGUMENT;
    bare_text b;
    dae_status st = bare_open(&b, file_name, text, length, allocator);
    if (!st && what == DAE_SHOW_TOKENS) {
        st = show_tokens(&b.source, ds, write, context);
    } else if (!st && what == DAE_SHOW_AST) {
        ast_file *file = NULL;
        st = parse_file(&b.source, &b.arena, &b.names, ds, &file);
        if (!st) st = show_ast(file, write, context);
    } else if (!st) {
        st = DAE_ARGUMENT;
    }
    bare_close(&b);
    return tell_memory(ds, st);
}

dae_status dae_format_text(const char *file_name, const char *text,
    size_t length, const dae_allocator *allocator, dae_diagnostics *ds,
    dae_write_fn *write, void *context)
{
    if (!write) return DAE_ARGUMENT;
    bare_text b;
    dae_status st = bare_open(&b, file_name, text, length, allocator);
    if (!st) st = format_file(&b.source, &b.arena, ds, write, context);
    bare_close(&b);
    return tell_memory(ds, st);
}
