/* A row of two panels for each variable: one step from exact values, and the
 * largest error of the run; of methods the run alone, with the index reduced and
 * as it stands. Curves are formulas; what is rounding is left out. The
 * work-precision diagram follows, with the index reduced on the left and the
 * equations as they stand on the right. */
#include "memory.h"
#include "orders_view.h"
#include <math.h>

/* Variables drawn: those of the highest index come first. */
enum { DRAWN = 4, TEXT = 200 };
/* Of a triangle: its foot is from the shortest step on so many times as long,
 * and below the curve by this factor. */
static const double FOOT = 2, BELOW = 0.35;

/* ---- errors against the step ---- */

/* What a panel shows of a variable. */
typedef struct shown {
    const dae_orders_steps *f;
    size_t variable;
    bool is_first; /* one step, else the run */
    int way;       /* reduced 0, as it stands 1, both -1 */
} shown;

static bool is_shown(const shown *s, size_t o)
{
    return s->way < 0
        || dae_orders_formula_at(s->f, o)->is_unreduced == (s->way > 0);
}

static dae_orders_error list_of(const shown *s)
{
    return s->is_first ? DAE_ORDERS_ONE_STEP : DAE_ORDERS_LARGEST;
}

static double error_of(const shown *s, const dae_orders_row *row)
{
    return fabs(row->errors[list_of(s)][s->variable]);
}

static bool is_drawable(const shown *s, const dae_orders_row *row)
{
    return dae_orders_worth_of(row, list_of(s), s->variable)
        == DAE_WORTH_BELIEVED;
}

static size_t count_points(const shown *s, size_t o)
{
    size_t count = 0;
    for (size_t i = 0; is_shown(s, o) && i < dae_orders_step_count(s->f); i++)
        count += is_drawable(s, dae_orders_row_at(s->f, o, i));
    return count;
}

/* Another curve is where the triangle would stand: below this one, and above its
 * foot or near it, from there to its end. */
static bool is_crowded(const shown *s, size_t o, size_t step)
{
    const dae_orders_row *foot = dae_orders_row_at(s->f, o, step);
    const double end = FOOT * foot->step * (1 + 1e-9);
    const double least = BELOW * BELOW * error_of(s, foot);
    for (size_t at = step + 1; at-- > 0;) {
        const dae_orders_row *own = dae_orders_row_at(s->f, o, at);
        for (size_t i = 0;
             i < dae_orders_formula_count(s->f) && own->step <= end; i++) {
            const double error = error_of(s, dae_orders_row_at(s->f, i, at));
            if (i != o && is_shown(s, i) && error < error_of(s, own)
                && error > least)
                return true;
        }
    }
    return false;
}

/* Whether the curve rises by about that order over the foot of a triangle. */
static bool has_slope(const shown *s, size_t o, size_t step, double order)
{
    const dae_orders_row *foot = dae_orders_row_at(s->f, o, step);
    for (size_t i = step; i-- > 0;) {
        const dae_orders_row *row = dae_orders_row_at(s->f, o, i);
        const double factor = row->step / foot->step;
        if (factor < FOOT * (1 - 1e-9)) continue;
        const double seen = log(error_of(s, row) / error_of(s, foot))
            / log(factor);
        return is_drawable(s, row) && fabs(seen - order) <= 0.5;
    }
    return false;
}

/* One triangle for a curve, of the order that its shortest steps show, where there
 * is room on the way to longer ones and it rises as much; all of it stands below
 * points. */
static void put_slope(picture_panel *panel, const shown *s, size_t o)
{
    const double order = round(
        dae_orders_observed(s->f, o, list_of(s), s->variable));
    if (!(order >= 1)) return;
    for (size_t i = dae_orders_step_count(s->f); i-- > 0;) {
        const dae_orders_row *at = dae_orders_row_at(s->f, o, i);
        if (at->step * FOOT > dae_orders_row_at(s->f, 0, 0)->step * (1 + 1e-9))
            return;
        if (!is_drawable(s, at) || is_crowded(s, o, i)) continue;
        if (!has_slope(s, o, i, order)) continue;
        panel_add_slope(panel, at->step, error_of(s, at) * BELOW, FOOT, order);
        return;
    }
}

static void put_formula(picture_panel *panel, const shown *s, size_t o)
{
    if (count_points(s, o) == 0) return;
    picture_curve *c = panel_add_curve(
        panel, CURVE_MARKED, dae_orders_formula_at(s->f, o)->name);
    for (size_t i = 0; i < dae_orders_step_count(s->f); i++) {
        const dae_orders_row *row = dae_orders_row_at(s->f, o, i);
        if (is_drawable(s, row)) curve_add(c, row->step, error_of(s, row));
    }
    put_slope(panel, s, o);
}

/* "error of c2 (mol/m³)"; of a derivative the unit is not known, for nobody says
 * that of time. */
static void put_label(
    const orders_view *v, size_t variable, const char *name, phrase *label)
{
    const dae_orders_unknown *of = orders_variable(v, variable);
    const char *unit = dae_model_unknown_unit(v->session->model, of->unknown);
    phrase_add(label, "error of %s", name);
    if (of->derivative == 0) phrase_put_unit(label, unit);
}

