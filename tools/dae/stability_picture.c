/* Windows are squares, for the eye compares shapes, and a picture of several
 * methods has rows of boxes that are alike. */
#include "memory.h"
#include "stability_view.h"
#include <math.h>

/* Points of a locus that say how large it is; one that is larger than LARGEST
 * is not bounded, and what is near 0 is shown. */
enum { SAMPLES = 720 };
static const double LARGEST = 200, NEAR = 3;
/* Around a locus, and to the left of it, as parts of its size. */
static const double ROOM = 0.15, ROOM_LEFT = 0.35;
/* Around eigenvalues. However small they are, so much of a region is shown: of
 * a bounded one its shape. */
static const double AROUND = 1.3, LEAST = 0.05, LEAST_BOUNDED = 0.5;
/* Styles of marks: a black disc, a vermilion square. */
enum { STAYS = 48, GROWS = 1 };

/* ---- windows ---- */

static void include(dae_window *w, dae_complex z)
{
    w->left = fmin(w->left, z.re), w->right = fmax(w->right, z.re);
    w->bottom = fmin(w->bottom, z.im), w->top = fmax(w->top, z.im);
}

static dae_window square_at(double x, double y, double half)
{
    return (dae_window){x - half, x + half, y - half, y + half};
}

static dae_window window_of(const dae_method *method)
{
    const double two_pi = 6.28318530717958647692;
    dae_window w = {0, 0, 0, 0};
    dae_complex points[DAE_METHOD_POWERS - 1];
    for (int k = 0; k < SAMPLES; k++) {
        const size_t count = dae_stability_locus(
            method, two_pi * k / SAMPLES, points);
        for (size_t i = 0; i < count; i++) include(&w, points[i]);
    }
    const double width = w.right - w.left, height = w.top - w.bottom;
    const double size = fmax(width, height);
    if (!(size < LARGEST)) return square_at(0, 0, NEAR);
    w.left -= ROOM_LEFT * size, w.right += ROOM * size;
    const double half = fmax(w.right - w.left, height + 2 * ROOM * size) / 2;
    return square_at((w.left + w.right) / 2, (w.bottom + w.top) / 2, half);
}

static double reach_of(dae_complex z)
{
    return fmax(fabs(z.re), fabs(z.im));
}

/* How far the windows of all methods reach, and how much of that has to be
 * shown: of one method at least. */
static double reach_of_methods(const stability_view *v, double *least)
{
    double all = 0;
    *least = (double)INFINITY;
    for (size_t k = 0; k < v->method_count; k++) {
        const dae_window w = window_of(v->methods[k]);
        const dae_complex low = {w.left, w.bottom}, high = {w.right, w.top};
        const double reach = fmax(reach_of(low), reach_of(high));
        const bool is_bounded = !(v->traits[k].alpha > 0);
        all = fmax(all, reach);
        *least = fmin(*least, reach * (is_bounded ? LEAST_BOUNDED : LEAST));
    }
    return all;
}

/* The square that shows the region of method i: the whole locus with some room
 * around, more to the left, where solutions decay. With a step it is one about
 * 0 for all methods, just wide enough for every h*lambda that is not far from
 * all loci: marks stand at the same places in all panels. */
static dae_window stability_picture_window(const stability_view *v, size_t i)
{
    double least, wanted = 0;
    if (!stability_view_has_step(v)) return window_of(v->methods[i]);
    const double all = reach_of_methods(v, &least);
    for (size_t k = 0; k < v->e->finite_count; k++) {
        const double reach = reach_of(stability_view_scaled(v, k));
        if (reach <= all) wanted = fmax(wanted, AROUND * reach);
    }
    /* none is near: the loci at least */
    if (!(wanted > 0)) return square_at(0, 0, all);
    return square_at(0, 0, fmin(all, fmax(wanted, least)));
}

/* ---- regions ---- */

/* Where the polygon's parts are joined: at the window's left side beside the
 * point where the first locus begins, which is 0 as a rule, so that the join
 * lies on the axis. */
static dae_complex find_anchor(
    const dae_stability_region *r, const dae_window *w)
{
    dae_complex at = r->rings[0].points[0];
    const bool has_window = r->ring_count > 1 && r->rings[0].count == 4
        && at.re <= w->left && at.im <= w->bottom;
    if (has_window) at.im = r->rings[1].points[0].im;
    return at;
}

/* All rings as one closed line, there and back between them: what is inside of
 * two rings is outside of it. */
static void put_area(picture_panel *panel, const char *name,
    const dae_stability_region *r, const dae_window *w)
{
    picture_curve *c = panel_add_curve(panel, CURVE_AREA, name);
    if (r->ring_count == 0) return;
    const dae_complex anchor = find_anchor(r, w);
    curve_add(c, anchor.re, anchor.im);
    for (size_t k = 0; k < r->ring_count; k++) {
        const dae_ring *ring = &r->rings[k];
        for (size_t i = 0; i <= ring->count; i++) {
            const dae_complex p = ring->points[i % ring->count];
            curve_add(c, p.re, p.im);
        }
        curve_add(c, anchor.re, anchor.im);
    }
}

/* Whether both are on the same side of the window: no boundary of the region,
 * but where the window ends. */
static bool is_cut(const dae_window *w, dae_complex p, dae_complex q)
{
    const double near = 1e-9 * (w->right - w->left);
    return fmax(fabs(p.re - w->left), fabs(q.re - w->left)) < near
        || fmax(fabs(p.re - w->right), fabs(q.re - w->right)) < near
        || fmax(fabs(p.im - w->bottom), fabs(q.im - w->bottom)) < near
        || fmax(fabs(p.im - w->top), fabs(q.im - w->top)) < near;
}

