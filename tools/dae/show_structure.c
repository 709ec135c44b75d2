#include "check.h"
#include "console.h"
#include "gnuplot.h"
#include "gnuplot_script.h"
#include "memory.h"
#include "phrase.h"
#include "result_file.h"
#include "session.h"
#include "show.h"
#include <stdbool.h>
#include <string.h>

/* What a drawing is put on: an SVG file, or a script that gnuplot makes a PNG or a
 * PDF of. Places and sizes are points of a screen, from the upper left corner. */

enum { CANVAS_FONT = 12 };

typedef struct canvas {
    picture_format format;
    phrase script; /* or the file itself, an SVG */
    size_t bars;   /* lists of them so far */
    phrase plots;  /* how gnuplot draws them */
    bool has_bars; /* the last list has some */
} canvas;

typedef enum canvas_place {
    CANVAS_LEFT,   /* the text begins there */
    CANVAS_MIDDLE, /* it is around it */
    CANVAS_RIGHT,  /* it ends there */
    CANVAS_UP      /* it begins there and runs upwards */
} canvas_place;

/* `dae show --structure`: the signature matrix with the transversal and the
 * blocks, rows and columns in the order of evaluation. */

/* Above this many unknowns no text is drawn. */
enum { DRAW_TEXT_LARGEST = 40 };

/* A picture's rows and columns: those the user knows, ordered. */
typedef struct drawing {
    const check *check;
    size_t n;
    int32_t *row, *column;       /* what stands at each place */
    int32_t *row_at, *column_at; /* places; -1: not shown */
    int32_t *block;              /* fine block of the place's row */
} drawing;

/* The script says each place in the points that the file has, from the top down, so
 * that both show the same. Names are not "enhanced", as in all pictures. */

/* From the line on which letters stand to their middle. */
enum { HALF_LETTER = 4 };

/* ---- texts on it ---- */

static bool is_svg(const canvas *c)
{
    return c->format == PICTURE_SVG;
}

static void put_escaped(phrase *to, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': phrase_put(to, "&lt;"); break;
        case '>': phrase_put(to, "&gt;"); break;
        case '&': phrase_put(to, "&amp;"); break;
        case '"': phrase_put(to, "&quot;"); break;
        default: phrase_add(to, "%c", *text);
        }
}

static void put_svg_text(canvas *c, int x, int y, canvas_place place,
    const char *colour, const char *text)
{
    static const char *const anchors[] = {
        "", " text-anchor=\"middle\"", " text-anchor=\"end\"", ""};
    if (place == CANVAS_UP)
        phrase_add(&c->script,
            "<text x=\"0\" y=\"0\" transform=\"translate(%d %d) "
            "rotate(-90)\"",
            x, y);
    else
        phrase_add(
            &c->script, "<text x=\"%d\" y=\"%d\"%s", x, y, anchors[place]);
    if (colour) phrase_add(&c->script, " fill=\"%s\"", colour);
    phrase_put(&c->script, ">");
    put_escaped(&c->script, text);
    phrase_put(&c->script, "</text>\n");
}

static void canvas_text(canvas *c, int x, int y, canvas_place place,
    const char *colour, const char *text)
{
    static const char *const places[] = {
        "left", "center", "right", "left rotate by 90"};
    if (is_svg(c)) {
        put_svg_text(c, x, y, place, colour, text);
        return;
    }
    const bool is_up = place == CANVAS_UP;
    phrase_put(&c->script, "set label ");
    gnuplot_put_text(&c->script, text, SIZE_MAX);
    phrase_add(&c->script, " at %d,%d %s front textcolor rgb '%s'\n",
        is_up ? x - HALF_LETTER : x, is_up ? y : y - HALF_LETTER, places[place],
        colour ? colour : "#000000");
}

/* ---- shapes ---- */

