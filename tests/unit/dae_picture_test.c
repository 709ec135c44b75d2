/* tools/dae: pictures, from ticks and thinned curves to what gnuplot is given.
 * The parts of the command that these stand on are linked (tests/CMakeLists).
 */
#include "../../tools/dae/gnuplot.h"
#include "../../tools/dae/gnuplot_script.h"
#include "../../tools/dae/memory.h"
#include "../../tools/dae/phrase.h"
#include "../../tools/dae/picture_layout.h"
#include "../../tools/dae/run_picture.h"
#include "support/check.h"

#include <unistd.h>

/* ---- ticks ---- */

static void check_ticks(const ticks *t, const char *note, const char *texts)
{
    char all[512] = "";
    size_t n = 0;
    for (size_t k = 0; k < t->count; k++)
        if (*t->items[k].text)
            n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? " " : "",
                t->items[k].text);
    assert_string_equal(all, texts);
    assert_string_equal(t->note, note);
}

static void ticks_are_round(void **state)
{
    (void)state;
    ticks t;
    ticks_linear(&t, 0, 1, 5);
    check_ticks(&t, "", "0.0 0.2 0.4 0.6 0.8 1.0");
    CHECK_NEAR(t.items[3].at, 0.6, 1e-15);
    ticks_linear(&t, -1.04, 2.5, 4);
    check_ticks(&t, "", "−1 0 1 2");
    /* no zero with a sign */
    ticks_linear(&t, -0.3, 0.3, 6);
    check_ticks(&t, "", "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3");
    ticks_linear(&t, 0, 4.5e7, 5);
    check_ticks(&t, "×10⁶", "0 10 20 30 40");
    ticks_linear(&t, -1e-4, 1e-5, 5);
    check_ticks(&t, "×10⁻⁶", "−100 −80 −60 −40 −20 0");
}

static void ticks_share_what_is_alike(void **state)
{
    (void)state;
    ticks t;
    ticks_linear(&t, 5 - 1e-9, 5 + 4e-9, 5);
    check_ticks(&t, "5 + …×10⁻⁹", "−1 0 1 2 3 4");
    CHECK_NEAR(t.items[5].at, 5 + 4e-9, 1e-15);
    ticks_linear(&t, -9.81, -9.81 + 2e-6, 4);
    check_ticks(&t, "−9.81 + …×10⁻⁶", "0.0 0.5 1.0 1.5 2.0");
    /* three digits at a tick are not too many */
    ticks_linear(&t, 100, 102, 4);
    check_ticks(&t, "", "100.0 100.5 101.0 101.5 102.0");
}

static void logarithmic_ticks_are_powers(void **state)
{
    (void)state;
    ticks t;
    ticks_log(&t, 1e-3, 1, 6);
    check_ticks(&t, "", "10⁻³ 10⁻² 10⁻¹ 10⁰");
    assert_int_equal(t.count, 4 + 3 * 8);
    ticks_log(&t, 0.5, 30, 6);
    check_ticks(&t, "", "0.5 1 2 5 10 20");
    ticks_log(&t, 5e-7, 3e-6, 6);
    check_ticks(&t, "", "5×10⁻⁷ 10⁻⁶ 2×10⁻⁶");
    ticks_log(&t, 1e-12, 1e11, 6);
    check_ticks(&t, "", "10⁻¹² 10⁻⁸ 10⁻⁴ 10⁰ 10⁴ 10⁸");
    ticks_log(&t, 3.1, 4.6, 4);
    check_ticks(&t, "", "3.5 4.0 4.5");
}

/* ---- thin curves ---- */

