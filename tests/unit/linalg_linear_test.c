/* Every back end on random, badly scaled, singular and changing matrices. */
#include "check.h"
#include "linalg/linear.h"
#include "random.h"

static const dae_linear backends[] = {
    DAE_LINEAR_AUTO,
    DAE_LINEAR_DENSE,
    DAE_LINEAR_KLU,
    DAE_LINEAR_LIST,
#ifdef DAE_HAVE_UMFPACK
    DAE_LINEAR_UMFPACK,
#endif
};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

typedef struct matrix {
    size_t n;
    int64_t *start;
    int32_t *row;
    double *values;
} matrix;

static void matrix_init(matrix *m, size_t n)
{
    m->n = n;
    m->start = calloc(n + 1, sizeof *m->start);
    m->row = calloc(n * n + 1, sizeof *m->row);
    m->values = calloc(n * n + 1, sizeof *m->values);
}

static void matrix_clear(matrix *m)
{
    free(m->start);
    free(m->row);
    free(m->values);
}

/* Entries with a random row order on the diagonal, so pivots must move. */
static void make_random(matrix *m, random_state *r, size_t n, size_t percent)
{
    int64_t at = 0;
    matrix_init(m, n);
    const size_t shift = random_below(r, n);
    for (size_t j = 0; j < n; j++) {
        m->start[j] = at;
        for (size_t i = 0; i < n; i++) {
            const bool is_pivot = (i + shift) % n == j;
            if (!is_pivot && random_below(r, 100) >= percent) continue;
            m->row[at] = (int32_t)i;
            m->values[at++] = random_unit(r) + (is_pivot ? 3 : 0);
        }
    }
    m->start[n] = at;
}

/* Rows in units that differ by up to 10^16, columns by 10^8. */
static void scale_badly(matrix *m, random_state *r)
{
    double *row = calloc(m->n, sizeof *row);
    for (size_t i = 0; i < m->n; i++) row[i] = pow(10, 8 * random_unit(r));
    for (size_t j = 0; j < m->n; j++) {
        const double column = pow(10, 4 * random_unit(r));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            m->values[p] *= row[m->row[p]] * column;
    }
    free(row);
}

/* max over rows of |b - A x| against the row's largest entry times the
 * largest x: what elimination with row scaling promises */
static double backward_error(const matrix *m, const double *x, const double *b)
{
    double worst = 0, most = 0;
    double *rest = calloc(m->n, sizeof *rest);
    double *size = calloc(m->n, sizeof *size);
    for (size_t i = 0; i < m->n; i++) rest[i] = b[i];
    for (size_t j = 0; j < m->n; j++) {
        most = fmax(most, fabs(x[j]));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            const size_t i = (size_t)m->row[p];
            rest[i] -= m->values[p] * x[j];
            size[i] = fmax(size[i], fabs(m->values[p]));
        }
    }
    for (size_t i = 0; i < m->n; i++) {
        const double error = fabs(rest[i]) / (size[i] * most);
        if (!(error <= worst)) worst = error;
    }
    free(rest);
    free(size);
    return worst;
}

static void check_solve_within(
    linear *l, const matrix *m, random_state *r, double tolerance)
{
    double *b = calloc(m->n, sizeof *b), *x = calloc(m->n, sizeof *x);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    assert_true(linear_rcond(l) > 0 && linear_rcond(l) <= 1);
    assert_true(linear_fill(l) >= (int64_t)m->n);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < m->n; i++) x[i] = b[i] = random_unit(r);
        CHECK_STATUS(linear_solve(l, x), DAE_OK);
        CHECK_NEAR(backward_error(m, x, b), 0, tolerance);
    }
    free(b);
    free(x);
}

static void check_solve(linear *l, const matrix *m, random_state *r)
{
    check_solve_within(l, m, r, 1e-9);
}

/* By elimination with row pivots on the full matrix. */
static int sign_of_determinant(const matrix *m)
{
    const size_t n = m->n;
    double *a = calloc(n * n, sizeof *a);
    int sign = 1;
    for (size_t j = 0; j < n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            a[(size_t)m->row[p] * n + j] = m->values[p];
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (best != k) sign = -sign;
        for (size_t j = 0; j < n; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = kept;
        }
        if (a[k * n + k] < 0) sign = -sign;
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = n; j-- > k;)
                a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
    free(a);
    return sign;
}

