#include "orders_fixed.h"
#include "orders_tell.h"
#include "orders_view.h"
#include <dae/names.h>
#include <math.h>

typedef struct writer {
    const orders_view *view;
    json *j;
} writer;

/* {"c1": 0.1, ...}, null where there is no number. */
static void put_numbers(writer *w, const char *key, const double *values)
{
    json_begin_object(w->j, key);
    for (size_t k = 0; k < w->view->variable_count; k++) {
        json_number(w->j, orders_view_name(w->view, k), values[k]);
    }
    json_end_object(w->j);
}

/* ---- fixed steps ---- */

static const char *const KEYS[] = {
    "errors", "errors_first", "errors_max", "errors_settled"};

/* Of each list the unknowns whose errors are not believed, lists without any left
 * out. */
static void put_unsure(
    writer *w, const fixed_row *row, const char *key, error_worth worth)
{
    size_t told = 0;
    for (error_list l = 0; l < ERROR_LISTS; l++) {
        size_t here = 0;
        for (size_t k = 0; k < w->view->variable_count; k++) {
            if (fixed_worth(row, l, k) != worth) continue;
            if (!told++) json_begin_object(w->j, key);
            if (!here++) json_begin_array(w->j, KEYS[l]);
            json_string(w->j, NULL, orders_view_name(w->view, k));
        }
        if (here) json_end_array(w->j);
    }
    if (told) json_end_object(w->j);
}

/* The way of --reduce. */
static const char *way_of(const writer *w, bool is_unreduced)
{
    const char *asked = w->view->args->reduce;
    if (is_unreduced) return "never";
    return asked && !args_choose(asked, "never") ? asked : "auto";
}

static void put_formula(writer *w, const fixed_formula *f)
{
    json_string(w->j, "method", f->method ? f->method : "bdf");
    json_string(w->j, "reduce", way_of(w, f->is_unreduced));
    json_integer(w->j, "order", f->order);
}

/* What made a run fail; nothing where it did not. */
static void put_failure(
    writer *w, dae_status status, const orders_failure *failure)
{
    if (!status) return;
    json_begin_object(w->j, "failure");
    json_string(w->j, "code", failure->code[0] ? failure->code : NULL);
    json_string(w->j, "message", failure->code[0] ? failure->text : NULL);
    json_end_object(w->j);
}

static void put_row(writer *w, const fixed_row *row)
{
    json_begin_object(w->j, NULL);
    put_formula(w, row->formula);
    json_number(w->j, "step", row->step);
    for (error_list l = 0; l < ERROR_LISTS; l++)
        put_numbers(w, KEYS[l], row->errors[l]);
    put_unsure(w, row, "rounding", WORTH_ROUNDING);
    put_unsure(w, row, "doubted", WORTH_REFERENCE);
    json_integer(w->j, "steps", row->steps);
    json_integer(w->j, "residual_evals", row->counts.residual_evals);
    json_integer(w->j, "factorizations", row->counts.factorizations);
    put_failure(w, row->status, &row->failure);
    json_end_object(w->j);
}

static void put_rows(writer *w, const fixed_study *f)
{
    json_begin_array(w->j, "fixed_step");
    for (size_t r = 0; r < f->formula_count * f->step_count; r++)
        put_row(w, &f->rows[r]);
    json_end_array(w->j);
}

static void put_observed(writer *w, const fixed_study *f)
{
    json_begin_array(w->j, "observed_order");
    for (size_t o = 0; o < f->formula_count; o++) {
        const observed_row *row = &f->observed[o];
        json_begin_object(w->j, NULL);
        put_formula(w, row->formula);
        put_numbers(w, "local", row->orders[ERROR_FIRST]);
        put_numbers(w, "global", row->orders[ERROR_END]);
        put_numbers(w, "largest", row->orders[ERROR_LARGEST]);
        put_numbers(w, "settled", row->orders[ERROR_SETTLED]);
        json_end_object(w->j);
    }
    json_end_array(w->j);
}

static void put_pattern(writer *w, const double *pattern, size_t count)
{
    json_begin_array(w->j, "pattern");
    for (size_t i = 0; i < count; i++) json_number(w->j, NULL, pattern[i]);
    json_end_array(w->j);
}

static void put_unequal(writer *w)
{
    static const double one_two[] = {1, 2};
    const fixed_study *f = &w->view->unequal;
    if (!f->rows) return;
    json_begin_object(w->j, "unequal_steps");
    put_pattern(w, one_two, 2);
    put_rows(w, f);
    put_observed(w, f);
    json_end_object(w->j);
}

/* ---- wrong starts ---- */

