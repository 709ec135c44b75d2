#include "run_picture.h"
#include "memory.h"
#include "phrase.h"
#include <math.h>
#include <string.h>

/* ---- points that are kept ---- */

/* After halving there still are two groups for each point across a picture. */
enum { GROUPS_MOST = 2048 };

/* The first and last place and those of the extremes, of `count` points. */
static void mark_kept(
    const double *x, const double *y, int count, bool *is_kept)
{
    int at[4] = {0, 0, 0, 0};
    for (int k = 0; k < count; k++) {
        is_kept[k] = k == 0 || k == count - 1;
        if (x[k] < x[at[0]]) at[0] = k;
        if (x[k] > x[at[1]]) at[1] = k;
        if (y[k] < y[at[2]]) at[2] = k;
        if (y[k] > y[at[3]]) at[3] = k;
    }
    for (int k = 0; k < 4; k++) is_kept[at[k]] = true;
}

/* `a` followed by `b`. */
static thin_group join(const thin_group *a, const thin_group *b)
{
    double x[2 * THIN_KEPT], y[2 * THIN_KEPT];
    bool is_kept[2 * THIN_KEPT];
    int count = 0;
    for (int k = 0; k < a->count; k++) x[count] = a->x[k], y[count++] = a->y[k];
    for (int k = 0; k < b->count; k++) x[count] = b->x[k], y[count++] = b->y[k];
    thin_group both = {.is_broken = a->is_broken || b->is_broken};
    if (count == 0) return both;
    mark_kept(x, y, count, is_kept);
    for (int k = 0; k < count; k++)
        if (is_kept[k]) {
            both.x[both.count] = x[k];
            both.y[both.count++] = y[k];
        }
    return both;
}

/* Neighbours become one group; across a break only where `crosses`. */
static void join_pairs(thin *t, bool crosses)
{
    size_t n = 0;
    for (size_t k = 0; k < t->count; n++) {
        const bool joins = k + 1 < t->count
            && (crosses || !t->groups[k].is_broken);
        t->groups[n] = joins ? join(&t->groups[k], &t->groups[k + 1])
                             : t->groups[k];
        k += joins ? 2 : 1;
    }
    t->count = n;
}

/* Both sides of a break stay, unless it is one of very many. */
static void halve(thin *t)
{
    join_pairs(t, false);
    if (t->count > GROUPS_MOST * 3 / 4) join_pairs(t, true);
    t->group_size *= 2;
}

static bool push(thin *t)
{
    if (!memory_grow(&t->groups, t->count, &t->capacity, sizeof *t->groups))
        return false;
    t->groups[t->count++] = t->pending;
    t->pending = (thin_group){.count = 0};
    t->pending_count = 0;
    if (t->count == GROUPS_MOST) halve(t);
    return true;
}

/* A group ends where the curve breaks. */
static bool add_break(thin *t)
{
    if (t->pending.count) {
        t->pending.is_broken = true;
        return push(t);
    }
    if (t->count) t->groups[t->count - 1].is_broken = true;
    return true;
}

bool thin_add(thin *t, double x, double y)
{
    thin_group one = {.count = 1};
    one.x[0] = x;
    one.y[0] = y;
    if (t->group_size == 0) t->group_size = 1;
    if (!isfinite(x) || !isfinite(y)) return add_break(t);
    t->pending = join(&t->pending, &one);
    if (++t->pending_count < t->group_size) return true;
    return push(t);
}

static void put_group(const thin_group *g, picture_curve *curve)
{
    for (int k = 0; k < g->count; k++) curve_add(curve, g->x[k], g->y[k]);
    if (g->is_broken) curve_break(curve);
}

void thin_put(const thin *t, picture_curve *curve)
{
    for (size_t k = 0; k < t->count; k++) put_group(&t->groups[k], curve);
    put_group(&t->pending, curve);
}

/* A curve's jumps beyond these many are gaps only. */
enum { BRIDGES_MOST = 600, NAMES_LONGEST = 30 };

/* Two lengths whose ranges differ by more would make a thin strip. */
static const double EQUAL_MOST = 4;

/* The same of two that have no unit: an orbit is seen as it is, and what else they
 * may be has its own sizes. */
static const double PLAIN_MOST = 2;

/* ---- what is drawn ---- */

