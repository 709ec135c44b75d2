/* Tables without arguments `x` and `y`: columns of numbers that are known before
 * anything else, for sizes, ranges and indices. */
#include "sema/tables.h"

#include <stdio.h>
#include <string.h>

static bool is_table_call(const lowering *l, const ast_expr *e)
{
    return e && e->kind == AST_CALL && e->a->kind == AST_NAME
        && strcmp(word_text(l, e->a->name), "table") == 0;
}

/* The argument of that name, or NULL. */
static const ast_expr *argument(
    const lowering *l, const ast_expr *e, const char *name)
{
    for (uint32_t k = 0; e->names && k < e->count; k++)
        if (e->names[k] != INTERN_NONE
            && strcmp(word_text(l, e->names[k]), name) == 0)
            return e->items[k];
    return NULL;
}

bool table_is_declared(const lowering *l, const ast_stmt *s, const ast_decl *d)
{
    return s->kind == AST_PARAM && d->value_kind == AST_CONDITION
        && is_table_call(l, d->value) && !argument(l, d->value, "x")
        && !argument(l, d->value, "y");
}

bool table_takes_text(const lowering *l, const ast_expr *e, uint32_t k)
{
    if (!is_table_call(l, e)) return false;
    const bool has_name = e->names && e->names[k] != INTERN_NONE;
    return has_name ? strcmp(word_text(l, e->names[k]), "at") != 0 : k == 0;
}

symbol *table_of_field(const lowering *l, const ast_expr *e)
{
    if (e->kind != AST_FIELD || e->a->kind != AST_NAME) return NULL;
    if (e->a->name < l->name_count && l->innermost[e->a->name]) return NULL;
    symbol *s = symbol_find(l, e->a->name);
    return s && s->kind == SYMBOL_TABLE ? s : NULL;
}

/* ---- reading ---------------------------------------------------------------- */

static const csv_table *refuse_call(lowering *l, const symbol *s)
{
    const ast_expr *e = s->decl->value;
    if (s->decl->dim_count) {
        fail_value(l, DIAG_E0232, s->span,
            "`%s` is a table and has no dimensions of its own",
            word_text(l, s->name));
        report_help(
            l->ds, "write `param %s = table(...)`", word_text(l, s->name));
    } else if (e->count > 1) {
        fail_value(l, DIAG_E0230, e->items[1]->span,
            "a table without `x` and `y` has no argument but its file");
    } else {
        fail_value(l, DIAG_E0230, e->span,
            "`table` takes the name of a file as a text");
        report_help(l->ds, "write table(\"edges.csv\")");
    }
    return NULL;
}

static const csv_table *table_of(lowering *l, symbol *s)
{
    if (s->value_state == STATE_DONE) return s->table;
    const ast_expr *e = s->decl->value;
    const bool is_plain = s->decl->dim_count == 0 && e->count == 1
        && e->items[0]->kind == AST_STRING
        && (!e->names || e->names[0] == INTERN_NONE);
    s->value_state = STATE_DONE;
    l->at = s->span;
    s->table = is_plain
        ? table_file(l, word_text(l, e->items[0]->name), e->span)
        : refuse_call(l, s);
    if (s->table && csv_find(s->table, "count")) {
        fail_value(l, DIAG_E0226, e->span,
            "`%s` has a column `count`, which is also how many rows it has",
            csv_file_name(s->table));
        report_help(l->ds, "give the column another name");
        s->table = NULL;
    }
    return s->table;
}

dae_status tables_read(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count && !l->failed_memory; k++)
        if (l->symbols.items[k]->kind == SYMBOL_TABLE)
            (void)table_of(l, l->symbols.items[k]);
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}

/* ---- columns ---------------------------------------------------------------- */

static bool is_count(const lowering *l, const ast_expr *e)
{
    return strcmp(word_text(l, e->name), "count") == 0;
}

