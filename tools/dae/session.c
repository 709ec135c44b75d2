#include "session.h"
#include "console.h"
#include "memory.h"
#include "names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool session_open(session *s, const args *a, const char *path)
{
    memset(s, 0, sizeof *s);
    s->args = a;
    limits_start(&s->limits, a);
    /* one model out of many that are tested is not to end them all */
    if (a->command != COMMAND_TEST) limits_arm(&s->limits, a);
    if (!messages_init(&s->messages, NULL)) {
        s->status = DAE_MEMORY;
        return false;
    }
    s->messages.is_strict = a->strict;
    /* while it waits for standard input a signal ends the command at once */
    if (strcmp(path, "-") != 0) limits_hold_interrupts();
    double before = console_clock();
    s->status = load_model(
        a, path, &s->limits, &s->messages, &s->model, &s->singular);
    s->check.singular = s->singular;
    limits_hold_interrupts();
    s->seconds.compile = console_clock() - before;
    if (!s->status && limits_stop(&s->limits)) s->status = DAE_INTERRUPTED;
    return s->status == DAE_OK;
}

void session_close(session *s)
{
    if (s->has_watch) watch_clear(&s->watch);
    if (s->has_run) runner_clear(&s->run);
    why_clear(&s->why);
    estimate_clear(&s->estimate);
    check_clear(&s->check);
    dae_singular_free(s->singular);
    dae_model_free(s->model);
    messages_clear(&s->messages);
    memory_use_none();
    memset(s, 0, sizeof *s);
}

static bool is_stopped(const session *s)
{
    return s->has_run && s->run.is_stopped;
}

static dae_status set_up(session *s)
{
    if (s->has_run) runner_clear(&s->run);
    s->has_run = true;
    return runner_init(&s->run, s->args, &s->limits, &s->messages, s->model,
        s->is_global ? s->global.factor : 1);
}

void session_start(session *s)
{
    s->status = set_up(s);
    if (!s->status) s->status = runner_start(&s->run);
    s->seconds.analyse = s->run.times.analyse;
    s->seconds.initialize = s->run.times.initialize;
}

/* A warning of the start, which --strict makes an error. */
static bool was_warned_of_start(const messages *m)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        if (messages_is_about_start(dae_diagnostics_at(m->library, i)))
            return true;
    return false;
}

void session_analyse(session *s, bool skip_start)
{
    s->status = set_up(s);
    if (!s->status)
        s->status = check_make(
            &s->check, &s->run, skip_start, s->messages.library);
    s->seconds.analyse = s->check.seconds;
}

/* Guesses in place of missing conditions are allowed in a test, as in a run. */
static bool is_forgiven(const session *s)
{
    return s->args->command == COMMAND_TEST && !s->args->strict
        && s->check.analysis->start.verdict == DAE_START_UNDERDETERMINED;
}

void session_check(session *s)
{
    const bool is_test = s->args->command == COMMAND_TEST;
    session_analyse(s, false);
    if (s->status) return;
    s->status = check_status(&s->check);
    if (s->status == DAE_INCONSISTENT && is_forgiven(s)) s->status = DAE_OK;
    if (!s->status && s->args->strict && was_warned_of_start(&s->messages))
        s->status = DAE_INCONSISTENT;
    s->completed = s->status == DAE_OK;
    const dae_index_report found = check_index_report(&s->check);
    s->counts = expect_structure(s->model, &found, &s->messages);
    expect_of_check(
        s->model, &s->messages, &s->counts, s->completed || !is_test, is_test);
}

/* The run's own analysis has told, or another one does, without its warnings: what
 * it finds wrong is no news after a run. */
static dae_status find_structure(session *s, dae_index_report *out)
{
    *out = *dae_solver_index_report(s->run.solver);
    if (out->is_known) return DAE_OK;
    runner_rest(&s->run.problem);
    const dae_status st = check_make(&s->check, &s->run, false, NULL);
    if (!st) *out = check_index_report(&s->check);
    return st;
}

