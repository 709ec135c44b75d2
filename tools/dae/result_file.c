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

/* The first `length` bytes of a text, and another one. */
static char *join_text(const char *text, size_t length, const char *more)
{
    char *whole = malloc(length + strlen(more) + 1);
    if (!whole) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(whole, text, length);
    memcpy(whole + length, more, strlen(more) + 1);
    return whole;
}

/* What the link at `path` points to, seen from where `path` is. */
static char *read_link(const char *path)
{
    char to[BLOCK];
    const ssize_t n = readlink(path, to, sizeof to - 1);
    if (n < 0) return NULL;
    const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    to[n] = '\0';
    return join_text(path, folder, to);
}

/* The name is kept where there is no file of it yet. */
static char *follow_links(const char *name)
{
    char *path = join_text("", 0, name);
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

/* What else the command reads. */
static const char *const *read_names;
static size_t read_count;

void result_files_keep(const char *const *names, size_t count)
{
    read_names = names;
    read_count = count;
}

/* A file of this name is one that the model was read from, or that is read beside it. */
static bool is_input(const char *path, const dae_model *model)
{
    struct stat s, input;
    if (stat(path, &s) || !S_ISREG(s.st_mode)) return false;
    for (size_t k = 0; k < read_count; k++)
        if (stat(read_names[k], &input) == 0 && is_same_file(&s, &input))
            return true;
    if (!model) return false;
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
    char *copy = join_text(name, (size_t)(slash - name) + 1, "");
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

/* What the handler for the end of the process does comes before or after, not between. */
static void hold_signals(sigset_t *before)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, before);
}

static void release_signals(const sigset_t *before)
{
    const int error = errno;
    (void)sigprocmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* The first `length` bytes of a path with this ending, of which the file system takes
 * no more than so many in the last name: then the name is cut between two letters. */
static char *beside_name(const char *path, size_t length, const char *ending)
{
    enum { NAME_MOST = 255 };
    size_t base = length;
    while (base && path[base - 1] != '/') base--;
    const size_t room = NAME_MOST - strlen(ending);
    if (length - base > room) {
        length = base + room;
        while (length > base + 1 && (path[length] & 0xC0) == 0x80) length--;
    }
    return join_text(path, length, ending);
}

/* Makes a file whose name nobody else has; -1: it cannot be made. */
static int open_unique(const char *path, char **name)
{
    *name = beside_name(path, strlen(path), ".XXXXXX");
    const int descriptor = *name ? mkstemp(*name) : -1;
    if (descriptor >= 0) return descriptor;
    free(*name);
    *name = NULL;
    return -1;
}

/* "a.partial.csv", and for k > 1 "a.partial-2.csv". */
static char *partial_name(const char *path, int k)
{
    enum { ENDING_MOST = 100 };
    char ending[ENDING_MOST + 32];
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t length = strlen(path);
    if (!dot || dot == path || (slash && dot <= slash + 1)
        || strlen(dot) > ENDING_MOST)
        dot = path + length;
    (void)sprintf(
        ending, k > 1 ? ".partial-%d%s" : ".partial%.0d%s", k > 1 ? k : 0, dot);
    return beside_name(path, (size_t)(dot - path), ending);
}

static bool lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_SETLK, &whole) == 0) return true;
    return errno != EACCES && errno != EAGAIN; /* some file systems have none */
}

static bool is_named(int descriptor, const char *name, struct stat *mine)
{
    struct stat there;
    return fstat(descriptor, mine) == 0 && lstat(name, &there) == 0
        && is_same_file(mine, &there);
}

/* Whether a name is to be had: yes, not now, not at all. */
typedef enum way { WAY_FREE, WAY_CHANGING, WAY_TAKEN } way;

static void forget_older(result_file *f)
{
    if (f->older) (void)unlink(f->older);
    free(f->older);
    f->older = NULL;
}

/* What an earlier run has left there moves aside, until it is known whether this one
 * has something better: `older` is where. Who holds the lock of a file that still has
 * the name may take it away; nobody else does. */
static way move_aside(result_file *f, int descriptor)
{
    struct stat s;
    char *older;
    const char *name = f->beside;
    if (!lock(descriptor)) return WAY_TAKEN;
    if (!is_named(descriptor, name, &s)) return WAY_CHANGING;
    if (s.st_size == 0) return unlink(name) ? WAY_TAKEN : WAY_FREE;
    const int place = open_unique(name, &older);
    if (place < 0) return WAY_TAKEN;
    (void)close(place);
    const bool has_moved = rename(name, older) == 0;
    if (has_moved) forget_older(f); /* of another attempt */
    else (void)unlink(older);
    if (has_moved) f->older = older;
    else free(older);
    return has_moved ? WAY_FREE : WAY_TAKEN;
}

