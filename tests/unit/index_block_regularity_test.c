/* Verdicts on fine blocks: at generic points, and at one point. */
#include "index/block_regularity.h"
#include "index/generic_points.h"

#include "certified.h"
#include "faulty_memory.h"
#include "pendulum.h"
#include "random.h"
#include "share.h"
#include <float.h>

/* A problem in one block: its certificate at generic points and its rank. */
static void check_block(
    const dae_problem *p, dae_certificate certificate, int64_t rank)
{
    certified w;
    certify(&w, p);
    assert_int_equal(w.s->fine_count, 1);
    assert_int_equal(w.certificates[0], certificate);
    assert_int_equal(w.rank[0], rank);
    certified_clear(&w);
}

/* Certificate and rank of block `f` at a point. */
static void check_at(certified *w, const double *x, const double *xp, size_t f,
    dae_certificate certificate, int64_t rank)
{
    CHECK_STATUS(blocks_certify(&w->q, w->certificates, w->rank), DAE_OK);
    CHECK_STATUS(
        blocks_certify_at(&w->q, 0, x, xp, w->certificates, w->rank), DAE_OK);
    assert_int_equal(w->certificates[f], certificate);
    assert_int_equal(w->rank[f], rank);
}

/* ---- small ones by hand ---------------------------------------------------------------- */

/* The determinant is -2*(x^2 + y^2). */
static void test_pendulum(void **state)
{
    (void)state;
    const double xp[3] = {0};
    const dae_problem p = {
        .unknown_count = 3, .order = pendulum_order, .residual = pendulum};
    certified w;
    certify(&w, &p);
    assert_int_equal(w.s->fine_count, 1);
    assert_int_equal(w.certificates[0], DAE_CERTIFIED);
    assert_int_equal(w.rank[0], 3);
    const double below[5] = {0, 0, -1, 0, 0}, aside[5] = {1, 0, 0, 0, 0};
    check_at(&w, below, xp, 0, DAE_CERTIFIED, 3);
    check_at(&w, aside, xp, 0, DAE_CERTIFIED, 3);
    const double origin[5] = {0}, near[5] = {1e-9, 0, 1e-9, 0, 0};
    check_at(&w, origin, xp, 0, DAE_SINGULAR_HERE, 2);
    check_at(&w, near, xp, 0, DAE_SINGULAR_HERE, 2);
    certified_clear(&w);
}

/* x + y = 2 and x + (1 + 1e-11*w(z)) y = 2 with z = 1 and w = z - 1 between 0
 * and 1, held there outside, twelve times:
 * singular for z below 1 and above it next to singular, so that all three points
 * together are sure of it only where all have z below 1. */
enum { WEDGES = 12 };

static double wedge(double z)
{
    return fmin(fmax(z - 1, 0), 1);
}

static dae_status wedges(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    for (size_t k = 0; k < 3 * WEDGES; k += 3) {
        res[k] = x[k] + x[k + 1] - 2;
        res[k + 1] = x[k] + (1 + 1e-11 * wedge(x[k + 2])) * x[k + 1] - 2;
        res[k + 2] = x[k + 2] - 1;
    }
    return DAE_OK;
}

static dae_status wedges_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self, (void)scope, (void)t, (void)xp;
    for (size_t k = 0; k < 3 * WEDGES; k += 3) {
        const double z = x[k + 2];
        *v++ = 1, *v++ = 1; /* by x */
        *v++ = 1, *v++ = 1 + 1e-11 * wedge(z);
        *v++ = z > 1 && z < 2 ? 1e-11 * x[k + 1] : 0, *v++ = 1;
    }
    return DAE_OK;
}

