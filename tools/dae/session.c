#include "session.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "options.h"
#include <dae/names.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *load_display_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* As for the library. */
static const size_t TEXT_LARGEST = (size_t)1 << 30;

/* What has been read begins with room for an empty text. */
static dae_status read_stream(FILE *file, phrase *text)
{
    char read_in[1 << 16];
    size_t got = 0;
    do {
        if (phrase_write(text, read_in, got)) return DAE_MEMORY;
        if (text->length > TEXT_LARGEST) return DAE_LIMIT;
        got = fread(read_in, 1, sizeof read_in, file);
    } while (got);
    return ferror(file) ? DAE_IO : DAE_OK;
}

dae_status load_text(const char *path, messages *m, char **text, size_t *length)
{
    bool is_stdin = strcmp(path, "-") == 0;
    phrase whole = {0};
    *text = NULL;
    *length = 0;
    errno = 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    dae_status st = file ? read_stream(file, &whole) : DAE_IO;
    int error = errno;
    if (file && !is_stdin) (void)fclose(file);
    if (st == DAE_IO && error == ENOMEM) st = DAE_MEMORY;
    if (st == DAE_OK) {
        *text = whole.text;
        *length = whole.length;
    } else if (st == DAE_MEMORY)
        messages_add(m, "E0003", "no memory left while reading `%s`",
            load_display_name(path));
    else if (st == DAE_LIMIT)
        messages_add(
            m, "E0004", "`%s` is larger than 1 GiB", load_display_name(path));
    else
        messages_add(m, "E0001", "cannot read `%s`: %s",
            load_display_name(path), error ? strerror(error) : "read error");
    return st;
}

dae_status load_model(const args *a, const char *path, limits *l, messages *m,
    dae_model **model, dae_singular **singular)
{
    const dae_model_options wanted = {.overrides = a->sets.items,
        .override_count = a->sets.count,
        .memory_limit = a->memory_limit,
        .has_start = !isnan(a->from),
        .start = isnan(a->from) ? 0 : a->from,
        .has_end = !isnan(a->to),
        .end = isnan(a->to) ? 0 : a->to,
        .interrupt = limits_stop,
        .interrupt_context = l,
        .singular = singular,
        /* one judgement of a model for all commands, wherever its lines are */
        .canonical = a->command != COMMAND_SHOW,
        .interpreted = args_choose(a->native, "never"),
        .sealed = a->untrusted};
    *model = NULL;
    if (strcmp(path, "-") != 0)
        return dae_model_load(path, &wanted, &l->allocator, m->library, model);
    char *text;
    size_t length;
    dae_status st = load_text(path, m, &text, &length);
    if (st) return st;
    st = dae_model_parse(load_display_name(path), text, length, &wanted,
        &l->allocator, m->library, model);
    memory_drop(text);
    return st;
}

/* ---- the run as the command line asks for it ---- */

/* The number that an option was given; NaN: it was not, or has none. */
static double number_of(const args *a, const option *o)
{
    const void *at = (const char *)a + o->where;
    switch (o->kind) {
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
    case OPTION_NOT_NEGATIVE: return *(const double *)at;
    case OPTION_COUNT:
        return *(const int64_t *)at ? (double)*(const int64_t *)at
                                    : (double)NAN;
    case OPTION_FLAG: return *(const bool *)at ? 1 : (double)NAN;
    case OPTION_ATOL: return a->atol;
    case OPTION_ORDER: return a->order ? a->order : (double)NAN;
    default: return (double)NAN;
    }
}

/* Options of the command that are settings of runs have their names. --step of `dae
 * stability` is about something else. */
static dae_status set_all(dae_run *r, const args *a)
{
    dae_setting known;
    dae_status st = DAE_OK;
    for (size_t i = 0; !st && i < option_count; i++) {
        const option *o = &options[i];
        const char *name = o->name + strspn(o->name, "-");
        if (!(o->commands & a->command) || dae_run_setting(r, name, &known))
            continue;
        if (a->command == COMMAND_STABILITY && strcmp(name, "step") == 0)
            continue;
        if (!known.word) st = dae_run_set_number(r, name, number_of(a, o));
        else
            st = dae_run_set_word(r, name,
                o->kind == OPTION_METHOD
                    ? a->method
                    : *(const char *const *)((const char *)a + o->where));
    }
    return st;
}

static dae_status set_atols(dae_run *r, const args *a, messages *m)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < a->atols.count; k++) {
        const dae_override *o = &a->atols.items[k];
        double value;
        if (!parse_number(o->value, &value) || value < 0) {
            messages_add(m, "E0505", "--atol %s wants a number", o->name);
            return DAE_ARGUMENT;
        }
        st = dae_run_set_atol(r, o->name, value);
    }
    return st;
}