/* What the model expects of its structure, of a run that came to its end. */
static void check_expected_structure(session *s)
{
    dae_index_report report;
    if (!expect_asks_structure(s->model)) return;
    s->status = find_structure(s, &report);
    if (s->status) return;
    const expect_counts found = expect_structure(
        s->model, &report, &s->messages);
    s->counts.held += found.held;
    s->counts.failed += found.failed;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_numbers);
    size_t middle = count / 2;
    if (count % 2) return values[middle];
    return (values[middle - 1] + values[middle]) / 2;
}

/* One solution; the last of several is the one that is watched. */
static dae_status solve_once(session *s, bool is_watched, bool draws)
{
    dae_status st = set_up(s);
    if (st) return st;
    if (is_watched) {
        s->has_watch = true;
        st = watch_init(&s->watch, s->args, &s->run, &s->messages, draws);
        if (st) return st;
        watch_attach(&s->watch, &s->run);
        if (s->args->why) s->run.why = &s->why;
    }
    st = runner_start(&s->run);
    return st ? st : runner_steps(&s->run);
}

static void solve_all(session *s, bool draws)
{
    size_t count = s->args->repeat ? (size_t)s->args->repeat : 1;
    double *times = calloc(count, 3 * sizeof *times);
    s->status = times ? DAE_OK : DAE_MEMORY;
    size_t done = 0;
    while (!s->status && done < count) {
        s->status = solve_once(s, done + 1 == count, draws);
        times[done] = s->run.times.analyse;
        times[count + done] = s->run.times.initialize;
        times[2 * count + done] = s->run.times.solve;
        done++;
    }
    if (done) {
        s->seconds.analyse = median(times, done);
        s->seconds.initialize = median(times + count, done);
        s->seconds.solve = median(times + 2 * count, done);
        if (s->is_global) s->seconds.solve += s->global.seconds;
        s->seconds.has_solve = true;
    }
    free(times);
}

/* Which tolerances of steps the tolerances of the solution want. */
static dae_status set_tolerances(session *s)
{
    s->is_global = global_is_asked(s->args, s->model);
    if (!s->is_global) return DAE_OK;
    return global_find(&s->global, s->args, &s->limits, &s->messages, s->model);
}

void session_solve(session *s, bool draws)
{
    s->status = set_tolerances(s);
    if (!s->status) solve_all(s, draws);
    s->completed = s->status == DAE_OK;
    if (s->completed && s->args->estimate_error)
        s->status = s->is_global
            ? estimate_try(&s->estimate, &s->run)
            : estimate_make(&s->estimate, &s->run, &s->messages);
    if (why_finish(&s->why) && !s->status) s->status = DAE_MEMORY;
    session_explain_stop(s);
    if (s->has_watch)
        s->counts = expect_finish(&s->watch.expectations, &s->messages,
            s->completed, is_stopped(s) ? s->run.t : (double)NAN);
    if (s->completed && !s->status) check_expected_structure(s);
}

/* In place of the library's E0005, which does not know who asked it to end. */
static void explain_signal(session *s)
{
    messages *m = &s->messages;
    const char *what = limits_signal_text();
    m->replaced = "E0005";
    if (s->has_run && s->run.has_start)
        messages_add(m, "E0005", DAE_ERROR, NULL, NULL, "%s at t = %.10g", what,
            s->run.t);
    else messages_add(m, "E0005", DAE_ERROR, NULL, NULL, "%s", what);
}

void session_explain_stop(session *s)
{
    messages *m = &s->messages;
    if (s->status == DAE_MEMORY && s->limits.was_stopped)
        s->status = DAE_INTERRUPTED;
    limits_begin_report(&s->limits);
    if (s->status == DAE_INTERRUPTED) m->hidden = "E0003";
    if (s->status == DAE_INTERRUPTED && s->limits.time_over) {
        m->hidden = "E0003 E0005";
        messages_add(m, "E0004", DAE_ERROR, NULL, NULL,
            "the time limit of %g s was reached%s", s->args->time_limit,
            s->is_global && !s->has_run
                ? " by runs that look for the tolerances of the steps: there "
                  "is nothing to show yet"
                : "");
    } else if ((s->status == DAE_MEMORY || s->status == DAE_LIMIT)
        && s->limits.memory_refused) {
        m->hidden = "E0003";
        if (!messages_have(m, "E0004"))
            messages_add(m, "E0004", DAE_ERROR, NULL, NULL,
                "the memory limit of %zu MiB was reached",
                s->args->memory_limit >> 20);
    } else if (s->status == DAE_MEMORY && !messages_have(m, "E0003")) {
        messages_add(m, "E0003", DAE_ERROR, NULL, NULL, "out of memory");
    } else if (s->status == DAE_INTERRUPTED) {
        explain_signal(s);
    }
}

