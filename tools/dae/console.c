#include "console.h"
#include "limits.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool console_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool console_is_dumb(void)
{
    const char *terminal = getenv("TERM");
    return terminal && strcmp(terminal, "dumb") == 0;
}

bool console_colors(const args *a)
{
    if (a->color != WHEN_AUTO) return a->color == WHEN_ALWAYS;
    const char *no = getenv("NO_COLOR");
    return !(no && *no) && !console_is_dumb() && console_is_terminal(stderr);
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

/* The bytes of a control character at p but the line end, 0 where there is none. */
static size_t control_at(const char *p, size_t length)
{
    const unsigned char c = (unsigned char)p[0];
    if (c == 0xC2 && length > 1 && ((unsigned char)p[1] & 0xE0) == 0x80)
        return 2;
    return (c < 0x20 && c != '\n') || c == 0x7F;
}

int console_write_clean(void *file, const char *text, size_t length)
{
    for (size_t from = 0, at = 0; at <= length; at++) {
        const size_t n = at < length ? control_at(text + at, length - at) : 0;
        if (n == 0 && at < length) continue;
        if (console_write(file, text + from, at - from)) return 1;
        if (n && console_write(file, "?", 1)) return 1;
        from = at + n;
        at = n ? from - 1 : at;
    }
    return 0;
}

bool console_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    (void)fprintf(stderr, "dae: cannot write to the standard output: %s\n",
        errno ? strerror(errno) : "write error");
    return false;
}
