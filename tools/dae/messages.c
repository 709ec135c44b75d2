#include "messages.h"
#include "console.h"
#include <dae/run.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool messages_init(messages *m, const dae_allocator *allocator)
{
    memset(m, 0, sizeof *m);
    return dae_diagnostics_create(allocator, &m->library) == DAE_OK;
}

void messages_clear(messages *m)
{
    while (m->first) {
        message *next = m->first->next;
        free(m->first->text);
        free(m->first->label);
        free(m->first);
        m->first = next;
    }
    dae_diagnostics_free(m->library);
    memset(m, 0, sizeof *m);
}

static char *format_text(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) (void)vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

/* Said before, without a place that could tell the two apart. */
static bool is_repeated(const messages *m, const char *code, const char *text)
{
    for (const message *n = m->first; n; n = n->next)
        if (n->span.line == 0 && strcmp(n->diagnostic.code, code) == 0
            && strcmp(n->text, text) == 0)
            return true;
    return false;
}

void messages_add(messages *m, const char *code, dae_severity severity,
    const dae_span *span, const char *label, const char *format, ...)
{
    message *n = calloc(1, sizeof *n);
    va_list list;
    va_start(list, format);
    if (n) n->text = format_text(format, list);
    va_end(list);
    if (!n || !n->text) {
        free(n);
        m->lost = true;
        return;
    }
    if (is_repeated(m, code, n->text)) {
        free(n->text);
        free(n);
        return;
    }
    n->label = label ? malloc(strlen(label) + 1) : NULL;
    if (n->label) memcpy(n->label, label, strlen(label) + 1);
    else if (label) m->lost = true;
    if (span) n->span = *span;
    n->span.label = n->label;
    n->diagnostic = (dae_diagnostic){.severity = severity,
        .code = code,
        .message = n->text,
        .spans = &n->span,
        .span_count = span && span->line ? 1 : 0};
    if (m->last) m->last->next = n;
    else m->first = n;
    m->last = n;
}

void messages_lose(messages *m)
{
    m->lost = true;
}

bool messages_are_incomplete(const messages *m)
{
    return m->lost || dae_diagnostics_lost(m->library) > 0;
}

/* Takes no memory to be told. */
static const dae_diagnostic incomplete = {.severity = DAE_ERROR,
    .code = "E0003",
    .message = "out of memory: a part of what is to be said is missing"};

bool messages_have(const messages *m, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        if (strcmp(dae_diagnostics_at(m->library, i)->code, code) == 0)
            return true;
    return false;
}

const char *messages_last_error(const messages *m)
{
    const char *text = NULL;
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(m->library, i);
        if (d->severity == DAE_ERROR) text = d->message;
    }
    return text;
}

bool messages_blame(const messages *m, const char *file)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(m->library, i);
        if (d->severity == DAE_ERROR)
            return d->span_count && d->spans[0].file
                && strcmp(d->spans[0].file, file) == 0;
    }
    return false;
}

size_t messages_count(const messages *m)
{
    size_t count = dae_diagnostics_count(m->library);
    for (const message *n = m->first; n; n = n->next) count++;
    return count + messages_are_incomplete(m);
}

static bool is_hidden(const messages *m, const dae_diagnostic *d)
{
    return m->hidden && strstr(m->hidden, d->code);
}

static bool is_hidden_of_library(const messages *m, const dae_diagnostic *d)
{
    return is_hidden(m, d)
        || (m->replaced && strcmp(m->replaced, d->code) == 0);
}

/* A diagnostic of the library's as it is told. */
static dae_diagnostic told(const messages *m, const dae_diagnostic *d)
{
    dae_diagnostic copy = *d;
    bool is_raised = m->is_strict && d->severity == DAE_WARNING
        && dae_diagnostic_is_of_start(d);
    if (is_raised) copy.severity = DAE_ERROR;
    return copy;
}

static void print_one(const dae_diagnostic *d, bool color)
{
    /* there is nowhere to report that standard error fails */
    if (dae_diagnostic_render(d, color, console_write, stderr)) return;
}

