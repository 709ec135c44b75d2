/* One pass over the bytes. Cells become numbers as they are met; where each row
 * begins is kept, and places within a row are found again when there is
 * something to say. */
#include "data/csv.h"
#include "base/number.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_LISTED = 12, SHOWN_MOST = 40 };

typedef struct reader {
    csv_table *t;
    const char *text;
    uint32_t at, end;
    arena *arena;
    csv_fault *fault;
} reader;

/* A cell: its bytes without quotes and blanks around, and what ends it. */
typedef struct cell {
    text_span span;
    bool is_quoted, has_pairs; /* `""` stands in it */
    bool is_last;              /* of its line */
} cell;

const char *csv_file_name(const csv_table *t)
{
    const char *slash = strrchr(t->source->name, '/');
    return slash ? slash + 1 : t->source->name;
}

static void say(
    csv_fault *f, diag_code code, text_span span, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
static void say(
    csv_fault *f, diag_code code, text_span span, const char *format, ...)
{
    va_list args;
    *f = (csv_fault){.code = code, .span = span};
    va_start(args, format);
    (void)vsnprintf(f->message, sizeof f->message, format, args);
    va_end(args);
}

static unsigned line_of(const csv_table *t, uint32_t at)
{
    uint32_t line, column;
    source_position(t->source, at, &line, &column);
    return line;
}

/* At most so many bytes of a text are shown, cut between characters. */
static int shown(const char *text, size_t length)
{
    if (length <= SHOWN_MOST) return (int)length;
    size_t cut = SHOWN_MOST;
    while (cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80) cut--;
    return (int)cut;
}

/* ---- bytes ---------------------------------------------------------------- */

/* Bytes of the character at `p`; 0: it is none, or a control that no text has. */
static uint32_t character_length(const unsigned char *p, uint32_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*p < 0x80)
        return *p >= ' ' || *p == '\t' || *p == '\n' || *p == '\r'
            || *p == '\f';
    const uint32_t length = *p >= 0xF0 ? 4 : *p >= 0xE0 ? 3 : 2;
    if (*p < 0xC2 || *p > 0xF4 || length > left) return 0;
    uint32_t code = *p & (0xFFu >> (length + 1));
    for (uint32_t k = 1; k < length; k++) {
        if ((p[k] & 0xC0) != 0x80) return 0;
        code = code << 6 | (p[k] & 0x3Fu);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[length] || code > 0x10FFFF || is_surrogate ? 0 : length;
}

static bool is_text(reader *r)
{
    for (uint32_t at = r->at, step; at < r->end; at += step) {
        const unsigned char *p = (const unsigned char *)r->text + at;
        step = character_length(p, r->end - at);
        if (step) continue;
        say(r->fault, DIAG_E0225, (text_span){at, at + 1},
            "`%s` is not a text in UTF-8: a byte 0x%02X stands in line %u",
            csv_file_name(r->t), *p, line_of(r->t, at));
        (void)snprintf(r->fault->help, sizeof r->fault->help,
            "save the table as CSV in UTF-8");
        return false;
    }
    return true;
}

/* ---- cells ---------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\r' || c == '\f';
}

static bool is_space(char c)
{
    return is_blank(c) || c == '\t' || c == '\n';
}

static bool is_end(const reader *r, uint32_t at)
{
    return at >= r->end || r->text[at] == '\n';
}

static bool is_separator(const reader *r, uint32_t at)
{
    return at < r->end && r->text[at] == r->t->separator;
}

static uint32_t skip_blanks(const reader *r, uint32_t at)
{
    while (at < r->end && is_blank(r->text[at])) at++;
    return at;
}

static bool quoted_cell(reader *r, cell *c)
{
    const uint32_t open = r->at++;
    *c = (cell){.is_quoted = true};
    for (; r->at < r->end; r->at++) {
        if (r->text[r->at] != '"') continue;
        if (r->at + 1 == r->end || r->text[r->at + 1] != '"') break;
        c->has_pairs = true;
        r->at++;
    }
    c->span = (text_span){open + 1, r->at};
    if (r->at >= r->end) {
        say(r->fault, DIAG_E0225, (text_span){open, open + 1},
            "`%s`, line %u: a quote is opened and not closed",
            csv_file_name(r->t), line_of(r->t, open));
        return false;
    }
    r->at = skip_blanks(r, r->at + 1);
    if (is_end(r, r->at) || is_separator(r, r->at)) return true;
    say(r->fault, DIAG_E0225, (text_span){r->at, r->at + 1},
        "`%s`, line %u: text stands behind a closing quote",
        csv_file_name(r->t), line_of(r->t, r->at));
    (void)snprintf(r->fault->help, sizeof r->fault->help,
        "a quote within quotes is written twice");
    return false;
}

/* The cell at r->at, and on to the one behind it; false: a fault. */
static bool next_cell(reader *r, cell *c)
{
    const uint32_t begin = r->at = skip_blanks(r, r->at);
    if (r->at < r->end && r->text[r->at] == '"') {
        if (!quoted_cell(r, c)) return false;
    } else {
        while (!is_end(r, r->at) && !is_separator(r, r->at)) r->at++;
        uint32_t end = r->at;
        while (end > begin
            && (is_blank(r->text[end - 1]) || r->text[end - 1] == '\t'))
            end--;
        *c = (cell){.span = {begin, end}};
    }
    c->is_last = is_end(r, r->at);
    if (r->at < r->end) r->at++;
    return true;
}

/* Past remarks; false: the end, or empty lines alone. `is_row`: remarks and
 * empty lines are gone, `gap` is the first empty line on the way. */
static bool next_row(reader *r, uint32_t *gap)
{
    *gap = UINT32_MAX;
    while (r->at < r->end) {
        const uint32_t first = skip_blanks(r, r->at);
        if (first < r->end && r->text[first] == '#') {
            while (!is_end(r, r->at)) r->at++;
        } else if (is_end(r, first)) {
            if (*gap == UINT32_MAX) *gap = r->at;
            r->at = first;
        } else {
            return true;
        }
        if (r->at < r->end) r->at++;
    }
    return false;
}

/* ---- numbers -------------------------------------------------------------- */

static bool is_word(const char *p, uint32_t length, const char *word)
{
    if (strlen(word) != length) return false;
    for (uint32_t k = 0; k < length; k++)
        if ((p[k] | 0x20) != word[k]) return false;
    return true;
}

static csv_flaw cell_value(const char *p, uint32_t length, double *value)
{
    *value = 0;
    if (length == 0) return CSV_EMPTY;
    const bool has_sign = *p == '-' || *p == '+', is_negative = *p == '-';
    p += has_sign, length -= has_sign;
    if (is_word(p, length, "nan") || is_word(p, length, "inf")
        || is_word(p, length, "infinity"))
        return CSV_NOT_FINITE;
    if (!number_is(p, length)) return CSV_TEXT;
    const double size = number_value(p, length);
    if (!isfinite(size)) return CSV_NOT_FINITE;
    *value = is_negative ? -size : size;
    return CSV_NO_FLAW;
}

static csv_flaw value_of(const reader *r, const cell *c, double *value)
{
    text_span s = c->span;
    const char *text = r->text;
    while (s.begin < s.end && is_space(text[s.begin])) s.begin++;
    while (s.begin < s.end && is_space(text[s.end - 1])) s.end--;
    return cell_value(r->text + s.begin, s.end - s.begin, value);
}

/* ---- the row of names ----------------------------------------------------- */

/* Commas, unless the first line has none outside of quotes. */
static char find_separator(const reader *r)
{
    bool has_semicolon = false, has_tab = false, is_quoted = false;
    for (uint32_t at = r->at; at < r->end; at++) {
        const char c = r->text[at];
        if (c == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        if (c == '\n') break;
        if (c == ',') return ',';
        has_semicolon = has_semicolon || c == ';';
        has_tab = has_tab || c == '\t';
    }
    return has_semicolon ? ';' : has_tab ? '\t' : ',';
}

static const char *cell_text(reader *r, const cell *c)
{
    const char *from = r->text + c->span.begin;
    char *copy = arena_copy(r->arena, from, c->span.end - c->span.begin);
    if (!copy || !c->has_pairs) return copy;
    char *to = copy;
    for (const char *p = copy; *p; p++) {
        *to++ = *p;
        if (p[0] == '"' && p[1] == '"') p++;
    }
    *to = '\0';
    return copy;
}

static dae_status too_large(reader *r, const char *what, size_t most)
{
    say(r->fault, DIAG_E0004, (text_span){0, 0}, "`%s` has more than %zu %s",
        csv_file_name(r->t), most, what);
    return DAE_LIMIT;
}

/* How many cells the line at hand has; false: a fault. */
static bool count_cells(const reader *r, size_t *count)
{
    reader look = *r;
    cell c = {.is_last = false};
    for (*count = 0; !c.is_last; ++*count)
        if (!next_cell(&look, &c)) return false;
    return true;
}

static dae_status read_names(reader *r)
{
    csv_table *t = r->t;
    uint32_t gap;
    double number;
    bool is_row = next_row(r, &gap), has_name = false;
    const uint32_t begin = r->at;
    if (!is_row) {
        say(r->fault, DIAG_E0225, (text_span){0, 0}, "`%s` has no rows",
            csv_file_name(t));
        (void)snprintf(r->fault->help, sizeof r->fault->help,
            "its first row names the columns: time,level");
        return DAE_MODEL;
    }
    t->separator = find_separator(r);
    if (!count_cells(r, &t->column_count)) return DAE_MODEL;
    if (t->column_count > CSV_COLUMNS_MOST)
        return too_large(r, "columns", CSV_COLUMNS_MOST);
    t->columns = ARENA_ARRAY(r->arena, csv_column, t->column_count);
    if (!t->columns) return DAE_MEMORY;
    for (size_t k = 0; k < t->column_count; k++) {
        cell c;
        if (!next_cell(r, &c)) return DAE_MODEL;
        if (!(t->columns[k].name = cell_text(r, &c))) return DAE_MEMORY;
        has_name = has_name || (value_of(r, &c, &number) == CSV_TEXT);
    }
    if (has_name) return DAE_OK;
    uint32_t length;
    const uint32_t line = line_of(t, begin);
    (void)source_line(t->source, line, &length);
    say(r->fault, DIAG_E0225, (text_span){begin, begin + 1},
        "`%s` has no row of names: its first row, line %u, holds numbers",
        csv_file_name(t), line);
    (void)snprintf(r->fault->help, sizeof r->fault->help,
        "put the names of the columns before it: time,level");
    return DAE_MODEL;
}

/* ---- rows ----------------------------------------------------------------- */

static bool refuse_gap(reader *r, uint32_t gap)
{
    if (gap == UINT32_MAX) return true;
    say(r->fault, DIAG_E0225, (text_span){gap, gap},
        "`%s`, line %u: an empty line stands between the rows",
        csv_file_name(r->t), line_of(r->t, gap));
    return false;
}

static bool refuse_ragged(reader *r, uint32_t begin, size_t count)
{
    const size_t want = r->t->column_count;
    say(r->fault, DIAG_E0225, (text_span){begin, begin + 1},
        "`%s`, line %u: %zu cell%s, but the row of names has %zu",
        csv_file_name(r->t), line_of(r->t, begin), count, count == 1 ? "" : "s",
        want);
    if (r->t->separator == ',' && count > want)
        (void)snprintf(r->fault->help, sizeof r->fault->help,
            "a decimal point is `.`, and a comma within a cell needs quotes");
    return false;
}

static void note_cell(csv_table *t, size_t column, csv_flaw flaw)
{
    csv_column *c = &t->columns[column];
    if (!flaw || c->flaw) return;
    c->flaw = flaw;
    c->flaw_row = t->row_count;
}

/* The cells of one row, into `values` column by column. */
static bool read_row(reader *r, double **values)
{
    csv_table *t = r->t;
    const uint32_t begin = r->at;
    cell c = {.is_last = false};
    size_t k = 0;
    for (; !c.is_last; k++) {
        double value;
        if (!next_cell(r, &c)) return false;
        if (k >= t->column_count) continue;
        note_cell(t, k, value_of(r, &c, &value));
        values[k][t->row_count] = value;
    }
    return k == t->column_count || refuse_ragged(r, begin, k);
}

/* As many rows as there can be: each is a line, and each has its separators
 * and its end. */
static size_t most_rows(const reader *r)
{
    const size_t bytes = r->end - r->at, columns = r->t->column_count;
    const size_t lines = r->t->source->line_count, fit = bytes / columns + 1;
    return lines < fit ? lines : fit;
}

static dae_status read_rows(reader *r)
{
    csv_table *t = r->t;
    const size_t most = most_rows(r);
    uint32_t gap;
    if (most > CSV_ROWS_MOST + 2) return too_large(r, "rows", CSV_ROWS_MOST);
    uint32_t *begin = ARENA_ARRAY(r->arena, uint32_t, most);
    double **values = ARENA_ARRAY(r->arena, double *, t->column_count);
    if (!begin || !values) return DAE_MEMORY;
    for (size_t k = 0; k < t->column_count; k++) {
        t->columns[k].values = values[k] = ARENA_ARRAY(r->arena, double, most);
        if (!values[k]) return DAE_MEMORY;
    }
    t->row_begin = begin;
    while (next_row(r, &gap)) {
        if (!refuse_gap(r, gap)) return DAE_MODEL;
        begin[t->row_count] = r->at;
        if (!read_row(r, values)) return DAE_MODEL;
        t->row_count++;
    }
    return DAE_OK;
}

dae_status csv_parse(
    csv_table *t, const dae_source *source, arena *a, csv_fault *fault)
{
    reader r = {.t = t,
        .text = source->text,
        .end = source->length,
        .arena = a,
        .fault = fault};
    *t = (csv_table){.source = source, .separator = ','};
    *fault = (csv_fault){.message = ""};
    if (r.end >= 3 && memcmp(r.text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
    if (!is_text(&r)) return DAE_MODEL;
    dae_status st = read_names(&r);
    if (!st) st = read_rows(&r);
    return st;
}

/* ---- what is asked -------------------------------------------------------- */

const csv_column *csv_find(const csv_table *t, const char *name)
{
    const csv_column *found = NULL;
    for (size_t k = 0; k < t->column_count; k++) {
        if (strcmp(t->columns[k].name, name) != 0) continue;
        if (found) return NULL;
        found = &t->columns[k];
    }
    return found;
}

size_t csv_row_text(const csv_table *t, size_t row, char *text, size_t size)
{
    const unsigned line = line_of(t, t->row_begin[row]);
    const int length = snprintf(text, size, "row %zu (line %u)", row + 1, line);
    return length > 0 ? (size_t)length : 0;
}

text_span csv_cell_span(const csv_table *t, size_t row, size_t column)
{
    csv_fault unused;
    csv_table copy = *t;
    reader r = {.t = &copy,
        .text = t->source->text,
        .at = t->row_begin[row],
        .end = t->source->length,
        .fault = &unused};
    cell c = {.is_last = false};
    for (size_t k = 0; k <= column; k++)
        if (c.is_last || !next_cell(&r, &c)) return (text_span){0, 0};
    if (c.span.end == c.span.begin && !c.is_quoted) /* a place to point at */
        c.span = (text_span){c.span.begin, c.span.begin};
    return c.span;
}

/* Letters that differ, come or go: how far one name is from another. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1], la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST) return LONGEST;
    for (size_t j = 0; j <= lb; j++) row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            const int ca = (unsigned char)a[i - 1],
                      cb = (unsigned char)b[j - 1];
            const bool same = ca == cb
                || ((ca | 0x20) == (cb | 0x20) && (ca | 0x20) >= 'a');
            size_t best = corner + !same;
            corner = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

static void list_columns(const csv_table *t, const char *name, csv_fault *f)
{
    size_t used = 0, best = 3;
    const char *near = NULL;
    for (size_t k = 0; k < t->column_count; k++) {
        const char *have = t->columns[k].name;
        const size_t far = distance(have, name);
        if (far < best && far < strlen(name)) best = far, near = have;
        if (k > NAMES_LISTED || used >= sizeof f->label) continue;
        const int more = k == NAMES_LISTED
            ? snprintf(f->label + used, sizeof f->label - used, ", ...")
            : snprintf(f->label + used, sizeof f->label - used, "%s`%.*s`",
                k ? ", " : "its columns: ", shown(have, strlen(have)), have);
        used += more > 0 ? (size_t)more : 0;
    }
    if (used >= sizeof f->label) { /* cut between characters */
        size_t cut = sizeof f->label - 5;
        while (cut > 0 && ((unsigned char)f->label[cut] & 0xC0) == 0x80) cut--;
        memcpy(f->label + cut, " ...", 5);
    }
    if (near)
        (void)snprintf(f->help, sizeof f->help, "did you mean `%.*s`?",
            shown(near, strlen(near)), near);
}

static void no_column(const csv_table *t, const char *name, csv_fault *f)
{
    size_t count = 0;
    for (size_t k = 0; k < t->column_count; k++)
        count += strcmp(t->columns[k].name, name) == 0;
    const int length = shown(name, strlen(name));
    if (count > 1) {
        say(f, DIAG_E0226, (text_span){0, 0},
            "`%s` has %zu columns of the name `%.*s`", csv_file_name(t), count,
            length, name);
        return;
    }
    reader r = {.t = &(csv_table){.source = t->source},
        .text = t->source->text,
        .end = t->source->length};
    uint32_t gap;
    if (r.end >= 3 && memcmp(r.text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
    (void)next_row(&r, &gap);
    uint32_t end = r.at;
    while (end < r.end && r.text[end] != '\n' && r.text[end] != '\r') end++;
    say(f, DIAG_E0226, (text_span){r.at, end}, "`%s` has no column `%.*s`",
        csv_file_name(t), length, name);
    list_columns(t, name, f);
}

static void no_number(const csv_table *t, const csv_column *c, csv_fault *f)
{
    char row[64];
    const size_t column = (size_t)(c - t->columns);
    const text_span span = csv_cell_span(t, c->flaw_row, column);
    const char *text = t->source->text + span.begin;
    const int length = shown(text, span.end - span.begin);
    (void)csv_row_text(t, c->flaw_row, row, sizeof row);
    say(f, DIAG_E0227, span, "`%s`, %s, column `%.*s`: ", csv_file_name(t), row,
        shown(c->name, strlen(c->name)), c->name);
    const size_t used = strlen(f->message), left = sizeof f->message - used;
    if (c->flaw == CSV_EMPTY)
        (void)snprintf(f->message + used, left, "the cell is empty");
    else
        (void)snprintf(f->message + used, left, "`%.*s` is not %s", length,
            text, c->flaw == CSV_TEXT ? "a number" : "a finite number");
    if (c->flaw == CSV_TEXT && memchr(text, ',', span.end - span.begin))
        (void)snprintf(f->help, sizeof f->help, "a decimal point is `.`");
    else
        (void)snprintf(f->help, sizeof f->help,
            "leave the row out, or give the cell a number");
}

const csv_column *csv_numbers(
    const csv_table *t, const char *name, csv_fault *fault)
{
    const csv_column *c = csv_find(t, name);
    if (!c) {
        no_column(t, name, fault);
        return NULL;
    }
    if (!c->flaw) return c;
    no_number(t, c, fault);
    return NULL;
}

static void say_order(
    const csv_table *t, const csv_column *c, size_t k, csv_fault *fault)
{
    char row[64];
    const double here = c->values[k], before = c->values[k - 1];
    (void)csv_row_text(t, k, row, sizeof row);
    say(fault, DIAG_E0228, csv_cell_span(t, k, (size_t)(c - t->columns)),
        "`%s`, %s, column `%.*s`: ", csv_file_name(t), row,
        shown(c->name, strlen(c->name)), c->name);
    const size_t used = strlen(fault->message);
    const size_t left = sizeof fault->message - used;
    char *message = fault->message + used;
    const char *help = "sort the rows by this column";
    if (here < before) {
        (void)snprintf(message, left,
            "%.12g stands behind %.12g in the row before", here, before);
    } else if (here == before) {
        (void)snprintf(message, left, "%.12g repeats %.12g in the row before",
            here, before);
        help = "a signal has one value at a time: leave one row out, or move "
               "it by a little";
    } else {
        (void)snprintf(message, left,
            "%.17g is only %.3g above the row before: no step is so short",
            here, here - before);
        help = "leave one row out, or move it by a little";
    }
    (void)snprintf(fault->help, sizeof fault->help, "%s", help);
}

bool csv_ascends(
    const csv_table *t, const csv_column *c, double least, csv_fault *fault)
{
    for (size_t k = 1; k < t->row_count; k++) {
        if (c->values[k] - c->values[k - 1] > least) continue;
        say_order(t, c, k, fault);
        return false;
    }
    return true;
}
