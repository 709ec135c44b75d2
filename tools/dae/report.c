#include "report.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include <dae/names.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above this many unknowns people get a summary of the final values. */
enum { REPORT_MOST_VALUES = 10000 };

/* Of a long list people see the first and the last, of many changes the first
 * ones. */
enum { SHOWN_FIRST = 100, SHOWN_LAST = 20, CHANGES_SHOWN = 6 };

static const char *name_change(const dae_run *r, const dae_change *c)
{
    dae_name_buffer *b = memory_name();
    const dae_problem *p = dae_run_problem(r);
    if (c->kind == DAE_CHANGE_DISCRETE)
        return dae_name_of(p, DAE_NAME_DISCRETE, c->index, b);
    if (c->kind == DAE_CHANGE_SWITCH)
        return dae_name_of(p, DAE_NAME_SWITCH, c->index, b);
    return dae_name_derivative(dae_run_model(r), c->index, c->order, b);
}

static const char *name_entry(const dae_run *r, const dae_occurrence *e)
{
    return dae_name_of(dae_run_problem(r),
        e->is_when ? DAE_NAME_WHEN : DAE_NAME_SWITCH, e->index, memory_name());
}

static size_t change_count(const dae_occurrence *e)
{
    return (size_t)e->own_count + e->shared_count;
}

/* ---- events as text ---- */

/* Enough digits to tell the two sides apart, and the difference by some. */
static void put_sides(const dae_change *c, phrase *to)
{
    enum { LEAST = 6, MORE = 2, MOST = 17 };
    const double before = number_plain(c->before);
    const double after = number_plain(c->after);
    int digits = number_digits_apart(before, after, LEAST, MOST - MORE);
    if (digits == 0) digits = MOST;
    else if (digits > LEAST) digits += MORE;
    phrase_add(to, "%.*g -> %.*g", digits, before, digits, after);
}

/* More than rounding. */
static bool is_news(const dae_change *c)
{
    static const double UNITS = 64;
    const double size = fmax(fabs(c->before), fabs(c->after));
    if (isnan(c->before) || isnan(c->after))
        return isnan(c->before) != isnan(c->after);
    if (isinf(size)) return c->before < c->after || c->before > c->after;
    return fabs(c->after - c->before) > UNITS * DBL_EPSILON * size;
}

/* "v -4.43 -> 3.54", "n stays 1". A switch is named by its own entry. */
static void put_change(
    const dae_run *r, bool is_when, const dae_change *c, phrase *to)
{
    const bool is_switch = c->kind == DAE_CHANGE_SWITCH && !is_when;
    if (is_switch && !is_news(c)) {
        phrase_add(to, "turns, and back to %.6g", number_plain(c->after));
        return;
    }
    if (!is_switch) {
        phrase_put(to, name_change(r, c));
        phrase_put(to, " ");
    }
    if (is_news(c)) put_sides(c, to);
    else phrase_add(to, "stays %.6g", number_plain(c->after));
}

/* What else a when does: "prints "low", stops, fires twice". */
static void put_deeds(const dae_run *r, const dae_occurrence *e, phrase *to)
{
    const dae_when *whens = dae_run_problem(r)->events->whens;
    const dae_when *w = e->is_when ? &whens[e->index] : NULL;
    for (size_t k = 0; w && k < w->print_count; k++)
        phrase_add(to, "%sprints \"%s\"", to->length ? ", " : "", w->prints[k]);
    if (w && w->stop) phrase_add(to, "%sstops", to->length ? ", " : "");
    if (w && w->stop && w->stop[0]) phrase_add(to, " \"%s\"", w->stop);
    if (!to->length) phrase_put(to, "nothing changes");
    if (e->times == 2) phrase_put(to, "; fires twice");
    if (e->times > 2)
        phrase_add(to, "; fires %s%u times", e->times == 255 ? "at least " : "",
            (unsigned)e->times);
}

/* "v -4.43 -> 3.54, n 0 -> 1". */
static void put_changes(const dae_run *r, size_t at, phrase *to)
{
    const dae_occurrence *e = dae_run_event_at(r, at);
    const size_t count = change_count(e);
    const size_t shown = count > CHANGES_SHOWN + 1 ? CHANGES_SHOWN : count;
    for (size_t k = 0; k < shown; k++) {
        if (k) phrase_put(to, ", ");
        put_change(r, e->is_when, dae_run_change_at(r, at, k), to);
    }
    if (shown < count) phrase_add(to, " and %zu more", count - shown);
    put_deeds(r, e, to);
}

