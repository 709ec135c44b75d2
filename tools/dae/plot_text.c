#include "plot_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 15, MOST_SAMPLES = 4096 };

static const char MARKS[] = "*+ox#@%&";

static size_t sample_size(const plot_samples *p)
{
    return p->curve_count + 1;
}

static void halve(plot_samples *p)
{
    size_t size = sample_size(p);
    for (size_t i = 0; 2 * i < p->count; i++)
        memmove(p->values + i * size, p->values + 2 * i * size,
            size * sizeof *p->values);
    p->count = (p->count + 1) / 2;
    p->stride *= 2;
}

bool plot_add(plot_samples *p, const double *values)
{
    if (!p->values) {
        p->values = calloc(MOST_SAMPLES, sample_size(p) * sizeof *p->values);
        p->stride = 1;
    }
    if (!p->values) return false;
    if (p->skipped++ % p->stride) return true;
    if (p->count == MOST_SAMPLES) halve(p);
    memcpy(p->values + p->count * sample_size(p), values,
        sample_size(p) * sizeof *values);
    p->count++;
    return true;
}

typedef struct extent {
    double low, high;
} extent;

static void include(extent *e, double value)
{
    if (!isfinite(value)) return;
    if (!(value >= e->low)) e->low = value;
    if (!(value <= e->high)) e->high = value;
}

/* The cell of a value among `cells`, -1 where it has none. */
static int cell_of(extent e, double value, int cells)
{
    if (!isfinite(value)) return -1;
    double range = e.high - e.low;
    if (!(range > 0)) return cells / 2;
    int at = (int)((value - e.low) / range * (cells - 1) + 0.5);
    return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

static void put_axis(extent x, const char *name, FILE *file)
{
    (void)fprintf(file, "  %11s +", "");
    for (int i = 0; i < WIDTH; i++) (void)fputc('-', file);
    (void)fprintf(file, "\n  %11s  %-*.6g%*.6g  %s\n", "", WIDTH / 2, x.low,
        WIDTH - WIDTH / 2, x.high, name);
}

void plot_draw(const plot_samples *p, const char *const *names, FILE *file)
{
    char picture[HEIGHT][WIDTH + 1];
    extent x = {(double)NAN, (double)NAN}, y = x;
    size_t size = sample_size(p);
    for (size_t i = 0; i < p->count; i++) {
        include(&x, p->values[i * size]);
        for (size_t c = 1; c < size; c++) include(&y, p->values[i * size + c]);
    }
    memset(picture, ' ', sizeof picture);
    for (size_t c = 1; c < size; c++)
        for (size_t i = 0; i < p->count; i++) {
            int column = cell_of(x, p->values[i * size], WIDTH);
            int row = cell_of(y, p->values[i * size + c], HEIGHT);
            if (column < 0 || row < 0) continue;
            picture[HEIGHT - 1 - row][column] =
                MARKS[(c - 1) % (sizeof MARKS - 1)];
        }
    for (size_t c = 1; c < size; c++)
        (void)fprintf(
            file, "  %c %s", MARKS[(c - 1) % (sizeof MARKS - 1)], names[c]);
    (void)fputc('\n', file);
    for (int i = 0; i < HEIGHT; i++) {
        picture[i][WIDTH] = '\0';
        if (i == 0) (void)fprintf(file, "  %11.4g |%s\n", y.high, picture[i]);
        else if (i == HEIGHT - 1)
            (void)fprintf(file, "  %11.4g |%s\n", y.low, picture[i]);
        else (void)fprintf(file, "  %11s |%s\n", "", picture[i]);
    }
    put_axis(x, names[0], file);
}

void plot_clear(plot_samples *p)
{
    free(p->values);
    p->values = NULL;
    p->count = p->skipped = 0;
}