static void canvas_begin(canvas *c, int width, int height)
{
    if (is_svg(c)) {
        phrase_add(&c->script,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" "
            "font-size=\"%d\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            width, height, width, height, CANVAS_FONT, width, height);
        return;
    }
    gnuplot_put_terminal(&c->script, c->format, width, height, CANVAS_FONT);
    phrase_add(&c->script,
        "set lmargin at screen 0\nset rmargin at screen 1\n"
        "set bmargin at screen 0\nset tmargin at screen 1\n"
        "set xrange [0:%d]\nset yrange [%d:0]\n"
        "unset border\nunset tics\nunset key\n",
        width, height);
}

static void canvas_box(canvas *c, double x, double y, double width,
    double height, const char *fill, const char *outline)
{
    if (is_svg(c)) {
        phrase_add(&c->script,
            "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" "
            "fill=\"%s\" stroke=\"%s\"/>\n",
            x, y, width, height, fill ? fill : "none", outline);
        return;
    }
    phrase_add(&c->script, "set object rect from %.6g,%.6g to %.6g,%.6g ", x, y,
        x + width, y + height);
    if (fill) phrase_add(&c->script, "behind fc rgb '%s' fs solid 1", fill);
    else phrase_put(&c->script, "front fs empty");
    phrase_add(&c->script, " border lc rgb '%s' lw 1\n", outline);
}

static void canvas_ring(canvas *c, int x, int y, int radius, const char *colour)
{
    if (is_svg(c))
        phrase_add(&c->script,
            "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"1.5\"/>\n",
            x, y, radius, colour);
    else
        phrase_add(&c->script,
            "set object circle at %d,%d size %d front fs empty border lc rgb "
            "'%s' lw 1.5\n",
            x, y, radius, colour);
}

/* ---- bars ---- */

static void canvas_begin_bars(canvas *c, const char *colour)
{
    c->bars++;
    if (is_svg(c)) phrase_add(&c->script, "<path fill=\"%s\" d=\"", colour);
    else phrase_add(&c->script, "$bars%zu << END\n", c->bars);
}

static void canvas_add_bar(
    canvas *c, size_t x, size_t y, size_t width, size_t height)
{
    if (is_svg(c))
        phrase_add(
            &c->script, "M%zu %zuh%zuv%zuh-%zuz", x, y, width, height, width);
    else
        phrase_add(&c->script, "%zu %zu %zu %zu %zu %zu\n", x, y, x, x + width,
            y, y + height);
    c->has_bars = true;
}

/* gnuplot draws no empty list. */
static void canvas_end_bars(canvas *c, const char *colour)
{
    if (is_svg(c)) {
        phrase_put(&c->script, "\"/>\n");
    } else {
        phrase_put(&c->script, "END\n");
        if (c->has_bars)
            phrase_add(&c->plots,
                ", $bars%zu with boxxyerror fc rgb '%s' fs solid 1 noborder",
                c->bars, colour);
    }
    c->has_bars = false;
}

/* Something has to be plotted; that is out of sight. */
static void canvas_end(canvas *c)
{
    if (is_svg(c)) {
        phrase_put(&c->script, "</svg>\n");
        return;
    }
    phrase_put(&c->script, "plot -1 with lines");
    phrase_put(&c->script, phrase_text(&c->plots));
    phrase_put(&c->script, "\n");
}

static bool take(drawing *d, size_t n)
{
    d->row = memory_take(n + 1, sizeof *d->row);
    d->column = memory_take(n + 1, sizeof *d->column);
    d->row_at = memory_take(n + 1, sizeof *d->row_at);
    d->column_at = memory_take(n + 1, sizeof *d->column_at);
    d->block = memory_take(n + 1, sizeof *d->block);
    return d->row && d->column && d->row_at && d->column_at && d->block;
}

/* Partners stand on the diagonal; where the compiler's own rows are left out
 * the rest moves up. */
static dae_status draw_init(drawing *d, const check *k)
{
    const dae_structure *s = k->analysis->structure;
    *d = (drawing){.check = k};
    if (!take(d, s->n)) return DAE_MEMORY;
    size_t rows = 0, columns = 0;
    memset(d->row_at, 0xFF, (s->n + 1) * sizeof *d->row_at);
    memset(d->column_at, 0xFF, (s->n + 1) * sizeof *d->column_at);
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            const int32_t i = s->row_at[p], j = s->column_at[p];
            if (check_shows_equation(k, (size_t)i)) {
                d->block[rows] = (int32_t)b;
                d->row_at[i] = (int32_t)rows;
                d->row[rows++] = i;
            }
            if (check_shows_unknown(k, (size_t)j)) {
                d->column_at[j] = (int32_t)columns;
                d->column[columns++] = j;
            }
        }
    d->n = rows < columns ? rows : columns;
    return DAE_OK;
}

static const char *row_name(const drawing *d, size_t r)
{
    return check_equation_name(d->check, (size_t)d->row[r], 0);
}

static const char *column_name(const drawing *d, size_t c)
{
    return check_unknown_name(d->check, (size_t)d->column[c]);
}