static void add_entry(const dae_run *r, size_t at, table *t)
{
    const dae_occurrence *e = dae_run_event_at(r, at);
    phrase changes = {0};
    table_addf(t, "%.12g", number_plain(e->t));
    table_add(t, name_entry(r, e));
    put_changes(r, at, &changes);
    table_add(t, phrase_text(&changes));
}

static void print_part(const dae_run *r, size_t first, size_t end, FILE *file)
{
    table t = table_of("lll");
    for (size_t k = first; k < end; k++) add_entry(r, k, &t);
    table_print(&t, file);
}

void event_report_print(const dae_run *r, FILE *file)
{
    const size_t kept = dae_run_event_count(r);
    const int64_t left_out = dae_run_events_left_out(r);
    const long long count = (long long)kept + left_out;
    if (count == 0) {
        (void)fputs("\nno events\n", file);
        return;
    }
    (void)fprintf(file, "\n%lld event%s\n\n", count, NUMBER_PLURAL(count));
    const bool has_all = !left_out && kept <= (size_t)SHOWN_FIRST + SHOWN_LAST;
    const size_t first = has_all || kept < SHOWN_FIRST ? kept : SHOWN_FIRST;
    print_part(r, 0, first, file);
    if (has_all) return;
    const size_t last = kept - first < SHOWN_LAST || left_out ? 0 : SHOWN_LAST;
    (void)fprintf(file, "  ... %lld more%s\n",
        count - (long long)first - (long long)last, last ? " ..." : "");
    if (last) print_part(r, kept - last, kept, file);
}

/* ---- events in the document ---- */

static void put_side(const dae_run *r, size_t at, bool is_after, json *j)
{
    const dae_occurrence *e = dae_run_event_at(r, at);
    json_begin_object(j, is_after ? "after" : "before");
    for (size_t k = 0; k < change_count(e); k++) {
        const dae_change *c = dae_run_change_at(r, at, k);
        json_number(j, name_change(r, c), is_after ? c->after : c->before);
    }
    json_end_object(j);
}

static void put_entry(const dae_run *r, size_t at, json *j)
{
    const dae_occurrence *e = dae_run_event_at(r, at);
    json_begin_object(j, NULL);
    json_number(j, "t", e->t);
    json_string(j, "label", name_entry(r, e));
    json_string(j, "kind", e->is_when ? "when" : "switch");
    put_side(r, at, false, j);
    put_side(r, at, true, j);
    if (e->times > 1) json_integer(j, "times", e->times);
    json_end_object(j);
}

void event_report_json(const dae_run *r, json *j)
{
    json_begin_array(j, "events");
    for (size_t k = 0; k < dae_run_event_count(r); k++) put_entry(r, k, j);
    json_end_array(j);
    const int64_t left_out = dae_run_events_left_out(r);
    if (left_out) json_integer(j, "events_left_out", left_out);
}

/* Some name may not have been told. */
static void drop_columns(dae_columns *c)
{
    if (dae_columns_lost(c)) (void)memory_sufficed(DAE_MEMORY);
    dae_columns_free(c);
}

/* ---- values as text ---- */

/* What a run has values of, in the order of the text, at one point. */
typedef struct listing {
    const dae_model *model;
    dae_columns *columns;
    dae_point point;
    bool is_full; /* whatever the size */
} listing;

static dae_column_kind kind_of(const listing *l, size_t k)
{
    return dae_columns_at(l->columns, k).kind;
}

static double listed_value(const listing *l, size_t k)
{
    return dae_point_value(l->model, dae_columns_at(l->columns, k), &l->point);
}

/* Of those from `first` to `end` the least and the greatest, and the mean. */
static double find_extremes(
    const listing *l, size_t first, size_t end, size_t *low, size_t *high)
{
    double mean = 0;
    *low = *high = first;
    for (size_t k = first; k < end; k++) {
        const double v = listed_value(l, k);
        if (v < listed_value(l, *low)) *low = k;
        if (v > listed_value(l, *high)) *high = k;
        mean += v / (double)(end - first);
    }
    return mean;
}

