#include "syntax/parse.h"
dae_status format_file(const dae_source *source, arena *a,
    dae_diagnostics *ds, dae_write_fn *write, void *context)
{
    (void)source, (void)a, (void)ds, (void)write, (void)context;
    return DAE_UNSUPPORTED;
}
