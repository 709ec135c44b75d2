/* Names that mean nothing: gathered while the tree is resolved, then told once
 * each, with what was most likely meant. */
#ifndef SEMA_MISSING_H
#define SEMA_MISSING_H

#include "sema/lowering.h"

/* A use of a name that nothing declares; `is_call`: as a function. */
void missing_note(lowering *l, const ast_expr *e, bool is_call);
/* That use was an index: `x[i]`. */
void missing_index(lowering *l, const ast_expr *e);
/* The left side of `:=`, if its name is missing. */
void missing_target(lowering *l, const ast_expr *e);
/* What is missing in an expression of a `when`. */
void missing_in_event(lowering *l, const ast_expr *e);
/* `f(a) = ...` where nothing declares f: true if it is one and was noted. */
bool missing_definition(lowering *l, const ast_stmt *stmt);
/* A name whose declaration was refused: its uses are no news. */
void missing_silence(lowering *l, uint32_t name);
/* `dx/dt`, `d(x)/dt` where neither is declared: true if it is one and was noted. */
bool missing_quotient(lowering *l, const ast_expr *e);
/* `np.sin`, `Math.PI`: true if it is one and was reported. */
bool missing_prefix(lowering *l, const ast_expr *field);
/* Reports what was noted, in the order of the text. */
void missing_tell(lowering *l);

#endif
