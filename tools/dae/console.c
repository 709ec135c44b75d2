#include "console.h"
#include "limits.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool console_out_is_terminal(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

bool console_error_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

bool console_colors(const args *a)
{
    if (a->color != WHEN_AUTO) return a->color == WHEN_ALWAYS;
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && console_error_is_terminal();
}

double console_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now)) return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int console_write(void *file, const char *text, size_t length)
{
    if (file == stdout) limits_spend_output(length);
    return fwrite(text, 1, length, file) != length;
}

bool console_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    (void)fprintf(stderr, "dae: cannot write to the standard output: %s\n",
        errno ? strerror(errno) : "write error");
    return false;
}
