#include "table.h"
#include "number.h"
#include "phrase.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

table table_of(size_t columns)
{
    return (table){.columns = columns};
}

static bool make_room(table *t)
{
    if (t->count < t->capacity) return true;
    size_t capacity = t->capacity ? 2 * t->capacity : 64;
    char **cells = realloc(t->cells, capacity * sizeof *cells);
    if (!cells) return false;
    t->cells = cells;
    t->capacity = capacity;
    return true;
}

void table_add(table *t, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = !t->failed && make_room(t) ? malloc(size) : NULL;
    if (!copy) {
        t->failed = true;
        return;
    }
    t->cells[t->count++] = memcpy(copy, text, size);
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

bool table_print(table *t, FILE *file)
{
    size_t widths[TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < t->count; i++) {
        size_t width = phrase_width(t->cells[i]);
        if (width > widths[i % t->columns]) widths[i % t->columns] = width;
    }
    for (size_t i = 0; i + t->columns <= t->count && !t->failed;
         i += t->columns)
        print_row(t, i, widths, file);
    bool is_fine = !t->failed;
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    *t = table_of(t->columns);
    return is_fine;
}
