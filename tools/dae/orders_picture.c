/* A row of two panels for each variable: one step from exact values, and the
 * largest error of the run. Curves are orders; what is rounding is left out. The
 * work-precision diagram follows, with the index reduced on the left and the
 * equations as they stand on the right. */
#include "orders_picture.h"
#include "names.h"
#include "orders_adaptive.h"
#include "orders_fixed.h"
#include <math.h>

/* Variables drawn: those of the highest index come first. */
enum { DRAWN = 4, TEXT = 200 };
/* Of a triangle: its foot is from the shortest step on so many times as long,
 * and below the curve by this factor. */
static const double FOOT = 2, BELOW = 0.35;

/* ---- errors against the step ---- */

static bool is_drawable(const fixed_study *f, size_t s, size_t k, double error)
{
    return fabs(error) > f->floors[s * f->variable_count + k];
}

static double error_of(const fixed_row *row, bool is_first, size_t k)
{
    return is_first ? row->first[k] : row->largest[k];
}

static size_t count_points(
    const fixed_study *f, size_t o, size_t k, bool is_first)
{
    size_t count = 0;
    for (size_t s = 0; s < f->step_count; s++)
        count += is_drawable(
            f, s, k, error_of(fixed_row_at(f, o, s), is_first, k));
    return count;
}

/* Another curve is where the triangle would stand. */
static bool is_crowded(
    const fixed_study *f, size_t o, size_t s, size_t k, bool is_first)
{
    const double own = fabs(error_of(fixed_row_at(f, o, s), is_first, k));
    for (size_t i = 0; i < f->order_count; i++) {
        const fixed_row *row = fixed_row_at(f, i, s);
        const double error = fabs(error_of(row, is_first, k));
        if (i != o && error < own && error > BELOW * BELOW * own) return true;
    }
    return false;
}

/* One triangle for a curve, of the order that its shortest steps show. */
static void put_slope(picture_panel *panel, const fixed_study *f, size_t o,
    size_t k, bool is_first)
{
    const observed_row *row = &f->observed[o];
    const double order = round(is_first ? row->local[k] : row->largest[k]);
    if (!(order >= 1)) return;
    for (size_t s = f->step_count; s-- > 0;) {
        const fixed_row *at = fixed_row_at(f, o, s);
        const double error = error_of(at, is_first, k);
        if (!is_drawable(f, s, k, error)) continue;
        if (!is_crowded(f, o, s, k, is_first))
            panel_add_slope(panel, at->step, fabs(error) * BELOW, FOOT, order);
        return;
    }
}

static void put_order(picture_panel *panel, const fixed_study *f, size_t o,
    size_t k, bool is_first)
{
    char name[TEXT];
    if (count_points(f, o, k, is_first) == 0) return;
    (void)snprintf(name, sizeof name, "bdf%d", f->observed[o].order);
    picture_curve *c = panel_add_curve(panel, CURVE_MARKED, name);
    for (size_t s = 0; s < f->step_count; s++) {
        const fixed_row *row = fixed_row_at(f, o, s);
        const double error = error_of(row, is_first, k);
        if (is_drawable(f, s, k, error)) curve_add(c, row->step, fabs(error));
    }
    put_slope(panel, f, o, k, is_first);
}

static void put_panel(const orders_view *v, size_t k, bool is_first,
    bool is_last, const char *name, picture *p)
{
    char title[TEXT], role[40], label[TEXT];
    orders_role_text(&v->variables[k].role, role, sizeof role);
    (void)snprintf(title, sizeof title, "%s (%s): %s", name, role,
        is_first ? "one step" : "the run");
    (void)snprintf(label, sizeof label, "error of %s", name);
    picture_panel *panel = picture_add_panel(
        p, title, is_last ? "step h" : NULL, is_first ? label : NULL);
    if (!panel) return;
    panel->x.is_log = panel->y.is_log = true;
    for (size_t o = 0; o < v->fixed.order_count; o++)
        put_order(panel, &v->fixed, o, k, is_first);
}

/* A variable that formulas reproduce to rounding has nothing to show. */
static bool has_errors(const orders_view *v, size_t k)
{
    for (size_t o = 0; o < v->fixed.order_count; o++)
        if (count_points(&v->fixed, o, k, true)
            && count_points(&v->fixed, o, k, false))
            return true;
    return false;
}

static void put_variables(const orders_view *v, picture *p)
{
    size_t chosen[DRAWN], count = 0;
    name_buffer name = {0};
    for (size_t k = v->variable_count; k-- > 0 && count < DRAWN;)
        if (has_errors(v, k)) chosen[count++] = k;
    for (size_t i = 0; i < count; i++) {
        const char *text = orders_view_name(v, chosen[i], &name);
        put_panel(v, chosen[i], true, i + 1 == count, text, p);
        put_panel(v, chosen[i], false, i + 1 == count, text, p);
    }
    if (!name_done(&name)) p->is_incomplete = true;
}

/* ---- errors against the work ---- */

static void put_series(
    const orders_view *v, size_t first, size_t count, picture_panel *panel)
{
    char name[TEXT];
    const adaptive_row *rows = &v->adaptive[first];
    (void)snprintf(name, sizeof name, "%s%d", rows->method, rows->max_order);
    picture_curve *c = panel_add_curve(panel, CURVE_MARKED, name);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].status)
            curve_add(c, (double)rows[i].stats.residual_evals, rows[i].error);
}

/* The reduced equations, or those as they stand; nothing where there are none. */
static void put_work(const orders_view *v, bool is_unreduced, picture *p)
{
    size_t length;
    picture_panel *panel = NULL;
    const char *title = is_unreduced ? "as it stands"
        : v->index > 1               ? "index reduced"
                                     : "work and precision";
    for (size_t i = 0; i < v->adaptive_count; i += length) {
        length = adaptive_series(v, i);
        if (v->adaptive[i].is_unreduced != is_unreduced) continue;
        if (!panel)
            panel = picture_add_panel(p, title, "residual evaluations",
                is_unreduced ? NULL : "largest relative error");
        if (!panel) return;
        panel->x.is_log = panel->y.is_log = true;
        put_series(v, i, length, panel);
    }
}

void orders_picture_make(const orders_view *v, picture *p)
{
    const bool is_single = !v->fixed.rows && v->index <= 1;
    p->columns = is_single ? 0 : 2;
    if (v->fixed.rows) put_variables(v, p);
    put_work(v, false, p);
    put_work(v, true, p);
}

size_t orders_picture_curves(const picture *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->panel_count; i++)
        count += p->panels[i]->curve_count;
    return count;
}
