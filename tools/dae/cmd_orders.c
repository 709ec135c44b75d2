/* dae orders: errors against the step and against the work, the order of each
 * variable, as text, document and picture. <dae/orders.h> finds them. */
#include "command.h"
#include "console.h"
#include "gnuplot.h"
#include "orders_view.h"
#include "report.h"
#include <math.h>

/* {"c1": 0.1, ...}, null where there is no number. */
static void put_numbers(
    const orders_view *v, json *j, const char *key, const double *values)
{
    json_begin_object(j, key);
    for (size_t k = 0; k < v->variable_count; k++) {
        json_number(j, orders_view_name(v, k), values[k]);
    }
    json_end_object(j);
}

/* ---- fixed steps ---- */

static const char *const KEYS[] = {
    "errors", "errors_first", "errors_max", "errors_settled"};

/* Of each list the unknowns whose errors are not believed, lists without any left
 * out. */
static void put_unsure(const orders_view *v, json *j, const dae_orders_row *row,
    const char *key, dae_orders_worth worth)
{
    size_t told = 0;
    for (dae_orders_error l = 0; l < DAE_ORDERS_ERRORS; l++) {
        size_t here = 0;
        for (size_t k = 0; k < v->variable_count; k++) {
            if (dae_orders_worth_of(row, l, k) != worth) continue;
            if (!told++) json_begin_object(j, key);
            if (!here++) json_begin_array(j, KEYS[l]);
            json_string(j, NULL, orders_view_name(v, k));
        }
        if (here) json_end_array(j);
    }
    if (told) json_end_object(j);
}

/* The way of --reduce. */
static const char *way_of(const orders_view *v, bool is_unreduced)
{
    const char *asked = v->args->reduce;
    if (is_unreduced) return "never";
    return asked && !args_choose(asked, "never") ? asked : "auto";
}

static void put_formula(
    const orders_view *v, json *j, const dae_orders_formula *f)
{
    json_string(j, "method", f->method ? f->method : "bdf");
    json_string(j, "reduce", way_of(v, f->is_unreduced));
    json_integer(j, "order", f->order);
}

/* What made a run fail; nothing where it did not. */
static void put_failure(
    json *j, dae_status status, const dae_orders_failure *failure)
{
    if (!status) return;
    json_begin_object(j, "failure");
    json_string(j, "code", failure->code[0] ? failure->code : NULL);
    json_string(j, "message", failure->code[0] ? failure->text : NULL);
    json_end_object(j);
}

static void put_row(const orders_view *v, json *j, const dae_orders_row *row)
{
    json_begin_object(j, NULL);
    put_formula(v, j, row->formula);
    json_number(j, "step", row->step);
    for (dae_orders_error l = 0; l < DAE_ORDERS_ERRORS; l++)
        put_numbers(v, j, KEYS[l], row->errors[l]);
    put_unsure(v, j, row, "rounding", DAE_WORTH_ROUNDING);
    put_unsure(v, j, row, "doubted", DAE_WORTH_REFERENCE);
    json_integer(j, "steps", row->steps);
    json_integer(j, "residual_evals", row->counts.residual_evals);
    json_integer(j, "factorizations", row->counts.factorizations);
    put_failure(j, row->status, &row->failure);
    json_end_object(j);
}

static void put_rows(const orders_view *v, json *j, const dae_orders_steps *f)
{
    json_begin_array(j, "fixed_step");
    for (size_t o = 0; o < dae_orders_formula_count(f); o++)
        for (size_t s = 0; s < dae_orders_step_count(f); s++)
            put_row(v, j, dae_orders_row_at(f, o, s));
    json_end_array(j);
}

static void put_orders(const orders_view *v, json *j, const char *key,
    const dae_orders_steps *f, size_t formula, dae_orders_error list)
{
    json_begin_object(j, key);
    for (size_t k = 0; k < v->variable_count; k++)
        json_number(j, orders_view_name(v, k),
            dae_orders_observed(f, formula, list, k));
    json_end_object(j);
}

