/* dae stability: the regions of the methods, and a model's eigenvalues in them,
 * as text, document and picture. */
#include "command.h"
#include "console.h"
#include "picture_files.h"
#include "report.h"
#include "stability_view.h"
#include <math.h>

static void draw_pictures(session *s, const stability_view *v)
{
    picture p = {0};
    if (s->args->outputs.count == 0 || s->status) return;
    stability_picture_make(v, &s->limits.allocator, &p);
    picture_files_draw(s, &p);
}

/* ---- with a model ---- */

/* The run up to the place, and the eigenvalues there. A model that is too large
 * is told so before it runs. */
static void find_eigenvalues(session *s, dae_eigenvalues **e)
{
    dae_run *r = s->run;
    const bool moves = !isnan(s->args->at)
        && fabs(s->args->at - dae_run_begin(r)) > 0;
    if (moves) s->status = dae_run_to(r, dae_run_end(r));
    if (s->status) return;
    s->status = dae_eigenvalues_create(dae_run_problem(r), dae_run_time(r),
        dae_run_x(r), dae_run_xp(r), limits_stop, &s->limits,
        &s->limits.allocator, s->messages.library, e);
}

static void look(session *s, dae_eigenvalues **e)
{
    const dae_problem *p = dae_model_problem(s->model);
    picture_files_expect(s);
    if (s->status) return;
    if (dae_problem_state_count(p) > DAE_EIGENVALUES_LIMIT) {
        s->status = dae_eigenvalues_create(p, p->start->t0, p->start->x,
            p->start->xp, NULL, NULL, NULL, s->messages.library, e);
        return;
    }
    session_start(s);
    if (!s->status) find_eigenvalues(s, e);
}

static void put_document(session *s, const stability_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_json_head(s, &j);
    if (v->e) {
        json_number(&j, "t", v->t);
        stability_json(v, &j);
    }
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s, const stability_view *v)
{
    const char *title = dae_model_title(s->model);
    (void)printf("%s\neigenvalues at t = %.10g",
        title && *title ? title : dae_model_name(s->model), v->t);
    if (stability_view_has_step(v)) (void)printf(", h = %.10g", v->step);
    (void)fputs("\n\n", stdout);
    stability_text_eigenvalues(v, stdout);
    stability_text_sentence(v, stdout);
    picture_files_tell(s, v->method_count, "region");
}

static exit_status show_model(const args *a, stability_view *v)
{
    session s;
    dae_eigenvalues *e = NULL;
    if (session_open(&s, a, a->paths.items[0])) look(&s, &e);
    v->e = e;
    v->t = dae_run_time(s.run);
    draw_pictures(&s, v);
    session_explain_stop(&s);
    if (a->json) put_document(&s, v);
    else if (e && !a->quiet) put_text(&s, v);
    dae_eigenvalues_free(e, &s.limits.allocator);
    return session_end(&s);
}

/* ---- without ---- */

static void put_regions_document(session *s, const stability_view *v)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    if (!s->status) stability_json(v, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_regions(session *s, const stability_view *v)
{
    stability_text_methods(v, stdout);
    stability_text_sentence(v, stdout);
    picture_files_tell(s, v->method_count, "region");
}

static exit_status show_regions(const args *a, const stability_view *v)
{
    session s;
    if (session_begin(&s, a)) {
        limits_hold_interrupts();
        picture_files_expect(&s);
        draw_pictures(&s, v);
    }
    session_explain_stop(&s);
    if (a->json) put_regions_document(&s, v);
    else if (!s.status && !a->quiet) put_regions(&s, v);
    return session_end(&s);
}

exit_status cmd_stability(const args *a)
{
    stability_view v;
    if (!stability_view_init(&v, a, stderr)) return EXIT_USAGE;
    if (!picture_files_are_named(a, stderr)) return EXIT_USAGE;
    return a->paths.count ? show_model(a, &v) : show_regions(a, &v);
}
