/* dae orders: errors against the step and against the work, the order of each
 * variable, as text, document and picture. <dae/orders.h> finds them. */
#include "command.h"
#include "console.h"
#include "orders_view.h"
#include "picture_files.h"
#include "report.h"
#include <math.h>

static void draw_pictures(session *s, const orders_view *v, size_t *curves)
{
    picture p = {0};
    if (s->args->outputs.count == 0 || s->status) return;
    orders_picture_make(v, &p);
    *curves = picture_curve_count(&p);
    picture_files_draw(s, &p);
}

/* ---- the study ---- */

static double tell_time(void *context)
{
    (void)context;
    return console_clock();
}

static dae_status set_all(dae_orders *o, const args *a)
{
    const char *const settings[][2] = {{"study", a->study},
        {"methods", a->methods}, {"orders", a->orders}, {"steps", a->steps},
        {"pattern", a->pattern}, {"tolerances", a->tolerances}};
    dae_status st = DAE_OK;
    dae_orders_call_settings(o, "--");
    dae_orders_on_clock(o, tell_time, NULL);
    for (size_t i = 0; !st && i < sizeof settings / sizeof *settings; i++)
        st = dae_orders_set(o, settings[i][0], settings[i][1]);
    for (size_t i = 0; !st && i < a->perturbs.count; i++)
        st = dae_orders_perturb(
            o, a->perturbs.items[i].name, a->perturbs.items[i].value);
    return st ? st : dae_orders_check(o);
}

/* Its options are judged before the model is looked at. False: they cannot be. */
static bool make_study(session *s, dae_orders **o)
{
    const args *a = s->args;
    s->status = dae_orders_create(&s->limits.allocator, s->messages.own, o);
    if (!s->status) s->status = set_all(*o, a);
    if (!s->status && a->tolerances && !isnan(a->rtol)) {
        messages_add(&s->messages, "E0505",
            "--rtol and --tolerances exclude each other");
        s->status = DAE_ARGUMENT;
    }
    if (s->status != DAE_ARGUMENT) return true;
    const dae_diagnostic *why = dae_diagnostics_at(s->messages.own, 0);
    (void)fprintf(stderr, "dae: %s (see `dae help orders`)\n",
        why ? why->message : "out of memory");
    return false;
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

static void study(session *s, orders_view *v, dae_orders *o)
{
    picture_files_expect(s);
    if (!s->status) session_set_up(s);
    if (!s->status) s->status = dae_orders_prepare(o, s->run);
    if (!s->status) session_begin_run(s);
    if (!s->status && s->args->plot) s->status = choose_drawn(v, s->args->plot);
    if (!s->status) s->status = dae_orders_solve(o, s->run);
    v->is_complete = dae_orders_is_complete(o);
    v->is_part = s->status == DAE_INTERRUPTED && s->limits.time_over
        && dae_orders_has_any(o);
    orders_view_fill(v);
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
    dae_orders *o = NULL;
    size_t curves = 0;
    const bool may_be = session_begin(&s, a) && make_study(&s, &o)
        && picture_files_are_named(a, stderr);
    if (!may_be && s.status != DAE_MEMORY) {
        dae_orders_free(o);
        session_close(&s);
        return EXIT_USAGE;
    }
    orders_view v = {.args = a, .session = &s, .orders = o};
    const double before = console_clock();
    if (!s.status && session_load(&s, a->paths.items[0])) study(&s, &v, o);
    draw_pictures(&s, &v, &curves);
    session_explain_stop(&s);
    s.seconds.solve = console_clock() - before;
    s.seconds.has_solve = true;
    if (a->json) put_document(&s, &v);
    else if ((!s.status || v.is_part) && !a->quiet) put_text(&s, &v, curves);
    dae_columns_free(v.drawn);
    dae_orders_free(o);
    return session_end(&s);
}
