#include "orders_run.h"

dae_status orders_run_begin(
    orders_run *r, session *s, double factor, const char *method, int max_order)
{
    *r = (orders_run){.run = NULL};
    if (!messages_init(&r->quiet, &s->limits.allocator)) return DAE_MEMORY;
    const dae_status st = run_make(
        &r->run, s->args, &s->limits, &r->quiet, s->model, factor);
    dae_options *o = dae_run_options(r->run);
    if (st || !o) return st;
    if (method) o->method = method;
    o->max_order = max_order;
    o->max_steps = 0;
    if (o->reduce == DAE_REDUCE_NEVER) o->reduce = DAE_REDUCE_AUTO;
    return DAE_OK;
}

void orders_run_end(orders_run *r)
{
    dae_run_free(r->run);
    messages_clear(&r->quiet);
}
