#include "watch.h"
#include "gnuplot.h"
#include "memory.h"
#include <dae/names.h>
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

/* A panel of a picture in characters, for terminals. */
static void plot_text(const picture_panel *panel, FILE *file)
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

/* Where standard output has a document or a table they do not belong there. Of
 * the models that are tested only the verdicts are told. */
static FILE *place_of_prints(const args *a)
{
    if (a->command == COMMAND_TEST) return NULL;
    return a->json || args_write_to_stdout(a) ? stderr : stdout;
}

static dae_status see_row(void *context, const dae_point *p)
{
    watch *w = context;
    dae_status st = w->collects ? run_picture_add(&w->picture, p) : DAE_OK;
    const dae_status written = outputs_row(&w->outputs, p);
    return st ? st : written;
}

static bool has_prints(const dae_events *events, const dae_event *e)
{
    for (size_t k = 0; k < e->when_count; k++)
        if (events->whens[e->whens[k]].print_count) return true;
    return false;
}

static void print_line(FILE *file, const char *text)
{
    limits_spend_output(strlen(text) + 1);
    (void)fprintf(file, "%s\n", text);
}

/* In the order of the text, and each text in a line. */
static dae_status hear(void *context, const dae_event *e)
{
    const watch *w = context;
    const dae_problem *problem = dae_run_problem(w->run);
    size_t last = SIZE_MAX;
    if (!has_prints(problem->events, e)) return DAE_OK;
    for (size_t k = 0; k < e->when_count; k++) {
        last = dae_text_next(
            problem, DAE_NAME_WHEN, e->whens, e->when_count, last);
        const dae_when *fired = &problem->events->whens[last];
        for (size_t i = 0; i < fired->print_count; i++)
            print_line(w->prints, fired->prints[i]);
    }
    return DAE_OK;
}

/* ---- life ---- */

static dae_status refuse_undrawn(
    messages *m, const char *option, const char *what)
{
    messages_add(m, "E0505", "%s %s, and none is drawn: -o FILE.svg draws one",
        option, what);
    return DAE_ARGUMENT;
}

/* What a file adds to both kinds of pictures. */
static dae_status add_overlay(watch *w, overlay *o, const limits *l)
{
    static const char ending[] = ".csv";
    messages *m = w->outputs.messages;
    const size_t length = strlen(o->label);
    const size_t cut = args_ends_in(o->label, ending) ? sizeof ending - 1 : 0;
    size_t added = 0;
    o->label_length = (int)(length - cut);
    dae_status st = dae_table_load(
        o->label, &l->allocator, m->library, &o->table);
    if (!st && w->collects) st = run_picture_overlay(&w->picture, o, &added, m);
    if (!st && w->profiles.count)
        st = run_profiles_overlay(&w->profiles, o, &added, m);
    dae_table_free(o->table);
    o->table = NULL;
    if (st || added > 0) return st;
    messages_add(m, "E0505",
        "--overlay: `%s` has a column for none of the curves", o->label);
    return DAE_ARGUMENT;
}

static dae_status add_overlays(watch *w, const args *a, const limits *l)
{
    const size_t count = a->overlays.count;
    dae_status st = DAE_OK;
    if (count == 0) return DAE_OK;
    if (!w->collects && !a->profile)
        return refuse_undrawn(
            w->outputs.messages, "--overlay", "adds curves to a picture");
    overlay *all = memory_take(count, sizeof *all);
    if (!all) return DAE_MEMORY;
    for (size_t k = 0; !st && k < count; k++) {
        all[k].label = a->overlays.items[k];
        st = add_overlay(w, &all[k], l);
    }
    return st;
}