static bool add_panel(run_picture *r, dae_column over, size_t curves)
{
    if (!memory_grow(
            &r->panels, r->panel_count, &r->panel_capacity, sizeof *r->panels))
        return false;
    r->panels[r->panel_count++] = (run_panel){
        .over = over, .curves_asked = curves, .first = r->curve_count};
    return true;
}

static bool push_curve(
    run_curve **list, size_t *count, size_t *capacity, const run_curve *c)
{
    if (!memory_grow(list, *count, capacity, sizeof **list)) return false;
    (*list)[(*count)++] = *c;
    return true;
}

/* To the last panel: the k-th of those that were requested, unless it is one
 * of too many. */
static bool add_curve(run_picture *r, size_t k, dae_column source)
{
    run_panel *panel = &r->panels[r->panel_count - 1];
    const size_t asked = panel->curves_asked, most = RUN_CURVES_MOST;
    const double at = asked > most
        ? (double)panel->count * (double)(asked - 1) / (double)(most - 1)
        : (double)k;
    if (k < (size_t)(at + 0.5)) return true;
    panel->count++;
    return push_curve(&r->curves, &r->curve_count, &r->capacity,
        &(run_curve){.source = source});
}

static dae_column source_of(size_t observation)
{
    if (observation == SIZE_MAX) return (dae_column){DAE_COLUMN_TIME, 0};
    return (dae_column){DAE_COLUMN_OBSERVED, observation};
}

/* Curves of one `plot` line follow each other. */
static bool choose_plots(run_picture *r)
{
    const size_t count = dae_model_plot_count(r->model);
    for (size_t k = 0; k < count;) {
        const dae_plot first = dae_model_plot(r->model, k);
        size_t end = k;
        while (end < count && dae_model_plot(r->model, end).plot == first.plot)
            end++;
        if (!add_panel(r, source_of(first.over), end - k)) return false;
        for (size_t i = k; i < end; i++)
            if (!add_curve(r, i - k,
                    source_of(dae_model_plot(r->model, i).observation)))
                return false;
        k = end;
    }
    return true;
}

static bool has_unit(const run_picture *r, size_t j, const char *unit)
{
    return strcmp(dae_model_unknown_unit(r->model, j), unit) == 0;
}

static bool is_first_of_unit(const run_picture *r, size_t j)
{
    const char *unit = dae_model_unknown_unit(r->model, j);
    for (size_t i = 0; i < j; i++)
        if (has_unit(r, i, unit)) return false;
    return true;
}

static bool choose_unknowns(run_picture *r)
{
    const size_t count = dae_model_unknown_count(r->model);
    for (size_t j = 0; j < count; j++) {
        if (!is_first_of_unit(r, j)) continue;
        const char *unit = dae_model_unknown_unit(r->model, j);
        size_t asked = 0, k = 0;
        for (size_t i = j; i < count; i++) asked += has_unit(r, i, unit);
        if (!add_panel(r, source_of(SIZE_MAX), asked)) return false;
        for (size_t i = j; i < count; i++)
            if (has_unit(r, i, unit)
                && !add_curve(r, k++, (dae_column){DAE_COLUMN_UNKNOWN, i}))
                return false;
    }
    return true;
}

/* Events draw them as steps: both sides are points of the curve. */
static bool choose_discretes(run_picture *r)
{
    const dae_problem *problem = dae_model_problem(r->model);
    const size_t count = problem->events ? problem->events->discrete_count : 0;
    if (count == 0) return true;
    size_t *at = memory_text_order(problem, DAE_NAME_DISCRETE, count);
    bool is_fine = at && add_panel(r, source_of(SIZE_MAX), count);
    for (size_t k = 0; k < count && is_fine; k++)
        is_fine = add_curve(r, k, (dae_column){DAE_COLUMN_DISCRETE, at[k]});
    return is_fine;
}

static bool choose_asked(run_picture *r, const dae_columns *asked)
{
    const size_t count = dae_columns_count(asked);
    if (!add_panel(r, source_of(SIZE_MAX), count)) return false;
    for (size_t k = 0; k < count; k++)
        if (!add_curve(r, k, dae_columns_at(asked, k))) return false;
    return true;
}

