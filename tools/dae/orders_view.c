/* Variables are grouped by role, for the role decides their orders. */
#include "orders_view.h"
#include "memory.h"
#include "orders_fixed.h"
#include <math.h>

/* ---- variables ---- */

static size_t first_state(const dae_problem *p, size_t unknown)
{
    size_t at = 0;
    for (size_t j = 0; j < unknown; j++) {
        const size_t order = p->order ? p->order[j] : 1;
        at += order > 0 ? order : 1;
    }
    return at;
}

/* The unknown's value and its derivatives below the highest. */
static void add_unknown(orders_view *v, size_t j, const orders_role *roles)
{
    const dae_problem *p = dae_run_problem(v->session->run);
    const int highest = p->order ? p->order[j] : 1;
    const size_t first = first_state(p, j);
    for (int order = 0; order == 0 || order < highest; order++) {
        const size_t at = first + (size_t)order;
        v->variables[v->variable_count++] = (orders_variable){
            j, order, at, roles[at]};
    }
}

static int rank_of(const orders_variable *v)
{
    return v->role.index <= 1 && v->role.has_derivative
        ? 0
        : (int)(v->role.index < 1000 ? v->role.index : 1000) + 1;
}

/* By role; equal ones stay as they are. */
static void sort_variables(orders_view *v)
{
    for (size_t i = 1; i < v->variable_count; i++) {
        const orders_variable one = v->variables[i];
        size_t k = i;
        for (; k > 0 && rank_of(&v->variables[k - 1]) > rank_of(&one); k--)
            v->variables[k] = v->variables[k - 1];
        v->variables[k] = one;
    }
}

static dae_status find_variables(orders_view *v)
{
    const dae_run *r = v->session->run;
    orders_role *roles = orders_roles(&v->session->check, dae_run_problem(r));
    v->variables = memory_take(
        dae_problem_state_count(dae_run_problem(r)) + 1, sizeof *v->variables);
    const bool has_room = roles && v->variables;
    for (size_t p = 0;
         has_room && p < dae_model_unknown_count(dae_run_model(r)); p++) {
        const size_t j = dae_run_unknown_at(r, p);
        add_unknown(v, j, roles);
    }
    if (has_room) sort_variables(v);
    return has_room ? DAE_OK : DAE_MEMORY;
}

const char *orders_view_name(const orders_view *v, size_t variable)
{
    const orders_variable *of = &v->variables[variable];
    return dae_name_derivative(
        v->session->model, of->unknown, of->order, memory_name());
}

bool orders_view_is_long(const orders_view *v)
{
    return v->fixed.rows && !v->fixed.is_by_method && v->reference.is_long;
}

int64_t orders_view_highest(const orders_view *v)
{
    int64_t highest = 0;
    for (size_t k = 0; k < v->variable_count; k++)
        if (v->variables[k].role.index > highest)
            highest = v->variables[k].role.index;
    return highest;
}

static dae_status choose_drawn(orders_view *v, const char *list)
{
    session *s = v->session;
    dae_status st = dae_columns_create(s->run, list, "--plot", &v->drawn);
    for (size_t k = 0; !st && k < dae_columns_count(v->drawn); k++) {
        if (dae_columns_at(v->drawn, k).kind == DAE_COLUMN_UNKNOWN) continue;
        messages_add(&s->messages, "E0505",
            "--plot: `%s` is no unknown, whose error is studied",
            dae_columns_name(v->drawn, k));
        st = dae_columns_lost(v->drawn) ? DAE_MEMORY : DAE_ARGUMENT;
    }
    return st;
}

/* ---- life ---- */

dae_status orders_view_init(
    orders_view *v, const args *a, session *s, const orders_plan *plan)
{
    *v = (orders_view){.args = a, .session = s, .plan = *plan};
    const int64_t index = check_index(&s->check);
    v->index = index < 0 ? 0 : index;
    orders_plan_choose_steps(
        &v->plan, fabs(dae_run_end(s->run) - dae_run_begin(s->run)));
    dae_status st = find_variables(v);
    if (!st && a->plot) st = choose_drawn(v, a->plot);
    return st ? st : reference_init(&v->reference, s, &v->plan);
}

void orders_view_clear(orders_view *v)
{
    dae_closed_form_free(v->reference.closed);
    dae_columns_free(v->drawn);
}