static void test_singular_at_some_points(void **state)
{
    (void)state;
    static int64_t start[6 * WEDGES + 1];
    static int32_t rows[6 * WEDGES];
    static uint8_t order[3 * WEDGES]; /* all algebraic */
    double guess[3 * WEDGES], none[3 * WEDGES] = {0};
    for (size_t j = 0; j < 3 * WEDGES; j++) {
        const int32_t first = (int32_t)(j - j % 3) + (j % 3 == 2);
        start[j + 1] = start[j] + 2;
        rows[2 * j] = first;
        rows[2 * j + 1] = first + 1;
        guess[j] = 1;
    }
    for (size_t j = 3 * WEDGES; j < 6 * WEDGES; j++) start[j + 1] = start[j];
    const dae_pattern pattern = {start, rows, NULL};
    const dae_start at = {.x = guess, .xp = none};
    const dae_problem p = {.unknown_count = 3 * WEDGES,
        .order = order,
        .residual = wedges,
        .jacobian = wedges_jacobian,
        .pattern = &pattern,
        .start = &at};
    int below[WEDGES] = {0}, mixed = 0;
    certified w;
    certify(&w, &p);
    for (unsigned number = 0; number < 3; number++) {
        double t, x[3 * WEDGES], xp[3 * WEDGES];
        CHECK_STATUS(points_draw(&p, &w.l, number, NULL, &t, x, xp), DAE_OK);
        for (size_t k = 0; k < WEDGES; k++) below[k] += x[3 * k + 2] < 1;
    }
    for (size_t f = 0; f < w.s->fine_count; f++) {
        const dae_block *b = &w.s->fine[f];
        const size_t k = (size_t)w.s->column_at[b->begin] / 3;
        if (b->end - b->begin == 1) continue;
        mixed += below[k] > 0 && below[k] < 3;
        assert_int_equal(w.certificates[f],
            below[k] == 3 ? DAE_SINGULAR : DAE_NOT_CERTIFIED);
    }
    assert_true(mixed > 0);
    certified_clear(&w);
}

/* C (u' - v') = i(u), C (v' - u') = j(v): as in a transistor amplifier */
static dae_status coupled(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double c = *(const double *)self;
    (void)t;
    res[0] = c * (xp[0] - xp[1]) + (x[0] - 1) / 9000;
    res[1] = c * (xp[1] - xp[0]) + 1e-6 * (exp(x[1] / 0.026) - 1);
    return DAE_OK;
}

static dae_status coupled_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const double c = *(const double *)self;
    const double all[] = {
        1.0 / 9000, 0, 0, 1e-6 / 0.026 * exp(x[1] / 0.026), c, -c, -c, c};
    (void)scope;
    (void)t;
    (void)xp;
    memcpy(v, all, sizeof all);
    return DAE_OK;
}

static void test_coupled_masses(void **state)
{
    (void)state;
    double c = 1e-6;
    dae_problem p = {.self = &c,
        .unknown_count = 2,
        .residual = coupled,
        .jacobian = coupled_jacobian};
    check_block(&p, DAE_SINGULAR, 1);
    p.jacobian = NULL;
    check_block(&p, DAE_SINGULAR, 1);
}

/* x'^2 + x^2 = 1 */
static dae_status energy(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = 0.5 * xp[0] * xp[0] + 0.5 * x[0] * x[0] - 0.5;
    return DAE_OK;
}

static void test_turning_point(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 1, .residual = energy};
    const double x[] = {0.6, 1}, xp[] = {0.8, 0, 1e-7, -1e-7};
    certified w;
    certify(&w, &p);
    assert_int_equal(w.certificates[0], DAE_CERTIFIED);
    check_at(&w, &x[0], &xp[0], 0, DAE_CERTIFIED, 1);
    for (int k = 1; k < 4; k++)
        check_at(&w, &x[1], &xp[k], 0, DAE_SINGULAR_HERE, 0);
    certified_clear(&w);
}

/* The limit of van der Pol's oscillator: y' = z, 0 = (1 - y^2)*z - y */
static dae_status impasse(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - x[1];
    res[1] = (1 - x[0] * x[0]) * x[1] - x[0];
    return DAE_OK;
}

static void test_impasse(void **state)
{
    (void)state;
    const dae_problem p = {.unknown_count = 2, .residual = impasse};
    const double regular[] = {2, -2.0 / 3}, singular[] = {1, 0};
    const double xp[] = {0, 0};
    certified w;
    certify(&w, &p);
    assert_int_equal(w.s->fine_count, 2);
    /* y is matched with y', z with the other */
    const size_t z = w.s->column_at[1] == 1;
    for (size_t f = 0; f < 2; f++)
        check_at(&w, regular, xp, f, DAE_CERTIFIED, 1);
    check_at(&w, singular, xp, z, DAE_SINGULAR_HERE, 0);
    check_at(&w, singular, xp, !z, DAE_CERTIFIED, 1);
    certified_clear(&w);
}

/* Conductances of 1e-30 and 1e30 beside each other are none the less regular. */
static dae_status currents(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = exp(x[0]) + exp(x[1]) - 1;
    res[1] = exp(x[0]) - exp(x[1]);
    return DAE_OK;
}

static dae_status currents_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const double all[] = {
        exp(x[0]), exp(x[0]), exp(x[1]), -exp(x[1]), 0, 0, 0, 0};
    (void)self;
    (void)scope;
    (void)t;
    (void)xp;
    memcpy(v, all, sizeof all);
    return DAE_OK;
}

