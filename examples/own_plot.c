/* Plots a run through its own code: an SVG of the columns that are named, with the name
 * and the unit of each.
 *
 *     ./own_plot MODEL NAMES FILE.svg       (pendulum_swing.dae theta,force swing.svg) */
#include <dae/run.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 320, MARGIN = 40 };

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value)
{
    if (value < r->low) r->low = value;
    if (value > r->high) r->high = value;
}

static double place(range r, double value, double from, double to)
{
    const double width = r.high > r.low ? r.high - r.low : 1;
    return from + (value - r.low) / width * (to - from);
}

static void draw(dae_run *run, FILE *file)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c"};
    dae_columns *columns = dae_run_columns(run);
    const size_t rows = dae_run_row_count(run);
    const range t = {dae_run_begin(run), dae_run_end(run)};
    range y = {HUGE_VAL, -HUGE_VAL};
    for (size_t c = 0; c < dae_columns_count(columns); c++)
        for (size_t k = 0; k < rows; k++) widen(&y, dae_run_value(run, k, c));
    fprintf(file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
        "height=\"%d\">\n",
        WIDTH, HEIGHT);
    for (size_t c = 0; c < dae_columns_count(columns); c++) {
        const char *colour = colours[c % 3];
        fprintf(
            file, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
        for (size_t k = 0; k < rows; k++)
            fprintf(file, "%.2f,%.2f ",
                place(t, dae_run_row_time(run, k), MARGIN, WIDTH - MARGIN),
                place(y, dae_run_value(run, k, c), HEIGHT - MARGIN, MARGIN));
        fprintf(file,
            "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s %s</text>\n",
            MARGIN + 80 * (int)c, MARGIN / 2, colour,
            dae_columns_name(columns, c), dae_columns_unit(columns, c));
    }
    fprintf(file, "</svg>\n");
}

int main(int argc, char **argv)
{
    const char *model = argc > 3 ? argv[1] : "pendulum_swing.dae";
    const char *names = argc > 3 ? argv[2] : "theta,force";
    FILE *file = argc > 3 ? fopen(argv[3], "w") : stdout;
    dae_diagnostics *ds;
    dae_run *run = NULL;
    if (!file || dae_diagnostics_create(NULL, &ds)) return 1;
    dae_status st = dae_run_load(model, NULL, NULL, ds, &run);
    if (!st) st = dae_run_keep(run, names);
    if (!st) st = dae_run_set_number(run, "points", 400);
    if (!st) st = dae_run_solve(run);
    if (!st) draw(run, file);
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        fprintf(stderr, "%s\n", dae_diagnostics_at(ds, i)->message);
    const int failed = st || dae_run_row_count(run) < 400;
    dae_run_free(run);
    dae_diagnostics_free(ds);
    return failed || fflush(file);
}
