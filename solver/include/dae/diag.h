/* Diagnostics: one type from the scanner to the integrator. Parts of the
 * library collect them here; nothing in the library prints. */
#ifndef DAE_DIAG_H
#define DAE_DIAG_H

#include <dae/memory.h>
#include <dae/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dae_severity { DAE_NOTE, DAE_WARNING, DAE_ERROR } dae_severity;

/* A place in the user's text with what is to be said about it. Lines and
 * columns count from 1; columns count Unicode code points; `end_column` is
 * one past the last. `line == 0`: no place in a text. */
typedef struct dae_span {
    const char *file;  /* name as given by the user */
    const char *text;  /* the source line, without its end; may be NULL */
    const char *label; /* the reason at this place; may be NULL */
    uint32_t line, column, end_line, end_column;
} dae_span;

/* One diagnostic. Strings belong to the collection that holds it. */
typedef struct dae_diagnostic {
    dae_severity severity;
    const char *code;      /* "E0201"; stable */
    const char *message;   /* one line, lower case, no full stop */
    const char *help;      /* the way out; may be NULL */
    const dae_span *spans; /* the first is the main place */
    uint32_t span_count;
    /* numeric stages; `has_time` says whether they mean anything */
    int has_time;
    double t, h;          /* time and step, in the model's unit of time */
    int order;            /* of the method, 0 where none */
    const char *equation; /* name of the worst equation; may be NULL */
    const char *variable; /* name of the worst unknown; may be NULL */
} dae_diagnostic;

/* A growing collection. Not safe to share between threads. It never fails
 * the caller: where memory runs out it keeps what it has and counts on. */
typedef struct dae_diagnostics dae_diagnostics;

DAE_API dae_status dae_diagnostics_create(
    const dae_allocator *allocator, dae_diagnostics **out) DAE_MUST_CHECK;
DAE_API void dae_diagnostics_free(dae_diagnostics *ds);
DAE_API void dae_diagnostics_clear(dae_diagnostics *ds);

/* Adds one of the caller's own, with copies of its texts: code (one that there is, whose
 * letter is the severity), message, the first place with its label, help. DAE_ARGUMENT: no
 * code or message; DAE_MEMORY: it, or a part of it, is lost. */
DAE_API dae_status dae_diagnostics_add(
    dae_diagnostics *ds, const dae_diagnostic *diagnostic) DAE_MUST_CHECK;

/* All kept ones; repeated ones, errors beyond 20, and warnings and notes
 * beyond 100 are not kept. */
DAE_API size_t dae_diagnostics_count(const dae_diagnostics *ds);
/* Errors reported, kept or not. */
DAE_API size_t dae_diagnostics_error_count(const dae_diagnostics *ds);
/* How often memory ran out for a diagnostic or for a part of one: where this
 * is not 0, what is kept is true, but not all there was to say. */
DAE_API size_t dae_diagnostics_lost(const dae_diagnostics *ds);
/* The i-th, in the order reported; valid until the next change of `ds`. */
DAE_API const dae_diagnostic *dae_diagnostics_at(
    const dae_diagnostics *ds, size_t i);

/* Receives text piece by piece; returns non-zero to stop (reported as
 * DAE_IO by the function that was given it). */
typedef int dae_write_fn(void *context, const char *text, size_t length);

/* Writes one diagnostic as text for people: code, message, the source lines
 * with carets and labels, notes, help. `color` adds terminal colours. */
DAE_API dae_status dae_diagnostic_render(const dae_diagnostic *d, int color,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;

/* The long explanation of a code ("E0401"), or NULL where there is none. */
DAE_API const char *dae_diagnostic_explain(const char *code);

#ifdef __cplusplus
}
#endif
#endif
