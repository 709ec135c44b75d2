/* Checks beyond cmocka's own. Include this instead of <cmocka.h>. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

/* cmocka wants these four before itself */
/* clang-format off */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/status.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* |value - expected| <= tolerance; a NaN on either side fails. */
static inline void check_near(double value, double expected, double tolerance,
    const char *text, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance) return;
    print_error("%s is %.17g, expected %.17g within %.3g\n", text, value,
        expected, tolerance);
    _fail(file, line);
}
#define CHECK_NEAR(value, expected, tolerance)                                 \
    check_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)

/* The status of a call is the expected one. */
static inline void check_status(dae_status status, dae_status expected,
    const char *text, const char *file, int line)
{
    if (status == expected) return;
    print_error("%s gives \"%s\", expected \"%s\"\n", text,
        dae_status_text(status), dae_status_text(expected));
    _fail(file, line);
}
#define CHECK_STATUS(call, expected)                                           \
    check_status((call), (expected), #call, __FILE__, __LINE__)

/* `ds` holds a diagnostic of this code whose main place begins at this line
 * and column; a line of 0 asks for one without a place, a column of 0 for
 * any column. */
static inline void check_diag(const dae_diagnostics *ds, const char *code,
    uint32_t want_line, uint32_t want_column, const char *file, int line)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        uint32_t at = d->span_count ? d->spans[0].line : 0;
        uint32_t column = d->span_count ? d->spans[0].column : 0;
        if (strcmp(d->code, code) == 0 && at == want_line
            && (want_column == 0 || column == want_column))
            return;
    }
    print_error("no %s at %u:%u among:\n", code, (unsigned)want_line,
        (unsigned)want_column);
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        print_error("  %s at %u:%u: %s\n", d->code,
            d->span_count ? (unsigned)d->spans[0].line : 0,
            d->span_count ? (unsigned)d->spans[0].column : 0, d->message);
    }
    _fail(file, line);
}
#define CHECK_DIAG(ds, code, line, column)                                     \
    check_diag((ds), (code), (line), (column), __FILE__, __LINE__)

/* An allocator that fails from its n-th allocation on and counts the bytes
 * that are out: `live` must be 0 when everything was freed. */
typedef struct failing_memory {
    dae_allocator allocator;
    size_t allocations; /* asked for so far */
    size_t fail_from;   /* this one (from 0) and all later ones fail */
    size_t live;        /* bytes out */
} failing_memory;

static inline void *failing_memory_resize(
    void *context, void *block, size_t old_size, size_t size)
{
    failing_memory *m = (failing_memory *)context;
    if (size == 0) {
        m->live -= block ? old_size : 0;
        free(block);
        return NULL;
    }
    if (m->allocations++ >= m->fail_from) return NULL;
    void *grown = realloc(block, size);
    if (grown) m->live = m->live - (block ? old_size : 0) + size;
    return grown;
}

static inline void failing_init(failing_memory *m, size_t fail_from)
{
    m->allocator.resize = failing_memory_resize;
    m->allocator.context = m;
    m->allocations = m->live = 0;
    m->fail_from = fail_from;
}

/* A text that grows, as target of a dae_write_fn. */
typedef struct text_sink {
    char *text; /* NUL-terminated; free() it */
    size_t length;
} text_sink;

/* Room is a power of two that follows from the length: a listing of many
 * pieces is not copied for each of them. */
static inline size_t sink_room(size_t length)
{
    size_t room = 64;
    while (room <= length) room *= 2;
    return room;
}

static inline int sink_write(void *context, const char *text, size_t length)
{
    text_sink *s = (text_sink *)context;
    size_t room = sink_room(s->length + length);
    if (!s->text || room > sink_room(s->length)) {
        char *grown = (char *)realloc(s->text, room);
        if (!grown) return 1;
        s->text = grown;
    }
    if (length) memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = '\0';
    return 0;
}

#endif
