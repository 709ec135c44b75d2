/* The switches of a model: which places of its rows are held between events.
 *
 * All that switches in equations, in conditions of whens and in the definitions
 * these need is held, but for what stands in smooth(...) and what does not change
 * between events anyway. The same condition is one switch wherever it stands, in
 * whatever rows. Switches are numbered in the order of the text.
 *
 * Observations, right sides of assignments and what only these use are held
 * where there is a switch for the same, and free elsewhere: such a row reads
 * the last place of what is held, which is always NaN. */
#ifndef CODE_MODES_H
#define CODE_MODES_H

#include "code/compile.h"

/* A switch as the text has it. */
typedef struct mode_switch {
    node_id at;          /* where it stands first */
    const uint32_t *row; /* of the text */
    text_span span;      /* of its equation, definition or condition */
    bool is_definition;  /* the span is that of its name */
} mode_switch;

/* Makes rows with held places of those of the text; fills c->switches and
 * c->mode_switches, and the rows of root functions. After levels_mark of the
 * equations. */
dae_status modes_make(compiled *c) DAE_MUST_CHECK;

/* "x < 0", as snprintf, and where it is written; false: not known. */
size_t modes_text(const compiled *c, size_t number, char *text, size_t size);
/* Its root function as DAE_NAME_EDGE has it; SIZE_MAX: memory ran out. */
size_t modes_edge_text(
    const compiled *c, size_t number, char *text, size_t size);
bool modes_span(const compiled *c, size_t number, text_span *span);

#endif
