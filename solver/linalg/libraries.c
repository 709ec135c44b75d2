#include "linalg/libraries.h"
#include "base/report.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

typedef struct symbol {
    const char *name;
    size_t place; /* in the table of functions */
} symbol;

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define LAPACK(name)                                                           \
    {                                                                          \
#name "_", offsetof(lapack_library, name)                              \
    }
#define UMFPACK(name)                                                          \
    {                                                                          \
        "umfpack_dl_" #name, offsetof(umfpack_library, name)                   \
    }

static const symbol lapack_symbols[] = {LAPACK(dgetrf), LAPACK(dgetrs),
    LAPACK(dgeqp3), LAPACK(dormqr), LAPACK(dggev), LAPACK(zhseqr)};

/* Never closed: there is nothing to count its users in, and loading it anew
 * would be slow. */
static void *open_library(const char *name, int scope)
{
    return dlopen(name, RTLD_LAZY | scope);
}

/* POSIX has functions found as objects, ISO C does not convert between them. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static dae_status find_all(
    void *library, const symbol *symbols, size_t count, void *table)
{
    if (!library) return DAE_IO;
    for (size_t k = 0; k < count; k++)
        if (!find(library, symbols[k].name, (char *)table + symbols[k].place))
            return DAE_IO;
    return DAE_OK;
}

static void use_one_thread(void *library)
{
    void (*set_threads)(int count);
    if (find(library, "openblas_set_num_threads", &set_threads)) set_threads(1);
}

/* Global, so that UMFPACK calls this BLAS whatever it was linked with: the
 * other one's sums would have other last digits. */
dae_status lapack_load(lapack_library *l)
{
    void *library = open_library(DAE_LAPACK_LIBRARY, RTLD_GLOBAL);
    const dae_status st = find_all(
        library, lapack_symbols, COUNT(lapack_symbols), l);
    if (!st) use_one_thread(library);
    return st;
}

#ifdef DAE_UMFPACK_LIBRARY

static const symbol umfpack_symbols[] = {UMFPACK(defaults), UMFPACK(symbolic),
    UMFPACK(numeric), UMFPACK(wsolve), UMFPACK(get_numeric),
    UMFPACK(get_determinant), UMFPACK(free_symbolic), UMFPACK(free_numeric)};

dae_status umfpack_load(umfpack_library *u)
{
    lapack_library blas;
    const dae_status st = lapack_load(&blas);
    if (st) return st;
    return find_all(open_library(DAE_UMFPACK_LIBRARY, RTLD_LOCAL),
        umfpack_symbols, COUNT(umfpack_symbols), u);
}

#else

dae_status umfpack_load(umfpack_library *u)
{
    (void)u;
    return DAE_UNSUPPORTED;
}

#endif

/* Loading is tried again: no message is kept from the first time. */
dae_status libraries_report(dae_diagnostics *ds, dae_status st)
{
    lapack_library lapack;
    umfpack_library umfpack;
    if (st != DAE_IO) return st;
    (void)dlerror();
    const bool has_lapack = !lapack_load(&lapack);
    if (has_lapack && umfpack_load(&umfpack) != DAE_IO) return st;
    const char *why = dlerror();
    report(ds, DIAG_E0007, NULL, (text_span){0, 0},
        "%s is needed and cannot be loaded: %s",
        has_lapack ? "UMFPACK" : "LAPACK", why ? why : "no reason is given");
    report_help(ds,
        has_lapack
            ? "on Debian: `apt-get install libumfpack5`; or `--linear klu`"
            : "on Debian: `apt-get install libopenblas0-serial`");
    return st;
}
