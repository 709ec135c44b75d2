/* The locus as closed rings of points, and rings cut at a window. */
#ifndef STABILITY_TRACE_H
#define STABILITY_TRACE_H

#include "base/alloc.h"
#include <dae/stability.h>

typedef ARRAY(dae_complex) trace_ring;

/* The points of the locus at theta = 0, and which a traced curve has passed. */
typedef struct trace_starts {
    dae_complex points[DAE_METHOD_POWERS - 1];
    bool is_passed[DAE_METHOD_POWERS - 1];
    size_t count;
} trace_starts;

typedef struct trace_scale {
    double miss; /* of a chord beside the curve */
    double far;  /* points beyond are drawn back to there */
} trace_scale;

/* Follows the curve from start `first` until it is back, after one turn of
 * theta or, where several z belong to one zeta, more. Where it passes through
 * infinity the gap is closed by an arc through the positive real axis. */
dae_status trace_curve(const dae_method *m, trace_starts *starts, size_t first,
    const trace_scale *scale, const dae_allocator *a,
    trace_ring *ring) DAE_MUST_CHECK;

/* The part of the ring's inside that is in the window [Sutherland, Hodgman,
 * CACM 17 (1974) 32]; edges along the window's border may be traversed twice. */
dae_status trace_cut(trace_ring *ring, const dae_window *window,
    const dae_allocator *a) DAE_MUST_CHECK;

#endif