static void put_boundary(
    picture_panel *panel, const dae_stability_region *r, const dae_window *w)
{
    picture_curve *c = panel_add_curve(panel, CURVE_LINE, NULL);
    if (c) c->style = 0; /* the region's */
    for (size_t k = 0; k < r->ring_count; k++) {
        const dae_ring *ring = &r->rings[k];
        bool is_broken = true;
        for (size_t i = 0; i < ring->count; i++) {
            const dae_complex p = ring->points[i];
            const dae_complex q = ring->points[(i + 1) % ring->count];
            if (is_cut(w, p, q)) {
                if (!is_broken) curve_break(c);
                is_broken = true;
                continue;
            }
            if (is_broken) curve_add(c, p.re, p.im);
            curve_add(c, q.re, q.im);
            is_broken = false;
        }
        curve_break(c);
    }
}

/* From the window's side to 0 and back to it, at the angle alpha from the
 * negative real axis. */
static void put_wedge(picture_panel *panel, double alpha, const dae_window *w)
{
    const double degree = 0.017453292519943295769;
    const double x = cos(alpha * degree), y = sin(alpha * degree);
    if (!(alpha > 0 && alpha < 90) || !panel || panel->curve_count == 0) return;
    const double up = fmin(-w->left / x, w->top / y);
    const double down = fmin(-w->left / x, -w->bottom / y);
    picture_curve *c = panel_add_bridge(panel, panel->curves[0]);
    if (c) c->style = STAYS;
    curve_add(c, -up * x, up * y);
    curve_add(c, 0, 0);
    curve_add(c, -down * x, -down * y);
}

/* ---- eigenvalues ---- */

static bool is_in(const dae_window *w, dae_complex z)
{
    return z.re >= w->left && z.re <= w->right && z.im >= w->bottom
        && z.im <= w->top;
}

/* Those in the window that grow with method i, or do not; how many. */
static size_t put_marks(const stability_view *v, size_t i, bool grows,
    const dae_window *w, picture_panel *panel)
{
    picture_curve *c = NULL;
    size_t count = 0;
    for (size_t k = 0; k < v->e->finite_count; k++) {
        const dae_complex z = stability_view_scaled(v, k);
        const bool is_outside = dae_stability_side_of(v->methods[i], z)
            == DAE_STABILITY_OUTSIDE;
        if (!is_in(w, z) || is_outside != grows) continue;
        if (!count++) c = panel_add_curve(panel, CURVE_MARKS, NULL);
        if (c) c->style = grows ? GROWS : STAYS;
        curve_add(c, z.re, z.im);
    }
    return count;
}

static void put_eigenvalues(const stability_view *v, size_t i,
    const dae_window *w, picture_panel *panel)
{
    char text[64];
    size_t seen = put_marks(v, i, false, w, panel);
    seen += put_marks(v, i, true, w, panel);
    if (seen == v->e->finite_count) return;
    (void)snprintf(
        text, sizeof text, "%zu not shown", v->e->finite_count - seen);
    panel_add_text(panel, w->left + 0.04 * (w->right - w->left),
        w->bottom + 0.07 * (w->top - w->bottom), text);
}

/* ---- the picture ---- */

/* Boxes as large as the page allows, and at most four rows of them for all
 * methods there are. */
static size_t choose_columns(size_t methods)
{
    if (methods == 1) return 0;
    if (methods == 2 || methods == 4) return 2;
    return methods <= 9 ? 3 : 4;
}

static void put_title(const dae_method *m, const dae_stability_traits *of,
    char *text, size_t size)
{
    if (of->alpha >= 90) (void)snprintf(text, size, "%s: A-stable", m->name);
    else if (of->alpha > 0)
        (void)snprintf(text, size, "%s: α = %.4g°", m->name, of->alpha);
    else (void)snprintf(text, size, "%s: bounded", m->name);
}

static void put_method(const stability_view *v, size_t i,
    const dae_stability_region *r, const dae_window *w, picture *p)
{
    char title[64];
    const bool is_first = p->columns == 0 || i % p->columns == 0;
    const bool is_last = i + (p->columns ? p->columns : 1) >= v->method_count;
    put_title(v->methods[i], &v->traits[i], title, sizeof title);
    picture_panel *panel = picture_add_panel(
        p, title, is_last ? "Re(hλ)" : NULL, is_first ? "Im(hλ)" : NULL);
    if (!panel) return;
    panel->is_equal = panel->has_origin = true;
    panel->x.low = w->left, panel->x.high = w->right;
    panel->y.low = w->bottom, panel->y.high = w->top;
    put_area(panel, v->methods[i]->name, r, w);
    put_boundary(panel, r, w);
    put_wedge(panel, v->traits[i].alpha, w);
    if (stability_view_has_step(v)) put_eigenvalues(v, i, w, panel);
}

void stability_picture_make(
    const stability_view *v, const dae_allocator *allocator, picture *p)
{
    p->columns = choose_columns(v->method_count);
    for (size_t i = 0; i < v->method_count; i++) {
        const dae_method *m = v->methods[i];
        const dae_window w = stability_picture_window(v, i);
        dae_stability_region *r = NULL;
        if (!memory_sufficed(dae_stability_region_create(m, w, allocator, &r)))
            return;
        put_method(v, i, r, &w, p);
        dae_stability_region_free(r, allocator);
    }
}
