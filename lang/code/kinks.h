/* How often the equations of a model may be differentiated before a jump or a
 * kink is met, and which one that is. */
#ifndef CODE_KINKS_H
#define CODE_KINKS_H

#include "code/compile.h"

/* Fills c->smoothness: 0 for an equation that has a jump or a kink, itself or
 * in a definition it uses, 2 for one with a measured signal of spline3, 4 for
 * spline5, less what that is differentiated already, DAE_SMOOTH for the others;
 * NULL where no equation has any. What stands in smooth(...) has none. The derivative of a definition
 * is judged by itself. After internal unknowns are known. */
dae_status kinks_find(compiled *c) DAE_MUST_CHECK;

/* What limits equation i, as for DAE_NAME_KINK and, with `subject_only`,
 * DAE_NAME_KINKED; and where it stands: the expression itself where
 * the text has it as it is written here, else the definition or the equation.
 * "" and false where nothing does. */
size_t kinks_text(const compiled *c, size_t equation, bool subject_only,
    char *text, size_t size);
bool kinks_span(const compiled *c, size_t equation, text_span *span);

/* Narrows a place to `want` in it, where it is written so, which is told:
 * expressions have no places of their own. A definition's place is its name
 * (`is_name`), and what is declared follows, up to a comma or the end of the
 * line. */
bool kinks_narrow(
    const compiled *c, const char *want, bool is_name, text_span *span);

#endif
