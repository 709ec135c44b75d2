#include "progress.h"
#include "console.h"
#include <math.h>

static const double FIRST_AFTER = 2.0, EVERY = 0.2; /* seconds */
static const double PART_LEAST = 0.01;              /* of the interval */

/* What is left at the pace so far, where that has shown itself. */
static void print_left(double elapsed, double part)
{
    if (!(part >= PART_LEAST)) return;
    const double left = elapsed * (1 - part) / part;
    if (left < 120) (void)fprintf(stderr, ", %.0f s left", left);
    else if (left < 7200) (void)fprintf(stderr, ", %.0f min left", left / 60);
    else (void)fprintf(stderr, ", %.1f h left", left / 3600);
}

void progress_start(progress *p, const args *a, const dae_run *run)
{
    bool wanted = a->progress == WHEN_ALWAYS
        || (a->progress == WHEN_AUTO && !a->quiet && console_error_is_terminal()
            && !console_is_dumb());
    const double now = console_clock();
    *p = (progress){.run = run, .enabled = wanted, .began = now, .next = now};
    if (a->progress == WHEN_AUTO) p->next += FIRST_AFTER;
}

void progress_update(progress *p, double t, double h, int64_t steps)
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

void progress_finish(progress *p)
{
    if (p->shown) (void)fputs("\r\033[K", stderr);
    p->shown = false;
}