static void long_curves_keep_their_peaks(void **state)
{
    (void)state;
    enum { COUNT = 1000000, PEAK = 123457, GAP = 777777 };
    thin t = {0};
    picture p = {0};
    picture_panel *panel = picture_add_panel(&p, NULL, NULL, NULL);
    picture_curve *c = panel_add_curve(panel, CURVE_LINE, NULL);
    for (int k = 0; k < COUNT; k++) {
        const double y = k == PEAK ? 5 : k == GAP ? NAN : sin(k * 1e-5);
        assert_true(thin_add(&t, k, y));
    }
    thin_put(&t, c);
    assert_true(c->count > 1024 && c->count < 2048 * THIN_KEPT + 2);
    CHECK_NEAR(c->points[0], 0, 0);
    CHECK_NEAR(c->points[2 * (c->count - 1)], COUNT - 1, 0);
    int breaks = 0, peaks = 0;
    double last = -1, widest = 0;
    for (size_t k = 0; k < c->count; k++) {
        const double x = c->points[2 * k];
        if (isnan(x)) {
            breaks++;
            continue;
        }
        peaks += x == PEAK;
        assert_true(x > last);
        widest = fmax(widest, x - last);
        last = x;
    }
    assert_int_equal(breaks, 1);
    assert_int_equal(peaks, 1);
    /* groups are equally long: none is coarser than a thousandth */
    assert_true(widest <= COUNT / 1000);
    memory_release(0);
}

static void short_curves_keep_everything(void **state)
{
    (void)state;
    thin t = {0};
    picture p = {0};
    picture_curve *c = panel_add_curve(
        picture_add_panel(&p, NULL, NULL, NULL), CURVE_LINE, NULL);
    for (int k = 0; k < 2000; k++) assert_true(thin_add(&t, k, k % 7));
    thin_put(&t, c);
    assert_int_equal(c->count, 2000);
    for (int k = 0; k < 2000; k++) CHECK_NEAR(c->points[2 * k + 1], k % 7, 0);
    memory_release(0);
}

/* ---- layout ---- */

/* The side at point k of a curve, of a jump between x = 7000 and 7001. */
static bool is_side(const picture_curve *c, size_t k, double x, double y)
{
    return fabs(c->points[2 * k] - x) <= 0
        && fabs(c->points[2 * k + 1] - y) <= 0;
}

static void sides_of_a_jump_stay(void **state)
{
    (void)state;
    picture p = {0};
    picture_curve *c = panel_add_curve(
        picture_add_panel(&p, NULL, NULL, NULL), CURVE_LINE, NULL);
    thin t = {0};
    assert_true(thin_add(&t, NAN, NAN)); /* there is nothing to break */
    for (int k = 0; k < 100000; k++) {
        if (k == 7001) assert_true(thin_add(&t, NAN, NAN));
        assert_true(thin_add(&t, k, k < 7001 ? k : -k));
    }
    thin_put(&t, c);
    assert_true(c->count < 13000);
    size_t breaks = 0;
    for (size_t k = 0; k < c->count; k++) {
        if (!isnan(c->points[2 * k])) continue;
        breaks++;
        assert_true(is_side(c, k - 1, 7000, 7000));
        assert_true(is_side(c, k + 1, 7001, -7001));
    }
    assert_int_equal(breaks, 1);
    memory_release(0);
}

static void what_cannot_be_drawn_counts_for_nothing(void **state)
{
    (void)state;
    picture p = {0};
    picture_panel *panel = picture_add_panel(&p, "title", "x", "y");
    picture_curve *c = panel_add_curve(panel, CURVE_LINE, "c");
    panel->y.is_log = true;
    curve_add(c, 1, 1e-3);
    curve_add(c, 9, 0); /* not on a logarithmic axis, nor its x */
    curve_add(c, NAN, 3);
    curve_add(c, 2, INFINITY);
    curve_add(c, 3, 1e-1);
    panel_add_slope(panel, 2, 1e-2, 2, 3); /* to 4, 8e-2 */
    picture_span x, y;
    panel_spans(panel, &x, &y);
    CHECK_NEAR(x.low, 1, 0);
    CHECK_NEAR(x.high, 4, 0);
    CHECK_NEAR(y.low, 1e-3, 0);
    CHECK_NEAR(y.high, 1e-1, 0);
    assert_true(curve_has(panel, c, 0));
    assert_false(curve_has(panel, c, 1));
    /* without memory parts are NULL, and nobody minds */
    curve_add(NULL, 1, 2);
    panel_add_text(NULL, 1, 2, "text");
    assert_null(panel_add_curve(NULL, CURVE_LINE, "none"));
    memory_release(0);
}

