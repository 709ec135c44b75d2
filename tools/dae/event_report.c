#include "event_report.h"
#include "names.h"
#include "number.h"
#include "phrase.h"
#include "table.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Of a long list people see the first and the last, of many changes the first
 * ones. */
enum { SHOWN_FIRST = 100, SHOWN_LAST = 20, CHANGES_SHOWN = 6 };

static const char *name_change(
    const run *r, const event_change *c, name_buffer *b)
{
    if (c->kind == CHANGE_DISCRETE)
        return name_of(&r->problem, DAE_NAME_DISCRETE, c->index, b);
    if (c->kind == CHANGE_SWITCH)
        return name_of(&r->problem, DAE_NAME_SWITCH, c->index, b);
    return name_derivative(r->model, c->index, c->order, b);
}

static const char *name_entry(
    const run *r, const event_entry *e, name_buffer *b)
{
    return name_of(
        &r->problem, e->is_when ? DAE_NAME_WHEN : DAE_NAME_SWITCH, e->index, b);
}

/* Change k of an entry: its own, then those that it shares. */
static const event_change *change_at(
    const event_log *l, const event_entry *e, size_t k)
{
    return k < e->own_count ? &l->changes[e->own + k]
                            : &l->changes[e->shared + k - e->own_count];
}

static size_t change_count(const event_entry *e)
{
    return (size_t)e->own_count + e->shared_count;
}

/* ---- text ---- */

static void put_number(char *text, size_t size, int digits, double value)
{
    (void)snprintf(text, size, "%.*g", digits, number_plain(value));
}

/* Enough digits to tell the two sides apart, and the difference by some. */
static void put_sides(const event_change *c, phrase *to)
{
    enum { LEAST = 6, MORE = 2, MOST = 17 };
    char before[32], after[32];
    int digits = LEAST;
    for (; digits < MOST; digits++) {
        put_number(before, sizeof before, digits, c->before);
        put_number(after, sizeof after, digits, c->after);
        if (strcmp(before, after) != 0) break;
    }
    if (digits > LEAST) digits = digits + MORE > MOST ? MOST : digits + MORE;
    put_number(before, sizeof before, digits, c->before);
    put_number(after, sizeof after, digits, c->after);
    phrase_add(to, "%s -> %s", before, after);
}

/* More than rounding. */
static bool is_news(const event_change *c)
{
    static const double UNITS = 64;
    const double size = fmax(fabs(c->before), fabs(c->after));
    if (isnan(c->before) || isnan(c->after))
        return isnan(c->before) != isnan(c->after);
    if (isinf(size)) return c->before < c->after || c->before > c->after;
    return fabs(c->after - c->before) > UNITS * DBL_EPSILON * size;
}

/* "v -4.43 -> 3.54", "n stays 1". A switch is named by its own entry. */
static void put_change(const event_log *l, const event_entry *e,
    const event_change *c, phrase *to, name_buffer *b)
{
    const bool is_switch = c->kind == CHANGE_SWITCH && !e->is_when;
    if (is_switch && !is_news(c)) {
        phrase_add(to, "turns, and back to %.6g", number_plain(c->after));
        return;
    }
    if (!is_switch) {
        phrase_put(to, name_change(l->run, c, b));
        phrase_put(to, " ");
    }
    if (is_news(c)) put_sides(c, to);
    else phrase_add(to, "stays %.6g", number_plain(c->after));
}

/* What else a when does: "prints "low", stops, fires twice". */
static void put_deeds(const event_log *l, const event_entry *e, phrase *to)
{
    const dae_when *w = e->is_when ? &l->run->problem.events->whens[e->index]
                                   : NULL;
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
static void put_changes(
    const event_log *l, const event_entry *e, phrase *to, name_buffer *b)
{
    const size_t count = change_count(e);
    const size_t shown = count > CHANGES_SHOWN + 1 ? CHANGES_SHOWN : count;
    for (size_t k = 0; k < shown; k++) {
        if (k) phrase_put(to, ", ");
        put_change(l, e, change_at(l, e, k), to, b);
    }
    if (shown < count) phrase_add(to, " and %zu more", count - shown);
    put_deeds(l, e, to);
}

static void add_entry(
    const event_log *l, const event_entry *e, table *t, name_buffer *b)
{
    char time[40];
    phrase changes = {0};
    (void)snprintf(time, sizeof time, "%.12g", number_plain(e->t));
    table_add(t, time);
    table_add(t, name_entry(l->run, e, b));
    put_changes(l, e, &changes, b);
    table_add(t, phrase_text(&changes));
    if (!phrase_done(&changes)) t->failed = true;
}

static void print_part(const event_log *l, size_t first, size_t end, FILE *file)
{
    table t = table_of(3);
    name_buffer b = {0};
    for (size_t k = first; k < end; k++) add_entry(l, &l->entries[k], &t, &b);
    const bool is_shown = table_print(&t, file);
    if (!name_done(&b) || !is_shown) messages_lose(l->run->messages);
}

void event_report_print(const event_log *l, FILE *file)
{
    const long long count = (long long)l->count + l->left_out;
    if (count == 0) {
        (void)fputs("\nno events\n", file);
        return;
    }
    (void)fprintf(
        file, "\n%lld event%s\n\n", count, number_plural((int64_t)count));
    const bool has_all = !l->left_out
        && l->count <= (size_t)SHOWN_FIRST + SHOWN_LAST;
    const size_t first = has_all || l->count < SHOWN_FIRST ? l->count
                                                           : SHOWN_FIRST;
    print_part(l, 0, first, file);
    if (has_all) return;
    const size_t last = l->count - first < SHOWN_LAST || l->left_out
        ? 0
        : SHOWN_LAST;
    (void)fprintf(file, "  ... %lld more%s\n",
        count - (long long)first - (long long)last, last ? " ..." : "");
    if (last) print_part(l, l->count - last, l->count, file);
}

/* ---- JSON ---- */

static void put_side(const event_log *l, const event_entry *e, bool is_after,
    json *j, name_buffer *b)
{
    json_key(j, is_after ? "after" : "before");
    json_begin_object(j);
    for (size_t k = 0; k < change_count(e); k++) {
        const event_change *c = change_at(l, e, k);
        json_key(j, name_change(l->run, c, b));
        json_number(j, is_after ? c->after : c->before);
    }
    json_end_object(j);
}

static void put_entry(
    const event_log *l, const event_entry *e, json *j, name_buffer *b)
{
    json_begin_object(j);
    json_key(j, "t"), json_number(j, e->t);
    json_key(j, "label"), json_string(j, name_entry(l->run, e, b));
    json_key(j, "kind"), json_string(j, e->is_when ? "when" : "switch");
    put_side(l, e, false, j, b);
    put_side(l, e, true, j, b);
    if (e->times > 1) json_key(j, "times"), json_integer(j, e->times);
    json_end_object(j);
}

void event_report_json(const event_log *l, json *j)
{
    name_buffer b = {0};
    json_key(j, "events");
    json_begin_array(j);
    for (size_t k = 0; l && k < l->count; k++)
        put_entry(l, &l->entries[k], j, &b);
    json_end_array(j);
    if (l && l->left_out)
        json_key(j, "events_left_out"), json_integer(j, l->left_out);
    if (!name_done(&b) && l) messages_lose(l->run->messages);
}
