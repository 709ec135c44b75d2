/* Runs of a study for themselves: what they say on their way is not of the run that is
 * studied. */
#include "orders/study.h"

#include <stdio.h>

dae_status orders_run(
    const dae_orders *o, double factor, dae_diagnostics *ds, dae_run **out)
{
    dae_status st = dae_run_copy(o->run, ds, out);
    if (!st) st = dae_run_scale_tolerances(*out, factor);
    if (!st) st = dae_run_prepare(*out, DAE_RUN_UNWATCHED);
    /* given steps are the study's to choose */
    if (!st) dae_run_options(*out)->step = 0;
    return st;
}

dae_status orders_side_run(const dae_orders *o, double factor,
    const char *method, int max_order, dae_diagnostics *ds, dae_run **out)
{
    const dae_status st = orders_run(o, factor, ds, out);
    if (st) return st;
    dae_options *options = dae_run_options(*out);
    if (method) options->method = method;
    options->max_order = max_order;
    options->max_steps = 0;
    if (options->reduce == DAE_REDUCE_NEVER) options->reduce = DAE_REDUCE_AUTO;
    return DAE_OK;
}

void failure_take(dae_orders_failure *f, const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        if (d->severity != DAE_ERROR) continue;
        (void)snprintf(f->code, sizeof f->code, "%s", d->code);
        (void)snprintf(f->text, sizeof f->text, "%s", d->message);
        return;
    }
}

bool orders_is_interrupted(const dae_orders *o)
{
    const dae_options *options = dae_run_options(o->run);
    return options->interrupt && options->interrupt(options->interrupt_context);
}

dae_status orders_tell_progress(
    const dae_orders *o, const char *formula, double step, double rtol)
{
    return o->hear ? o->hear(o->hear_context, formula, step, rtol) : DAE_OK;
}
