#include "changes.h"
#include "memory.h"
#include "session.h"
#include "show.h"
#include "table.h"
#include <dae/names.h>

static const char *kind_text(const dae_switch *s)
{
    switch ((dae_switch_kind)s->kind) {
    case DAE_SWITCH_BELOW: return "<";
    case DAE_SWITCH_NOT_ABOVE: return "<=";
    case DAE_SWITCH_SIGN: return "sign";
    case DAE_SWITCH_FLOOR: return "floor";
    case DAE_SWITCH_CEIL: return "ceil";
    }
    return "";
}

static const char *domain_text(const dae_switch *s)
{
    switch ((dae_switch_domain)s->domain) {
    case DAE_DOMAIN_POINT: return "found on the step";
    case DAE_DOMAIN_TIME: return "found in time";
    case DAE_DOMAIN_BREAK: return "at known times";
    }
    return "";
}

/* Each switch with its kind, and how it is found. */
static void print_switches(const changes *c)
{
    const dae_events *e = c->problem->events;
    table t = table_of(4);
    for (size_t i = 0; i < e->switch_count; i++) {
        const size_t k = c->switch_at[i];
        table_add(
            &t, dae_name_of(c->problem, DAE_NAME_SWITCH, k, memory_name()));
        table_add(&t, kind_text(&e->switches[k]));
        table_add(&t, domain_text(&e->switches[k]));
        table_add(&t, e->switches[k].is_kink ? "continuous" : "");
    }
    if (e->switch_count) (void)fputs("\nswitches\n\n", stdout);
    table_print(&t, stdout);
}

static dae_status show(session *s)
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

exit_status show_events(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) s.status = show(&s);
    return session_end_show(&s, a);
}