/* Fresh, on kept pivots, and with a column turned round. */
static void test_sign_of_determinant(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 3, 5, 8, 24, 40};
    random_state r = {19};
    for (size_t q = 0; q < 4 * BACKENDS * (sizeof sizes / sizeof *sizes); q++) {
        const size_t percent[] = {100, 40, 10, 3};
        matrix m;
        linear *l;
        make_random(&m, &r, sizes[q / 4 / BACKENDS], percent[q % 4]);
        CHECK_STATUS(linear_create(m.n, m.start, m.row,
                         backends[q / 4 % BACKENDS], NULL, &l),
            DAE_OK);
        assert_int_equal(linear_sign(l), 0);
        for (int k = 0; k < 3; k++) {
            const int before = linear_sign(l);
            CHECK_STATUS(linear_factor(l, m.values), DAE_OK);
            assert_int_equal(linear_sign(l), sign_of_determinant(&m));
            if (k == 2) assert_int_equal(linear_sign(l), -before);
            for (int64_t p = 0; k == 1 && p < m.start[1]; p++)
                m.values[p] = -m.values[p];
            for (int64_t p = 0; k == 0 && p < m.start[m.n]; p++)
                m.values[p] *= 1 + 0.1 * random_unit(&r);
        }
        linear_free(l);
        matrix_clear(&m);
    }
}

static void test_random_matrices(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 24, 32, 33, 40, 90};
    random_state r = {11};
    for (size_t k = 0; k < BACKENDS; k++) {
        for (size_t q = 0; q < 4 * (sizeof sizes / sizeof *sizes); q++) {
            const size_t percent[] = {100, 40, 10, 3};
            matrix m;
            linear *l;
            make_random(&m, &r, sizes[q / 4], percent[q % 4]);
            CHECK_STATUS(
                linear_create(m.n, m.start, m.row, backends[k], NULL, &l),
                DAE_OK);
            check_solve(l, &m, &r);
            linear_release(l);
            CHECK_STATUS(linear_solve(l, m.values), DAE_NUMERIC);
            check_solve(l, &m, &r);
            for (int64_t p = 0; p < m.start[m.n]; p++)
                m.values[p] *= 1 + 0.1 * random_unit(&r);
            /* pivots kept through changes may cost half the digits */
            check_solve_within(l, &m, &r, 1e-8);
            scale_badly(&m, &r);
            check_solve_within(l, &m, &r, 1e-8);
            linear_free(l);
            matrix_clear(&m);
        }
    }
}

/* A triangle whose rows and columns are mixed. */
static void make_triangle(matrix *m, random_state *r, size_t n, size_t percent)
{
    int64_t at = 0;
    size_t *order = calloc(n, sizeof *order), *rank = calloc(n, sizeof *rank);
    matrix_init(m, n);
    const size_t shift = random_below(r, n);
    for (size_t j = 0; j < n; j++) {
        const size_t other = random_below(r, j + 1);
        order[j] = order[other];
        order[other] = j;
    }
    for (size_t k = 0; k < n; k++) rank[order[k]] = k;
    for (size_t j = 0; j < n; j++) {
        m->start[j] = at;
        for (size_t i = 0; i < n; i++) {
            const size_t of_row = rank[(i + shift) % n];
            const bool is_in = of_row == rank[j]
                || (of_row > rank[j] && random_below(r, 100) < percent);
            if (!is_in) continue;
            m->row[at] = (int32_t)i;
            m->values[at++] = random_unit(r) + (of_row == rank[j] ? 3 : 0);
        }
    }
    m->start[n] = at;
    free(order);
    free(rank);
}

static void test_triangles(void **state)
{
    (void)state;
    random_state r = {23};
    for (size_t q = 0; q < 60; q++) {
        const size_t percent[] = {0, 3, 20, 100};
        matrix m;
        linear *l;
        make_triangle(&m, &r, 1 + q, percent[q % 4]);
        CHECK_STATUS(
            linear_create(m.n, m.start, m.row, DAE_LINEAR_KLU, NULL, &l),
            DAE_OK);
        check_solve(l, &m, &r);
        assert_int_equal(linear_fill(l), m.start[m.n]);
        assert_int_equal(linear_sign(l), sign_of_determinant(&m));
        linear_release(l);
        CHECK_STATUS(linear_solve(l, m.values), DAE_NUMERIC);
        scale_badly(&m, &r);
        check_solve_within(l, &m, &r, 1e-8);
        const size_t column = random_below(&r, m.n);
        for (int64_t p = m.start[column]; p < m.start[column + 1]; p++)
            m.values[p] = 0;
        CHECK_STATUS(linear_factor(l, m.values), DAE_NUMERIC);
        linear_free(l);
        matrix_clear(&m);
    }
}

