#include "picture.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* Sizes that differences and drawings of doubles can bear. */
static const double LARGEST = 1e300;

void picture_init(picture *p)
{
    *p = (picture){0};
}

static void panel_free(picture_panel *panel)
{
    for (size_t k = 0; k < panel->curve_count; k++) {
        memory_drop(panel->curves[k]->name);
        memory_drop(panel->curves[k]->points);
        memory_drop(panel->curves[k]);
    }
    for (size_t k = 0; k < panel->text_count; k++)
        memory_drop(panel->texts[k].text);
    memory_drop(panel->curves);
    memory_drop(panel->texts);
    memory_drop(panel->slopes);
    memory_drop(panel->title);
    memory_drop(panel->x.label);
    memory_drop(panel->y.label);
    memory_drop(panel);
}

void picture_clear(picture *p)
{
    for (size_t k = 0; k < p->panel_count; k++) panel_free(p->panels[k]);
    memory_drop(p->panels);
    *p = (picture){0};
}

/* Room for one more of `size` bytes in a list. */
static bool make_room(
    picture *p, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    const size_t wanted = *capacity ? 2 * *capacity : 8;
    void *grown = wanted > (size_t)-1 / size
        ? NULL
        : memory_resize(*items, wanted * size);
    if (!grown) {
        p->is_incomplete = true;
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static char *copy_text(picture *p, const char *text)
{
    if (!text || !*text) return NULL;
    char *copy = memory_take(strlen(text) + 1, 1);
    if (copy) strcpy(copy, text);
    else p->is_incomplete = true;
    return copy;
}

picture_panel *picture_add_panel(
    picture *p, const char *title, const char *x_label, const char *y_label)
{
    void *panels = p->panels;
    const bool has_room = make_room(p, &panels, p->panel_count,
        &p->panel_capacity, sizeof(picture_panel *));
    p->panels = panels;
    picture_panel *panel = has_room ? memory_take(1, sizeof *panel) : NULL;
    if (!panel) {
        p->is_incomplete = true;
        return NULL;
    }
    const picture_axis axis = {.low = (double)NAN, .high = (double)NAN};
    panel->of = p;
    panel->x = panel->y = axis;
    panel->title = copy_text(p, title);
    panel->x.label = copy_text(p, x_label);
    panel->y.label = copy_text(p, y_label);
    p->panels[p->panel_count++] = panel;
    return panel;
}

static picture_curve *add_curve(
    picture_panel *panel, curve_kind kind, size_t style)
{
    void *curves = panel->curves;
    const bool has_room = make_room(panel->of, &curves, panel->curve_count,
        &panel->curve_capacity, sizeof(picture_curve *));
    panel->curves = curves;
    picture_curve *c = has_room ? memory_take(1, sizeof *c) : NULL;
    if (!c) {
        panel->of->is_incomplete = true;
        return NULL;
    }
    c->of = panel->of;
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
    c->name = copy_text(panel->of, name);
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
    if (!c) return;
    void *points = c->points;
    const bool has_room = make_room(
        c->of, &points, c->count, &c->capacity, 2 * sizeof(double));
    c->points = points;
    if (!has_room) return;
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
    if (!panel) return;
    void *texts = panel->texts;
    const bool has_room = make_room(panel->of, &texts, panel->text_count,
        &panel->text_capacity, sizeof(picture_text));
    panel->texts = texts;
    if (!has_room) return;
    char *copy = copy_text(panel->of, text);
    if (copy) panel->texts[panel->text_count++] = (picture_text){x, y, copy};
}

void panel_add_slope(
    picture_panel *panel, double x, double y, double factor, double order)
{
    if (!panel) return;
    void *slopes = panel->slopes;
    const bool has_room = make_room(panel->of, &slopes, panel->slope_count,
        &panel->slope_capacity, sizeof(picture_slope));
    panel->slopes = slopes;
    if (!has_room) return;
    panel->slopes[panel->slope_count++] = (picture_slope){x, y, factor, order};
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
