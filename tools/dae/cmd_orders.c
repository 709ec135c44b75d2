/* dae orders: errors against the step and against the work, the order of each
 * variable, as text, document and picture. */
#include "command.h"
#include "console.h"
#include "orders_adaptive.h"
#include "orders_fixed.h"
#include "orders_view.h"
#include "picture_files.h"
#include "report.h"

static void draw_pictures(session *s, const orders_view *v, size_t *curves)
{
    picture p = {0};
    if (s->args->outputs.count == 0 || s->status) return;
    orders_picture_make(v, &p);
    *curves = picture_curve_count(&p);
    picture_files_draw(s, &p);
}

/* ---- the studies ---- */

/* What fails stops nothing, but if there is nothing else. */
static void tell_failure(session *s, orders_view *v)
{
    if (fixed_study_has_any(&v->fixed) || adaptive_has_any(v)) return;
    s->status = orders_fixed_tell(v);
    if (!s->status) s->status = orders_adaptive_tell(v);
}

static void study(session *s, orders_view *v, orders_plan *plan)
{
    picture_files_expect(s);
    if (!s->status) session_analyse(s, true);
    if (!s->status && s->check.analysis->is_wrong) s->status = DAE_MODEL;
    if (!s->status) session_start(s);
    orders_events events = {0};
    if (!s->status) s->status = orders_events_find(&events, s);
    if (!s->status) s->status = orders_events_plan(&events, s, plan);
    if (!s->status && plan->has_steps)
        s->status = dae_model_note_switches(s->model, s->messages.library);
    if (!s->status) s->status = orders_view_init(v, s->args, s, plan);
    v->events = events;
    if (!s->status && plan->has_steps) s->status = orders_fixed(v);
    if (!s->status && plan->has_tolerances) s->status = orders_adaptive(v);
    v->is_complete = !s->status;
    v->is_part = s->status == DAE_INTERRUPTED && s->limits.time_over
        && (fixed_study_has_any(&v->fixed) || adaptive_has_any(v));
    if (!s->status) tell_failure(s, v);
}

/* ---- what is said ---- */

static void put_document(session *s, const orders_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_json_head(s, &j);
    if (v->is_complete || v->is_part) orders_json(v, &j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s, const orders_view *v, size_t curves)
{
    const char *title = dae_model_title(s->model);
    (void)printf("%s\n", title && *title ? title : dae_model_name(s->model));
    orders_text(v, stdout);
    if (!s->status) picture_files_tell(s, curves, "curve");
}

exit_status cmd_orders(const args *a)
{
    session s;
    orders_plan plan;
    orders_view v = {.args = a};
    size_t curves = 0;
    if (!orders_plan_init(&plan, a, stderr)) return EXIT_USAGE;
    if (!picture_files_are_named(a, stderr)) return EXIT_USAGE;
    const double before = console_clock();
    if (session_open(&s, a, a->paths.items[0])) study(&s, &v, &plan);
    draw_pictures(&s, &v, &curves);
    session_explain_stop(&s);
    s.seconds.solve = console_clock() - before;
    s.seconds.has_solve = true;
    if (a->json) put_document(&s, &v);
    else if ((!s.status || v.is_part) && !a->quiet) put_text(&s, &v, curves);
    orders_view_clear(&v);
    return session_end(&s);
}