/* `count` curves that end at (1, heights[k]). */
static void open_ends(picture *p, picture_layout *l, const double *heights,
    size_t count, double low)
{
    *p = (picture){0};
    picture_panel *panel = picture_add_panel(p, NULL, "t", "y");
    for (size_t k = 0; k < count; k++) {
        picture_curve *c = panel_add_curve(panel, CURVE_LINE, "name");
        curve_add(c, 0, low);
        curve_add(c, 1, heights[k]);
    }
    assert_true(picture_layout_make(l, p));
}

static void names_at_ends_do_not_touch(void **state)
{
    (void)state;
    picture p;
    picture_layout l;
    open_ends(&p, &l, (const double[]){0.5, 0.51, 1, -0.98}, 4, -1);
    const panel_layout *q = &l.panels[0];
    assert_int_equal(q->end_count, 4);
    assert_int_equal(q->key_every, 0);
    const double height = q->top - q->bottom;
    /* from below: curves 3, 0, 1, 2 */
    assert_int_equal(q->ends[0].curve, 3);
    assert_int_equal(q->ends[1].curve, 0);
    assert_int_equal(q->ends[2].curve, 1);
    for (size_t k = 1; k < 4; k++)
        assert_true((q->ends[k].y - q->ends[k - 1].y) * height > 17.9);
    CHECK_NEAR(q->ends[1].at, (0.5 + 1.08) / 2.16, 1e-9);
    memory_release(0);
    /* four at one place stand around it, with threads to it */
    open_ends(&p, &l, (const double[]){0, 0, 0, 0}, 4, -1);
    q = &l.panels[0];
    assert_int_equal(q->end_count, 4);
    for (size_t k = 0; k < 4; k++)
        CHECK_NEAR((q->ends[k].y - q->ends[k].at) * (q->top - q->bottom),
            18 * ((double)k - 1.5), 0.1);
    memory_release(0);
    /* five are too many */
    open_ends(&p, &l, (const double[]){0, 1, 2, 3, 4}, 5, -1);
    assert_int_equal(l.panels[0].key_every, 1);
    memory_release(0);
}

static void equal_units_are_equally_long(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        picture p;
        picture_layout l;
        p = (picture){0};
        picture_panel *panel = picture_add_panel(&p, NULL, "x", "y");
        panel->is_equal = true;
        picture_curve *c = panel_add_curve(panel, CURVE_LINE, NULL);
        curve_add(c, -1, wide ? -0.01 : -3);
        curve_add(c, 1, wide ? 0.01 : 3);
        assert_true(picture_layout_make(&l, &p));
        const panel_layout *q = &l.panels[0];
        CHECK_NEAR((q->x_high - q->x_low) / (q->right - q->left),
            (q->y_high - q->y_low) / (q->top - q->bottom), 1e-9);
        assert_true(q->x_low <= -1 && q->x_high >= 1 && q->y_high >= 0.01);
        memory_release(0);
    }
}

/* However many ticks the box gets once its height is known, the numbers at
 * them do not meet the label. */
static void equal_units_leave_room_for_numbers(void **state)
{
    (void)state;
    picture p;
    picture_layout l;
    p = (picture){0};
    picture_panel *panel = picture_add_panel(&p, NULL, "x", "y");
    panel->is_equal = true;
    panel->x.low = panel->y.low = -0.28;
    panel->x.high = panel->y.high = 0.28;
    curve_add(panel_add_curve(panel, CURVE_MARKS, NULL), 0, 0);
    assert_true(picture_layout_make(&l, &p));
    const panel_layout *q = &l.panels[0];
    size_t widest = 0;
    for (size_t k = 0; k < q->y.count; k++)
        widest = (size_t)fmax(
            (double)widest, (double)phrase_width(q->y.items[k].text));
    assert_int_equal(widest, strlen("-0.25"));
    assert_true(q->left >= LAYOUT_LINE + 0.62 * LAYOUT_FONT * (double)widest);
    CHECK_NEAR(q->top - q->bottom, q->right - q->left, 1e-9);
    memory_release(0);
}

