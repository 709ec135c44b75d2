/* What a picture shows: panels below each other, or in rows, with axes, curves,
 * regions, texts and slope triangles. It knows nothing of runs and nothing of who draws
 * it: gnuplot.h makes a file of one, watch.h draws panels in characters.
 *
 * It begins as zero and stays where it is, for its parts point to it. Whatever is added
 * may fail for want of memory (memory.h); then the adder returns NULL, and every
 * function takes that NULL and does nothing. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum curve_kind {
    CURVE_LINE,   /* through its points */
    CURVE_MARKED, /* the same with a mark at each point: studies */
    CURVE_MARKS,  /* marks alone: eigenvalues */
    CURVE_REGION, /* closed, filled and outlined; a break begins another one */
    CURVE_AREA    /* the same without an outline, which is a line of its own */
} curve_kind;

/* Points that cannot be drawn (not finite, not above 0 on a logarithmic axis)
 * break the line. */
typedef struct picture_curve {
    curve_kind kind;
    char *name;     /* at the curve's end or in the key; NULL: nowhere */
    size_t style;   /* colour and dash; those with one number look alike */
    bool is_bridge; /* thin and dotted: joins the two sides of jumps */
    double *points; /* x, y, x, y ... */
    size_t count, capacity;
} picture_curve;

typedef struct picture_axis {
    char *label; /* with the unit; NULL: none */
    bool is_log;
    double low, high; /* NaN: as the contents ask, with some air */
} picture_axis;

/* A text that begins at a point, in the units of the axes. */
typedef struct picture_text {
    double x, y;
    char *text;
} picture_text;

/* On two logarithmic axes: from (x, y) along to (factor*x, y) and up to
 * (factor*x, y*factor^order), with the order beside it. */
typedef struct picture_slope {
    double x, y, factor, order;
} picture_slope;

typedef struct picture_panel {
    struct picture *of;
    char *title; /* NULL: none */
    picture_axis x, y;
    bool is_equal;    /* a unit is as long on one axis as on the other */
    bool has_origin;  /* thin lines x = 0 and y = 0 */
    bool shares_x;    /* the axis of the panel below stands for both */
    bool needs_names; /* a single curve is named too */
    picture_curve **curves;
    size_t curve_count, curve_capacity, style_count;
    picture_text *texts;
    size_t text_count, text_capacity;
    picture_slope *slopes;
    size_t slope_count, slope_capacity;
} picture_panel;

typedef struct picture {
    picture_panel **panels;
    size_t panel_count, panel_capacity;
    /* Panels stand in rows of so many, from the left; 0: below each other. In
     * rows only the first of each has room for a label of its y axis. */
    size_t columns;
    /* Curves of one name look alike, and several panels have one key beside them all. */
    bool has_one_key;
    size_t key_count; /* names in it */
} picture;

/* A panel below the others. Texts are copied; NULL: none. */
picture_panel *picture_add_panel(
    picture *p, const char *title, const char *x_label, const char *y_label);
/* In the panel's next style. */
picture_curve *panel_add_curve(
    picture_panel *panel, curve_kind kind, const char *name);
/* The bridge of a curve: two points and a break for each jump. */
picture_curve *panel_add_bridge(
    picture_panel *panel, const picture_curve *curve);
void curve_add(picture_curve *curve, double x, double y);
void curve_break(picture_curve *curve);
void panel_add_text(picture_panel *panel, double x, double y, const char *text);
void panel_add_slope(
    picture_panel *panel, double x, double y, double factor, double order);

/* One key stands for all panels, which have none of their own. */
bool picture_has_key(const picture *p);
/* Curves that look different where this one is drawn. */
size_t panel_style_count(const picture_panel *panel);
/* Curves of all panels, bridges aside. */
size_t picture_curve_count(const picture *p);

/* Whether point k of the curve can be drawn in the panel. */
bool curve_has(const picture_panel *panel, const picture_curve *c, size_t k);

/* What a panel's contents span, among what can be drawn; NaN where there is
 * nothing. */
typedef struct picture_span {
    double low, high;
} picture_span;
void panel_spans(const picture_panel *panel, picture_span *x, picture_span *y);

#endif
