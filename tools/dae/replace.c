/* realpath is X/Open */
#define _XOPEN_SOURCE 700
#include "replace.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_whole(int descriptor, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t n = write(descriptor, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* What new files may be to whom. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

typedef struct target {
    char *path; /* links resolved; owned */
    bool exists;
    struct stat now;
} target;

/* The name is kept where there is no file of it yet. */
static bool find_target(const char *path, target *t)
{
    *t = (target){.path = realpath(path, NULL)};
    if (t->path) {
        t->exists = stat(t->path, &t->now) == 0;
        return t->exists;
    }
    if (errno != ENOENT) return false;
    t->path = malloc(strlen(path) + 1);
    if (t->path) strcpy(t->path, path);
    else errno = ENOMEM;
    return t->path != NULL;
}

static bool write_through(const char *path, const char *bytes, size_t length)
{
    const int descriptor = open(path, O_WRONLY);
    if (descriptor < 0) return false;
    bool is_fine = write_whole(descriptor, bytes, length);
    return close(descriptor) == 0 && is_fine;
}

static bool write_beside(const target *t, const char *bytes, size_t length)
{
    char *temporary = malloc(strlen(t->path) + 8);
    if (!temporary) {
        errno = ENOMEM;
        return false;
    }
    (void)sprintf(temporary, "%s.XXXXXX", t->path);
    const int descriptor = mkstemp(temporary);
    bool is_fine = descriptor >= 0;
    if (is_fine) {
        const mode_t mode = t->exists ? t->now.st_mode & 07777 : usual_mode();
        is_fine = write_whole(descriptor, bytes, length);
        is_fine = fchmod(descriptor, mode) == 0 && is_fine;
        is_fine = close(descriptor) == 0 && is_fine;
        is_fine = is_fine && rename(temporary, t->path) == 0;
        const int error = errno;
        if (!is_fine) (void)unlink(temporary);
        errno = error;
    }
    free(temporary);
    return is_fine;
}

/* A signal that ends the command at once waits until nothing is half done. */
bool replace_file(const char *path, const void *bytes, size_t length)
{
    target t;
    sigset_t all, before;
    errno = 0;
    bool is_fine = find_target(path, &t);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    if (is_fine && t.exists && !S_ISREG(t.now.st_mode))
        is_fine = write_through(t.path, bytes, length);
    else if (is_fine) is_fine = write_beside(&t, bytes, length);
    const int error = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    free(t.path);
    errno = error;
    return is_fine;
}

bool replace_is_possible(const char *path)
{
    target t;
    errno = 0;
    bool is_fine = find_target(path, &t);
    if (is_fine && t.exists && S_ISDIR(t.now.st_mode)) {
        errno = EISDIR;
        is_fine = false;
    } else if (is_fine && t.exists && !S_ISREG(t.now.st_mode)) {
        is_fine = access(t.path, W_OK) == 0;
    } else if (is_fine) {
        char *slash = strrchr(t.path, '/');
        if (slash) slash[slash == t.path] = '\0';
        is_fine = access(slash ? t.path : ".", W_OK | X_OK) == 0;
    }
    const int error = errno;
    free(t.path);
    errno = error;
    return is_fine;
}
