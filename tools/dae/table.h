/* Text in columns: every column as wide as its widest cell. Widths are
 * counted in code points, which fits the names of models. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 16 };

typedef struct table {
    size_t columns;
    char **cells; /* row after row */
    size_t count, capacity;
    bool align_right[TABLE_COLUMNS];
    bool failed; /* nothing is printed */
} table;

table table_of(size_t columns);
/* Fills the next cell, from left to right; the text is copied. */
void table_add(table *t, const char *text);
/* The same, formatted, cut at 99 bytes. */
void table_addf(table *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void table_number(table *t, double value); /* 10 digits */
/* Writes all rows, indented; nothing where memory ran out. */
void table_print(const table *t, FILE *file);

#endif