/* {"c1": [error of the first point computed, of the second, ...], ...} */
static void put_early(writer *w, const fixed_row *row)
{
    const size_t n = w->view->variable_count;
    json_begin_object(w->j, "errors");
    for (size_t k = 0; k < n; k++) {
        json_begin_array(w->j, orders_view_name(w->view, k));
        for (size_t e = 0; e < STUDY_EARLY && (int64_t)e < row->steps; e++)
            json_number(w->j, NULL, row->early[e * n + k]);
        json_end_array(w->j);
    }
    json_end_object(w->j);
}

static void put_wrong(writer *w)
{
    const fixed_study *f = &w->view->wrong;
    const pair_list *given = &w->view->args->perturbs;
    if (!f->rows) return;
    json_begin_array(w->j, "perturbed");
    for (size_t r = 0; r < f->formula_count * f->step_count; r++) {
        const fixed_row *row = &f->rows[r];
        json_begin_object(w->j, NULL);
        json_begin_array(w->j, "perturb");
        for (size_t i = 0; i < given->count; i++)
            json_string(w->j, NULL, given->items[i].name);
        json_end_array(w->j);
        json_integer(w->j, "order", row->formula->order);
        json_number(w->j, "step", row->step);
        put_early(w, row);
        json_end_object(w->j);
    }
    json_end_array(w->j);
}

/* ---- tolerances ---- */

static void put_run(writer *w, const adaptive_row *row)
{
    json_begin_object(w->j, NULL);
    json_string(w->j, "method", row->method);
    json_string(w->j, "reduce", way_of(w, row->is_unreduced));
    if (row->max_order) json_integer(w->j, "max_order", row->max_order);
    else json_string(w->j, "max_order", NULL);
    json_number(w->j, "rtol", row->rtol);
    json_number(w->j, "error", row->status ? (double)NAN : row->error);
    json_number(w->j, "uncertainty", row->uncertainty);
    if (row->is_doubted) json_boolean(w->j, "doubted", true);
    json_integer(w->j, "steps", row->stats.steps);
    json_integer(w->j, "residual_evals", row->stats.residual_evals);
    json_integer(w->j, "jacobian_evals", row->stats.jacobian_evals);
    json_integer(w->j, "factorizations", row->stats.factorizations);
    if (!w->view->args->no_times) json_number(w->j, "seconds", row->seconds);
    put_failure(w, row->status, &row->failure);
    json_end_object(w->j);
}

static void put_use(writer *w)
{
    char text[160];
    if (!w->view->adaptive_count) return;
    reference_use_sentence(
        &w->view->reference, &w->view->adaptive_use, text, sizeof text);
    json_string(w->j, "adaptive_reference", text);
}

static void put_runs(writer *w)
{
    put_use(w);
    json_begin_array(w->j, "adaptive");
    for (size_t i = 0; i < w->view->adaptive_count; i++)
        put_run(w, &w->view->adaptive[i]);
    json_end_array(w->j);
}

/* ---- the rest ---- */

static void put_roles(writer *w)
{
    char text[40];
    json_begin_object(w->j, "roles");
    for (size_t k = 0; k < w->view->variable_count; k++) {
        orders_role_text(&w->view->variables[k].role, text, sizeof text);
        json_string(w->j, orders_view_name(w->view, k), text);
    }
    json_end_object(w->j);
}

/* The names of those with closed forms, where others have none. */
static void put_closed(writer *w)
{
    const reference *r = &w->view->reference;
    if (!reference_is_mixed(r)) return;
    json_begin_array(w->j, "closed_forms");
    for (size_t k = 0; k < w->view->variable_count; k++)
        if (r->is_held[w->view->variables[k].at])
            json_string(w->j, NULL, orders_view_name(w->view, k));
    json_end_array(w->j);
}

void orders_json(const orders_view *v, json *j)
{
    writer w = {.view = v, .j = j};
    phrase p = {.text = NULL};
    json_number(w.j, "t_end", dae_run_end(v->session->run));
    json_string(w.j, "reference", reference_text(&v->reference));
    json_string(w.j, "reference_text", reference_sentence(&v->reference));
    put_closed(&w);
    const bool is_extended = v->fixed.rows ? orders_view_is_long(v)
                                           : v->reference.is_long;
    json_string(w.j, "precision", is_extended ? "extended" : "double");
    put_roles(&w);
    if (v->plan.pattern_count)
        put_pattern(&w, v->plan.pattern, v->plan.pattern_count);
    put_rows(&w, &v->fixed);
    put_observed(&w, &v->fixed);
    put_unequal(&w);
    put_wrong(&w);
    put_runs(&w);
    orders_tell(v, &p);
    json_string(w.j, "summary", phrase_text(&p));
}
