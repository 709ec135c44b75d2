/* The sizes of the iteration matrix at the consistent start and of what is
 * factorized in its place, and the unknowns that are taken out, in order. */
#include "console.h"
#include "number.h"
#include "session.h"
#include "show.h"
#include "table.h"
#include <dae/solver.h>

enum { TAKEN_SHOWN = 60 };

static void add_size(table *t, const char *name, int64_t whole, int64_t rest)
{
    char text[32];
    const int64_t sizes[] = {whole, rest};
    table_add(t, name);
    for (int k = 0; k < 2; k++) {
        (void)snprintf(text, sizeof text, "%lld", (long long)sizes[k]);
        table_add(t, sizes[k] < 0 ? "singular" : text);
    }
}

static void put_sizes(const dae_condensation *c)
{
    table t = table_of(3);
    t.align_right[1] = t.align_right[2] = true;
    table_add(&t, ""), table_add(&t, "whole"), table_add(&t, "condensed");
    add_size(&t, "columns", c->columns, c->condensed_columns);
    add_size(&t, "entries", c->nonzeros, c->condensed_nonzeros);
    add_size(&t, "entries of L + U", c->fill, c->condensed_fill);
    table_add(&t, "linear solver");
    table_add(&t, c->linear), table_add(&t, c->condensed_linear);
    table_print(&t, stdout);
}

static void put_taken(const session *s, size_t count)
{
    table t = table_of(3);
    for (size_t k = 0; k < count && k < TAKEN_SHOWN; k++) {
        char text[256];
        (void)dae_solver_taken_name(
            dae_run_solver(s->run), DAE_NAME_UNKNOWN, k, text, sizeof text);
        table_add(&t, text), table_add(&t, "by");
        (void)dae_solver_taken_name(
            dae_run_solver(s->run), DAE_NAME_EQUATION, k, text, sizeof text);
        table_add(&t, text);
    }
    (void)fputs("\ntaken out, in this order\n", stdout);
    table_print(&t, stdout);
    if (count > TAKEN_SHOWN)
        (void)printf("  and %zu more\n", count - TAKEN_SHOWN);
}

static dae_status show(session *s)
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

exit_status show_condensed(const args *a)
{
    return session_show(a, show);
}
