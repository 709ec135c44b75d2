#include "progress.h"
#include "console.h"

static const double FIRST_AFTER = 2.0, EVERY = 0.2; /* seconds */

void progress_start(progress *p, const args *a, double t0, double t1)
{
    bool wanted = a->progress == WHEN_ALWAYS
        || (a->progress == WHEN_AUTO && !a->quiet && console_error_is_terminal()
            && !console_is_dumb());
    *p = (progress){
        .enabled = wanted, .next = console_clock(), .t0 = t0, .t1 = t1};
    if (a->progress == WHEN_AUTO) p->next += FIRST_AFTER;
}

void progress_update(progress *p, double t, double h, int64_t steps)
{
    if (!p->enabled) return;
    double now = console_clock();
    if (now < p->next) return;
    double part = 100 * (t - p->t0) / (p->t1 - p->t0);
    (void)fprintf(stderr,
        "\r\033[Kt = %.6g of %.6g (%.0f %%), %lld steps, "
        "step %.2g",
        t, p->t1, part, (long long)steps, h);
    (void)fflush(stderr);
    p->shown = true;
    p->next = now + EVERY;
}

void progress_finish(progress *p)
{
    if (p->shown) (void)fputs("\r\033[K", stderr);
    p->shown = false;
}
