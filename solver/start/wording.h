/* Names, places and lists for what is said about a start. */
#ifndef START_WORDING_H
#define START_WORDING_H

#include "linalg/naming.h"
#include "start/system.h"

enum { NAMES_TEXT = 800, FIXED_NAMED = 4, ROWS_NAMED = 3 };

/* Text put together piece by piece; what does not fit is left out. */
typedef struct text {
    char s[NAMES_TEXT];
    size_t length;
} text;

void text_add(text *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Names of slots and of rows, equations or general conditions. */
const char *slot_name(
    const init_system *s, size_t slot, char name[NAMING_SIZE]);
const char *row_name(const init_system *s, size_t row, char name[NAMING_SIZE]);

/* Where a row is written, and where a slot is given or else declared. */
void row_place(const init_system *s, size_t row, const dae_source **source,
    text_span *span);
void slot_place(const init_system *s, size_t slot, const dae_source **source,
    text_span *span);

/* Labels at the places of given slots, "given as 2": elements of an array, which
 * have one place, by name and with one label. */
void place_given(const init_system *s, const int32_t *slots, size_t count);

/* The given slots with an entry in `row`: up to `most`; how many in all. */
size_t fixed_in_row(
    const init_system *s, size_t row, size_t most, size_t *slots);

/* "equations `a`, `b` and 2 more", at most `most` by name; "`a`" for one. */
void list_equations(const init_system *s, const int32_t *rows, size_t count,
    size_t most, text *out);
/* Given values and conditions, "`x = 1`, `L5`", at most `most` by name; how
 * many in all. */
size_t list_given(const init_system *s, const int32_t *rows, size_t row_count,
    const int32_t *slots, size_t slot_count, size_t most, text *out);

#endif
