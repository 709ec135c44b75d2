/* Everything that gnuplot would choose by itself is said: margins, ranges,
 * ticks, colours, fonts. So the same picture gives the same bytes, and what
 * picture_layout.c made fit does fit. Texts are not "enhanced": an underscore in a
 * name is one.
 *
 * Colours: the palette of Okabe and Ito, which the colour-blind can tell
 * apart, without its yellow, which is too light for lines on white; dashes
 * differ besides, so that a print without colours can be read. Of many curves,
 * the elements of an array as a rule, the colours run from dark to light in
 * the order of the curves, as viridis does. */
#include "gnuplot_script.h"
#include "args.h"
#include "picture_layout.h"
#include <math.h>
#include <string.h>

static const char *const COLOURS[] = {"#0072B2", "#D55E00", "#009E73",
    "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
/* Lengths of line and gap; "solid" has none. */
static const char *const DASHES[] = {"solid", "(14,5)", "(3,4)", "(14,4,3,4)",
    "(24,6)", "(7,5)", "(14,4,3,4,3,4)", "(24,4,3,4)"};
static const int MARKS[] = {7, 5, 9, 13, 6, 4, 8, 12};
static const unsigned char VIRIDIS[][3] = {{0x44, 0x01, 0x54},
    {0x3B, 0x52, 0x8B}, {0x21, 0x90, 0x8C}, {0x5D, 0xC8, 0x63},
    {0xD9, 0xC5, 0x1F}};

#define COUNT(list) (sizeof(list) / sizeof *(list))

picture_format picture_format_of(const char *path)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    int k = 0;
    while (k < PICTURE_NONE && !args_ends_in(path, endings[k])) k++;
    return (picture_format)k;
}

/* ---- words ---- */

/* In single quotes nothing but a quote has a meaning. */
void gnuplot_put_text(phrase *s, const char *text, size_t most)
{
    char part[2] = "";
    size_t seen = 0;
    const bool is_cut = phrase_width(text) > most;
    phrase_put(s, "'");
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if ((c & 0xC0) != 0x80 && ++seen > most - is_cut) break;
        part[0] = c < ' ' || c == 0x7F ? ' ' : (char)c;
        phrase_put(s, c == '\'' ? "''" : part);
    }
    phrase_put(s, is_cut ? "…'" : "'");
}

static void put_colour(phrase *s, const picture_panel *panel, size_t style)
{
    const size_t most = panel_style_count(panel);
    if (most <= LAYOUT_KEY_MOST) {
        phrase_add(s, "'%s'", COLOURS[style % COUNT(COLOURS)]);
        return;
    }
    const size_t pieces = COUNT(VIRIDIS) - 1;
    const double at = (double)style / (double)(most - 1) * (double)pieces;
    size_t k = (size_t)at;
    if (k >= pieces) k = pieces - 1;
    phrase_put(s, "'#");
    for (int c = 0; c < 3; c++) {
        const double from = VIRIDIS[k][c], to = VIRIDIS[k + 1][c];
        const double value = from + (at - (double)k) * (to - from);
        phrase_add(s, "%02X", (unsigned)(value + 0.5));
    }
    phrase_put(s, "'");
}

/* ---- data ---- */

static size_t count_points(const picture_panel *panel, const picture_curve *c)
{
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++) count += curve_has(panel, c, k);
    return count;
}

/* Blank lines break a curve; at its beginning and twice they would make
 * another data set. */
static void put_points(
    phrase *s, const picture_panel *panel, const picture_curve *c)
{
    bool is_broken = true;
    for (size_t k = 0; k < c->count; k++) {
        if (curve_has(panel, c, k))
            phrase_add(
                s, "%.17g %.17g\n", c->points[2 * k], c->points[2 * k + 1]);
        else if (!is_broken) phrase_put(s, "\n");
        is_broken = !curve_has(panel, c, k);
    }
}

