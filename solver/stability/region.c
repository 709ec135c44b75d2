/* The locus, cut at the window, divides it; which part is stable the root
 * condition says at test points. They vote, so that one beside the curve, where
 * a chord is not the curve, decides nothing. */
#include "linalg/complex.h"
#include "linalg/libraries.h"
#include "stability/curve.h"
#include "stability/trace.h"

/* Test points along each side of the window. */
enum { TESTS = 17 };

static bool is_window(const dae_window *w)
{
    return isfinite(w->left) && isfinite(w->right) && isfinite(w->bottom)
        && isfinite(w->top) && w->left < w->right && w->bottom < w->top;
}

static bool is_inside_ring(const dae_ring *ring, dae_complex z)
{
    bool is_odd = false;
    for (size_t k = 0; k < ring->count; k++) {
        const dae_complex p = ring->points[k];
        const dae_complex q = ring->points[k + 1 < ring->count ? k + 1 : 0];
        if ((p.im > z.im) == (q.im > z.im)) continue;
        const double at = p.re
            + (q.re - p.re) * ((z.im - p.im) / (q.im - p.im));
        if (z.re < at) is_odd = !is_odd;
    }
    return is_odd;
}

static bool is_inside(const dae_stability_region *r, dae_complex z)
{
    bool is_odd = false;
    for (size_t k = 0; k < r->ring_count; k++)
        if (is_inside_ring(&r->rings[k], z)) is_odd = !is_odd;
    return is_odd;
}

/* More test points are stable outside of the rings than inside. */
static bool is_stable_outside(
    const dae_method *m, const dae_window *w, const dae_stability_region *r)
{
    int votes = 0;
    for (int i = 0; i < TESTS; i++)
        for (int j = 0; j < TESTS; j++) {
            /* off the axes, which are edges of some regions */
            const dae_complex z = {
                w->left + (w->right - w->left) * (i + 0.489) / TESTS,
                w->bottom + (w->top - w->bottom) * (j + 0.489) / TESTS};
            const bool is_stable = dae_stability_root_modulus(m, z) <= 1;
            votes += is_inside(r, z) == is_stable ? -1 : 1;
        }
    return votes > 0;
}

static dae_status add_ring(
    dae_stability_region *r, trace_ring *ring, const dae_allocator *a)
{
    dae_complex *points = alloc_zeroed(a, ring->count, sizeof *points);
    if (!points) return DAE_MEMORY;
    dae_ring *rings = alloc_resize(
        a, r->rings, r->ring_count, r->ring_count + 1, sizeof *rings);
    if (!rings) {
        alloc_free(a, points, ring->count, sizeof *points);
        return DAE_MEMORY;
    }
    for (size_t k = 0; k < ring->count; k++) points[k] = ring->items[k];
    r->rings = rings;
    rings[r->ring_count++] = (dae_ring){points, ring->count};
    return DAE_OK;
}

/* The window as a ring before the others. */
static dae_status add_window(
    dae_stability_region *r, const dae_window *w, const dae_allocator *a)
{
    trace_ring ring = {0};
    const dae_complex corners[] = {{w->left, w->bottom}, {w->right, w->bottom},
        {w->right, w->top}, {w->left, w->top}};
    dae_status st = DAE_OK;
    for (size_t k = 0; k < 4 && !st; k++)
        if (!ARRAY_PUSH(a, &ring, corners[k])) st = DAE_MEMORY;
    if (!st) st = add_ring(r, &ring, a);
    ARRAY_FREE(a, &ring);
    if (st) return st;
    const dae_ring window = r->rings[r->ring_count - 1];
    for (size_t k = r->ring_count - 1; k > 0; k--)
        r->rings[k] = r->rings[k - 1];
    r->rings[0] = window;
    return DAE_OK;
}

/* Every closed curve of the locus once. */
static dae_status add_curves(dae_stability_region *r, const dae_method *m,
    const dae_window *w, const trace_scale *scale, const dae_allocator *a)
{
    trace_starts starts = {.count = 0};
    starts.count = dae_stability_locus(m, 0, starts.points);
    dae_status st = DAE_OK;
    for (size_t k = 0; k < starts.count && !st; k++) {
        trace_ring ring = {0};
        if (starts.is_passed[k]) continue;
        st = trace_curve(m, &starts, k, scale, a, &ring);
        if (!st) st = trace_cut(&ring, w, a);
        if (!st && ring.count > 2) st = add_ring(r, &ring, a);
        ARRAY_FREE(a, &ring);
    }
    return st;
}

dae_status dae_stability_region_create(const dae_method *method,
    dae_window window, const dae_allocator *allocator,
    dae_stability_region **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (!method || !is_window(&window)) return DAE_ARGUMENT;
    lapack_library
        lapack; /* of the roots, which cannot say that it is missing */
    const dae_status loaded = lapack_load(&lapack);
    if (loaded) return loaded;
    dae_stability_region *r = alloc_zeroed(a, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    const double size = fmax(
        window.right - window.left, window.top - window.bottom);
    const double reach = fmax(fmax(fabs(window.left), fabs(window.right)),
        fmax(fabs(window.bottom), fabs(window.top)));
    const trace_scale scale = {1e-3 * size, 4 * (size + reach)};
    dae_status st = add_curves(r, method, &window, &scale, a);
    if (!st && is_stable_outside(method, &window, r))
        st = add_window(r, &window, a);
    if (st) {
        dae_stability_region_free(r, a);
        return st;
    }
    *out = r;
    return DAE_OK;
}

void dae_stability_region_free(
    dae_stability_region *region, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    if (!region) return;
    for (size_t k = 0; k < region->ring_count; k++)
        alloc_free(a, region->rings[k].points, region->rings[k].count,
            sizeof(dae_complex));
    alloc_free(a, region->rings, region->ring_count, sizeof *region->rings);
    alloc_free(a, region, 1, sizeof *region);
}