/* Old pivots that vanish: [a 1; 1 a] with a from large to nothing, in a
 * larger frame. */
static void test_pivots_degrade(void **state)
{
    (void)state;
    enum { n = 40 };
    const double diagonal[] = {10, 1, 1e-3, 1e-9, 1e-15, 0, 1e-200, 10};
    random_state r = {5};
    for (size_t k = 0; k < BACKENDS; k++) {
        matrix m;
        linear *l;
        matrix_init(&m, n);
        int64_t at = 0;
        for (int32_t j = 0; j < n; j++) {
            m.start[j] = at;
            for (int32_t i = j - 2; i <= j + 2; i++)
                if (i >= 0 && i < n) m.row[at++] = i;
        }
        m.start[n] = at;
        CHECK_STATUS(
            linear_create(n, m.start, m.row, backends[k], NULL, &l), DAE_OK);
        for (size_t d = 0; d < sizeof diagonal / sizeof *diagonal; d++) {
            for (int32_t j = 0; j < n; j++)
                for (int64_t p = m.start[j]; p < m.start[j + 1]; p++)
                    m.values[p] = m.row[p] == j ? diagonal[d]
                        : m.row[p] / 2 == j / 2 ? 1 + 0.01 * j
                                                : 1e-3 * random_unit(&r);
            check_solve(l, &m, &r);
        }
        linear_free(l);
        matrix_clear(&m);
    }
}

/* Old pivots that are still far from nothing, but make entries grow: more
 * digits than a half of them are never lost to that. */
static void test_old_pivots_lose_few_digits(void **state)
{
    (void)state;
    enum { n = 40 };
    random_state r = {11};
    for (size_t k = 0; k < BACKENDS; k++) {
        matrix m;
        linear *l;
        matrix_init(&m, n);
        for (int32_t j = 0; j < n; j++) {
            m.row[2 * j] = j - j % 2;
            m.row[2 * j + 1] = j - j % 2 + 1;
            m.start[j + 1] = 2 * j + 2;
        }
        CHECK_STATUS(
            linear_create(n, m.start, m.row, backends[k], NULL, &l), DAE_OK);
        for (double diagonal = 10; diagonal > 1e-12; diagonal /= 10) {
            for (int32_t j = 0; j < n; j++)
                for (int64_t p = m.start[j]; p < m.start[j + 1]; p++)
                    m.values[p] = m.row[p] == j ? diagonal : 1 + 0.01 * j;
            check_solve_within(l, &m, &r, 1e-10);
        }
        linear_free(l);
        matrix_clear(&m);
    }
}

/* Numerically singular: column 6 is the sum of columns 1 and 3; row and
 * column named must take part (rows of the left null space are known). */
static void test_dependent_column(void **state)
{
    (void)state;
    enum { n = 12 };
    random_state r = {9};
    for (size_t k = 0; k < BACKENDS; k++) {
        matrix m;
        linear *l;
        int64_t row, column;
        make_random(&m, &r, n, 100);
        for (size_t i = 0; i < n; i++)
            m.values[6 * n + i] = m.values[n + i] + m.values[3 * n + i];
        CHECK_STATUS(
            linear_create(n, m.start, m.row, backends[k], NULL, &l), DAE_OK);
        CHECK_STATUS(linear_factor(l, m.values), DAE_NUMERIC);
        linear_singular_at(l, &row, &column);
        assert_true(column == 1 || column == 3 || column == 6);
        assert_true(row >= 0 && row < n);
        double b[n] = {0};
        CHECK_STATUS(linear_solve(l, b), DAE_NUMERIC);
        linear_free(l);
        matrix_clear(&m);
    }
}