/* Five squares in rows of three: alike, beside and below each other. */
static void panels_stand_in_rows(void **state)
{
    (void)state;
    picture p;
    picture_layout l;
    p = (picture){0};
    p.columns = 3;
    for (int k = 0; k < 5; k++) {
        picture_panel *panel = picture_add_panel(
            &p, "title", k < 2 ? NULL : "x", k % 3 ? NULL : "y");
        panel->is_equal = true;
        picture_curve *c = panel_add_curve(panel, CURVE_AREA, "a");
        curve_add(c, -1, -1);
        curve_add(c, 1, -1);
        curve_add(c, 0, 1);
    }
    assert_true(picture_layout_make(&l, &p));
    const panel_layout *q = l.panels;
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(q[k].right - q[k].left, q[k].top - q[k].bottom, 1e-9);
        CHECK_NEAR(q[k].right - q[k].left, q[0].right - q[0].left, 1e-9);
        CHECK_NEAR(q[k].left, q[k % 3].left, 1e-9);
        CHECK_NEAR(q[k].top, q[k - k % 3].top, 1e-9);
        assert_true(q[k].left > q[k].edge && q[k].right < l.width);
        assert_true(q[k].bottom > 2 * LAYOUT_LINE && q[k].top < l.height);
        assert_true(q[k].x.count >= 3 && q[k].y.count >= 3);
        if (k % 3) assert_true(q[k].left > q[k - 1].right + 2 * LAYOUT_FONT);
    }
    /* numbers, a label and a title stand between them */
    assert_true(q[3].top < q[0].bottom - 3 * LAYOUT_LINE);
    memory_release(0);
}

/* ---- runs ---- */

static dae_model *compile(const char *text)
{
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, ds, &model),
        DAE_OK);
    dae_diagnostics_free(ds);
    return model;
}

static void see(run_picture *r, dae_model *model, double t, double x, double y)
{
    const double at[] = {x, y}, xp[] = {0, 0};
    double observed[8];
    CHECK_STATUS(dae_model_observe(model, t, at, xp, observed), DAE_OK);
    const dae_point p = {DAE_POINT_ROW, t, at, xp, NULL, observed};
    CHECK_STATUS(run_picture_add(r, &p), DAE_OK);
}

static void both_sides_of_a_jump_are_drawn(void **state)
{
    (void)state;
    dae_model *model = compile("var x {m}, y {m^2/s}\nx' = y\ny' = -x\n"
                               "plot x, y\nplot y over x\n");
    run_picture r;
    picture p;
    CHECK_STATUS(run_picture_init(&r, model, false, NULL), DAE_OK);
    see(&r, model, 0, 1, 5);
    see(&r, model, 1, 2, 6);
    see(&r, model, 1, 2, -6); /* y jumps, x does not */
    see(&r, model, 2, 3, NAN);
    see(&r, model, 3, 4, -7);
    p = (picture){0};
    run_picture_make(&r, &p);
    assert_false(memory_was_lost());
    assert_int_equal(p.panel_count, 2);
    const picture_panel *a = p.panels[0], *b = p.panels[1];
    assert_string_equal(a->x.label, "t");
    assert_string_equal(a->y.label, "x (m), y (m²/s)");
    assert_string_equal(b->x.label, "x (m)");
    assert_string_equal(b->y.label, "y (m²/s)");
    CHECK_NEAR(a->x.low, 0, 0);
    CHECK_NEAR(a->x.high, 3, 0);
    /* x, y, the bridge of y */
    assert_int_equal(a->curve_count, 3);
    assert_int_equal(a->curves[0]->count, 5);
    const picture_curve *y = a->curves[1], *bridge = a->curves[2];
    const double ys[] = {5, 6, NAN, -6, NAN, -7};
    assert_int_equal(y->count, 6);
    for (size_t k = 0; k < 6; k++) {
        if (isnan(ys[k])) assert_true(isnan(y->points[2 * k + 1]));
        else CHECK_NEAR(y->points[2 * k + 1], ys[k], 0);
    }
    assert_true(bridge->is_bridge && !bridge->name);
    assert_int_equal(bridge->style, y->style);
    CHECK_NEAR(bridge->points[0], 1, 0);
    CHECK_NEAR(bridge->points[1], 6, 0);
    CHECK_NEAR(bridge->points[3], -6, 0);
    memory_release(0);
    dae_model_free(model);
}

