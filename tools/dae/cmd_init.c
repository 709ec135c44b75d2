/* dae init: consistent initial values and derivatives. */
#include "changes.h"
#include "check.h"
#include "command.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include "report.h"
#include <dae/names.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Residuals told to people: of more rows the largest ones. */
enum { RESIDUALS_SHOWN = 40, LARGEST_SHOWN = 5 };

/* The start as it is shown. */
typedef struct start_view {
    const dae_run *run;
    dae_found_start *start; /* NULL: there is none */
    const messages *messages;
} start_view;

/* A row that the user knows; its name is appended to `name`. */
static bool find_row(
    const start_view *v, size_t k, double *residual, phrase *name)
{
    const check names = {.model = dae_run_model(v->run)};
    dae_found_row row = {.is_of_text = 0};
    (void)memory_sufficed(dae_found_row_at(v->start, k, &row));
    *residual = row.residual;
    if (row.is_of_text && name) {
        phrase_put(name, check_party_name(&names, &row.party));
        check_put_party_text(&names, &row.party, name);
    }
    return row.is_of_text;
}

/* ---- JSON -------------------------------------------------------------------- */

/* Derivatives; or all guesses that there are. */
static void put_members(const start_view *v, bool are_guesses, json *j)
{
    const dae_run *r = v->run;
    const dae_model *model = dae_run_model(r);
    json_begin_object(j, are_guesses ? "guesses" : "derivatives");
    for (size_t p = 0; p < dae_model_unknown_count(model); p++) {
        const size_t i = dae_run_unknown_at(r, p);
        for (int k = !are_guesses; k <= dae_found_order(v->start, i); k++) {
            const double value = are_guesses ? dae_found_guess(v->start, i, k)
                                             : dae_found_value(v->start, i, k);
            if (!are_guesses || !isnan(value))
                json_number(
                    j, dae_name_derivative(model, i, k, memory_name()), value);
        }
    }
    json_end_object(j);
}

static bool look(const start_view *v, changes *c)
{
    const dae_run *r = v->run;
    return memory_sufficed(changes_init(
        c, dae_run_model(r), dae_run_begin(r), dae_run_x(r), dae_run_xp(r)));
}

static void put_changes_json(const start_view *v, json *j)
{
    changes c;
    if (look(v, &c)) changes_json(&c, j);
}

static void put_residuals(const start_view *v, json *j)
{
    phrase name = {0};
    json_begin_object(j, "residuals");
    for (size_t i = 0; i < dae_found_row_count(v->start); i++) {
        double left;
        phrase_empty(&name);
        if (find_row(v, i, &left, &name))
            json_number(j, phrase_text(&name), left);
    }
    json_end_object(j);
}

static void put_start(session *s, const start_view *v, json *j)
{
    const dae_run *r = s->run;
    const dae_start_report *report = dae_solver_start_report(dae_run_solver(r));
    json_number(j, "t", dae_run_begin(r));
    report_json_values(s, j);
    put_members(v, false, j);
    report_json_outputs(s, j);
    put_changes_json(v, j);
    put_members(v, true, j);
    put_residuals(v, j);
    json_integer(j, "missing", report->degrees_missing);
    json_number(j, "residual", report->residual);
}