/* The column that a field names, all of it numbers; NULL: reported. */
static const csv_column *column_of(
    lowering *l, const ast_expr *e, const csv_table *t)
{
    csv_fault fault;
    const csv_column *c = csv_numbers(t, word_text(l, e->name), &fault);
    if (!c) table_fault(l, e->span, t, &fault);
    return c;
}

bool table_field_exists(lowering *l, const ast_expr *e)
{
    symbol *s = table_of_field(l, e);
    const csv_table *t = s ? table_of(l, s) : NULL;
    return t && (is_count(l, e) || column_of(l, e, t));
}

void table_refuse_name(lowering *l, const symbol *s, text_span span)
{
    const char *name = word_text(l, s->name), *column = "column";
    if (s->table && s->table->column_count)
        column = s->table->columns[s->table->column_count - 1].name;
    fail_value(l, DIAG_E0232, span, "`%s` is a table, not a number", name);
    report_help(l->ds,
        "name a column, `%s.%.40s[k]`, or `%s.count`, how many rows there are",
        name, column, name);
}

/* The column as an array, made once. */
static value_array *column_values(
    lowering *l, symbol *s, const csv_table *t, size_t column)
{
    if (!s->columns)
        s->columns = ARENA_ARRAY(l->arena, value_array *, t->column_count);
    if (!s->columns) return NULL;
    if (s->columns[column]) return s->columns[column];
    value_array *a = ARENA_NEW(l->arena, value_array);
    value *items = ARENA_ARRAY(l->arena, value, t->row_count + 1);
    if (!a || !items) return NULL;
    for (size_t k = 0; k < t->row_count; k++)
        items[k] = value_number(t->columns[column].values[k]);
    *a = (value_array){.rank = 1,
        .lower = {1},
        .extent = {(int64_t)t->row_count},
        .count = t->row_count,
        .items = items};
    a->name = arena_printf(
        l->arena, "%s.%s", word_text(l, s->name), t->columns[column].name);
    if (!a->name) return NULL;
    return s->columns[column] = a;
}

value lower_field(lowering *l, const ast_expr *e)
{
    symbol *s = table_of_field(l, e);
    const csv_table *t = s ? table_of(l, s) : NULL;
    if (!t) return value_error(); /* reported by resolve */
    if (is_count(l, e)) return value_number((double)t->row_count);
    const csv_column *c = column_of(l, e, t);
    if (!c) return value_error();
    value_array *a = column_values(l, s, t, (size_t)(c - t->columns));
    if (!a) {
        l->failed_memory = true;
        return value_error();
    }
    return (value){.kind = VALUE_ARRAY, .array = a};
}

/* ---- where an index comes from -------------------------------------------------- */

/* The first edge.i[k] in an expression, or NULL. */
static const ast_expr *find_cell(const lowering *l, const ast_expr *e)
{
    const ast_expr *found = NULL;
    if (!e) return NULL;
    if (e->kind == AST_INDEX && e->count == 1 && table_of_field(l, e->a))
        return e;
    if (!found) found = find_cell(l, e->a);
    if (!found) found = find_cell(l, e->b);
    for (uint32_t k = 0; !found && k < e->count; k++)
        found = find_cell(l, e->items[k]);
    return found;
}

void table_tell_cell(lowering *l, const ast_expr *e)
{
    const ast_expr *cell = find_cell(l, e);
    if (!cell) return;
    const csv_table *t = table_of_field(l, cell->a)->table;
    const csv_column *c = t ? csv_find(t, word_text(l, cell->a->name)) : NULL;
    const ast_expr *index = cell->items[0];
    if (!c || index->kind == AST_COLON || index->kind == AST_RANGE) return;
    const value v = lower_expr(l, index);
    if (v.kind != VALUE_NUMBER || !(v.number >= 1)
        || !(v.number <= (double)t->row_count))
        return;
    char row[64];
    const size_t k = (size_t)(v.number + 0.5) - 1;
    (void)csv_row_text(t, k, row, sizeof row);
    report_also(l->ds, t->source, csv_cell_span(t, k, (size_t)(c - t->columns)),
        "from %s of `%s`, column `%.40s`", row, csv_file_name(t), c->name);
}
