/* A library to be loaded before all others: the call number FAIL_AT, from 0, of those
 * below fails with FAIL_WITH (an errno), and with FAIL_ON all after it; the number of
 * calls is written to the file FAIL_COUNT. Only the program's own calls are seen, not
 * those of the C library. Each fsync takes FSYNC_SECONDS, as of a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long calls;

static int fails(void)
{
    const char *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH");
    const long call = calls++, wanted = at ? atol(at) : -1;
    if (wanted < 0) return 0;
    if (call != wanted && !(call > wanted && getenv("FAIL_ON"))) return 0;
    errno = with ? atoi(with) : EIO;
    return 1;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

ssize_t write(int d, const void *bytes, size_t n)
{
    /* what is said to people goes on */
    return d > 2 && fails() ? -1 : NEXT(write)(d, bytes, n);
}
int fsync(int d)
{
    const char *seconds = getenv("FSYNC_SECONDS");
    struct timespec rest = {seconds ? atol(seconds) : 0, 0};
    while (seconds && nanosleep(&rest, &rest)) continue;
    return fails() ? -1 : NEXT(fsync)(d);
}
int rename(const char *from, const char *to)
{
    return fails() ? -1 : NEXT(rename)(from, to);
}
int close(int d)
{
    const int failed = d > 2 && fails(), error = errno;
    const int status = NEXT(close)(d);
    if (!failed) return status;
    errno = error;
    return -1;
}
int ftruncate(int d, off_t n)
{
    return fails() ? -1 : NEXT(ftruncate)(d, n);
}
int fchmod(int d, mode_t mode)
{
    return fails() ? -1 : NEXT(fchmod)(d, mode);
}
int mkstemp(char *name)
{
    return fails() ? -1 : NEXT(mkstemp)(name);
}
int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return fails() ? -1 : NEXT(open)(path, flags, mode);
}
