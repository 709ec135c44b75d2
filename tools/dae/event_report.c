#include "event_report.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include "table.h"
#include <dae/names.h>
#include <float.h>
#include <math.h>

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

/* ---- text ---- */

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
    table t = table_of(3);
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

/* ---- JSON ---- */

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