/* Row 4 is twice row 2 in a sparse matrix. */
static void test_dependent_row(void **state)
{
    (void)state;
    enum { n = 6 };
    const double dense[n][n] = {
        {3, 1, 0, 0, 0, 0},
        {0, 2, 0, 1, 0, 0},
        {1, 0, 2, 0, 0, 4},
        {0, 0, 1, 5, 0, 0},
        {2, 0, 4, 0, 0, 8},
        {0, 0, 0, 1, 7, 1},
    };
    for (size_t k = 0; k < BACKENDS; k++) {
        matrix m;
        linear *l;
        int64_t row, column, at = 0;
        matrix_init(&m, n);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                if (dense[i][j] == 0) continue;
                m.row[at] = (int32_t)i;
                m.values[at++] = dense[i][j];
            }
            m.start[j + 1] = at;
        }
        CHECK_STATUS(
            linear_create(n, m.start, m.row, backends[k], NULL, &l), DAE_OK);
        CHECK_STATUS(linear_factor(l, m.values), DAE_NUMERIC);
        linear_singular_at(l, &row, &column);
        assert_true(row == 2 || row == 4);
        assert_true(column >= 0 && column < n);
        linear_free(l);
        matrix_clear(&m);
    }
}

/* Structurally singular: columns 0 and 2 have row 1 alone. */
static void test_structurally_singular(void **state)
{
    (void)state;
    const int64_t start[] = {0, 1, 4, 5};
    const int32_t row[] = {1, 0, 1, 2, 1};
    double values[] = {1, 2, 3, 4, 5};
    for (size_t k = 0; k < BACKENDS; k++) {
        linear *l;
        int64_t i, j;
        CHECK_STATUS(
            linear_create(3, start, row, backends[k], NULL, &l), DAE_OK);
        CHECK_STATUS(linear_factor(l, values), DAE_NUMERIC);
        linear_singular_at(l, &i, &j);
        assert_true(j == 0 || j == 2);
        assert_true(i == 0 || i == 2);
        linear_free(l);
    }
}

/* After a singular matrix a regular one is served again. */
static void test_recovers_from_singular(void **state)
{
    (void)state;
    random_state r = {21};
    for (size_t k = 0; k < BACKENDS; k++) {
        matrix m;
        linear *l;
        make_random(&m, &r, 20, 30);
        CHECK_STATUS(
            linear_create(m.n, m.start, m.row, backends[k], NULL, &l), DAE_OK);
        check_solve(l, &m, &r);
        double *good = calloc((size_t)m.start[20], sizeof *good);
        memcpy(good, m.values, (size_t)m.start[20] * sizeof *good);
        for (int64_t p = m.start[7]; p < m.start[8]; p++) m.values[p] = 0;
        CHECK_STATUS(linear_factor(l, m.values), DAE_NUMERIC);
        int64_t i, j;
        linear_singular_at(l, &i, &j);
        assert_int_equal(j, 7);
        memcpy(m.values, good, (size_t)m.start[20] * sizeof *good);
        check_solve(l, &m, &r);
        free(good);
        linear_free(l);
        matrix_clear(&m);
    }
}

/* A pendulum of 1e-9 kg at 1e8 m: by hand u = -4.7088, v = -3.5316, w = 7.848e-17.
 * With the third equation a sum of the others it stays singular. */
static void test_units_are_no_singularity(void **state)
{
    double values[] = {1e-9, 6e7, 1e-9, -8e7, 6e7, -8e7};
    static const int32_t rows[] = {0, 2, 1, 2, 0, 1};
    static const int64_t start[] = {0, 2, 4, 6};
    double sum[] = {1e-9, 1e-9, 1e-9, 1e-9, 6e7, -8e7, -2e7};
    static const int32_t sum_rows[] = {0, 2, 1, 2, 0, 1, 2};
    static const int64_t sum_start[] = {0, 2, 4, 7};
    (void)state;
    for (size_t k = 0; k < BACKENDS; k++) {
        linear *l;
        CHECK_STATUS(
            linear_create(3, start, rows, backends[k], NULL, &l), DAE_OK);
        for (int again = 0; again < 3; again++) {
            double b[] = {0, -9.81e-9, 0};
            CHECK_STATUS(linear_factor(l, values), DAE_OK);
            CHECK_STATUS(linear_solve(l, b), DAE_OK);
            CHECK_NEAR(b[0], -4.7088, 1e-13);
            CHECK_NEAR(b[1], -3.5316, 1e-13);
            CHECK_NEAR(b[2], 7.848e-17, 1e-30);
        }
        linear_free(l);
        CHECK_STATUS(
            linear_create(3, sum_start, sum_rows, backends[k], NULL, &l),
            DAE_OK);
        CHECK_STATUS(linear_factor(l, sum), DAE_NUMERIC);
        linear_free(l);
    }
}