dae_status run_picture_init(run_picture *r, const dae_model *model, bool is_log,
    const dae_columns *asked)
{
    *r = (run_picture){.model = model,
        .is_log = is_log,
        .times = {(double)NAN, (double)NAN},
        .t_first = (double)NAN,
        .t_last = (double)NAN};
    const bool is_fine = asked ? choose_asked(r, asked)
        : dae_model_plot_count(model)
        ? choose_plots(r)
        : choose_unknowns(r) && choose_discretes(r);
    return is_fine ? DAE_OK : DAE_MEMORY;
}

/* ---- points ---- */

static bool same(double a, double b)
{
    return a >= b && a <= b;
}

/* Both sides stay; where they differ the line breaks. */
static bool add_jump(run_curve *c, double x, double y)
{
    const double gap = (double)NAN;
    if (same(x, c->last_x) && same(y, c->last_y)) return true;
    if (!thin_add(&c->points, gap, gap)) return false;
    if (!isfinite(c->last_x + c->last_y + x + y)) return true;
    if (c->bridge.count >= 3 * (size_t)BRIDGES_MOST) return true;
    return thin_add(&c->bridge, c->last_x, c->last_y)
        && thin_add(&c->bridge, x, y) && thin_add(&c->bridge, gap, gap);
}

static bool add_point(run_curve *c, double x, double y, bool is_jump)
{
    if (is_jump && !add_jump(c, x, y)) return false;
    c->last_x = x;
    c->last_y = y;
    return thin_add(&c->points, x, y);
}

dae_status run_picture_add(run_picture *r, const dae_point *p)
{
    const bool is_jump = same(p->t, r->t_last);
    for (size_t k = 0; k < r->panel_count; k++) {
        const run_panel *panel = &r->panels[k];
        const double x = dae_point_value(r->model, panel->over, p);
        for (size_t i = 0; i < panel->count; i++) {
            run_curve *c = &r->curves[panel->first + i];
            const double y = dae_point_value(r->model, c->source, p);
            if (!add_point(c, x, y, is_jump)) return DAE_MEMORY;
        }
    }
    /* on a logarithmic axis there is no 0 */
    if (isnan(r->t_first) || (r->is_log && !(r->t_first > 0)))
        r->t_first = p->t;
    r->t_last = p->t;
    return DAE_OK;
}

/* ---- names ---- */

/* "name", or with its unit "name (m/s)". */
static void put_name(
    const run_picture *r, dae_column s, bool with_unit, phrase *to)
{
    phrase_put(to, dae_column_name(r->model, s, memory_name()));
    if (with_unit) phrase_put_unit(to, dae_column_unit(r->model, s));
}

/* ---- curves of files ---- */

/* SIZE_MAX: there is none. */
static size_t find_column(
    const run_picture *r, const dae_table *t, dae_column source)
{
    if (source.kind == DAE_COLUMN_TIME) return 0;
    return dae_table_find(t, dae_column_name(r->model, source, memory_name()));
}

static bool put_rows(run_curve *c, const dae_table *t, const double *time,
    const double *x, const double *y)
{
    for (size_t k = 0; k < dae_table_row_count(t); k++)
        if (!add_point(c, x[k], y[k], k && same(time[k], time[k - 1])))
            return false;
    return true;
}

/* Where the table has columns for it. */
static dae_status add_other(
    run_picture *r, const run_curve *like, const dae_table *t, messages *m)
{
    const size_t x = find_column(r, t, r->panels[like->panel].over);
    const size_t y = find_column(r, t, like->source);
    if (memory_was_lost()) return DAE_MEMORY;
    if (x == SIZE_MAX || y == SIZE_MAX) return DAE_OK;
    const double *time = dae_table_values(t, 0, m->library);
    const double *xs = dae_table_values(t, x, m->library);
    const double *ys = dae_table_values(t, y, m->library);
    if (!time || !xs || !ys) return DAE_ARGUMENT;
    for (size_t k = 0; k < dae_table_row_count(t); k++) {
        if (r->is_log && !(time[k] > 0)) continue;
        r->times.low = fmin(r->times.low, time[k]);
        r->times.high = fmax(r->times.high, time[k]);
    }
    if (!push_curve(&r->others, &r->other_count, &r->other_capacity, like))
        return DAE_MEMORY;
    run_curve *c = &r->others[r->other_count - 1];
    return put_rows(c, t, time, xs, ys) ? DAE_OK : DAE_MEMORY;
}

