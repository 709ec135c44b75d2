/* dae init: consistent initial values and derivatives. */
#include "command.h"
#include "console.h"
#include "memory.h"
#include "names.h"
#include "number.h"
#include "session.h"
#include "table.h"
#include <stdlib.h>
#include <string.h>

static double value_of(const run *r, size_t j, int order)
{
    return dae_model_unknown_value(r->model, j, order, r->x, r->xp);
}

static void put_document(const session *s)
{
    char name[256];
    const run *r = &s->run;
    json j = json_on(stdout);
    json_begin_object(&j);
    session_name(s, s->args->paths.items[0], name, sizeof name);
    json_key(&j, "model"), json_string(&j, name);
    json_key(&j, "status"), json_string(&j, session_status_text(s));
    if (s->has_run && r->has_start && !session_is_late(s)) {
        const dae_start_report *report = dae_solver_start_report(r->solver);
        json_key(&j, "t"), json_number(&j, r->t0);
        report_json_values(r, &j);
        report_json_outputs(r, &j);
        json_key(&j, "missing"), json_integer(&j, report->degrees_missing);
        json_key(&j, "residual"), json_number(&j, report->residual);
    }
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

/* The first slot of each of the problem's unknowns. */
static size_t *find_slots(const dae_problem *p)
{
    size_t *slots = memory_take(p->unknown_count + 1, sizeof *slots);
    if (!slots) return NULL;
    for (size_t i = 0; i < p->unknown_count; i++) {
        size_t q = p->order ? p->order[i] : 1;
        slots[i + 1] = slots[i] + (q > 1 ? q : 1);
    }
    return slots;
}

/* Whether a condition fixes derivative `order` of the problem's unknown i. */
static bool is_condition(const run *r, const size_t *slots, size_t i, int order)
{
    if (i == SIZE_MAX) return false;
    size_t slot = slots[i] + (size_t)order;
    if (slot < slots[i + 1]) return r->start.x_fixed && r->start.x_fixed[slot];
    return r->start.xp_fixed && r->start.xp_fixed[i];
}

/* Lines to paste into the model: conditions are there already, so everything
 * else is given as a guess. */
static void put_dae(const run *r, const size_t *slots)
{
    name_buffer name = {0};
    char number[NUMBER_SIZE];
    (void)printf("# consistent at t = %s\n", number_exact(r->t0, number));
    for (size_t j = 0; j < dae_model_unknown_count(r->model); j++) {
        size_t i = name_problem_unknown(r->model, &r->problem, j);
        for (int k = 0; k <= dae_model_unknown_order(r->model, j); k++) {
            bool fixed = is_condition(r, slots, i, k);
            (void)printf(
                fixed ? "# %s = %s is a condition\n" : "init %s ~ %s\n",
                name_derivative(r->model, j, k, &name),
                number_exact(value_of(r, j, k), number));
        }
    }
    if (!name_done(&name)) messages_lose(r->messages);
}

static void put_table(const run *r, const size_t *slots)
{
    static const char *const givens[] = {"", "guess", "condition"};
    table t = table_of(4);
    name_buffer name = {0};
    for (size_t j = 0; j < dae_model_unknown_count(r->model); j++) {
        size_t i = name_problem_unknown(r->model, &r->problem, j);
        for (int k = 0; k <= dae_model_unknown_order(r->model, j); k++) {
            bool fixed = is_condition(r, slots, i, k);
            dae_given given = k ? DAE_GIVEN_NOTHING
                                : dae_model_unknown_given(r->model, j);
            table_add(&t, name_derivative(r->model, j, k, &name));
            table_number(&t, value_of(r, j, k));
            table_add(&t, k ? "" : dae_model_unknown_unit(r->model, j));
            table_add(&t, givens[fixed ? DAE_GIVEN_CONDITION : given]);
        }
    }
    const char *title = dae_model_title(r->model);
    (void)printf("%s\nconsistent start at t = %.10g\n\n",
        *title ? title : dae_model_name(r->model), r->t0);
    bool is_shown = table_print(&t, stdout);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
}

static void put_text(const session *s)
{
    const run *r = &s->run;
    size_t *slots = find_slots(&r->problem);
    if (!slots) messages_lose(r->messages);
    else if (s->args->as_dae) put_dae(r, slots);
    else put_table(r, slots);
    memory_drop(slots);
}

exit_status cmd_init(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) session_start(&s);
    session_explain_stop(&s);
    if (a->json) put_document(&s);
    else if (s.has_run && s.run.has_start && !a->quiet) put_text(&s);
    bool flushed = console_flush();
    messages_print(&s.messages, a);
    int status = session_exit(&s);
    session_close(&s);
    return flushed ? (exit_status)status : EXIT_FILE;
}
