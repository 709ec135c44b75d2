#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "gnuplot.h"
#include "console.h"
#include "gnuplot_script.h"
#include "memory.h"
#include "number.h"
#include "result_file.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Another program, run with a text on its standard input; what it writes is collected.
 * No shell, no pipes: its standard streams are files without names, in memory where the
 * system has such, so that nobody waits for anybody. */

typedef struct child {
    phrase out;          /* what it wrote */
    char complaint[512]; /* the last line on its standard error, "": none */
    char why[48];        /* it failed; "": it did not */
} child;

extern char **environ;

enum { IN, OUT, ERR, STREAMS };

/* A picture has some MB; a program that writes without end is ended. */
enum { OUT_MOST = 1 << 28 };

/* Above the standard streams, which may be closed, and gone in the child; -1: errno
 * says why there is none. */
static int open_nameless(void)
{
    char name[] = "/tmp/picture-XXXXXX";
    int made = -1;
#ifdef MFD_CLOEXEC
    made = memfd_create("picture", MFD_CLOEXEC);
#endif
    if (made < 0 && (made = mkstemp(name)) >= 0) (void)unlink(name);
    if (made < 0) return made;
    const int moved = fcntl(made, F_DUPFD_CLOEXEC, 3), error = errno;
    (void)close(made);
    errno = error;
    return moved;
}