/* ---- text ---------------------------------------------------------------------- */

enum { NO_ENTRY = -1 };

/* NO_ENTRY where there is none. */
static int32_t order_at(const drawing *d, size_t r, size_t c)
{
    const dae_signature *g = d->check->analysis->signature;
    const int32_t j = d->column[c];
    int32_t order = NO_ENTRY;
    for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++)
        if (g->row[e] == d->row[r] && g->order[e] > order) order = g->order[e];
    return order;
}

/* Names of columns, each as wide as it needs. */
static void put_padded(FILE *file, const char *text, int width, bool right)
{
    const int pad = width > (int)phrase_width(text)
        ? width - (int)phrase_width(text)
        : 0;
    (void)fprintf(
        file, "%*s%s%*s", right ? pad : 0, "", text, right ? 0 : pad, "");
}

static void put_cell(
    const drawing *d, size_t r, size_t c, int width, FILE *file)
{
    const dae_structure *s = d->check->analysis->structure;
    const int32_t order = order_at(d, r, c);
    const bool is_partner = s->matching.column_of[d->row[r]] == d->column[c];
    char text[32];
    if (order == NO_ENTRY)
        (void)snprintf(
            text, sizeof text, "%s ", d->block[r] == d->block[c] ? "." : "");
    else
        (void)snprintf(
            text, sizeof text, is_partner ? "(%d)" : "%d ", (int)order);
    put_padded(file, text, width, true);
}

static void put_number(FILE *file, int64_t value, int width)
{
    (void)fprintf(file, "%*lld ", width - 1, (long long)value);
}

typedef struct widths {
    int name, columns[DRAW_TEXT_LARGEST];
} widths;

static void measure(const drawing *d, widths *w)
{
    w->name = 8;
    for (size_t r = 0; r < d->n; r++) {
        int width = (int)phrase_width(row_name(d, r));
        if (width > w->name) w->name = width;
        width = (int)phrase_width(column_name(d, r)) + 2;
        w->columns[r] = width < 5 ? 5 : width;
    }
}

static void put_head(const drawing *d, const widths *w, FILE *file)
{
    put_padded(file, "", w->name + 2, false);
    for (size_t c = 0; c < d->n; c++) {
        put_padded(file, column_name(d, c), w->columns[c] - 1, true);
        (void)fputc(' ', file);
    }
    (void)fputs("     c\n", file);
}

static void draw_text(const drawing *d, FILE *file)
{
    const dae_structure *s = d->check->analysis->structure;
    widths w;
    measure(d, &w);
    (void)fputs("highest derivative of each unknown in each equation; "
                "(n): the transversal, dots: the blocks\n\n",
        file);
    put_head(d, &w, file);
    for (size_t r = 0; r < d->n; r++) {
        (void)fputs("  ", file);
        put_padded(file, row_name(d, r), w.name, false);
        for (size_t c = 0; c < d->n; c++) put_cell(d, r, c, w.columns[c], file);
        (void)fprintf(file, " %5lld\n", (long long)s->c[d->row[r]]);
    }
    (void)fputs("  ", file);
    put_padded(file, "d", w.name, false);
    for (size_t c = 0; c < d->n; c++)
        put_number(file, s->d[d->column[c]], w.columns[c]);
    (void)fputc('\n', file);
}

/* The signature matrix as a picture: see draw.h. */

/* Single entries up to here: names stay legible. */
enum { NAMED_LARGEST = 60, CELL = 22 };

/* A larger matrix is a raster: so many points across, of so many units. */
enum { RASTER = 250, POINT = 3, MARGIN = 24, LEVELS = 4 };

/* More frames would cover what they frame. */
enum { FRAMES_MOST = 400 };

/* ---- single entries ------------------------------------------------------------ */

static int room_for_names(const drawing *d, bool is_equations)
{
    size_t widest = 1;
    for (size_t r = 0; r < d->n; r++) {
        const size_t width = strlen(
            is_equations ? row_name(d, r) : column_name(d, r));
        if (width > widest) widest = width;
    }
    return 16 + (int)widest * CANVAS_FONT * 2 / 3;
}

static void put_names(const drawing *d, int left, int top, canvas *to)
{
    for (size_t r = 0; r < d->n; r++) {
        const int at = (int)r * CELL + CELL / 2;
        canvas_text(
            to, left - 6, top + at + 4, CANVAS_RIGHT, NULL, row_name(d, r));
        canvas_text(
            to, left + at + 4, top - 6, CANVAS_UP, NULL, column_name(d, r));
    }
}

