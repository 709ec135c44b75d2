#include "messages.h"
#include "console.h"
#include "memory.h"
#include <dae/run.h>
#include <stdarg.h>
#include <string.h>

bool messages_init(messages *m, const dae_allocator *allocator)
{
    memset(m, 0, sizeof *m);
    if (!dae_diagnostics_create(allocator, &m->library)
        && !dae_diagnostics_create(NULL, &m->own))
        return true;
    messages_clear(m);
    return false;
}

void messages_clear(messages *m)
{
    dae_diagnostics_free(m->library);
    dae_diagnostics_free(m->own);
    memset(m, 0, sizeof *m);
}

void messages_add(messages *m, const char *code, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const dae_diagnostic d = {.severity = code[0] == 'N' ? DAE_NOTE : DAE_ERROR,
        .code = code,
        .message = text};
    if (dae_diagnostics_add(m->own, &d)) m->lost = true;
}

bool messages_are_incomplete(const messages *m)
{
    return m->lost || memory_was_lost() || dae_diagnostics_lost(m->library) > 0
        || dae_diagnostics_lost(m->own) > 0;
}

/* Takes no memory to be told. */
static const dae_diagnostic incomplete = {.severity = DAE_ERROR,
    .code = "E0003",
    .message = "out of memory: a part of what is to be said is missing"};

/* The library's first that is an error; NULL: none is. */
static const dae_diagnostic *error_of(const messages *m)
{
    const dae_diagnostic *d = NULL;
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        if ((d = dae_diagnostics_at(m->library, i))->severity == DAE_ERROR)
            return d;
    return NULL;
}

bool messages_have(const messages *m, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        if (strcmp(dae_diagnostics_at(m->library, i)->code, code) == 0)
            return true;
    return false;
}

bool messages_blame(const messages *m, const char *file)
{
    const dae_diagnostic *d = error_of(m);
    return d && d->span_count && d->spans[0].file
        && strcmp(d->spans[0].file, file) == 0;
}

static size_t kept_count(const messages *m)
{
    return dae_diagnostics_count(m->library) + dae_diagnostics_count(m->own);
}

size_t messages_count(const messages *m)
{
    return kept_count(m) + messages_are_incomplete(m);
}

/* Message i of all, the library's first, as it is told; false: it is hidden. */
static bool told(const messages *m, size_t i, dae_diagnostic *d)
{
    const size_t count = dae_diagnostics_count(m->library);
    const bool is_own = i >= count;
    *d = is_own ? *dae_diagnostics_at(m->own, i - count)
                : *dae_diagnostics_at(m->library, i);
    if (m->is_strict && !is_own && d->severity == DAE_WARNING
        && dae_diagnostic_is_of_start(d))
        d->severity = DAE_ERROR;
    const bool is_replaced = !is_own && m->replaced
        && strcmp(m->replaced, d->code) == 0;
    return !is_replaced && !(m->hidden && strstr(m->hidden, d->code));
}

/* Errors of the library's beyond those that it keeps. */
static size_t untold_errors(const messages *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        kept += dae_diagnostics_at(m->library, i)->severity == DAE_ERROR;
    return dae_diagnostics_error_count(m->library) - kept;
}

static void print_one(const dae_diagnostic *d, bool color)
{
    /* there is nowhere to report that standard error fails */
    if (dae_diagnostic_render(d, color, console_write, stderr)) return;
}

void messages_print(const messages *m, const args *a)
{
    if (a->json) return;
    const bool color = console_colors(a);
    const size_t count = dae_diagnostics_count(m->library);
    dae_diagnostic d;
    for (size_t i = 0; i <= kept_count(m); i++) {
        if (i == count && untold_errors(m))
            (void)fprintf(stderr, "and %zu more errors\n", untold_errors(m));
        if (i < kept_count(m) && told(m, i, &d)
            && !(a->quiet && d.severity != DAE_ERROR))
            print_one(&d, color);
    }
    if (messages_are_incomplete(m)) print_one(&incomplete, color);
}

size_t messages_errors(const messages *m)
{
    size_t count = untold_errors(m);
    dae_diagnostic d;
    for (size_t i = 0; i < kept_count(m); i++)
        count += told(m, i, &d) && d.severity == DAE_ERROR;
    return count;
}

static void json_notes(const dae_diagnostic *d, json *j)
{
    char text[512];
    const char *const more[][2] = {
        {"equation", d->equation}, {"unknown", d->variable}, {"help", d->help}};
    json_begin_array(j, "notes");
    for (uint32_t i = 0; i < d->span_count; i++) {
        const dae_span *s = &d->spans[i];
        if (!s->label || !*s->label) continue;
        (void)snprintf(text, sizeof text, "%s:%u:%u: %s",
            s->file ? s->file : "?", (unsigned)s->line, (unsigned)s->column,
            s->label);
        json_string(j, NULL, text);
    }
    if (d->has_time) {
        (void)snprintf(text, sizeof text, "at t = %.9g, step %.3g, order %d",
            d->t, d->h, d->order);
        json_string(j, NULL, text);
    }
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        if (!more[k][1]) continue;
        (void)snprintf(text, sizeof text, "%s: %s", more[k][0], more[k][1]);
        json_string(j, NULL, text);
    }
    json_end_array(j);
}

/* A line or column; -1: there is none. */
static int64_t place(uint32_t number)
{
    return number ? (int64_t)number : -1;
}

static void json_one(const dae_diagnostic *d, json *j)
{
    static const char *const severities[] = {"note", "warning", "error"};
    const dae_span none = {0};
    const dae_span *s = d->span_count ? d->spans : &none;
    json_begin_object(j, NULL);
    json_string(j, "code", d->code);
    json_string(j, "severity", severities[d->severity]);
    json_string(j, "message", d->message);
    json_string(j, "file", s->file);
    json_count(j, "line", place(s->line));
    json_count(j, "column", place(s->column));
    json_count(j, "end_line", place(s->end_line));
    json_count(j, "end_column", place(s->end_column));
    json_notes(d, j);
    json_end_object(j);
}

void messages_json(const messages *m, json *j)
{
    if (messages_count(m) == 0) return;
    json_begin_array(j, "diagnostics");
    dae_diagnostic d;
    for (size_t i = 0; i < kept_count(m); i++)
        if (told(m, i, &d)) json_one(&d, j);
    if (messages_are_incomplete(m)) json_one(&incomplete, j);
    json_end_array(j);
}