static void test_exponentials(void **state)
{
    (void)state;
    static const uint8_t order[] = {0, 0};
    const double x[] = {-69, 69}, xp[] = {0, 0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 2,
        .order = order,
        .residual = currents,
        .jacobian = currents_jacobian,
        .start = &start};
    certified w;
    check_block(&p, DAE_CERTIFIED, 2);
    certified_init(&w, &p);
    check_at(&w, x, xp, 0, DAE_CERTIFIED, 2);
    certified_clear(&w);
}

/* ---- matrices --------------------------------------------------------------------------- */

/* A x = 1 + t, A by columns; the entries vary with x by `vary` of themselves, so
 * that none is a constant. */
typedef struct matrix {
    size_t n;
    double *a;
    double vary;
    uint8_t *order;
    int64_t *start;
    int32_t *row;
    dae_pattern pattern;
    dae_problem problem;
} matrix;

static dae_status matrix_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const matrix *m = self;
    (void)xp;
    for (size_t i = 0; i < m->n; i++) res[i] = -1 - t;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            res[m->row[p]] += m->a[p] * (x[j] + m->vary * x[j] * x[j] / 2);
    return DAE_OK;
}

static dae_status matrix_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const matrix *m = self;
    (void)scope;
    (void)t;
    (void)xp;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            v[p] = m->a[p] * (1 + m->vary * x[j]);
    return DAE_OK;
}

/* Room for `width` entries in each column. */
static void matrix_init(matrix *m, size_t n, size_t width)
{
    *m = (matrix){.n = n, .vary = 0.1};
    m->a = calloc(n * width, sizeof *m->a);
    m->order = calloc(n, 1);
    m->start = calloc(2 * n + 1, sizeof *m->start);
    m->row = calloc(n * width, sizeof *m->row);
    assert_true(m->a && m->order && m->start && m->row);
    m->pattern = (dae_pattern){m->start, m->row, NULL};
    m->problem = (dae_problem){.self = m,
        .unknown_count = n,
        .order = m->order,
        .residual = matrix_residual,
        .jacobian = matrix_jacobian,
        .pattern = &m->pattern};
}

static void matrix_clear(matrix *m)
{
    free(m->a), free(m->order), free(m->start), free(m->row);
}

/* Ends column j. */
static void matrix_close(matrix *m, size_t j)
{
    for (size_t k = j + 1; k <= 2 * m->n; k++) m->start[k] = m->start[j + 1];
}

static void matrix_put(matrix *m, size_t j, size_t i, double value)
{
    const int64_t p = m->start[j + 1]++;
    m->row[p] = (int32_t)i;
    m->a[p] = value;
}

/* Currents between neighbours on a line of nodes; `ground` at the first. */
static void make_line(matrix *m, size_t n, double ground)
{
    matrix_init(m, n, 3);
    for (size_t j = 0; j < n; j++) {
        const double left = j > 0 ? 1 : ground, right = j + 1 < n ? 1 : 0;
        if (j > 0) matrix_put(m, j, j - 1, -1);
        matrix_put(m, j, j, left + right);
        if (j + 1 < n) matrix_put(m, j, j + 1, -1);
        matrix_close(m, j);
    }
}

/* A random matrix of the rank given, full, measured in units of 10^-spread to
 * 10^spread. */
static void make_full(
    matrix *m, size_t n, size_t rank, double spread, uint64_t seed)
{
    random_state r = {seed};
    double *factors = calloc(2 * n * rank, sizeof *factors);
    double *units = calloc(2 * n, sizeof *units);
    assert_true(factors && units);
    for (size_t k = 0; k < 2 * n * rank; k++) factors[k] = random_unit(&r);
    for (size_t k = 0; k < 2 * n; k++)
        units[k] = pow(10, spread * random_unit(&r));
    matrix_init(m, n, n);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t k = 0; k < rank; k++)
                sum += factors[i * rank + k] * factors[(n + j) * rank + k];
            matrix_put(m, j, i, sum * units[i] * units[n + j]);
        }
        matrix_close(m, j);
    }
    free(factors), free(units);
}