/* AUTO decides by counts alone. */
static void test_choice(void **state)
{
    (void)state;
    enum { n = 300 };
    matrix m;
    linear *l;
    random_state r = {2};
    const size_t sizes[] = {1, 3, 8, 20, 20, 90};
    const size_t percent[] = {100, 100, 100, 15, 100, 3};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        make_random(&m, &r, sizes[k], percent[k]);
        CHECK_STATUS(
            linear_create(m.n, m.start, m.row, DAE_LINEAR_AUTO, NULL, &l),
            DAE_OK);
        const bool is_dense = k == 4 || sizes[k] < 5;
        assert_string_equal(linear_name(l), is_dense ? "dense" : "list");
        linear_free(l);
        matrix_clear(&m);
    }
    matrix_init(&m, n);
    int64_t at = 0;
    for (int32_t j = 0; j < n; j++) {
        m.start[j] = at;
        for (int32_t i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < n) m.row[at++] = i;
    }
    m.start[n] = at;
    CHECK_STATUS(
        linear_create(n, m.start, m.row, DAE_LINEAR_AUTO, NULL, &l), DAE_OK);
    assert_string_equal(linear_name(l), "klu");
    linear_free(l);
    matrix_clear(&m);
    make_random(&m, &r, n, 60);
    CHECK_STATUS(
        linear_create(n, m.start, m.row, DAE_LINEAR_AUTO, NULL, &l), DAE_OK);
    assert_string_equal(linear_name(l), "dense");
    linear_free(l);
    matrix_clear(&m);
}

/* A diagonal with eight full rows and columns. As long as the diagonal is large, each of
 * its pivots changes the entries of these alone; where it is small, full rows are pivots
 * and fill others. */
static void make_bordered(matrix *m, random_state *r, double diagonal)
{
    enum { n = 100, FULL = 8 };
    int64_t at = 0;
    matrix_init(m, n);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            const bool is_border = i >= n - FULL || j >= n - FULL;
            if (!is_border && i != j) continue;
            m->row[at] = i;
            m->values[at++] = is_border ? random_unit(r) : diagonal;
        }
        m->start[j + 1] = at;
    }
}

static void test_a_list_that_becomes_too_long(void **state)
{
    (void)state;
    matrix m, other;
    linear *l;
    random_state r = {3};
    make_bordered(&m, &r, 10);
    make_bordered(&other, &r, 1e-5);
    CHECK_STATUS(
        linear_create(m.n, m.start, m.row, DAE_LINEAR_AUTO, NULL, &l), DAE_OK);
    check_solve(l, &m, &r);
    assert_int_equal(linear_kind(l), DAE_LINEAR_LIST);
    check_solve(l, &other, &r);
    assert_int_not_equal(linear_kind(l), DAE_LINEAR_LIST);
    check_solve(l, &m, &r);
    linear_free(l);
    matrix_clear(&m);
    matrix_clear(&other);
}

/* What a call without memory leaves is good for another one: a factorization, another one
 * with other pivots, and what they solve to, in `x`. */
static dae_status solve_twice(
    linear *l, failing_memory *memory, matrix *const *m, double *x)
{
    dae_status st = DAE_OK;
    for (int k = 0; k < 2 && !st; k++) {
        st = linear_factor(l, m[k]->values);
        if (st == DAE_MEMORY) {
            memory->fail_from = SIZE_MAX;
            st = linear_factor(l, m[k]->values);
        }
        for (size_t i = 0; i < m[k]->n; i++)
            x[(size_t)k * m[k]->n + i] = (double)i;
        if (!st) st = linear_solve(l, x + (size_t)k * m[k]->n);
    }
    return st;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    enum { n = 12 };
    matrix m, turned;
    random_state r = {17};
    double right[2 * n] = {0}, x[2 * n];
    make_random(&m, &r, n, 30);
    turned = m;
    turned.values = calloc(n * n + 1, sizeof *turned.values);
    for (int64_t p = 0; p < m.start[n]; p++)
        turned.values[p] = m.values[p] > 1 ? 1e-6 : 1 + random_unit(&r);
    matrix *const both[] = {&m, &turned};
    bool is_healthy = false;
    for (size_t k = 0; !is_healthy; k++) {
        failing_memory memory;
        linear *l;
        failing_init(&memory, k == 0 ? SIZE_MAX : k - 1);
        dae_status st = linear_create(
            n, m.start, m.row, DAE_LINEAR_LIST, &memory.allocator, &l);
        if (st == DAE_MEMORY) continue;
        CHECK_STATUS(st, DAE_OK);
        CHECK_STATUS(solve_twice(l, &memory, both, x), DAE_OK);
        if (k == 0) memcpy(right, x, sizeof x);
        assert_memory_equal(right, x, sizeof x);
        is_healthy = k > 0 && memory.fail_from != SIZE_MAX;
        linear_free(l);
        assert_int_equal(memory.live, 0);
    }
    free(turned.values);
    matrix_clear(&m);
}

