/* Names and positions of equations, unknowns, slots and conditions for
 * diagnostics, with the defaults for problems that have none. */
#ifndef LINALG_NAMING_H
#define LINALG_NAMING_H

#include "base/modes.h"
#include "base/report.h"
#include "linalg/layout.h"

enum { NAMING_SIZE = 96 }; /* bytes of a name in a message, NUL included */

/* Writes the name, shortened with "..." where it does not fit; returns
 * `text`. Without a name function: "equation 3", "x[3]", "condition 3",
 * counted from 1. */
const char *naming_text(const dae_problem *problem, dae_name_kind kind,
    size_t index, char *text, size_t size);
/* With a prime for each derivative, "rod''"; above three "der(rod, 4)". */
const char *naming_derived(const dae_problem *problem, dae_name_kind kind,
    size_t index, int order, char *text, size_t size);
/* The same of slot p of (x, xp). */
const char *naming_slot(const dae_problem *problem, const layout *l,
    size_t slot, char *text, size_t size);
/* The unknown and the derivative order of slot p of (x, xp). */
size_t naming_unknown(const layout *l, size_t slot, int *order);
/* Its place in the order in which reports list those of its kind. */
size_t naming_position(
    const dae_problem *problem, dae_name_kind kind, size_t index);
/* "2 modes were tried, the nearest has `i` = -1 on the wrong side". */
enum { NAMING_MODES_SIZE = NAMING_SIZE + 80 };
void naming_modes(const dae_problem *problem, const modes_outcome *tried,
    char text[NAMING_MODES_SIZE]);
/* The position in the user's text; *source is NULL where there is none. */
void naming_place(const dae_problem *problem, dae_name_kind kind, size_t index,
    const dae_source **source, text_span *span);
/* The same of the unknown that slot p of (x, xp) is one of. */
void naming_slot_place(const dae_problem *problem, const layout *l, size_t slot,
    const dae_source **source, text_span *span);

/* Both at once. */
typedef struct named_place {
    char text[NAMING_SIZE];
    const dae_source *source;
    text_span span;
} named_place;
named_place naming_of(
    const dae_problem *problem, dae_name_kind kind, size_t index);
named_place naming_of_slot(
    const dae_problem *problem, const layout *l, size_t slot);

#endif
