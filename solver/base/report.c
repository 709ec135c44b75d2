/* The collection of diagnostics. Texts and spans live in its arena; where
 * memory runs out a diagnostic loses its last parts, never its consistency.
 * A flood of warnings and notes is bounded as errors are. */
#include "base/report.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    ERRORS_KEPT = 20,
    OTHERS_KEPT = 100,
    MESSAGE_LONGEST = 1000, /* bytes of a message, a label or a help */
};

/* A source line longer than this is not copied for display. */
#define LINE_LARGEST ((uint32_t)16 << 20)

struct dae_diagnostics {
    const dae_allocator *allocator;
    arena texts;
    ARRAY(dae_diagnostic) kept;
    ARRAY(uint32_t) begins; /* where in its source each of them is */
    size_t errors;          /* reported, kept or not; repeats not counted */
    size_t error_reports;   /* the same with repeats */
    size_t errors_kept;
    size_t lost;  /* times that memory ran out for one or for a part */
    bool is_open; /* the one begun last is kept and may be added to */
};

static const char *const code_names[] = {
#define X(code, title) #code,
#include "base/diag_codes.def"
#undef X
};

dae_status dae_diagnostics_create(
    const dae_allocator *allocator, dae_diagnostics **out)
{
    if (!out) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    dae_diagnostics *ds = alloc_zeroed(a, 1, sizeof *ds);
    *out = ds;
    if (!ds) return DAE_MEMORY;
    ds->allocator = a;
    arena_init(&ds->texts, a, 0);
    return DAE_OK;
}

void dae_diagnostics_clear(dae_diagnostics *ds)
{
    if (!ds) return;
    ARRAY_FREE(ds->allocator, &ds->kept);
    ARRAY_FREE(ds->allocator, &ds->begins);
    arena_clear(&ds->texts);
    ds->errors = ds->errors_kept = ds->error_reports = ds->lost = 0;
    ds->is_open = false;
}

void dae_diagnostics_free(dae_diagnostics *ds)
{
    if (!ds) return;
    dae_diagnostics_clear(ds);
    alloc_free(ds->allocator, ds, 1, sizeof *ds);
}

size_t dae_diagnostics_count(const dae_diagnostics *ds)
{
    return ds ? ds->kept.count : 0;
}

size_t dae_diagnostics_error_count(const dae_diagnostics *ds)
{
    return ds ? ds->errors : 0;
}

size_t dae_diagnostics_lost(const dae_diagnostics *ds)
{
    return ds ? ds->lost : 0;
}

const dae_diagnostic *dae_diagnostics_at(const dae_diagnostics *ds, size_t i)
{
    return ds && i < ds->kept.count ? &ds->kept.items[i] : NULL;
}

static const char *copy_text(
    dae_diagnostics *ds, const char *text, size_t length)
{
    const char *copy = arena_copy(&ds->texts, text, length);
    ds->lost += !copy;
    return copy;
}

/* A formatted text, cut at the end of a code point where it is too long. */
static const char *format_text(
    dae_diagnostics *ds, const char *format, va_list list)
{
    char text[MESSAGE_LONGEST];
    int length = vsnprintf(text, sizeof text, format, list);
    if (length < 0) return NULL;
    size_t used = (size_t)length;
    if (used >= sizeof text) {
        used = sizeof text - 4;
        while (used > 0 && ((unsigned char)text[used] & 0xC0) == 0x80) used--;
        for (int dots = 0; dots < 3; dots++) text[used++] = '.';
    }
    return copy_text(ds, text, used);
}

/* The line's text, shared with an earlier span of the same line. */
static const char *copy_line(
    dae_diagnostics *ds, const dae_source *source, uint32_t line)
{
    uint32_t length;
    const char *text = source_line(source, line, &length);
    if (length > LINE_LARGEST) return NULL;
    if (ds->kept.count) {
        const dae_diagnostic *d = &ds->kept.items[ds->kept.count - 1];
        const dae_span *s = d->span_count ? &d->spans[d->span_count - 1] : 0;
        if (s && s->line == line && s->text && strlen(s->text) == length
            && memcmp(s->text, text, length) == 0)
            return s->text;
    }
    return copy_text(ds, text, length);
}

/* Where the bytes of a source are, without texts: nothing is allocated. */
static dae_span locate(const dae_source *source, text_span at)
{
    dae_span s = {0};
    if (!source) return s;
    if (at.end < at.begin) at.end = at.begin;
    s.file = source->name;
    source_position(source, at.begin, &s.line, &s.column);
    source_position(source, at.end, &s.end_line, &s.end_column);
    return s;
}

static void own_texts(
    dae_diagnostics *ds, dae_span *s, const dae_source *source)
{
    if (!source) return;
    s->file = copy_text(ds, s->file, strlen(s->file));
    s->text = copy_line(ds, source, s->line);
}

/* By offsets: lines and columns of thousands of errors in one long line would
 * be counted again and again. */
static bool same_place(const dae_diagnostics *ds, size_t i,
    const dae_source *source, uint32_t begin)
{
    const dae_diagnostic *d = &ds->kept.items[i];
    if (d->span_count == 0 || !source) return d->span_count == 0 && !source;
    if (ds->begins.items[i] != begin) return false;
    return d->spans[0].file && strcmp(d->spans[0].file, source->name) == 0;
}

static bool is_repeated(const dae_diagnostics *ds, const char *code,
    const dae_source *source, uint32_t begin, const char *message)
{
    for (size_t i = 0; i < ds->kept.count; i++) {
        const dae_diagnostic *d = &ds->kept.items[i];
        if (strcmp(d->code, code) == 0 && same_place(ds, i, source, begin)
            && strcmp(d->message, message) == 0)
            return true;
    }
    return false;
}

