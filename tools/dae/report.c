#include "report.h"
#include "names.h"
#include "number.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_of(const run *r, size_t j, int order)
{
    return dae_model_unknown_value(r->model, j, order, r->x, r->xp);
}

/* ---- text ---- */

static void print_summary(const run *r, size_t count, FILE *file)
{
    name_buffer low_name = {0}, high_name = {0};
    size_t low = r->unknown_at[0], high = low;
    double sum = 0;
    for (size_t p = 0; p < count; p++) {
        const size_t j = r->unknown_at[p];
        double v = value_of(r, j, 0);
        if (v < value_of(r, low, 0)) low = j;
        if (v > value_of(r, high, 0)) high = j;
        sum += v / (double)count;
    }
    (void)fprintf(file,
        "  %zu unknowns: least %.10g (%s), greatest %.10g (%s), mean %.10g\n",
        count, number_plain(value_of(r, low, 0)),
        name_unknown(r->model, low, &low_name),
        number_plain(value_of(r, high, 0)),
        name_unknown(r->model, high, &high_name), number_plain(sum));
    bool is_named = name_done(&low_name);
    if (!name_done(&high_name) || !is_named) messages_lose(r->messages);
}

static void print_unknowns(const run *r, size_t count, FILE *file)
{
    table t = table_of(3);
    name_buffer name = {0};
    for (size_t p = 0; p < count; p++) {
        const size_t j = r->unknown_at[p];
        table_add(&t, name_unknown(r->model, j, &name));
        table_number(&t, value_of(r, j, 0));
        table_add(&t, dae_model_unknown_unit(r->model, j));
    }
    bool is_shown = table_print(&t, file);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
}

static void print_discretes(const run *r, FILE *file)
{
    table t = table_of(3);
    name_buffer name = {0};
    const size_t count = r->discrete_count;
    for (size_t p = 0; p < count && p < REPORT_MOST_VALUES; p++) {
        const size_t d = r->discrete_at[p];
        table_add(&t, name_of(&r->problem, DAE_NAME_DISCRETE, d, &name));
        table_number(&t, r->discretes[d]);
        table_add(&t, dae_model_discrete_unit(r->model, d));
    }
    if (count) (void)fputc('\n', file);
    bool is_shown = table_print(&t, file);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
    if (count > REPORT_MOST_VALUES) (void)fputs("  ...\n", file);
}

static void print_outputs(const run *r, FILE *file)
{
    table t = table_of(2);
    name_buffer name = {0};
    size_t shown = 0;
    for (size_t k = 0; k < r->observation_count; k++) {
        if (!name_is_output(r->model, k)) continue;
        if (shown++ == REPORT_MOST_VALUES) break;
        table_add(&t, name_observation(r->model, k, &name));
        table_number(&t, r->observed[k]);
    }
    if (shown) (void)fputc('\n', file);
    bool is_shown = table_print(&t, file);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
    if (shown > REPORT_MOST_VALUES) (void)fputs("  ...\n", file);
}

void report_values(const run *r, FILE *file)
{
    size_t count = dae_model_unknown_count(r->model);
    if (count > REPORT_MOST_VALUES) print_summary(r, count, file);
    else print_unknowns(r, count, file);
    print_discretes(r, file);
    print_outputs(r, file);
}

void report_cost(const run *r, double total, FILE *file)
{
    const dae_stats *s = dae_solver_stats(r->solver);
    (void)fprintf(file,
        "%lld step%s (%lld rejected), %lld residual%s, %lld Jacobian%s, "
        "%lld factorization%s",
        (long long)s->steps, number_plural(s->steps),
        (long long)s->rejected_steps, (long long)s->residual_evals,
        number_plural(s->residual_evals), (long long)s->jacobian_evals,
        number_plural(s->jacobian_evals), (long long)s->factorizations,
        number_plural(s->factorizations));
    if (s->events)
        (void)fprintf(file, ", %lld event%s, %lld restart%s",
            (long long)s->events, number_plural(s->events),
            (long long)s->restarts, number_plural(s->restarts));
    if (!r->args->no_times) (void)fprintf(file, ", %.3g s", total);
    (void)fputc('\n', file);
}

static void add_count(table *t, const char *name, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    table_add(t, name);
    table_add(t, text);
}