static void test_full_matrices(void **state)
{
    (void)state;
    static const struct {
        size_t n, rank;
        double spread;
    } cases[] = {{2, 2, 0}, {2, 1, 0}, {2, 2, 9}, {2, 1, 9}, {3, 3, 9},
        {3, 2, 9}, {5, 5, 4}, {5, 2, 4}, {20, 20, 9}, {20, 17, 9}, {60, 60, 9},
        {60, 59, 0}, {60, 57, 9}, {120, 120, 0}, {120, 60, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k].n, rank = cases[k].rank;
        const uint64_t seeds = n > 20 && test_share() > 1 ? 1 : 3;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            matrix m;
            make_full(&m, n, rank, cases[k].spread, seed);
            print_message("%zu of %zu\n", rank, n);
            check_block(&m.problem, rank < n ? DAE_SINGULAR : DAE_CERTIFIED,
                (int64_t)rank);
            matrix_clear(&m);
        }
    }
}

static void test_lines(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 10, 33, 300, 3000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        if (n > 300 && test_share() > 1) continue;
        matrix m;
        make_line(&m, n, 1);
        check_block(&m.problem, DAE_CERTIFIED, (int64_t)n);
        matrix_clear(&m);
        /* not grounded: singular, but a large one is not asked for its rank */
        make_line(&m, n, 0);
        const bool is_large = n > BLOCKS_RANK_LARGEST;
        check_block(&m.problem, is_large ? DAE_NOT_CERTIFIED : DAE_SINGULAR,
            (int64_t)(is_large ? n : n - 1));
        matrix_clear(&m);
        /* by a conductance far below the others, so that the last singular
         * value, about that divided by n, is above rounding */
        make_line(&m, n, 1e-12 * (double)n);
        if (n < 100) {
            certified w;
            certify(&w, &m.problem);
            assert_int_not_equal(w.certificates[0], DAE_SINGULAR);
            certified_clear(&w);
        }
        matrix_clear(&m);
    }
}

/* 1 1; 1 1 + e: singular where e is 0, and never called so where it is not but
 * stands above rounding. */
static void test_nearly_singular(void **state)
{
    (void)state;
    static const double apart[] = {1e-3, 1e-6, 1e-9, 1e-11, 1e-12, 0};
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        matrix m;
        certified w;
        matrix_init(&m, 2, 2);
        matrix_put(&m, 0, 0, 1);
        matrix_put(&m, 0, 1, 1);
        matrix_close(&m, 0);
        matrix_put(&m, 1, 0, 1);
        matrix_put(&m, 1, 1, 1 + apart[k]);
        matrix_close(&m, 1);
        certify(&w, &m.problem);
        if (apart[k] == 0) assert_int_equal(w.certificates[0], DAE_SINGULAR);
        else assert_int_not_equal(w.certificates[0], DAE_SINGULAR);
        if (apart[k] > 1e-7) assert_int_equal(w.certificates[0], DAE_CERTIFIED);
        certified_clear(&w);
        matrix_clear(&m);
    }
}

/* The entries' factor 1 + x/10 of one column is 0 at x = -10. */
static void test_column_lost(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 10, 40, 300, 3000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        if (n > 300 && test_share() > 1) continue;
        matrix m;
        certified w;
        double *x = calloc(n, sizeof *x), *xp = calloc(n, sizeof *xp);
        assert_true(x && xp);
        make_line(&m, n, 1);
        certified_init(&w, &m.problem);
        for (size_t j = 0; j < n; j++) x[j] = 0.5;
        check_at(&w, x, xp, 0, DAE_CERTIFIED, (int64_t)n);
        x[n / 2] = -10;
        check_at(&w, x, xp, 0, DAE_SINGULAR_HERE, (int64_t)n - 1);
        x[n / 2] = -10 + 1e-8;
        check_at(&w, x, xp, 0, DAE_SINGULAR_HERE, (int64_t)n - 1);
        x[n / 2] = -9;
        check_at(&w, x, xp, 0, DAE_CERTIFIED, (int64_t)n);
        certified_clear(&w);
        matrix_clear(&m);
        free(x), free(xp);
    }
}

/* A singular one stays so at a point, whatever the rank is there. */
static void test_singular_stays(void **state)
{
    (void)state;
    const double x[] = {-10, 0.5, 0.5}, xp[3] = {0};
    matrix m;
    certified w;
    make_line(&m, 3, 0);
    certified_init(&w, &m.problem);
    check_at(&w, xp, xp, 0, DAE_SINGULAR, 2);
    check_at(&w, x, xp, 0, DAE_SINGULAR, 2);
    certified_clear(&w);
    matrix_clear(&m);
}

/* Many blocks of one unknown: x_j' = -x_j - x_(j-1). */
static dae_status chain(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const size_t n = *(const size_t *)self;
    (void)t;
    for (size_t j = 0; j < n; j++)
        res[j] = xp[j] + x[j] + (j > 0 ? x[j - 1] : 0);
    return DAE_OK;
}

