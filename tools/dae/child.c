/* posix_spawn and poll; a socket as the child's standard input, since writing
 * to one whose reader is gone can be kept from raising a signal. */
#include "child.h"
#include "console.h"
#include "memory.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How often it is asked whether to stop. */
enum { PATIENCE_MS = 100, PIECE = 1 << 16 };

enum { IN, OUT, ERR, STREAMS };

typedef struct streams {
    int mine[STREAMS], other[STREAMS]; /* -1: closed */
} streams;

static void drop(int *descriptor)
{
    if (*descriptor >= 0) (void)close(*descriptor);
    *descriptor = -1;
}

static void drop_all(streams *s)
{
    for (int k = 0; k < STREAMS; k++) {
        drop(&s->mine[k]);
        drop(&s->other[k]);
    }
}

/* Above the standard ones, which may be closed, and gone in the child. */
static bool set_aside(int *descriptor)
{
    const int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
    const int error = errno;
    drop(descriptor);
    *descriptor = moved;
    errno = error;
    return moved >= 0;
}

static bool open_streams(streams *s)
{
    int pair[2];
    for (int k = 0; k < STREAMS; k++) s->mine[k] = s->other[k] = -1;
    for (int k = 0; k < STREAMS; k++) {
        const bool is_open = k == IN
            ? socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0
            : pipe(pair) == 0;
        if (!is_open) return false;
        s->mine[k] = pair[0];
        s->other[k] = pair[1];
        if (!set_aside(&s->mine[k]) || !set_aside(&s->other[k])) return false;
        if (fcntl(s->mine[k], F_SETFL, O_NONBLOCK)) return false;
    }
    return true;
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
static int spawn(const char *const *words, const streams *s, pid_t *pid)
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
    (void)sigaddset(&defaults, SIGPIPE);
    (void)sigaddset(&defaults, SIGXFSZ);
    for (int k = 0; k < STREAMS && !error; k++)
        error = posix_spawn_file_actions_adddup2(&actions, s->other[k], k);
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

/* ---- what goes in, what comes out ---- */

typedef struct feed {
    const char *text;
    size_t left;
} feed;

static void send_some(streams *s, feed *in)
{
    const ssize_t n = send(s->mine[IN], in->text, in->left, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0) {
        in->text += n;
        in->left -= (size_t)n;
    }
    /* one that does not read on says why elsewhere */
    if (n < 0 || in->left == 0) drop(&s->mine[IN]);
}

static bool read_out(child *c, streams *s)
{
    if (c->room - c->length < PIECE) {
        char *grown = memory_resize(c->out, 2 * c->room + PIECE);
        if (!grown) return false;
        c->out = grown;
        c->room = 2 * c->room + PIECE;
    }
    const ssize_t n = read(s->mine[OUT], c->out + c->length, PIECE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n > 0) c->length += (size_t)n;
    else drop(&s->mine[OUT]);
    return true;
}

/* Of the complaints the last line that says anything. */
typedef struct complaints {
    char line[sizeof((child *)0)->complaint];
    size_t length;
} complaints;

static void end_line(complaints *e, child *c)
{
    e->line[e->length] = '\0';
    if (strspn(e->line, " \t\r^") < e->length)
        memcpy(c->complaint, e->line, e->length + 1);
    e->length = 0;
}

static void read_complaints(complaints *e, child *c, streams *s)
{
    char piece[1024];
    const ssize_t n = read(s->mine[ERR], piece, sizeof piece);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    for (ssize_t k = 0; k < n; k++) {
        if (piece[k] == '\n') end_line(e, c);
        else if (e->length + 1 < sizeof e->line)
            e->line[e->length++] = piece[k];
    }
    if (n > 0) return;
    end_line(e, c);
    drop(&s->mine[ERR]);
}

static child_end exchange(
    child *c, streams *s, feed in, double deadline, limits *l)
{
    complaints e = {.length = 0};
    if (in.left == 0) drop(&s->mine[IN]);
    while (s->mine[OUT] >= 0 || s->mine[ERR] >= 0) {
        struct pollfd polled[STREAMS] = {{s->mine[IN], POLLOUT, 0},
            {s->mine[OUT], POLLIN, 0}, {s->mine[ERR], POLLIN, 0}};
        const int ready = poll(polled, STREAMS, PATIENCE_MS);
        if (l && limits_stop(l)) return CHILD_STOPPED;
        if (console_clock() > deadline) return CHILD_LATE;
        if (ready <= 0) continue;
        if (polled[IN].revents) send_some(s, &in);
        if (polled[OUT].revents && !read_out(c, s)) return CHILD_MEMORY;
        if (polled[ERR].revents) read_complaints(&e, c, s);
    }
    return CHILD_DONE;
}

/* One that has closed its streams may still go on. */
static child_end wait_for(child *c, pid_t pid, child_end end, double deadline)
{
    int status = 0;
    const struct timespec moment = {0, 5 * 1000 * 1000};
    for (;;) {
        if (end == CHILD_DONE && console_clock() > deadline) end = CHILD_LATE;
        if (end != CHILD_DONE) (void)kill(-pid, SIGKILL);
        const pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) break;
        if (got < 0 && errno != EINTR) return CHILD_FAILED;
        (void)nanosleep(&moment, NULL);
    }
    if (WIFEXITED(status)) c->status = WEXITSTATUS(status);
    else if (WIFSIGNALED(status)) c->status = -WTERMSIG(status);
    return end == CHILD_DONE && c->status ? CHILD_FAILED : end;
}

child_end child_run(child *c, const char *const *words, const char *input,
    size_t input_length, double seconds, limits *l)
{
    streams s;
    pid_t pid = 0;
    *c = (child){0};
    /* what has ended a run does not end the drawing of it */
    limits *asked = limits_stop(l) ? NULL : l;
    const bool is_open = open_streams(&s);
    c->error = is_open ? spawn(words, &s, &pid) : errno;
    if (c->error) {
        drop_all(&s);
        return c->error == ENOENT || c->error == EACCES ? CHILD_MISSING
            : c->error == ENOMEM                        ? CHILD_MEMORY
                                                        : CHILD_BROKEN;
    }
    limits_guard_child((int)pid);
    for (int k = 0; k < STREAMS; k++) drop(&s.other[k]);
    const double deadline = console_clock() + seconds;
    child_end end = exchange(
        c, &s, (feed){input, input_length}, deadline, asked);
    drop_all(&s);
    end = wait_for(c, pid, end, deadline);
    limits_guard_child(0);
    return end;
}

/* As posix_spawnp looks: an empty part of PATH is the current folder. */
bool child_exists(const char *name)
{
    const char *path = getenv("PATH");
    if (!path) path = "/bin:/usr/bin";
    for (;;) {
        const size_t n = strcspn(path, ":");
        char *file = malloc(n + strlen(name) + 3);
        if (!file) return true; /* the attempt will say so */
        memcpy(file, n ? path : ".", n ? n : 1);
        file[n ? n : 1] = '/';
        strcpy(file + (n ? n : 1) + 1, name);
        const bool is_there = access(file, X_OK) == 0;
        free(file);
        if (is_there) return true;
        if (!path[n]) return false;
        path += n + 1;
    }
}