static void print_summary(const listing *l, size_t count, FILE *file)
{
    size_t low, high;
    const double mean = find_extremes(l, 0, count, &low, &high);
    (void)fprintf(file, "  %zu unknowns: least %.10g (%s)", count,
        number_plain(listed_value(l, low)), dae_columns_name(l->columns, low));
    (void)fprintf(file, ", greatest %.10g (%s), mean %.10g\n",
        number_plain(listed_value(l, high)), dae_columns_name(l->columns, high),
        number_plain(mean));
}

static void add_value(const listing *l, size_t k, const char *what, table *t)
{
    const bool has_unit = kind_of(l, k) != DAE_COLUMN_OBSERVED;
    table_add(t, dae_columns_name(l->columns, k));
    table_number(t, listed_value(l, k));
    TABLE_ADD(t, has_unit ? dae_columns_unit(l->columns, k) : "", what);
}

/* The elements of one array follow each other: behind the last one of that of `k`, in steps
 * that double until one passes it. */
static size_t end_of_array(const listing *l, size_t k, size_t end)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s", dae_columns_name(l->columns, k));
    const size_t length = strcspn(name, "[");
    for (size_t step = name[length] ? 1 : 0; step > 0;) {
        const bool is_element = step < end - k
            && strncmp(dae_columns_name(l->columns, k + step), name, length + 1)
                == 0;
        k += is_element ? step : 0;
        step = is_element ? 2 * step : step / 2;
    }
    return k + 1;
}

static void add_extremes(const listing *l, size_t first, size_t end, table *t)
{
    char text[48];
    size_t low, high;
    (void)find_extremes(l, first, end, &low, &high);
    (void)snprintf(text, sizeof text, "first of %zu", end - first);
    add_value(l, first, text, t);
    add_value(l, end - 1, "last", t);
    add_value(l, low, "smallest", t);
    add_value(l, high, "largest", t);
}

/* Those from `begin` to `end`, of one kind. */
static void print_list(const listing *l, size_t begin, size_t end, FILE *file)
{
    enum { ARRAY_SHOWN = 20 };
    table t = table_of("llll");
    const size_t most = l->is_full ? SIZE_MAX : REPORT_MOST_VALUES;
    size_t rows = 0;
    for (size_t k = begin, next; k < end && rows <= most; k = next) {
        next = l->is_full ? k + 1 : end_of_array(l, k, end);
        const bool is_long = next - k > ARRAY_SHOWN;
        if (is_long) add_extremes(l, k, next, &t);
        for (size_t i = k; i < next && !is_long && rows + i - k < most; i++)
            add_value(l, i, "", &t);
        rows += is_long ? 4 : next - k;
    }
    if (rows && begin > 0) (void)fputc('\n', file);
    table_print(&t, file);
    if (rows > most) (void)fputs("  ...\n", file);
}

static void print_lists(const listing *l, FILE *file)
{
    const size_t count = dae_columns_count(l->columns);
    for (size_t k = 0, end; k < count; k = end) {
        for (end = k; end < count && kind_of(l, end) == kind_of(l, k);) end++;
        const bool is_short = kind_of(l, k) == DAE_COLUMN_UNKNOWN
            && end > REPORT_MOST_VALUES && !l->is_full;
        if (is_short) print_summary(l, end, file);
        else print_list(l, k, end, file);
    }
}

void report_values(session *s, FILE *file)
{
    listing l = {.model = s->model,
        .point = dae_run_point(s->run),
        .is_full = s->args->all_values};
    if (memory_sufficed(dae_columns_create(s->run, NULL, "", &l.columns)))
        print_lists(&l, file);
    drop_columns(l.columns);
}

/* ---- what it cost ---- */

void report_cost(session *s, double total, FILE *file)
{
    const dae_stats *n = dae_solver_stats(dae_run_solver(s->run));
    (void)fprintf(file,
        "%lld step%s (%lld rejected), %lld residual%s, %lld Jacobian%s, "
        "%lld factorization%s",
        (long long)n->steps, NUMBER_PLURAL(n->steps),
        (long long)n->rejected_steps, (long long)n->residual_evals,
        NUMBER_PLURAL(n->residual_evals), (long long)n->jacobian_evals,
        NUMBER_PLURAL(n->jacobian_evals), (long long)n->factorizations,
        NUMBER_PLURAL(n->factorizations));
    if (n->events)
        (void)fprintf(file, ", %lld event%s, %lld restart%s",
            (long long)n->events, NUMBER_PLURAL(n->events),
            (long long)n->restarts, NUMBER_PLURAL(n->restarts));
    if (!s->args->no_times) (void)fprintf(file, ", %.3g s", total);
    (void)fputc('\n', file);
}

