#include "draw.h"
#include "check_names.h"
#include "memory.h"
#include <string.h>

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
dae_status draw_init(drawing *d, const check *k)
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

/* ---- text ---------------------------------------------------------------------- */

enum { NO_ENTRY = -1 };

/* Orders by place, NO_ENTRY where there is none. */
static int32_t *fill_cells(const drawing *d)
{
    const dae_signature *g = d->check->analysis->signature;
    int32_t *cells = memory_take(d->n * d->n + 1, sizeof *cells);
    if (!cells) return NULL;
    for (size_t c = 0; c < d->n * d->n; c++) cells[c] = NO_ENTRY;
    for (size_t c = 0; c < d->n; c++) {
        const int32_t j = d->column[c];
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t r = d->row_at[g->row[e]];
            if (r < 0) continue;
            int32_t *cell = &cells[(size_t)r * d->n + c];
            if (*cell < g->order[e]) *cell = g->order[e];
        }
    }
    return cells;
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

static void put_cell(const drawing *d, const int32_t *cells, size_t r, size_t c,
    int width, FILE *file)
{
    const dae_structure *s = d->check->analysis->structure;
    const int32_t order = cells[r * d->n + c];
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

static void measure(const drawing *d, widths *w, phrase *p)
{
    w->name = 8;
    for (size_t r = 0; r < d->n; r++) {
        int width = (int)phrase_width(
            check_equation_name(d->check, (size_t)d->row[r], p));
        if (width > w->name) w->name = width;
        width = (int)phrase_width(
                    check_slot_name(d->check, (size_t)d->column[r], 0, p))
            + 2;
        w->columns[r] = width < 5 ? 5 : width;
    }
}

static void put_head(const drawing *d, const widths *w, phrase *p, FILE *file)
{
    put_padded(file, "", w->name + 2, false);
    for (size_t c = 0; c < d->n; c++) {
        phrase_empty(p);
        check_put_slot(d->check, (size_t)d->column[c], 0, p);
        phrase_put(p, " ");
        put_padded(file, phrase_text(p), w->columns[c], true);
    }
    (void)fputs("     c\n", file);
}

void draw_text(const drawing *d, FILE *file)
{
    const dae_structure *s = d->check->analysis->structure;
    phrase p = {0};
    widths w;
    int32_t *cells = fill_cells(d);
    if (!cells) return;
    measure(d, &w, &p);
    (void)fputs("highest derivative of each unknown in each equation; "
                "(n): the transversal, dots: the blocks\n\n",
        file);
    put_head(d, &w, &p, file);
    for (size_t r = 0; r < d->n; r++) {
        phrase_empty(&p);
        check_put_equation(d->check, (size_t)d->row[r], 0, &p);
        (void)fputs("  ", file);
        put_padded(file, phrase_text(&p), w.name, false);
        for (size_t c = 0; c < d->n; c++)
            put_cell(d, cells, r, c, w.columns[c], file);
        (void)fprintf(file, " %5lld\n", (long long)s->c[d->row[r]]);
    }
    (void)fputs("  ", file);
    put_padded(file, "d", w.name, false);
    for (size_t c = 0; c < d->n; c++)
        put_number(file, s->d[d->column[c]], w.columns[c]);
    (void)fputc('\n', file);
}