static void add_orders(table *t, const dae_stats *s)
{
    char name[32];
    for (int k = 1; k <= s->max_order; k++) {
        if (k > 6 && s->steps_at_order[k] == 0) continue;
        (void)snprintf(name, sizeof name, "steps of order %d", k);
        add_count(t, name, s->steps_at_order[k]);
    }
}

/* Where it is another one than that of what is factorized. */
static void add_whole_fill(table *t, const dae_stats *s)
{
    if (s->columns != s->condensed && s->whole_fill >= 0)
        add_count(t, "entries of its L + U, about", s->whole_fill);
}

void report_stats(const run *r, FILE *file)
{
    const dae_stats *s = dae_solver_stats(r->solver);
    table t = table_of(2);
    t.align_right[1] = true;
    add_count(&t, "steps", s->steps);
    add_count(&t, "rejected steps", s->rejected_steps);
    add_orders(&t, s);
    add_count(&t, "residual evaluations", s->residual_evals);
    add_count(&t, "Jacobian evaluations", s->jacobian_evals);
    add_count(&t, "factorizations", s->factorizations);
    add_count(&t, "Newton iterations", s->newton_iterations);
    add_count(&t, "error test failures", s->error_test_failures);
    add_count(&t, "convergence failures", s->convergence_failures);
    add_count(&t, "failures by values not finite", s->nonfinite_failures);
    add_count(&t, "events", s->events);
    add_count(&t, "restarts", s->restarts);
    add_count(&t, "changes of states", s->state_changes);
    table_add(&t, "last step");
    table_number(&t, s->last_step);
    table_add(&t, "method"), table_add(&t, s->method ? s->method : "");
    if (s->method_reason)
        table_add(&t, "chosen by auto"), table_add(&t, s->method_reason);
    table_add(&t, "linear solver"), table_add(&t, s->linear ? s->linear : "");
    add_count(&t, "states", s->unknowns);
    add_count(&t, "columns of the matrix", s->columns);
    add_count(&t, "its entries", s->nonzeros);
    add_whole_fill(&t, s);
    add_count(&t, "columns factorized", s->condensed);
    add_count(&t, "their entries", s->condensed_nonzeros);
    add_count(&t, "entries of L + U", s->fill);
    if (!table_print(&t, file)) messages_lose(r->messages);
}

/* States named in a line for people. */
enum { STATES_NAMED = 8 };

static void print_states(const run *r, size_t count, FILE *file)
{
    char text[200];
    for (size_t k = 0; k < count && k < STATES_NAMED; k++) {
        (void)dae_solver_state_name(r->solver, k, text, sizeof text);
        (void)fprintf(file, "%s%s", k > 0 ? ", " : " ", text);
    }
    if (count == 0) (void)fputs(" none", file);
    if (count > STATES_NAMED)
        (void)fprintf(file, " and %zu more", count - STATES_NAMED);
    (void)fputc('\n', file);
}

void report_reduction(const run *r, FILE *file)
{
    const dae_reduction_report t = dae_solver_reduction(r->solver);
    const long long constraints = (long long)t.constraints;
    if (t.index < 2) return;
    (void)fprintf(file, "index %lld, ", (long long)t.index);
    if (strcmp(t.method, "none") == 0) {
        (void)fputs("integrated as it stands\n", file);
        return;
    }
    if (strcmp(t.method, "projection") == 0)
        (void)fprintf(file, "projected on %lld constraint%s after each step",
            constraints, number_plural(constraints));
    else if (strcmp(t.method, "stabilization") == 0)
        (void)fprintf(file, "stabilized by %lld multiplier%s", constraints,
            number_plural(constraints));
    else (void)fputs("reduced by dummy derivatives", file);
    (void)fputs(t.state_count == 1 ? ": state" : ": states", file);
    print_states(r, t.state_count, file);
}

/* ---- JSON ---- */

