#include "number.h"
#include "stability_view.h"
#include "table.h"
#include <math.h>
#include <string.h>

/* Eigenvalues shown at each end of a long list, and methods in one table. */
enum { ENDS = 15, METHODS_ABREAST = 9, CELL = 64 };

static bool is_shown(const stability_view *v, size_t k)
{
    return stability_view_stands(v, k)
        && (k < ENDS || k + 2 * ENDS >= v->e->finite_count
            || v->e->finite_count <= 4 * ENDS);
}

static void put_limit(table *t, double value)
{
    if (isinf(value)) table_add(t, "all");
    else if (isnan(value)) table_add(t, "-");
    else table_addf(t, "%.6g", value);
}

/* Counted as they are shown: a pair is one. */
static void put_place(const stability_view *v, size_t k, table *t)
{
    size_t place = 0;
    for (size_t i = 0; i <= k; i++) place += stability_view_stands(v, i);
    table_addf(t, "%zu", place);
}

/* ---- methods ---- */

static void put_method(
    table *t, const dae_method *m, const dae_stability_traits *of)
{
    table_add(t, m->name);
    table_addf(t, "%d", m->order);
    put_limit(t, of->alpha);
    put_limit(t, of->leftmost);
    put_limit(t, of->real_limit);
    put_limit(t, of->imaginary_limit);
    if (isinf(of->at_infinity)) table_add(t, "grows");
    else put_limit(t, of->at_infinity);
    put_limit(t, m->error_constant);
}

void stability_text_methods(const stability_view *v, FILE *file)
{
    static const char *const heads[] = {"method", "order", "alpha", "D",
        "real axis", "imaginary axis", "root at -inf", "error constant"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    table t = table_of(COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        t.align_right[i] = i > 0;
        table_add(&t, heads[i]);
    }
    for (size_t i = 0; i < v->method_count; i++)
        put_method(&t, v->methods[i], &v->traits[i]);
    table_print(&t, file);
    (void)fputs(
        "\nalpha: half the angle of the stable wedge about the negative real "
        "axis, degrees\n"
        "D: leftmost real part of the boundary; axes: how far -x, iy are inside"
        "\n",
        file);
}

/* ---- eigenvalues ---- */

/* A part as it is told; what is rounding has become 0, and has no sign. */
static double plain(double value)
{
    return fabs(value) > 0 ? value : 0;
}

/* "-0.1 +- 2i" for a pair, "-3" for what is real; `is_pair`: both of it. */
static void put_complex(table *t, dae_complex z, bool is_pair)
{
    if (fabs(z.im) > 0)
        table_addf(t, "%.6g %s %.6gi", plain(z.re), is_pair ? "+-" : "+", z.im);
    else table_addf(t, "%.6g", plain(z.re));
}

static void put_time(table *t, double rate, double factor)
{
    char text[CELL] = "";
    if (fabs(rate) > 0)
        (void)snprintf(text, sizeof text, "%.5g", factor / fabs(rate));
    table_add(t, text);
}

static void put_row(const stability_view *v, size_t k, table *t)
{
    const dae_complex z = stability_view_value(v, k);
    put_place(v, k, t);
    put_complex(t, z, true);
    table_add(t, z.re > 0 ? "grows" : z.re < 0 ? "decays" : "stays");
    put_time(t, z.re, 1);
    put_time(t, z.im, 6.28318530717958647692);
    if (stability_view_has_step(v))
        put_complex(t, stability_view_scaled(v, k), true);
}

static void print_values(const stability_view *v, FILE *file)
{
    const bool has_step = stability_view_has_step(v);
    table t = table_of(has_step ? 6 : 5);
    t.align_right[0] = true;
    table_add(&t, "no.");
    table_add(&t, "lambda");
    table_add(&t, "");
    table_add(&t, "time constant");
    table_add(&t, "period");
    if (has_step) table_add(&t, "h*lambda");
    for (size_t k = 0; k < v->e->finite_count; k++)
        if (is_shown(v, k)) put_row(v, k, &t);
    table_print(&t, file);
}

/* What is near 1 tells by its distance from 1. */
static void put_root(table *t, double root, bool is_edge)
{
    if (isinf(root)) table_add(t, "inf");
    else if (!(root > 0)) table_add(t, "0");
    else if (is_edge) table_add(t, "1");
    else if (fabs(root - 1) < 1e-4) table_addf(t, "1%+.1e", root - 1);
    else if (root > 1e4 || (root > 0 && root < 1e-4))
        table_addf(t, "%.1e", root);
    else table_addf(t, "%.5f", root);
}

static void put_roots(const stability_view *v, size_t k,
    const dae_method *const *methods, size_t count, table *t)
{
    const dae_complex z = stability_view_scaled(v, k);
    put_place(v, k, t);
    const double exact = exp(z.re);
    put_root(t, exact, !(fabs(z.re) > 1e-12));
    for (size_t i = 0; i < count; i++) {
        const dae_stability_side side = dae_stability_side_of(methods[i], z);
        put_root(t, dae_stability_root_modulus(methods[i], z),
            side == DAE_STABILITY_EDGE);
    }
}

static void print_roots(const stability_view *v,
    const dae_method *const *methods, size_t count, FILE *file)
{
    table t = table_of(count + 2);
    for (size_t i = 0; i < count + 2; i++) t.align_right[i] = true;
    table_add(&t, "no.");
    table_add(&t, "exact");
    for (size_t i = 0; i < count; i++) table_add(&t, methods[i]->name);
    for (size_t k = 0; k < v->e->finite_count; k++)
        if (is_shown(v, k)) put_roots(v, k, methods, count, &t);
    (void)fputc('\n', file);
    table_print(&t, file);
}

/* How many of those that stand for pairs or themselves are not shown. */
static size_t count_hidden(const stability_view *v)
{
    size_t count = 0;
    for (size_t k = 0; k < v->e->finite_count; k++)
        count += stability_view_stands(v, k) && !is_shown(v, k);
    return count;
}

static void put_infinite(const stability_view *v, FILE *file)
{
    const size_t count = v->e->infinite_count, hidden = count_hidden(v);
    if (hidden) (void)fprintf(file, "  and %zu between them\n", hidden);
    if (count == 0) return;
    (void)fprintf(file, "  %zu infinite (index %d): %s\n", count, v->e->index,
        v->e->index > 1 ? "equations that hold at once, and what hides behind "
                          "them"
                        : "equations that hold at once");
}

void stability_text_eigenvalues(const stability_view *v, FILE *file)
{
    if (v->e->finite_count) print_values(v, file);
    put_infinite(v, file);
    if (!stability_view_has_step(v) || v->e->finite_count == 0) return;
    (void)fputs("\nlargest root at h*lambda: the factor of one step\n", file);
    for (size_t i = 0; i < v->method_count; i += METHODS_ABREAST) {
        const size_t left = v->method_count - i;
        const size_t count = left < METHODS_ABREAST ? left : METHODS_ABREAST;
        print_roots(v, v->methods + i, count, file);
    }
}

void stability_text_sentence(const stability_view *v, FILE *file)
{
    phrase p = {.text = NULL};
    stability_view_tell(v, &p);
    (void)fputc('\n', file);
    phrase_field(file, 0, 0, "", phrase_text(&p));
}
