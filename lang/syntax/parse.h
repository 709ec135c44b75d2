/* From text to tree. */
#ifndef SYNTAX_PARSE_H
#define SYNTAX_PARSE_H

#include "syntax/ast.h"
#include <dae/diag.h>

/* Parses a whole text. All errors go to `ds`; with any, the result is
 * DAE_MODEL (DAE_LIMIT for nesting beyond AST_MAX_DEPTH) and *out still holds
 * the statements that could be read. Nodes live in `a`. */
dae_status parse_file(const dae_source *source, arena *a, intern_table *names,
    dae_diagnostics *ds, ast_file **out) DAE_MUST_CHECK;
/* Parses one expression (for --set). */
dae_status parse_expression(const dae_source *source, arena *a,
    intern_table *names, dae_diagnostics *ds, ast_expr **out) DAE_MUST_CHECK;
/* `dae show --tokens`, `--ast`, and `dae fmt`. */
dae_status show_tokens(const dae_source *source, dae_diagnostics *ds,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;
dae_status show_ast(
    const ast_file *file, dae_write_fn *write, void *context) DAE_MUST_CHECK;
dae_status format_file(const dae_source *source, arena *a, dae_diagnostics *ds,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;

#endif