static way make_way(result_file *f, const dae_model *model)
{
    if (is_taken(f->beside) || is_input(f->beside, model)) return WAY_TAKEN;
    const int descriptor = open(f->beside, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? WAY_FREE : WAY_TAKEN;
    const way found = move_aside(f, descriptor);
    (void)close(descriptor);
    return found;
}

/* Another run may take what has just been made for what an earlier one has left. */
static way make_partial(result_file *f, mode_t mode)
{
    struct stat s;
    f->descriptor = open(
        f->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (f->descriptor < 0) return errno == EEXIST ? WAY_CHANGING : WAY_TAKEN;
    if (lock(f->descriptor) && is_named(f->descriptor, f->beside, &s))
        return WAY_FREE;
    (void)close(f->descriptor);
    f->descriptor = -1;
    errno = EEXIST;
    return WAY_CHANGING;
}

/* Puts back what has moved aside, in the place of what is there; or removes that. Also
 * in a signal handler. */
static void leave_nothing(const result_file *f)
{
    if (!f->older) (void)unlink(f->beside);
    else (void)rename(f->older, f->beside);
}

static bool open_partial(result_file *f, mode_t mode, const dae_model *model)
{
    int attempts = 0;
    for (int k = 1; k < BESIDE_MOST && attempts < 2 * BESIDE_MOST; attempts++) {
        f->beside = partial_name(f->path, k);
        if (!f->beside) return false;
        way found = make_way(f, model);
        if (found == WAY_TAKEN) k++;
        if (found == WAY_FREE) {
            found = make_partial(f, mode);
            if (found == WAY_FREE) return true;
            if (found == WAY_TAKEN) {
                if (f->older) leave_nothing(f);
                return false;
            }
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
    if (f->kind == RESULT_TEXT)
        f->descriptor = open_unique(f->path, &f->beside);
    else if (!open_partial(f, mode & 0777, model)) return false;
    if (f->descriptor < 0) return false;
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
    sigset_t before;
    limits_spend_output(length);
    errno = 0;
    if (f->beside) hold_signals(&before);
    while (length && (f->beside || wait_for_reader(f))) {
        const size_t piece = f->beside || length < BLOCK ? length : BLOCK;
        const ssize_t n = write(f->descriptor, bytes, piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bytes += n;
        length -= (size_t)n;
        f->written += n;
    }
    if (f->beside) release_signals(&before);
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
    if (f->head == 0 && f->kind == RESULT_ROWS) f->head = end;
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
    char *folder = slash ? join_text(path, (size_t)(slash - path) + 1, "")
                         : join_text("", 0, ".");
    const int descriptor = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        (void)close(descriptor);
    }
    free(folder);
}

/* It gets another name, unless somebody has put another file in its place. */
static bool rename_it(result_file *f, const char *name, char *beside)
{
    struct stat mine;
    sigset_t before;
    errno = 0;
    hold_signals(&before);
    const bool is_mine = is_named(f->descriptor, f->beside, &mine);
    if (!is_mine && !errno) errno = ESTALE;
    const bool is_renamed = is_mine && rename(f->beside, name) == 0;
    if (is_renamed) {
        free(f->beside);
        f->beside = beside;
        f->is_kept = beside != NULL;
    }
    release_signals(&before);
    return is_renamed || fail(f);
}

static bool take_place(result_file *f)
{
    if (!flush(f) || !sync_it(f) || !rename_it(f, f->path, NULL)) return false;
    (void)close_it(f); /* what it holds is synced */
    sync_folder(f->path);
    return true;
}

static bool stay_beside(result_file *f)
{
    cut(f);
    (void)fsync(f->descriptor);
    f->is_kept = f->has_rows;
    return !f->is_kept || close_it(f); /* the lock stays as long as the file */
}

bool result_file_finish(result_file *f, bool is_whole)
{
    if (f->descriptor < 0) return !f->error;
    errno = 0;
    if (!f->beside) {
        const bool is_written = flush(f);
        return close_it(f) && is_written;
    }
    if (is_whole && take_place(f)) return true;
    return (f->kind == RESULT_ROWS || !is_whole) && stay_beside(f) && !is_whole;
}

/* Until here the handler knows of it: what is kept is told, whatever comes. */
void result_file_clear(result_file *f)
{
    sigset_t before;
    hold_signals(&before);
    forget(f);
    if (f->beside && !f->is_kept) leave_nothing(f);
    else forget_older(f);
    release_signals(&before);
    if (f->descriptor >= 0 && f->name) (void)close_it(f);
    free(f->beside);
    free(f->older);
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

static void remember(result_file *f)
{
    f->next = opened;
    atomic_signal_fence(memory_order_release);
    opened = f;
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
    if (f->is_input) return fail(f);
    sigset_t before;
    if (!t.is_direct) hold_signals(&before);
    const bool is_open = open_target(f, &t, model);
    if (is_open) remember(f);
    if (!t.is_direct) release_signals(&before);
    return is_open || fail(f);
}

dae_status result_file_refuse(const result_file *f, messages *m)
{
    if (f->error == EINTR) return DAE_INTERRUPTED;
    const char *why = f->is_input ? "the command reads it"
        : f->is_twice             ? "it is named twice"
        : f->error                ? strerror(f->error)
                                  : "write error";
    messages_add(m, "E0002", "cannot write `%s`: %s", f->name, why);
    return f->error == ENOMEM ? DAE_MEMORY : DAE_IO;
}

void result_file_tell_kept(const result_file *f, messages *m)
{
    messages_add(m, "E0008",
        "what was computed is kept in `%s`; `%s` is as it was", f->beside,
        f->name);
}

dae_status result_file_put(const char *name, result_kind kind,
    const char *bytes, size_t length, bool is_whole, messages *m)
{
    result_file f;
    dae_status st = DAE_OK;
    const bool is_fine = result_file_open(&f, name, kind, "", NULL)
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
    if (!result_file_open(&f, name, RESULT_PICTURE, "", model))
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
        if (f->descriptor >= 0) cut(f);
        if (!f->has_rows && !f->is_kept) {
            leave_nothing(f);
            continue;
        }
        if (f->older) (void)unlink(f->older);
        say("error[E0008]: what was computed is kept in `");
        say(f->beside);
        say("`; `");
        say(f->name);
        say("` is as it was\n");
    }
}