static dae_status chain_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const size_t entries = 3 * *(const size_t *)self - 1;
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    for (size_t p = 0; p < entries; p++) v[p] = 1;
    return DAE_OK;
}

static int say_stop(void *context)
{
    return ++*(int *)context > 2;
}

static void test_many_blocks(void **state)
{
    (void)state;
    size_t n = 200000, at = 0;
    int64_t *start = calloc(2 * n + 1, sizeof *start);
    int32_t *row = calloc(3 * n, sizeof *row);
    int asked = 0;
    assert_true(start && row);
    for (size_t j = 0; j < n; j++) {
        row[at++] = (int32_t)j;
        if (j + 1 < n) row[at++] = (int32_t)j + 1;
        start[j + 1] = (int64_t)at;
    }
    for (size_t j = 0; j < n; j++) {
        row[at++] = (int32_t)j;
        start[n + j + 1] = (int64_t)at;
    }
    const dae_pattern pattern = {start, row, NULL};
    const dae_problem p = {.self = &n,
        .unknown_count = n,
        .residual = chain,
        .jacobian = chain_jacobian,
        .pattern = &pattern};
    certified w;
    certify(&w, &p);
    assert_int_equal(w.s->fine_count, n);
    for (size_t f = 0; f < n; f++) {
        assert_int_equal(w.certificates[f], DAE_CERTIFIED);
        assert_int_equal(w.rank[f], 1);
    }
    w.q.interrupt = say_stop;
    w.q.interrupt_context = &asked;
    CHECK_STATUS(blocks_certify(&w.q, w.certificates, NULL), DAE_INTERRUPTED);
    assert_int_equal(asked, 3);
    certified_clear(&w);
    free(start), free(row);
}

/* ---- what cannot be tested ---------------------------------------------------------------- */

/* Has values at x = 3 alone. */
static dae_status only_here(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    if (fabs(x[0] - 3) > 1e-12) return DAE_RETRY;
    res[0] = xp[0] - x[0];
    return DAE_OK;
}

static dae_status only_here_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    v[0] = -1;
    v[1] = 1;
    return DAE_OK;
}

static void test_without_points(void **state)
{
    (void)state;
    const double x[] = {3, 4}, xp[] = {3};
    const dae_problem p = {.unknown_count = 1,
        .residual = only_here,
        .jacobian = only_here_jacobian};
    certified w;
    certify(&w, &p);
    assert_false(w.g->is_sampled);
    assert_int_equal(w.certificates[0], DAE_NOT_CERTIFIED);
    check_at(&w, &x[1], xp, 0, DAE_NOT_CERTIFIED, 1);
    check_at(&w, &x[0], xp, 0, DAE_CERTIFIED, 1);
    certified_clear(&w);
}

/* What is lost to explanations alone does not matter: the verdict does. */
static void check_memory(
    const dae_problem *p, memory_fault fault, dae_certificate certificate)
{
    faulty_memory m;
    certified w;
    size_t k = 0;
    memory_init(&m);
    certified_init(&w, p);
    double *x = calloc(p->unknown_count, sizeof *x);
    assert_non_null(x);
    w.q.allocator = &m.allocator;
    const size_t before = m.blocks;
    for (bool failed = true; failed; k++) {
        memory_arm(&m, fault, k);
        dae_status st = blocks_certify(&w.q, w.certificates, w.rank);
        if (!st) st = blocks_certify_at(&w.q, 0, x, x, w.certificates, w.rank);
        failed = m.failures > 0;
        CHECK_STATUS(st, st && failed ? DAE_MEMORY : DAE_OK);
        if (!st) assert_int_equal(w.certificates[0], certificate);
        assert_int_equal(m.blocks, before);
    }
    assert_true(k > 30 && m.mistold == 0);
    free(x);
    certified_clear(&w);
}

static void test_memory(void **state)
{
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        matrix m;
        make_line(&m, 40, 0); /* all the ways there are */
        check_memory(&m.problem, (memory_fault)fault, DAE_SINGULAR);
        matrix_clear(&m);
        make_line(&m, 300, 1);
        check_memory(&m.problem, (memory_fault)fault, DAE_CERTIFIED);
        matrix_clear(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_singular_at_some_points),
        cmocka_unit_test(test_coupled_masses),
        cmocka_unit_test(test_turning_point),
        cmocka_unit_test(test_impasse),
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_full_matrices),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_nearly_singular),
        cmocka_unit_test(test_column_lost),
        cmocka_unit_test(test_singular_stays),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_without_points),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