/* What --plot and --profile ask for, else what the model's `plot` lines do. */
static dae_status prepare_picture(watch *w, const args *a, const limits *l)
{
    dae_columns *asked = NULL;
    const dae_model *model = dae_run_model(w->run);
    const bool has_plots = a->plot || dae_model_plot_count(model) > 0;
    w->collects = (w->outputs.picture_count || (w->draws && has_plots))
        && (a->plot || !a->profile);
    dae_status st = a->plot
        ? dae_columns_create(w->run, a->plot, "--plot", &asked)
        : DAE_OK;
    if (!st && w->collects)
        st = run_picture_init(
            &w->picture, model, dae_run_is_logarithmic(w->run), asked);
    dae_columns_free(asked);
    if (!st && a->profile)
        st = run_profiles_init(
            &w->profiles, w->run, a->profile, &a->times, w->outputs.messages);
    if (!st) st = add_overlays(w, a, l);
    const char *asks = a->plot ? "--plot" : a->profile ? "--profile" : NULL;
    if (st || !asks || w->outputs.picture_count || w->draws) return st;
    return refuse_undrawn(w->outputs.messages, asks, "asks for a picture");
}

dae_status watch_init(
    watch *w, const args *a, dae_run *r, limits *l, messages *m, bool draws)
{
    *w = (watch){.run = r, .draws = draws, .prints = place_of_prints(a)};
    result_files_keep(a->overlays.items, a->overlays.count);
    dae_status st = outputs_open(&w->outputs, a, r, m);
    if (!st) st = prepare_picture(w, a, l);
    if (w->outputs.file_count || w->collects) dae_run_on_row(r, see_row, w);
    if (w->prints) dae_run_on_event(r, hear, w);
    return st;
}

dae_status watch_solve(watch *w)
{
    run_profiles *p = &w->profiles;
    dae_status st = DAE_OK;
    while (!st && p->taken < p->time_count) {
        const double t = p->times[p->taken];
        st = dae_run_to(w->run, t);
        if (fabs(dae_run_time(w->run) - t) > 0) break;
        const dae_point at = dae_run_point(w->run);
        if (!st) run_profiles_take(p, &at);
    }
    return st ? st : dae_run_to(w->run, dae_run_end(w->run));
}

void watch_clear(watch *w)
{
    run_profiles_clear(&w->profiles);
    outputs_clear(&w->outputs);
    memset(w, 0, sizeof *w);
}

/* ---- pictures ---- */

/* What has been told to end is refused more memory, but what it computed up to
 * there is drawn: the limits count again behind end_picture. */
static size_t begin_picture(const watch *w, limits *l, picture *p)
{
    const size_t mark = memory_mark();
    if (limits_stop(l)) memory_use_none();
    run_picture_make(&w->picture, p);
    run_profiles_make(&w->profiles, p);
    return mark;
}

static void end_picture(limits *l, size_t mark)
{
    memory_release(mark);
    memory_use(l);
}

void watch_draw(const watch *w, limits *l, FILE *file)
{
    picture p = {0};
    const size_t mark = begin_picture(w, l, &p);
    for (size_t k = 0; k < p.panel_count; k++) {
        (void)fputc('\n', file);
        plot_text(p.panels[k], file);
    }
    end_picture(l, mark);
}

static dae_status draw_files(
    const watch *w, const picture *p, limits *l, bool is_whole)
{
    const outputs *o = &w->outputs;
    dae_status st = DAE_OK;
    for (size_t i = 0; i < o->picture_count && st != DAE_INTERRUPTED; i++) {
        output_picture *q = &o->pictures[i];
        const dae_status got = gnuplot_draw(
            p, q->path, is_whole, l, o->messages);
        q->is_drawn = got == DAE_OK && is_whole;
        if (!st || got == DAE_INTERRUPTED) st = got;
    }
    return st;
}

dae_status watch_draw_files(watch *w, limits *l, bool is_whole)
{
    if (w->outputs.picture_count == 0) return DAE_OK;
    picture p = {0};
    const size_t mark = begin_picture(w, l, &p);
    const dae_status st = draw_files(w, &p, l, is_whole);
    w->curves = picture_curve_count(&p);
    w->panels = p.panel_count;
    end_picture(l, mark);
    return st;
}
