#include "events/kink.h"
#include "base/report.h"
#include "events/event_report.h"
#include "events/reinit.h"
#include "events/threshold.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include <math.h>

/* A switch that is about to turn here; SIZE_MAX: none. */
static size_t kink_here(run *r)
{
    event_loop *e = r->events;
    const double t = r->engine->stepper.history.t;
    if (!e) return SIZE_MAX;
    const dae_events *of = e->of;
    reinit_show(r, e->point.x, e->point.xp);
    if (of->switch_count == 0
        || of->roots(r->problem->self, t, e->point.x, e->point.xp, e->point.g))
        return SIZE_MAX;
    if (threshold_measure(r, t)) return SIZE_MAX;
    /* what goes with a root of t comes no nearer than the root of rounding */
    const double most = fmax(FOLLOWED_NEAR, HALF_DIGITS / r->options.atol);
    for (size_t k = 0; k < of->switch_count; k++)
        if (of->switches[k].domain != DAE_DOMAIN_BREAK
            && threshold_distance(e, k)
                <= most * e->point.noise[k] + e->point.rounding[k])
            return k;
    return SIZE_MAX;
}

bool kink_help(run *r)
{
    char name[NAMING_SIZE];
    const size_t k = kink_here(r);
    if (k == SIZE_MAX) return false;
    naming_text(r->problem, DAE_NAME_SWITCH, k, name, sizeof name);
    if (event_report_help_locked(r, name)) return true;
    report_help(r->ds,
        "`%s` changes side here. If a power of it has an unbounded slope, "
        "write "
        "`q = sign(f)*abs(f)^p` as `q*abs(q)^(1/p - 1) = f`; if it is a "
        "min(a, b) = 0, check the signs of a and b: no mode may have a "
        "solution from here on",
        name);
    return true;
}