/* The same before it is prepared. */
static dae_status run_set_up(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model)
{
    dae_status st = dae_run_create(model, &l->allocator, m->library, out);
    if (st) return st;
    dae_run_call_settings(*out, "--");
    dae_run_on_interrupt(*out, limits_stop, l);
    st = dae_run_keep(*out, NULL);
    if (!st) st = set_all(*out, a);
    return st ? st : set_atols(*out, a, m);
}

/* A run up to one place in the interval; to its start, where that is all. */
static dae_status end_at_place(dae_run *r, const args *a, messages *m)
{
    const double t0 = dae_run_begin(r), t1 = dae_run_end(r);
    const double at = isnan(a->at) ? t0 : a->at;
    dae_setting to;
    dae_status st = dae_run_setting(r, "to", &to);
    if (!st && !isnan(to.number) && (at - t0) * (at - t1) > 0) {
        messages_add(m, "E0505",
            "--at %.10g is outside of the interval from %.10g to %.10g (--to "
            "makes it longer)",
            at, t0, t1);
        return DAE_ARGUMENT;
    }
    if (!st) st = dae_run_set_number(r, "to", fabs(at - t0) > 0 ? at : t0 + 1);
    return st ? st : dae_run_prepare(r, DAE_RUN_UNWATCHED);
}

/* A run with the settings of the command line; what happens is told in `m`. It is prepared
 * (dae_run_prepare) for what the command does. *out is NULL where there is no run; free
 * also after failure. */
static dae_status run_make(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model)
{
    const unsigned flags = DAE_RUN_UNWATCHED
        | (a->command == COMMAND_ORDERS ? 0 : DAE_RUN_START_ALONE);
    dae_status st = run_set_up(out, a, l, m, model);
    if (!st) st = dae_run_prepare(*out, flags);
    if (!st && a->command == COMMAND_STABILITY) st = end_at_place(*out, a, m);
    return st;
}

/* ---- one line on a terminal ---- */

static const double FIRST_AFTER = 2.0, EVERY = 0.2; /* seconds */

static const double PART_LEAST = 0.01; /* of the interval */

/* What is left at the pace so far, where that has shown itself. */
static void print_left(double elapsed, double part)
{
    if (!(part >= PART_LEAST)) return;
    const double left = elapsed * (1 - part) / part;
    if (left < 120) (void)fprintf(stderr, ", %.0f s left", left);
    else if (left < 7200) (void)fprintf(stderr, ", %.0f min left", left / 60);
    else (void)fprintf(stderr, ", %.1f h left", left / 3600);
}

static void progress_start(progress *p, const args *a, const dae_run *run)
{
    bool wanted = a->progress == WHEN_ALWAYS
        || (a->progress == WHEN_AUTO && !a->quiet && console_is_terminal(stderr)
            && !console_is_dumb());
    const double now = console_clock();
    *p = (progress){.run = run, .enabled = wanted, .began = now, .next = now};
    if (a->progress == WHEN_AUTO) p->next += FIRST_AFTER;
}

static void progress_update(progress *p, double t, double h, int64_t steps)
{
    if (!p->enabled) return;
    const double now = console_clock(), t0 = dae_run_begin(p->run),
                 t1 = dae_run_end(p->run);
    if (now < p->next) return;
    const double part = fmin((t - t0) / (t1 - t0), 1);
    (void)fprintf(stderr,
        "\r\033[Kt = %.6g of %.6g (%.0f %%), %lld steps, "
        "step %.2g",
        t, t1, 100 * part, (long long)steps, h);
    print_left(now - p->began, part);
    (void)fflush(stderr);
    p->shown = true;
    p->next = now + EVERY;
}

/* Wipes the line. */
static void progress_finish(progress *p)
{
    if (p->shown) (void)fputs("\r\033[K", stderr);
    p->shown = false;
}

/* ---- the session ---- */

bool session_begin(session *s, const args *a)
{
    *s = (session){.args = a, .mark = memory_mark()};
    memory_found();
    limits_start(&s->limits, a);
    /* one model out of many that are tested is not to end them all */
    if (a->command != COMMAND_TEST) limits_arm(&s->limits, a);
    if (!messages_init(&s->messages, NULL)) {
        s->status = DAE_MEMORY;
        return false;
    }
    s->messages.is_strict = a->strict;
    return true;
}