void report_json_reduction(const run *r, json *j)
{
    char text[400];
    const dae_reduction_report t = dae_solver_reduction(r->solver);
    if (t.index < 2) return;
    json_key(j, "reduction");
    json_begin_object(j);
    json_key(j, "index"), json_integer(j, t.index);
    json_key(j, "method"), json_string(j, t.method);
    json_key(j, "states");
    json_begin_array(j);
    for (size_t k = 0; k < t.state_count; k++) {
        (void)dae_solver_state_name(r->solver, k, text, sizeof text);
        json_string(j, text);
    }
    json_end_array(j);
    if (t.constraints > 0)
        json_key(j, "constraints"), json_integer(j, t.constraints);
    json_end_object(j);
}

void report_json_values(const run *r, json *j)
{
    name_buffer name = {0};
    size_t count = dae_model_unknown_count(r->model);
    json_key(j, "values");
    json_begin_object(j);
    for (size_t p = 0; p < count; p++) {
        const size_t i = r->unknown_at[p];
        json_key(j, name_unknown(r->model, i, &name));
        json_number(j, value_of(r, i, 0));
    }
    for (size_t p = 0; p < r->discrete_count; p++) {
        const size_t d = r->discrete_at[p];
        json_key(j, name_of(&r->problem, DAE_NAME_DISCRETE, d, &name));
        json_number(j, r->discretes[d]);
    }
    json_end_object(j);
    json_key(j, "derivatives");
    json_begin_object(j);
    for (size_t p = 0; p < count; p++) {
        const size_t i = r->unknown_at[p];
        for (int k = 1; k <= dae_model_unknown_order(r->model, i); k++) {
            json_key(j, name_derivative(r->model, i, k, &name));
            json_number(j, value_of(r, i, k));
        }
    }
    json_end_object(j);
    if (!name_done(&name)) messages_lose(r->messages);
}

void report_json_outputs(const run *r, json *j)
{
    name_buffer name = {0};
    json_key(j, "outputs");
    json_begin_object(j);
    for (size_t k = 0; k < r->observation_count; k++) {
        if (!name_is_output(r->model, k)) continue;
        json_key(j, name_observation(r->model, k, &name));
        json_number(j, r->observed[k]);
    }
    json_end_object(j);
    if (!name_done(&name)) messages_lose(r->messages);
}

static void put_count(json *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_integer(j, value);
}

void report_json_stats(const run *r, json *j)
{
    const dae_stats *s = dae_solver_stats(r->solver);
    json_key(j, "stats");
    json_begin_object(j);
    put_count(j, "steps", s->steps);
    put_count(j, "rejected_steps", s->rejected_steps);
    put_count(j, "residual_evals", s->residual_evals);
    put_count(j, "jacobian_evals", s->jacobian_evals);
    put_count(j, "factorizations", s->factorizations);
    put_count(j, "newton_iterations", s->newton_iterations);
    put_count(j, "error_test_failures", s->error_test_failures);
    put_count(j, "convergence_failures", s->convergence_failures);
    put_count(j, "events", s->events);
    put_count(j, "restarts", s->restarts);
    put_count(j, "state_changes", s->state_changes);
    put_count(j, "max_order", s->max_order);
    json_key(j, "last_step"), json_number(j, s->last_step);
    json_key(j, "method"), json_string(j, s->method);
    if (s->method_reason)
        json_key(j, "method_reason"), json_string(j, s->method_reason);
    json_key(j, "linear"), json_string(j, s->linear);
    put_count(j, "unknowns", s->unknowns);
    put_count(j, "columns", s->columns);
    put_count(j, "nonzeros", s->nonzeros);
    put_count(j, "whole_fill", s->whole_fill);
    put_count(j, "condensed", s->condensed);
    put_count(j, "condensed_nonzeros", s->condensed_nonzeros);
    put_count(j, "fill", s->fill);
    json_end_object(j);
}

static void put_seconds(json *j, const char *key, double value)
{
    json_key(j, key);
    /* microseconds: what lies below is noise */
    json_number(j, round(value * 1e6) / 1e6);
}

void report_json_seconds(const run_seconds *s, json *j)
{
    json_key(j, "seconds");
    json_begin_object(j);
    put_seconds(j, "compile", s->compile);
    put_seconds(j, "analyse", s->analyse);
    put_seconds(j, "initialize", s->initialize);
    if (s->has_solve) put_seconds(j, "solve", s->solve);
    put_seconds(j, "total",
        s->compile + s->analyse + s->initialize
            + (s->has_solve ? s->solve : 0));
    json_end_object(j);
}
