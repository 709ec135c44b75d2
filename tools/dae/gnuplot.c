#include "gnuplot.h"
#include "child.h"
#include "gnuplot_script.h"
#include "memory.h"
#include "result_file.h"
#include <string.h>

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
    return c->length > n && memcmp(c->out, text, n) == 0;
}

static bool is_picture(const child *c, picture_format format)
{
    static const char *const begins[] = {"<?xml", "\x89PNG\r\n", "%PDF-"};
    static const char *const ends[] = {"</svg>", "IEND", "%%EOF"};
    const size_t tail = c->length < 32 ? c->length : 32;
    const size_t n = strlen(ends[format]);
    if (!begins_with(c, begins[format])) return false;
    for (size_t k = n; k <= tail; k++)
        if (memcmp(c->out + c->length - k, ends[format], n) == 0) return true;
    return false;
}

/* Neither gnuplot nor cairo can leave out when a PDF was made: the same day
 * for all of them, in as many characters, since places are counted in it. */
static void take_date(child *c)
{
    static const char key[] = "/CreationDate (D:", day[] = "20000101000000";
    const size_t n = sizeof key - 1, all = n + sizeof day - 1;
    for (size_t k = 0; k + all <= c->length; k++)
        if (memcmp(c->out + k, key, n) == 0)
            memcpy(c->out + k + n, day, sizeof day - 1);
}

static dae_status refuse_result(
    child_end end, const child *c, const char *path, messages *m)
{
    char why[64];
    const char *said = c->complaint;
    switch (end) {
    case CHILD_MISSING: return refuse_missing(path, m);
    case CHILD_MEMORY: return DAE_MEMORY;
    case CHILD_STOPPED: return DAE_INTERRUPTED;
    case CHILD_LATE:
        (void)snprintf(why, sizeof why, "it did not come to an end");
        break;
    case CHILD_BROKEN:
        (void)snprintf(why, sizeof why, "it could not be started");
        said = strerror(c->error);
        break;
    case CHILD_FAILED:
        if (c->status < 0)
            (void)snprintf(why, sizeof why, "signal %d", -c->status);
        else (void)snprintf(why, sizeof why, "exit status %d", c->status);
        break;
    default: (void)snprintf(why, sizeof why, "it wrote no whole picture");
    }
    messages_add(m, "E0006", "gnuplot failed to draw `%s`: %s%s%s", path, why,
        *said ? ": " : "", said);
    return DAE_IO;
}

dae_status gnuplot_draw_script(const phrase *script, const char *path,
    bool is_whole, limits *l, messages *m)
{
    /* -d: no settings of the user's, who may like them elsewhere */
    static const char *const words[] = {"gnuplot", "-d", "-", NULL};
    const picture_format format = picture_format_of(path);
    child c = {0};
    dae_status st = DAE_OK;
    child_end end = child_run(&c, words, script->text, script->length,
        limits_stop(l) ? PATIENCE_LATE : PATIENCE, l);
    if (end != CHILD_DONE || !is_picture(&c, format))
        st = refuse_result(end, &c, path, m);
    if (!st && format == PICTURE_PDF) take_date(&c);
    return st ? st : result_file_put(path, c.out, c.length, is_whole, m);
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
