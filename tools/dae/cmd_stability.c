/* dae stability: the regions of the methods, and a model's eigenvalues in them,
 * as text, document and picture. */
#include "command.h"
#include "console.h"
#include "gnuplot.h"
#include "number.h"
#include "phrase.h"
#include "report.h"
#include "stability_view.h"
#include <math.h>
#include <string.h>

/* Eigenvalues shown at each end of a long list, and methods in one table. */
enum { ENDS = 15, METHODS_ABREAST = 9 };

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

/* For people: tables, and the sentence in lines. */
static void stability_text_methods(const stability_view *v, FILE *file)
{
    static const char *const heads[] = {"method", "order", "alpha", "D",
        "real axis", "imaginary axis", "root at -inf", "error constant", NULL};
    table t = table_of("lrrrrrrr");
    table_add_all(&t, heads);
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

/* "-0.1 +- 2i" for a pair, "-3" for what is real. */
static void put_complex(table *t, dae_complex z)
{
    if (fabs(z.im) > 0) table_addf(t, "%.6g +- %.6gi", plain(z.re), z.im);
    else table_addf(t, "%.6g", plain(z.re));
}

static void put_time(table *t, double rate, double factor)
{
    if (fabs(rate) > 0) table_addf(t, "%.5g", factor / fabs(rate));
    else table_add(t, "");
}

static void put_row(const stability_view *v, size_t k, table *t)
{
    const dae_complex z = stability_view_value(v, k);
    put_place(v, k, t);
    put_complex(t, z);
    table_add(t, z.re > 0 ? "grows" : z.re < 0 ? "decays" : "stays");
    put_time(t, z.re, 1);
    put_time(t, z.im, 6.28318530717958647692);
    if (stability_view_has_step(v)) put_complex(t, stability_view_scaled(v, k));
}

static void print_values(const stability_view *v, FILE *file)
{
    const bool has_step = stability_view_has_step(v);
    table t = table_of(has_step ? "rlllll" : "rllll");
    TABLE_ADD(&t, "no.", "lambda", "", "time constant", "period");
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
    table t = table_of(&"rrrrrrrrrrr"[METHODS_ABREAST - count]);
    TABLE_ADD(&t, "no.", "exact");
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

static void stability_text_eigenvalues(const stability_view *v, FILE *file)
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

static void stability_text_sentence(const stability_view *v, FILE *file)
{
    phrase p = {.text = NULL};
    stability_view_tell(v, &p);
    (void)fputc('\n', file);
    phrase_field(file, 0, 0, "", phrase_text(&p));
}

/* ---- the document ---- */

static void put_method_json(
    const dae_method *m, const dae_stability_traits *of, json *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", m->name);
    json_string(j, "family", m->family);
    json_string(j, "formula", m->formula);
    json_integer(j, "order", m->order);
    json_number(j, "error_constant", m->error_constant);
    json_number(j, "alpha", of->alpha);
    json_number(j, "leftmost", of->leftmost);
    json_number(j, "real_limit", of->real_limit);
    json_number(j, "imaginary_limit", of->imaginary_limit);
    json_number(j, "at_infinity", of->at_infinity);
    json_end_object(j);
}

static void put_verdicts(const stability_view *v, size_t k, json *j)
{
    static const char *const sides[] = {"inside", "edge", "outside"};
    const dae_complex z = stability_view_scaled(v, k);
    json_begin_object(j, "methods");
    for (size_t i = 0; i < v->method_count; i++) {
        const dae_method *m = v->methods[i];
        json_begin_object(j, m->name);
        json_number(j, "amplification", dae_stability_root_modulus(m, z));
        json_string(j, "side", sides[dae_stability_side_of(m, z)]);
        json_end_object(j);
    }
    json_end_object(j);
}

static void put_eigenvalues(const stability_view *v, json *j)
{
    json_integer(j, "index", v->e->index);
    json_integer(j, "infinite", (int64_t)v->e->infinite_count);
    json_begin_array(j, "eigenvalues");
    for (size_t k = 0; k < v->e->finite_count; k++) {
        json_begin_object(j, NULL);
        json_number(j, "re", v->e->finite[k].re);
        json_number(j, "im", v->e->finite[k].im);
        if (stability_view_has_step(v)) put_verdicts(v, k, j);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Members "methods", with a model "step", "index", "infinite", "eigenvalues", and "summary":
 * docs/cli.md has their keys. */
static void stability_json(const stability_view *v, json *j)
{
    phrase p = {.text = NULL};
    json_begin_array(j, "methods");
    for (size_t i = 0; i < v->method_count; i++)
        put_method_json(v->methods[i], &v->traits[i], j);
    json_end_array(j);
    if (v->e) json_number(j, "step", v->step), put_eigenvalues(v, j);
    stability_view_tell(v, &p);
    json_string(j, "summary", phrase_text(&p));
}

static void draw_pictures(session *s, const stability_view *v)
{
    picture p = {0};
    if (s->args->outputs.count == 0 || s->status) return;
    stability_picture_make(v, &s->limits.allocator, &p);
    picture_files_draw(s, &p);
}

/* ---- with a model ---- */

/* The run up to the place, and the eigenvalues there. A model that is too large
 * is told so before it runs. */
static void find_eigenvalues(session *s, dae_eigenvalues **e)
{
    dae_run *r = s->run;
    const bool moves = !isnan(s->args->at)
        && fabs(s->args->at - dae_run_begin(r)) > 0;
    if (moves) s->status = dae_run_to(r, dae_run_end(r));
    if (s->status) return;
    s->status = dae_eigenvalues_create(dae_run_problem(r), dae_run_time(r),
        dae_run_x(r), dae_run_xp(r), limits_stop, &s->limits,
        &s->limits.allocator, s->messages.library, e);
}

static void look(session *s, dae_eigenvalues **e)
{
    const dae_problem *p = dae_model_problem(s->model);
    picture_files_expect(s);
    if (s->status) return;
    if (dae_problem_state_count(p) > DAE_EIGENVALUES_LIMIT) {
        s->status = dae_eigenvalues_create(p, p->start->t0, p->start->x,
            p->start->xp, NULL, NULL, NULL, s->messages.library, e);
        return;
    }
    session_start(s);
    if (!s->status) find_eigenvalues(s, e);
}

static void put_document(session *s, const stability_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_json_head(s, &j);
    if (v->e) {
        json_number(&j, "t", v->t);
        stability_json(v, &j);
    }
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s, const stability_view *v)
{
    const char *title = dae_model_title(s->model);
    (void)printf("%s\neigenvalues at t = %.10g",
        title && *title ? title : dae_model_name(s->model), v->t);
    if (stability_view_has_step(v)) (void)printf(", h = %.10g", v->step);
    (void)fputs("\n\n", stdout);
    stability_text_eigenvalues(v, stdout);
    stability_text_sentence(v, stdout);
    picture_files_tell(s, v->method_count, "region");
}

static exit_status show_model(const args *a, stability_view *v)
{
    session s;
    dae_eigenvalues *e = NULL;
    if (session_open(&s, a, a->paths.items[0])) look(&s, &e);
    v->e = e;
    v->t = dae_run_time(s.run);
    draw_pictures(&s, v);
    session_explain_stop(&s);
    if (a->json) put_document(&s, v);
    else if (e && !a->quiet) put_text(&s, v);
    dae_eigenvalues_free(e, &s.limits.allocator);
    return session_end(&s);
}

/* ---- without ---- */

static void put_regions_document(session *s, const stability_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    if (!s->status) stability_json(v, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_regions(session *s, const stability_view *v)
{
    stability_text_methods(v, stdout);
    stability_text_sentence(v, stdout);
    picture_files_tell(s, v->method_count, "region");
}

static exit_status show_regions(const args *a, const stability_view *v)
{
    session s;
    if (session_begin(&s, a)) {
        limits_hold_interrupts();
        picture_files_expect(&s);
        draw_pictures(&s, v);
    }
    session_explain_stop(&s);
    if (a->json) put_regions_document(&s, v);
    else if (!s.status && !a->quiet) put_regions(&s, v);
    return session_end(&s);
}

exit_status cmd_stability(const args *a)
{
    stability_view v;
    if (!stability_view_init(&v, a, stderr)) return EXIT_USAGE;
    if (!picture_files_are_named(a, false, stderr)) return EXIT_USAGE;
    return a->paths.count ? show_model(a, &v) : show_regions(a, &v);
}
