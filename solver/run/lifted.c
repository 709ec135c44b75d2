/* Of engines that come and go in a run the tolerance that was lifted most counts,
 * and its name is the user's whatever stood in for it. */
#include "run/lifted.h"
#include "base/report.h"
#include "linalg/naming.h"

/* Below this the error is still of the size asked for. */
static const double rounding_noted = 3;

void lifted_keep(run *r)
{
    rounding *worst = &r->engine->stepper.rounding;
    kept_rounding *kept = &r->rounding;
    if (!(worst->ratio > kept->ratio)) return;
    int order;
    const size_t unknown = naming_unknown(
        &r->engine->layout, worst->state, &order);
    kept->ratio = worst->ratio;
    kept->t = worst->t;
    kept->source = NULL;
    naming_slot(r->engine->problem, &r->engine->layout, worst->state,
        kept->name, sizeof kept->name);
    naming_place(r->engine->problem, DAE_NAME_UNKNOWN, unknown, &kept->source,
        &kept->span);
}

void lifted_tell(run *r)
{
    kept_rounding *kept = &r->rounding;
    lifted_keep(r);
    r->engine->stepper.rounding.ratio = 0;
    if (kept->ratio > rounding_noted)
        report(r->ds, DIAG_N0507, kept->source, kept->span,
            "rounding in the equations is larger than the tolerance of `%s`: "
            "about %.2g times the tolerance was kept at worst, at t = %.10g",
            kept->name, kept->ratio, kept->t);
    kept->ratio = 0;
}
