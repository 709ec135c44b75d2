/* Diagnostics as text for people:
 *
 *     error[E0401]: inconsistent initial conditions
 *       --> pendulum.dae:8:7
 *        |
 *      8 | var   x = 2, y = 0
 *        |       ^^^^^ x(0) = 2 is given here
 *     12 | rod: x^2 + y^2 = L^2
 *        | --- but this equation then reads 4 = 1
 *        = help: drop one of the two
 *
 * Source lines are shown as a terminal would: tabs become blanks, wide and
 * combining characters keep the marks under their text, control characters
 * cannot reach the terminal. Of a long line a window around the place is
 * shown. Nothing is allocated. */
#include <dae/diag.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    TAB_STOP = 4,
    LINE_WIDEST = 110, /* display columns of a source line */
    WINDOW_BEFORE = 40 /* of them before the place, where it is cut */
};

typedef struct output {
    dae_write_fn *write;
    void *context;
    bool color, failed;
} output;

static void put(output *o, const char *text, size_t length)
{
    if (o->failed || length == 0) return;
    if (o->write(o->context, text, length)) o->failed = true;
}

static void put_text(output *o, const char *text)
{
    put(o, text, strlen(text));
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put_format(output *o, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length > 0)
        put(o, text,
            (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* The bytes of a control character at p, 0 where there is none: C0, DEL, and
 * C1 in UTF-8, which some terminals obey. */
static size_t control_at(const char *p)
{
    unsigned char c = (unsigned char)p[0], next = (unsigned char)p[c != 0];
    if (c < 0x20 || c == 0x7F) return 1;
    return c == 0xC2 && next >= 0x80 && next < 0xA0 ? 2 : 0;
}

/* A text of the user or about it: what could steer a terminal is replaced. */
static void put_clean(output *o, const char *text)
{
    const char *from = text;
    for (const char *p = text; *p; p++) {
        size_t length = control_at(p);
        if (length == 0) continue;
        put(o, from, (size_t)(p - from));
        put(o, "?", 1);
        p += length - 1;
        from = p + 1;
    }
    put_text(o, from);
}

static void paint(output *o, const char *code)
{
    if (o->color) put_text(o, code);
}

static const char *const RESET = "\033[0m";
static const char *const BOLD = "\033[1m";
static const char *const BLUE = "\033[1;34m";

static void put_repeated(output *o, char c, size_t count)
{
    char block[64];
    memset(block, c, sizeof block);
    for (; count > sizeof block; count -= sizeof block)
        put(o, block, sizeof block);
    put(o, block, count);
}

/* ---- a source line as cells ---- */

/* One code point of a line: its bytes, code and display width. */
typedef struct cell {
    const char *bytes;
    size_t length;
    size_t begin, width; /* display columns, from 0 */
    uint32_t column;     /* code points, from 1 */
} cell;

typedef struct range {
    uint32_t first, last;
} range;

static bool in_ranges(uint32_t c, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return true;
    return false;
}

/* Columns a terminal uses: Unicode's East Asian Width W and F, and the
 * combining blocks; what differs between terminals is taken as 1. */
static size_t width_of(uint32_t c)
{
    static const range none[] = {{0x0300, 0x036F}, {0x0483, 0x0489},
        {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
        {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
        {0xFE20, 0xFE2F}};
    static const range wide[] = {{0x1100, 0x115F}, {0x2E80, 0x303E},
        {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
        {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60},
        {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
        {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (c < 0x300) return 1;
    if (in_ranges(c, none, sizeof none / sizeof *none)) return 0;
    return in_ranges(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* Decodes the code point at `p`; its length, 0 where it is not UTF-8. */
static size_t decode_at(const char *p, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t n = u[0] < 0x80 ? 1
        : u[0] < 0xC2      ? 0
        : u[0] < 0xE0      ? 2
        : u[0] < 0xF0      ? 3
        : u[0] < 0xF5      ? 4
                           : 0;
    if (n == 0) return 0;
    uint32_t c = n == 1 ? u[0] : u[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3Fu);
    }
    *code = c;
    /* the second half of Latin-1's controls is no text either */
    return c >= 0x80 && c < 0xA0 ? 0 : n;
}

/* Steps to the next cell of a line; begin with all zero and bytes set. */
static bool next_cell(cell *c)
{
    const char *p = c->bytes + c->length;
    if (*p == '\0') return false;
    size_t begin = c->begin + c->width;
    uint32_t code = 0, column = c->column + 1;
    size_t length = decode_at(p, &code), width = 1;
    if (length == 0) {
        /* a stray continuation byte counts no column, as in base/source.c */
        length = 1;
        if (((unsigned char)*p & 0xC0) == 0x80) column = c->column;
    } else if (code == '\t') width = TAB_STOP - begin % TAB_STOP;
    else width = width_of(code);
    *c = (cell){p, length, begin, width, column};
    return true;
}

static void put_cell(output *o, const cell *c)
{
    uint32_t code = 0;
    if (*c->bytes == '\t') put_repeated(o, ' ', c->width);
    else if (decode_at(c->bytes, &code) == 0 || code < 0x20 || code == 0x7F)
        put(o, "?", 1);
    else put(o, c->bytes, c->length);
}

/* Display columns [begin, end) that code point columns [from, to) take; past
 * the line's end every code point counts one. */
typedef struct extent {
    size_t begin, end, line_width;
} extent;

static extent measure(const char *text, uint32_t from, uint32_t to)
{
    cell c = {.bytes = text};
    extent e = {SIZE_MAX, SIZE_MAX, 0};
    while (next_cell(&c)) {
        if (e.begin == SIZE_MAX && c.column >= from) e.begin = c.begin;
        if (e.end == SIZE_MAX && c.column >= to) e.end = c.begin;
        e.line_width = c.begin + c.width;
    }
    if (e.begin == SIZE_MAX) e.begin = e.line_width;
    if (e.end == SIZE_MAX) e.end = e.line_width;
    if (e.end <= e.begin) e.end = e.begin + 1;
    return e;
}

/* The part of a line that is shown. */
typedef struct window {
    size_t begin, end;
} window;

static window choose_window(const extent *e)
{
    if (e->line_width <= LINE_WIDEST) return (window){0, LINE_WIDEST + 1};
    size_t begin = e->begin > WINDOW_BEFORE ? e->begin - WINDOW_BEFORE : 0;
    if (begin + LINE_WIDEST > e->line_width)
        begin = e->line_width - LINE_WIDEST;
    return (window){begin, begin + LINE_WIDEST};
}

/* ---- the parts of a diagnostic ---- */

static void put_gutter(output *o, int digits, uint32_t line)
{
    paint(o, BLUE);
    if (line) put_format(o, "%*u |", digits, (unsigned)line);
    else put_format(o, "%*s |", digits, "");
    paint(o, RESET);
}

static void put_source_line(
    output *o, int digits, const dae_span *s, const extent *e, window w)
{
    put_gutter(o, digits, s->line);
    if (*s->text) put(o, " ", 1);
    if (w.begin) put_text(o, "...");
    cell c = {.bytes = s->text};
    while (next_cell(&c))
        if (c.begin >= w.begin && c.begin + c.width <= w.end) put_cell(o, &c);
    if (w.end < e->line_width) put_text(o, "...");
    put(o, "\n", 1);
}

static const char *severity_color(dae_severity severity)
{
    if (severity == DAE_ERROR) return "\033[1;31m";
    return severity == DAE_WARNING ? "\033[1;33m" : "\033[1;36m";
}

static void put_marks(output *o, int digits, const dae_diagnostic *d,
    const dae_span *s, const extent *e, window w)
{
    bool is_main = s == d->spans;
    size_t end = e->end < w.end ? e->end : w.end;
    size_t begin = e->begin < end ? e->begin : end - 1;
    put_gutter(o, digits, 0);
    put_repeated(o, ' ', (w.begin ? 4u : 1u) + begin - w.begin);
    paint(o, is_main ? severity_color(d->severity) : BLUE);
    put_repeated(o, is_main ? '^' : '-', end - begin);
    if (s->label && *s->label) {
        put(o, " ", 1);
        put_clean(o, s->label);
    }
    paint(o, RESET);
    put(o, "\n", 1);
}

/* Columns of the underlined part: to the end of the first line where the
 * span goes on. */
static extent extent_of(const dae_span *s)
{
    bool goes_on = s->end_line > s->line;
    return measure(s->text, s->column, goes_on ? UINT32_MAX : s->end_column);
}

static bool same_file(const dae_span *a, const dae_span *b)
{
    if (!a->file || !b->file) return a->file == b->file;
    return strcmp(a->file, b->file) == 0;
}

/* The span after `done` in line order among those of `file`'s file, NULL at
 * the end. Ties go in the order given. */
static const dae_span *next_span(
    const dae_diagnostic *d, const dae_span *file, const dae_span *done)
{
    const dae_span *best = NULL;
    for (uint32_t i = 0; i < d->span_count; i++) {
        const dae_span *s = &d->spans[i];
        if (s->line == 0 || !same_file(s, file)) continue;
        if (done
            && (s->line < done->line
                || (s->line == done->line && s->column < done->column)
                || (s->line == done->line && s->column == done->column
                    && s <= done)))
            continue;
        if (!best || s->line < best->line
            || (s->line == best->line && s->column < best->column))
            best = s;
    }
    return best;
}

static void put_place(
    output *o, int digits, const char *arrow, const dae_span *s)
{
    paint(o, BLUE);
    put_repeated(o, ' ', (size_t)digits);
    put_text(o, arrow);
    paint(o, RESET);
    put(o, " ", 1);
    put_clean(o, s->file ? s->file : "?");
    put_format(o, ":%u:%u\n", (unsigned)s->line, (unsigned)s->column);
}

/* All spans of one file, in line order; a line is shown once, or again where
 * another part of a long one is meant. */
static void put_file_spans(
    output *o, int digits, const dae_diagnostic *d, const dae_span *file)
{
    uint32_t shown = 0;
    window last = {0, 0};
    put_gutter(o, digits, 0);
    put(o, "\n", 1);
    for (const dae_span *s = next_span(d, file, NULL); s;
         s = next_span(d, file, s)) {
        if (!s->text) continue;
        extent e = extent_of(s);
        window w = choose_window(&e);
        if (s->line == shown && e.begin >= last.begin && e.begin < last.end)
            w = last;
        else put_source_line(o, digits, s, &e, w);
        put_marks(o, digits, d, s, &e, w);
        shown = s->line;
        last = w;
    }
}

/* Whether span i is the first of its file. */
static bool begins_file(const dae_diagnostic *d, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (same_file(&d->spans[k], &d->spans[i])) return false;
    return true;
}

static void put_spans(output *o, int digits, const dae_diagnostic *d)
{
    for (uint32_t i = 0; i < d->span_count; i++) {
        const dae_span *s = &d->spans[i];
        if (s->line == 0 || !begins_file(d, i)) continue;
        put_place(o, digits, i == 0 ? "-->" : ":::", s);
        put_file_spans(o, digits, d, s);
    }
}

static void begin_note(output *o, int digits)
{
    paint(o, BLUE);
    put_format(o, "%*s = ", digits, "");
    paint(o, RESET);
}

static void put_numeric(output *o, int digits, const dae_diagnostic *d)
{
    begin_note(o, digits);
    put_format(o, "at t = %.9g", d->t);
    if (d->h > 0 || d->h < 0) put_format(o, ", step %.3g", d->h);
    if (d->order > 0) put_format(o, ", order %d", d->order);
    put(o, "\n", 1);
    if (!d->equation && !d->variable) return;
    begin_note(o, digits);
    if (d->equation) {
        put_text(o, "worst equation `");
        put_clean(o, d->equation);
        put_text(o, d->variable ? "`, " : "`");
    }
    if (d->variable) {
        put_text(o, "worst unknown `");
        put_clean(o, d->variable);
        put(o, "`", 1);
    }
    put(o, "\n", 1);
}

static int gutter_digits(const dae_diagnostic *d)
{
    int digits = 2;
    for (uint32_t i = 0; i < d->span_count; i++) {
        int n = 1;
        for (uint32_t line = d->spans[i].line; line >= 10; line /= 10) n++;
        if (n > digits) digits = n;
    }
    return digits;
}

static void put_header(output *o, const dae_diagnostic *d)
{
    static const char *const words[] = {"note", "warning", "error"};
    paint(o, severity_color(d->severity));
    put_text(o, words[d->severity]);
    put(o, "[", 1);
    put_text(o, d->code);
    put(o, "]", 1);
    paint(o, RESET);
    paint(o, BOLD);
    put(o, ": ", 2);
    put_clean(o, d->message);
    paint(o, RESET);
    put(o, "\n", 1);
}

dae_status dae_diagnostic_render(
    const dae_diagnostic *d, int color, dae_write_fn *write, void *context)
{
    if (!d || !write) return DAE_ARGUMENT;
    output o = {write, context, color != 0, false};
    int digits = gutter_digits(d);
    put_header(&o, d);
    put_spans(&o, digits, d);
    if (d->has_time) put_numeric(&o, digits, d);
    if (d->help) {
        begin_note(&o, digits);
        put_text(&o, "help: ");
        put_clean(&o, d->help);
        put(&o, "\n", 1);
    }
    return o.failed ? DAE_IO : DAE_OK;
}
