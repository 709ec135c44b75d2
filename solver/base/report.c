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
    VERDICTS_KEPT = 100,    /* expectations that do not hold: E0601 */
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
    size_t errors_kept, verdicts_kept;
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
    ds->verdicts_kept = 0;
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
    dae_diagnostics *ds, const char *text, size_t length, uint32_t line)
{
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

/* Where something is: as bytes of a source, or by lines; else nowhere. */
typedef struct place {
    const dae_source *source;
    text_span bytes;
    const dae_span *lines;
} place;

static const char *file_of(const place *p)
{
    if (p->source) return p->source->name;
    return p->lines && p->lines->line ? p->lines->file : NULL;
}

/* A number that tells places of a file apart. */
static uint32_t number_of(const place *p)
{
    enum { COLUMNS = 4096 }; /* of longer lines two may have one number */
    if (p->source || !p->lines) return p->bytes.begin;
    return p->lines->line * COLUMNS + p->lines->column;
}

/* With copies of its texts. */
static dae_span locate(dae_diagnostics *ds, const place *p)
{
    const dae_source *source = p->source;
    dae_span s = {0};
    uint32_t length;
    if (!source) {
        s = *p->lines;
        s.label = NULL;
        if (s.text) s.text = copy_line(ds, s.text, strlen(s.text), s.line);
    } else {
        text_span at = p->bytes;
        if (at.end < at.begin) at.end = at.begin;
        source_position(source, at.begin, &s.line, &s.column);
        source_position(source, at.end, &s.end_line, &s.end_column);
        const char *text = source_line(source, s.line, &length);
        s.text = copy_line(ds, text, length, s.line);
    }
    s.file = copy_text(ds, file_of(p), strlen(file_of(p)));
    return s;
}

/* By numbers: lines and columns of thousands of errors in one long line would
 * be counted again and again. */
static bool same_place(const dae_diagnostics *ds, size_t i, const place *p)
{
    const dae_diagnostic *d = &ds->kept.items[i];
    const char *file = file_of(p);
    if (d->span_count == 0 || !file) return d->span_count == 0 && !file;
    if (ds->begins.items[i] != number_of(p)) return false;
    return d->spans[0].file && strcmp(d->spans[0].file, file) == 0;
}

static bool is_repeated(const dae_diagnostics *ds, const char *code,
    const place *p, const char *message)
{
    for (size_t i = 0; i < ds->kept.count; i++) {
        const dae_diagnostic *d = &ds->kept.items[i];
        if (strcmp(d->code, code) == 0 && same_place(ds, i, p)
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

static bool is_verdict(const dae_diagnostic *d)
{
    return strcmp(d->code, "E0601") == 0;
}

static bool has_room(const dae_diagnostics *ds, const dae_diagnostic *d)
{
    const size_t errors = ds->errors_kept + ds->verdicts_kept;
    if (is_verdict(d)) return ds->verdicts_kept < VERDICTS_KEPT;
    if (d->severity == DAE_ERROR) return ds->errors_kept < ERRORS_KEPT;
    return ds->kept.count - errors < OTHERS_KEPT;
}

/* Keeps a new diagnostic; nothing changes where memory runs out. */
static void keep(dae_diagnostics *ds, dae_diagnostic d, const place *p)
{
    if (!ARRAY_RESERVE(ds->allocator, &ds->kept, 1)
        || !ARRAY_RESERVE(ds->allocator, &ds->begins, 1)) {
        ds->lost++;
        return;
    }
    if (file_of(p) && !push_span(ds, &d, locate(ds, p))) return;
    ds->begins.items[ds->begins.count++] = number_of(p);
    ds->kept.items[ds->kept.count++] = d;
    if (is_verdict(&d)) ds->verdicts_kept++;
    else ds->errors_kept += d.severity == DAE_ERROR;
    ds->is_open = true;
}

static void report_list(dae_diagnostics *ds, diag_code code, const place *p,
    const char *format, va_list list)
{
    dae_diagnostic d = {.code = code_names[code]};
    d.severity = severity_of(d.code);
    ds->error_reports += d.severity == DAE_ERROR;
    ds->is_open = false;
    arena_position before = arena_mark(&ds->texts);
    d.message = format_text(ds, format, list);
    if (d.message && is_repeated(ds, d.code, p, d.message)) {
        arena_release(&ds->texts, before);
        return;
    }
    ds->errors += d.severity == DAE_ERROR;
    if (d.message && has_room(ds, &d)) keep(ds, d, p);
    if (!ds->is_open) arena_release(&ds->texts, before);
}

void report(dae_diagnostics *ds, diag_code code, const dae_source *source,
    text_span span, const char *format, ...)
{
    if (!ds) return;
    const place p = {source, span, NULL};
    va_list list;
    va_start(list, format);
    report_list(ds, code, &p, format, list);
    va_end(list);
}

void report_at(dae_diagnostics *ds, diag_code code, const dae_span *at,
    const char *format, ...)
{
    if (!ds) return;
    const place p = {NULL, {0, 0}, at};
    va_list list;
    va_start(list, format);
    report_list(ds, code, &p, format, list);
    va_end(list);
}

dae_status dae_diagnostics_add(dae_diagnostics *ds, const dae_diagnostic *d)
{
    const text_span none = {0, 0};
    size_t code = 0;
    if (!ds || !d || !d->code || !d->message) return DAE_ARGUMENT;
    while (code < DIAG_CODE_COUNT && strcmp(code_names[code], d->code) != 0)
        code++;
    if (code == DIAG_CODE_COUNT) return DAE_ARGUMENT;
    const size_t lost = ds->lost;
    if (d->span_count)
        report_at(ds, (diag_code)code, d->spans, "%s", d->message);
    else report(ds, (diag_code)code, NULL, none, "%s", d->message);
    if (d->span_count && d->spans->label)
        report_label(ds, "%s", d->spans->label);
    if (d->help) report_help(ds, "%s", d->help);
    return ds->lost > lost ? DAE_MEMORY : DAE_OK;
}

void report_place(dae_diagnostics *ds, diag_code code, const dae_span *at)
{
    dae_diagnostic *d = last_open(ds);
    const place p = {NULL, {0, 0}, at};
    if (!d || d->span_count) return;
    /* each library has names of its own */
    if (strcmp(d->code, code_names[code]) != 0) return;
    if (push_span(ds, d, locate(ds, &p)))
        ds->begins.items[ds->kept.count - 1] = number_of(&p);
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
    const place p = {source, span, NULL};
    dae_span at = locate(ds, &p);
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
    return (report_position){ds->kept.count, ds->errors, ds->error_reports,
        ds->errors_kept, ds->verdicts_kept};
}

void report_rewind(dae_diagnostics *ds, report_position to)
{
    if (!ds) return;
    if (to.kept < ds->kept.count) ds->kept.count = to.kept;
    if (to.kept < ds->begins.count) ds->begins.count = to.kept;
    ds->errors = to.errors;
    ds->error_reports = to.error_reports;
    ds->errors_kept = to.errors_kept;
    ds->verdicts_kept = to.verdicts_kept;
    ds->is_open = false;
}
