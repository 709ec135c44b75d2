/* The script says each place in the points that the file has, from the top down, so
 * that both show the same. Names are not "enhanced", as in all pictures. */
#include "canvas.h"

/* From the line on which letters stand to their middle. */
enum { HALF_LETTER = 4 };

/* ---- texts ---- */

static bool is_svg(const canvas *c)
{
    return c->format == PICTURE_SVG;
}

static void put_escaped(phrase *to, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': phrase_put(to, "&lt;"); break;
        case '>': phrase_put(to, "&gt;"); break;
        case '&': phrase_put(to, "&amp;"); break;
        case '"': phrase_put(to, "&quot;"); break;
        default: phrase_add(to, "%c", *text);
        }
}

static void put_svg_text(canvas *c, int x, int y, canvas_place place,
    const char *colour, const char *text)
{
    static const char *const anchors[] = {
        "", " text-anchor=\"middle\"", " text-anchor=\"end\"", ""};
    if (place == CANVAS_UP)
        phrase_add(&c->script,
            "<text x=\"0\" y=\"0\" transform=\"translate(%d %d) "
            "rotate(-90)\"",
            x, y);
    else
        phrase_add(
            &c->script, "<text x=\"%d\" y=\"%d\"%s", x, y, anchors[place]);
    if (colour) phrase_add(&c->script, " fill=\"%s\"", colour);
    phrase_put(&c->script, ">");
    put_escaped(&c->script, text);
    phrase_put(&c->script, "</text>\n");
}

void canvas_text(canvas *c, int x, int y, canvas_place place,
    const char *colour, const char *text)
{
    static const char *const places[] = {
        "left", "center", "right", "left rotate by 90"};
    if (is_svg(c)) {
        put_svg_text(c, x, y, place, colour, text);
        return;
    }
    const bool is_up = place == CANVAS_UP;
    phrase_put(&c->script, "set label ");
    gnuplot_put_text(&c->script, text, SIZE_MAX);
    phrase_add(&c->script, " at %d,%d %s front textcolor rgb '%s'\n",
        is_up ? x - HALF_LETTER : x, is_up ? y : y - HALF_LETTER, places[place],
        colour ? colour : "#000000");
}

/* ---- shapes ---- */

void canvas_begin(canvas *c, int width, int height)
{
    if (is_svg(c)) {
        phrase_add(&c->script,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" "
            "font-size=\"%d\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            width, height, width, height, CANVAS_FONT, width, height);
        return;
    }
    gnuplot_put_terminal(&c->script, c->format, width, height, CANVAS_FONT);
    phrase_add(&c->script,
        "set lmargin at screen 0\nset rmargin at screen 1\n"
        "set bmargin at screen 0\nset tmargin at screen 1\n"
        "set xrange [0:%d]\nset yrange [%d:0]\n"
        "unset border\nunset tics\nunset key\n",
        width, height);
}

void canvas_box(canvas *c, double x, double y, double width, double height,
    const char *fill, const char *outline)
{
    if (is_svg(c)) {
        phrase_add(&c->script,
            "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" "
            "fill=\"%s\" stroke=\"%s\"/>\n",
            x, y, width, height, fill ? fill : "none", outline);
        return;
    }
    phrase_add(&c->script, "set object rect from %.6g,%.6g to %.6g,%.6g ", x, y,
        x + width, y + height);
    if (fill) phrase_add(&c->script, "behind fc rgb '%s' fs solid 1", fill);
    else phrase_put(&c->script, "front fs empty");
    phrase_add(&c->script, " border lc rgb '%s' lw 1\n", outline);
}

void canvas_ring(canvas *c, int x, int y, int radius, const char *colour)
{
    if (is_svg(c))
        phrase_add(&c->script,
            "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"1.5\"/>\n",
            x, y, radius, colour);
    else
        phrase_add(&c->script,
            "set object circle at %d,%d size %d front fs empty border lc rgb "
            "'%s' lw 1.5\n",
            x, y, radius, colour);
}

/* ---- bars ---- */

void canvas_begin_bars(canvas *c, const char *colour)
{
    c->bars++;
    if (is_svg(c)) phrase_add(&c->script, "<path fill=\"%s\" d=\"", colour);
    else phrase_add(&c->script, "$bars%zu << END\n", c->bars);
}

void canvas_add_bar(canvas *c, size_t x, size_t y, size_t width, size_t height)
{
    if (is_svg(c))
        phrase_add(
            &c->script, "M%zu %zuh%zuv%zuh-%zuz", x, y, width, height, width);
    else
        phrase_add(&c->script, "%zu %zu %zu %zu %zu %zu\n", x, y, x, x + width,
            y, y + height);
    c->has_bars = true;
}

/* gnuplot draws no empty list. */
void canvas_end_bars(canvas *c, const char *colour)
{
    if (is_svg(c)) {
        phrase_put(&c->script, "\"/>\n");
    } else {
        phrase_put(&c->script, "END\n");
        if (c->has_bars)
            phrase_add(&c->plots,
                ", $bars%zu with boxxyerror fc rgb '%s' fs solid 1 noborder",
                c->bars, colour);
    }
    c->has_bars = false;
}

/* Something has to be plotted; that is out of sight. */
void canvas_end(canvas *c)
{
    if (is_svg(c)) {
        phrase_put(&c->script, "</svg>\n");
        return;
    }
    phrase_put(&c->script, "plot -1 with lines");
    phrase_put(&c->script, phrase_text(&c->plots));
    phrase_put(&c->script, "\n");
}
