/* What to type instead, for mistakes that people make often, many of them
 * habits of other languages. */
#ifndef SYNTAX_ADVICE_H
#define SYNTAX_ADVICE_H

#include "syntax/scene.h"

/* The help for a refused token whose scene is `s`, or NULL. */
const char *advice_for(parser *p, const scene *s);
/* `param d = 5 km`: a name that can only be a unit. */
bool advice_is_unit(const parser *p, const scene *s);
/* `;` inside brackets, as rows of a matrix end elsewhere. */
bool advice_is_row_end(const parser *p, const scene *s);

#endif
