/* Tables of numbers as RFC 4180 writes them: a row of names, then rows of as
 * many cells, parted by commas, or by semicolons or tabs where the names are
 * parted so. A cell may stand in double quotes, `""` in it is one quote. Lines
 * that begin with # are remarks, empty lines may stand at the end; a byte order
 * mark and CR before LF are skipped.
 *
 * Any bytes are read; what is wrong is told as a fault with its place in the
 * file. A cell that is no number is no fault before its column is requested, so
 * that a table may have columns of text. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include "base/report.h"

#define CSV_COLUMNS_MOST 10000
#define CSV_ROWS_MOST 20000000

/* What is wrong, where, and the way out; to be reported together with the line
 * of the model that names the file. */
typedef struct csv_fault {
    diag_code code;
    char message[320]; /* with the file, and the row and column it is about */
    char label[120];   /* at the place; "": nothing more to say */
    char help[160];    /* "": none */
    text_span span;    /* in the file; empty at 0: no place */
} csv_fault;

typedef enum csv_flaw {
    CSV_NO_FLAW,
    CSV_EMPTY,      /* nothing between two separators */
    CSV_NOT_FINITE, /* nan, inf, 1e999 */
    CSV_TEXT
} csv_flaw;

typedef struct csv_column {
    const char *name;     /* without quotes, UTF-8 */
    const double *values; /* row_count; 0 where a cell is no number */
    csv_flaw flaw;        /* of its first cell that is none, */
    size_t flaw_row;      /* which stands in this row, from 0 */
} csv_column;

typedef struct csv_table {
    const dae_source *source; /* borrowed */
    csv_column *columns;
    const uint32_t *row_begin; /* row_count: where each begins */
    size_t column_count, row_count;
    char separator;
} csv_table;

/* Reads a text into tables that lie in the arena. DAE_MODEL: `fault` says what
 * is wrong; DAE_LIMIT: it says what is too large; DAE_MEMORY. */
dae_status csv_parse(csv_table *t, const dae_source *source, arena *a,
    csv_fault *fault) DAE_MUST_CHECK;

/* The column of that name, all of whose cells are numbers; NULL: `fault` says
 * why there is none. */
const csv_column *csv_numbers(
    const csv_table *t, const char *name, csv_fault *fault);
/* Whether the values ascend, each by more than `least` >= 0; else a fault. */
bool csv_ascends(
    const csv_table *t, const csv_column *c, double least, csv_fault *fault);

/* The column of a name; NULL: there is none, or there are several. */
const csv_column *csv_find(const csv_table *t, const char *name);
/* Row `row`, from 0, as messages tell it: "row 3 (line 5)". */
size_t csv_row_text(const csv_table *t, size_t row, char *text, size_t size);
/* Where a cell stands in the file, without its quotes. */
text_span csv_cell_span(const csv_table *t, size_t row, size_t column);

/* The file's name without its folders. */
const char *csv_file_name(const csv_table *t);

#endif