static void put_document(session *s, const start_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_json_head(s, &j);
    if (v->start && !session_is_late(s)) put_start(s, v, &j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

/* ---- as lines of a model ------------------------------------------------------ */

/* Conditions are there already, and so are guesses that a line of `init` makes,
 * of which there may be one; what is missing for this start to be the only one
 * is given, everything else is a guess. */
static void put_line(const start_view *v, size_t j, int order, const char *name)
{
    char number[NUMBER_SIZE];
    const unsigned kind = dae_found_kind(v->start, j, order);
    const bool is_condition = kind & DAE_FOUND_CONDITION;
    const bool is_given = kind & (DAE_FOUND_CONDITION | DAE_FOUND_MISSING);
    const bool is_guessed = !is_given && kind & DAE_FOUND_GUESSED;
    (void)printf("%s%s %s %s%s\n", is_condition || is_guessed ? "# " : "init ",
        name, is_given || is_guessed ? "=" : "~",
        number_exact(dae_found_value(v->start, j, order), number),
        is_condition     ? " is a condition"
            : is_guessed ? " is guessed above"
                         : "");
}

static void put_dae(const start_view *v)
{
    const dae_run *r = v->run;
    char number[NUMBER_SIZE];
    (void)printf(
        "# consistent at t = %s\n", number_exact(dae_run_begin(r), number));
    for (size_t p = 0; p < dae_model_unknown_count(dae_run_model(r)); p++) {
        const size_t j = dae_run_unknown_at(r, p);
        for (int k = 0; k <= dae_model_unknown_order(dae_run_model(r), j); k++)
            put_line(v, j, k,
                dae_name_derivative(dae_run_model(r), j, k, memory_name()));
    }
}

/* ---- text -------------------------------------------------------------------- */

static void put_values(const start_view *v)
{
    const dae_run *r = v->run;
    table t = table_of("llll");
    char text[NUMBER_SIZE + 16];
    for (size_t p = 0; p < dae_model_unknown_count(dae_run_model(r)); p++) {
        const size_t j = dae_run_unknown_at(r, p);
        for (int k = 0; k <= dae_found_order(v->start, j); k++) {
            const double guess = dae_found_guess(v->start, j, k);
            text[0] = '\0';
            if (dae_found_kind(v->start, j, k) & DAE_FOUND_CONDITION)
                (void)snprintf(text, sizeof text, "condition");
            else if (!isnan(guess))
                (void)snprintf(
                    text, sizeof text, "guess %.10g", number_plain(guess));
            table_add(
                &t, dae_name_derivative(dae_run_model(r), j, k, memory_name()));
            table_number(&t, dae_found_value(v->start, j, k));
            TABLE_ADD(
                &t, k ? "" : dae_model_unknown_unit(dae_run_model(r), j), text);
        }
    }
    const char *title = dae_model_title(dae_run_model(r));
    (void)printf("%s\nconsistent %s at t = %.10g\n\n",
        *title ? title : dae_model_name(dae_run_model(r)),
        messages_have(v->messages, "W0306") ? "values at a singular start"
                                            : "start",
        dae_run_begin(r));
    table_print(&t, stdout);
}

static void put_changes(const start_view *v)
{
    changes c;
    if (!changes_any(dae_run_problem(v->run))) return;
    (void)putchar('\n');
    if (look(v, &c)) changes_print(&c, 12, false, stdout);
}

/* The next largest residual below `before`, or equal and behind `row`. */
static size_t next_largest(const start_view *v, double before, size_t after)
{
    size_t best = SIZE_MAX;
    double most = -1, left;
    for (size_t i = 0; i < dae_found_row_count(v->start); i++) {
        if (!find_row(v, i, &left, NULL)) continue;
        left = fabs(left);
        const bool is_later = left < before
            || (after != SIZE_MAX && !(left > before) && i > after);
        if (!is_later || !(left > most)) continue;
        most = left;
        best = i;
    }
    return best;
}

static double add_row(const start_view *v, size_t row, table *t)
{
    phrase name = {0};
    double left;
    if (!find_row(v, row, &left, &name)) return left;
    table_add(t, phrase_text(&name));
    table_addf(t, "%.3g", number_plain(left));
    return fabs(left);
}

static void put_left(const start_view *v)
{
    table t = table_of("ll");
    const size_t rows = dae_found_row_count(v->start);
    size_t count = 0, row = SIZE_MAX;
    double left, before = HUGE_VAL;
    for (size_t i = 0; i < rows; i++) count += find_row(v, i, &left, NULL);
    const bool has_all = count <= RESIDUALS_SHOWN;
    (void)printf("\n%sresiduals\n\n", has_all ? "" : "largest ");
    for (size_t i = 0; i < rows && has_all; i++) (void)add_row(v, i, &t);
    for (int k = 0; k < LARGEST_SHOWN && !has_all; k++) {
        row = next_largest(v, before, row);
        if (row == SIZE_MAX) break;
        before = add_row(v, row, &t);
    }
    table_print(&t, stdout);
}

static void put_text(const session *s, const start_view *v)
{
    if (s->args->as_dae) {
        put_dae(v);
        return;
    }
    put_values(v);
    put_changes(v);
    put_left(v);
}

exit_status cmd_init(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) session_start(&s);
    start_view v = {.run = s.run, .messages = &s.messages};
    if (dae_run_has_start(s.run)) {
        const dae_status st = dae_found_start_create(
            s.run, a->as_dae, &s.limits.allocator, &v.start);
        if (st && !s.status) s.status = st;
    }
    session_explain_stop(&s);
    if (a->json) put_document(&s, &v);
    else if (v.start && !a->quiet) put_text(&s, &v);
    dae_found_start_free(v.start);
    return session_end(&s);
}
