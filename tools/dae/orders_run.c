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

void orders_failure_take(orders_failure *f, const messages *m)
{
    for (size_t i = 0; i < dae_diagnostics_count(m->library); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(m->library, i);
        if (d->severity != DAE_ERROR) continue;
        (void)snprintf(f->code, sizeof f->code, "%s", d->code);
        (void)snprintf(f->text, sizeof f->text, "%s", d->message);
        return;
    }
}

const char *orders_failure_code(const orders_failure *f, const char *otherwise)
{
    return f->code[0] ? f->code : otherwise;
}
