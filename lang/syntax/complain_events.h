/* What is said about mistakes in and around `when` blocks. */
#ifndef SYNTAX_COMPLAIN_EVENTS_H
#define SYNTAX_COMPLAIN_EVENTS_H

#include "syntax/scene.h"

/* Reports the refused token where it is a mistake about events (E0220,
 * E0222); false where it is none. */
bool complain_event(parser *p, const scene *s);
/* Whether a statement that begins with `t` is a `when`, also one with a label. */
bool complain_begins_when(parser *p, token t);
/* Reports a declaration or alike inside a `when` (E0222). */
void complain_misplaced(parser *p, token t);
/* Reports a `when` inside another one (E0222). */
void complain_nested_when(parser *p, token t);

#endif