static bool put_text(int descriptor, const char *text, size_t length)
{
    while (length) {
        const ssize_t n = write(descriptor, text, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n;
        length -= (size_t)n;
    }
    return lseek(descriptor, 0, SEEK_SET) == 0;
}

/* The command's own environment, but for the time zone: what tells the time in
 * a file tells it in as many characters everywhere. NULL without memory. */
static char **make_environment(void)
{
    size_t count = 0, n = 0;
    while (environ[count]) count++;
    char **all = memory_take(count + 2, sizeof *all);
    for (size_t k = 0; all && k < count; k++)
        if (strncmp(environ[k], "TZ=", 3) != 0) all[n++] = environ[k];
    /* none of them is written to: the type is older than const */
    if (all) all[n] = (char *)(uintptr_t) "TZ=UTC0";
    return all;
}

/* In a group of its own: Ctrl-C in the terminal is for the command, which ends
 * the child in order. */
static int spawn(const char *const *words, const int *streams, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    char **environment = make_environment();
    int error = environment ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    const bool has_actions = !error;
    if (!error) error = posix_spawnattr_init(&attributes);
    if (error) {
        if (has_actions) (void)posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    (void)sigemptyset(&none);
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGXFSZ);
    for (int k = 0; k < STREAMS && !error; k++)
        error = posix_spawn_file_actions_adddup2(&actions, streams[k], k);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(&attributes,
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
                | POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawnp(pid, words[0], &actions, &attributes,
            (char *const *)(uintptr_t)words, environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static dae_status wait_for(
    child *c, pid_t pid, int out, double deadline, limits *l)
{
    int status = 0;
    pid_t got;
    dae_status st = DAE_OK;
    struct stat so_far;
    const struct timespec moment = {0, 5 * 1000 * 1000};
    while ((got = waitpid(pid, &status, WNOHANG)) != pid) {
        if (got < 0 && errno != EINTR) break;
        if (l && limits_stop(l)) st = DAE_INTERRUPTED;
        else if (!fstat(out, &so_far) && so_far.st_size > OUT_MOST)
            st = DAE_MEMORY;
        else if (console_clock() > deadline)
            (void)strcpy(c->why, "it did not come to an end");
        if (st || *c->why) (void)kill(-pid, SIGKILL);
        (void)nanosleep(&moment, NULL);
    }
    if (st || *c->why) return st;
    if (WIFSIGNALED(status))
        (void)snprintf(c->why, sizeof c->why, "signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        (void)snprintf(
            c->why, sizeof c->why, "exit status %d", WEXITSTATUS(status));
    return DAE_OK;
}

static bool read_out(child *c, int out)
{
    char read_in[1 << 16];
    ssize_t n = lseek(out, 0, SEEK_SET);
    while (n >= 0 && (n = read(out, read_in, sizeof read_in)) > 0)
        if (phrase_write(&c->out, read_in, (size_t)n)) return false;
    return n == 0;
}

/* Of the complaints the last line that says anything. */
static void read_complaint(child *c, int err)
{
    char tail[4096];
    const off_t length = lseek(err, 0, SEEK_END);
    const off_t from = length < (off_t)sizeof tail ? 0 : length - 4095;
    const ssize_t n = pread(err, tail, sizeof tail - 1, from);
    tail[n > 0 ? n : 0] = '\0';
    for (char *at = tail; *at; at += strspn(at, "\n")) {
        const size_t line = strcspn(at, "\n");
        if (strspn(at, " \t\r^") < line)
            (void)snprintf(
                c->complaint, sizeof c->complaint, "%.*s", (int)line, at);
        at += line;
    }
}

/* `words` ends in NULL; words[0] is looked up on the PATH: DAE_UNSUPPORTED where there
 * is none. Ends the program after `seconds`, or when `l` says so and did not at the
 * beginning; a time limit or a second signal that ends the command at once ends the
 * program as well. */
static dae_status child_run(child *c, const char *const *words,
    const phrase *input, double seconds, limits *l)
{
    int streams[STREAMS];
    pid_t pid = 0;
    dae_status st = DAE_OK;
    bool is_open = true;
    *c = (child){0};
    /* what has ended a run does not end the drawing of it */
    limits *asked = limits_stop(l) ? NULL : l;
    for (int k = 0; k < STREAMS; k++)
        is_open &= (streams[k] = open_nameless()) >= 0;
    is_open = is_open && put_text(streams[IN], input->text, input->length);
    const int error = is_open ? spawn(words, streams, &pid) : errno;
    if (!error) {
        limits_guard_child((int)pid);
        st = wait_for(c, pid, streams[OUT], console_clock() + seconds, asked);
        limits_guard_child(0);
        read_complaint(c, streams[ERR]);
        if (!st && !read_out(c, streams[OUT])) st = DAE_MEMORY;
    } else if (is_open && (error == ENOENT || error == EACCES)) {
        st = DAE_UNSUPPORTED;
    } else if (error == ENOMEM) {
        st = DAE_MEMORY;
    } else {
        (void)strcpy(c->why,
            is_open ? "it could not be started"
                    : "no temporary file for what it reads and writes");
        (void)snprintf(
            c->complaint, sizeof c->complaint, "%s", strerror(error));
    }
    for (int k = 0; k < STREAMS; k++)
        if (streams[k] >= 0) (void)close(streams[k]);
    return st;
}

/* As posix_spawnp looks: an empty part of PATH is the current folder. */
static bool child_exists(const char *name)
{
    const char *path = getenv("PATH");
    if (!path) path = "/bin:/usr/bin";
    for (;; path++) {
        char file[4096]; /* as long as paths are */
        const size_t n = strcspn(path, ":");
        (void)snprintf(
            file, sizeof file, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
        if (access(file, X_OK) == 0) return true;
        path += n;
        if (!*path) return false;
    }
}

/* ---- gnuplot ---- */

/* A picture takes a tenth of a second, or two; who waits for a run that was
 * told to end waits less. */
static const double PATIENCE = 60, PATIENCE_LATE = 5;

static const char MISSING[] =
    "needs gnuplot, which is not on the PATH. Debian: `apt-get install "
    "gnuplot-nox`; all but pictures works without it";

static dae_status refuse_missing(const char *path, messages *m)
{
    messages_add(m, "E0006", "to draw `%s` %s", path, MISSING);
    return DAE_IO;
}

dae_status gnuplot_expect(const char *path, const dae_model *model, messages *m)
{
    if (!child_exists("gnuplot")) return refuse_missing(path, m);
    return result_file_expect(path, model, m);
}

/* ---- what gnuplot made ---- */

static bool begins_with(const child *c, const char *text)
{
    const size_t n = strlen(text);
    return c->out.length > n && memcmp(c->out.text, text, n) == 0;
}

static bool is_picture(const child *c, picture_format format)
{
    static const char *const begins[] = {"<?xml", "\x89PNG\r\n", "%PDF-"};
    static const char *const ends[] = {"</svg>", "IEND", "%%EOF"};
    const size_t tail = c->out.length < 32 ? c->out.length : 32;
    const size_t n = strlen(ends[format]);
    if (!begins_with(c, begins[format])) return false;
    for (size_t k = n; k <= tail; k++)
        if (memcmp(c->out.text + c->out.length - k, ends[format], n) == 0)
            return true;
    return false;
}

/* Neither gnuplot nor cairo can leave out when a PDF was made: the same day
 * for all of them, in as many characters, since places are counted in it. */
static void take_date(child *c)
{
    static const char key[] = "/CreationDate (D:", day[] = "20000101000000";
    const size_t n = sizeof key - 1, all = n + sizeof day - 1;
    for (size_t k = 0; k + all <= c->out.length; k++)
        if (memcmp(c->out.text + k, key, n) == 0)
            memcpy(c->out.text + k + n, day, sizeof day - 1);
}

dae_status gnuplot_draw_script(const phrase *script, const char *path,
    bool is_whole, limits *l, messages *m)
{
    /* -d: no settings of the user's, who may like them elsewhere */
    static const char *const words[] = {"gnuplot", "-d", "-", NULL};
    const picture_format format = picture_format_of(path);
    child c;
    const dae_status st = child_run(
        &c, words, script, limits_stop(l) ? PATIENCE_LATE : PATIENCE, l);
    if (st == DAE_UNSUPPORTED) return refuse_missing(path, m);
    if (st) return st;
    if (!*c.why && !is_picture(&c, format))
        (void)strcpy(c.why, "it wrote no whole picture");
    if (*c.why) {
        messages_add(m, "E0006", "gnuplot failed to draw `%s`: %s%s%s", path,
            c.why, *c.complaint ? ": " : "", c.complaint);
        return DAE_IO;
    }
    if (format == PICTURE_PDF) take_date(&c);
    return result_file_put(
        path, RESULT_PICTURE, c.out.text, c.out.length, is_whole, m);
}

dae_status gnuplot_draw(
    const picture *p, const char *path, bool is_whole, limits *l, messages *m)
{
    phrase script = {0};
    gnuplot_script(p, picture_format_of(path), &script);
    return memory_was_lost()
        ? DAE_MEMORY
        : gnuplot_draw_script(&script, path, is_whole, l, m);
}

/* ---- the pictures of -o ---- */

bool picture_files_are_named(const args *a, bool with_tables, FILE *errors)
{
    for (size_t i = 0; i < a->outputs.count; i++) {
        const char *path = a->outputs.items[i];
        if (picture_format_of(path) != PICTURE_NONE) continue;
        if (with_tables
            && (strcmp(path, "-") == 0 || args_ends_in(path, ".csv")
                || args_ends_in(path, ".json")))
            continue;
        (void)fprintf(errors, "dae: the name of %s, unlike `%s`\n",
            with_tables
                ? "an output file ends in .csv, .json, .svg, .png or .pdf"
                : "a picture ends in .svg, .png or .pdf",
            path);
        return false;
    }
    return true;
}

void picture_files_expect(session *s)
{
    const string_list *paths = &s->args->outputs;
    for (size_t i = 0; i < paths->count && !s->status; i++)
        s->status = gnuplot_expect(paths->items[i], s->model, &s->messages);
}

void picture_files_draw(session *s, const picture *p)
{
    const string_list *paths = &s->args->outputs;
    for (size_t i = 0; i < paths->count && !s->status; i++)
        s->status = gnuplot_draw(
            p, paths->items[i], true, &s->limits, &s->messages);
}

void picture_files_tell(const session *s, size_t count, const char *what)
{
    const string_list *paths = &s->args->outputs;
    if (s->status) return;
    for (size_t i = 0; i < paths->count; i++)
        (void)printf("%s%s: %zu %s%s\n", i ? "" : "\n", paths->items[i], count,
            what, NUMBER_PLURAL(count));
}
