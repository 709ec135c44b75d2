#include "picture.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* Sizes that differences and drawings of doubles can bear. */
static const double LARGEST = 1e300;

static char *copy_text(const char *text)
{
    return text && *text ? memory_copy(text, strlen(text)) : NULL;
}

picture_panel *picture_add_panel(
    picture *p, const char *title, const char *x_label, const char *y_label)
{
    const bool has_room = memory_grow(
        &p->panels, p->panel_count, &p->panel_capacity, sizeof *p->panels);
    picture_panel *panel = has_room ? memory_take(1, sizeof *panel) : NULL;
    if (!panel) return NULL;
    const picture_axis axis = {.low = (double)NAN, .high = (double)NAN};
    panel->of = p;
    panel->x = panel->y = axis;
    panel->title = copy_text(title);
    panel->x.label = copy_text(x_label);
    panel->y.label = copy_text(y_label);
    p->panels[p->panel_count++] = panel;
    return panel;
}

static picture_curve *add_curve(
    picture_panel *panel, curve_kind kind, size_t style)
{
    const bool has_room = memory_grow(&panel->curves, panel->curve_count,
        &panel->curve_capacity, sizeof *panel->curves);
    picture_curve *c = has_room ? memory_take(1, sizeof *c) : NULL;
    if (!c) return NULL;
    c->kind = kind;
    c->style = style;
    panel->curves[panel->curve_count++] = c;
    return c;
}

/* That of the curve of this name, or the next one. */
static size_t find_style(picture *p, const char *name)
{
    for (size_t k = 0; k < p->panel_count; k++)
        for (size_t i = 0; i < p->panels[k]->curve_count; i++) {
            const picture_curve *c = p->panels[k]->curves[i];
            if (c->name && strcmp(c->name, name) == 0) return c->style;
        }
    return p->key_count++;
}

picture_curve *panel_add_curve(
    picture_panel *panel, curve_kind kind, const char *name)
{
    if (!panel) return NULL;
    const size_t style = panel->of->has_one_key ? find_style(panel->of, name)
                                                : panel->style_count;
    picture_curve *c = add_curve(panel, kind, style);
    if (!c) return NULL;
    panel->style_count++;
    c->name = copy_text(name);
    return c;
}

picture_curve *panel_add_bridge(
    picture_panel *panel, const picture_curve *curve)
{
    if (!panel || !curve) return NULL;
    picture_curve *c = add_curve(panel, CURVE_LINE, curve->style);
    if (c) c->is_bridge = true;
    return c;
}

void curve_add(picture_curve *c, double x, double y)
{
    if (!c
        || !memory_grow(
            &c->points, c->count, &c->capacity, 2 * sizeof *c->points))
        return;
    c->points[2 * c->count] = x;
    c->points[2 * c->count + 1] = y;
    c->count++;
}

void curve_break(picture_curve *c)
{
    curve_add(c, (double)NAN, (double)NAN);
}

void panel_add_text(picture_panel *panel, double x, double y, const char *text)
{
    const bool has_room = panel
        && memory_grow(&panel->texts, panel->text_count, &panel->text_capacity,
            sizeof *panel->texts);
    char *copy = has_room ? copy_text(text) : NULL;
    if (copy) panel->texts[panel->text_count++] = (picture_text){x, y, copy};
}

void panel_add_slope(
    picture_panel *panel, double x, double y, double factor, double order)
{
    if (panel
        && memory_grow(&panel->slopes, panel->slope_count,
            &panel->slope_capacity, sizeof *panel->slopes))
        panel->slopes[panel->slope_count++] = (picture_slope){
            x, y, factor, order};
}

bool picture_has_key(const picture *p)
{
    return p->has_one_key && p->panel_count > 1;
}

size_t panel_style_count(const picture_panel *panel)
{
    const picture *p = panel->of;
    return p->has_one_key ? p->key_count : panel->style_count;
}

size_t picture_curve_count(const picture *p)
{
    size_t count = 0;
    for (size_t k = 0; k < p->panel_count; k++)
        for (size_t i = 0; i < p->panels[k]->curve_count; i++)
            count += !p->panels[k]->curves[i]->is_bridge;
    return count;
}

/* ---- what can be drawn ---- */

static bool axis_has(const picture_axis *axis, double value)
{
    return fabs(value) <= LARGEST && (!axis->is_log || value > 0);
}

bool curve_has(const picture_panel *panel, const picture_curve *c, size_t k)
{
    return axis_has(&panel->x, c->points[2 * k])
        && axis_has(&panel->y, c->points[2 * k + 1]);
}

static void include(picture_span *s, double value)
{
    if (!(value >= s->low)) s->low = value;
    if (!(value <= s->high)) s->high = value;
}

static void include_point(const picture_panel *panel, double x, double y,
    picture_span *xs, picture_span *ys)
{
    if (!axis_has(&panel->x, x) || !axis_has(&panel->y, y)) return;
    include(xs, x);
    include(ys, y);
}

void panel_spans(const picture_panel *panel, picture_span *x, picture_span *y)
{
    *x = *y = (picture_span){(double)NAN, (double)NAN};
    for (size_t k = 0; k < panel->curve_count; k++) {
        const picture_curve *c = panel->curves[k];
        for (size_t i = 0; i < c->count; i++)
            include_point(panel, c->points[2 * i], c->points[2 * i + 1], x, y);
    }
    for (size_t k = 0; k < panel->text_count; k++)
        include_point(panel, panel->texts[k].x, panel->texts[k].y, x, y);
    for (size_t k = 0; k < panel->slope_count; k++) {
        const picture_slope *s = &panel->slopes[k];
        include_point(panel, s->x, s->y, x, y);
        include_point(
            panel, s->x * s->factor, s->y * pow(s->factor, s->order), x, y);
    }
}
