/* The picture is as wide as a page's text (600 points print as 16 cm), so that
 * its letters have the size of the text's and stay legible at half of that. */
#include "picture_layout.h"
#include "memory.h"
#include "phrase.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ticks at round numbers. Where all numbers of an axis are large or small they
 * share a power of ten, and where they differ by little they share what they
 * have in common: four digits at a tick are as many as a reader compares. */

/* Beyond these the numbers share a power of ten. */
static const double LARGE = 1e5, SMALL = 1e-3;

/* Numbers that agree in more than this share what they agree in. */
static const double ALIKE = 1e4;

static void put_minus(char *text, size_t size, double value, int decimals)
{
    char digits[TICK_TEXT];
    (void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    const bool is_zero = strspn(digits, "0.") == strlen(digits);
    (void)snprintf(
        text, size, "%s%s", value < 0 && !is_zero ? "−" : "", digits);
}

/* "10⁻³", the exponent as raised characters. Returns `text`. */
static char *ticks_power(int exponent, char text[TICK_TEXT])
{
    static const char *const raised[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%d", exponent);
    size_t n = (size_t)snprintf(text, TICK_TEXT, "10");
    for (const char *d = digits; *d && n < TICK_TEXT; d++)
        n += (size_t)snprintf(
            text + n, TICK_TEXT - n, "%s", *d == '-' ? "⁻" : raised[*d - '0']);
    return text;
}

/* The nearest of 1, 2 and 5 times a power of ten. */
static double round_step(double range, int wanted)
{
    const double raw = range / wanted, power = pow(10, floor(log10(raw)));
    const double steps[] = {1, 2, 5}, below[] = {1.4, 3.2, 7.1};
    for (size_t k = 0; k < 3; k++)
        if (raw < below[k] * power) return steps[k] * power;
    return 10 * power;
}

/* The least number of decimals that tells multiples of `step`. */
static int decimals_of(double step)
{
    const int n = (int)ceil(-log10(step) - 1e-9);
    return n < 0 ? 0 : n > 15 ? 15 : n;
}

static int thousands(double size)
{
    if (size < LARGE && size >= SMALL) return 0;
    return 3 * (int)floor(log10(size) / 3 + 1e-12);
}

/* What the numbers of an axis share. */
typedef struct common {
    double base;
    int power;
} common;

static common find_common(double low, double high)
{
    const double size = fmax(fabs(low), fabs(high));
    if (size < ALIKE * (high - low)) return (common){0, thousands(size)};
    /* the roundest number that is not far away */
    double unit = pow(10, ceil(log10(size))), base = 0;
    for (int k = 0; k < 20; k++, unit /= 10) {
        base = round((low + high) / 2 / unit) * unit;
        if (fabs(base - (low + high) / 2) <= 5 * (high - low)) break;
    }
    return (common){base, thousands(fmax(high - base, base - low))};
}

static void put_note(ticks *t, const common *c)
{
    char base[TICK_TEXT] = "", power[TICK_TEXT];
    const bool has_base = fabs(c->base) > 0;
    if (has_base)
        (void)snprintf(base, sizeof base, "%s%.15g", c->base < 0 ? "−" : "",
            fabs(c->base));
    (void)ticks_power(c->power, power);
    if (has_base && c->power)
        (void)snprintf(t->note, sizeof t->note, "%s + …×%s", base, power);
    else if (has_base) (void)snprintf(t->note, sizeof t->note, "%s + …", base);
    else if (c->power) (void)snprintf(t->note, sizeof t->note, "×%s", power);
}

void ticks_linear(ticks *t, double low, double high, int wanted)
{
    const double step = round_step(high - low, wanted);
    const common c = find_common(low, high);
    const double scale = pow(10, c.power);
    const int decimals = decimals_of(step / scale);
    const double slack = 1e-9 * step;
    const double first = ceil((low - c.base - slack) / step);
    t->count = 0;
    t->note[0] = '\0';
    put_note(t, &c);
    while (t->count < TICKS_MOST) {
        const double k = first + (double)t->count;
        tick *at = &t->items[t->count];
        at->at = c.base + k * step;
        if (!(at->at <= high + slack)) break;
        put_minus(at->text, sizeof at->text, k * step / scale, decimals);
        t->count++;
    }
}

/* ---- logarithmic ---- */

static const double PART_OF_DECADE = 0.7;

typedef enum log_text { TEXT_NONE, TEXT_POWER, TEXT_PLAIN } log_text;

static void add_log(ticks *t, double at, double low, double high, log_text how)
{
    if (t->count == TICKS_MOST || at < low * (1 - 1e-9)
        || at > high * (1 + 1e-9))
        return;
    tick *new = &t->items[t->count++];
    new->at = at;
    new->text[0] = '\0';
    if (how == TEXT_NONE) return;
    if (how == TEXT_PLAIN) {
        (void)snprintf(new->text, sizeof new->text, "%.10g", at);
        return;
    }
    const int exponent = (int)floor(log10(at) + 1e-9);
    const double factor = at / pow(10, exponent);
    if (fabs(factor - 1) < 1e-6) (void)ticks_power(exponent, new->text);
    else {
        char power[TICK_TEXT];
        (void)snprintf(new->text, sizeof new->text, "%.0f×%.24s", factor,
            ticks_power(exponent, power));
    }
}

/* Within a part of a decade even steps read best, in a whole one they would crowd
 * at its end; within two, 1, 2 and 5 have texts where there is room, as they are
 * written where they are neither large nor small; where there
 * are many decades only those with a text have a tick. */
void ticks_log(ticks *t, double low, double high, int wanted)
{
    const int first = (int)floor(log10(low) + 1e-9);
    const int last = (int)ceil(log10(high) - 1e-9);
    const double decades = log10(high / low);
    const int every = (int)ceil(decades / wanted - 1e-9);
    const int stride = every < 1 ? 1 : every;
    const bool has_two = decades < 2 && 3 * decades <= wanted + 1;
    const bool is_plain = has_two && low >= SMALL / 2 && high < LARGE;
    const log_text text = is_plain ? TEXT_PLAIN : TEXT_POWER;
    if (decades < PART_OF_DECADE) {
        ticks_linear(t, low, high, wanted);
        return;
    }
    t->count = 0;
    t->note[0] = '\0';
    for (int e = first; e <= last; e++) {
        const bool is_named = e % stride == 0;
        if (!is_named && decades > 60) continue;
        add_log(t, pow(10, e), low, high, is_named ? text : TEXT_NONE);
        for (int k = 2; k <= 9 && decades <= 8; k++)
            add_log(t, k * pow(10, e), low, high,
                has_two && (k == 2 || k == 5) ? text : TEXT_NONE);
    }
}

/* ---- places ---- */

static const double WIDTH = 600, TALL = 390, FLAT = 240, GAP = 12;

/* Of a box with equal units: no flatter and no taller. */
static const double LEAST_HEIGHT = 150, MOST_HEIGHT = 560;

static const double LEAST_WIDTH = 380; /* of a box beside a wide key */

static const double LEAST_SHARE = 180; /* of a panel in a row: its title */

/* A letter's mean width; key: a piece of the line and its distances. */
static const double LETTER = 0.62 * LAYOUT_FONT, KEY_LINE = 80;

/* Air around what is drawn, as a part of it. */
static const double AIR = 0.04;

/* Between texts of two ticks. */
static const double TICK_GAP = 4;

/* A label that is moved further from its curve's end is not seen as its. */
static const double MOST_MOVED = 1.6 * LAYOUT_LINE;

/* A curve ends at the right side of the box within this part of its width. */
static const double AT_THE_SIDE = 0.02;

static double width_of(const char *text)
{
    const size_t n = phrase_width(text);
    return LETTER * (double)(n < LAYOUT_NAME ? n : LAYOUT_NAME);
}

/* ---- ranges ---- */

/* A constant gets a range around it, what is drawn some air. */
static picture_span widen(picture_span s, bool is_log, double air)
{
    if (is_log) {
        s = widen((picture_span){log10(s.low), log10(s.high)}, false, air);
        return (picture_span){pow(10, s.low), pow(10, s.high)};
    }
    const double size = fmax(fabs(s.low), fabs(s.high));
    /* differences below are those of rounding */
    if (!(s.high - s.low > 1e-13 * size)) {
        const double around = size > 0 ? 0.1 * size : 1;
        return (picture_span){s.low - around, s.high + around};
    }
    const double part = air * (s.high - s.low);
    return (picture_span){s.low - part, s.high + part};
}

static picture_span choose_range(const picture_axis *axis, picture_span data)
{
    picture_span s = data;
    const bool is_fixed = axis->low < axis->high;
    if (isnan(s.low))
        s = axis->is_log ? (picture_span){1, 10} : (picture_span){0, 1};
    else if (!is_fixed) s = widen(s, axis->is_log, AIR);
    if (is_fixed) s = (picture_span){axis->low, axis->high};
    return s;
}

/* Ranges of a box so high that a unit is as long on both axes: the height
 * first, then more of one axis where that is too much or too little. */
static double make_equal(panel_layout *l, double width)
{
    double dx = l->x_high - l->x_low, dy = l->y_high - l->y_low;
    double height = width * dy / dx;
    height = fmin(fmax(height, fmin(LEAST_HEIGHT, width)), MOST_HEIGHT);
    const double unit = fmax(dx / width, dy / height);
    const double more_x = (unit * width - dx) / 2;
    const double more_y = (unit * height - dy) / 2;
    l->x_low -= more_x, l->x_high += more_x;
    l->y_low -= more_y, l->y_high += more_y;
    return height;
}

static void make_ticks(ticks *t, bool is_log, double low, double high, int n)
{
    /* powers of ten are short, and many are no clutter */
    if (is_log) ticks_log(t, low, high, n + n / 2);
    else ticks_linear(t, low, high, n);
}

/* ---- names ---- */

static double place(double value, double low, double high, bool is_log)
{
    if (is_log) return log(value / low) / log(high / low);
    return (value - low) / (high - low);
}

/* The curve's point furthest to the right; false where that is not at the side
 * of the box. */
static bool find_end(const picture_panel *panel, const panel_layout *l,
    size_t curve, end_label *end)
{
    const picture_curve *c = panel->curves[curve];
    double x = -1, y = 0;
    for (size_t k = 0; k < c->count; k++) {
        if (!curve_has(panel, c, k)) continue;
        const double at = place(
            c->points[2 * k], l->x_low, l->x_high, panel->x.is_log);
        if (at < x) continue;
        x = at;
        y = place(c->points[2 * k + 1], l->y_low, l->y_high, panel->y.is_log);
    }
    *end = (end_label){.curve = curve, .x = x, .at = y, .y = y};
    return x >= 1 - AT_THE_SIDE - AIR && x <= 1 + 1e-9 && y >= 0 && y <= 1;
}

static void sort_ends(end_label *ends, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && ends[k].at < ends[k - 1].at; k--) {
            const end_label lower = ends[k];
            ends[k] = ends[k - 1];
            ends[k - 1] = lower;
        }
}

/* Moves labels apart: each group that touches is centred on its ends. */
static bool spread_ends(panel_layout *l)
{
    const size_t n = l->end_count;
    const double height = l->top - l->bottom;
    sort_ends(l->ends, n);
    for (int pass = 0; pass < 64; pass++)
        for (size_t k = 1; k < n; k++) {
            double *below = &l->ends[k - 1].y, *above = &l->ends[k].y;
            const double lack = LAYOUT_LINE * 0.9 / height - (*above - *below);
            if (!(lack > 1e-9)) continue;
            *below -= lack / 2;
            *above += lack / 2;
        }
    for (size_t k = 0; k < n; k++)
        if (fabs(l->ends[k].y - l->ends[k].at) * height > MOST_MOVED)
            return false;
    return true;
}

static size_t count_named(const picture_panel *panel, double *widest)
{
    size_t count = 0;
    for (size_t k = 0; k < panel->curve_count; k++) {
        const char *name = panel->curves[k]->name;
        if (!name) continue;
        count++;
        *widest = fmax(*widest, width_of(name));
    }
    return count;
}

/* Labels at the ends where every named curve has one; the box is `height`. One
 * with equal units has no sizes yet. */
static bool name_ends(
    const picture_panel *panel, panel_layout *l, size_t named, double height)
{
    if (panel->is_equal || named > LAYOUT_ENDS_MOST) return false;
    for (size_t k = 0; k < panel->curve_count; k++) {
        const picture_curve *c = panel->curves[k];
        if (!c->name) continue;
        const bool is_line = c->kind == CURVE_LINE || c->kind == CURVE_MARKED;
        if (!is_line || !find_end(panel, l, k, &l->ends[l->end_count++]))
            return false;
    }
    l->bottom = 0;
    l->top = height;
    return spread_ends(l);
}

/* How much room to the right the names take. */
static double choose_names(
    const picture_panel *panel, panel_layout *l, double *height)
{
    double widest = 0;
    const size_t named = count_named(panel, &widest);
    l->key_every = 0;
    if (named == 0 || (named == 1 && !panel->needs_names)) return 0;
    if (name_ends(panel, l, named, *height)) return widest + 14;
    l->end_count = 0;
    l->key_every = (named + LAYOUT_KEY_MOST - 1) / LAYOUT_KEY_MOST;
    const size_t rows = (named + l->key_every - 1) / l->key_every;
    *height = fmax(*height, (double)(rows + 1) * LAYOUT_LINE);
    return widest + KEY_LINE;
}

/* ---- boxes ---- */

typedef struct sides {
    double label; /* the names of y axes, left of everything */
    double left, right;
} sides;

static double widest_tick(const ticks *t)
{
    double widest = 0;
    for (size_t k = 0; k < t->count; k++)
        widest = fmax(widest, width_of(t->items[k].text));
    return widest;
}

static bool shares(const picture *p, size_t k)
{
    return p->panels[k]->shares_x && k + 1 < p->panel_count;
}

/* Ranges, ticks of y, names: what the sides of all boxes depend on. */
static double first_pass(const picture *p, size_t k, panel_layout *l, sides *s)
{
    const picture_panel *panel = p->panels[k];
    picture_span x, y;
    panel_spans(panel, &x, &y);
    x = choose_range(&panel->x, x);
    y = choose_range(&panel->y, y);
    *l = (panel_layout){
        .x_low = x.low, .x_high = x.high, .y_low = y.low, .y_high = y.high};
    double height = (p->panel_count == 1 ? TALL : FLAT) - 80;
    const double names = picture_has_key(p) ? 0
                                            : choose_names(panel, l, &height);
    make_ticks(
        &l->y, panel->y.is_log, l->y_low, l->y_high, (int)(height / 50) + 1);
    if (panel->y.label) s->label = LAYOUT_LINE + 6;
    s->left = fmax(s->left, widest_tick(&l->y) + 16);
    s->right = fmax(s->right, fmax(names, p->columns > 1 ? 12 : 24));
    return height;
}

/* Whether the texts of two ticks at x would touch. */
static bool would_touch(const panel_layout *l, const tick *a, const tick *b)
{
    const double apart = fabs(place(a->at, l->x_low, l->x_high, true)
                             - place(b->at, l->x_low, l->x_high, true))
        * (l->right - l->left);
    return apart < (width_of(a->text) + width_of(b->text)) / 2 + TICK_GAP;
}

static bool is_power(const tick *t)
{
    const double exponent = log10(t->at);
    return fabs(exponent - round(exponent)) < 1e-6;
}

/* Between powers of ten on a short logarithmic axis only texts that have room:
 * the first of them, then what it leaves. */
static void thin_ticks(panel_layout *l)
{
    ticks *t = &l->x;
    for (size_t k = 0; k < t->count; k++) {
        if (is_power(&t->items[k])) continue;
        for (size_t i = 0; i < t->count; i++) {
            const bool is_before = i < k || is_power(&t->items[i]);
            if (i != k && is_before && t->items[i].text[0]
                && would_touch(l, &t->items[k], &t->items[i])) {
                t->items[k].text[0] = '\0';
                break;
            }
        }
    }
}

/* Places the box below `top`; returns where the next one begins. */
static double place_box(
    const picture *p, size_t k, panel_layout *l, double height, double top)
{
    const picture_panel *panel = p->panels[k];
    if (panel->title) top -= LAYOUT_LINE + 4;
    if (*l->y.note) top -= LAYOUT_LINE;
    l->top = top;
    l->bottom = top - height;
    double below = GAP;
    if (!shares(p, k)) below += LAYOUT_LINE + 6;
    if (!shares(p, k) && panel->x.label) below += LAYOUT_LINE + 4;
    return l->bottom - below;
}

/* The box's sides, and what follows from its width: the height of one with
 * equal units, ticks. Returns the height. */
static double place_sides(const picture *p, size_t k, panel_layout *l,
    double width, const sides *s, double height)
{
    const picture_panel *panel = p->panels[k];
    const size_t columns = p->columns > 1 ? p->columns : 1;
    const double share = (width - s->label) / (double)columns;
    const double begin = s->label + share * (double)(k % columns);
    l->edge = begin - s->label;
    l->left = begin + s->left;
    l->right = begin + share - s->right;
    if (panel->is_equal) {
        height = make_equal(l, l->right - l->left);
        const int up = (int)(height / 50) + 1;
        make_ticks(&l->y, false, l->y_low, l->y_high, up > 3 ? up : 3);
    }
    /* numbers of small boxes are short ones as a rule */
    const int across = (int)((l->right - l->left) / 85);
    make_ticks(&l->x, panel->x.is_log, l->x_low, l->x_high,
        across > 3 || columns == 1 ? across : 3);
    if (panel->x.is_log) thin_ticks(l);
    return height;
}

/* Equal units may ask for more ticks than were thought of, and wider ones: then
 * `s` wants more room to the left. */
static void place_all(
    const picture *p, picture_layout *l, sides *s, double *heights)
{
    const sides old = *s;
    for (size_t k = 0; k < p->panel_count; k++) {
        panel_layout *q = &l->panels[k];
        heights[k] = place_sides(
            p, k, q, l->width - l->key_width, &old, heights[k]);
        s->left = fmax(s->left, widest_tick(&q->y) + 16);
    }
}

/* Heights are given; a row begins below the lowest of the one above. Returns
 * where the last one ends. */
static double place_rows(
    const picture *p, panel_layout *l, const double *heights)
{
    double top = -GAP, end = top;
    for (size_t k = 0; k < p->panel_count; k++) {
        if (p->columns < 2 || k % p->columns == 0) top = end;
        end = fmin(end, place_box(p, k, &l[k], heights[k], top));
    }
    return end;
}

/* Beside the boxes, which then have the rest of the width. */
static void measure_key(picture_layout *l, const picture *p)
{
    double widest = 0;
    l->key_every = (p->key_count + LAYOUT_KEY_MOST - 1) / LAYOUT_KEY_MOST;
    for (size_t k = 0; k < p->panel_count; k++)
        (void)count_named(p->panels[k], &widest);
    if (picture_has_key(p)) l->key_width = widest + KEY_LINE;
}

static double key_height(const picture *p)
{
    const size_t names = p->key_count < LAYOUT_KEY_MOST ? p->key_count
                                                        : LAYOUT_KEY_MOST;
    return picture_has_key(p) ? (double)(names + 2) * LAYOUT_LINE : 0;
}

bool picture_layout_make(picture_layout *l, const picture *p)
{
    sides s = {0, 0, 0};
    *l = (picture_layout){
        .panels = memory_take(p->panel_count + 1, sizeof *l->panels)};
    double *heights = memory_take(p->panel_count + 1, sizeof *heights);
    const bool is_fine = l->panels && heights;
    for (size_t k = 0; is_fine && k < p->panel_count; k++)
        heights[k] = first_pass(p, k, &l->panels[k], &s);
    measure_key(l, p);
    l->width = l->key_width + s.label
        + (p->columns < 2 ? s.left + LEAST_WIDTH + s.right
                          : LEAST_SHARE * (double)p->columns);
    l->width = fmax(WIDTH, l->width);
    double left = 0;
    for (int pass = 0; is_fine && pass < 2 && s.left > left; pass++) {
        left = s.left;
        place_all(p, l, &s, heights);
    }
    if (is_fine)
        l->height = ceil(
            fmax(-place_rows(p, l->panels, heights), key_height(p)));
    for (size_t k = 0; is_fine && k < p->panel_count; k++) {
        l->panels[k].top += l->height;
        l->panels[k].bottom += l->height;
    }
    return is_fine;
}
