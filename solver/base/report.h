/* Writing diagnostics from inside the library. The function that discovers a
 * fault reports it here; callers pass the status up. */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include "base/source.h"
#include <dae/diag.h>

/* diag_codes.def: one line per code, X(E0101, "short title"). */
typedef enum diag_code {
#define X(code, title) DIAG_##code,
#include "base/diag_codes.def"
#undef X
    DIAG_CODE_COUNT
} diag_code;

/* Begins a diagnostic; the others below add to the one begun last in `ds`.
 * `ds` may be NULL: then nothing is kept. The message is formatted as printf
 * does. A source of NULL means no place. Severity follows the code's letter:
 * E error, W warning, N note. Repeats (same code, place, message) are
 * dropped, and what is added to a dropped one too. */
void report(dae_diagnostics *ds, diag_code code, const dae_source *source,
    text_span span, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* The same at a place that is known by lines; NULL: none. */
void report_at(dae_diagnostics *ds, diag_code code, const dae_span *at,
    const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* The place of one of this code, where it has none. */
void report_place(dae_diagnostics *ds, diag_code code, const dae_span *at);
/* The reason at the main place. */
void report_label(dae_diagnostics *ds, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* A further place with its own label. */
void report_also(dae_diagnostics *ds, const dae_source *source, text_span span,
    const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* The way out. */
void report_help(dae_diagnostics *ds, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* The same, behind what there is of it. */
void report_help_more(dae_diagnostics *ds, const char *more);
/* Where in time: numeric stages. Names may be NULL. */
void report_numeric(dae_diagnostics *ds, double t, double h, int order,
    const char *equation, const char *variable);

/* Memory ran out for something to be said, before it came here. */
void report_lost(dae_diagnostics *ds);

/* Errors reported up to now, repeated ones too: where it has grown, something
 * was wrong, said before or not. 0 without `ds`. */
size_t report_error_count(const dae_diagnostics *ds);

/* How much has been said, and back to there: what was said since held for
 * something that turned out otherwise. Counts of lost parts stay. */
typedef struct report_position {
    size_t kept, errors, error_reports, errors_kept, verdicts_kept;
} report_position;
report_position report_mark(const dae_diagnostics *ds);
void report_rewind(dae_diagnostics *ds, report_position to);

#endif
