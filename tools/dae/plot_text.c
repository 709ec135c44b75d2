#include "plot_text.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 15, MARK_COUNT = 8 };

static const char MARKS[MARK_COUNT + 1] = "*+ox#@%&";

typedef struct screen {
    char cells[HEIGHT][WIDTH + 1];
    int width; /* columns in use */
    picture_span x, y;
    bool x_log, y_log;
} screen;

/* The cell of a value among `cells`, -1 where it has none. */
static int cell_of(picture_span s, bool is_log, double value, int cells)
{
    const double range = s.high - s.low;
    if (!(range > 0)) return cells / 2;
    const double part = is_log ? log(value / s.low) / log(s.high / s.low)
                               : (value - s.low) / range;
    if (!(part >= 0 && part <= 1)) return -1;
    return (int)(part * (cells - 1) + 0.5);
}

static void put_curve(
    screen *s, const picture_panel *panel, const picture_curve *c)
{
    for (size_t k = 0; k < c->count; k++) {
        if (!curve_has(panel, c, k)) continue;
        const int column = cell_of(s->x, s->x_log, c->points[2 * k], s->width);
        const int row = cell_of(s->y, s->y_log, c->points[2 * k + 1], HEIGHT);
        if (column >= 0 && row >= 0)
            s->cells[HEIGHT - 1 - row][column] = MARKS[c->style % MARK_COUNT];
    }
}

static void put_names(const picture_panel *panel, FILE *file)
{
    for (size_t k = 0; k < panel->curve_count; k++) {
        const picture_curve *c = panel->curves[k];
        if (c->name)
            (void)fprintf(
                file, "  %c %s", MARKS[c->style % MARK_COUNT], c->name);
    }
    (void)fputc('\n', file);
}

static void put_axis(const screen *s, const char *name, FILE *file)
{
    (void)fprintf(file, "  %11s +", "");
    for (int i = 0; i < s->width; i++) (void)fputc('-', file);
    (void)fprintf(file, "\n  %11s  %-*.6g %*.6g  %s%s\n", "", s->width / 2,
        s->x.low, s->width - s->width / 2 - 1, s->x.high, name,
        s->x_log ? ", logarithmic" : "");
}

/* A unit as long on both axes, where a row is about as high as two columns are
 * wide: fewer columns, or more of the y axis. */
static void make_equal(screen *s)
{
    const double dx = s->x.high - s->x.low, dy = s->y.high - s->y.low;
    const double across = 2 * (HEIGHT - 1), most = WIDTH - 1;
    if (!(dx > 0 && dy > 0)) return;
    if (across * dx / dy <= most) {
        s->width = (int)(across * dx / dy + 1.5);
        return;
    }
    const double more = (dx * across / most - dy) / 2;
    s->y.low -= more, s->y.high += more;
}

void plot_text(const picture_panel *panel, FILE *file)
{
    screen s = {
        .x_log = panel->x.is_log, .y_log = panel->y.is_log, .width = WIDTH};
    panel_spans(panel, &s.x, &s.y);
    if (panel->is_equal) make_equal(&s);
    memset(s.cells, ' ', sizeof s.cells);
    for (size_t k = 0; k < panel->curve_count; k++)
        put_curve(&s, panel, panel->curves[k]);
    put_names(panel, file);
    for (int i = 0; i < HEIGHT; i++) {
        s.cells[i][s.width] = '\0';
        if (i == 0 || i == HEIGHT - 1)
            (void)fprintf(
                file, "  %11.4g |%s\n", i ? s.y.low : s.y.high, s.cells[i]);
        else (void)fprintf(file, "  %11s |%s\n", "", s.cells[i]);
    }
    put_axis(&s, panel->x.label ? panel->x.label : "", file);
}