static void put_data(phrase *s, const picture *p)
{
    for (size_t k = 0; k < p->panel_count; k++)
        for (size_t i = 0; i < p->panels[k]->curve_count; i++) {
            const picture_curve *c = p->panels[k]->curves[i];
            if (!count_points(p->panels[k], c)) continue;
            phrase_add(s, "$p%zuc%zu << END\n", k, i);
            put_points(s, p->panels[k], c);
            phrase_put(s, "END\n");
        }
}

/* ---- one panel ---- */

static void put_ticks(phrase *s, char axis, const ticks *t, bool has_texts)
{
    phrase_add(s, "set %ctics (", axis);
    for (size_t k = 0; k < t->count; k++) {
        const char *text = t->items[k].text;
        phrase_put(s, k ? ", " : "");
        gnuplot_put_text(s, has_texts ? text : "", LAYOUT_NAME);
        phrase_add(s, " %.17g%s", t->items[k].at, *text ? "" : " 1");
    }
    phrase_add(s, ") nomirror out scale 0.5,0.25%s\n",
        axis == 'x' ? " offset 0,0.3" : "");
}

static void put_axes(
    phrase *s, const picture_panel *panel, const panel_layout *l, bool has_x)
{
    if (panel->x.is_log) phrase_put(s, "set logscale x\n");
    if (panel->y.is_log) phrase_put(s, "set logscale y\n");
    phrase_add(s, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n",
        l->x_low, l->x_high, l->y_low, l->y_high);
    put_ticks(s, 'x', &l->x, has_x);
    put_ticks(s, 'y', &l->y, true);
    phrase_put(s,
        "set border 3 lc rgb '#404040' lw 1\n"
        "set grid xtics ytics back lt 1 lc rgb '#E0E0E0' lw 0.7\n");
    if (panel->has_origin)
        phrase_put(s,
            "set xzeroaxis lt 1 lc rgb '#404040' lw 0.7\n"
            "set yzeroaxis lt 1 lc rgb '#404040' lw 0.7\n");
}

typedef struct frame {
    const picture_layout *all;
    const panel_layout *box;
} frame;

static void put_label(phrase *s, const frame *f, const char *text, double x,
    double y, const char *more)
{
    phrase_put(s, "set label ");
    gnuplot_put_text(s, text, 120);
    phrase_add(s, " at screen %.6f, screen %.6f %s\n", x / f->all->width,
        y / f->all->height, more);
}

/* The note of x stands with its label, that of y above its axis. */
static void put_labels(
    phrase *s, const picture_panel *panel, const frame *f, bool has_x)
{
    const panel_layout *l = f->box;
    const double middle = (l->left + l->right) / 2;
    const char *name = panel->x.label ? panel->x.label : "";
    phrase x = {0};
    phrase_put(&x, name);
    if (*l->x.note) phrase_add(&x, "%s(%s)", *name ? "  " : "", l->x.note);
    if (has_x && x.length)
        put_label(
            s, f, x.text, middle, l->bottom - 2 * LAYOUT_LINE - 2, "center");
    if (panel->y.label)
        put_label(s, f, panel->y.label, l->edge + LAYOUT_LINE / 2.0 + 4,
            (l->top + l->bottom) / 2, "center rotate by 90");
    double above = l->top + LAYOUT_LINE / 2.0 + 2;
    if (*l->y.note) put_label(s, f, l->y.note, l->left - 10, above, "left");
    if (*l->y.note) above += LAYOUT_LINE;
    if (panel->title) put_label(s, f, panel->title, middle, above, "center");
}

/* The name in the curve's colour, with a thread to the end where that is not
 * at its side. */
