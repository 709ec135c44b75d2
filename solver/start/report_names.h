/* Names, positions and order of slots, rows and bounds, for all messages about a
 * start. */
#ifndef START_REPORT_NAMES_H
#define START_REPORT_NAMES_H

#include "linalg/naming.h"
#include "start/init.h"

enum { NAMES_TEXT = 800 };

/* Text put together piece by piece; it ends in "..." where it would be longer. */
typedef struct text {
    char s[NAMES_TEXT];
    size_t length;
    bool is_full;
} text;

void text_add(text *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

typedef struct place {
    const dae_source *source;
    text_span span;
} place;

/* False also where there is none. */
bool is_same_place(place a, place b);

enum { PLACES_MOST = 20 };

/* Positions already used by a message. */
typedef struct places {
    place at[PLACES_MOST];
    size_t count;
} places;

/* Adds a valid position; false if it is invalid, already there, or there is no room. */
bool places_add(places *used, place at);

/* Names of slots, and of equations, conditions or slots of parties. */
const char *slot_name(
    const init_request *q, size_t slot, char name[NAMING_SIZE]);
const char *party_name(
    const init_request *q, const init_party *p, char name[NAMING_SIZE]);

/* The position where a slot is given, else declared; that of a party. */
place slot_place(const init_request *q, size_t slot);
place party_place(const init_request *q, const init_party *p);

/* "`x`, `y'` and 2 more", at most `most` by name; with values where `z` is
 * not NULL. */
void list_slots(const init_request *q, const int32_t *slots, size_t count,
    size_t most, const double *z, text *out);

/* The problem's explanation of a value that is not finite at f->z, "" if none: of an
 * equation, a condition or the given value of an unknown. */
void explain_value(const init_request *q, const init_findings *f,
    dae_name_kind kind, size_t index, char *why, size_t size,
    dae_diagnostics *ds);
/* The same of a row. */
void explain_row(const init_request *q, const init_findings *f,
    const init_party *row, char *why, size_t size, dae_diagnostics *ds);

/* Sorts by position in the text: `parties` by kind (given values before
 * conditions), `slots` of any kind. DAE_MEMORY. */
dae_status sort_parties(const init_request *q, init_party *parties,
    size_t count, arena *scratch) DAE_MUST_CHECK;
dae_status sort_slots(const init_request *q, int32_t *slots, size_t count,
    arena *scratch) DAE_MUST_CHECK;
/* A sorted copy, in memory from `scratch`. */
dae_status copy_sorted(const init_request *q, const int32_t *slots,
    size_t count, arena *scratch, int32_t **out) DAE_MUST_CHECK;

#endif
