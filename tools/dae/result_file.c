/* Locks, links and modes are of files beside each other; a signal handler may come
 * between any two statements: what it reads is written in an order that suits it. */
#define _XOPEN_SOURCE 700
#include "result_file.h"
#include "console.h"
#include "limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file system gives back blocks of this size at least. */
enum { BLOCK = 4096, BUFFER = 1 << 16, LINKS_MOST = 40, BESIDE_MOST = 100 };

/* What was computed up to a second before a process is killed is in the file; a reader
 * who has stopped reading holds up a command that is told to end for so long. */
static const double FLUSH_SECONDS = 1, PATIENCE = 0.1;

/* Of the process, for the handler. */
static result_file *opened;

/* ---- targets ---- */

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* What the link at `path` points to, seen from where `path` is. */
static char *read_link(const char *path)
{
    char to[BLOCK];
    const ssize_t n = readlink(path, to, sizeof to - 1);
    if (n < 0) return NULL;
    const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *whole = copy_text(path, folder + (size_t)n);
    if (whole) memcpy(whole + folder, to, (size_t)n);
    return whole;
}

/* The name is kept where there is no file of it yet. */
static char *follow_links(const char *name)
{
    char *path = copy_text(name, strlen(name));
    for (int k = 0; path && k < LINKS_MOST; k++) {
        struct stat s;
        if (lstat(path, &s) || !S_ISLNK(s.st_mode)) return path;
        char *next = read_link(path);
        const int error = errno;
        free(path);
        errno = error;
        path = next;
    }
    if (path) errno = ELOOP;
    free(path);
    return NULL;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The standard stream that is this file, -1: none. */
static int stream_of(const struct stat *file)
{
    struct stat s;
    for (int k = STDOUT_FILENO; k <= STDERR_FILENO; k++)
        if (fstat(k, &s) == 0 && is_same_file(file, &s)) return k;
    return -1;
}

/* What the target of a name is before anything is written. */
typedef struct target {
    struct stat now; /* where it exists */
    bool exists, is_direct;
    int stream; /* of `now`, -1: none */
} target;

static bool find_target(const char *name, target *t)
{
    *t = (target){.stream = -1};
    errno = 0;
    if (strcmp(name, "-") == 0) {
        t->stream = STDOUT_FILENO;
        t->is_direct = t->exists = true;
        return fstat(STDOUT_FILENO, &t->now) == 0;
    }
    t->exists = stat(name, &t->now) == 0;
    if (!t->exists) return errno == ENOENT;
    if (S_ISDIR(t->now.st_mode)) errno = EISDIR;
    else if (access(name, W_OK) == 0) errno = 0;
    if (errno) return false;
    t->stream = stream_of(&t->now);
    t->is_direct = t->stream >= 0 || !S_ISREG(t->now.st_mode);
    return true;
}

/* A file of this name is one that the model was read from. */
static bool is_input(const char *path, const dae_model *model)
{
    struct stat s, input;
    if (!model || stat(path, &s) || !S_ISREG(s.st_mode)) return false;
    if (fstat(STDIN_FILENO, &input) == 0 && is_same_file(&s, &input))
        return true;
    const char *name;
    for (size_t k = 0; (name = dae_model_file(model, k)) != NULL; k++)
        if (stat(name, &input) == 0 && is_same_file(&s, &input)) return true;
    return false;
}

/* The folder of a name; false: there is none, or no memory for it. */
static bool find_folder(const char *name, struct stat *folder)
{
    const char *slash = strrchr(name, '/');
    if (!slash) return stat(".", folder) == 0;
    char *copy = copy_text(name, (size_t)(slash - name) + 1);
    const bool is_found = copy && stat(copy, folder) == 0;
    free(copy);
    return is_found;
}

/* Whether two names are of one file, which need not be there: of one folder by one name. */
static bool is_same_place(const char *one, const char *two)
{
    const char *a = strrchr(one, '/'), *b = strrchr(two, '/');
    struct stat s, t;
    if (strcmp(a ? a + 1 : one, b ? b + 1 : two) != 0) return false;
    return find_folder(one, &s) && find_folder(two, &t) && is_same_file(&s, &t);
}

/* Another file of this command is to take its place, or is kept under its name. */
static bool is_taken(const char *path)
{
    for (const result_file *f = opened; f; f = f->next)
        if (f->beside
            && (is_same_place(f->path, path) || is_same_place(f->beside, path)))
            return true;
    return false;
}

/* ---- beside it ---- */

static bool open_unique(result_file *f)
{
    const size_t length = strlen(f->path);
    f->beside = malloc(length + sizeof ".XXXXXX");
    if (!f->beside) {
        errno = ENOMEM;
        return false;
    }
    memcpy(f->beside, f->path, length);
    strcpy(f->beside + length, ".XXXXXX");
    f->descriptor = mkstemp(f->beside);
    return f->descriptor >= 0;
}

/* "a.partial.csv", and for k > 1 "a.partial-2.csv". */
static char *partial_name(const char *path, int k)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t length = strlen(path);
    if (!dot || dot == path || (slash && dot <= slash + 1)) dot = path + length;
    char *name = malloc(length + 32);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    (void)sprintf(name, k > 1 ? "%.*s.partial-%d%s" : "%.*s.partial%.0d%s",
        (int)(dot - path), path, k > 1 ? k : 0, dot);
    return name;
}

