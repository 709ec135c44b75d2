/* Status codes: what kind of thing went wrong. The diagnostic that goes with
 * a status says what, where and what to do (dae/diag.h). Zero is success. */
#ifndef DAE_STATUS_H
#define DAE_STATUS_H

#if defined(__GNUC__)
#define DAE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define DAE_MUST_CHECK
#endif

#if defined(DAE_SHARED) && defined(__GNUC__)
#define DAE_API __attribute__((visibility("default")))
#else
#define DAE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. Before 1.0 a minor version may change the API; from 1.0
 * on a major one does, and shared libraries have it in their SONAME. */
#define DAE_VERSION_MAJOR 0
#define DAE_VERSION_MINOR 1
#define DAE_VERSION_PATCH 0

typedef enum dae_status {
    DAE_OK = 0,
    DAE_MEMORY,       /* an allocation failed */
    DAE_ARGUMENT,     /* the caller broke a documented condition */
    DAE_MODEL,        /* the model is wrong: syntax, names, shapes, counts */
    DAE_UNSUPPORTED,  /* a correct request this version cannot serve */
    DAE_INCONSISTENT, /* the initial conditions cannot hold together */
    DAE_NUMERIC,      /* no convergence, step too small, singular matrix */
    DAE_IO,           /* a file could not be read or written */
    DAE_LIMIT,        /* a limit was reached: steps, time, memory, size */
    DAE_INTERRUPTED,  /* the caller asked to stop */
    DAE_RETRY,        /* callbacks only: not here, try a smaller step */
    DAE_STOPPED,      /* a `stop` of the problem's events ended the run */
} dae_status;

/* "0.1.0": that of the library which is linked; static. */
DAE_API const char *dae_version(void);

/* Asked every so often inside long work: while a model is compiled, between
 * steps. A non-zero answer stops it with DAE_INTERRUPTED. */
typedef int dae_interrupt_fn(void *context);

/* A short English phrase for `status`, such as "out of memory"; static. */
DAE_API const char *dae_status_text(dae_status status);

#ifdef __cplusplus
}
#endif
#endif