/* The first of a row, and whether it is of the last row. */
static void put_panel(const orders_view *v, const shown *s, bool is_left,
    bool is_last, const char *name, picture *p)
{
    char title[TEXT];
    phrase label = {0};
    (void)snprintf(title, sizeof title, "%s (%s): %s", name,
        orders_role(v, s->variable).s,
        s->is_first      ? "one step"
            : s->way < 0 ? "the run"
            : s->way     ? "as it stands"
                         : "index reduced");
    put_label(v, s->variable, name, &label);
    picture_panel *panel = picture_add_panel(p, title,
        is_last ? "step h" : NULL, is_left ? phrase_text(&label) : NULL);
    if (!panel) return;
    panel->x.is_log = panel->y.is_log = panel->needs_names = true;
    for (size_t o = 0; o < dae_orders_formula_count(s->f); o++)
        put_formula(panel, s, o);
}

/* The panels of a variable: one step and the run, or of methods the run alone,
 * reduced and as it stands where there are two ways. */
static size_t list_panels(const orders_view *v, size_t k, shown *list)
{
    const dae_orders_steps *f = v->fixed;
    if (!v->is_by_method) {
        list[0] = (shown){f, k, true, -1};
        list[1] = (shown){f, k, false, -1};
        return 2;
    }
    list[0] = (shown){f, k, false, orders_view_has_ways(v) ? 0 : -1};
    list[1] = (shown){f, k, false, 1};
    return orders_view_has_ways(v) ? 2 : 1;
}

/* A variable that formulas reproduce to rounding has nothing to show. */
static bool has_errors(const orders_view *v, size_t k)
{
    shown list[2];
    const size_t count = list_panels(v, k, list);
    for (size_t o = 0; o < dae_orders_formula_count(v->fixed); o++) {
        size_t with = 0;
        for (size_t i = 0; i < count; i++)
            with += count_points(&list[i], o) > 0;
        if (with == (v->is_by_method ? 1 : count)) return true;
    }
    return false;
}

static bool is_of(const orders_view *v, size_t k, dae_column asked)
{
    return orders_variable(v, k)->unknown == asked.number && has_errors(v, k);
}

/* Variables to draw, in `chosen`, which has room for all; how many. */
static size_t choose_variables(const orders_view *v, size_t *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < dae_columns_count(v->drawn); i++)
        for (size_t k = 0; k < v->variable_count; k++)
            if (is_of(v, k, dae_columns_at(v->drawn, i))
                && count < v->variable_count)
                chosen[count++] = k;
    for (size_t k = v->variable_count; !v->drawn && k-- > 0 && count < DRAWN;)
        if (has_errors(v, k)) chosen[count++] = k;
    return count;
}

static void put_variables(const orders_view *v, picture *p)
{
    size_t *chosen = memory_take(v->variable_count + 1, sizeof *chosen);
    const size_t count = chosen ? choose_variables(v, chosen) : 0;
    for (size_t i = 0; i < count; i++) {
        shown list[2];
        const char *text = orders_view_name(v, chosen[i]);
        const size_t panels = list_panels(v, chosen[i], list);
        for (size_t q = 0; q < panels; q++)
            put_panel(
                v, &list[q], q == 0 || panels == 1, i + 1 == count, text, p);
    }
}

/* ---- errors against the work ---- */

static void put_series(
    const orders_view *v, size_t first, size_t count, picture_panel *panel)
{
    char name[TEXT];
    const dae_orders_run *row = orders_run(v, first);
    if (row->max_order)
        (void)snprintf(name, sizeof name, "%s%d", row->method, row->max_order);
    else (void)snprintf(name, sizeof name, "%s", row->method);
    picture_curve *c = panel_add_curve(panel, CURVE_MARKED, name);
    for (size_t i = 0; i < count; i++) {
        row = orders_run(v, first + i);
        if (!row->status && !row->is_doubted)
            curve_add(c, (double)row->stats.residual_evals, row->error);
    }
}

/* The reduced equations, or those as they stand; nothing where there are none. */
static void put_work(const orders_view *v, bool is_unreduced, picture *p)
{
    size_t length;
    picture_panel *panel = NULL;
    const char *title = is_unreduced ? "as it stands"
        : v->index > 1               ? "index reduced"
                                     : "work and precision";
    for (size_t i = 0; i < v->run_count; i += length) {
        length = dae_orders_series(v->orders, i);
        if (orders_run(v, i)->is_unreduced != is_unreduced) continue;
        if (!panel)
            panel = picture_add_panel(p, title, "residual evaluations",
                is_unreduced ? NULL : "largest relative error");
        if (!panel) return;
        panel->x.is_log = panel->y.is_log = panel->needs_names = true;
        put_series(v, i, length, panel);
    }
}

void orders_picture_make(const orders_view *v, picture *p)
{
    const bool is_single = v->index <= 1 && (!v->fixed || v->is_by_method);
    p->columns = is_single ? 0 : 2;
    p->has_one_key = true;
    if (v->fixed) put_variables(v, p);
    put_work(v, false, p);
    put_work(v, true, p);
}
