/* dae show: what the compiler made of a model. */
#include "changes.h"
#include "command.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include "session.h"
#include "show.h"
#include <dae/names.h>
#include <dae/solver.h>

/* The sizes of the iteration matrix at the consistent start and of what is
 * factorized in its place, and the unknowns that are taken out, in order. */

enum { TAKEN_SHOWN = 60 };

static void add_size(table *t, const char *name, int64_t whole, int64_t rest)
{
    table_add(t, name);
    for (int k = 0; k < 2; k++, whole = rest) {
        if (whole < 0) table_add(t, "singular");
        else table_count(t, whole);
    }
}

static void put_sizes(const dae_condensation *c)
{
    table t = table_of("lrr");
    TABLE_ADD(&t, "", "whole", "condensed");
    add_size(&t, "columns", c->columns, c->condensed_columns);
    add_size(&t, "entries", c->nonzeros, c->condensed_nonzeros);
    add_size(&t, "entries of L + U", c->fill, c->condensed_fill);
    TABLE_ADD(&t, "linear solver", c->linear, c->condensed_linear);
    table_print(&t, stdout);
}

static void put_taken(const session *s, size_t count)
{
    table t = table_of("lll");
    for (size_t k = 0; k < count && k < TAKEN_SHOWN; k++) {
        char text[256];
        (void)dae_solver_taken_name(
            dae_run_solver(s->run), DAE_NAME_UNKNOWN, k, text, sizeof text);
        TABLE_ADD(&t, text, "by");
        (void)dae_solver_taken_name(
            dae_run_solver(s->run), DAE_NAME_EQUATION, k, text, sizeof text);
        table_add(&t, text);
    }
    (void)fputs("\ntaken out, in this order\n", stdout);
    table_print(&t, stdout);
    if (count > TAKEN_SHOWN)
        (void)printf("  and %zu more\n", count - TAKEN_SHOWN);
}

static dae_status show_matrix(session *s)
{
    dae_condensation c;
    const dae_status st = dae_solver_condensation(dae_run_solver(s->run), &c);
    if (st) return st;
    const char *title = dae_model_title(s->model);
    (void)printf("%s\niteration matrix at t = %.10g for a step of %.3g\n\n",
        *title ? title : dae_model_name(s->model), number_plain(c.t),
        number_plain(c.step));
    put_sizes(&c);
    if (c.taken) put_taken(s, c.taken);
    else (void)puts("\nnothing is taken out: it would not save time");
    return DAE_OK;
}

/* --jacobian --condensed. */
static exit_status show_condensed(const args *a)
{
    return session_show(a, show_matrix);
}

/* Each switch with its kind, and how it is found. */
static void print_switches(const changes *c)
{
    static const char *const kinds[] = {"<", "<=", "sign", "floor", "ceil"};
    static const char *const domains[] = {
        "found on the step", "found in time", "at known times"};
    const dae_events *e = c->problem->events;
    table t = table_of("llll");
    for (size_t i = 0; i < e->switch_count; i++) {
        const size_t k = c->switch_at[i];
        TABLE_ADD(&t,
            dae_name_of(c->problem, DAE_NAME_SWITCH, k, memory_name()),
            kinds[e->switches[k].kind], domains[e->switches[k].domain],
            e->switches[k].is_kink ? "continuous" : "");
    }
    if (e->switch_count) (void)fputs("\nswitches\n\n", stdout);
    table_print(&t, stdout);
}

static dae_status put_events(session *s)
{
    changes c;
    const dae_problem *problem = dae_model_problem(s->model);
    if (!changes_any(problem)) {
        (void)fputs("nothing switches, and there are no events\n", stdout);
        return DAE_OK;
    }
    const dae_status st = changes_init(&c, s->model, 0, NULL, NULL);
    if (!st) changes_print(&c, 12, true, stdout);
    if (!st) print_switches(&c);
    return st;
}

/* --events: discrete variables, switches and whens. */
static exit_status show_events(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) s.status = put_events(&s);
    return session_end_show(&s, a);
}

static const dae_show LISTINGS[] = {DAE_SHOW_TOKENS, DAE_SHOW_AST,
    DAE_SHOW_EQUATIONS, DAE_SHOW_JACOBIAN, DAE_SHOW_BYTECODE};

/* Tokens and tree need no model that compiles. */
static dae_status show_text(session *s, dae_show what)
{
    char *text;
    size_t length;
    const char *path = s->args->paths.items[0];
    const dae_status st = load_text(path, &s->messages, &text, &length);
    return st ? st
              : dae_show_text(load_display_name(path), text, length, what,
                  &s->limits.allocator, s->messages.library,
                  console_write_clean, stdout);
}

static dae_status show_all(session *s)
{
    const args *a = s->args;
    dae_status st = DAE_OK;
    unsigned wanted = a->show ? a->show : 1u << DAE_SHOW_EQUATIONS;
    for (size_t i = 0; i < sizeof LISTINGS / sizeof *LISTINGS && !st; i++) {
        dae_show what = LISTINGS[i];
        if (!(wanted & 1u << what)) continue;
        if (what == DAE_SHOW_TOKENS || what == DAE_SHOW_AST) {
            st = show_text(s, what);
            continue;
        }
        if (!s->model)
            st = load_model(a, a->paths.items[0], &s->limits, &s->messages,
                &s->model, NULL);
        if (!st)
            st = dae_model_show(s->model, what, console_write_clean, stdout);
    }
    return st;
}

/* One way of looking at a model at a time reads standard input. */
static bool asks_many(const args *a)
{
    unsigned ways = a->show;
    const bool has_own = a->show_reduced || a->show_condensed;
    if ((a->show_structure || a->events) && (ways || has_own)) return true;
    if (a->show_structure && a->events) return true;
    return (ways & (ways - 1)) != 0;
}

static exit_status show_listings(const args *a)
{
    session s;
    if (session_begin(&s, a)) s.status = show_all(&s);
    return session_end_show(&s, a);
}

exit_status cmd_show(const args *a)
{
    exit_status status = EXIT_DONE;
    const char *path = a->paths.items[0];
    if (asks_many(a) && path[0] == '-' && !path[1]) {
        (void)fputs(
            "dae: standard input can be shown in one way only\n", stderr);
        return EXIT_USAGE;
    }
    if (a->show_reduced) status = show_reduced(a);
    else if (a->show_condensed) status = show_condensed(a);
    else if (a->show || !(a->show_structure || a->events))
        status = show_listings(a);
    if (!status && a->show_structure) status = show_structure(a);
    if (!status && a->events) status = show_events(a);
    return status;
}
