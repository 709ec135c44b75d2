/* What `table(...)` names: files of numbers, as structural data and as measured
 * signals. */
#ifndef SEMA_TABLES_H
#define SEMA_TABLES_H

#include "data/csv.h"
#include "sema/lowering.h"

/* ---- files.c ---------------------------------------------------------------- */

/* The table in a file, read once. Its name is taken from the model's folder.
 * NULL: reported at `span`, E0001 where it cannot be read. */
const csv_table *table_file(lowering *l, const char *name, text_span span);
/* A fault found in a file, at the line of the model that names it. */
value table_fault(
    lowering *l, text_span span, const csv_table *t, const csv_fault *fault);

/* ---- tables.c: structural data ------------------------------------------------ */

/* Whether a `param` is a table: table("file.csv") without columns. */
bool table_is_declared(const lowering *l, const ast_stmt *s, const ast_decl *d);
/* Whether argument k of a call is one of `table` that has to be a text. */
bool table_takes_text(const lowering *l, const ast_expr *e, uint32_t k);
/* The symbol of a table that `e` is a field of (edge.i), or NULL. */
symbol *table_of_field(const lowering *l, const ast_expr *e);
/* Reads all tables that are declared, and refuses what is wrong of them. */
dae_status tables_read(lowering *l);
/* Whether a field may stand there; reported. */
bool table_field_exists(lowering *l, const ast_expr *e);
/* edge.count, or a column. */
value lower_field(lowering *l, const ast_expr *e);
/* To an error about the value of an index: the cell that it comes from. */
void table_tell_cell(lowering *l, const ast_expr *e);
/* E0232 for a table's name alone. */
void table_refuse_name(lowering *l, const symbol *s, text_span span);

/* ---- signals.c: functions of time ------------------------------------------------ */

value lower_table(lowering *l, const ast_expr *e);

/* ---- signal_ranges.c ----------------------------------------------------------- */

/* Refuses runs that go beyond the rows; after the settings. */
dae_status signals_check(lowering *l);

#endif
