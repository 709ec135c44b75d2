#include "phrase.h"
#include "memory.h"
#include "number.h"
#include <stdarg.h>
#include <string.h>

/* Columns of a line of a report. */
enum { LINE_WIDTH = 92 };

static bool make_room(phrase *p, size_t length)
{
    if (length < p->room) return true;
    size_t room = p->room ? p->room : 128;
    while (room <= length) room *= 2;
    char *text = memory_resize(p->text, room);
    if (!text) return false;
    p->text = text;
    p->room = room;
    return true;
}

int phrase_write(void *context, const char *text, size_t length)
{
    phrase *p = context;
    if (!make_room(p, p->length + length)) return 1;
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = '\0';
    return 0;
}

void phrase_put(phrase *p, const char *text)
{
    if (phrase_write(p, text, strlen(text))) return; /* which is noted */
}

void phrase_add(phrase *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !make_room(p, p->length + (size_t)length)) return;
    va_start(list, format);
    (void)vsnprintf(p->text + p->length, (size_t)length + 1, format, list);
    va_end(list);
    p->length += (size_t)length;
}

snippet snippet_of(const char *format, ...)
{
    snippet text;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text.s, sizeof text.s, format, list);
    va_end(list);
    return text;
}

const char *phrase_text(const phrase *p)
{
    return p->length ? p->text : "";
}

static void cut(phrase *p, size_t length)
{
    p->length = length;
    if (p->text) p->text[length] = '\0';
}

void phrase_empty(phrase *p)
{
    cut(p, 0);
}

void phrase_keep(phrase *p, size_t before, dae_status st)
{
    if (st) cut(p, before);
    if (st == DAE_MEMORY) (void)memory_sufficed(st);
}

bool phrase_next(phrase *p, size_t k, size_t count, size_t most)
{
    if (k == most) phrase_more(p, most, count);
    else if (k > 0 && k < most) phrase_put(p, k + 1 == count ? " and " : ", ");
    return k < most;
}

void phrase_more(phrase *p, size_t shown, size_t count)
{
    if (count > shown) phrase_add(p, " and %zu more", count - shown);
}

/* Units as they are printed: raised digits and a dot. */
void phrase_put_unit(phrase *p, const char *unit)
{
    static const char *const raised[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool is_raised = false;
    if (!*unit) return;
    phrase_put(p, p->length ? " (" : "(");
    for (; *unit; unit++) {
        const bool is_digit = *unit >= '0' && *unit <= '9';
        const char next = unit[1] == '-' ? unit[2] : unit[1];
        if (is_raised && is_digit) phrase_put(p, raised[*unit - '0']);
        else if (is_raised && *unit == '-') phrase_put(p, "⁻");
        else {
            is_raised = *unit == '^' && next >= '0' && next <= '9';
            if (is_raised) continue;
            if (*unit == '*') phrase_put(p, "·");
            else phrase_put(p, (const char[]){*unit, '\0'});
        }
    }
    phrase_put(p, ")");
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

size_t phrase_width(const char *text)
{
    size_t width = 0;
    for (; text && *text; text++) width += begins_character(*text);
    return width;
}

static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t k = 0; k < length; k++) columns += begins_character(text[k]);
    return columns;
}

/* Not at the sides of an equals sign: "x = 1" stays together. */
static bool may_break(const char *space)
{
    return space[-1] != '=' && space[1] != '=';
}

/* Bytes of the next line of `text` of at most `width` columns: up to a space,
 * or a whole word that is longer. */
static size_t line_length(const char *text, int width)
{
    size_t best = 0, k = 0;
    int columns = 0;
    for (; text[k]; k++) {
        if (text[k] == ' ' && k > 0 && may_break(text + k)) best = k;
        columns += begins_character(text[k]);
        if (columns > width && best) return best;
    }
    return k;
}

void phrase_field(
    FILE *file, int indent, int width, const char *label, const char *text)
{
    const int used = columns_of(label, strlen(label));
    const bool is_wide = used > 0 && used >= width;
    (void)fprintf(file, "%*s%s", indent, "", label);
    if (*text && !is_wide) (void)fprintf(file, "%*s", width - used, "");
    for (bool is_first = !is_wide; *text; is_first = false) {
        if (!is_first) (void)fprintf(file, "\n%*s", indent + width, "");
        size_t length = line_length(text, LINE_WIDTH - indent - width);
        (void)fwrite(text, 1, length, file);
        text += length;
        while (*text == ' ') text++;
    }
    (void)fputc('\n', file);
}

/* ---- tables ---- */

table table_of(const char *columns)
{
    table t = {.columns = strlen(columns)};
    for (size_t k = 0; k < t.columns; k++) t.align_right[k] = columns[k] == 'r';
    return t;
}

void table_add(table *t, const char *text)
{
    const bool has_room = memory_grow(
        &t->cells, t->count, &t->capacity, sizeof *t->cells);
    char *copy = has_room ? memory_copy(text, strlen(text)) : NULL;
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

void table_count(table *t, int64_t value)
{
    table_addf(t, "%lld", (long long)value);
}

void table_add_all(table *t, const char *const *texts)
{
    for (; *texts; texts++) table_add(t, *texts);
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