/* Nodes joined at random, of `width` unknowns: so many columns are alike. With `is_split`
 * the second half of the nodes does not feel the first. */
static void make_nodes(matrix *m, random_state *r, size_t nodes, size_t width,
    size_t percent, bool is_split)
{
    const size_t n = width * nodes;
    bool *is_joined = calloc(nodes * nodes, sizeof *is_joined);
    int64_t at = 0;
    matrix_init(m, n);
    for (size_t j = 0; j < nodes; j++)
        for (size_t i = 0; i < nodes; i++) {
            const bool is_other = is_split && i >= nodes / 2 && j < nodes / 2;
            is_joined[j * nodes + i] = i == j
                || (!is_other && random_below(r, 100) < percent);
        }
    for (size_t j = 0; j < n; j++) {
        m->start[j] = at;
        for (size_t i = 0; i < n; i++) {
            if (!is_joined[j / width * nodes + i / width]) continue;
            m->row[at] = (int32_t)i;
            m->values[at++] = random_unit(r) + (i == j ? 3 : 0);
        }
    }
    m->start[n] = at;
    free(is_joined);
}

static void check_same_solutions(linear *l, const matrix *m, random_state *r)
{
    enum { SOLUTIONS = 3 };
    double *x = calloc(m->n * (SOLUTIONS + 1), sizeof *x);
    CHECK_STATUS(linear_factor(l, m->values), DAE_OK);
    for (size_t i = 0; i < m->n; i++) x[i] = random_unit(r);
    for (size_t k = SOLUTIONS; k > 0; k--) {
        memcpy(x + k * m->n, x, m->n * sizeof *x);
        CHECK_STATUS(linear_solve(l, x + k * m->n), DAE_OK);
        assert_memory_equal(
            x + k * m->n, x + SOLUTIONS * m->n, m->n * sizeof *x);
    }
    free(x);
}

/* KLU's factors are packed after their first solution, which is by KLU itself. Memory
 * that runs out there is not missed. */
static void test_later_solutions_are_the_first(void **state)
{
    (void)state;
    random_state r = {29};
    for (size_t k = 0; k < 120; k++) {
        matrix m;
        linear *l;
        failing_memory memory;
        make_nodes(
            &m, &r, 6 + k % 13, k % 4 < 2 ? 3 : 1, 30 + k / 2, k % 3 == 0);
        failing_init(&memory, SIZE_MAX);
        CHECK_STATUS(linear_create(m.n, m.start, m.row, DAE_LINEAR_KLU,
                         &memory.allocator, &l),
            DAE_OK);
        const int64_t before = (int64_t)memory.live;
        if (k % 2) memory.fail_from = memory.allocations + k / 2 % 8;
        check_same_solutions(l, &m, &r);
        if (k % 2 == 0) assert_true((int64_t)memory.live > before);
        for (int64_t p = 0; p < m.start[m.n]; p++) m.values[p] *= 1.5;
        m.values[0] += 1;
        check_same_solutions(l, &m, &r);
        linear_free(l);
        assert_int_equal(memory.live, 0);
        matrix_clear(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_pivots_degrade),
        cmocka_unit_test(test_old_pivots_lose_few_digits),
        cmocka_unit_test(test_dependent_column),
        cmocka_unit_test(test_dependent_row),
        cmocka_unit_test(test_sign_of_determinant),
        cmocka_unit_test(test_structurally_singular),
        cmocka_unit_test(test_recovers_from_singular),
        cmocka_unit_test(test_units_are_no_singularity),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_a_list_that_becomes_too_long),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_later_solutions_are_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
