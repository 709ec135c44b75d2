/* Tables of numbers in files: a row of names, then rows of cells, as `dae run -o FILE.csv`
 * writes them and `table` in a model reads them. */
#ifndef DAE_TABLE_H
#define DAE_TABLE_H

#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_table dae_table;

/* Reads the file at `path`; `allocator` NULL: malloc. DAE_IO, DAE_MODEL (E0225: it is no
 * table), DAE_LIMIT, DAE_MEMORY: why is in `ds` (NULL: nothing is told), and *out is NULL. */
DAE_API dae_status dae_table_load(const char *path,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_table **out) DAE_MUST_CHECK;
DAE_API void dae_table_free(dae_table *table);
DAE_API size_t dae_table_row_count(const dae_table *table);
DAE_API size_t dae_table_column_count(const dae_table *table);
/* "" where there is no such column. */
DAE_API const char *dae_table_name(const dae_table *table, size_t column);
/* The column of just this name; SIZE_MAX: there is none, or several. */
DAE_API size_t dae_table_find(const dae_table *table, const char *name);
/* A column, dae_table_row_count numbers, valid until the table is freed. NULL: there is no
 * such column, or a cell is no finite number (E0227 in `ds`). */
DAE_API const double *dae_table_values(
    const dae_table *table, size_t column, dae_diagnostics *ds);

#ifdef __cplusplus
}
#endif
#endif