bool session_open(session *s, const args *a, const char *path)
{
    return session_begin(s, a) && session_load(s, path);
}

bool session_load(session *s, const char *path)
{
    const args *a = s->args;
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
    dae_run_free(s->run);
    dae_report_free(s->check.report);
    dae_singular_free(s->singular);
    dae_model_free(s->model);
    messages_clear(&s->messages);
    memory_release(s->mark);
    memory_use_none();
}

static bool is_stopped(const session *s)
{
    return dae_run_is_stopped(s->run);
}

void session_set_up(session *s)
{
    dae_run_free(s->run);
    s->has_run = true;
    s->status = run_make(&s->run, s->args, &s->limits, &s->messages, s->model);
}

/* The start, and how long its parts took. */
static dae_status start_run(session *s, run_seconds *times)
{
    const double before = console_clock();
    dae_status st = dae_run_make_solver(s->run);
    const double made = console_clock();
    if (!st) st = dae_run_start(s->run);
    times->analyse = made - before;
    times->initialize = console_clock() - made;
    return st;
}

void session_begin_run(session *s)
{
    s->status = start_run(s, &s->seconds);
}

void session_start(session *s)
{
    session_set_up(s);
    if (!s->status) session_begin_run(s);
}

/* A warning of the start, which --strict makes an error. */
static bool was_warned_of_start(const messages *m)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++)
        if (dae_diagnostic_is_of_start(dae_diagnostics_at(m->library, i)))
            return true;
    return false;
}

void session_analyse(session *s, bool skip_start)
{
    session_set_up(s);
    if (!s->status)
        s->status = check_make(
            &s->check, s->run, skip_start, &s->limits, s->messages.library);
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
    s->status = dae_report_status(s->check.report);
    if (s->status == DAE_INCONSISTENT && is_forgiven(s)) s->status = DAE_OK;
    if (!s->status && s->args->strict && was_warned_of_start(&s->messages))
        s->status = DAE_INCONSISTENT;
    s->completed = s->status == DAE_OK;
    if (!s->check.analysis) return;
    const dae_index_report found = dae_analysis_report(s->check.analysis);
    s->counts = dae_run_judge_structure(
        s->run, &found, s->completed || !is_test, is_test);
}

static double median(double *values, size_t count)
{
    number_sort(values, count);
    size_t middle = count / 2;
    if (count % 2) return values[middle];
    return (values[middle - 1] + values[middle]) / 2;
}

/* One solution; the last of several is the one that is watched. */
static dae_status solve_once(
    session *s, bool is_watched, bool draws, run_seconds *times)
{
    s->has_run = true;
    dae_status st = dae_run_prepare(s->run, is_watched ? 0 : DAE_RUN_UNWATCHED);
    if (!st && is_watched) {
        s->has_watch = true;
        st = watch_init(
            &s->watch, s->args, s->run, &s->limits, &s->messages, draws);
    }
    if (!st) st = start_run(s, times);
    const double before = console_clock();
    s->is_shown = is_watched;
    if (!st)
        st = is_watched ? watch_solve(&s->watch)
                        : dae_run_to(s->run, dae_run_end(s->run));
    s->is_shown = false;
    times->solve = console_clock() - before;
    return st;
}

static void solve_all(session *s, bool draws)
{
    size_t count = s->args->repeat ? (size_t)s->args->repeat : 1;
    double *times = memory_take(count, 3 * sizeof *times);
    s->status = times ? DAE_OK : DAE_MEMORY;
    size_t done = 0;
    while (!s->status && done < count) {
        run_seconds taken = {.analyse = 0};
        s->status = solve_once(s, done + 1 == count, draws, &taken);
        times[done] = taken.analyse;
        times[count + done] = taken.initialize;
        times[2 * count + done] = taken.solve;
        done++;
    }
    if (done) {
        s->seconds.analyse = median(times, done);
        s->seconds.initialize = median(times + count, done);
        s->seconds.solve += median(times + 2 * count, done);
        s->seconds.has_solve = true;
    }
}

static dae_status see_step(void *context, double t, double h, int64_t steps)
{
    session *s = context;
    progress_update(&s->progress, t, h, steps);
    const bool is_asked = s->args->why && s->is_shown;
    return is_asked ? why_note(&s->why, s->run) : DAE_OK;
}

