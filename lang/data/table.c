#include <dae/table.h>

#include "data/csv.h"

struct dae_table {
    arena memory;
    dae_source source;
    csv_table csv;
};

/* The message names file, row and column: the text is freed before it is printed. */
static void report_fault(dae_diagnostics *ds, const csv_fault *fault)
{
    const text_span none = {0, 0};
    report(ds, fault->code, NULL, none, "%s", fault->message);
    if (fault->help[0]) report_help(ds, "%s", fault->help);
}

static dae_status load(dae_table *t, const char *path, dae_diagnostics *ds)
{
    csv_fault fault;
    dae_status st = source_read(&t->source, &t->memory, path, ds);
    if (st) return st;
    st = csv_parse(&t->csv, &t->source, &t->memory, &fault);
    if (st == DAE_MODEL || st == DAE_LIMIT) report_fault(ds, &fault);
    return st;
}

dae_status dae_table_load(const char *path, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_table **out)
{
    if (out) *out = NULL;
    if (!path || !out) return DAE_ARGUMENT;
    allocator = alloc_or_default(allocator);
    dae_table *t = alloc_zeroed(allocator, 1, sizeof *t);
    if (!t) return DAE_MEMORY;
    arena_init(&t->memory, allocator, 0);
    const dae_status st = load(t, path, ds);
    if (st) dae_table_free(t);
    else *out = t;
    return st;
}

void dae_table_free(dae_table *table)
{
    if (!table) return;
    const dae_allocator *a = table->memory.allocator;
    arena_clear(&table->memory);
    alloc_free(a, table, 1, sizeof *table);
}

size_t dae_table_row_count(const dae_table *table)
{
    return table ? table->csv.row_count : 0;
}

size_t dae_table_column_count(const dae_table *table)
{
    return table ? table->csv.column_count : 0;
}

const char *dae_table_name(const dae_table *table, size_t column)
{
    return column < dae_table_column_count(table)
        ? table->csv.columns[column].name
        : "";
}

size_t dae_table_find(const dae_table *table, const char *name)
{
    const csv_column *c = table && name ? csv_find(&table->csv, name) : NULL;
    return c ? (size_t)(c - table->csv.columns) : SIZE_MAX;
}

const double *dae_table_values(
    const dae_table *table, size_t column, dae_diagnostics *ds)
{
    csv_fault fault;
    if (column >= dae_table_column_count(table)) return NULL;
    const csv_column *c = &table->csv.columns[column];
    if (!c->flaw) return c->values;
    if (!csv_numbers(&table->csv, c->name, &fault)) report_fault(ds, &fault);
    return NULL;
}
