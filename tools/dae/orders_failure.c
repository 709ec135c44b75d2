#include "orders_failure.h"

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
