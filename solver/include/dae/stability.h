/* Linear stability: what a method makes of x' = lambda x at constant step, and
 * what lambda a problem has at a point.
 *
 * A method turns x' = lambda x into a recursion; with z = h lambda its
 * solutions are sums of zeta^n, zeta being the roots of its characteristic
 * polynomial pi(zeta, z). The stability region is the set of z for which no
 * root is above 1 in modulus, and those of modulus 1 are simple [HW96 V.1]. Its
 * boundary is part of the locus: the z for which some zeta lies on the unit
 * circle. Nothing here knows how anything is drawn. */
#ifndef DAE_STABILITY_H
#define DAE_STABILITY_H

#include <dae/diag.h>
#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_complex {
    double re, im;
} dae_complex;

enum {
    DAE_METHOD_STEPS = 7, /* of the longest recursion */
    DAE_METHOD_POWERS = 5 /* of z, from 0 */
};

/* A method as data. */
typedef struct dae_method {
    const char *name;    /* "bdf3" */
    const char *family;  /* "bdf" */
    const char *formula; /* one line for people, h the step, f the slope x' */
    int order;
    int steps; /* k: x_n follows from x_(n-1) ... x_(n-k) */
    /* pi(zeta, z) = sum pi[i][j] zeta^(k - i) z^j: the factor of
     * (h lambda)^j x_(n-i) where everything stands on one side. */
    double pi[DAE_METHOD_STEPS + 1][DAE_METHOD_POWERS];
    /* What a smooth solution leaves in the formula, of which the slopes have
     * factors that add up to 1: this times h^(p+1) x^(p+1), p the order. */
    double error_constant;
} dae_method;

/* The methods known, by families, orders ascending: BDF 1 to 6, NDF 1 to 5,
 * trapezoid, explicit Euler, RK4. NULL behind the last one. */
DAE_API const dae_method *dae_method_at(size_t index);

/* The largest modulus of a root zeta at z: by what factor an error that decays
 * slowest, or grows fastest, changes in one step. Infinite where z is a pole,
 * NaN where z is not finite. */
DAE_API double dae_stability_root_modulus(
    const dae_method *method, dae_complex z);
/* The roots themselves, in no order that means anything; their number, at most
 * `steps`, fewer where some are infinite. */
DAE_API size_t dae_stability_roots(const dae_method *method, dae_complex z,
    dae_complex roots[DAE_METHOD_STEPS]);

typedef enum dae_stability_side {
    DAE_STABILITY_INSIDE,
    DAE_STABILITY_EDGE, /* to rounding (1e-12 of the modulus) */
    DAE_STABILITY_OUTSIDE,
} dae_stability_side;
DAE_API dae_stability_side dae_stability_side_of(
    const dae_method *method, dae_complex z);

/* The points of the locus at zeta = exp(i theta): all finite z with
 * pi(zeta, z) = 0, one for a multistep formula; how many. */
DAE_API size_t dae_stability_locus(const dae_method *method, double theta,
    dae_complex points[DAE_METHOD_POWERS - 1]);

/* What can be said of a region in numbers. Angles in degrees. */
typedef struct dae_stability_traits {
    /* Half the angle of the largest wedge about the negative real axis that is
     * inside: A(alpha)-stability, 90 where the left half plane is; 0 where the
     * region is bounded. */
    double alpha;
    double theta_alpha; /* of the locus point that limits it; NaN: none */
    /* Leftmost real part of the locus, where the region is not bounded: to the
     * left of it everything is inside. NaN where the region is bounded. */
    double leftmost;
    double real_limit;      /* how far [-x, 0] is inside; may be infinite */
    double imaginary_limit; /* how far [0, iy] is inside; may be infinite */
    double at_infinity;     /* largest root as z goes to -infinity */
} dae_stability_traits;
DAE_API dae_stability_traits dae_stability_traits_of(const dae_method *method);

typedef struct dae_window {
    double left, right, bottom, top;
} dae_window;

typedef struct dae_ring {
    dae_complex *points; /* closed: the last is joined to the first */
    size_t count;
} dae_ring;

/* The part of the stability region in a window: the points inside an odd number
 * of the rings. The first ring is the window itself where what is stable lies
 * outside of the locus. */
typedef struct dae_stability_region {
    dae_ring *rings;
    size_t ring_count;
} dae_stability_region;

/* Traces the locus to 1e-3 of the window's larger side, cuts it at the window
 * and asks the root condition which side is stable. *out is NULL on failure.
 * DAE_ARGUMENT: the window is empty or not finite; DAE_MEMORY; DAE_IO: LAPACK
 * cannot be loaded. */
DAE_API dae_status dae_stability_region_create(const dae_method *method,
    dae_window window, const dae_allocator *allocator,
    dae_stability_region **out) DAE_MUST_CHECK;
DAE_API void dae_stability_region_free(
    dae_stability_region *region, const dae_allocator *allocator);

/* Eigenvalues are computed of at most so many slots below the highest: a dense
 * method takes time with the cube of it. */
enum { DAE_EIGENVALUES_LIMIT = 2000 };

typedef struct dae_eigenvalues {
    dae_complex *finite; /* by modulus, then real part; of a pair the one above
                            the real axis first */
    size_t finite_count;
    size_t infinite_count; /* equations that hold at once, and those that hide
                              behind them */
    int index;             /* of the pencil: 0 where none is infinite */
    size_t room;           /* of the array */
} dae_eigenvalues;

/* The lambda for which dF/dx' lambda v + dF/dx v = 0 has a solution v: the
 * exponents of small deviations, with F linearised at (t, x, xp) and its
 * coefficients held. Slots below the highest are counted, with x' = v between
 * them. Infinite ones are taken off first, one equation level after the other,
 * by orthogonal transformations [VD79], so that they are counted and not met as
 * large finite ones; the rest is LAPACK's QZ.
 *
 * *out is NULL on failure. DAE_LIMIT: above DAE_EIGENVALUES_LIMIT (E0004);
 * DAE_NUMERIC: the pencil is singular, no combination of equations determines
 * its unknowns (E0511); values that are not finite (E0503); DAE_INTERRUPTED;
 * DAE_MEMORY; DAE_IO: LAPACK cannot be loaded (E0007). */
DAE_API dae_status dae_eigenvalues_create(const dae_problem *problem, double t,
    const double *x, const double *xp, dae_interrupt_fn *interrupt,
    void *interrupt_context, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_eigenvalues **out) DAE_MUST_CHECK;
DAE_API void dae_eigenvalues_free(
    dae_eigenvalues *eigenvalues, const dae_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
