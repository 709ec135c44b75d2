/* dae run: compile, start, integrate, write, check. */
#include "command.h"
#include "console.h"
#include "gnuplot.h"
#include "number.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

/* The members of the run's document; what is not known is left out. */
static void put_members(session *s, json *j)
{
    const bool has_values = dae_run_has_start(s->run) && !session_is_late(s);
    session_json_head(s, j);
    if (has_values) {
        json_number(j, "t", dae_run_time(s->run));
        report_json_values(s, j);
        report_json_derivatives(s, j);
        report_json_outputs(s, j);
    }
    session_json_stop(s, j);
    event_report_json(s->run, j);
    if (has_values) report_json_reduction(s, j);
    if (has_values) report_json_stats(s, j);
    if (has_values && s->args->why) why_json(&s->why, s->run, j);
    report_json_drifts(s, j);
    if (has_values) report_json_global(s, j);
    report_json_atol_check(s, j);
    report_json_estimate(s, j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, j);
    messages_json(&s->messages, j);
}

static void put_document(session *s)
{
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    put_members(s, &j);
    json_end_object(&j);
}

static void put_files_text(const session *s, FILE *file)
{
    const outputs *o = &s->watch.outputs;
    const size_t columns = 1 + dae_columns_count(o->columns);
    for (size_t i = 0; i < o->file_count; i++) {
        const output_file *f = &o->files[i];
        if (strcmp(f->file.name, "-") == 0 || f->has_failed || !f->rows)
            continue;
        (void)fprintf(file, "%s: %lld row%s, %zu column%s\n",
            output_file_name(f), (long long)f->rows, NUMBER_PLURAL(f->rows),
            columns, NUMBER_PLURAL(columns));
    }
    for (size_t i = 0; i < o->picture_count; i++)
        if (o->pictures[i].is_drawn)
            (void)fprintf(file, "%s: %zu curve%s in %zu panel%s\n",
                o->pictures[i].path, s->watch.curves,
                NUMBER_PLURAL(s->watch.curves), s->watch.panels,
                NUMBER_PLURAL(s->watch.panels));
}

static void put_text(session *s)
{
    const args *a = s->args;
    FILE *file = args_write_to_stdout(a) ? stderr : stdout;
    if (!dae_run_has_start(s->run) || a->quiet) return;
    if (a->outputs.count == 0) {
        const char *title = dae_model_title(s->model);
        (void)fprintf(file, "%s\n", *title ? title : dae_model_name(s->model));
        (void)fprintf(file, "t = %.10g (%s)\n\n", dae_run_time(s->run),
            session_status_text(s));
        report_values(s, file);
        if (s->has_watch && s->watch.draws)
            watch_draw(&s->watch, &s->limits, file);
        (void)fputc('\n', file);
    } else if (s->has_watch) {
        put_files_text(s, file);
    }
    session_print_stop(s, file);
    if (a->events && s->has_watch) event_report_print(s->run, file);
    report_drifts(s, file);
    if (a->stats || a->outputs.count == 0) report_reduction(s, file);
    if (a->stats) report_stats(s, file);
    else if (a->outputs.count == 0)
        report_cost(s,
            s->seconds.compile + s->seconds.analyse + s->seconds.initialize
                + s->seconds.solve,
            file);
    if (a->why) why_print(&s->why, s->run, file);
    report_global(s, file);
    report_estimate(s, file);
    if (s->completed && s->counts.held && !s->counts.failed)
        (void)fprintf(file,
            s->counts.held == 1 ? "%zu expectation holds\n"
                                : "%zu expectations hold\n",
            s->counts.held);
}

/* What was computed up to here. */
static void draw_pictures(session *s, bool is_whole)
{
    if (!dae_run_has_start(s->run)) return;
    const dae_status st = watch_draw_files(&s->watch, &s->limits, is_whole);
    if (st && !s->status) s->status = st;
    if (st == DAE_MEMORY || st == DAE_INTERRUPTED) session_explain_stop(s);
}

/* Ends the files of -o; JSON ones get the document's members. */
static bool finish_files(session *s)
{
    if (!s->has_watch) return true;
    const bool is_whole = session_is_whole(s);
    draw_pictures(s, is_whole);
    outputs *o = &s->watch.outputs;
    outputs_end_rows(o);
    if (!is_whole) outputs_tell_kept(o);
    for (size_t i = 0; i < o->file_count; i++) {
        output_file *f = &o->files[i];
        if (!f->is_json) continue;
        put_members(s, &f->json);
        json_end_object(&f->json);
        result_file_end(&f->file);
    }
    return outputs_finish(o, is_whole) == DAE_OK;
}

exit_status cmd_run(const args *a)
{
    session s;
    if (!picture_files_are_named(a, true, stderr)) return EXIT_USAGE;
    bool draws = console_is_terminal(stdout) && !a->json && !a->quiet
        && a->outputs.count == 0;
    if (session_open(&s, a, a->paths.items[0])) session_solve(&s, draws);
    else session_explain_stop(&s);
    if (!finish_files(&s) && !s.status) s.status = DAE_IO;
    if (a->json) put_document(&s);
    else put_text(&s);
    return session_end(&s);
}