static bool lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_SETLK, &whole) == 0) return true;
    return errno != EACCES && errno != EAGAIN; /* some file systems have none */
}

/* What an earlier run has left there goes, but not what another one writes. */
static bool make_way(const char *name, const dae_model *model)
{
    for (const result_file *f = opened; f; f = f->next)
        if (f->beside && strcmp(f->beside, name) == 0) return false;
    if (is_input(name, model)) return false;
    const int descriptor = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    const bool is_free = lock(descriptor);
    if (is_free) (void)unlink(name);
    (void)close(descriptor);
    return is_free;
}

static bool open_partial(result_file *f, mode_t mode, const dae_model *model)
{
    for (int k = 1; k < BESIDE_MOST; k++) {
        f->beside = partial_name(f->path, k);
        if (!f->beside) return false;
        if (!is_taken(f->beside) && make_way(f->beside, model)) {
            f->descriptor = open(f->beside,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
            if (f->descriptor >= 0) {
                (void)lock(f->descriptor);
                return true;
            }
            if (errno != EEXIST) return false;
        }
        free(f->beside);
        f->beside = NULL;
    }
    errno = EEXIST;
    return false;
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static bool open_beside(result_file *f, const target *t, const dae_model *model)
{
    const mode_t mode = t->exists ? t->now.st_mode & 07777 : usual_mode();
    f->path = follow_links(f->name);
    if (!f->path) return false;
    f->is_twice = is_taken(f->path);
    if (f->is_twice) {
        errno = EEXIST;
        return false;
    }
    const bool is_open = f->kind == RESULT_ROWS
        ? open_partial(f, mode & 0777, model)
        : open_unique(f);
    if (!is_open) return false;
    /* an owner that cannot be given keeps its own */
    if (t->exists && fchown(f->descriptor, t->now.st_uid, t->now.st_gid))
        errno = 0;
    return fchmod(f->descriptor, mode) == 0;
}

/* ---- bytes ---- */

static bool fail(result_file *f)
{
    if (!f->error) f->error = errno ? errno : EIO;
    return false;
}

/* Whether a reader of a pipe reads on, however long that takes, unless the command is
 * told to end. */
static bool wait_for_reader(const result_file *f)
{
    double told = 0;
    for (;;) {
        struct pollfd p = {f->descriptor, POLLOUT, 0};
        const int ready = poll(&p, 1, (int)(1000 * PATIENCE / 4));
        if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
        if (!limits_signal()) continue;
        const double now = console_clock();
        if (told > 0 && now - told > PATIENCE) break;
        if (!(told > 0)) told = now;
    }
    errno = EINTR;
    return false;
}

/* The handler sees what is in the file and what is not: it waits meanwhile. A pipe may
 * keep one waiting, and has nothing to be cut. */
static bool write_all(result_file *f, const char *bytes, size_t length)
{
    sigset_t all, before;
    limits_spend_output(length);
    errno = 0;
    if (f->beside
        && (sigfillset(&all) || sigprocmask(SIG_BLOCK, &all, &before)))
        return fail(f);
    while (length && (f->beside || wait_for_reader(f))) {
        const size_t piece = f->beside || length < BLOCK ? length : BLOCK;
        const ssize_t n = write(f->descriptor, bytes, piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bytes += n;
        length -= (size_t)n;
        f->written += n;
    }
    const int error = errno;
    if (f->beside) (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return length == 0 || fail(f);
}

static bool flush(result_file *f)
{
    if (f->error) return false;
    const size_t waiting = f->waiting;
    f->flushed = console_clock();
    /* of what is written the handler writes nothing again: `written` tells */
    if (waiting && !write_all(f, f->buffer, waiting)) return false;
    f->buffered = f->written;
    f->waiting = 0;
    f->marks[0] = f->marks[f->mark_count - 1];
    f->mark_count = 1;
    return true;
}

int result_file_write(void *file, const char *bytes, size_t length)
{
    result_file *f = file;
    if (f->error) return 1;
    if (length > BUFFER - f->waiting && !flush(f)) return 1;
    if (length > BUFFER) {
        if (!write_all(f, bytes, length)) return 1;
        f->buffered = f->written;
        return 0;
    }
    if (length) memcpy(f->buffer + f->waiting, bytes, length);
    atomic_signal_fence(memory_order_release);
    f->waiting += length;
    return 0;
}

void result_file_mark(result_file *f)
{
    if (f->error) return;
    f->marks[f->mark_count] = f->buffered + (int64_t)f->waiting;
    atomic_signal_fence(memory_order_release);
    f->mark_count++;
    const int64_t end = f->marks[f->mark_count - 1];
    if (f->head == 0) f->head = end;
    f->has_rows = end > f->head;
    const size_t most = f->beside ? BUFFER / 2 : BLOCK;
    if (f->waiting >= most || f->mark_count == RESULT_MARKS
        || console_clock() > f->flushed + FLUSH_SECONDS)
        (void)flush(f);
}

void result_file_end(result_file *f)
{
    if (f->error) return;
    f->closing = "";
    atomic_signal_fence(memory_order_release);
    result_file_mark(f);
}

bool result_file_has_rows(const result_file *f)
{
    return f->beside && f->has_rows;
}

/* ---- ends ---- */

/* Writes what is known to be whole, and what makes a document of it. Also in a signal
 * handler. */
static bool cut_at(result_file *f, int64_t end)
{
    const size_t closing = strlen(f->closing);
    if (end > f->written) {
        const char *bytes = f->buffer + (f->written - f->buffered);
        const size_t rest = (size_t)(end - f->written);
        const ssize_t n = write(f->descriptor, bytes, rest);
        if (n > 0) f->written += n;
        if (n < 0 || (size_t)n < rest) return false;
    }
    if (ftruncate(f->descriptor, (off_t)end)) return false;
    f->written = end;
    f->has_rows = end > f->head;
    if (lseek(f->descriptor, (off_t)end, SEEK_SET) < 0) return false;
    return write(f->descriptor, f->closing, closing) == (ssize_t)closing;
}

/* At the last mark, or where no room is left for the closing so far before it that
 * there is. */
static void cut(result_file *f)
{
    if (cut_at(f, f->marks[f->mark_count - 1])) return;
    for (int k = 0; k < 2; k++) {
        const int64_t most = f->written - k * BLOCK;
        size_t m = f->mark_count - 1;
        while (m > 0 && f->marks[m] > most) m--;
        if (f->marks[m] <= f->written && cut_at(f, f->marks[m])) return;
    }
    f->has_rows = f->written > f->head; /* what there is cannot be changed */
}

static void forget(result_file *f)
{
    for (result_file **at = &opened; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
}

static bool close_it(result_file *f)
{
    const int descriptor = f->descriptor;
    f->descriptor = -1;
    return close(descriptor) == 0 || fail(f);
}

/* Some file systems sync nothing. */
static bool sync_it(result_file *f)
{
    errno = 0;
    return fsync(f->descriptor) == 0 || errno == EINVAL || fail(f);
}

/* After a crash of the machine there is the old file or the new one, whether this works
 * or not. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? copy_text(path, (size_t)(slash - path) + 1)
                         : copy_text(".", 1);
    const int descriptor = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        (void)close(descriptor);
    }
    free(folder);
}

/* Nobody has put another file in its place. */
static bool is_still_there(const result_file *f)
{
    struct stat mine, there;
    errno = 0;
    if (fstat(f->descriptor, &mine) || lstat(f->beside, &there)) return false;
    if (!is_same_file(&mine, &there)) errno = ESTALE;
    return errno == 0;
}

static bool take_place(result_file *f)
{
    if (!flush(f) || !sync_it(f)) return false;
    if (!is_still_there(f) || rename(f->beside, f->path)) return fail(f);
    free(f->beside);
    f->beside = NULL;
    (void)close_it(f); /* what it holds is synced */
    sync_folder(f->path);
    return true;
}

/* A picture of what was computed gets the name that tells what it is. */
static bool rename_piece(result_file *f)
{
    char *name = partial_name(f->path, 1);
    if (!name || !flush(f) || !sync_it(f) || rename(f->beside, name)) {
        const int error = errno;
        free(name);
        errno = error;
        return fail(f);
    }
    free(f->beside);
    f->beside = name;
    f->is_kept = true;
    return close_it(f);
}

static bool stay_beside(result_file *f)
{
    cut(f);
    (void)fsync(f->descriptor);
    f->is_kept = f->has_rows;
    return close_it(f);
}

bool result_file_finish(result_file *f, bool is_whole)
{
    if (f->descriptor < 0) return !f->error;
    errno = 0;
    if (!f->beside) {
        const bool is_written = flush(f);
        return close_it(f) && is_written;
    }
    forget(f);
    if (is_whole && take_place(f)) return true;
    if (f->kind == RESULT_ROWS) return stay_beside(f) && !is_whole;
    return !is_whole && rename_piece(f);
}

void result_file_clear(result_file *f)
{
    forget(f);
    if (f->descriptor >= 0 && f->name) (void)close_it(f);
    if (f->beside && !f->is_kept) (void)unlink(f->beside);
    free(f->beside);
    free(f->path);
    free(f->buffer);
    *f = (result_file){.descriptor = -1};
}

/* ---- the whole ---- */

/* Without a reader a pipe cannot be opened: one is waited for, unless the command is
 * told to end. */
static int open_direct(const char *name)
{
    const struct timespec moment = {0, 10 * 1000 * 1000};
    int d;
    while ((d = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0
        && errno == ENXIO && !limits_signal())
        (void)nanosleep(&moment, NULL);
    if (d < 0 && limits_signal()) errno = EINTR;
    const int flags = d < 0 ? -1 : fcntl(d, F_GETFL);
    if (flags != -1) (void)fcntl(d, F_SETFL, flags & ~O_NONBLOCK);
    return d;
}

static bool open_target(result_file *f, const target *t, const dae_model *model)
{
    if (t->stream >= 0) f->descriptor = fcntl(t->stream, F_DUPFD_CLOEXEC, 3);
    else if (t->is_direct) f->descriptor = open_direct(f->name);
    else return open_beside(f, t, model);
    return f->descriptor >= 0;
}

bool result_file_open(result_file *f, const char *name, result_kind kind,
    const char *closing, const dae_model *model)
{
    target t;
    *f = (result_file){
        .name = name, .closing = closing, .kind = kind, .descriptor = -1};
    f->mark_count = 1;
    f->flushed = console_clock();
    f->buffer = malloc(BUFFER);
    if (!f->buffer) errno = ENOMEM;
    if (!f->buffer || !find_target(name, &t)) return fail(f);
    f->is_input = !t.is_direct && is_input(name, model);
    if (f->is_input) errno = EEXIST;
    if (f->is_input || !open_target(f, &t, model)) return fail(f);
    f->next = opened;
    atomic_signal_fence(memory_order_release);
    opened = f;
    return true;
}

dae_status result_file_refuse(const result_file *f, messages *m)
{
    if (f->error == EINTR) return DAE_INTERRUPTED;
    const char *why = f->is_input ? "the model reads it"
        : f->is_twice             ? "it is named twice"
        : f->error                ? strerror(f->error)
                                  : "write error";
    messages_add(m, "E0002", DAE_ERROR, NULL, NULL, "cannot write `%s`: %s",
        f->name, why);
    return f->error == ENOMEM ? DAE_MEMORY : DAE_IO;
}

void result_file_tell_kept(const result_file *f, messages *m)
{
    messages_add(m, "E0008", DAE_ERROR, NULL, NULL,
        "what was computed is kept in `%s`; `%s` is as it was", f->beside,
        f->name);
}

dae_status result_file_put(const char *name, const char *bytes, size_t length,
    bool is_whole, messages *m)
{
    result_file f;
    dae_status st = DAE_OK;
    const bool is_fine = result_file_open(&f, name, RESULT_PIECE, "", NULL)
        && result_file_write(&f, bytes, length) == 0;
    if (is_fine) result_file_mark(&f);
    if (is_fine) (void)result_file_finish(&f, is_whole);
    if (f.error) st = result_file_refuse(&f, m);
    if (f.is_kept) result_file_tell_kept(&f, m);
    result_file_clear(&f);
    return st;
}

/* Where the folder lets nothing be written beside it, that is known before the run. */
dae_status result_file_expect(
    const char *name, const dae_model *model, messages *m)
{
    target t;
    result_file f;
    dae_status st = DAE_OK;
    if (find_target(name, &t) && t.is_direct) return DAE_OK;
    if (!result_file_open(&f, name, RESULT_PIECE, "", model))
        st = result_file_refuse(&f, m);
    result_file_clear(&f);
    return st;
}

/* ---- the sudden end ---- */

static void say(const char *text)
{
    /* there is nowhere to report that standard error fails */
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

void result_files_abandon(void)
{
    for (result_file *f = opened; f; f = f->next) {
        if (!f->beside) continue;
        cut(f);
        if (!f->has_rows) {
            (void)unlink(f->beside);
            continue;
        }
        say("error[E0008]: what was computed is kept in `");
        say(f->beside);
        say("`; `");
        say(f->name);
        say("` is as it was\n");
    }
}
