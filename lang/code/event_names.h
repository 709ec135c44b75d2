/* Names and places of what changes while a problem runs: switches, discrete
 * variables, whens, assignments. */
#ifndef CODE_EVENT_NAMES_H
#define CODE_EVENT_NAMES_H

#include "code/compile.h"

/* Whether a kind of names is one of these. */
bool event_names_have(dae_name_kind kind);
/* As snprintf; "" where there is none. */
size_t event_names_text(const compiled *c, dae_name_kind kind, size_t index,
    char *text, size_t size);
/* False: there is none. */
bool event_names_span(
    const compiled *c, dae_name_kind kind, size_t index, text_span *span);

#endif