static void put_offsets(const drawing *d, int left, int top, canvas *to)
{
    const dae_structure *s = d->check->analysis->structure;
    const int end = (int)d->n * CELL;
    char text[32];
    canvas_text(to, left + end + 12, top - 6, CANVAS_LEFT, NULL, "c");
    canvas_text(to, left - 6, top + end + 18, CANVAS_RIGHT, NULL, "d");
    for (size_t r = 0; r < d->n; r++) {
        const int at = (int)r * CELL + CELL / 2;
        (void)snprintf(text, sizeof text, "%lld", (long long)s->c[d->row[r]]);
        canvas_text(to, left + end + 12, top + at + 4, CANVAS_LEFT, NULL, text);
        (void)snprintf(
            text, sizeof text, "%lld", (long long)s->d[d->column[r]]);
        canvas_text(to, left + at, top + end + 18, CANVAS_MIDDLE, NULL, text);
    }
}

static void put_entries(const drawing *d, int left, int top, canvas *to)
{
    const dae_signature *g = d->check->analysis->signature;
    const dae_structure *s = d->check->analysis->structure;
    char text[16];
    for (size_t c = 0; c < d->n; c++) {
        const int32_t j = d->column[c];
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t i = g->row[e], r = d->row_at[i];
            if (r < 0) continue;
            const int x = left + (int)c * CELL, y = top + r * CELL;
            if (s->matching.column_of[i] == j)
                canvas_ring(
                    to, x + CELL / 2, y + CELL / 2, CELL / 2 - 2, "#c03028");
            (void)snprintf(text, sizeof text, "%d", (int)g->order[e]);
            canvas_text(to, x + CELL / 2, y + CELL / 2 + 4, CANVAS_MIDDLE,
                s->d[j] - s->c[i] == g->order[e] ? NULL : "#999999", text);
        }
    }
}

/* Squares around runs of places that lie in one block. */
static void put_frames(
    const drawing *d, double left, double top, double cell, canvas *to)
{
    size_t frames = 0;
    for (size_t r = 0; r < d->n;) {
        size_t end = r + 1;
        while (end < d->n && d->block[end] == d->block[r]) end++;
        const bool is_seen = (double)(end - r) * cell >= 2;
        if (is_seen && frames++ < FRAMES_MOST)
            canvas_box(to, left + (double)r * cell, top + (double)r * cell,
                (double)(end - r) * cell, (double)(end - r) * cell, "#e8eef6",
                "#98b0d0");
        r = end;
    }
}

static void draw_named(const drawing *d, canvas *to)
{
    const int left = room_for_names(d, true), top = room_for_names(d, false);
    const int size = (int)d->n * CELL;
    canvas_begin(to, left + size + 60, top + size + 36);
    put_frames(d, left, top, CELL, to);
    canvas_box(to, left, top, size, size, NULL, "#bbbbbb");
    put_names(d, left, top, to);
    put_offsets(d, left, top, to);
    put_entries(d, left, top, to);
    canvas_end(to);
}

/* ---- density ------------------------------------------------------------------- */

/* Entries per point of the raster. */
static uint32_t *count_points(const drawing *d, size_t points)
{
    const dae_signature *g = d->check->analysis->signature;
    uint32_t *counts = memory_take(points * points, sizeof *counts);
    if (!counts) return NULL;
    for (size_t c = 0; c < d->n; c++) {
        const int32_t j = d->column[c];
        const size_t x = c * points / d->n;
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t r = d->row_at[g->row[e]];
            if (r < 0 || (size_t)r >= d->n) continue;
            uint32_t *count = &counts[(size_t)r * points / d->n * points + x];
            if (*count < UINT32_MAX) ++*count;
        }
    }
    return counts;
}

static uint32_t largest_count(const uint32_t *counts, size_t points)
{
    uint32_t largest = 1;
    for (size_t k = 0; k < points * points; k++)
        if (counts[k] > largest) largest = counts[k];
    return largest;
}

/* 0: none; LEVELS: more than a quarter of the largest count, and a level less
 * for each further factor of four. */
static int level_of(uint32_t count, uint32_t largest)
{
    int level = count ? LEVELS : 0;
    while (level > 1 && count <= largest / 4) {
        largest /= 4;
        level--;
    }
    return level;
}