static void without_plot_lines_units_share_panels(void **state)
{
    (void)state;
    dae_model *model = compile(
        "var x {m}, v {m/s}, y[100] {m}\nx' = v\nv' = -x\ny' = -y\n");
    run_picture r;
    CHECK_STATUS(run_picture_init(&r, model, false, NULL), DAE_OK);
    assert_int_equal(r.panel_count, 2);
    assert_int_equal(r.panels[0].curves_asked, 101);
    assert_int_equal(r.panels[0].count, RUN_CURVES_MOST);
    /* the first and the last are among them */
    assert_int_equal(r.curves[0].source.number, 0);
    assert_int_equal(r.curves[RUN_CURVES_MOST - 1].source.number, 101);
    assert_int_equal(r.panels[1].count, 1);
    assert_int_equal(r.curves[RUN_CURVES_MOST].source.number, 1);
    memory_release(0);
    dae_model_free(model);
}

/* ---- what gnuplot makes of it ---- */

/* An order study, a stability region with an eigenvalue, names that are not
 * harmless. */
static void make_study(picture *p)
{
    *p = (picture){0};
    picture_panel *a = picture_add_panel(p, "study", "step", "error");
    a->x.is_log = a->y.is_log = true;
    for (int order = 1; order <= 2; order++) {
        picture_curve *c = panel_add_curve(
            a, CURVE_MARKED, order == 1 ? "it's \"$x\" `ls`" : "k_2\n\\n{b}");
        for (int k = 0; k < 4; k++)
            curve_add(c, pow(10, -k), pow(10, -k * order));
    }
    panel_add_slope(a, 1e-2, 1e-4, 10, 2);
    picture_panel *b = picture_add_panel(p, NULL, "Re", "Im");
    b->is_equal = b->has_origin = true;
    picture_curve *region = panel_add_curve(b, CURVE_REGION, "BDF1");
    for (int k = 0; k < 64; k++)
        curve_add(region, 1 - cos(k * 0.0981747704), sin(k * 0.0981747704));
    picture_curve *mark = panel_add_curve(b, CURVE_MARKS, "eigenvalue");
    curve_add(mark, -2, 1.5);
    panel_add_text(b, -2, 1, "here");
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void studies_and_regions_are_drawn(void **state)
{
    (void)state;
    char folder[] = "/tmp/dae-picture-XXXXXX", path[64];
    limits l = {.deadline = INFINITY};
    messages m;
    picture p;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.svg", folder);
    assert_true(messages_init(&m, NULL));
    make_study(&p);
    assert_false(memory_was_lost());
    CHECK_STATUS(gnuplot_draw(&p, path, true, &l, &m), DAE_OK);
    char *text = read_text(path);
    assert_int_equal(count_of(text, "<g id=\"gnuplot_plot_"), 4);
    assert_int_equal(count_of(text, ">it&#39;s &quot;$x&quot; `ls`<")
            + count_of(text, ">it's \"$x\" `ls`<"),
        1);
    assert_int_equal(count_of(text, ">k_2 \\n{b}<"), 1);
    assert_int_equal(count_of(text, ">here<"), 1);
    assert_int_equal(count_of(text, ">eigenvalue<"), 1);
    assert_int_equal(count_of(text, ">10⁻²<"), 2); /* both axes */
    /* filled: the triangle, the region, and its sample in the key */
    assert_int_equal(count_of(text, "<polygon"), 3);
    free(text);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
    memory_release(0);
    messages_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(ticks_share_what_is_alike),
        cmocka_unit_test(logarithmic_ticks_are_powers),
        cmocka_unit_test(long_curves_keep_their_peaks),
        cmocka_unit_test(short_curves_keep_everything),
        cmocka_unit_test(sides_of_a_jump_stay),
        cmocka_unit_test(what_cannot_be_drawn_counts_for_nothing),
        cmocka_unit_test(names_at_ends_do_not_touch),
        cmocka_unit_test(equal_units_are_equally_long),
        cmocka_unit_test(equal_units_leave_room_for_numbers),
        cmocka_unit_test(panels_stand_in_rows),
        cmocka_unit_test(both_sides_of_a_jump_are_drawn),
        cmocka_unit_test(without_plot_lines_units_share_panels),
        cmocka_unit_test(studies_and_regions_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