dae_status run_picture_overlay(
    run_picture *r, const overlay *o, size_t *added, messages *m)
{
    const size_t before = r->other_count;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < r->panel_count; k++)
        for (size_t i = 0; !st && i < r->panels[k].count; i++) {
            const run_curve like = {
                .source = r->curves[r->panels[k].first + i].source,
                .panel = k,
                .label = o->label,
                .label_length = o->label_length};
            st = add_other(r, &like, o->table, m);
        }
    *added += r->other_count - before;
    return st;
}

/* ---- labels ---- */

/* The unit that all curves of a panel have; NULL where they differ. */
static const char *common_unit(const run_picture *r, const run_panel *panel)
{
    const char *unit = "";
    for (size_t i = 0; i < panel->count; i++) {
        const char *own = dae_column_unit(
            r->model, r->curves[panel->first + i].source);
        if (i && strcmp(own, unit) != 0) return NULL;
        unit = own;
    }
    return unit;
}

/* "x, y (m)"; of many names only the unit. */
static void put_axis(const run_picture *r, const run_panel *panel, phrase *to)
{
    const char *unit = common_unit(r, panel);
    for (size_t i = 0; i < panel->count && to->length <= NAMES_LONGEST; i++) {
        phrase_put(to, i ? ", " : "");
        put_name(r, r->curves[panel->first + i].source, !unit, to);
    }
    if (panel->count > 1 && to->length > NAMES_LONGEST) phrase_empty(to);
    if (unit) phrase_put_unit(to, unit);
}

/* ---- the picture ---- */

static void choose_axes(
    const run_picture *r, const run_panel *panel, picture_panel *q)
{
    if (panel->over.kind == DAE_COLUMN_TIME) {
        q->x.is_log = r->is_log;
        q->x.low = fmin(fmin(r->t_first, r->t_last), r->times.low);
        q->x.high = fmax(fmax(r->t_first, r->t_last), r->times.high);
        return;
    }
    picture_span x, y;
    const char *unit = common_unit(r, panel);
    if (!unit || strcmp(unit, dae_column_unit(r->model, panel->over)) != 0)
        return;
    panel_spans(q, &x, &y);
    const double part = (y.high - y.low) / (x.high - x.low);
    const double most = *unit ? EQUAL_MOST : PLAIN_MOST;
    q->is_equal = part < most && part > 1 / most;
}

static void put_curve(
    const run_picture *r, const run_curve *c, bool with_unit, picture_panel *q)
{
    phrase name = {0};
    if (c->label) phrase_add(&name, "%.*s: ", c->label_length, c->label);
    put_name(r, c->source, with_unit, &name);
    picture_curve *curve = panel_add_curve(q, CURVE_LINE, phrase_text(&name));
    thin_put(&c->points, curve);
    if (c->bridge.count) thin_put(&c->bridge, panel_add_bridge(q, curve));
}

static void put_curves(const run_picture *r, size_t k, picture_panel *q)
{
    const run_panel *panel = &r->panels[k];
    const bool with_unit = !common_unit(r, panel);
    for (size_t i = 0; i < panel->count; i++)
        put_curve(r, &r->curves[panel->first + i], with_unit, q);
    for (size_t i = 0; i < r->other_count; i++)
        if (r->others[i].panel == k) put_curve(r, &r->others[i], with_unit, q);
}

void run_picture_make(const run_picture *r, picture *p)
{
    for (size_t k = 0; k < r->panel_count; k++) {
        const run_panel *panel = &r->panels[k];
        const bool over_time = panel->over.kind == DAE_COLUMN_TIME;
        phrase x = {0}, y = {0};
        char title[64] = "";
        put_name(r, panel->over, true, &x);
        put_axis(r, panel, &y);
        if (panel->count < panel->curves_asked)
            (void)snprintf(title, sizeof title, "%zu of %zu curves",
                panel->count, panel->curves_asked);
        picture_panel *q = picture_add_panel(
            p, title, phrase_text(&x), phrase_text(&y));
        if (!q) return;
        put_curves(r, k, q);
        choose_axes(r, panel, q);
        q->shares_x = over_time && k + 1 < r->panel_count
            && r->panels[k + 1].over.kind == DAE_COLUMN_TIME;
    }
}