/* One path for each level, neighbours in a row as one stroke. */
static void put_level(const uint32_t *counts, size_t points, uint32_t largest,
    int level, canvas *to)
{
    static const char *const colours[LEVELS] = {
        "#b8c4d0", "#8090a4", "#506078", "#203040"};
    canvas_begin_bars(to, colours[level - 1]);
    for (size_t y = 0; y < points; y++)
        for (size_t x = 0; x < points;) {
            size_t end = x;
            while (end < points
                && level_of(counts[y * points + end], largest) == level)
                end++;
            if (end > x)
                canvas_add_bar(to, MARGIN + x * POINT, MARGIN + y * POINT,
                    (end - x) * POINT, POINT);
            x = end > x ? end : x + 1;
        }
    canvas_end_bars(to, colours[level - 1]);
}

static void draw_raster(const drawing *d, canvas *to)
{
    const size_t points = d->n < RASTER ? d->n : RASTER;
    const int size = (int)points * POINT;
    uint32_t *counts = count_points(d, points);
    if (!counts) return;
    const uint32_t largest = largest_count(counts, points);
    char text[80];
    canvas_begin(to, size + 2 * MARGIN, size + 2 * MARGIN);
    put_frames(d, MARGIN, MARGIN, (double)size / (double)d->n, to);
    for (int level = 1; level <= LEVELS; level++)
        put_level(counts, points, largest, level, to);
    canvas_box(to, MARGIN, MARGIN, size, size, NULL, "#888888");
    (void)snprintf(text, sizeof text,
        "%zu equations, the darker the more entries in a point", d->n);
    canvas_text(to, MARGIN, MARGIN - 8, CANVAS_LEFT, NULL, text);
    canvas_end(to);
}

static void draw_picture(const drawing *d, canvas *to)
{
    if (d->n <= NAMED_LARGEST) draw_named(d, to);
    else draw_raster(d, to);
}

/* ---- the command ---- */

enum { MOST_REPAIRS = 10 };

static void refuse_large(session *s, size_t n)
{
    messages_add(&s->messages, "E0004",
        "the structure of %zu unknowns is too large for text, which shows %d: "
        "-o FILE.svg, .png or .pdf makes a picture of any size",
        n, DRAW_TEXT_LARGEST);
    s->status = DAE_LIMIT;
}

/* An SVG needs nobody else. */
static void write_picture(session *s, const drawing *d, const char *path)
{
    canvas to = {.format = picture_format_of(path)};
    draw_picture(d, &to);
    if (memory_was_lost()) s->status = DAE_MEMORY;
    else if (to.format == PICTURE_SVG)
        s->status = result_file_put(path, RESULT_PICTURE,
            phrase_text(&to.script), to.script.length, true, &s->messages);
    else
        s->status = gnuplot_draw_script(
            &to.script, path, true, &s->limits, &s->messages);
}

/* Before the analysis, which may take long. */
static bool can_draw(session *s)
{
    const string_list *files = &s->args->outputs;
    if (!files->count) return true;
    const char *path = files->items[0];
    s->status = picture_format_of(path) == PICTURE_SVG
        ? result_file_expect(path, s->model, &s->messages)
        : gnuplot_expect(path, s->model, &s->messages);
    return !s->status;
}

/* What is drawn are the equations as they stand. */
static void put_repairs(const check *k)
{
    const dae_analysis *a = k->analysis;
    if (a->repair_count == 0) return;
    (void)fputs(
        "\nthe equations as they stand; `dae check` repairs them\n", stdout);
    for (size_t r = 0; r < a->repair_count && r < MOST_REPAIRS; r++)
        phrase_field(stdout, 2, 2, "", a->repairs[r].text);
    if (a->repair_count > MOST_REPAIRS)
        (void)printf("    and %zu more\n", a->repair_count - MOST_REPAIRS);
}

static void draw(session *s)
{
    drawing d;
    const args *a = s->args;
    s->status = draw_init(&d, &s->check);
    if (s->status) {
        /* told with what else takes memory */
    } else if (a->outputs.count) {
        write_picture(s, &d, a->outputs.items[0]);
    } else if (d.n > DRAW_TEXT_LARGEST) {
        refuse_large(s, d.n);
    } else {
        draw_text(&d, stdout);
        put_repairs(&s->check);
    }
}

exit_status show_structure(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0]) && can_draw(&s)) {
        session_analyse(&s, true);
        if (!s.status && !s.check.analysis->structure->is_regular)
            s.status = DAE_MODEL;
        if (!s.status) draw(&s);
    }
    return session_end_show(&s, a);
}