/* With the tolerances of steps that the tolerances of the solution want. */
static dae_status set_up_solving(session *s)
{
    const args *a = s->args;
    dae_status st = run_set_up(&s->run, a, &s->limits, &s->messages, s->model);
    progress_start(&s->progress, a, s->run);
    if (!st) dae_run_on_step(s->run, see_step, s);
    for (size_t k = 0; !st && k < a->drifts.count; k++)
        st = dae_run_watch_drift(s->run, a->drifts.items[k]);
    if (!st) dae_run_note_events(s->run, outputs_want_events(a));
    const double before = console_clock();
    if (!st) st = dae_run_find_global_error(s->run);
    if (dae_run_global_error(s->run).is_asked)
        s->seconds.solve = console_clock() - before;
    return st;
}

void session_solve(session *s, bool draws)
{
    s->status = set_up_solving(s);
    if (!s->status) solve_all(s, draws);
    progress_finish(&s->progress);
    s->completed = s->status == DAE_OK;
    if (s->completed && s->args->estimate_error)
        s->status = dae_run_estimate_error(s->run);
    why_finish(&s->why);
    session_explain_stop(s);
    if (!s->has_watch) return;
    const dae_status judged = dae_run_finish(s->run);
    progress_finish(&s->progress); /* a second run has begun one */
    if (!s->status && judged) {
        s->status = judged;
        session_explain_stop(s);
    }
    s->counts = dae_run_verdicts(s->run);
}

/* In place of the library's E0005, which does not know who asked it to end. */
static void explain_signal(session *s)
{
    messages *m = &s->messages;
    const char *what = limits_signal_text();
    m->replaced = "E0005";
    if (dae_run_has_start(s->run))
        messages_add(m, "E0005", "%s at t = %.10g", what, dae_run_time(s->run));
    else messages_add(m, "E0005", "%s", what);
}

void session_explain_stop(session *s)
{
    messages *m = &s->messages;
    if (s->status == DAE_MEMORY && s->limits.was_stopped)
        s->status = DAE_INTERRUPTED;
    limits_begin_report(&s->limits);
    if (s->status == DAE_MEMORY || s->status == DAE_INTERRUPTED
        || s->limits.memory_refused)
        memory_found();
    if (s->status == DAE_INTERRUPTED) m->hidden = "E0003";
    if (s->status == DAE_INTERRUPTED && s->limits.time_over) {
        m->hidden = "E0003 E0005";
        messages_add(m, "E0004", "the time limit of %g s was reached%s",
            s->args->time_limit,
            dae_run_global_error(s->run).is_asked && !s->has_run
                ? " by runs that look for the tolerances of the steps: there "
                  "is nothing to show yet"
                : "");
    } else if ((s->status == DAE_MEMORY || s->status == DAE_LIMIT)
        && s->limits.memory_refused) {
        m->hidden = "E0003";
        if (!messages_have(m, "E0004"))
            messages_add(m, "E0004", "the memory limit of %zu MiB was reached",
                s->args->memory_limit >> 20);
    } else if (s->status == DAE_MEMORY && !messages_have(m, "E0003")) {
        messages_add(m, "E0003", "out of memory");
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
    return s->limits.time_over && s->has_run
        && dae_run_problem(s->run)->unknown_count > 100000;
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

static const dae_when *stopped_by(const session *s, const char **label)
{
    const dae_problem *p = dae_run_problem(s->run);
    const size_t stop = dae_run_stop(s->run);
    if (stop == SIZE_MAX) return NULL;
    *label = dae_name_of(p, DAE_NAME_WHEN, stop, memory_name());
    return &p->events->whens[stop];
}

void session_print_stop(session *s, FILE *file)
{
    const char *label;
    const dae_when *w = stopped_by(s, &label);
    if (w)
        (void)fprintf(file, "stopped at t = %.10g by %s%s%s\n",
            dae_run_time(s->run), label, *w->stop ? ": " : "", w->stop);
}

void session_json_stop(session *s, json *j)
{
    const char *label;
    const dae_when *w = stopped_by(s, &label);
    if (!w) return;
    json_begin_object(j, "stop");
    json_string(j, "label", label);
    json_string(j, "text", w->stop);
    json_end_object(j);
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
    json_string(j, "model", name);
    json_string(j, "status", session_status_text(s));
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

exit_status session_end(session *s)
{
    const bool flushed = console_flush();
    messages_print(&s->messages, s->args);
    const exit_status status = (exit_status)session_exit(s);
    session_close(s);
    return flushed ? status : EXIT_FILE;
}

exit_status session_end_show(session *s, const args *a)
{
    session_explain_stop(s);
    if (a->json && messages_count(&s->messages)) {
        json j = json_on(stdout);
        json_begin_object(&j, NULL);
        messages_json(&s->messages, &j);
        json_end_object(&j);
    }
    return session_end(s);
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