static void put_ends(phrase *s, const picture_panel *panel, const frame *f)
{
    const panel_layout *l = f->box;
    const double height = l->top - l->bottom;
    for (size_t k = 0; k < l->end_count; k++) {
        const end_label *e = &l->ends[k];
        const picture_curve *c = panel->curves[e->curve];
        const double y = l->bottom + e->y * height;
        phrase_put(s, "set label ");
        gnuplot_put_text(s, c->name, LAYOUT_NAME);
        phrase_add(s, " at screen %.6f, screen %.6f left tc rgb ",
            (l->right + 10) / f->all->width, y / f->all->height);
        put_colour(s, panel, c->style);
        phrase_put(s, "\n");
        if (fabs(e->y - e->at) * height < LAYOUT_LINE / 3.0) continue;
        phrase_add(s,
            "set arrow from screen %.6f, screen %.6f to screen %.6f, "
            "screen %.6f nohead lw 0.7 lc rgb ",
            (l->right + 1) / f->all->width,
            (l->bottom + e->at * height) / f->all->height,
            (l->right + 8) / f->all->width, y / f->all->height);
        put_colour(s, panel, c->style);
        phrase_put(s, "\n");
    }
}

static void put_slopes(phrase *s, const picture_panel *panel)
{
    for (size_t k = 0; k < panel->slope_count; k++) {
        const picture_slope *t = &panel->slopes[k];
        const double x = t->x * t->factor;
        const double y = t->y * pow(t->factor, t->order);
        phrase_add(s,
            "set object polygon from %.17g,%.17g to %.17g,%.17g to "
            "%.17g,%.17g to %.17g,%.17g fc rgb '#F0F0F0' fs solid 1 border "
            "lc rgb '#404040' lw 1\n",
            t->x, t->y, x, t->y, x, y, t->x, t->y);
        phrase_add(s, "set label '%g' at %.17g,%.17g left offset char 0.6,0\n",
            t->order, x, t->y * pow(t->factor, t->order / 2));
    }
    for (size_t k = 0; k < panel->text_count; k++) {
        const picture_text *t = &panel->texts[k];
        phrase_put(s, "set label ");
        gnuplot_put_text(s, t->text, 120);
        phrase_add(s, " at %.17g,%.17g left front\n", t->x, t->y);
    }
}

static void put_look(
    phrase *s, const picture_panel *panel, const picture_curve *c)
{
    static const char *const with[] = {"lines", "linespoints", "points",
        "filledcurves closed", "filledcurves closed"};
    const bool is_many = panel_style_count(panel) > LAYOUT_KEY_MOST;
    phrase_add(s, " with %s", with[c->kind]);
    const bool is_filled = c->kind == CURVE_REGION || c->kind == CURVE_AREA;
    phrase_put(s, is_filled ? " fc rgb " : " lc rgb ");
    put_colour(s, panel, c->style);
    if (c->kind == CURVE_MARKED || c->kind == CURVE_MARKS)
        phrase_add(s, " pt %d ps 0.8", MARKS[c->style % COUNT(MARKS)]);
    if (c->kind == CURVE_REGION)
        phrase_put(s, " fs transparent solid 0.25 border lw 2");
    else if (c->kind == CURVE_AREA)
        phrase_put(s, " fs transparent solid 0.25 noborder");
    else if (c->is_bridge) phrase_put(s, " lw 1 dt (2,3)");
    else if (c->kind != CURVE_MARKS)
        phrase_add(s, " lw %s dt %s", is_many ? "1" : "2",
            is_many ? "solid" : DASHES[c->style % COUNT(DASHES)]);
}

/* Without data there still is a name for the key, and an empty box. */
static void put_curves(
    phrase *s, const picture_panel *panel, const panel_layout *l, size_t number)
{
    size_t named = 0;
    phrase_put(s, "plot ");
    for (size_t k = 0; k < panel->curve_count; k++) {
        const picture_curve *c = panel->curves[k];
        const bool is_in_key = c->name && l->key_every
            && named % l->key_every == 0;
        if (c->name) named++;
        if (k) phrase_put(s, ", \\\n  ");
        if (count_points(panel, c))
            phrase_add(s, "$p%zuc%zu using 1:2", number, k);
        else phrase_put(s, "NaN");
        phrase_put(s, is_in_key ? " title " : " notitle");
        if (is_in_key) gnuplot_put_text(s, c->name, LAYOUT_NAME);
        put_look(s, panel, c);
    }
    phrase_put(s, panel->curve_count ? "\n" : "NaN notitle\n");
}