static void add_count(table *t, const char *name, int64_t value)
{
    table_add(t, name);
    table_count(t, value);
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

void report_stats(session *s, FILE *file)
{
    const dae_stats *n = dae_solver_stats(dae_run_solver(s->run));
    table t = table_of("lr");
    add_count(&t, "steps", n->steps);
    add_count(&t, "rejected steps", n->rejected_steps);
    add_orders(&t, n);
    add_count(&t, "residual evaluations", n->residual_evals);
    add_count(&t, "Jacobian evaluations", n->jacobian_evals);
    add_count(&t, "factorizations", n->factorizations);
    add_count(&t, "Newton iterations", n->newton_iterations);
    if (n->linear_iterations > 0 || n->linear_fallbacks > 0) {
        add_count(&t, "linear iterations", n->linear_iterations);
        add_count(&t, "returns to a direct solver", n->linear_fallbacks);
    }
    add_count(&t, "error test failures", n->error_test_failures);
    add_count(&t, "convergence failures", n->convergence_failures);
    add_count(&t, "failures by values not finite", n->nonfinite_failures);
    add_count(&t, "events", n->events);
    add_count(&t, "restarts", n->restarts);
    add_count(&t, "changes of states", n->state_changes);
    const dae_atol_check again = dae_run_atol_check(s->run);
    if (again.is_made) add_count(&t, "steps of the check of atol", again.steps);
    table_add(&t, "last step");
    table_number(&t, n->last_step);
    TABLE_ADD(&t, "method", n->method ? n->method : "");
    if (n->method_reason) TABLE_ADD(&t, "chosen by auto", n->method_reason);
    TABLE_ADD(&t, "linear solver", n->linear ? n->linear : "");
    add_count(&t, "states", n->unknowns);
    add_count(&t, "columns of the matrix", n->columns);
    add_count(&t, "its entries", n->nonzeros);
    add_whole_fill(&t, n);
    add_count(&t, "columns factorized", n->condensed);
    add_count(&t, "their entries", n->condensed_nonzeros);
    add_count(&t, "entries of L + U", n->fill);
    table_print(&t, file);
}

/* States named in a line for people. */
enum { STATES_NAMED = 8 };

static void print_states(const session *s, size_t count, FILE *file)
{
    char text[200];
    for (size_t k = 0; k < count && k < STATES_NAMED; k++) {
        (void)dae_solver_state_name(
            dae_run_solver(s->run), k, text, sizeof text);
        (void)fprintf(file, "%s%s", k > 0 ? ", " : " ", text);
    }
    if (count == 0) (void)fputs(" none", file);
    if (count > STATES_NAMED)
        (void)fprintf(file, " and %zu more", count - STATES_NAMED);
    (void)fputc('\n', file);
}

void report_reduction(session *s, FILE *file)
{
    const dae_reduction_report t = dae_solver_reduction(dae_run_solver(s->run));
    const long long constraints = (long long)t.constraints;
    if (t.index < 2) return;
    (void)fprintf(file, "index %lld, ", (long long)t.index);
    if (strcmp(t.method, "none") == 0) {
        (void)fputs("integrated as it stands\n", file);
        return;
    }
    if (strcmp(t.method, "projection") == 0)
        (void)fprintf(file, "projected on %lld constraint%s after each step",
            constraints, NUMBER_PLURAL(constraints));
    else if (strcmp(t.method, "stabilization") == 0)
        (void)fprintf(file, "stabilized by %lld multiplier%s", constraints,
            NUMBER_PLURAL(constraints));
    else (void)fputs("reduced by dummy derivatives", file);
    (void)fputs(t.state_count == 1 ? ": state" : ": states", file);
    print_states(s, t.state_count, file);
}

/* ---- JSON ---- */

void report_json_reduction(session *s, json *j)
{
    char text[400];
    const dae_reduction_report t = dae_solver_reduction(dae_run_solver(s->run));
    if (t.index < 2) return;
    json_begin_object(j, "reduction");
    json_integer(j, "index", t.index);
    json_string(j, "method", t.method);
    json_begin_array(j, "states");
    for (size_t k = 0; k < t.state_count; k++) {
        (void)dae_solver_state_name(
            dae_run_solver(s->run), k, text, sizeof text);
        json_string(j, NULL, text);
    }
    json_end_array(j);
    if (t.constraints > 0) json_integer(j, "constraints", t.constraints);
    json_end_object(j);
}

/* A member for each column of these kinds. */
static void put_columns(
    session *s, const char *key, unsigned first, unsigned last, json *j)
{
    dae_columns *c;
    const dae_point p = dae_run_point(s->run);
    (void)memory_sufficed(dae_columns_create(s->run, NULL, "", &c));
    json_begin_object(j, key);
    for (size_t k = 0; k < dae_columns_count(c); k++) {
        const dae_column column = dae_columns_at(c, k);
        if (column.kind < first || column.kind > last) continue;
        json_number(
            j, dae_columns_name(c, k), dae_point_value(s->model, column, &p));
    }
    json_end_object(j);
    drop_columns(c);
}

void report_json_values(session *s, json *j)
{
    put_columns(s, "values", DAE_COLUMN_UNKNOWN, DAE_COLUMN_DISCRETE, j);
}

void report_json_derivatives(session *s, json *j)
{
    const double *x = dae_run_x(s->run), *xp = dae_run_xp(s->run);
    json_begin_object(j, "derivatives");
    for (size_t p = 0; p < dae_model_unknown_count(s->model); p++) {
        const size_t i = dae_run_unknown_at(s->run, p);
        for (int k = 1; k <= dae_model_unknown_order(s->model, i); k++) {
            json_number(j, dae_name_derivative(s->model, i, k, memory_name()),
                dae_model_unknown_value(s->model, i, k, x, xp));
        }
    }
    json_end_object(j);
}

void report_json_outputs(session *s, json *j)
{
    put_columns(s, "outputs", DAE_COLUMN_OBSERVED, DAE_COLUMN_OBSERVED, j);
}

void report_json_stats(session *s, json *j)
{
    const dae_stats *n = dae_solver_stats(dae_run_solver(s->run));
    json_begin_object(j, "stats");
    json_integer(j, "steps", n->steps);
    json_integer(j, "rejected_steps", n->rejected_steps);
    json_integer(j, "residual_evals", n->residual_evals);
    json_integer(j, "jacobian_evals", n->jacobian_evals);
    json_integer(j, "factorizations", n->factorizations);
    json_integer(j, "newton_iterations", n->newton_iterations);
    json_integer(j, "linear_iterations", n->linear_iterations);
    json_integer(j, "linear_fallbacks", n->linear_fallbacks);
    json_integer(j, "error_test_failures", n->error_test_failures);
    json_integer(j, "convergence_failures", n->convergence_failures);
    json_integer(j, "events", n->events);
    json_integer(j, "restarts", n->restarts);
    json_integer(j, "state_changes", n->state_changes);
    json_integer(j, "max_order", n->max_order);
    json_number(j, "last_step", n->last_step);
    json_string(j, "method", n->method);
    if (n->method_reason) json_string(j, "method_reason", n->method_reason);
    json_string(j, "linear", n->linear);
    json_integer(j, "unknowns", n->unknowns);
    json_integer(j, "columns", n->columns);
    json_integer(j, "nonzeros", n->nonzeros);
    json_integer(j, "whole_fill", n->whole_fill);
    json_integer(j, "condensed", n->condensed);
    json_integer(j, "condensed_nonzeros", n->condensed_nonzeros);
    json_integer(j, "fill", n->fill);
    json_end_object(j);
}

static void put_seconds(json *j, const char *key, double value)
{
    /* microseconds: what lies below is noise */
    json_number(j, key, round(value * 1e6) / 1e6);
}

void report_json_seconds(const run_seconds *s, json *j)
{
    json_begin_object(j, "seconds");
    put_seconds(j, "compile", s->compile);
    put_seconds(j, "analyse", s->analyse);
    put_seconds(j, "initialize", s->initialize);
    if (s->has_solve) put_seconds(j, "solve", s->solve);
    put_seconds(j, "total",
        s->compile + s->analyse + s->initialize
            + (s->has_solve ? s->solve : 0));
    json_end_object(j);
}

/* ---- drifts ---- */

void report_drifts(const session *s, FILE *file)
{
    dae_drift d;
    for (size_t i = 0; i < dae_run_drift_count(s->run); i++)
        if (!dae_run_drift_at(s->run, i, &d) && d.has_any)
            (void)fprintf(file,
                "drift of %s from %.10g: largest %.3g, at t = %.6g; mean %.3g; "
                "at the end %.3g\n",
                d.name, number_plain(d.first), number_plain(d.largest), d.at,
                number_plain(d.mean), number_plain(d.last));
}

void report_json_drifts(const session *s, json *j)
{
    dae_drift d;
    if (dae_run_drift_count(s->run) == 0) return;
    json_begin_object(j, "drift");
    for (size_t i = 0; i < dae_run_drift_count(s->run); i++) {
        if (dae_run_drift_at(s->run, i, &d) || !d.has_any) continue;
        json_begin_object(j, d.name);
        json_number(j, "start", d.first);
        json_number(j, "largest", d.largest);
        json_number(j, "at", d.at);
        json_number(j, "mean", d.mean);
        json_number(j, "final", d.last);
        json_end_object(j);
    }
    json_end_object(j);
}

/* ---- the error of the solution ---- */

void report_estimate(session *s, FILE *file)
{
    const dae_estimate e = dae_run_estimate(s->run);
    if (e.has_sides)
        (void)fprintf(file,
            "\nestimated error at the end: not known, an event is so near that "
            "only one run has it behind it\n"
            "last event at t = %.10g, with a tenth of the tolerances at t = "
            "%.10g\n",
            number_plain(e.last_events[0]), number_plain(e.last_events[1]));
    if (!e.is_known) return;
    if (dae_run_is_stopped(s->run))
        (void)fprintf(file, "\nestimated error of the time of the end: %.3g\n",
            number_plain(e.end));
    (void)fprintf(file,
        "\nestimated error at the end: %.3g times the tolerance\n",
        number_plain(e.norm));
    if (e.count > REPORT_MOST_VALUES) return;
    table t = table_of("ll");
    for (size_t p = 0; p < e.count; p++) {
        const size_t j = dae_run_unknown_at(s->run, p);
        table_add(&t, dae_name_unknown(s->model, j, memory_name()));
        table_addf(&t, "%.3g", number_plain(e.differences[j]));
    }
    table_print(&t, file);
}

void report_json_estimate(session *s, json *j)
{
    const dae_estimate e = dae_run_estimate(s->run);
    if (!e.is_known && !e.has_sides) return;
    json_begin_object(j, "error_estimate");
    json_number(j, "norm", e.is_known ? e.norm : (double)NAN);
    if (e.has_sides) {
        json_begin_array(j, "last_events");
        json_number(j, NULL, e.last_events[0]);
        json_number(j, NULL, e.last_events[1]);
        json_end_array(j);
    }
    if (dae_run_is_stopped(s->run)) json_number(j, "end", e.end);
    json_begin_object(j, "differences");
    for (size_t p = 0; p < e.count; p++) {
        const size_t i = dae_run_unknown_at(s->run, p);
        json_number(
            j, dae_name_unknown(s->model, i, memory_name()), e.differences[i]);
    }
    json_end_object(j);
    json_end_object(j);
}

void report_json_atol_check(const session *s, json *j)
{
    const dae_atol_check c = dae_run_atol_check(s->run);
    if (!c.is_made) return;
    json_begin_object(j, "atol_check");
    json_number(j, "difference", c.difference);
    json_integer(j, "steps", c.steps);
    json_end_object(j);
}

void report_global(const session *s, FILE *file)
{
    const dae_global_error g = dae_run_global_error(s->run);
    if (!g.is_asked) return;
    if (isnan(g.estimate))
        (void)fprintf(file, "largest error of the solution: not known\n");
    else
        (void)fprintf(file,
            "largest error of the solution: %.3g times the tolerance by "
            "estimate; the run has %.3g times the tolerances, found by %d runs "
            "before it\n",
            number_plain(g.estimate), g.factor, g.runs);
}

void report_json_global(const session *s, json *j)
{
    const dae_global_error g = dae_run_global_error(s->run);
    if (!g.is_asked) return;
    json_begin_object(j, "global_error");
    json_number(j, "estimate", g.estimate);
    json_number(j, "factor", g.factor);
    json_integer(j, "runs", g.runs);
    json_end_object(j);
}
