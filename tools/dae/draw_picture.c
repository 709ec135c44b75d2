/* The signature matrix as a picture: see draw.h. */
#include "check_names.h"
#include "draw.h"
#include "memory.h"

/* Single entries up to here: names stay legible. */
enum { NAMED_LARGEST = 60, CELL = 22 };
/* A larger matrix is a raster: so many points across, of so many units. */
enum { RASTER = 250, POINT = 3, MARGIN = 24, LEVELS = 4 };
/* More frames would cover what they frame. */
enum { FRAMES_MOST = 400 };

/* ---- single entries ------------------------------------------------------------ */

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

static void put_names(
    const drawing *d, int left, int top, phrase *p, canvas *to)
{
    for (size_t r = 0; r < d->n; r++) {
        const int at = (int)r * CELL + CELL / 2;
        canvas_text(to, left - 6, top + at + 4, CANVAS_RIGHT, NULL,
            check_equation_name(d->check, (size_t)d->row[r], p));
        canvas_text(to, left + at + 4, top - 6, CANVAS_UP, NULL,
            check_slot_name(d->check, (size_t)d->column[r], 0, p));
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
    phrase p = {0};
    const int left = 16 + (int)widest_name(d, true, &p) * CANVAS_FONT * 2 / 3;
    const int top = 16 + (int)widest_name(d, false, &p) * CANVAS_FONT * 2 / 3;
    const int size = (int)d->n * CELL;
    canvas_begin(to, left + size + 60, top + size + 36);
    put_frames(d, left, top, CELL, to);
    canvas_box(to, left, top, size, size, NULL, "#bbbbbb");
    put_names(d, left, top, &p, to);
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

void draw_picture(const drawing *d, canvas *to)
{
    if (d->n <= NAMED_LARGEST) draw_named(d, to);
    else draw_raster(d, to);
}