static void put_key_place(phrase *s, picture_format format,
    const picture_layout *all, double left, double top)
{
    phrase_add(s,
        "set key at screen %.6f, screen %.6f left top Left reverse "
        "vertical maxrows %d samplen 2.4 spacing %s width 0\n",
        left / all->width, top / all->height, (int)LAYOUT_KEY_MOST + 1,
        format == PICTURE_SVG ? "0.9" : "1.1");
}

/* One for all panels: names without curves, each where it is first met. */
static void put_key(phrase *s, const picture *p, picture_format format,
    const picture_layout *all)
{
    size_t next = 0;
    phrase_put(s,
        "reset\nset encoding utf8\nunset border\nunset tics\n"
        "set xrange [0:1]\nset yrange [0:1]\n");
    put_key_place(
        s, format, all, all->width - all->key_width + 6, all->panels[0].top);
    for (size_t k = 0; k < p->panel_count; k++)
        for (size_t i = 0; i < p->panels[k]->curve_count; i++) {
            const picture_curve *c = p->panels[k]->curves[i];
            if (c->style != next) continue;
            if (next++ % all->key_every) continue;
            phrase_put(s, next == 1 ? "plot NaN title " : ", \\\n  NaN title ");
            gnuplot_put_text(s, c->name, LAYOUT_NAME);
            put_look(s, p->panels[k], c);
        }
    phrase_put(s, next ? "\n" : "");
}

static void put_panel(phrase *s, const picture *p, picture_format format,
    const picture_layout *all, size_t k)
{
    const picture_panel *panel = p->panels[k];
    const panel_layout *l = &all->panels[k];
    const frame f = {all, l};
    const bool has_x = !(panel->shares_x && k + 1 < p->panel_count);
    phrase_put(s, "reset\nset encoding utf8\n");
    phrase_add(s,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
        "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
        l->left / all->width, l->right / all->width, l->bottom / all->height,
        l->top / all->height);
    if (l->key_every) put_key_place(s, format, all, l->right + 6, l->top);
    else phrase_put(s, "unset key\n");
    put_axes(s, panel, l, has_x);
    put_labels(s, panel, &f, has_x);
    put_ends(s, panel, &f);
    put_slopes(s, panel);
    put_curves(s, panel, l, k);
}

/* ---- the whole ---- */

void gnuplot_put_terminal(
    phrase *s, picture_format format, double width, double height, int font)
{
    switch (format) {
    case PICTURE_PNG: /* twice the points: print wants more than a screen */
        phrase_add(s,
            "set terminal pngcairo noenhanced size %.0f,%.0f font "
            "'DejaVu Sans,%d' fontscale 1.5 linewidth 2 pointscale 2 "
            "dashlength 1.6 butt background '#FFFFFF'\n",
            2 * width, 2 * height, font);
        break;
    case PICTURE_PDF:
        phrase_add(s,
            "set terminal pdfcairo noenhanced size %.4fin,%.4fin font "
            "'DejaVu Sans,%d' fontscale 0.56 linewidth 1.1 dashlength 1.4 butt "
            "background '#FFFFFF'\n",
            width / 96, height / 96, font);
        break;
    default:
        phrase_add(s,
            "set terminal svg noenhanced size %.0f,%.0f font "
            "'sans-serif,%d' background '#FFFFFF'\n",
            width, height, font);
    }
}

void gnuplot_script(const picture *p, picture_format format, phrase *s)
{
    picture_layout l;
    if (!picture_layout_make(&l, p)) return;
    gnuplot_put_terminal(s, format, l.width, l.height, LAYOUT_FONT);
    put_data(s, p);
    phrase_put(s, "set multiplot\n");
    for (size_t k = 0; k < p->panel_count; k++) put_panel(s, p, format, &l, k);
    if (picture_has_key(p)) put_key(s, p, format, &l);
    phrase_put(s, "unset multiplot\n");
}
