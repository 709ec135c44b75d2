/* The signature matrix as a picture: see draw.h. */
#include "check_names.h"
#include "draw.h"
#include "memory.h"

/* Single entries up to here: names stay legible. */
enum { NAMED_LARGEST = 60, CELL = 22, FONT = 12 };
/* A larger matrix is a raster: so many points across, of so many units. */
enum { RASTER = 250, POINT = 3, MARGIN = 24, LEVELS = 4 };
/* More frames would cover what they frame. */
enum { FRAMES_MOST = 400 };

static void begin(FILE *file, int width, int height)
{
    (void)fprintf(file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
        "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" "
        "font-size=\"%d\">\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
        width, height, width, height, FONT, width, height);
}

static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': (void)fputs("&lt;", file); break;
        case '>': (void)fputs("&gt;", file); break;
        case '&': (void)fputs("&amp;", file); break;
        case '"': (void)fputs("&quot;", file); break;
        default: (void)fputc(*text, file);
        }
}

/* ---- single entries
 * -------------------------------------------------------------- */

static size_t widest_name(const drawing *d, bool is_equations, phrase *p)
{
    size_t widest = 1;
    for (size_t r = 0; r < d->n; r++) {
        phrase_empty(p);
        if (is_equations) check_put_equation(d->check, (size_t)d->row[r], 0, p);
        else check_put_slot(d->check, (size_t)d->column[r], 0, p);
        if (p->length > widest) widest = p->length;
    }
    return widest;
}

static void put_label(
    FILE *file, const char *text, int x, int y, const char *more)
{
    (void)fprintf(file, "<text x=\"%d\" y=\"%d\"%s>", x, y, more);
    put_escaped(file, text);
    (void)fputs("</text>\n", file);
}

static void put_names(
    const drawing *d, int left, int top, phrase *p, FILE *file)
{
    char turn[80];
    for (size_t r = 0; r < d->n; r++) {
        const int at = (int)r * CELL + CELL / 2;
        phrase_empty(p);
        check_put_equation(d->check, (size_t)d->row[r], 0, p);
        put_label(file, phrase_text(p), left - 6, top + at + 4,
            " text-anchor=\"end\"");
        phrase_empty(p);
        check_put_slot(d->check, (size_t)d->column[r], 0, p);
        (void)snprintf(turn, sizeof turn,
            " transform=\"translate(%d %d) rotate(-90)\"", left + at + 4,
            top - 6);
        put_label(file, phrase_text(p), 0, 0, turn);
    }
}

static void put_offsets(const drawing *d, int left, int top, FILE *file)
{
    const dae_structure *s = d->check->analysis->structure;
    const int end = (int)d->n * CELL;
    char text[32];
    put_label(file, "c", left + end + 12, top - 6, "");
    put_label(file, "d", left - 6, top + end + 18, " text-anchor=\"end\"");
    for (size_t r = 0; r < d->n; r++) {
        const int at = (int)r * CELL + CELL / 2;
        (void)snprintf(text, sizeof text, "%lld", (long long)s->c[d->row[r]]);
        put_label(file, text, left + end + 12, top + at + 4, "");
        (void)snprintf(
            text, sizeof text, "%lld", (long long)s->d[d->column[r]]);
        put_label(
            file, text, left + at, top + end + 18, " text-anchor=\"middle\"");
    }
}

static void put_entries(const drawing *d, int left, int top, FILE *file)
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
                (void)fprintf(file,
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" "
                    "stroke=\"#c03028\" stroke-width=\"1.5\"/>\n",
                    x + CELL / 2, y + CELL / 2, CELL / 2 - 2);
            (void)snprintf(text, sizeof text, "%d", (int)g->order[e]);
            put_label(file, text, x + CELL / 2, y + CELL / 2 + 4,
                s->d[j] - s->c[i] == g->order[e]
                    ? " text-anchor=\"middle\""
                    : " text-anchor=\"middle\" fill=\"#999\"");
        }
    }
}

/* Squares around runs of places that lie in one block. */
static void put_frames(
    const drawing *d, double left, double top, double cell, FILE *file)
{
    size_t frames = 0;
    for (size_t r = 0; r < d->n;) {
        size_t end = r + 1;
        while (end < d->n && d->block[end] == d->block[r]) end++;
        const bool is_seen = (double)(end - r) * cell >= 2;
        if (is_seen && frames++ < FRAMES_MOST)
            (void)fprintf(file,
                "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" "
                "fill=\"#e8eef6\" stroke=\"#98b0d0\"/>\n",
                left + (double)r * cell, top + (double)r * cell,
                (double)(end - r) * cell, (double)(end - r) * cell);
        r = end;
    }
}

static bool draw_named(const drawing *d, FILE *file)
{
    phrase p = {0};
    const int left = 16 + (int)widest_name(d, true, &p) * FONT * 2 / 3;
    const int top = 16 + (int)widest_name(d, false, &p) * FONT * 2 / 3;
    const int size = (int)d->n * CELL;
    begin(file, left + size + 60, top + size + 36);
    put_frames(d, left, top, CELL, file);
    (void)fprintf(file,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
        "stroke=\"#bbb\"/>\n",
        left, top, size, size);
    put_names(d, left, top, &p, file);
    put_offsets(d, left, top, file);
    put_entries(d, left, top, file);
    (void)fputs("</svg>\n", file);
    return phrase_done(&p);
}

/* ---- density
 * ------------------------------------------------------------------------ */

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
    int level, FILE *file)
{
    static const char *const colours[LEVELS] = {
        "#b8c4d0", "#8090a4", "#506078", "#203040"};
    (void)fprintf(file, "<path fill=\"%s\" d=\"", colours[level - 1]);
    for (size_t y = 0; y < points; y++)
        for (size_t x = 0; x < points;) {
            size_t end = x;
            while (end < points
                && level_of(counts[y * points + end], largest) == level)
                end++;
            if (end > x)
                (void)fprintf(file, "M%zu %zuh%zuv%dh-%zuz", MARGIN + x * POINT,
                    MARGIN + y * POINT, (end - x) * POINT, POINT,
                    (end - x) * POINT);
            x = end > x ? end : x + 1;
        }
    (void)fputs("\"/>\n", file);
}

static bool draw_raster(const drawing *d, FILE *file)
{
    const size_t points = d->n < RASTER ? d->n : RASTER;
    const int size = (int)points * POINT;
    uint32_t *counts = count_points(d, points);
    if (!counts) return false;
    const uint32_t largest = largest_count(counts, points);
    begin(file, size + 2 * MARGIN, size + 2 * MARGIN);
    put_frames(d, MARGIN, MARGIN, (double)size / (double)d->n, file);
    for (int level = 1; level <= LEVELS; level++)
        put_level(counts, points, largest, level, file);
    (void)fprintf(file,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
        "stroke=\"#888\"/>\n"
        "<text x=\"%d\" y=\"%d\">%zu equations, the darker the more entries "
        "in a point</text>\n</svg>\n",
        MARGIN, MARGIN, size, size, MARGIN, MARGIN - 8, d->n);
    memory_drop(counts);
    return true;
}

bool draw_svg(const drawing *d, FILE *file)
{
    return d->n <= NAMED_LARGEST ? draw_named(d, file) : draw_raster(d, file);
}
