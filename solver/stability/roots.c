/* Eigenvalues of a companion matrix are roots of a polynomial whose
 * coefficients differ by rounding [EM95: A. Edelman, H. Murakami, Math. Comp.
 * 64 (1995) 763]; what is left Newton's method takes away. */
#include "stability/roots.h"
#include "linalg/complex.h"
#include "linalg/libraries.h"

/* The value and the derivative, by Horner's scheme. */
static dae_complex value_at(
    const dae_complex *c, size_t degree, dae_complex x, dae_complex *slope)
{
    dae_complex value = c[0];
    *slope = complex_of(0, 0);
    for (size_t i = 1; i <= degree; i++) {
        *slope = complex_add(complex_times(*slope, x), value);
        value = complex_add(complex_times(value, x), c[i]);
    }
    return value;
}

static dae_complex polish(const dae_complex *c, size_t degree, dae_complex root)
{
    for (int pass = 0; pass < 3; pass++) {
        dae_complex slope, unused;
        const dae_complex value = value_at(c, degree, root, &slope);
        const dae_complex next = complex_less(root, complex_over(value, slope));
        if (!complex_is_finite(next)) break;
        const dae_complex after = value_at(c, degree, next, &unused);
        if (!(complex_modulus(after) < complex_modulus(value))) break;
        root = next;
    }
    return root;
}

static size_t companion_roots(
    const dae_complex *c, size_t degree, dae_complex *roots)
{
    dae_complex h[ROOTS_DEGREE * ROOTS_DEGREE] = {{0, 0}};
    dae_complex work[11 * ROOTS_DEGREE], z;
    const int n = (int)degree, one = 1, lwork = 11 * ROOTS_DEGREE;
    int info = 0;
    lapack_library lapack;
    if (lapack_load(&lapack)) return 0;
    for (size_t i = 0; i < degree; i++) {
        const dae_complex entry = complex_over(c[i + 1], c[0]);
        h[i * degree] = complex_of(-entry.re, -entry.im);
        if (!complex_is_finite(entry)) return 0;
        if (i + 1 < degree) h[i * degree + i + 1] = complex_of(1, 0);
    }
    lapack.zhseqr("E", "N", &n, &one, &n, h, &n, roots, &z, &one, work, &lwork,
        &info, 1, 1);
    return info == 0 ? degree : 0;
}

size_t roots_find(const dae_complex *c, size_t degree, dae_complex *roots)
{
    for (size_t i = 0; i <= degree; i++)
        if (!complex_is_finite(c[i])) return 0;
    while (degree > 0 && !(complex_modulus(c[0]) > 0)) c++, degree--;
    if (degree == 0) return 0;
    if (degree == 1) {
        const dae_complex root = complex_over(c[1], c[0]);
        roots[0] = complex_of(-root.re, -root.im);
        return complex_is_finite(root) ? 1 : 0;
    }
    const size_t count = companion_roots(c, degree, roots);
    for (size_t i = 0; i < count; i++) roots[i] = polish(c, degree, roots[i]);
    return count;
}