bool session_is_whole(const session *s)
{
    return s->status != DAE_INTERRUPTED && s->status != DAE_LIMIT
        && s->status != DAE_MEMORY && s->status != DAE_IO;
}

bool session_is_late(const session *s)
{
    return s->limits.time_over && s->has_run && s->run.unknown_count > 100000;
}

void session_name(const session *s, const char *path, char *text, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strcmp(path, "-") == 0) name = "stdin";
    else if (s->model) name = dae_model_name(s->model);
    (void)snprintf(text, size, "%s", name);
    char *dot = s->model ? NULL : strrchr(text, '.');
    if (dot && dot != text) *dot = '\0';
}

static const dae_when *stopped_by(const session *s, name_buffer *label)
{
    const run *r = &s->run;
    if (!is_stopped(s) || r->stop == SIZE_MAX) return NULL;
    (void)name_of(&r->problem, DAE_NAME_WHEN, r->stop, label);
    return &r->problem.events->whens[r->stop];
}

void session_print_stop(const session *s, FILE *file)
{
    name_buffer label = {0};
    const dae_when *w = stopped_by(s, &label);
    if (w)
        (void)fprintf(file, "stopped at t = %.10g by %s%s%s\n", s->run.t,
            label.failed ? "?" : label.text, *w->stop ? ": " : "", w->stop);
    if (!name_done(&label)) messages_lose(s->run.messages);
}

void session_json_stop(const session *s, json *j)
{
    name_buffer label = {0};
    const dae_when *w = stopped_by(s, &label);
    if (w) {
        json_key(j, "stop");
        json_begin_object(j);
        json_key(j, "label"), json_string(j, label.failed ? "?" : label.text);
        json_key(j, "text"), json_string(j, w->stop);
        json_end_object(j);
    }
    if (!name_done(&label)) messages_lose(s->run.messages);
}

const char *session_status_text(const session *s)
{
    switch (s->status) {
    case DAE_OK: return is_stopped(s) ? "stopped" : "done";
    case DAE_INCONSISTENT: return "inconsistent";
    case DAE_LIMIT:
    case DAE_MEMORY: return "limit";
    case DAE_INTERRUPTED: return s->limits.time_over ? "limit" : "interrupted";
    default: return "failed";
    }
}

void session_json_head(const session *s, json *j)
{
    char name[256];
    session_name(s, s->args->paths.items[0], name, sizeof name);
    json_key(j, "model"), json_string(j, name);
    json_key(j, "status"), json_string(j, session_status_text(s));
}

int session_exit(const session *s)
{
    if (s->status == DAE_INTERRUPTED && s->limits.time_over) return EXIT_LIMIT;
    /* whose fault it is nobody knows any more */
    if (s->status == DAE_MODEL && messages_are_incomplete(&s->messages)
        && dae_diagnostics_count(s->messages.library) == 0)
        return EXIT_LIMIT;
    /* the texts of --set are the command line's, not the model's */
    if (s->status == DAE_MODEL && messages_blame(&s->messages, "--set"))
        return EXIT_USAGE;
    if (s->status) return (int)exit_of(s->status);
    if (s->counts.failed || s->counts.codes_missing) return EXIT_CHECK;
    return messages_are_incomplete(&s->messages) ? EXIT_LIMIT : EXIT_DONE;
}

exit_status session_end_show(session *s, const args *a)
{
    session_explain_stop(s);
    bool flushed = console_flush();
    if (a->json && messages_count(&s->messages)) {
        json j = json_on(stdout);
        json_begin_object(&j);
        messages_json(&s->messages, &j);
        json_end_object(&j);
    }
    messages_print(&s->messages, a);
    int status = session_exit(s);
    session_close(s);
    return flushed ? (exit_status)status : EXIT_FILE;
}

exit_status session_show(const args *a, dae_status (*show)(session *))
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) {
        session_start(&s);
        if (!s.status) s.status = show(&s);
    }
    return session_end_show(&s, a);
}
