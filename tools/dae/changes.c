#include "changes.h"
#include "check.h"
#include "memory.h"
#include "number.h"
#include <dae/names.h>
#include <dae/report.h>
#include <math.h>
#include <string.h>

/* Of each kind so many are told to people. */
enum { SHOWN = 12 };

static const dae_events *events_of(const dae_problem *problem)
{
    static const dae_events none;
    return problem->events ? problem->events : &none;
}

bool changes_any(const dae_problem *problem)
{
    const dae_events *e = events_of(problem);
    return e->discrete_count + e->switch_count + e->when_count > 0;
}

dae_status changes_init(changes *c, const dae_model *model, double t,
    const double *x, const double *xp)
{
    const dae_problem *problem = dae_model_problem(model);
    const dae_events *e = events_of(problem);
    *c = (changes){.model = model, .problem = problem};
    c->discrete_at = memory_text_order(
        problem, DAE_NAME_DISCRETE, e->discrete_count);
    c->switch_at = memory_text_order(problem, DAE_NAME_SWITCH, e->switch_count);
    c->when_at = memory_text_order(problem, DAE_NAME_WHEN, e->when_count);
    c->sides = memory_take(e->switch_count + 1, sizeof *c->sides);
    if (!c->discrete_at || !c->switch_at || !c->when_at || !c->sides)
        return DAE_MEMORY;
    for (size_t k = 0; k < e->switch_count; k++) c->sides[k] = (double)NAN;
    if (!x) return DAE_OK;
    const dae_status st = dae_switch_sides(problem, t, x, xp, c->sides);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- text ---- */

static bool is_condition(const dae_switch *s)
{
    return s->kind == DAE_SWITCH_BELOW || s->kind == DAE_SWITCH_NOT_ABOVE;
}

static const char *name(const changes *c, dae_name_kind kind, size_t i)
{
    return dae_name_of(c->problem, kind, i, memory_name());
}

/* "n = 0". */
static void put_discrete(const changes *c, size_t d, phrase *p)
{
    phrase_put(p, name(c, DAE_NAME_DISCRETE, d));
    phrase_add(
        p, " = %.10g", number_plain(events_of(c->problem)->discrete_start[d]));
}

/* "`x < 0` false", "`sign(v)` 1". */
static void put_switch(const changes *c, size_t k, phrase *p)
{
    const dae_switch *s = &events_of(c->problem)->switches[k];
    phrase_add(p, "`%s`", name(c, DAE_NAME_SWITCH, k));
    if (isnan(c->sides[k])) return;
    if (is_condition(s))
        phrase_put(p, fabs(c->sides[k]) > 0 ? " true" : " false");
    else phrase_add(p, " %.10g", number_plain(c->sides[k]));
}

/* The condition as the text has it. */
static void put_condition(const changes *c, size_t w, phrase *p)
{
    char text[200];
    const size_t length = dae_model_when_text(c->model, w, text, sizeof text);
    phrase_put(p, text);
    if (length >= sizeof text) phrase_put(p, " ...");
}

/* "bounce when `x < 0`: sets v, n; prints; stops". */
static void put_when(const changes *c, size_t w, phrase *p)
{
    const dae_events *e = events_of(c->problem);
    const dae_when *when = &e->whens[w];
    phrase_put(p, name(c, DAE_NAME_WHEN, w));
    phrase_put(p, " when `");
    put_condition(c, w, p);
    phrase_put(p, "`");
    for (size_t i = 0; i < when->assignment_count; i++) {
        phrase_put(p, i ? ", " : ": sets ");
        phrase_put(p, name(c, DAE_NAME_ASSIGNMENT, when->assignment + i));
    }
    if (when->print_count)
        phrase_put(p, when->assignment_count ? "; prints" : ": prints");
    if (when->stop)
        phrase_put(p,
            when->assignment_count + when->print_count ? "; stops" : ": stops");
}

typedef void put_fn(const changes *c, size_t i, phrase *p);

/* A field for each kind; `separate`: each in a line of its own. */
typedef struct listing {
    const char *label;
    const size_t *at;
    size_t count;
    put_fn *put;
    bool separate;
} listing;

static void print_listing(const changes *c, const listing *l, int width,
    bool has_all, FILE *file, phrase *p)
{
    const size_t shown = has_all || l->count <= SHOWN ? l->count : SHOWN;
    phrase_empty(p);
    for (size_t k = 0; k < shown; k++) {
        if (k && !l->separate) phrase_put(p, ", ");
        l->put(c, l->at[k], p);
        if (!l->separate) continue;
        phrase_field(file, 0, width, k ? "" : l->label, phrase_text(p));
        phrase_empty(p);
    }
    if (shown < l->count)
        phrase_add(
            p, "%sand %zu more", l->separate ? "" : " ", l->count - shown);
    if (p->length)
        phrase_field(
            file, 0, width, l->separate ? "" : l->label, phrase_text(p));
}

void changes_print(const changes *c, int width, bool has_all, FILE *file)
{
    const dae_events *e = events_of(c->problem);
    const listing lists[] = {
        {"discrete", c->discrete_at, e->discrete_count, put_discrete, false},
        {"switches", c->switch_at, e->switch_count, put_switch, false},
        {"events", c->when_at, e->when_count, put_when, true}};
    phrase p = {0};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        print_listing(c, &lists[k], width, has_all, file, &p);
}

/* ---- JSON ---- */

static void put_discretes(const changes *c, json *j)
{
    const dae_events *e = events_of(c->problem);
    json_begin_object(j, "discrete");
    for (size_t k = 0; k < e->discrete_count; k++) {
        json_number(j, name(c, DAE_NAME_DISCRETE, c->discrete_at[k]),
            e->discrete_start[c->discrete_at[k]]);
    }
    json_end_object(j);
}

static void put_switches(const changes *c, json *j)
{
    static const char *const kinds[] = {
        "below", "not above", "sign", "floor", "ceil"};
    static const char *const domains[] = {"point", "time", "break"};
    const dae_events *e = events_of(c->problem);
    json_begin_array(j, "switches");
    for (size_t i = 0; i < e->switch_count; i++) {
        const size_t k = c->switch_at[i];
        json_begin_object(j, NULL);
        json_string(j, "text", name(c, DAE_NAME_SWITCH, k));
        json_string(j, "kind", kinds[e->switches[k].kind]);
        json_string(j, "domain", domains[e->switches[k].domain]);
        json_boolean(j, "kink", e->switches[k].is_kink != 0);
        json_number(j, "value", c->sides[k]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_one_when(const changes *c, size_t w, json *j)
{
    const dae_when *when = &events_of(c->problem)->whens[w];
    phrase condition = {0};
    put_condition(c, w, &condition);
    json_begin_object(j, NULL);
    json_string(j, "label", name(c, DAE_NAME_WHEN, w));
    json_integer(j, "line", dae_model_when_line(c->model, w));
    json_string(j, "condition", phrase_text(&condition));
    json_begin_array(j, "assigns");
    for (size_t i = 0; i < when->assignment_count; i++)
        json_string(
            j, NULL, name(c, DAE_NAME_ASSIGNMENT, when->assignment + i));
    json_end_array(j);
    json_begin_array(j, "prints");
    for (size_t i = 0; i < when->print_count; i++)
        json_string(j, NULL, when->prints[i]);
    json_end_array(j);
    json_string(j, "stop", when->stop);
    json_end_object(j);
    memory_drop(condition.text);
}

void changes_json(const changes *c, json *j)
{
    const dae_events *e = events_of(c->problem);
    if (!changes_any(c->problem)) return;
    json_begin_object(j, "events");
    put_discretes(c, j);
    put_switches(c, j);
    json_begin_array(j, "whens");
    for (size_t k = 0; k < e->when_count; k++)
        put_one_when(c, c->when_at[k], j);
    json_end_array(j);
    json_end_object(j);
}

/* ---- of a check ---- */

/* False: nothing changes, or it cannot be looked at. */
static bool look(const check *k, changes *c)
{
    const dae_problem *p = k->model ? dae_model_problem(k->model) : NULL;
    if (!p || !changes_any(p)) return false;
    double *x = memory_take(dae_problem_state_count(p) + 1, sizeof *x);
    double *xp = memory_take(p->unknown_count + 1, sizeof *xp);
    const bool has_start = x && xp && k->report
        && !dae_report_start(k->report, x, xp);
    return x && xp
        && memory_sufficed(
            changes_init(c, k->model, k->t0, has_start ? x : NULL, xp));
}

void check_print_changes(const check *k, int width, FILE *file)
{
    changes c;
    if (look(k, &c)) changes_print(&c, width, false, file);
}

void check_json_changes(const check *k, json *j)
{
    changes c;
    if (look(k, &c)) changes_json(&c, j);
}