/* Appends a span; the array is replaced when its count is a power of two. */
static dae_span *push_span(
    dae_diagnostics *ds, dae_diagnostic *d, dae_span span)
{
    uint32_t n = d->span_count;
    dae_span *spans;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, 8, ... */
        spans = ARENA_ARRAY(&ds->texts, dae_span, n ? (size_t)n * 2 : 1);
        if (!spans) {
            ds->lost++;
            return NULL;
        }
        if (n) memcpy(spans, d->spans, n * sizeof *spans);
        d->spans = spans;
    }
    /* the array is this collection's own; only readers see it const */
    spans = (dae_span *)d->spans;
    spans[n] = span;
    d->span_count = n + 1;
    return &spans[n];
}

static dae_diagnostic *last_open(dae_diagnostics *ds)
{
    return ds && ds->is_open ? &ds->kept.items[ds->kept.count - 1] : NULL;
}

static dae_severity severity_of(const char *code)
{
    if (code[0] == 'E') return DAE_ERROR;
    return code[0] == 'W' ? DAE_WARNING : DAE_NOTE;
}

static bool has_room(const dae_diagnostics *ds, dae_severity severity)
{
    if (severity == DAE_ERROR) return ds->errors_kept < ERRORS_KEPT;
    return ds->kept.count - ds->errors_kept < OTHERS_KEPT;
}

/* Keeps a new diagnostic; nothing changes where memory runs out. */
static void keep(dae_diagnostics *ds, dae_diagnostic d,
    const dae_source *source, text_span span)
{
    if (!ARRAY_RESERVE(ds->allocator, &ds->kept, 1)
        || !ARRAY_RESERVE(ds->allocator, &ds->begins, 1)) {
        ds->lost++;
        return;
    }
    dae_span at = locate(source, span);
    own_texts(ds, &at, source);
    if (source && !push_span(ds, &d, at)) return;
    ds->begins.items[ds->begins.count++] = span.begin;
    ds->kept.items[ds->kept.count++] = d;
    ds->errors_kept += d.severity == DAE_ERROR;
    ds->is_open = true;
}

void report(dae_diagnostics *ds, diag_code code, const dae_source *source,
    text_span span, const char *format, ...)
{
    if (!ds) return;
    dae_diagnostic d = {.code = code_names[code]};
    d.severity = severity_of(d.code);
    ds->error_reports += d.severity == DAE_ERROR;
    ds->is_open = false;
    arena_position before = arena_mark(&ds->texts);
    va_list list;
    va_start(list, format);
    d.message = format_text(ds, format, list);
    va_end(list);
    if (d.message && is_repeated(ds, d.code, source, span.begin, d.message)) {
        arena_release(&ds->texts, before);
        return;
    }
    ds->errors += d.severity == DAE_ERROR;
    if (d.message && has_room(ds, d.severity)) keep(ds, d, source, span);
    if (!ds->is_open) arena_release(&ds->texts, before);
}

void report_label(dae_diagnostics *ds, const char *format, ...)
{
    dae_diagnostic *d = last_open(ds);
    if (!d || d->span_count == 0) return;
    va_list list;
    va_start(list, format);
    ((dae_span *)d->spans)[0].label = format_text(ds, format, list);
    va_end(list);
}

void report_also(dae_diagnostics *ds, const dae_source *source, text_span span,
    const char *format, ...)
{
    dae_diagnostic *d = last_open(ds);
    if (!d || !source) return;
    dae_span at = locate(source, span);
    own_texts(ds, &at, source);
    va_list list;
    va_start(list, format);
    at.label = format_text(ds, format, list);
    va_end(list);
    (void)push_span(ds, d, at);
}

void report_help(dae_diagnostics *ds, const char *format, ...)
{
    dae_diagnostic *d = last_open(ds);
    if (!d) return;
    va_list list;
    va_start(list, format);
    d->help = format_text(ds, format, list);
    va_end(list);
}

void report_help_more(dae_diagnostics *ds, const char *more)
{
    const dae_diagnostic *d = last_open(ds);
    if (d && d->help) report_help(ds, "%s; %s", d->help, more);
    else report_help(ds, "%s", more);
}

static const char *copy_name(dae_diagnostics *ds, const char *name)
{
    return name ? copy_text(ds, name, strlen(name)) : NULL;
}

void report_numeric(dae_diagnostics *ds, double t, double h, int order,
    const char *equation, const char *variable)
{
    dae_diagnostic *d = last_open(ds);
    if (!d) return;
    d->has_time = 1;
    d->t = t;
    d->h = h;
    d->order = order;
    d->equation = copy_name(ds, equation);
    d->variable = copy_name(ds, variable);
}

void report_lost(dae_diagnostics *ds)
{
    if (ds) ds->lost++;
}

size_t report_error_count(const dae_diagnostics *ds)
{
    return ds ? ds->error_reports : 0;
}

report_position report_mark(const dae_diagnostics *ds)
{
    if (!ds) return (report_position){0};
    return (report_position){
        ds->kept.count, ds->errors, ds->error_reports, ds->errors_kept};
}

void report_rewind(dae_diagnostics *ds, report_position to)
{
    if (!ds) return;
    if (to.kept < ds->kept.count) ds->kept.count = to.kept;
    if (to.kept < ds->begins.count) ds->begins.count = to.kept;
    ds->errors = to.errors;
    ds->error_reports = to.error_reports;
    ds->errors_kept = to.errors_kept;
    ds->is_open = false;
}
