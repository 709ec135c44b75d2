#include "stability/trace.h"
#include "linalg/complex.h"
#include "stability/curve.h"

static const double PI = 3.14159265358979323846;

/* Steps of theta: as long as a picture of a circle allows, and so short that
 * only infinity can lie between. */
static const double LONGEST = 0.05, SHORTEST = 1e-9;

typedef struct tracer {
    const dae_method *method;
    double miss, far;
    const dae_allocator *a;
    trace_ring *ring;
} tracer;

static dae_complex drawn_back(const tracer *t, dae_complex z)
{
    const double size = complex_modulus(z);
    return size > t->far ? complex_scaled(z, t->far / size) : z;
}

static bool is_far(const tracer *t, dae_complex z)
{
    return complex_modulus(z) >= t->far * (1 - 1e-12);
}

static dae_status push(tracer *t, dae_complex z)
{
    return ARRAY_PUSH(t->a, t->ring, z) ? DAE_OK : DAE_MEMORY;
}

/* From a to b, both on the large circle, through the positive real axis. */
static dae_status push_arc(tracer *t, dae_complex a, dae_complex b)
{
    enum { PARTS = 16 };
    const double from = atan2(a.im, a.re), to = atan2(b.im, b.re);
    for (int k = 1; k <= PARTS; k++) {
        const double angle = from + (to - from) * k / PARTS;
        const dae_status st = push(
            t, complex_scaled(complex_turn(angle), t->far));
        if (st) return st;
    }
    return DAE_OK;
}

/* The chord's middle is beside the curve's, at this theta. */
static bool is_close(
    const tracer *t, double theta, dae_complex from, dae_complex to)
{
    dae_complex z, middle = complex_scaled(complex_add(from, to), 0.5);
    if (!curve_nearest(t->method, theta, middle, &z)) return false;
    return complex_modulus(complex_less(drawn_back(t, z), middle)) <= t->miss;
}

/* One chord: the longest step up to *step that does not miss the curve. */
static dae_status advance(
    tracer *t, double end, double *theta, double *step, dae_complex *z)
{
    for (;; *step /= 2) {
        bool is_found = false;
        dae_complex next = *z;
        if (*step > end - *theta) *step = end - *theta;
        if (curve_nearest(t->method, *theta + *step, *z, &next)) {
            next = drawn_back(t, next);
            is_found = is_close(t, *theta + *step / 2, *z, next);
        }
        const bool is_gap = !is_found && *step <= SHORTEST;
        if (!is_found && !is_gap) continue;
        *theta += *step;
        *step = fmin(2 * *step, LONGEST);
        const dae_complex before = *z;
        *z = next;
        if (is_gap && is_far(t, before) && is_far(t, next))
            return push_arc(t, before, next);
        return push(t, next);
    }
}

/* Which of the points of theta = 0 this is. */
static size_t which_start(const tracer *t, const trace_starts *s, dae_complex z)
{
    size_t best = 0;
    double least = (double)INFINITY;
    for (size_t k = 0; k < s->count; k++) {
        const double distance = complex_modulus(
            complex_less(drawn_back(t, s->points[k]), z));
        if (!(distance < least)) continue;
        least = distance;
        best = k;
    }
    return best;
}

dae_status trace_curve(const dae_method *m, trace_starts *starts, size_t first,
    const trace_scale *scale, const dae_allocator *a, trace_ring *ring)
{
    tracer t = {m, scale->miss, scale->far, a, ring};
    dae_complex z = drawn_back(&t, starts->points[first]);
    double theta = 0, step = LONGEST;
    dae_status st = push(&t, z);
    for (int turn = 1; !st && turn <= DAE_METHOD_POWERS; turn++) {
        const double end = 2 * PI * turn;
        while (!st && theta < end) st = advance(&t, end, &theta, &step, &z);
        const size_t k = which_start(&t, starts, z);
        starts->is_passed[k] = true;
        if (k == first) break;
    }
    return st;
}

/* ---- cutting ---- */

/* The sides of a window: how far inside of one a point is. */
static double inside_by(const dae_window *w, int side, dae_complex z)
{
    switch (side) {
    case 0: return z.re - w->left;
    case 1: return w->right - z.re;
    case 2: return z.im - w->bottom;
    default: return w->top - z.im;
    }
}

static dae_status cut_side(const trace_ring *from, const dae_window *w,
    int side, const dae_allocator *a, trace_ring *to)
{
    for (size_t k = 0; k < from->count; k++) {
        const dae_complex p = from->items[k];
        const dae_complex q = from->items[k + 1 < from->count ? k + 1 : 0];
        const double of_p = inside_by(w, side, p), of_q = inside_by(w, side, q);
        if (of_p >= 0 && !ARRAY_PUSH(a, to, p)) return DAE_MEMORY;
        if ((of_p >= 0) == (of_q >= 0)) continue;
        const double part = of_p / (of_p - of_q);
        const dae_complex at = complex_add(
            p, complex_scaled(complex_less(q, p), part));
        if (!ARRAY_PUSH(a, to, at)) return DAE_MEMORY;
    }
    return DAE_OK;
}

dae_status trace_cut(
    trace_ring *ring, const dae_window *window, const dae_allocator *a)
{
    for (int side = 0; side < 4; side++) {
        trace_ring cut = {0};
        const dae_status st = cut_side(ring, window, side, a, &cut);
        ARRAY_FREE(a, ring);
        *ring = cut;
        if (st) return st;
    }
    return DAE_OK;
}
