#include "table.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include <stdarg.h>
#include <string.h>

table table_of(size_t columns)
{
    return (table){.columns = columns};
}

void table_add(table *t, const char *text)
{
    char **cells = memory_grow(t->cells, t->count, &t->capacity, sizeof *cells);
    char *copy = cells ? memory_copy(text, strlen(text)) : NULL;
    if (cells) t->cells = cells;
    if (copy && !t->failed) t->cells[t->count++] = copy;
    else t->failed = true;
}

void table_addf(table *t, const char *format, ...)
{
    char text[100];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    table_add(t, text);
}

void table_number(table *t, double value)
{
    table_addf(t, "%.10g", number_plain(value));
}

/* One row; nothing is written after its last text. */
static void print_row(
    const table *t, size_t first, const size_t *widths, FILE *file)
{
    size_t used = t->columns;
    while (used > 1 && !*t->cells[first + used - 1]) used--;
    for (size_t column = 0; column < used; column++) {
        const char *text = t->cells[first + column];
        int pad = (int)(widths[column] - phrase_width(text));
        if (t->align_right[column])
            (void)fprintf(file, "  %*s%s", pad, "", text);
        else if (column + 1 == used) (void)fprintf(file, "  %s", text);
        else (void)fprintf(file, "  %s%*s", text, pad, "");
    }
    (void)fputc('\n', file);
}

void table_print(const table *t, FILE *file)
{
    size_t widths[TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < t->count; i++) {
        size_t width = phrase_width(t->cells[i]);
        if (width > widths[i % t->columns]) widths[i % t->columns] = width;
    }
    for (size_t i = 0; i + t->columns <= t->count && !t->failed;
         i += t->columns)
        print_row(t, i, widths, file);
}
