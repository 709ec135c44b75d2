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

/* What is listed, in the order of the text. */
typedef enum listed {
    LISTED_UNKNOWNS,
    LISTED_DISCRETES,
    LISTED_OUTPUTS
} listed;

static size_t listed_count(const run *r, listed of)
{
    switch (of) {
    case LISTED_UNKNOWNS: return dae_model_unknown_count(r->model);
    case LISTED_DISCRETES: return r->discrete_count;
    default: return r->observation_count;
    }
}

/* NULL: the k-th is none of them. */
static const char *listed_name(
    const run *r, listed of, size_t k, name_buffer *b)
{
    switch (of) {
    case LISTED_UNKNOWNS: return name_unknown(r->model, r->unknown_at[k], b);
    case LISTED_DISCRETES:
        return name_of(&r->problem, DAE_NAME_DISCRETE, r->discrete_at[k], b);
    default:
        if (!name_is_output(r->model, k)) return NULL;
        return name_observation(r->model, k, b);
    }
}

static double listed_value(const run *r, listed of, size_t k)
{
    switch (of) {
    case LISTED_UNKNOWNS: return value_of(r, r->unknown_at[k], 0);
    case LISTED_DISCRETES: return r->discretes[r->discrete_at[k]];
    default: return r->observed[k];
    }
}

static const char *listed_unit(const run *r, listed of, size_t k)
{
    switch (of) {
    case LISTED_UNKNOWNS:
        return dae_model_unknown_unit(r->model, r->unknown_at[k]);
    case LISTED_DISCRETES:
        return dae_model_discrete_unit(r->model, r->discrete_at[k]);
    default: return "";
    }
}

static void add_value(
    const run *r, listed of, size_t k, const char *what, table *t)
{
    name_buffer name = {0};
    table_add(t, listed_name(r, of, k, &name));
    table_number(t, listed_value(r, of, k));
    table_add(t, listed_unit(r, of, k));
    table_add(t, what);
    if (!name_done(&name)) t->failed = true;
}

/* The elements of one array follow each other: behind the last one of that of `k`. */
static size_t end_of_array(const run *r, listed of, size_t k)
{
    name_buffer first = {0}, other = {0};
    const char *name = listed_name(r, of, k, &first);
    const size_t length = strcspn(name, "["), count = listed_count(r, of);
    size_t end = k + 1;
    for (; name[length] && end < count; end++) {
        const char *next = listed_name(r, of, end, &other);
        if (!next || strncmp(next, name, length + 1) != 0) break;
    }
    (void)name_done(&first);
    (void)name_done(&other);
    return end;
}

static void add_extremes(
    const run *r, listed of, size_t first, size_t end, table *t)
{
    char text[48];
    size_t low = first, high = first;
    for (size_t k = first; k < end; k++) {
        if (listed_value(r, of, k) < listed_value(r, of, low)) low = k;
        if (listed_value(r, of, k) > listed_value(r, of, high)) high = k;
    }
    (void)snprintf(text, sizeof text, "first of %zu", end - first);
    add_value(r, of, first, text, t);
    add_value(r, of, end - 1, "last", t);
    add_value(r, of, low, "smallest", t);
    add_value(r, of, high, "largest", t);
}

static void print_list(const run *r, listed of, FILE *file)
{
    enum { ARRAY_SHOWN = 20 };
    table t = table_of(4);
    name_buffer name = {0};
    const size_t count = listed_count(r, of);
    const size_t most = r->args->all_values ? SIZE_MAX : REPORT_MOST_VALUES;
    size_t rows = 0;
    for (size_t k = 0, end; k < count && rows <= most; k = end) {
        end = k + 1;
        if (!listed_name(r, of, k, &name)) continue;
        if (!r->args->all_values) end = end_of_array(r, of, k);
        const bool is_long = end - k > ARRAY_SHOWN;
        if (is_long) add_extremes(r, of, k, end, &t);
        for (size_t i = k; i < end && !is_long && rows + i - k < most; i++)
            add_value(r, of, i, "", &t);
        rows += is_long ? 4 : end - k;
    }
    if (rows && of != LISTED_UNKNOWNS) (void)fputc('\n', file);
    const bool is_shown = table_print(&t, file);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
    if (rows > most) (void)fputs("  ...\n", file);
}

void report_values(const run *r, FILE *file)
{
    const size_t count = dae_model_unknown_count(r->model);
    if (count > REPORT_MOST_VALUES && !r->args->all_values)
        print_summary(r, count, file);
    else print_list(r, LISTED_UNKNOWNS, file);
    print_list(r, LISTED_DISCRETES, file);
    print_list(r, LISTED_OUTPUTS, file);
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
    if (s->linear_iterations > 0 || s->linear_fallbacks > 0) {
        add_count(&t, "linear iterations", s->linear_iterations);
        add_count(&t, "returns to a direct solver", s->linear_fallbacks);
    }
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
    put_count(j, "linear_iterations", s->linear_iterations);
    put_count(j, "linear_fallbacks", s->linear_fallbacks);
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