void messages_print(const messages *m, const args *a)
{
    if (a->json) return;
    bool color = console_colors(a);
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic d = told(m, dae_diagnostics_at(m->library, i));
        if (a->quiet && d.severity != DAE_ERROR) continue;
        if (!is_hidden_of_library(m, &d)) print_one(&d, color);
    }
    size_t kept = 0, errors = dae_diagnostics_error_count(m->library);
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        kept += dae_diagnostics_at(m->library, i)->severity == DAE_ERROR;
    if (errors > kept)
        (void)fprintf(stderr, "and %zu more errors\n", errors - kept);
    for (const message *n = m->first; n; n = n->next) {
        if (a->quiet && n->diagnostic.severity != DAE_ERROR) continue;
        if (!is_hidden(m, &n->diagnostic)) print_one(&n->diagnostic, color);
    }
    if (messages_are_incomplete(m)) print_one(&incomplete, color);
}

size_t messages_errors(const messages *m)
{
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(m->library, i);
        kept += d->severity == DAE_ERROR;
        count += told(m, d).severity == DAE_ERROR
            && !is_hidden_of_library(m, d);
    }
    for (const message *n = m->first; n; n = n->next)
        count += n->diagnostic.severity == DAE_ERROR
            && !is_hidden(m, &n->diagnostic);
    return count + dae_diagnostics_error_count(m->library) - kept;
}

static void json_notes(const dae_diagnostic *d, json *j)
{
    char text[512];
    json_key(j, "notes");
    json_begin_array(j);
    for (uint32_t i = 0; i < d->span_count; i++) {
        const dae_span *s = &d->spans[i];
        if (!s->label || !*s->label) continue;
        (void)snprintf(text, sizeof text, "%s:%u:%u: %s",
            s->file ? s->file : "?", (unsigned)s->line, (unsigned)s->column,
            s->label);
        json_string(j, text);
    }
    if (d->has_time) {
        (void)snprintf(text, sizeof text, "at t = %.9g, step %.3g, order %d",
            d->t, d->h, d->order);
        json_string(j, text);
    }
    if (d->equation) {
        (void)snprintf(text, sizeof text, "equation: %s", d->equation);
        json_string(j, text);
    }
    if (d->variable) {
        (void)snprintf(text, sizeof text, "unknown: %s", d->variable);
        json_string(j, text);
    }
    if (d->help) {
        (void)snprintf(text, sizeof text, "help: %s", d->help);
        json_string(j, text);
    }
    json_end_array(j);
}

static void json_place(json *j, const char *key, uint32_t value)
{
    json_key(j, key);
    if (value) json_integer(j, value);
    else json_string(j, NULL);
}

static void json_one(const dae_diagnostic *d, json *j)
{
    static const char *const severities[] = {"note", "warning", "error"};
    const dae_span none = {0};
    const dae_span *s = d->span_count ? d->spans : &none;
    json_begin_object(j);
    json_key(j, "code"), json_string(j, d->code);
    json_key(j, "severity"), json_string(j, severities[d->severity]);
    json_key(j, "message"), json_string(j, d->message);
    json_key(j, "file"), json_string(j, s->file);
    json_place(j, "line", s->line);
    json_place(j, "column", s->column);
    json_place(j, "end_line", s->end_line);
    json_place(j, "end_column", s->end_column);
    json_notes(d, j);
    json_end_object(j);
}

void messages_json(const messages *m, json *j)
{
    if (messages_count(m) == 0) return;
    json_key(j, "diagnostics");
    json_begin_array(j);
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic d = told(m, dae_diagnostics_at(m->library, i));
        if (!is_hidden_of_library(m, &d)) json_one(&d, j);
    }
    for (const message *n = m->first; n; n = n->next)
        if (!is_hidden(m, &n->diagnostic)) json_one(&n->diagnostic, j);
    if (messages_are_incomplete(m)) json_one(&incomplete, j);
    json_end_array(j);
}