static void put_observed(
    const orders_view *v, json *j, const dae_orders_steps *f)
{
    json_begin_array(j, "observed_order");
    for (size_t o = 0; o < dae_orders_formula_count(f); o++) {
        json_begin_object(j, NULL);
        put_formula(v, j, dae_orders_formula_at(f, o));
        put_orders(v, j, "local", f, o, DAE_ORDERS_ONE_STEP);
        put_orders(v, j, "global", f, o, DAE_ORDERS_END);
        put_orders(v, j, "largest", f, o, DAE_ORDERS_LARGEST);
        put_orders(v, j, "settled", f, o, DAE_ORDERS_SETTLED);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_pattern(json *j, const double *pattern, size_t count)
{
    json_begin_array(j, "pattern");
    for (size_t i = 0; i < count; i++) json_number(j, NULL, pattern[i]);
    json_end_array(j);
}

static void put_unequal(const orders_view *v, json *j)
{
    static const double one_two[] = {1, 2};
    const dae_orders_steps *f = v->unequal;
    if (!f) return;
    json_begin_object(j, "unequal_steps");
    put_pattern(j, one_two, 2);
    put_rows(v, j, f);
    put_observed(v, j, f);
    json_end_object(j);
}

/* ---- wrong starts ---- */

/* {"c1": [error of the first point computed, of the second, ...], ...} */
static void put_early(const orders_view *v, json *j, const dae_orders_row *row)
{
    const size_t n = v->variable_count;
    json_begin_object(j, "errors");
    for (size_t k = 0; k < n; k++) {
        json_begin_array(j, orders_view_name(v, k));
        for (size_t e = 0; e < DAE_ORDERS_EARLY && (int64_t)e < row->steps; e++)
            json_number(j, NULL, row->early[e * n + k]);
        json_end_array(j);
    }
    json_end_object(j);
}

static void put_perturbed(
    const orders_view *v, json *j, const dae_orders_row *row)
{
    const pair_list *given = &v->args->perturbs;
    json_begin_object(j, NULL);
    json_begin_array(j, "perturb");
    for (size_t i = 0; i < given->count; i++)
        json_string(j, NULL, given->items[i].name);
    json_end_array(j);
    json_integer(j, "order", row->formula->order);
    json_number(j, "step", row->step);
    put_early(v, j, row);
    json_end_object(j);
}

static void put_wrong(const orders_view *v, json *j)
{
    const dae_orders_steps *f = v->wrong;
    if (!f) return;
    json_begin_array(j, "perturbed");
    for (size_t o = 0; o < dae_orders_formula_count(f); o++)
        for (size_t s = 0; s < dae_orders_step_count(f); s++)
            put_perturbed(v, j, dae_orders_row_at(f, o, s));
    json_end_array(j);
}

/* ---- tolerances ---- */

static void put_run(const orders_view *v, json *j, const dae_orders_run *row)
{
    json_begin_object(j, NULL);
    json_string(j, "method", row->method);
    json_string(j, "reduce", way_of(v, row->is_unreduced));
    if (row->max_order) json_integer(j, "max_order", row->max_order);
    else json_string(j, "max_order", NULL);
    json_number(j, "rtol", row->rtol);
    json_number(j, "error", row->status ? (double)NAN : row->error);
    json_number(j, "uncertainty", row->uncertainty);
    if (row->is_doubted) json_boolean(j, "doubted", true);
    json_integer(j, "steps", row->stats.steps);
    json_integer(j, "residual_evals", row->stats.residual_evals);
    json_integer(j, "jacobian_evals", row->stats.jacobian_evals);
    json_integer(j, "factorizations", row->stats.factorizations);
    if (!v->args->no_times) json_number(j, "seconds", row->seconds);
    put_failure(j, row->status, &row->failure);
    json_end_object(j);
}

static void put_use(const orders_view *v, json *j)
{
    char text[160];
    if (!v->run_count) return;
    orders_runs_sentence(v, text, sizeof text);
    json_string(j, "adaptive_reference", text);
}

static void put_runs(const orders_view *v, json *j)
{
    put_use(v, j);
    json_begin_array(j, "adaptive");
    for (size_t i = 0; i < v->run_count; i++) put_run(v, j, orders_run(v, i));
    json_end_array(j);
}

/* ---- the rest ---- */

static void put_roles(const orders_view *v, json *j)
{
    json_begin_object(j, "roles");
    for (size_t k = 0; k < v->variable_count; k++)
        json_string(j, orders_view_name(v, k), orders_role(v, k).s);
    json_end_object(j);
}

/* The names of those with closed forms, where others have none. */
static void put_closed(const orders_view *v, json *j)
{
    if (!dae_orders_reference_of_steps(v->orders).is_mixed) return;
    json_begin_array(j, "closed_forms");
    for (size_t k = 0; k < v->variable_count; k++)
        if (orders_variable(v, k)->has_closed_form)
            json_string(j, NULL, orders_view_name(v, k));
    json_end_array(j);
}

/* Members of the document of --json: docs/cli.md has their meaning. */
static void orders_json(const orders_view *v, json *j)
{
    phrase p = {.text = NULL};
    json_number(j, "t_end", dae_run_end(v->session->run));
    json_string(j, "reference", orders_reference_text(v));
    json_string(j, "reference_text", orders_reference_sentence(v));
    put_closed(v, j);
    const bool is_extended = v->fixed
        ? orders_view_is_long(v)
        : dae_orders_reference_of_steps(v->orders).is_long;
    json_string(j, "precision", is_extended ? "extended" : "double");
    put_roles(v, j);
    if (v->pattern_count) put_pattern(j, v->pattern, v->pattern_count);
    put_rows(v, j, v->fixed);
    put_observed(v, j, v->fixed);
    put_unequal(v, j);
    put_wrong(v, j);
    put_runs(v, j);
    orders_tell(v, &p);
    json_string(j, "summary", phrase_text(&p));
}

static void draw_pictures(session *s, const orders_view *v, size_t *curves)
{
    picture p = {0};
    if (s->args->outputs.count == 0 || s->status) return;
    orders_picture_make(v, &p);
    *curves = picture_curve_count(&p);
    picture_files_draw(s, &p);
}

/* ---- the study ---- */

static double tell_time(void *context)
{
    (void)context;
    return console_clock();
}

static dae_status set_all(dae_orders *o, const args *a)
{
    const char *const settings[][2] = {{"study", a->study},
        {"methods", a->methods}, {"orders", a->orders}, {"steps", a->steps},
        {"pattern", a->pattern}, {"tolerances", a->tolerances}};
    dae_status st = DAE_OK;
    dae_orders_call_settings(o, "--");
    dae_orders_on_clock(o, tell_time, NULL);
    for (size_t i = 0; !st && i < sizeof settings / sizeof *settings; i++)
        st = dae_orders_set(o, settings[i][0], settings[i][1]);
    for (size_t i = 0; !st && i < a->perturbs.count; i++)
        st = dae_orders_perturb(
            o, a->perturbs.items[i].name, a->perturbs.items[i].value);
    return st ? st : dae_orders_check(o);
}

/* Its options are judged before the model is looked at. False: they cannot be. */
static bool make_study(session *s, dae_orders **o)
{
    const args *a = s->args;
    s->status = dae_orders_create(&s->limits.allocator, s->messages.own, o);
    if (!s->status) s->status = set_all(*o, a);
    if (!s->status && a->tolerances && !isnan(a->rtol)) {
        messages_add(&s->messages, "E0505",
            "--rtol and --tolerances exclude each other");
        s->status = DAE_ARGUMENT;
    }
    if (s->status != DAE_ARGUMENT) return true;
    const dae_diagnostic *why = dae_diagnostics_at(s->messages.own, 0);
    (void)fprintf(stderr, "dae: %s (see `dae help orders`)\n",
        why ? why->message : "out of memory");
    return false;
}

static dae_status choose_drawn(orders_view *v, const char *list)
{
    session *s = v->session;
    dae_status st = dae_columns_create(s->run, list, "--plot", &v->drawn);
    for (size_t k = 0; !st && k < dae_columns_count(v->drawn); k++) {
        if (dae_columns_at(v->drawn, k).kind == DAE_COLUMN_UNKNOWN) continue;
        messages_add(&s->messages, "E0505",
            "--plot: `%s` is no unknown, whose error is studied",
            dae_columns_name(v->drawn, k));
        st = dae_columns_lost(v->drawn) ? DAE_MEMORY : DAE_ARGUMENT;
    }
    return st;
}

static void study(session *s, orders_view *v, dae_orders *o)
{
    picture_files_expect(s);
    if (!s->status) session_set_up(s);
    if (!s->status) s->status = dae_orders_prepare(o, s->run);
    if (!s->status) session_begin_run(s);
    if (!s->status && s->args->plot) s->status = choose_drawn(v, s->args->plot);
    if (!s->status) s->status = dae_orders_solve(o, s->run);
    v->is_complete = dae_orders_is_complete(o);
    v->is_part = s->status == DAE_INTERRUPTED && s->limits.time_over
        && dae_orders_has_any(o);
    orders_view_fill(v);
}

/* ---- what is said ---- */

static void put_document(session *s, const orders_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_json_head(s, &j);
    if (v->is_complete || v->is_part) orders_json(v, &j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s, const orders_view *v, size_t curves)
{
    const char *title = dae_model_title(s->model);
    (void)printf("%s\n", title && *title ? title : dae_model_name(s->model));
    orders_text(v, stdout);
    if (!s->status) picture_files_tell(s, curves, "curve");
}

exit_status cmd_orders(const args *a)
{
    session s;
    dae_orders *o = NULL;
    size_t curves = 0;
    const bool may_be = session_begin(&s, a) && make_study(&s, &o)
        && picture_files_are_named(a, false, stderr);
    if (!may_be && s.status != DAE_MEMORY) {
        dae_orders_free(o);
        session_close(&s);
        return EXIT_USAGE;
    }
    orders_view v = {.args = a, .session = &s, .orders = o};
    const double before = console_clock();
    if (!s.status && session_load(&s, a->paths.items[0])) study(&s, &v, o);
    draw_pictures(&s, &v, &curves);
    session_explain_stop(&s);
    s.seconds.solve = console_clock() - before;
    s.seconds.has_solve = true;
    if (a->json) put_document(&s, &v);
    else if ((!s.status || v.is_part) && !a->quiet) put_text(&s, &v, curves);
    dae_columns_free(v.drawn);
    dae_orders_free(o);
    return session_end(&s);
}
